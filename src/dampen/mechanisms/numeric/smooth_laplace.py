"""Laplace noise scaled by smooth sensitivity, as in the textbook."""

from dataclasses import dataclass
from fractions import Fraction
from math import log

from dampen._validate import Number, positive
from dampen.mechanisms.numeric.noises import RoundedLaplace
from dampen.mechanisms.numeric.rungs import check_delta, check_epsilon
from dampen.mechanisms.numeric.smooth_noise import SmoothNoiseMechanism
from dampen.privacy import PrivacyLoss
from dampen.problem import NumericFrame

LARGEST_EPSILON, LARGEST_DELTA = Fraction(10), Fraction(1, 10)
"""Up to here the textbook's constants are proved; at epsilon = 10 they fail for delta = 0.2."""


@dataclass(frozen=True, init=False, repr=False)
class SmoothLaplace(SmoothNoiseMechanism):
    """The value plus Laplace noise scaled by the smooth sensitivity, the classical way.

    Definition
    ----------
    value + K on the frame's grid, K Laplace noise of scale S / alpha, rounded: alpha = epsilon / 2, beta = epsilon / (2
    ln(2 / delta)), S the largest exp(-beta t) L_t over the rungs, with the reach beyond the T rungs that are read.

    Guarantee
    ---------
    (epsilon, delta)-differential privacy for 2^-20 <= epsilon <= 10 and 0 < delta <= 1/10
    (docs/proofs/smooth_laplace.md). It is a baseline: :class:`ExactPairLaplace` never has more noise.

    Differs from the paper
    ----------------------
    The constants are those of the paper; that they fail beyond epsilon of about 10 is not in it, and is refused here.

    Numerics
    --------
    S is computed in floats, with alpha and beta lowered by a public share of at least 1e-9, which pays for their
    rounding. The scale is then a fraction, and K is drawn exactly.

    Cost
    ----
    O(T), T = max(25, ln(reach) + 16) / beta rungs and at most 65536.

    Example
    -------
    >>> import numpy as np, dampen
    >>> frame = dampen.NumericFrame(bound=30, adjacency=dampen.Adjacency.EDGE)
    >>> ladder = dampen.sensitivity.RungTable([[7], [15], [27], [30]], bound=30)
    >>> problem = dampen.NumericProblem(frame, 100, ladder).as_public()
    >>> mechanism = SmoothLaplace(epsilon=5, delta="1/2000")
    >>> round(mechanism.expected_absolute_noise(problem), 1)
    5.9
    >>> bool(abs(mechanism.simulate(problem, np.random.default_rng(0), size=10_000).mean() - 100) < 0.3)
    True

    References
    ----------
    Nissim, Raskhodnikova and Smith, Smooth sensitivity and sampling in private data analysis, STOC 2007.
    """

    delta: Fraction

    def __init__(self, epsilon: Number, delta: Number) -> None:
        super().__init__(epsilon)
        check_epsilon(self.epsilon, most=LARGEST_EPSILON)
        object.__setattr__(self, "delta", check_delta(positive(delta=delta), most=LARGEST_DELTA))

    def privacy(self, frame: NumericFrame) -> PrivacyLoss:
        """Epsilon and delta."""
        return PrivacyLoss(self.epsilon, self.delta, adjacency=frame.adjacency, unit=frame.unit)

    @property
    def alpha(self) -> float:
        """Epsilon / 2."""
        return float(self.epsilon) / 2

    @property
    def beta(self) -> float:
        """Epsilon / (2 ln(2 / delta))."""
        return float(self.epsilon) / (2 * log(2 / self.delta))

    def _noise(self, scale: Fraction) -> RoundedLaplace:
        return RoundedLaplace(scale)
