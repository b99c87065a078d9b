"""What mechanisms have in common that scale one noise by the smooth sensitivity of a number."""

from abc import abstractmethod
from dataclasses import dataclass
from fractions import Fraction
from math import log

from dampen.mechanisms.numeric.base import AdditiveMechanism
from dampen.mechanisms.numeric.noises import RoundedNoise
from dampen.mechanisms.numeric.rungs import FLOAT_SHARE, count_to_forget, rung_shares, smooth_share
from dampen.privacy import PrivacyLoss
from dampen.problem import NumericFrame, NumericProblem


@dataclass(frozen=True, init=False, repr=False)
class SmoothNoiseMechanism(AdditiveMechanism):
    """Adds S / alpha * Z, rounded, where S is the largest exp(-beta t) L_t.

    alpha and beta are public. Both are lowered by a public share of at least 1e-9, which pays for the rounding of S.
    """

    def privacy(self, frame: NumericFrame) -> PrivacyLoss:
        """Epsilon."""
        return PrivacyLoss(self.epsilon, adjacency=frame.adjacency, unit=frame.unit)

    @property
    @abstractmethod
    def alpha(self) -> float:
        """Public: Z may be moved by so much."""

    @property
    @abstractmethod
    def beta(self) -> float:
        """Public: S of neighbours differs at most by the factor exp(beta)."""

    def scale_step(self, frame: NumericFrame) -> float:
        """Beta."""
        return self.beta

    @abstractmethod
    def _noise(self, scale: Fraction) -> RoundedNoise:
        """scale * Z, rounded."""

    def rungs_read(self, frame: NumericFrame) -> int:
        """Public: how many rungs are read before every rung is taken to be the reach."""
        return count_to_forget(self.beta, frame)

    def noise(self, problem: NumericProblem) -> RoundedNoise:
        """Not private. The noise scaled by the smooth sensitivity."""
        frame, kept = problem.frame, 1 - self._float_share(problem.frame)
        smooth = smooth_share(rung_shares(problem, self.rungs_read(frame)), self.beta * kept)
        return self._noise(frame.reach * Fraction(smooth) / Fraction(self.alpha * kept))

    def _float_share(self, frame: NumericFrame) -> float:
        """exp(-beta t) is off by a share of 2^-52 (beta t + 2), for beta t <= ln(reach) + 26."""
        return max(FLOAT_SHARE, 2.0**-50 * (log(frame.reach) + 32) / self.beta)
