"""A histogram between two ends that are found privately: bars as wide as a doubling of the unit, few enough."""

from fractions import Fraction

from dampen._validate import render, whole
from dampen.errors import ParameterError
from dampen.questions.private_bounds.ends import Bounds

BARS, MOST_BARS = 64, 2**12
"""How many bars there are at most where nobody says, and where somebody does."""


def as_bars(bars: int | None) -> int:
    """How many bars there are at most."""
    if bars is None:
        return BARS
    if (most := whole(bars=bars, least=4)) > MOST_BARS:
        raise ParameterError(f"bars must be at most {MOST_BARS}; got {render(bars)}")
    return most


def bars_between(ends: Bounds, unit: Fraction, bars: int) -> tuple[Bounds, Fraction]:
    """The first and the last bar that touch what lies between two ends, and the width of all.

    >>> bars_between((Fraction(-1), Fraction(1024)), Fraction(1), 64)
    ((Fraction(-32, 1), Fraction(1024, 1)), Fraction(32, 1))
    """
    low, high = ends
    step = unit
    while -(low // step) + high // step + 1 > bars:
        step *= 2
    return (low // step * step, high // step * step), step
