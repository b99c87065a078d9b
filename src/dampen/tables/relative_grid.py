"""Public grids for numbers of which no bounds are known: a few leading bits of every size, or all multiples of a unit.

With k leading bits the values are, in units, 0, +-1, ..., +-(2**k - 1) and +-(2**k + i) 2**e for 0 <= i < 2**k and
0 <= e < 62 - k: so 2**(k + 1) (63 - k) - 1 of them, and a number below 2**62 lies at most 2**-(k + 1) of its size from
the nearest.
"""

from fractions import Fraction
from functools import lru_cache
from itertools import pairwise
from typing import Any

from dampen._validate import Number, positive, render
from dampen.errors import ParameterError
from dampen.tables.grid import LARGEST_DENOMINATOR, LARGEST_NUMERATOR, LARGEST_RATIO, Grid, as_grid
from dampen.vectors import LARGEST_WHOLE, Integers, Vector

LEADING_BITS, MOST_BITS = 7, 12
"""How many leading bits an answer has where nobody says, and at most."""
BITS = 62
"""Numbers of units are below 2**BITS in size."""
ALL = "all"


class NearestGrid(Grid):
    """A grid whose values take the numbers nearest to them, where all others are rounded down.

    ``numbers``: what is counted on, a grid as long, whose points are the ends between two values.
    """

    def __init__(self, values: Grid, numbers: Grid) -> None:
        assert len(values) == len(numbers)
        self._values, self.numbers, self.whole = values, numbers, values.whole

    def __len__(self) -> int:
        return len(self._values)

    def _point(self, place: int) -> Any:
        return self._values[place]

    def points(self) -> Vector:
        """All values."""
        return self._values.points()

    def places(self, keys: Vector) -> Integers:
        """Where the value nearest to each key stands."""
        return self.numbers.places(keys)


def unbounded_grid(unit: Number, leading_bits: int | str | None = None, centre: int = 0) -> Grid:
    """All answers about numbers without bounds that are told in units: 7 leading bits, or so many, or ``"all"``.

    ``centre``: so many units, from which on leading bits count.

    >>> len(unbounded_grid(1)), unbounded_grid("0.01", 1)[121:128]
    (14335, (-0.02, -0.01, 0.0, 0.01, 0.02, 0.03, 0.04))
    """
    exact = positive(unit=unit)
    if isinstance(leading_bits, str) and leading_bits == ALL:
        return _all_multiples(exact)
    bits = LEADING_BITS if leading_bits is None else leading_bits
    if isinstance(bits, bool) or not isinstance(bits, int) or not 1 <= bits <= MOST_BITS:
        rule = f"leading_bits must be a whole number from 1 to {MOST_BITS}, or 'all'"
        raise ParameterError(f"{rule}; got {render(leading_bits)}")
    return _relative(exact, bits, centre)


def _all_multiples(unit: Fraction) -> Grid:
    """As many multiples of the unit as an even grid holds, rounded down to."""
    step, divisor = unit.numerator, unit.denominator
    largest = LARGEST_WHOLE if divisor == 1 else min(LARGEST_NUMERATOR, LARGEST_RATIO * step)
    _require(largest >= step and divisor <= LARGEST_DENOMINATOR, unit)
    return as_grid(bounds=(-(largest // step) * unit, largest // step * unit), step=unit)


@lru_cache(maxsize=16)
def _relative(unit: Fraction, bits: int, centre: int) -> Grid:
    """The values, without those that no 64-bit number tells from the one before."""
    _require(max(unit.numerator, unit.denominator) <= LARGEST_DENOMINATOR, unit)
    up, down = unit.numerator, unit.denominator
    values, cuts = list[Any](), list[float]()
    for before, size in pairwise([None, *_sizes(bits)]):
        assert size is not None
        number = (centre + size) * up
        value = number if down == 1 else number / down
        cut = -(2.0**1000) if before is None else (2 * centre + before + size) * up / (2 * down)
        if abs(number) > LARGEST_WHOLE * down or (values and (value <= values[-1] or cut <= cuts[-1])):
            continue
        values.append(value)
        cuts.append(cut)
    return NearestGrid(as_grid(values), as_grid(cuts))


def _sizes(bits: int) -> list[int]:
    """The values in units, increasing."""
    small = [*range(1, 1 << bits)]
    large = [((1 << bits) + i) << e for e in range(BITS - bits) for i in range(1 << bits)]
    return [*(-size for size in reversed(small + large)), 0, *small, *large]


def _require(fits: bool, unit: Fraction) -> None:
    if not fits:
        raise ParameterError(f"unit must have fewer digits: answers are multiples of it; got {render(unit)}")
