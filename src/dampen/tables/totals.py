"""The exact sum of one column, every value moved into public bounds first. Not private.

Whole numbers and floats are added as they are, without rounding, so that the sum does not depend on the order of rows.
"""

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from dampen._validate import Number, pair, render
from dampen.errors import ParameterError
from dampen.tables.columns import as_missing, refuse_missing
from dampen.tables.engines import opened
from dampen.tables.engines.base import inside, no_numbers
from dampen.vectors import LARGEST_WHOLE


@dataclass(frozen=True, repr=False)
class Total:
    """Private: how many values there are, and their sum. Printing shows neither."""

    count: int
    sum: Fraction

    def __repr__(self) -> str:
        return "Total()"


def as_bounds(bounds: Any) -> tuple[Fraction, Fraction]:
    """Two public numbers lo < hi."""
    low, high = pair(bounds=bounds)
    if low >= high:
        raise ParameterError(f"bounds must be increasing: (lo, hi) with lo < hi; got {render(bounds)}")
    if max(-low, high) > LARGEST_WHOLE:
        raise ParameterError(f"bounds must be below 2**62 in size; got {render(bounds)}")
    return low, high


def total(values: Any, bounds: tuple[Number, Number], *, column: str | None = None, missing: str = "refuse") -> Total:
    """The number of values and their exact sum, each moved to the nearer bound if it is outside.

    ``values``, ``column`` and ``missing`` are those of :func:`~dampen.tables.order.count_on_grid`.

    >>> found = total([2, 3.5, 1000], (0, 10))
    >>> found.count, found.sum
    (3, Fraction(31, 2))
    """
    ends, mode = as_bounds(bounds), as_missing(missing)
    with opened(values, column) as engine:
        found = engine.sums(column, ends)
        if found.other:
            raise no_numbers(column, engine)
        refuse_missing(found.missing, mode, column, inside(engine))
    return Total(found.count, found.sum)
