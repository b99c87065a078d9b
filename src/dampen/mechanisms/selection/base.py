"""What mechanisms that choose candidates have in common."""

from abc import abstractmethod
from collections.abc import Sequence
from fractions import Fraction
from typing import Any, ClassVar

import numpy as np

from dampen._validate import whole
from dampen.entropy import Entropy
from dampen.errors import ParameterError
from dampen.mechanisms.base import Mechanism
from dampen.privacy import Accuracy, PrivacyLoss, PrivateAccuracy, Release
from dampen.problem import Frame, SelectionProblem, count_candidates
from dampen.sampling.exponents import Exponents
from dampen.vectors import Floats, Integers, Runs, Vector

LATTICE = Fraction(1, 2**22)
"""Exponents of scores that are not whole are rounded to multiples of epsilon * LATTICE ..."""
ROUNDING_SHARE = Fraction(1, 2**20)
"""... and this share of epsilon pays for it: two roundings on either side, four lattice steps in all."""

LARGEST_SIZE = 2**1000
"""Up to this size of a group its law is computed; releases know no such limit."""


class SelectionMechanism(Mechanism[Frame, SelectionProblem, Release]):
    """Chooses candidates of a problem."""

    takes = SelectionProblem
    proportional: ClassVar[bool] = False
    """Whether it is proved that, with whole utilities, a step that moves them by a part of the bound costs that part of
    epsilon. Where one person moves many problems by a part each, no other is asked (docs/proofs/range_theorem.md)."""

    def outcomes(self, frame: Frame) -> Sequence[Any]:
        """What may come out, in the order of ``log_probabilities``."""
        return frame.candidates

    def scores(self, problem: SelectionProblem) -> Vector | Runs:
        """Not private. The score of every candidate: here the utility itself."""
        self.privacy(problem.frame)
        return problem.utilities

    @abstractmethod
    def log_probabilities(self, problem: SelectionProblem) -> Vector | Runs:
        """Not private. Ln P of every outcome: exactly the law that ``release`` draws from."""

    @abstractmethod
    def simulate(self, problem: SelectionProblem, rng: np.random.Generator, size: int) -> Integers:
        """Indices of candidates drawn by a seeded generator: free, fast, for public problems only."""

    def accuracy(self, frame: Frame) -> Accuracy:
        """None, unless a law has one: how far a choice is from the best depends on the data."""
        return PrivateAccuracy("how far this choice is from the best depends on the data, and is private")


class SingleMechanism(SelectionMechanism):
    """Chooses one candidate."""

    @abstractmethod
    def _group_law(self, problem: SelectionProblem) -> Floats:
        """Ln P of one member of each group."""

    @abstractmethod
    def _pick(self, problem: SelectionProblem, source: Entropy) -> tuple[int, int]:
        """An exact draw from that law: a group and a member of it."""

    def log_probabilities(self, problem: SelectionProblem) -> Vector | Runs:
        """Not private. Ln P of every candidate: exactly the law that ``release`` draws from."""
        return problem.per_candidate(self._group_law(problem))

    def draw(self, problem: SelectionProblem, source: Entropy) -> int:
        """An exact draw: the index of a candidate. Nobody has paid for it here."""
        group, member = self._pick(problem, source)
        return problem.index(group, member)

    def simulate(self, problem: SelectionProblem, rng: np.random.Generator, size: int) -> Integers:
        """Indices of ``size`` candidates drawn by a seeded generator: free, fast, for public problems only."""
        problem.require_public("simulate")
        whole(size=size, least=0)
        sizes = _float_sizes(problem)
        shares = np.exp(self._group_law(problem)) * sizes
        groups = rng.choice(len(shares), size=size, p=shares / shares.sum())
        if problem.sizes is None:
            return groups.astype(np.int64)
        if count_candidates(problem.frame.candidates) >= 2**63:
            raise ParameterError("simulate needs fewer than 2**63 candidates: it returns 64-bit indices")
        members = [int(rng.integers(problem.sizes[group])) for group in groups]
        places = (problem.index(int(group), member) for group, member in zip(groups, members, strict=True))
        return np.fromiter(places, dtype=np.int64, count=size)

    def answer(self, frame: Frame, drawn: int) -> Any:
        """The candidate at this index."""
        return frame.candidates[drawn]


class ExponentMechanism(SingleMechanism):
    """A mechanism whose law depends on the data through exponents x_r >= 0 alone, with 0 for the best."""

    @abstractmethod
    def exponents(self, problem: SelectionProblem) -> Exponents:
        """Not private. The exponents whose law is drawn, rounded as the release rounds them."""

    @abstractmethod
    def _log_law(self, x: Floats, sizes: Floats) -> Floats:
        """Ln P of one member of each group."""

    @abstractmethod
    def _draw(self, exponents: Exponents, source: Entropy) -> tuple[int, int]:
        """An exact draw: a group and a member of it."""

    def _group_law(self, problem: SelectionProblem) -> Floats:
        return self._log_law(self.exponents(problem).approximate(), _float_sizes(problem))

    def _pick(self, problem: SelectionProblem, source: Entropy) -> tuple[int, int]:
        return self._draw(self.exponents(problem), source)


class UtilityMechanism(ExponentMechanism):
    """A mechanism that scores by the utility itself and reads of the sensitivity only the frame's bound.

    By the range theorem (docs/proofs/range_theorem.md) exponents c * utility cost c * w when one step moves all
    utilities within an interval of length w: w = 2 * bound in general, w = bound where the frame is monotone.
    """

    def privacy(self, frame: Frame) -> PrivacyLoss:
        """Epsilon, for every frame with a finite bound."""
        self._rate(frame)
        return PrivacyLoss(self.epsilon, adjacency=frame.adjacency, unit=frame.unit)

    def exponents(self, problem: SelectionProblem) -> Exponents:
        """Not private. Whole utilities times the rate exactly; others rounded to the lattice, at a reduced rate."""
        rate = self._rate(problem.frame)
        if problem.integral:
            return Exponents.of_whole(problem.groups, rate, problem.sizes)
        unit = self.epsilon * LATTICE
        return Exponents.of_real(problem.groups, rate * (1 - ROUNDING_SHARE), unit, problem.sizes)

    def _rate(self, frame: Frame) -> Fraction:
        if frame.bound is None:
            raise ParameterError(f"{type(self).__name__} needs a frame with a finite bound; this one has bound=None")
        return self.epsilon / (frame.bound if frame.monotone else 2 * frame.bound)


def _float_sizes(problem: SelectionProblem) -> Floats:
    if problem.sizes is None:
        return np.ones(len(problem.groups))
    if problem.sizes.dtype == object and problem.sizes.max() > LARGEST_SIZE:
        raise ParameterError("the law of more than 2**1000 equal candidates is not computed in floats")
    return problem.sizes.astype(np.float64)
