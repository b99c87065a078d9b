"""How many rows, what sum, what mean? Numbers whose noise need not follow the data. Proofs: docs/proofs/ladders.md.

One record can move a count by 1 and a sum by as much in every table (half as much at least, for replaced records), so
these problems have no ladder: the bound is all there is to know.
"""

from collections.abc import Mapping
from fractions import Fraction
from math import floor
from typing import Any

from dampen._validate import Number, positive, render
from dampen.errors import DataError, ParameterError
from dampen.privacy import Adjacency, record_adjacency
from dampen.problem import NumericFrame, NumericProblem
from dampen.tables.columns import as_missing, title_of
from dampen.tables.counts import as_bounds, count_on_grid, is_filtered, require_public_number, total
from dampen.tables.engines import Source, asked_column, open_engine
from dampen.tables.grid import as_grid

FINENESS = 1024
"""Into how many steps of the grid the bound of a mean is cut where no resolution is given."""
FEWEST_VALUES = 1000
"""Where nobody says to what unit values are read, their range is at least so many units wide."""


def row_count_problem(
    data: Any, *, where: Mapping[str, Any] | None = None, column: str | None = None, adjacency: Adjacency
) -> NumericProblem:
    """How many rows are there, or how many with given values in given columns?

    Parameters
    ----------
    data
        A data frame or a mapping of columns, a path or pattern of CSV or Parquet files, a DuckDB relation, an ibis
        table, a Spark data frame, or a list or array of values.
    where
        ``{column: value}``, public: only rows with these values in these columns count. In files, values are compared
        as those of :func:`~dampen.tables.counts.count_categories` are. Missing values equal nothing.
    column
        Without ``where``: count the rows of this column; not needed. Missing values count.

    >>> import dampen
    >>> from dampen.queries import row_count_problem
    >>> table = {"drink": ["tea", "tea", "milk"]}
    >>> problem = row_count_problem(table, where={"drink": "tea"}, adjacency=dampen.Adjacency.ADD_REMOVE)
    >>> int(problem.value)
    2
    """
    frame = NumericFrame(1, record_adjacency(adjacency))
    if where is not None and column is not None:
        raise ParameterError("column must be left out where a filter names one")
    with open_engine(Source(data, where), column) as engine:
        return NumericProblem(frame, engine.row_count(column))


def sum_problem(
    values: Any,
    *,
    bounds: tuple[Number, Number],
    adjacency: Adjacency,
    resolution: Number = 1,
    column: str | None = None,
    missing: str = "refuse",
) -> NumericProblem:
    """What is the sum of the values?

    ``bounds`` = (lo, hi) are public: a value outside counts as the nearer bound. One record more or less moves the sum
    by at most max(abs(lo), abs(hi)), a replaced one by hi - lo; with missing values dropped, or rows filtered, it may
    also vanish or appear. The sum is exact, then rounded to the resolution.

    >>> import dampen
    >>> from dampen.queries import sum_problem
    >>> problem = sum_problem([2, 3.5, 1000], bounds=(0, 10), adjacency=dampen.Adjacency.ADD_REMOVE)
    >>> int(problem.value), problem.frame.reach
    (16, 10)
    """
    low, high = as_bounds(bounds)
    one_more = max(abs(low), abs(high))
    if record_adjacency(adjacency) is Adjacency.REPLACE:
        partial = as_missing(asked_column(values, column, missing)[1]) == "drop" or is_filtered(values)
        bound = max(high - low, one_more) if partial else high - low
    else:
        bound = one_more
    frame = NumericFrame(bound, adjacency, resolution)
    return _round_to_grid(frame, total(values, (low, high), column=column, missing=missing).sum)


def mean_problem(
    values: Any,
    *,
    bounds: tuple[Number, Number],
    resolution: Number | None = None,
    column: str | None = None,
    missing: str = "refuse",
) -> NumericProblem:
    """What is the mean of the values, whose number is public? For ``REPLACE`` alone.

    A replaced record moves the mean of n clipped values by at most (hi - lo) / n; the resolution is a 1024th of that
    where it is left out. With missing values dropped their number is not public, so they are refused.

    >>> from dampen.queries import mean_problem
    >>> problem = mean_problem([1, 2, 3, 100], bounds=(0, 10), resolution="0.01")
    >>> float(problem.value), float(problem.frame.bound)
    (4.0, 2.5)
    """
    low, high = as_bounds(bounds)
    if as_missing(asked_column(values, column, missing)[1]) == "drop":
        raise ParameterError("missing must be 'refuse' for a mean under REPLACE: the number of values is public")
    require_public_number(values, Adjacency.REPLACE)
    if resolution is not None:
        positive(resolution=resolution)
    found = total(values, (low, high), column=column)
    if not found.count:
        raise DataError(f"{title_of(column)} must not be empty: a mean needs a value")
    bound = (high - low) / found.count
    step = bound / FINENESS if resolution is None else resolution
    frame = NumericFrame(bound, Adjacency.REPLACE, step, range=(low, high))
    return _round_to_grid(frame, found.sum / found.count)


