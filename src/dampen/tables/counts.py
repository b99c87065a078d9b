"""One column counted: how many values each category has, how many stand on each grid point, and their exact sum;
and which rows count at all. None of this is private.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dampen._validate import Number, one_of, only_own_errors
from dampen.describe.labels import as_bounds as as_bounds
from dampen.describe.labels import as_categories as as_categories
from dampen.errors import DataError, ParameterError
from dampen.privacy import Adjacency
from dampen.tables.columns import as_missing, column_of_values, place_counts, refuse_missing, title_of
from dampen.tables.day_grid import DayGrid
from dampen.tables.engines import Source, asked_column, open_engine
from dampen.tables.engines.base import day_error, location_note, number_error
from dampen.tables.engines.sources import require_stillness
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
        within = not len(self.places) or (self.places[0] >= 0 and self.places[-1] < len(self.grid))
        if not within or (np.diff(self.places) <= 0).any():
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

    Values are rounded down to the grid; a value below all points counts at the first. Every number is compared as it
    is: whole numbers beyond 2**53 are not rounded, infinities count at the ends. So a list, a data frame and a file of
    the same numbers give the same counts.

    Parameters
    ----------
    values
        A list or array of numbers, a Series; with ``column`` a data frame, a mapping, a path or pattern of CSV or
        Parquet files, a DuckDB relation, an ibis table or a Spark data frame; or counts made before on the same grid.
        What does not lie in memory is counted where it lies. Each value is read by itself: texts that read as numbers
        count as those; decimals that are not whole, and texts of whole numbers beyond 64 bits, are the nearest float.
    grid
        A :class:`~dampen.tables.grid.Grid`, or what :func:`~dampen.tables.grid.as_grid` makes one of; on one of days
        (:func:`~dampen.tables.day_grid.day_grid`) values are days or moments.
    missing
        ``"refuse"`` or ``"drop"``: what to do with null, ``None``, NaN and empty fields.

    >>> counted = count_on_grid([23, 31.9, 45, 45, 200], range(0, 121))
    >>> counted.places.tolist(), counted.counts.tolist(), counted.n
    ([23, 31, 45, 120], [1, 1, 2, 1], 5)
    """
    if isinstance(values, Source):
        column, missing = asked_column(values, column, missing)
    public, mode = as_grid(grid), as_missing(missing)
    if isinstance(values, GridCounts):
        return _reuse_counts(values, public, column)
    if column is None and isinstance(values, list | tuple | np.ndarray):  # in memory: there is no engine to choose
        with only_own_errors():
            places, counts = place_counts(column_of_values(values, None), public)
        refuse_faults(values, OTHER in places, MISSING in places, public, mode, None, "")
        return GridCounts(public, places[places >= 0], counts[places >= 0])
    with open_engine(values, column) as engine:
        places, counts = engine.histogram(column, public)
        refuse_faults(values, OTHER in places, MISSING in places, public, mode, column, location_note(engine))
    return GridCounts(public, places[places >= 0], counts[places >= 0])


def refuse_faults(
    data: Any, strange: bool, gone: bool, grid: Grid | None, missing: str, column: str | None, where: str
) -> None:
    """Refuse values that are no number, or no day where the grid is one of days, and missing ones that are not dropped.

    ``where``: the note of where the data lies.
    """
    if strange:
        require_stillness(data, column, OTHER, where)
        raise day_error(column, where) if isinstance(grid, DayGrid) else number_error(column, where)
    if gone and missing == "refuse":
        require_stillness(data, column, MISSING, where)
    refuse_missing(int(gone), missing, column, where)


def _reuse_counts(values: GridCounts, grid: Grid, column: str | None) -> GridCounts:
    if values.grid != grid:
        raise ParameterError("grid must be the one on which the values were counted")
    if column is not None:
        raise ParameterError("column must be left out for values that are counted already")
    return values


