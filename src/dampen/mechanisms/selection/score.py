"""Mechanisms that turn utilities into scores of known sensitivity and leave the drawing to a classical law."""

from abc import abstractmethod
from dataclasses import dataclass
from fractions import Fraction

from dampen._validate import Number, render
from dampen.entropy import Entropy
from dampen.errors import ParameterError
from dampen.mechanisms.selection.base import LATTICE, ROUNDING_SHARE, ExponentMechanism
from dampen.mechanisms.selection.exponential import Exponential
from dampen.mechanisms.selection.permute_and_flip import PermuteAndFlip
from dampen.privacy import PrivacyLoss
from dampen.problem import Frame, SelectionProblem
from dampen.sampling.exponents import Exponents
from dampen.vectors import Floats, Runs, Vector

Law = type[Exponential] | type[PermuteAndFlip]


@dataclass(frozen=True, init=False, repr=False)
class ScoreMechanism(ExponentMechanism):
    """Scores whose change in one step stays within an interval of known length, drawn by ``law``.

    The rate c and that length w satisfy c * w = epsilon (docs/proofs/range_theorem.md). Scores are real numbers, so
    their exponents are rounded to the lattice.
    """

    law: Law

    def __init__(self, epsilon: Number, law: Law = PermuteAndFlip) -> None:
        super().__init__(epsilon)
        if law is not Exponential and law is not PermuteAndFlip:
            raise ParameterError(f"law must be Exponential or PermuteAndFlip; got {render(law)}")
        object.__setattr__(self, "law", law)

    @abstractmethod
    def _group_scores(self, problem: SelectionProblem) -> Floats:
        """One score per group."""

    @abstractmethod
    def _rate(self, frame: Frame) -> Fraction:
        """The exponent of one unit of score; refuses frames in which nothing is proved."""

    def privacy(self, frame: Frame) -> PrivacyLoss:
        """Epsilon; with the exponential law also bounded range epsilon."""
        self._rate(frame)
        bounded_range = self.epsilon if self.law is Exponential else None
        return PrivacyLoss(self.epsilon, adjacency=frame.adjacency, unit=frame.unit, bounded_range=bounded_range)

    def scores(self, problem: SelectionProblem) -> Vector | Runs:
        """Not private. The score of every candidate."""
        self.privacy(problem.frame)
        return problem.per_candidate(self._group_scores(problem))

    def exponents(self, problem: SelectionProblem) -> Exponents:
        """Not private. Scores times the rate, rounded to the lattice, at a rate reduced to pay for it."""
        rate = self._reduced_rate(problem)
        return Exponents.of_real(self._group_scores(problem), rate, self.epsilon * LATTICE, problem.sizes)

    def _reduced_rate(self, problem: SelectionProblem) -> Fraction:
        """The rate at epsilon less the share that pays for rounding."""
        return self._rate(problem.frame) * (1 - ROUNDING_SHARE)

    def _log_law(self, x: Floats, sizes: Floats) -> Floats:
        return self.law(self.epsilon)._log_law(x, sizes)

    def _draw(self, exponents: Exponents, source: Entropy) -> tuple[int, int]:
        return self.law(self.epsilon)._draw(exponents, source)
