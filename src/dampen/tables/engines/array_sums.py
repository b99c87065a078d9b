"""Exact sums of arrays, every value moved into bounds first."""

from fractions import Fraction
from math import ceil, floor

import numpy as np

from dampen.tables.engines.digits import inner_ends
from dampen.vectors import Floats, Integers

HALF = 27
"""Mantissas of 53 bits are added in two halves."""

AT_ONCE = 2**30
"""So many numbers of 32 bits have a sum that fits in 64."""


def sum_of_wholes(values: Integers, ends: tuple[Fraction, Fraction]) -> Fraction:
    """Values below the first whole number inside count as lo, those above the last as hi."""
    below, above = values < ceil(ends[0]), values > floor(ends[1])
    inner = values[~(below | above)]
    return _halves(inner, 32) + ends[0] * int(np.count_nonzero(below)) + ends[1] * int(np.count_nonzero(above))


def sum_of_reals(values: Floats, ends: tuple[Fraction, Fraction]) -> Fraction:
    """The same for floats: mantissas are added as whole numbers, exponent by exponent."""
    lowest, highest = inner_ends(ends)
    below, above = values < lowest, values > highest
    shares, powers = np.frexp(values[~(below | above)])
    mantissas, inner = np.ldexp(shares, 53).astype(np.int64), Fraction(0)
    for power in np.unique(powers).tolist():
        inner += _halves(mantissas[powers == power], HALF) * Fraction(2) ** (power - 53)
    return inner + ends[0] * int(np.count_nonzero(below)) + ends[1] * int(np.count_nonzero(above))


def _halves(values: Integers, bits: int) -> int:
    """The exact sum of whole numbers, cut at so many bits: NumPy adds in 64 bits and would wrap around in silence."""
    parts = (values[start : start + AT_ONCE] for start in range(0, len(values), AT_ONCE))
    return sum((int((part >> bits).sum()) << bits) + int((part & ((1 << bits) - 1)).sum()) for part in parts)
