"""Compiled loops that add up the values of groups. Numba is imported with this module, so where rows are many alone.

What is added up for each group, in ``LANES`` whole numbers: how many values are below, above and inside of the bounds,
how many of those have more than two digits, the halves of the two, and how many values are missing.
"""

import numpy as np
from numba import njit
from numpy.typing import NDArray

from dampen.tables.engines.array_codes import Codes
from dampen.tables.engines.digits import WIDE
from dampen.vectors import Floats, Integers

Truths = NDArray[np.bool_]

LANES = 9
HALF, MASK = 32, 2**32 - 1


@njit(cache=True, nogil=True)
def add_clamped(values: Integers, codes: Codes, first: int, last: int, lanes: Integers) -> None:
    """Bounds of up to 32 bits that are whole numbers: a sum fits, and no row has to be told from another."""
    for row in range(len(values)):
        group = codes[row]
        lanes[group, 2] += 1
        lanes[group, 5] += min(max(values[row], first), last)


@njit(cache=True, nogil=True)
def add_wholes(values: Integers, codes: Codes, first: int, last: int, lanes: Integers) -> None:
    """Halves of 32 bits are added: sums of 2**31 of them fit in 64."""
    for row in range(len(values)):
        value, group = values[row], codes[row]
        if value < first:
            lanes[group, 0] += 1
        elif value > last:
            lanes[group, 1] += 1
        else:
            lanes[group, 2] += 1
            lanes[group, 4] += value >> HALF
            lanes[group, 5] += value & MASK


@njit(cache=True, nogil=True)
def add_reals(
    values: Floats, absent: Truths | None, codes: Codes, low: float, high: float, unit: float, lanes: Integers
) -> None:
    """The two wide digits of a float (:mod:`digits`), each in halves; whoever has more is noted. NaN is missing.

    ``absent``: which others are missing, if any. Digits are cut towards 0: rounded down, what is
    left of a tiny negative number would have to be rounded too.
    """
    # without branches: where a third of the values is missing a processor would guess wrong, and wait, every third time
    for row in range(len(values)):
        value, group = values[row], codes[row]
        if absent is not None:  # the compiler knows which
            value = np.nan if absent[row] else value
        below, above, missing = value < low, value > high, value != value
        inside = not (below or above or missing)
        scaled = (value if inside else 0.0) * unit
        digit = np.trunc(scaled)
        left = (scaled - digit) * 2.0**WIDE
        finer = np.trunc(left)
        whole, part = np.int64(digit), np.int64(finer)
        lanes[group, 0] += below
        lanes[group, 1] += above
        lanes[group, 2] += inside
        # beside vast bounds a tiny value is scaled to 0, and two digits do not hold it
        lanes[group, 3] += (left != finer) | (inside & (scaled == 0.0) & (value != 0.0))
        lanes[group, 4] += whole >> HALF
        lanes[group, 5] += whole & MASK
        lanes[group, 6] += part >> HALF
        lanes[group, 7] += part & MASK
        lanes[group, 8] += missing
