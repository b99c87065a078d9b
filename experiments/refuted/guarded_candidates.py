"""The local sensitivity of information gain by Algorithm 5, where no value gets more records than the table has."""

from collections.abc import Sequence
from functools import cached_property
from itertools import accumulate
from math import log2

import numpy as np

from dampen import Adjacency, Frame, SelectionProblem
from dampen.mechanisms import LocalDampening
from dampen.queries.splits.attribute import FLOOR, information_gains
from dampen.sensitivity import SensitivityFunction
from dampen.vectors import Floats
from experiments.refuted.base import Evidence, Kind, RefutedMechanism

Tables = Sequence[Sequence[Sequence[int]]]
"""One table for each attribute: values by classes."""
RUNGS = 12
"""So many are computed; those beyond are the last."""


def moved(a: int, b: int) -> float:
    """h(a, b): the most that a record more or less of a class with b of the a records of a value moves the gain."""

    def gained(x: int) -> float:
        return x * log2((x + 1) / x) + log2(x + 1) if x > 0 else 0.0

    def lost(x: int) -> float:
        return x * log2((x - 1) / x) - log2(x - 1) if x > 1 else 0.0

    return max(gained(a) - gained(b), lost(b) - lost(a))


def rungs_by_algorithm_5(table: Sequence[Sequence[int]], *, guarded: bool = True) -> list[float]:
    """The first rungs of one attribute: the largest h over all pairs (a, b) that Candidates meets.

    ``guarded``: as printed, a record is added to a value only where it has fewer than the table has now.
    """
    size = sum(map(sum, table))
    most = [0.0] * RUNGS
    for row in table:
        for b in row:
            candidates = {(sum(row), b)}
            for t in range(RUNGS):
                most[t] = max(most[t], *(moved(*pair) for pair in candidates))
                taken = {(x - 1, y - 1) for x, y in candidates if x > 0 and y > 0}
                added = {(x + 1, y) for x, y in candidates if x < size or not guarded}
                candidates = taken | added or candidates
    return list(accumulate(most, max))


class AlgorithmFive(SensitivityFunction):
    """The rungs by Algorithm 5."""

    def __init__(self, tables: Tables) -> None:
        super().__init__(size=len(tables), bound=None, floor=FLOOR)
        self._tables = tables

    @cached_property
    def _rungs(self) -> Floats:
        return np.array([rungs_by_algorithm_5(table) for table in self._tables]).T

    def at(self, t: int) -> Floats:
        """Rung t of each attribute."""
        return np.asarray(self._rungs[min(t, RUNGS - 1)])


def guarded_problem(tables: Tables) -> SelectionProblem:
    """Which attribute gains the most information? With the rungs of Algorithm 5."""
    frame = Frame(range(len(tables)), bound=None, adjacency=Adjacency.ADD_REMOVE, monotone=True)
    return SelectionProblem(frame, information_gains([np.array(table) for table in tables]), AlgorithmFive(tables))


class DampeningByGuardedCandidates(RefutedMechanism):
    """Local dampening with rungs that stop to grow where a value has all records of the table.

    Records may be added, so the value may have more. Four records of one class: the first rung is 3.61, and one record
    more makes it 3.90, but the guard keeps rung 1 at 3.61. The theorem that dampening is private does not apply; no
    pair is known on which its law loses more than epsilon. Without the guard the algorithm is exact
    (``dampen.queries.information_gain_problem``).
    """

    evidence = Evidence(
        kind=Kind.ADMISSIBILITY,
        claim="the largest h over Candidates is the element local sensitivity of information gain at distance t",
        source="Farias et al., VLDB Journal 2023, Algorithm 5 (line 10) and Lemma 15: counts (0, 4), one record more",
        claimed_epsilon=1,
        problem_of=guarded_problem,
        pair=((((0, 4),), ((0, 2), (0, 2))), (((0, 5),), ((0, 3), (0, 2)))),
        horizon=4,
    )

    def __init__(self, epsilon: int) -> None:
        self.epsilon = epsilon

    @classmethod
    def as_claimed(cls) -> "DampeningByGuardedCandidates":
        """With epsilon = 1."""
        return cls(1)

    def log_probabilities(self, problem: SelectionProblem) -> Floats:
        """The law of local dampening."""
        problem.require_public("log_probabilities")
        return np.asarray(LocalDampening(self.epsilon).log_probabilities(problem))
