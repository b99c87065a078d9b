"""Laplace noise whose scale follows the ladder, at the exact delta of two Laplace laws."""

from dataclasses import dataclass
from fractions import Fraction
from math import exp, log, log1p

from dampen._validate import Number, positive
from dampen.mechanisms.numeric.base import AdditiveMechanism
from dampen.mechanisms.numeric.noises import RoundedLaplace
from dampen.mechanisms.numeric.rungs import (
    FLOAT_SHARE,
    check_delta,
    check_epsilon,
    count_to_forget,
    least_scale_share,
    rung_shares,
)
from dampen.privacy import PrivacyLoss
from dampen.problem import NumericFrame, NumericProblem

LARGEST_DELTA = Fraction(1, 2)
"""The conditions hold for every delta below 1; up to here floats solve them accurately."""
STEP_ERROR = 2.0**-49
"""The relative error of one step of the recursion is at most this times 3 + epsilon."""
CLOSE, MARGIN, MOST_NEWTON_STEPS = 2.0**-26, 2.0**-51, 100
"""Newton's method ends with a step by a share CLOSE, then moves by a share MARGIN to where the conditions hold."""
LN_2 = log(2.0)


@dataclass(frozen=True, init=False, repr=False)
class ExactPairLaplace(AdditiveMechanism):
    """The value plus Laplace noise, as little as the ladder and the exact delta of two Laplace laws allow.

    Definition
    ----------
    value + K on the frame's grid, K Laplace noise of rate lambda (scale 1 / lambda), rounded. lambda starts at
    epsilon / reach and walks down the ladder, t = T - 1, ..., 0: from h to the largest l >= h with, for r = l / h,

        (E1) l L_t <= epsilon,    (E2) ln(r) + h L_t <= epsilon,
        (E3) (1 - 1/r) r^(-1/(r-1)) exp(-epsilon/(r-1)) cosh(l L_t/(r-1)) <= delta.

    So the scale is never more than reach / epsilon (to within the share paid for floats) nor than that of
    :class:`SmoothLaplace` or :class:`LargestLocalSensitivities`, and where the ladder rises slowly it is about L_0 /
    epsilon, whatever the bound.

    Guarantee
    ---------
    (epsilon, delta)-differential privacy (docs/proofs/exact_pair_laplace.md), for epsilon from 2^-20 to 300 and 0 <
    delta <= 1/2. (E1) to (E3) are exactly what two Laplace laws need. The scale is private and is never shown.

    Differs from the paper
    ----------------------
    The paper on the largest local sensitivities has sufficient conditions with one free parameter, used with different
    values at the two ends of a pair, which is not private for large epsilon, and takes one half for it. Here the exact
    conditions are solved, step by step.

    Numerics
    --------
    In y = 1 / (r - 1) condition (E3) is convex and decreasing, so that Newton's method converges from below; the
    solution is moved to the feasible side. The recursion runs in floats with epsilon and delta lowered by a public
    share of at least 1e-9, which pays for their rounding; the scale is then a fraction, and K is drawn exactly.

    Cost
    ----
    O(T), T = max(25, ln(reach) + 16) 2 ln(2 / delta) / epsilon rungs, at most 65536; some microseconds each.

    Example
    -------
    >>> import numpy as np, dampen
    >>> frame = dampen.NumericFrame(bound=30, adjacency=dampen.Adjacency.EDGE)
    >>> ladder = dampen.sensitivity.RungTable([[7], [15], [27], [30]], bound=30)
    >>> problem = dampen.NumericProblem(frame, 100, ladder).as_public()
    >>> mechanism = ExactPairLaplace(epsilon=5, delta="1/2000")
    >>> round(mechanism.expected_absolute_noise(problem), 1)
    2.8
    >>> bool(abs(mechanism.simulate(problem, np.random.default_rng(0), size=10_000).mean() - 100) < 0.2)
    True

    References
    ----------
    Canard, Olivier and Quertier, Differentially private instance-based noise mechanisms in practice, PST 2017. Nissim,
    Raskhodnikova and Smith, Smooth sensitivity and sampling in private data analysis, STOC 2007.
    """

    delta: Fraction

    def __init__(self, epsilon: Number, delta: Number) -> None:
        super().__init__(epsilon)
        check_epsilon(self.epsilon)
        object.__setattr__(self, "delta", check_delta(positive(delta=delta), most=LARGEST_DELTA))

    def privacy(self, frame: NumericFrame) -> PrivacyLoss:
        """Epsilon and delta."""
        return PrivacyLoss(self.epsilon, self.delta, adjacency=frame.adjacency, unit=frame.unit)

    def scale_step(self, frame: NumericFrame) -> float:
        """Ln of the largest ratio of two rates: (E2) and (E3) on a ladder of zeros."""
        epsilon, log_delta = float(self.epsilon), log(self.delta)
        return min(epsilon, log1p(1 / PairConditions(epsilon, log_delta).solve(0.0, -log_delta / epsilon)))

    def rungs_read(self, frame: NumericFrame) -> int:
        """Public: how many rungs are read before every rung is taken to be the reach."""
        return count_to_forget(float(self.epsilon) / (2 * log(2 / self.delta)), frame)

    def noise(self, problem: NumericProblem) -> RoundedLaplace:
        """Not private. The noise at the scale that the ladder allows."""
        frame, count = problem.frame, self.rungs_read(problem.frame)
        kept = 1 - self._float_share(count)
        conditions = PairConditions(float(self.epsilon) * kept, log(self.delta) + log(kept))
        rate = largest_rate(rung_shares(problem, count), conditions, most=1 / least_scale_share(frame))
        return RoundedLaplace(frame.reach / Fraction(rate))

    def _float_share(self, count: int) -> float:
        """The share of epsilon and of delta that pays for the errors of so many steps."""
        epsilon = float(self.epsilon)
        steepness = (1 + 1 / epsilon) * (2 - log(self.delta))
        return max(FLOAT_SHARE, (2 * count + 2) * STEP_ERROR * (3 + epsilon) * steepness)


