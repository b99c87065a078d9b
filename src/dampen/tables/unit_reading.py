"""Numbers read as whole units: the nearest multiple of a public unit, where no bounds are known.

This is the rule in Python, and the judge of the engines, which say the same in their own languages: a number is moved
between -2**62 and 2**62, infinities with it; then, unless the unit is 1 and the number whole, it is made a float,
multiplied by the denominator of the unit, divided by its numerator, moved between -2**62 and 2**62 again and rounded
to the nearest whole number. These are IEEE operations, the same everywhere. What is rounded on the way moves a number
by a unit at most, and it is a function of that number alone.
"""

from dataclasses import dataclass
from fractions import Fraction
from math import floor

import numpy as np

from dampen._validate import Number, positive, render
from dampen.errors import ParameterError
from dampen.vectors import Integers, Vector

FARTHEST = 2**62
"""No number, and no number of units, is larger in size."""
SMOOTH = 2**52
"""Floats from here on are whole."""
LARGEST_TERM = 2**53 - 1


@dataclass(frozen=True, init=False)
class Units:
    """Numbers read to a ``unit``, then told as so many units from ``centre`` on: at most 2**63 - 1 in size.

    >>> Units("0.01").read(12.345), Units(1).read(-7), Units(1, centre=10).read(float("inf")) == 2**62 - 10
    (1235, -7, True)
    """

    unit: Fraction
    centre: int

    def __init__(self, unit: Number, centre: int = 0) -> None:
        exact = positive(unit=unit)
        if max(exact.numerator, exact.denominator) > LARGEST_TERM:
            raise ParameterError(f"unit must have fewer digits: numbers are read to it; got {render(unit)}")
        assert abs(centre) < FARTHEST
        object.__setattr__(self, "unit", exact)
        object.__setattr__(self, "centre", centre)

    @property
    def terms(self) -> tuple[float, float]:
        """What a float is multiplied with, and what it is divided by."""
        return float(self.unit.denominator), float(self.unit.numerator)

    def read(self, number: int | float) -> int:
        """How many units above the centre a number is."""
        inner = min(max(number, -FARTHEST), FARTHEST)
        if self.unit == 1 and isinstance(inner, int):
            return inner - self.centre
        up, down = self.terms
        near = min(max(float(inner) * up / down, -float(FARTHEST)), float(FARTHEST))
        return (floor(near + 0.5) if abs(near) < SMOOTH else int(near)) - self.centre

    def read_all(self, numbers: Vector) -> Integers:
        """The same of an array of one type, without NaN."""
        inner = np.clip(numbers, -FARTHEST, FARTHEST)
        if self.unit == 1 and inner.dtype.kind == "i":
            return np.asarray(inner - self.centre, dtype=np.int64)
        up, down = self.terms
        near = np.clip(inner.astype(np.float64) * up / down, -float(FARTHEST), float(FARTHEST))
        rounded = np.where(np.abs(near) < SMOOTH, np.floor(near + 0.5), near)
        return np.asarray(rounded.astype(np.int64) - self.centre, dtype=np.int64)
