"""Data in, counts out. Never random, never private."""

from dampen.statistics.scores import read_labels, read_scores

__all__ = ["read_labels", "read_scores"]
