"""How many values stand at each point of a public grid: all that a question about order needs to know."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

import numpy as np

from dampen.errors import DataError, ParameterError
from dampen.statistics.columns import as_missing, as_numbers, refuse_missing, titled
from dampen.statistics.files import opened_column
from dampen.statistics.grid import EvenGrid, Grid, as_grid
from dampen.vectors import Integers, Vector

FARTHEST = 2.0**62
"""Beyond every point of a whole grid."""

SPARSE = 4
"""A grid with more than so many points for each value is not walked through."""

CHUNK = 2**15
"""How many values are located at a time, so that the steps in between stay in the cache."""


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
        A list or array of numbers, a Series, a data frame or a mapping with ``column``, the path of a CSV or Parquet
        file with ``column``, or counts made before on the same grid. A file is counted inside DuckDB. Decimals, and
        whole numbers of more than 38 digits in a CSV file, are taken as the nearest float.
    grid
        A :class:`~dampen.statistics.grid.Grid`, or what :func:`~dampen.statistics.grid.as_grid` makes one of.
    missing
        ``"refuse"`` or ``"drop"``: what to do with null, ``None``, NaN and empty fields.

    >>> counted = count_on_grid([23, 31.9, 45, 45, 200], range(0, 121))
    >>> counted.places.tolist(), counted.counts.tolist(), counted.n
    ([23, 31, 45, 120], [1, 1, 2, 1], 5)
    """
    public, mode = as_grid(grid), as_missing(missing)
    if isinstance(values, GridCounts):
        return _counted_before(values, public, column)
    if isinstance(values, str | Path):
        return _count_file(values, public, column, mode)
    numbers = as_numbers(values, column)
    refuse_missing(numbers.missing, mode, column)
    parts: tuple[Vector, Vector] = numbers.wholes, numbers.reals
    groups = [_count(part, public) for part in parts if len(part)]
    return GridCounts(public, *_merged(groups))


def _counted_before(values: GridCounts, grid: Grid, column: str | None) -> GridCounts:
    if values.grid != grid:
        raise ParameterError("grid must be the one on which the values were counted")
    if column is not None:
        raise ParameterError("column must be left out for values that are counted already")
    return values


def _count_file(path: str | Path, grid: Grid, column: str | None, missing: str) -> GridCounts:
    from dampen.statistics.grid_sql import MISSING, NO_NUMBER, places_in_file

    with opened_column(path, column) as source:
        places, counts = places_in_file(source, grid, column)
    if NO_NUMBER in places:
        raise DataError(f"{titled(column)} must hold numbers")
    refuse_missing(int(counts[places == MISSING].sum()), missing, column)
    return GridCounts(grid, places[places >= 0], counts[places >= 0])


def _keys(grid: Grid, numbers: Vector) -> Vector:
    """Numbers of the type of the grid's points, with the same points not above them; the ends are not yet enforced."""
    if grid.whole and numbers.dtype.kind == "f":
        near = np.clip(numbers, -FARTHEST, FARTHEST)
        return np.floor(near, out=near).astype(np.int64)
    if not grid.whole and numbers.dtype.kind == "i":
        return _rounded_down(numbers)
    return numbers


def _rounded_down(wholes: Vector) -> Vector:
    """The largest floats not above 64-bit whole numbers."""
    near = np.minimum(wholes.astype(np.float64), np.nextafter(2.0**63, 0))
    return np.where(near.astype(np.int64) > wholes, np.nextafter(near, -np.inf), near)


def _count(numbers: Vector, grid: Grid) -> tuple[Integers, Integers]:
    """Occupied places and their counts: numbers are located on even grids, else the points among the sorted numbers."""
    if len(grid) > SPARSE * len(numbers):
        return np.unique(_located(numbers, grid), return_counts=True)
    if isinstance(grid, EvenGrid):
        counts = np.bincount(_located(numbers, grid), minlength=len(grid))
    else:
        ends = np.searchsorted(np.sort(_keys(grid, numbers)), grid.points()[1:], side="left")
        counts = np.diff(ends, prepend=0, append=len(numbers))
    places = np.flatnonzero(counts)
    return places, counts[places]


def _located(numbers: Vector, grid: Grid) -> Integers:
    places = np.empty(len(numbers), dtype=np.int64)
    for start in range(0, len(numbers), CHUNK):
        part = slice(start, start + CHUNK)
        keys = np.clip(_keys(grid, numbers[part]), grid[0], grid[-1])
        places[part] = grid.places(cast(Vector, keys))
    return places


def _merged(groups: list[tuple[Integers, Integers]]) -> tuple[Integers, Integers]:
    """The counts of several groups of values added up."""
    if len(groups) == 1:
        return groups[0]
    places = np.concatenate([np.empty(0, dtype=np.int64), *(places for places, _ in groups)])
    counts = np.concatenate([np.empty(0, dtype=np.int64), *(counts for _, counts in groups)])
    occupied, where = np.unique(places, return_inverse=True)
    sums = np.zeros(len(occupied), dtype=np.int64)
    np.add.at(sums, where, counts)
    return occupied, sums
