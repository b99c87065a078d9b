"""Data in, counts out: how a value is read, grids, labels, filters, and the engines that count. Never random."""

from dampen.tables.counts import GridCounts, count_categories, count_on_grid
from dampen.tables.grid import Grid, as_grid
from dampen.tables.scores import read_labels, read_scores

__all__ = ["Grid", "GridCounts", "as_grid", "count_categories", "count_on_grid", "read_labels", "read_scores"]
