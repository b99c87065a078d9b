"""Pairwise dampening."""

from dataclasses import dataclass
from fractions import Fraction
from typing import Literal

import numpy as np

from dampen._validate import Number, one_of
from dampen.mechanisms.base import ROUNDING_SHARE
from dampen.mechanisms.calibration import clipped_rate
from dampen.mechanisms.exponential import Exponential
from dampen.mechanisms.permute_and_flip import PermuteAndFlip
from dampen.mechanisms.scored import Law, ScoredMechanism
from dampen.privacy import PrivacyLoss
from dampen.problem import Frame, SelectionProblem, count_candidates
from dampen.runs import Runs
from dampen.sensitivity.pairs import deficits_by_max, deficits_by_sum
from dampen.vectors import Floats

Score = Literal["margin", "clipped"]


@dataclass(frozen=True, init=False, repr=False)
class PairwiseDampening(ScoredMechanism):
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
    >>> from dampen.sensitivity import Table
    >>> frame = dampen.Frame(("tea", "coffee"), bound=10, adjacency=dampen.Adjacency.ADD_REMOVE)
    >>> problem = dampen.SelectionProblem(frame, [7, 5], Table([[1, 2], [2, 3]], bound=10)).as_public()
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
