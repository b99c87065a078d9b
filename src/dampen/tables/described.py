"""From the description of a column to how it is counted: its grid, and what it must hold."""

from dampen.describe.columns import Category, Column, Date, Flag, Listed, Number
from dampen.tables.day_grid import day_grid
from dampen.tables.engines.base import Reading
from dampen.tables.grid import Grid, as_grid


def grid_of(column: Number | Date) -> Grid:
    """All possible answers about a column of numbers or days."""
    if isinstance(column, Date):
        return day_grid(column.lo, column.hi, column.step)
    return as_grid(bounds=column.bounds, step=column.grid_step)


def reading_of(column: Column) -> Reading:
    """What all values of a column must be; of a text that each is a name."""
    if isinstance(column, Category | Flag):
        rest = isinstance(column, Listed) or (isinstance(column, Category) and column.other is not None)
        return Reading(labels=column.labels, missing=column.missing != "refuse", other=rest)
    if isinstance(column, Number | Date):
        return Reading(days=isinstance(column, Date), missing=column.missing == "drop")
    return Reading(name=True, missing=True)
