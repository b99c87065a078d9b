"""The exact sum of one column, every value moved into public bounds first. Not private.

Whole numbers and floats are added as they are, without rounding, so that the sum does not depend on the order of rows.
"""

from dataclasses import dataclass
from fractions import Fraction
from math import ceil, floor, inf, nextafter
from pathlib import Path
from typing import Any

import numpy as np

from dampen._validate import Number, exact, shown
from dampen.errors import DataError, ParameterError
from dampen.statistics.columns import as_missing, as_numbers, refuse_missing, titled
from dampen.statistics.files import opened_column
from dampen.vectors import LARGEST_WHOLE, Floats, Integers

HALF = 27
"""Mantissas of 53 bits are added in two halves, so that sums of products with counts fit in 64 bits."""


@dataclass(frozen=True, repr=False)
class Total:
    """Private: how many values there are, and their sum. Printing shows neither."""

    count: int
    sum: Fraction

    def __repr__(self) -> str:
        return "Total()"


def as_bounds(bounds: Any) -> tuple[Fraction, Fraction]:
    """Two public numbers lo < hi."""
    if not isinstance(bounds, list | tuple | np.ndarray) or len(bounds) != 2:
        raise ParameterError(f"bounds must be two numbers (lo, hi); got {shown(bounds)}")
    low, high = exact(bounds=bounds[0]), exact(bounds=bounds[1])
    if low >= high:
        raise ParameterError(f"bounds must be increasing: (lo, hi) with lo < hi; got {shown(bounds)}")
    if max(-low, high) > LARGEST_WHOLE:
        raise ParameterError(f"bounds must be below 2**62 in size; got {shown(bounds)}")
    return low, high


def total(values: Any, bounds: tuple[Number, Number], *, column: str | None = None, missing: str = "refuse") -> Total:
    """The number of values and their exact sum, each moved to the nearer bound if it is outside.

    ``values``, ``column`` and ``missing`` are those of :func:`~dampen.statistics.order.count_on_grid`.

    >>> found = total([2, 3.5, 1000], (0, 10))
    >>> found.count, found.sum
    (3, Fraction(31, 2))
    """
    ends, mode = as_bounds(bounds), as_missing(missing)
    if isinstance(values, str | Path):
        return _of_file(values, ends, column, mode)
    numbers = as_numbers(values, column)
    refuse_missing(numbers.missing, mode, column)
    count = len(numbers.wholes) + len(numbers.reals)
    return Total(count, _sum_of_wholes(numbers.wholes, ends) + _sum_of_reals(numbers.reals, ends))


def _of_file(path: str | Path, ends: tuple[Fraction, Fraction], column: str | None, missing: str) -> Total:
    """Distinct values and how often they occur come out of DuckDB; whole numbers moved into 64 bits inside it."""
    from dampen.statistics.grid_sql import MISSING, NO_NUMBER, numbers_sql

    with opened_column(path, column) as source:
        near = f"cast(least(greatest(whole, {-LARGEST_WHOLE - 1}), {LARGEST_WHOLE + 1}) as bigint)"
        fields = f"case when whole is not null then {near} end as near, case when whole is null then real end as real"
        query = f"select {fields}, status, count(*) as count from ({numbers_sql(source.type, column)}) group by all"
        rows = source.fetch(query)
    status, counts = np.ma.filled(rows["status"], 0), rows["count"]
    if (status == NO_NUMBER).any():
        raise DataError(f"{titled(column)} must hold numbers")
    refuse_missing(int(counts[status == MISSING].sum()), missing, column)
    held = status == 0
    wholes, reals = np.ma.masked_array(rows["near"])[held], np.ma.masked_array(rows["real"])[held]
    absent = np.ma.getmaskarray(wholes)
    counted = counts[held]
    whole_sum = _sum_of_wholes(wholes.data[~absent].astype(np.int64), ends, counted[~absent])
    real_sum = _sum_of_reals(reals.data[absent].astype(np.float64), ends, counted[absent])
    return Total(int(counted.sum()), whole_sum + real_sum)


def _sum_of_wholes(values: Integers, ends: tuple[Fraction, Fraction], counts: Integers | None = None) -> Fraction:
    """Values below the first whole number inside count as lo, those above the last as hi."""
    weights = np.ones(len(values), dtype=np.int64) if counts is None else counts
    below, above = values < ceil(ends[0]), values > floor(ends[1])
    inside = ~(below | above)
    high, low = values[inside] >> 32, values[inside] & 0xFFFFFFFF
    inner = (_dot(high, weights[inside]) << 32) + _dot(low, weights[inside])
    return inner + ends[0] * int(weights[below].sum()) + ends[1] * int(weights[above].sum())


def _sum_of_reals(values: Floats, ends: tuple[Fraction, Fraction], counts: Integers | None = None) -> Fraction:
    """The same for floats: mantissas are added as whole numbers, exponent by exponent."""
    weights = np.ones(len(values), dtype=np.int64) if counts is None else counts
    below, above = values < _float_above(ends[0]), values > _float_below(ends[1])
    inside = ~(below | above)
    shares, powers = np.frexp(values[inside])
    mantissas, inner = np.ldexp(shares, 53).astype(np.int64), Fraction(0)
    for power in np.unique(powers).tolist():
        chosen, times = mantissas[powers == power], weights[inside][powers == power]
        added = (_dot(chosen >> HALF, times) << HALF) + _dot(chosen & (2**HALF - 1), times)
        inner += added * Fraction(2) ** (power - 53)
    return inner + ends[0] * int(weights[below].sum()) + ends[1] * int(weights[above].sum())


def _dot(values: Integers, weights: Integers) -> int:
    """The sum of products of numbers of at most 32 bits with counts, exactly."""
    fits = int(weights.sum()) < 2**30
    return int(np.dot(values, weights) if fits else np.dot(values.astype(object), weights.astype(object)))


def _float_above(number: Fraction) -> float:
    near = float(number)
    return near if near >= number else nextafter(near, inf)


def _float_below(number: Fraction) -> float:
    near = float(number)
    return near if near <= number else nextafter(near, -inf)
