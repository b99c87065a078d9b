"""Noise with polynomial tails whose scale follows the ladder: pure differential privacy."""

from dataclasses import dataclass
from fractions import Fraction
from math import exp, expm1, log1p

from dampen._validate import Number, render, whole
from dampen.errors import ParameterError
from dampen.mechanisms.numeric.base import AdditiveMechanism
from dampen.mechanisms.numeric.heavy_noises import RoundedPolyPlace
from dampen.mechanisms.numeric.rungs import FLOAT_SHARE, check_epsilon, count_to_forget, least_scale_share, rung_shares
from dampen.privacy import PrivacyLoss
from dampen.problem import NumericFrame, NumericProblem

LARGEST_P = 64
STEP_ERROR = 2.0**-49
"""The relative error of one step of the recursion is at most this times 1 + epsilon."""


@dataclass(frozen=True, init=False, repr=False)
class PolyPlace(AdditiveMechanism):
    """The value plus noise with polynomial tails, as little as the ladder allows, and no delta.

    Definition
    ----------
    value + K on the frame's grid, K = s Z rounded, where Z has density proportional to (1 + |z|)^-p. With a =
    exp(epsilon / p) - 1 the scale s starts at reach / a and walks down the ladder, t = T - 1, ..., 0:

        s <- min(s, max(L_t / a, s exp(-epsilon / (p - 1)), s exp(p ln(1 + L_t / s) - epsilon))),

    the smallest scale that may stand beside the former one. On a flat ladder E |K| is about p / (p - 2) times what
    Laplace noise has; where the ladder rises slowly it is about p / (p - 2) * L_0 / epsilon whatever the bound.

    Guarantee
    ---------
    epsilon-differential privacy (docs/proofs/poly_place.md). ``p`` is a whole number from 3 to 64 and public: it must
    not be chosen from the data. The variance is finite from p = 4 on. The scale is private and is never shown.

    Differs from the paper
    ----------------------
    The published noise scales with a smooth sensitivity. Here the exact condition between two scales is iterated, which
    gives less noise on every ladder.

    Numerics
    --------
    The recursion runs in floats with epsilon lowered by a public share of at least 1e-9, which pays for their rounding;
    the scale is then a fraction, and K is drawn exactly.

    Cost
    ----
    O(T), T = (p - 1) max(25, ln(reach) + 16) / epsilon rungs and at most 65536.

    Example
    -------
    >>> import numpy as np, dampen
    >>> frame = dampen.NumericFrame(bound=30, adjacency=dampen.Adjacency.EDGE)
    >>> ladder = dampen.sensitivity.RungTable([[7], [15], [27], [30]], bound=30)
    >>> problem = dampen.NumericProblem(frame, 100, ladder).as_public()
    >>> round(PolyPlace(epsilon=5).expected_absolute_noise(problem), 2)
    1.31
    >>> drawn = PolyPlace(epsilon=5).simulate(problem, np.random.default_rng(0), size=10_000)
    >>> bool(abs(np.median(drawn) - 100) < 1)
    True

    References
    ----------
    Hladik and Tetek, Smooth sensitivity revisited: towards optimality, 2024 (the noise). Nissim,
    Raskhodnikova and Smith, Smooth sensitivity and sampling in private data analysis, STOC 2007.
    """

    p: int

    def __init__(self, epsilon: Number, p: int = 6) -> None:
        super().__init__(epsilon)
        check_epsilon(self.epsilon)
        if whole(p=p, least=3) > LARGEST_P:
            raise ParameterError(f"p must be at most {LARGEST_P}; got {render(p)}")
        object.__setattr__(self, "p", int(p))

    def privacy(self, frame: NumericFrame) -> PrivacyLoss:
        """Epsilon."""
        return PrivacyLoss(self.epsilon, adjacency=frame.adjacency, unit=frame.unit)

    def scale_step(self, frame: NumericFrame) -> float:
        """Epsilon / (p - 1): (b) of docs/proofs/poly_place.md."""
        return float(self.epsilon) / (self.p - 1)

    def rungs_read(self, frame: NumericFrame) -> int:
        """Public: how many rungs are read before every rung is taken to be the reach."""
        return count_to_forget(float(self.epsilon) / (self.p - 1), frame)

    def noise(self, problem: NumericProblem) -> RoundedPolyPlace:
        """Not private. The noise at the scale that the ladder allows."""
        frame, count = problem.frame, self.rungs_read(problem.frame)
        share = smallest_scale(rung_shares(problem, count), self._paid_epsilon(count), self.p, least_scale_share(frame))
        return RoundedPolyPlace(Fraction(share) * frame.reach, self.p - 1)

    def _paid_epsilon(self, count: int) -> float:
        """Epsilon less what pays for the errors of so many steps."""
        epsilon = float(self.epsilon)
        return epsilon * (1 - max(FLOAT_SHARE, (2 * count + 2) * STEP_ERROR * self.p * (1 + 1 / epsilon)))


def smallest_scale(rungs: list[float], epsilon: float, p: int, least: float) -> float:
    """The scale for a ladder whose rungs, and scale, are shares of the reach; at least ``least``."""
    flat, fall = 1 / expm1(epsilon / p), exp(-epsilon / (p - 1))
    scale = flat
    for rung in reversed(rungs):
        slid = scale * exp(p * log1p(rung / scale) - epsilon)
        scale = min(scale, max(rung * flat, scale * fall, slid, least))
    return scale
