"""A bound of the local sensitivity that changes by a limited factor from neighbour to neighbour, exactly."""

from collections.abc import Callable, Sequence
from fractions import Fraction
from functools import lru_cache
from typing import Any

from dampen.certified import PRECISION, arithmetic
from dampen.mechanisms.numeric.rungs import MOST_RUNGS

FIXED = 64
"""Smoothed rungs are whole multiples of 2^-64 grid steps."""
NEGLIGIBLE = 20
"""Rungs are read until the reach, smoothed down to the first rung, is below 2^-20 steps, unless there are too many."""


def smoothed(rungs: Sequence[int], reach: int, ratio: Fraction) -> Fraction:
    """S = the largest L_t / ratio^t, for rungs L_t that are the reach beyond those given, rounded up.

    Computed as s_t = max(L_t, s_(t+1) / ratio) from the last rung down, in whole multiples of 2^-64, each rounded up.
    Every step is monotone, so s_t(x) <= s_(t+1)(y) for neighbours x and y. Hence S(y) >= s_1(y) / ratio >= S(x) / ratio
    holds for the rounded numbers themselves, and so does S >= L_0. S > 0 always.
    """
    height, up, down = reach << FIXED, ratio.denominator, ratio.numerator
    for rung in reversed(rungs):
        height = max(rung << FIXED, -(-height * up // down))
    return Fraction(height, 1 << FIXED)


@lru_cache(maxsize=1024)
def rungs_until_negligible(reach: int, ratio: Fraction) -> int:
    """How many rungs are read: public."""
    with arithmetic(PRECISION) as flint:
        log_ratio = (flint.arb(ratio.numerator) / ratio.denominator).log()
        count = (reach.bit_length() + NEGLIGIBLE) * flint.arb.const_log2() / log_ratio
        return MOST_RUNGS if not count <= MOST_RUNGS else int(count.upper().ceil().unique_fmpz())


def ratio_below(value: Callable[[Any], Any]) -> Fraction:
    """A fraction above 1 just below a certified ratio, of which ``value`` gives the ratio less 1."""
    return 1 + fraction_below(value)


def fraction_below(value: Callable[[Any], Any]) -> Fraction:
    """A positive fraction just below a certified positive number: 40 bits of it are kept."""
    precision = PRECISION
    while True:
        with arithmetic(precision) as flint:
            low = value(flint).lower()
            if low > 0:
                shift = 40 - int((low.log() / flint.arb.const_log2()).lower().floor().unique_fmpz())
                kept = int((low * flint.arb(2) ** shift).lower().floor().unique_fmpz())
                return Fraction(kept) / Fraction(2) ** shift
        precision *= 2
