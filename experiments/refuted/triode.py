"""TRIODE with the sensitivity that its paper prints."""

import numpy as np

from dampen import Adjacency, Frame, SelectionProblem
from dampen.mechanisms.grouping.triode import dice_scores
from dampen.vectors import Floats
from experiments.refuted.base import Evidence, Kind, RefutedMechanism

PEOPLE = 20


def problem_of(group: frozenset[int]) -> SelectionProblem:
    """All sets of 20 people by their Dice score; the bound is the printed one, 2 / (2 n - 1)."""
    members = np.array([person in group for person in range(PEOPLE)])
    frame = Frame(range(2**PEOPLE), bound=f"2/{2 * PEOPLE - 1}", adjacency=Adjacency.REPLACE)
    return SelectionProblem(frame, dice_scores(members))


class TriodeByItsPrintedSensitivity(RefutedMechanism):
    """The exponential mechanism on all sets of people by Dice, at the rate epsilon (2 n - 1) / 4.

    The print says 2 / (2^n - 1), which is smaller still; 2 / (2 n - 1) is the kinder reading. One person who joins the
    empty group moves the score of the set of this one person from 0 to 1.
    """

    evidence = Evidence(
        kind=Kind.LOSS,
        claim="epsilon-differentially private",
        source="Chaves and Machado 2019, equation 6: nobody of 20 people in the group, and one of them",
        claimed_epsilon=1,
        problem_of=problem_of,
        pair=(frozenset(), frozenset({0})),
    )

    def __init__(self, epsilon: float) -> None:
        self.epsilon = epsilon

    @classmethod
    def as_claimed(cls) -> "TriodeByItsPrintedSensitivity":
        """With epsilon = 1."""
        return cls(1)

    def log_probabilities(self, problem: SelectionProblem) -> Floats:
        """The law as published."""
        problem.require_public("log_probabilities")
        x = self.epsilon / (2 * float(problem.frame.bound or 1)) * np.asarray(problem.utilities)
        return np.asarray(x - x.max() - np.log(np.exp(x - x.max()).sum()))
