"""Mechanisms whose noise follows the smooth sensitivity of the data."""

from abc import abstractmethod
from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

from dampen._validate import plain
from dampen.errors import ParameterError
from dampen.mechanisms.selection.base import LATTICE, ROUNDING_SHARE, ExponentMechanism
from dampen.problem import Frame, SelectionProblem
from dampen.sampling.exponents import Exponents

LARGEST_EPSILON = 300
"""Beyond this the constants overflow, and nobody asks."""
SMALLEST_BETA = Fraction(1, 2**22)
"""Below this the share of 2^-20 of beta would not pay for the relative rounding of S."""


@dataclass(frozen=True, init=False, repr=False)
class SmoothSelection(ExponentMechanism):
    """Exponents alpha * u / (2 S), where S is the largest smooth sensitivity of any candidate.

    alpha and beta are public: functions of epsilon, delta and the number of candidates. The *same* beta smooths S, so
    the release asks the sensitivity function for ``smooth(beta)`` itself. beta is reduced by a share of 2^-20, which
    pays for the relative rounding of S and of large exponents.
    """

    indicator: bool

    capped: ClassVar[bool] = True
    """Whether exponents are capped. Not where the noise has a heavy tail, which reaches beyond any cap."""

    @abstractmethod
    def alpha(self, frame: Frame) -> Fraction:
        """Public: how much of its smooth sensitivity a utility may move per unit of exponent."""

    @abstractmethod
    def beta(self, frame: Frame) -> Fraction:
        """Public: by which factor exp(beta) the smooth sensitivities of neighbours differ at most."""

    def exponents(self, problem: SelectionProblem) -> Exponents:
        """Not private. Utilities divided by twice the smooth sensitivity, times alpha, rounded to the lattice."""
        smooth = Fraction(float(problem.sensitivity.smooth(self.beta(problem.frame)).max()))
        rate = self.alpha(problem.frame) / (2 * smooth)
        unit = self.epsilon * LATTICE
        return Exponents.of_real(problem.groups, rate, unit, problem.sizes, capped=self.capped)

    def _reduced_epsilon(self) -> Fraction:
        return self.epsilon * (1 - ROUNDING_SHARE)

    def _require_usable(self, frame: Frame) -> None:
        """Refuse frames and parameters in which nothing is proved; all of it is public."""
        name = type(self).__name__
        if frame.bound is None:
            raise ParameterError(f"{name} needs a frame with a finite bound; this one has bound=None")
        if self.indicator and frame.bound != 1:
            raise ParameterError(f"{name} with indicator=True needs a frame with bound 1: its utilities are 0 and 1")
        if self.epsilon > LARGEST_EPSILON:
            raise ParameterError(f"epsilon must be at most {LARGEST_EPSILON} for {name}; got {plain(self.epsilon)}")
        if self.beta(frame) < SMALLEST_BETA:
            raise ParameterError(f"epsilon is too small for {name} with so many candidates; got {plain(self.epsilon)}")
