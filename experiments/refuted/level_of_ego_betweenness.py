"""The level method with ego betweenness itself in place of the distance-2 statistic."""

from fractions import Fraction

import numpy as np

from dampen import SelectionProblem
from dampen.audit.neighbours import Graph
from dampen.mechanisms import LaplaceTopK
from dampen.queries import level_problem
from dampen.queries.graph.level import plan_with_step
from dampen.vectors import Floats
from experiments.refuted.base import Evidence, Kind, RefutedMechanism

LEAVES = 14
SPOKES = frozenset((centre, leaf) for centre in (0, 1) for leaf in range(2, 2 + LEAVES))
PLAN = plan_with_step(2 + LEAVES, Fraction(1, 2), Fraction(1), Fraction(66))


def level_problem_by_definition(graph: Graph) -> SelectionProblem:
    """The level score of every node's ego betweenness."""
    nodes, edges = graph
    near = [{a + b - v for a, b in edges if v in (a, b)} for v in range(nodes)]
    ebc = [
        sum(
            Fraction(1, 1 + len(near[x] & near[y] & near[v]))
            for x in near[v]
            for y in near[v]
            if x < y and y not in near[x]
        )
        for v in range(nodes)
    ]
    return level_problem([int(value * 2**PLAN.bits) for value in ebc], [len(n) for n in near], PLAN)


class LevelOfEgoBetweenness(RefutedMechanism):
    """The two centres share all their neighbours, and an edge between them moves either score by 3 instead of 1."""

    evidence = Evidence(
        kind=Kind.LOSS,
        claim="the level score of ego betweenness moves by at most 1 at the ends of an edge",
        source="a conjecture, refuted in our theory: K_{2,14} and the edge between its centres",
        claimed_epsilon=4,
        problem_of=level_problem_by_definition,
        pair=((2 + LEAVES, SPOKES), (2 + LEAVES, SPOKES | {(0, 1)})),
    )

    def __init__(self, epsilon: float) -> None:
        self.epsilon = epsilon

    @classmethod
    def as_claimed(cls) -> "LevelOfEgoBetweenness":
        """With epsilon = 4."""
        return cls(4)

    def log_probabilities(self, problem: SelectionProblem) -> Floats:
        """The law of the ordered top two."""
        problem.require_public("log_probabilities")
        return np.asarray(LaplaceTopK(2, self.epsilon, movers=2, drift=PLAN.drift).log_probabilities(problem))
