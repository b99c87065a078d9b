"""Bridges to others: OpenDP, diffprivlib, DuckDB and pytest. Each module needs its own library, and imports it late."""