def count_categories(
    values: Any,
    categories: Sequence[Any] | NDArray[Any],
    *,
    column: str | None = None,
    missing: str = "refuse",
    other: str = "refuse",
) -> Integers:
    """How many values each category has, in the order of the categories. Not private.

    The rule is the same wherever the values lie, and looks at one value at a time: a value counts where it is the
    category, or prints as it does, or else where both read as the same number, truth value or day. So ``1``, ``1.0``
    and ``"01"`` count for the category 1, and ``"true"`` for ``True``. All fields of a CSV file are texts.

    Parameters
    ----------
    values
        A list or array, a Series; with ``column`` a data frame, a mapping, a path or pattern of CSV or Parquet files,
        a DuckDB relation, an ibis table or a Spark data frame.
    categories
        All labels that could have occurred: distinct and hashable. They are public.
    missing
        ``"refuse"`` or ``"drop"``: what to do with null, ``None``, NaN and empty fields.
    other
        ``"refuse"`` or ``"drop"``: what to do with values that are none of the categories.

    >>> count_categories(["tea", "coffee", "tea"], ["coffee", "tea", "water"]).tolist()
    [1, 2, 0]
    """
    column, missing = asked_column(values, column, missing)
    labels, mode = as_categories(categories), as_missing(missing)
    one_of(("refuse", "drop"), other=other)
    counted, where = tally_labels(values, labels, column)
    gone = counted.pop(MISSING, 0)
    if gone and mode == "refuse":
        require_stillness(values, column, MISSING, where)
    refuse_missing(gone, mode, column, where)
    if counted.pop(OTHER, 0) and other == "refuse":
        require_stillness(values, column, OTHER, where)
        rule = "must hold only the declared categories; other='drop' leaves the rest out"
        raise DataError(f"{title_of(column)} {rule}{where}")
    return np.array([counted.get(place, 0) for place in range(len(labels))], dtype=np.int64)


def tally_labels(values: Any, labels: tuple[Any, ...], column: str | None) -> tuple[dict[int, int], str]:
    """How many values each category has, by its place, beside them those MISSING and OTHER; and where the data lies."""
    with open_engine(values, column) as engine:
        return dict(engine.label_counts(column, labels)), location_note(engine)


@dataclass(frozen=True, repr=False)
class Total:
    """Private: how many values there are, and their sum. Printing shows neither."""

    count: int
    sum: Fraction

    def __repr__(self) -> str:
        return "Total()"


def total(values: Any, bounds: tuple[Number, Number], *, column: str | None = None, missing: str = "refuse") -> Total:
    """The number of values and their exact sum, each moved to the nearer bound if it is outside.

    ``values``, ``column`` and ``missing`` are those of :func:`~dampen.tables.counts.count_on_grid`; or a total that was
    made before, with the same bounds.

    >>> found = total([2, 3.5, 1000], (0, 10))
    >>> found.count, found.sum
    (3, Fraction(31, 2))
    """
    column, missing = asked_column(values, column, missing)
    ends, mode = as_bounds(bounds), as_missing(missing)
    if isinstance(values, Total):
        return values
    with open_engine(values, column) as engine:
        found = engine.sums(column, ends)
        refuse_faults(values, found.other > 0, found.missing > 0, None, mode, column, location_note(engine))
    return Total(found.count, found.sum)


def is_filtered(data: Any) -> bool:
    """Whether only some rows of the data count."""
    return isinstance(data, Source) and bool(data.where)


def require_public_number(values: Any, adjacency: Adjacency, missing: str = "refuse") -> None:
    """Under ``REPLACE`` the number of values is public: a replaced record must not leave a filter, nor be dropped."""
    if adjacency is not Adjacency.REPLACE:
        return
    if is_filtered(values):
        raise ParameterError("where must be left out under REPLACE: a replaced record may leave the rows that it names")
    if as_missing(asked_column(values, None, missing)[1]) == "drop":
        raise ParameterError("missing must be 'refuse' under REPLACE: the number of values is public")
