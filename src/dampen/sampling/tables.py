"""Certified bounds of -ln over the 2^16 shortest uniform numbers, built once with ball arithmetic.

A uniform number whose first 16 bits are b lies in [b, b + 1) / 2^16, so its -ln lies between -ln((b + 1) / 2^16) and
-ln(b / 2^16). The bounds are kept in single precision, pushed apart by a factor of 1 +- 2^-18: whatever an exponent in
single precision (within a factor of 1 + 2^-22) decides against them is decided for the exact exponent too.
"""

from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.typing import NDArray

from dampen.certified import arithmetic

WIDTH = 16
"""How many bits of each uniform number the first look takes."""
MARGIN = 2.0**-18
"""By which factor (1 +- MARGIN) bounds are pushed apart."""


@dataclass(frozen=True)
class LogTable:
    """For each prefix b: ``lower[b]`` < -ln U < ``upper[b]`` for every uniform U that begins with b.

    ``lower`` of the last prefix is -1 instead of 0: nothing is decided there in single precision, where a tiny
    exponent might have become 0.
    """

    lower: NDArray[np.float32]
    upper: NDArray[np.float32]


@dataclass(frozen=True)
class LogLogTable:
    """For each prefix b: bounds of ln(-ln U), infinite where -ln U can be 0 or infinite."""

    lower: NDArray[np.float64]
    upper: NDArray[np.float64]


@cache
def log_table(width: int) -> LogTable:
    """The table of -ln for prefixes of ``width`` bits."""
    with arithmetic(80) as flint:
        total = flint.arb(1 << width).log()
        minus_log = np.array([float(total - flint.arb(b).log()) for b in range(1, (1 << width) + 1)])
    lower = np.nextafter((minus_log * (1 - MARGIN)).astype(np.float32), np.float32(-np.inf))
    upper = np.nextafter((minus_log * (1 + MARGIN)).astype(np.float32), np.float32(np.inf))
    lower[-1] = -1.0
    # The same logarithms bound prefix b from below (at b + 1) and prefix b + 1 from above, hence the shift.
    return LogTable(lower, np.concatenate([np.array([np.inf], np.float32), upper[:-1]]))


@cache
def log_log_table(width: int) -> LogLogTable:
    """The table of ln(-ln) for prefixes of ``width`` bits."""
    with arithmetic(80) as flint:
        total = flint.arb(1 << width).log()
        inner = range(1, 1 << width)
        log_log = np.array([float((total - flint.arb(b).log()).log()) for b in inner])
    slack = MARGIN * (1 + np.abs(log_log))
    infinity = np.array([np.inf])
    return LogLogTable(np.concatenate([log_log - slack, -infinity]), np.concatenate([infinity, log_log + slack]))
