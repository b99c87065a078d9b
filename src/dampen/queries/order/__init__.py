"""Percentiles: by rank, by value, by label, and as numbers."""
