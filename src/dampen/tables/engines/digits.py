"""Exact sums on engines that add only 64-bit numbers: values are cut into digits, and digits are added.

A float of size below 2**62 is its sign times the sum of digits d_k 2**s_k with 0 <= d_k < 2**26 and s_k = 36, 10, -16,
... Multiplying by a power of 2, rounding down and subtracting what was cut off are exact, so all digits are. Seven of
them reach down to 2**-120, which holds every float above 2**-68 whole; what is left below is counted, and only if there
is any the other digits, down to 2**-1074, are added in a second scan. Whole numbers are cut in three.

Where sums have more than 64 bits two *wide* digits do instead: of a value that the bounds keep below 2**E in size,
those that count 2**(E - 60) and 2**(E - 120). Where a value has more of them, all digits are added in a second scan.
"""

from collections.abc import Mapping
from fractions import Fraction
from math import ceil

from dampen.tables.engines.base import Sums
from dampen.tables.engines.ranges import float_at_least, float_at_most
from dampen.vectors import LARGEST_WHOLE

DIGIT, TOP = 26, 36
"""Bits of a digit, and the power of 2 of the first one."""
COARSE, FINE = range(7), range(7, 44)
"""The digits of the first scan, and those of the second."""
RAISED = 600
"""In the second scan what is left is below 2**-120; times 2**RAISED it and its digits are normal floats."""
PART = 22
"""Bits of a part of a whole number."""
WIDE = 60
"""Bits of a wide digit."""


def power(digit: int) -> int:
    """The power of 2 that a digit counts."""
    return TOP - DIGIT * digit


def inner_ends(ends: tuple[Fraction, Fraction]) -> tuple[float, float]:
    """The smallest and the largest float between the ends."""
    return float_at_least(ends[0]), float_at_most(ends[1])


def wide_power(ends: tuple[Fraction, Fraction]) -> int:
    """The power of 2 that makes whole numbers below 2**WIDE of the first wide digits of values between the ends."""
    return WIDE - (ceil(max(abs(end) for end in ends)) - 1).bit_length()


def add_up(coarse: Mapping[str, int], fine: Mapping[str, int], ends: tuple[Fraction, Fraction]) -> Sums:
    """The sum out of what the scans returned: counts below, above and inside, and a sum for each digit and part."""
    inner = sum((coarse[f"w{part}"] << (PART * part) for part in range(3)), 0)
    whole = Fraction(inner)
    for digit, found in [*((d, coarse[f"d{d}"]) for d in COARSE), *((d, fine[f"d{d}"]) for d in FINE if fine)]:
        whole += found * Fraction(2) ** power(digit)
    total = whole + ends[0] * coarse["below"] + ends[1] * coarse["above"]
    count = coarse["below"] + coarse["above"] + coarse["inside"]
    return Sums(count, total, coarse["missing"], coarse["other"])


assert LARGEST_WHOLE < 1 << (3 * PART)
