"""TRIODE-H as printed, and every stage of every group at the epsilon of the whole: one person touches two groups."""

from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from dampen import Adjacency, Frame, SelectionProblem
from dampen.mechanisms.grouping.triode_h import TriodeH
from dampen.queries.groups import fragment_problem, group_size_problem
from dampen.vectors import Floats
from experiments.refuted.base import Evidence, Kind, RefutedMechanism


def problem_of(group: tuple[int, ...]) -> SelectionProblem:
    """People as candidates; 1 for those in the first of two groups."""
    return SelectionProblem(Frame(range(len(group)), bound=1, adjacency=Adjacency.REPLACE), list(group))


def members_of(problem: SelectionProblem) -> NDArray[np.bool_]:
    """Who is in the first group."""
    return np.asarray(np.asarray(problem.utilities) == 1)


class TriodeHAsPrinted(RefutedMechanism):
    """Both groups by the printed algorithm: a size l at epsilon, then l + 1 picks at epsilon / l, with replacement.

    The loop runs from 0 to l. For l = 0 it divides by zero; here nobody is picked then. An outcome is a size and a list
    of picks for each group. For one group the claim of 2 epsilon was not refuted by any table we tried: the printed
    sensitivity is h times too large, which pays for the pick too many. Over both groups it is refuted.
    """

    evidence = Evidence(
        kind=Kind.LOSS,
        claim="2 epsilon-differentially private",
        source="Chaves and Machado 2019, Algorithm 1, for both groups of four people in fragments of one",
        claimed_epsilon=0.2,
        problem_of=problem_of,
        pair=((0, 0, 0, 0), (0, 0, 0, 1)),
    )

    def __init__(self, epsilon: float, fragment: int) -> None:
        self.epsilon, self.fragment = epsilon, fragment

    @classmethod
    def as_claimed(cls) -> "TriodeHAsPrinted":
        """With epsilon = 1/10 for each stage, and fragments of one person."""
        return cls(0.1, 1)

    def log_probabilities(self, problem: SelectionProblem) -> Floats:
        """The law of both groups."""
        problem.require_public("log_probabilities")
        members = members_of(problem)
        return np.add.outer(self.of_one_group(members), self.of_one_group(~members)).ravel()

    def of_one_group(self, members: NDArray[np.bool_]) -> Floats:
        """Ln P of every size and list of picks."""
        posed = fragment_problem(members, np.arange(len(members)) // self.fragment)
        bound = self.fragment * float(posed.frame.bound or 1)
        sizes = _softmax(self.epsilon / 2 * np.asarray(group_size_problem(members).utilities))
        parts = [sizes[:1]]
        for size in range(1, len(sizes)):
            pick = _softmax(self.epsilon / size / (2 * bound) * np.asarray(posed.utilities))
            told = sizes[size : size + 1]
            for _ in range(size + 1):
                told = np.add.outer(told, pick).ravel()
            parts.append(told)
        return np.concatenate(parts)


class _EveryStageAtEpsilon(TriodeH):
    """The repaired algorithm with the whole of epsilon for each stage of each group."""

    @property
    def stage(self) -> Fraction:
        return self.epsilon


class GroupByWithEveryStageAtEpsilon(RefutedMechanism):
    """Both groups and both stages at the claimed epsilon each, with the right sensitivity and the right picks."""

    evidence = Evidence(
        kind=Kind.LOSS,
        claim="epsilon-differentially private",
        source="Chaves and Machado 2019, Table 2 read as the price of a group-by: four people in fragments of one",
        claimed_epsilon=1,
        problem_of=problem_of,
        pair=((0, 0, 0, 0), (0, 0, 0, 1)),
    )

    def __init__(self, epsilon: int, fragment: int) -> None:
        self._mechanism = _EveryStageAtEpsilon(epsilon, fragment)

    @classmethod
    def as_claimed(cls) -> "GroupByWithEveryStageAtEpsilon":
        """With epsilon = 1 and fragments of one person."""
        return cls(1, 1)

    def log_probabilities(self, problem: SelectionProblem) -> Floats:
        """The law of both groups' sets."""
        problem.require_public("log_probabilities")
        members = members_of(problem)
        return np.add.outer(self._mechanism.set_law(members), self._mechanism.set_law(~members)).ravel()


def _softmax(x: Floats) -> Floats:
    return np.asarray(x - np.log(np.exp(x).sum()))
