"""Pairwise dampening."""

from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import Any, Literal

import numpy as np

from dampen._validate import Number, one_of
from dampen.certified import PRECISION, largest_within
from dampen.mechanisms.selection.base import ROUNDING_SHARE
from dampen.mechanisms.selection.exponential import Exponential
from dampen.mechanisms.selection.permute_and_flip import PermuteAndFlip
from dampen.mechanisms.selection.score import Law, ScoreMechanism
from dampen.privacy import PrivacyLoss
from dampen.problem import Frame, SelectionProblem, count_candidates
from dampen.sensitivity.pairs import deficits_by_max, deficits_by_sum
from dampen.vectors import Floats, Runs

Score = Literal["margin", "clipped"]


@dataclass(frozen=True, init=False, repr=False)
class PairwiseDampening(ScoreMechanism):
    """Score a candidate by how many people would have to change before it could lead, or lose its lead.

    Definition
    ----------
    D_rq is the difference u_q - u_r, dampened by the sensitivity function of that difference: the query's own pair
    function if it has one, else s_r + s_q, or max(s_r, s_q) in a monotone frame. The margin score of r is minus the
    largest D_rq over the rivals q; the clipped score is the same, but never above 0. Drawn by ``law`` with exponents
    epsilon * score / 2, or at a better rate for the clipped score.

    Guarantee
    ---------
    epsilon-differential privacy for every admissible sensitivity function, with or without a finite bound
    (docs/proofs/pairwise_dampening.md). The true winner has the highest score, so its probability tends to 1 as epsilon
    grows: no inversion. With the exponential law also a bounded range of twice the rate.

    Differs from the paper
    ----------------------
    Not in the papers: it repairs the inversion of local dampening, whose best score need not be the best candidate's.

    Numerics
    --------
    Scores are within 2^-25 of exact: in floats where that is certain, else in fractions. The rate of the clipped score
    is rounded down in certified arithmetic.

    Cost
    ----
    Sum form: O(n T) for T rungs, by one envelope for all rivals. Max form: O(n p T) with p undominated rivals.

    Example
    -------
    >>> import numpy as np, dampen
    >>> from dampen.sensitivity import RungTable
    >>> frame = dampen.Frame(("tea", "coffee"), bound=10, adjacency=dampen.Adjacency.ADD_REMOVE)
    >>> problem = dampen.SelectionProblem(frame, [7, 5], RungTable([[1, 2], [2, 3]], bound=10)).as_public()
    >>> PairwiseDampening(epsilon=1).scores(problem).round(4).tolist()
    [0.6667, -0.6667]
    >>> picks = PairwiseDampening(epsilon=1).simulate(problem, np.random.default_rng(0), size=1000)
    >>> int((picks == 0).sum()) > 600
    True

    References
    ----------
    Farias, Brito, Flynn, Machado, Majumdar and Srivastava, Local dampening: differential privacy for non-numeric
    queries via local sensitivity, VLDB Journal 2023 (the dampened score).
    """

    score: Score

    def __init__(self, epsilon: Number, score: Score = "margin", law: Law = PermuteAndFlip) -> None:
        super().__init__(epsilon, law)
        object.__setattr__(self, "score", one_of(("margin", "clipped"), score=score))

    def privacy(self, frame: Frame) -> PrivacyLoss:
        """Epsilon; with the exponential law also bounded range twice the rate."""
        bounded_range = 2 * self._rate(frame) if self.law is Exponential else None
        return PrivacyLoss(self.epsilon, adjacency=frame.adjacency, unit=frame.unit, bounded_range=bounded_range)

    def _rate(self, frame: Frame) -> Fraction:
        return self._rate_at(self.epsilon, frame)

    def _reduced_rate(self, problem: SelectionProblem) -> Fraction:
        """A pair function without a proof of its triangle inequality has the plain rate."""
        reduced, pairs = self.epsilon * (1 - ROUNDING_SHARE), problem.sensitivity.pairs
        return reduced / 2 if pairs is not None and not pairs.triangle else self._rate_at(reduced, problem.frame)

    def _rate_at(self, epsilon: Fraction, frame: Frame) -> Fraction:
        if self.score == "margin":
            return epsilon / 2
        return clipped_rate(epsilon, count_candidates(frame.candidates), flip=self.law is PermuteAndFlip)

    def _group_scores(self, problem: SelectionProblem) -> Floats:
        sensitivity = problem.sensitivity
        if sensitivity.pairs is not None:
            scores = -sensitivity.pairs.deficits(problem.groups)
        else:
            deficits = deficits_by_max if problem.frame.monotone else deficits_by_sum
            scores = -deficits(problem.groups, sensitivity)
        if isinstance(problem.utilities, Runs):
            scores = _several_leaders(scores, problem)
        return scores if self.score == "margin" else np.minimum(scores, 0.0)


def _several_leaders(scores: Floats, problem: SelectionProblem) -> Floats:
    """A group of several equal candidates has rivals of its own utility inside it, so its margin is not above 0."""
    several = np.zeros(len(scores), dtype=bool) if problem.sizes is None else (problem.sizes > 1).astype(bool)
    return np.where(several, np.minimum(scores, 0.0), scores)


@lru_cache(maxsize=1024)
def clipped_rate(epsilon: Fraction, size: int, *, flip: bool) -> Fraction:
    """The largest rate (to within 2^-40 of epsilon) at which scores pinned to a maximum of 0 cost epsilon.

    With q = exp(-c) and R candidates the exact loss at rate c is c + ln((R - 1) / (1 + (R - 2) q)) for the exponential
    law, and c + ln(R * integral over [0, 1] of (1 - z) (1 - q z)^(R - 2)) for permute-and-flip on pairwise dampened
    scores (docs/proofs/pairwise_dampening.md). Both grow with c and are at most 2 c.
    """
    if size <= 2:
        return epsilon

    def loss(flint: Any, c: Any) -> Any:
        q = (-c).exp()
        if not flip:
            return c + ((size - 1) / (1 + (size - 2) * q)).log()
        p = 1 - q
        inner = (1 - p**size) / size - p * (1 - p ** (size - 1)) / (size - 1)
        return c + (size * inner / q**2).log()

    precision = PRECISION + 4 * min(int(epsilon), 10**5)
    return largest_within(epsilon, loss, low=epsilon / 2, high=epsilon, precision=precision)
