"""Exact sums of arrays, every value moved into bounds first."""

from fractions import Fraction
from math import ceil, floor

import numpy as np

from dampen.tables.engines.array_codes import Codes
from dampen.tables.engines.digits import inner_ends
from dampen.vectors import Floats, Integers

HALF = 27
"""Mantissas of 53 bits are added in two halves."""

AT_ONCE = 2**30
"""So many numbers of 32 bits have a sum that fits in 64."""

IN_FLOATS = 2**22
"""So many halves have a sum below 2**53, which floats hold exactly."""

POWERS = 2**12
"""More than floats have powers of 2."""


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


def sums_by_code(values: Floats, codes: Codes, ends: tuple[Fraction, Fraction]) -> dict[int, Fraction]:
    """The same for each group of floats, those with all their digits too; NaN adds nothing."""
    known, codes = np.unique(codes, return_inverse=True)
    lowest, highest = inner_ends(ends)
    beside = [np.bincount(codes[here], minlength=len(known)).tolist() for here in (values < lowest, values > highest)]
    sums = [ends[0] * below + ends[1] * above for below, above in zip(*beside, strict=True)]
    here = (values >= lowest) & (values <= highest)
    values, codes = values[here], codes[here]
    for start in range(0, len(values), IN_FLOATS):
        rows = slice(start, start + IN_FLOATS)
        shares, powers = np.frexp(values[rows])
        mantissas = np.ldexp(shares, 53).astype(np.int64)
        keys, spots = np.unique(codes[rows] * POWERS + (powers + POWERS // 2), return_inverse=True)
        high, low = (np.bincount(spots, half).tolist() for half in (mantissas >> HALF, mantissas & ((1 << HALF) - 1)))
        for key, upper, lower in zip(keys.tolist(), high, low, strict=True):
            code, power = divmod(key, POWERS)
            sums[code] += ((int(upper) << HALF) + int(lower)) * Fraction(2) ** (power - POWERS // 2 - 53)
    return dict(zip(known.tolist(), sums, strict=True))


def _halves(values: Integers, bits: int) -> int:
    """The exact sum of whole numbers, cut at so many bits: NumPy adds in 64 bits and would wrap around in silence."""
    parts = (values[start : start + AT_ONCE] for start in range(0, len(values), AT_ONCE))
    return sum((int((part >> bits).sum()) << bits) + int((part & ((1 << bits) - 1)).sum()) for part in parts)
