"""The seam between floats and integers: how far each candidate lies below the best, on a public lattice.

The exponent of group g is x_g = units_g * unit with a whole number ``units_g`` and one public fraction ``unit``. Below
the seam there are only these integers and fractions.

Whole scores lose nothing: units are score differences, and the unit is the rate. Other scores are rounded once: their
exponents go to the nearest multiple of the unit, with a total error (arithmetic and rounding) below one unit, and the
caller has paid for that in its rate. Exponents are capped at one public level, the last
multiple of the unit not beyond 1024; this keeps every range of changes. Mechanisms whose noise has a heavy tail ask for
exponents without that cap.
"""

from copy import copy
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from dampen.vectors import Floats, Sizes, Vector

DEEPEST = 1024
"""No exponent is further below the best than this."""
LARGEST_UNITS = 2**49
"""Real scores are read up to so many units below the best: products of that size are off by under 3/16 of a unit."""

LARGEST_GAP = 2**63 - 1
"""No two whole scores are further apart."""
LARGEST_UNCAPPED = 2.0**1000
"""Where units end that are not capped: far beyond anything that could be drawn."""


class Exponents:
    """Exponents x_g >= 0 of the groups of a problem, with 0 for the best; ``sizes`` counts each group's members."""

    def __init__(
        self,
        scores: Vector,
        unit: Fraction,
        *,
        units_per_score: Fraction | None,
        sizes: Sizes | None,
        capped: bool = True,
    ) -> None:
        self.unit = min(unit, Fraction(DEEPEST))
        self.sizes = sizes
        self._scores = scores
        self._best = scores.max()
        self._slope = None if units_per_score is None else float(units_per_score)
        largest = LARGEST_UNITS if units_per_score is not None else 2**62
        uncapped = LARGEST_UNCAPPED if scores.dtype.kind == "f" else LARGEST_GAP
        # The cap is a whole number of units, so that a capped exponent lies on the lattice as all others do.
        self._cap: float = min(DEEPEST // self.unit, largest) if capped else uncapped

    @classmethod
    def of_whole(cls, scores: Vector, rate: Fraction, sizes: Sizes | None = None) -> "Exponents":
        """Whole scores times a rate, exactly."""
        return cls(scores, rate, units_per_score=None, sizes=sizes)

    @classmethod
    def of_real(
        cls,
        scores: Vector,
        rate: Fraction,
        unit: Fraction,
        sizes: Sizes | None = None,
        *,
        capped: bool = True,
    ) -> "Exponents":
        """Scores times a rate, rounded to whole multiples of the unit; ``capped`` or not."""
        return cls(scores, unit, units_per_score=rate / unit, sizes=sizes, capped=capped)

    def cap_below(self, best: int) -> "Exponents":
        """The same exponents, capped at 1024 below the ``best``-th best instead of below the best."""
        kept = copy(self)
        place = int(np.argpartition(-self._scores, min(best, len(self)) - 1)[min(best, len(self)) - 1])
        kept._cap = largest = LARGEST_UNITS if self._slope is not None else 2**62
        kept._cap = min(self._cap + int(kept.units(slice(place, place + 1))[0]), largest)
        return kept

    def __len__(self) -> int:
        return len(self._scores)

    @property
    def best(self) -> int:
        """A group with exponent 0."""
        return int(np.argmax(self._scores))

    def units(self, part: slice = slice(None)) -> Vector:
        """How many units below the best, for some of the groups: whole numbers, held as integers or as floats."""
        with np.errstate(over="ignore"):
            # The gap first, then one product: a score far from 0 costs no precision, and the product is off by
            # less than 3/16 of a unit up to LARGEST_UNITS, which with the rounding stays below one unit.
            gaps: Vector = self._best - self._scores[part]
            if self._slope is not None:
                gaps = np.multiply(gaps, self._slope, dtype=np.float64)
                np.rint(gaps, out=gaps)
        np.minimum(gaps, self._cap, out=gaps)
        return gaps

    def approximate(self, part: slice = slice(None)) -> Floats:
        """The exponents as floats, each within a factor of 1 + 2^-51 of the exact one."""
        return np.multiply(self.units(part), float(self.unit), dtype=np.float64)

    def in_single_precision(self, part: slice = slice(None)) -> NDArray[np.float32]:
        """The exponents in single precision, each within a factor of 1 + 2^-22 of the exact one, or below 2^-60."""
        x = self.units(part).astype(np.float32)
        return np.multiply(x, np.float32(float(self.unit)), out=x)

    def exact(self, group: int) -> Fraction:
        """One exponent exactly."""
        return int(self.units(slice(group, group + 1))[0]) * self.unit
