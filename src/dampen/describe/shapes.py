"""How the values of a column lie, as far as everybody may know: evenly, or between percentiles known from elsewhere."""

from collections.abc import Mapping
from fractions import Fraction
from itertools import pairwise
from typing import Any

from dampen._validate import Number, exact, render, share_of
from dampen.errors import ParameterError

Knots = tuple[tuple[Fraction, Fraction], ...]
"""Shares of people, and the values that they do not exceed, both increasing."""
UNIFORM = "uniform"
Shape = str | Mapping[Number, Number]
"""``"uniform"``, or percentages and the values that so many do not exceed."""


def as_knots(percentiles: Any) -> Knots:
    """Percentiles as shares and values.

    >>> as_knots({50: 2600, 10: 1400})
    ((Fraction(1, 10), Fraction(1400, 1)), (Fraction(1, 2), Fraction(2600, 1)))
    """
    pairs = percentiles.items() if isinstance(percentiles, Mapping) else ()
    knots = tuple(sorted((share_of(p), exact(percentiles=value)) for p, value in pairs))
    rising = all(low[1] <= high[1] for low, high in pairwise(knots))
    if not knots or not rising or len({share for share, _ in knots}) < len(knots):
        rule = "percentiles must be percentages and values that increase together, such as {10: 1400, 90: 5200}"
        raise ParameterError(f"{rule}; got {render(percentiles)}")
    return knots


def as_shape(shape: Any) -> Knots | None:
    """The knots of a shape; none of them where values lie evenly, and ``None`` where nothing is said."""
    if shape is None:
        return None
    if isinstance(shape, str) and shape == UNIFORM:
        return ()
    if not isinstance(shape, Mapping):
        rule = "shape must be 'uniform', or percentages and the values that so many do not exceed"
        raise ParameterError(f"{rule}, such as {{10: 1400, 90: 5200}}; got {render(shape)}")
    return as_knots(shape)
