"""How mechanisms read a ladder: how many rungs, as shares of the reach in floats, or smoothed in whole numbers."""

from collections.abc import Callable, Sequence
from fractions import Fraction
from functools import lru_cache
from math import ceil, log
from typing import Any

import numpy as np

from dampen._validate import brief
from dampen.certified import PRECISION, arithmetic
from dampen.errors import ParameterError
from dampen.problem import NumericFrame, NumericProblem
from dampen.vectors import Floats

MOST_RUNGS = 2**16
"""No mechanism reads more rungs: they cost time, and whatever is not read only makes the noise larger."""
FLOAT_SHARE = 1e-9
"""The least share of epsilon and delta that calibrations leave to the rounding of floats."""
SMALLEST_EPSILON, LARGEST_EPSILON = Fraction(1, 2**20), Fraction(300)
"""Between these the share left to the rounding of floats is small and no constant overflows."""
LEAST_SHARE = 2.0**-900
"""Shares of the reach are raised to this, so that none underflows."""
SMALLEST_SCALE = Fraction(1, 2**32)
"""Scales, in grid steps, do not fall below this: noise rounded to whole steps is 0 there in all but name."""
FIXED = 64
"""Smoothed rungs are whole multiples of 2^-64 grid steps."""
NEGLIGIBLE = 20
"""Rungs are read until the reach, smoothed down to the first rung, is below 2^-20 steps, unless there are too many."""


def check_epsilon(epsilon: Fraction, *, most: Fraction = LARGEST_EPSILON) -> Fraction:
    """Refuse an epsilon for which the rounding of floats is not paid for, or nothing is proved."""
    if not SMALLEST_EPSILON <= epsilon <= most:
        raise ParameterError(f"epsilon must lie between 2**-20 and {brief(most)}; got {brief(epsilon)}")
    return epsilon


def check_delta(delta: Fraction, *, most: Fraction) -> Fraction:
    """Refuse a delta of 0, or one for which nothing is proved."""
    if not 0 < delta <= most:
        raise ParameterError(f"delta must be positive and at most {brief(most)}; got {brief(delta)}")
    return delta


def count_to_forget(rate: float, frame: NumericFrame) -> int:
    """After how many rungs a scale that falls by ``rate`` per rung owes nothing to the reach.

    The reach has fallen to e^-16 of a grid step by then, and to e^-25 of itself.
    """
    return min(MOST_RUNGS, ceil(max(25.0, log(frame.reach) + 16.0) / rate))


def rung_shares(problem: NumericProblem, count: int) -> list[float]:
    """Not private. The first rungs divided by the reach, each the nearest float: none above 1, none 0."""
    reach = problem.frame.reach
    return [max(rung / reach, LEAST_SHARE) for rung in problem.rungs(count)]


def least_scale_share(frame: NumericFrame) -> float:
    """The smallest scale as a share of the reach."""
    return max(float(SMALLEST_SCALE / frame.reach), LEAST_SHARE)


def smooth_share(rungs: list[float], beta: float) -> float:
    """The smooth sensitivity as a share of the reach: the largest exp(-beta t) L_t, with L_t = 1 beyond the rungs."""
    ladder: Floats = np.array([*rungs, 1.0])
    return max(float((ladder * np.exp(-beta * np.arange(len(ladder)))).max()), LEAST_SHARE)


def smooth_ladder(rungs: Sequence[int], reach: int, ratio: Fraction) -> Fraction:
    """S = the largest L_t / ratio^t, for rungs L_t that are the reach beyond those given, rounded up.

    Computed as s_t = max(L_t, s_(t+1) / ratio) from the last rung down, in whole multiples of 2^-64, each rounded up.
    Every step is monotone, so s_t(x) <= s_(t+1)(y) for neighbours x and y. Hence S(y) >= s_1(y) / ratio >= S(x) / ratio
    holds for the rounded numbers themselves, and so does S >= L_0. S > 0 always.
    """
    # -(-a // b) rounds up; from the last rung down, so that each step is a monotone function of the next.
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
