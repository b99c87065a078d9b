"""How many values stand at each point of a public grid: all that a question about order needs to know."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from dampen.errors import DataError, ParameterError
from dampen.tables.columns import as_missing, refuse_missing
from dampen.tables.engines import opened
from dampen.tables.engines.base import inside, no_numbers
from dampen.tables.grid import Grid, as_grid
from dampen.tables.reading import MISSING, OTHER
from dampen.vectors import Integers


@dataclass(frozen=True, init=False, eq=False, repr=False)
class GridCounts:
    """Private: ``counts[i]`` values stand at grid place ``places[i]``, and none elsewhere.

    ``places`` is increasing and every count is at least 1. Printing shows the grid alone.
    """

    grid: Grid
    places: Integers
    counts: Integers

    def __init__(self, grid: Any, places: Any, counts: Any) -> None:
        object.__setattr__(self, "grid", as_grid(grid))
        for name, given in {"places": places, "counts": counts}.items():
            entries = np.array(given)
            if entries.ndim != 1 or (entries.size and entries.dtype.kind not in "iu"):
                raise DataError(f"{name} must be whole numbers")
            entries = entries.astype(np.int64)
            entries.flags.writeable = False
            object.__setattr__(self, name, entries)
        if len(self.places) != len(self.counts) or (self.counts < 1).any():
            raise DataError("counts must be at least 1, one for each place")
        inside = not len(self.places) or (self.places[0] >= 0 and self.places[-1] < len(self.grid))
        if not inside or (np.diff(self.places) <= 0).any():
            raise DataError("places must be increasing and on the grid")

    @property
    def n(self) -> int:
        """How many values were counted."""
        return int(self.counts.sum())

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, GridCounts):
            return NotImplemented
        same = np.array_equal(self.places, other.places) and np.array_equal(self.counts, other.counts)
        return same and self.grid == other.grid

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"GridCounts({self.grid!r})"


def count_on_grid(values: Any, grid: Any, *, column: str | None = None, missing: str = "refuse") -> GridCounts:
    """Count values on a grid. Not private.

    A value counts at the largest grid point not above it, a value below all points at the first. Every number is
    compared as it is: whole numbers beyond 2**53 are not rounded, infinities count at the ends. So a list, a data frame
    and a file of the same numbers give the same counts.

    Parameters
    ----------
    values
        A list or array of numbers, a Series; with ``column`` a data frame, a mapping, a path or pattern of CSV or
        Parquet files, a DuckDB relation, an ibis table or a Spark data frame; or counts made before on the same grid.
        What does not lie in memory is counted where it lies. Each value is read by itself: texts that read as numbers
        count as those; decimals that are not whole, and texts of whole numbers beyond 64 bits, are the nearest float.
    grid
        A :class:`~dampen.tables.grid.Grid`, or what :func:`~dampen.tables.grid.as_grid` makes one of.
    missing
        ``"refuse"`` or ``"drop"``: what to do with null, ``None``, NaN and empty fields.

    >>> counted = count_on_grid([23, 31.9, 45, 45, 200], range(0, 121))
    >>> counted.places.tolist(), counted.counts.tolist(), counted.n
    ([23, 31, 45, 120], [1, 1, 2, 1], 5)
    """
    public, mode = as_grid(grid), as_missing(missing)
    if isinstance(values, GridCounts):
        return _counted_before(values, public, column)
    with opened(values, column) as engine:
        places, counts = engine.histogram(column, public)
        if OTHER in places:
            raise no_numbers(column, engine)
        refuse_missing(int(counts[places == MISSING].sum()), mode, column, inside(engine))
    return GridCounts(public, places[places >= 0], counts[places >= 0])


def _counted_before(values: GridCounts, grid: Grid, column: str | None) -> GridCounts:
    if values.grid != grid:
        raise ParameterError("grid must be the one on which the values were counted")
    if column is not None:
        raise ParameterError("column must be left out for values that are counted already")
    return values
