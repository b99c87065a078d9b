"""What is publicly known of a data set: its columns, which of its rows are meant, and the file that says so."""