@dataclass(frozen=True)
class PairConditions:
    """(E1) to (E3): what two Laplace laws need to be (epsilon, delta)-close."""

    epsilon: float
    log_delta: float

    def largest_rate(self, h: float, rung: float, start: float) -> tuple[float, float]:
        """The largest rate beside h, and its y = 1 / (r - 1) by (E3) alone, searched from ``start``."""
        slide = h * rung
        ratio = min(self.epsilon / slide, exp(self.epsilon - slide))
        if ratio <= 1:
            return h, start
        y = self.solve(slide, start)
        return h * min(ratio, 1 + 1 / y), y

    def solve(self, slide: float, y: float) -> float:
        """The y at which (E3) holds with equality for c = slide (1 + y) / y, moved to the side on which it holds.

        After a Newton step by a share d of y the rest is at most 3/4 d^2 y, below the solution.
        """
        for _ in range(MOST_NEWTON_STEPS):
            excess, slope = self.excess(slide, y)
            step = excess / slope
            if abs(step) <= CLOSE * y:
                break
            y = max(y + step, y / 8)
        return (y + step) * (1 + MARGIN)

    def excess(self, slide: float, y: float) -> tuple[float, float]:
        """The left side of (E3) less its right side, in logarithms, and minus its derivative in y; slide = h L."""
        faded = exp(-2 * slide * (1 + y))
        growth = log1p(1 / y)
        widening = -log(y) - (1 + y) * growth
        excess = widening + (slide - self.epsilon) * y + slide + log1p(faded) - LN_2 - self.log_delta
        return excess, growth + self.epsilon - slide * (1 - faded) / (1 + faded)


def largest_rate(rungs: list[float], conditions: PairConditions, most: float) -> float:
    """The rate for a ladder whose rungs are shares of the reach, in units of 1 / reach; at most ``most``."""
    rate = min(conditions.epsilon, most)
    former = y = -conditions.log_delta / conditions.epsilon
    for rung in reversed(rungs):
        start = 2 * y - former
        former = y
        larger, y = conditions.largest_rate(rate, rung, start if start > y / 2 else y)
        rate = max(rate, min(larger, most))
    return rate
