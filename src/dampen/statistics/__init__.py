"""Data in, counts out. Never random, never private."""

from dampen.statistics.categories import count_categories
from dampen.statistics.grid import Grid, as_grid
from dampen.statistics.order import GridCounts, count_on_grid
from dampen.statistics.scores import read_labels, read_scores

__all__ = ["Grid", "GridCounts", "as_grid", "count_categories", "count_on_grid", "read_labels", "read_scores"]