def mean_part_problems(
    values: Any,
    *,
    bounds: tuple[Number, Number],
    resolution: Number | None = None,
    column: str | None = None,
    missing: str = "refuse",
) -> tuple[NumericProblem, NumericProblem]:
    """The centred sum and the number of the values: what a mean is made of under ``ADD_REMOVE``.

    With c = (lo + hi) / 2 the sum of v - c over the clipped values moves by at most (hi - lo) / 2 for one record, the
    number by 1. c plus the quotient of the two answers is the mean. The resolution is that of the centred sum, and a
    1024th of its bound where it is left out.

    >>> from dampen.queries import mean_part_problems
    >>> centred, number = mean_part_problems([1, 2, 3, 100], bounds=(0, 10), resolution="0.01")
    >>> float(centred.value), float(centred.frame.bound), int(number.value)
    (-4.0, 5.0, 4)
    """
    low, high = as_bounds(bounds)
    bound = (high - low) / 2
    frame = NumericFrame(bound, Adjacency.ADD_REMOVE, bound / FINENESS if resolution is None else resolution)
    found = total(values, (low, high), column=column, missing=missing)
    centred = _round_to_grid(frame, found.sum - found.count * (low + high) / 2)
    return centred, NumericProblem(NumericFrame(1, Adjacency.ADD_REMOVE), found.count)


def variance_part_problems(
    values: Any, *, bounds: tuple[Number, Number], unit: Number | None = None, adjacency: Adjacency
) -> tuple[tuple[NumericProblem, ...], int | None]:
    """The centred sum, the sum of squares and the number of the values: what a variance is made of.

    With c = (lo + hi) / 2, w = hi - lo and d = v - c for every clipped value v, rounded to a multiple of the unit from
    lo on: the sum of d moves by at most w / 2 for one record, the sum of d^2 - w^2 / 8 by w^2 / 8, the number by 1.
    Under ``REPLACE`` the first two move by twice as much, and the number is public: it comes beside them.
    Without a unit it is 1, or the largest power of ten that is at most a thousandth of w.
    Proof: docs/proofs/variance.md.

    >>> import dampen
    >>> from dampen.queries.sums import variance_part_problems
    >>> parts, _ = variance_part_problems([1, 2, 3, 100], bounds=(0, 10), adjacency=dampen.Adjacency.ADD_REMOVE)
    >>> [round(part.value) for part in parts], [float(part.frame.bound) for part in parts]
    ([-4, 4, 4], [5.0, 12.5, 1.0])
    """
    low, high = as_bounds(bounds)
    step = fine_unit(high - low) if unit is None else positive(unit=unit)
    replaced = record_adjacency(adjacency) is Adjacency.REPLACE
    require_public_number(values, adjacency)
    if step > high - low:
        raise ParameterError(f"unit must not exceed the distance of the bounds; got {render(unit)}")
    width = high - low
    counted = count_on_grid(values, as_grid(bounds=(low - step / 2, high - step / 2), step=step))
    places, counts = (array.astype(object) for array in (counted.places, counted.counts))
    first, second = int((places * counts).sum()), int((places * places * counts).sum())
    offset = low - (low + high) / 2
    centred = step * first + counted.n * offset
    squares = step * step * second + 2 * step * offset * first + counted.n * (offset * offset - width * width / 8)
    moved = (width / 2 * (1 + replaced), width * width / 8 * (1 + replaced))
    sums = tuple(
        _round_to_grid(NumericFrame(bound, adjacency, bound / FINENESS), value)
        for bound, value in zip(moved, (centred, squares), strict=True)
    )
    if replaced:
        return sums, counted.n
    return (*sums, NumericProblem(NumericFrame(1, adjacency), counted.n)), None


def fine_unit(width: Fraction) -> Fraction:
    """1, or a power of ten that cuts a narrow range into many values: rounded to 1, shares would all be 0 or 1."""
    unit = Fraction(1)
    while unit * FEWEST_VALUES > width:
        unit /= 10
    return unit


def _round_to_grid(frame: NumericFrame, value: Fraction) -> NumericProblem:
    """The value on the grid already: an exact sum may have more digits than a problem holds."""
    return NumericProblem(frame, floor(value / frame.resolution + Fraction(1, 2)) * frame.resolution)
