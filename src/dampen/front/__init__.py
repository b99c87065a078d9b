"""The front door: tables and graphs that know what is public of them and who pays, and are asked by their methods."""
