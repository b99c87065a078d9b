"""How mechanisms whose noise follows a ladder read it: so many rungs, as shares of the reach, in floats.

Everything here but the rungs is public. Beyond the rungs that are read every rung is the reach, so that each mechanism
starts from a scale that is the same for all data sets.
"""

from fractions import Fraction
from math import ceil, log

import numpy as np

from dampen._validate import brief
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


def checked_epsilon(epsilon: Fraction, *, most: Fraction = LARGEST_EPSILON) -> Fraction:
    """Refuse an epsilon for which the rounding of floats is not paid for, or nothing is proved."""
    if not SMALLEST_EPSILON <= epsilon <= most:
        raise ParameterError(f"epsilon must lie between 2**-20 and {brief(most)}; got {brief(epsilon)}")
    return epsilon


def checked_delta(delta: Fraction, *, most: Fraction) -> Fraction:
    """Refuse a delta of 0, or one for which nothing is proved."""
    if not 0 < delta <= most:
        raise ParameterError(f"delta must be positive and at most {brief(most)}; got {brief(delta)}")
    return delta


def count_to_forget(rate: float, frame: NumericFrame) -> int:
    """After how many rungs a scale that falls by ``rate`` per rung owes nothing to the reach.

    The reach has fallen to e^-16 of a grid step by then, and to e^-25 of itself.
    """
    return min(MOST_RUNGS, ceil(max(25.0, log(frame.reach) + 16.0) / rate))


def shares(problem: NumericProblem, count: int) -> list[float]:
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
