"""The largest local sensitivities mechanism, repaired."""

from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import Any

from dampen._validate import Number, positive, probability, render
from dampen.certified import PRECISION, arithmetic, ball
from dampen.errors import ParameterError
from dampen.mechanisms.numeric.base import AdditiveMechanism
from dampen.mechanisms.numeric.noises import RoundedLaplace
from dampen.mechanisms.numeric.rungs import ratio_below, rungs_until_negligible, smooth_ladder
from dampen.privacy import PrivacyLoss
from dampen.problem import NumericFrame, NumericProblem


@dataclass(frozen=True, init=False, repr=False)
class LargestLocalSensitivities(AdditiveMechanism):
    """Laplace noise whose rate grows by one fixed factor per level, as far as the levels above allow.

    Definition
    ----------
    Level k holds the data sets at distance k; L_k, the rung k, bounds the local sensitivity there. With
    R = 1 + epsilon / (2 ln(1 / delta)) the rate of the noise is the smallest of epsilon R^k / (2 L_k) over all k >= 0,
    L_k being the frame's reach beyond a public number of rungs. Noise of that rate is rounded to the grid.

    Guarantee
    ---------
    (epsilon, delta)-differential privacy for 0 < delta <= 1/e (docs/proofs/largest_local_sensitivities.md).

    Differs from the paper
    ----------------------
    One level per step, and no gap rule. The printed algorithm allows any structure of levels, for which it is not
    private: a structure of ten levels has a true delta of 2.7e-3 for a target of 1e-6. Its gap rule (keep the rate
    while two levels are close) only adds noise. What is left is a smooth sensitivity with ln R per step;
    ``ExactPairLaplace`` has less noise on every data set.

    Numerics
    --------
    R is rounded down and the recursion runs in whole numbers rounded up, so that the factor between neighbours holds
    exactly; noise is drawn exactly from the scale as a fraction.

    Cost
    ----
    O(T) for T rungs, T about (2 ln(1 / delta) / epsilon) ln(10^6 reach) and at most 2^16.

    Example
    -------
    >>> import numpy as np, dampen
    >>> frame = dampen.NumericFrame(bound=30, adjacency=dampen.Adjacency.EDGE)
    >>> ladder = dampen.sensitivity.RungTable([[7], [15], [27], [30]], bound=30)
    >>> problem = dampen.NumericProblem(frame, 3, ladder).as_public()
    >>> round(LargestLocalSensitivities(5, "1/2000").expected_absolute_noise(problem), 1)
    6.1
    >>> mechanism, rng = LargestLocalSensitivities(5, "1/2000"), np.random.default_rng(0)
    >>> bool(abs(mechanism.simulate(problem, rng, size=10_000).mean() - 3) < 0.5)
    True

    References
    ----------
    Canard, Olivier and Quertier, Differentially private instance-based noise mechanisms in practice, 2017. Nissim,
    Raskhodnikova and Smith, Smooth sensitivity and sampling in private data analysis, STOC 2007.
    """

    delta: Fraction

    def __init__(self, epsilon: Number, delta: Number) -> None:
        super().__init__(epsilon)
        object.__setattr__(self, "delta", probability(delta=positive(delta=delta)))
        with arithmetic(PRECISION) as flint:
            if not -ball(flint, self.delta).log() >= 1:
                raise ParameterError(f"delta must be at most 1/e = 0.3678...; got {render(delta)}")

    def privacy(self, frame: NumericFrame) -> PrivacyLoss:
        """Epsilon and delta."""
        return PrivacyLoss(self.epsilon, self.delta, adjacency=frame.adjacency, unit=frame.unit)

    def noise(self, problem: NumericProblem) -> RoundedLaplace:
        """Not private. The scale is 2 S / epsilon with S the largest L_k / R^k."""
        ratio, reach = self.ratio(), problem.frame.reach
        rungs = problem.rungs(rungs_until_negligible(reach, ratio))
        return RoundedLaplace(2 * smooth_ladder(rungs, reach, ratio) / self.epsilon)

    def ratio(self) -> Fraction:
        """Public: R, rounded down."""
        return _ratio(self.epsilon, self.delta)


@lru_cache(maxsize=1024)
def _ratio(epsilon: Fraction, delta: Fraction) -> Fraction:
    def excess(flint: Any) -> Any:
        return ball(flint, epsilon) / (-2 * ball(flint, delta).log())

    return ratio_below(excess)
