"""Pairs of triangles with a sensitivity bound whose square was lost: 5/2 a in place of (5 a^2 - a) / 2."""

from itertools import combinations
from math import comb, log

from dampen import Adjacency, NumericFrame, NumericProblem
from dampen.audit.neighbours import Graph
from dampen.sensitivity import RungTable
from experiments.refuted.numbers import NumericEvidence, RefutedNoise

NODES = 6
ALL = list(combinations(range(NODES), 2))
COMPLETE: Graph = (NODES, frozenset(ALL))
OF_SECTION_5_3: Graph = (NODES, frozenset({(0, 1), (0, 2), (0, 3), (0, 4), (0, 5), (1, 3), (1, 5), (2, 3), (2, 4)}))


def supports(graph: Graph) -> dict[tuple[int, int], int]:
    """In how many triangles each edge lies."""
    near = [{a + b - v for a, b in graph[1] if v in (a, b)} for v in range(graph[0])]
    return {(a, b): len(near[a] & near[b]) for a, b in graph[1]}


def two_triangles(graph: Graph) -> int:
    """Pairs of triangles that share an edge."""
    return sum(comb(count, 2) for count in supports(graph).values())


def largest_support(graph: Graph) -> int:
    """The published a: the largest support in the graph with one edge more; a complete graph has its own."""
    larger = [(NODES, graph[1] | {pair}) for pair in ALL if pair not in graph[1]] or [graph]
    return max(max(supports(other).values(), default=0) for other in larger)


def problem_of(graph: Graph) -> NumericProblem:
    """The count of a graph on six nodes, with the published bound as its only rung."""
    published = [[2.5 * largest_support(graph)]]
    return NumericProblem(NumericFrame(30, Adjacency.EDGE), two_triangles(graph), RungTable(published, bound=30))


class TwoTrianglesByTheSmallBound(RefutedNoise):
    """Largest local sensitivities with levels 5/2, 5, 15/2 and 10, where an edge of the complete graph moves 30."""

    evidence = NumericEvidence(
        claim="5/2 a bounds how far an edge moves the number of 2-triangles",
        source="Canard, Olivier and Quertier, PST 2017, section 5.3: the complete graph on six nodes less an edge",
        claimed_epsilon=5,
        claimed_delta=1 / 2000,
        problem_of=problem_of,
        pair=(COMPLETE, (NODES, COMPLETE[1] - {(0, 1)})),
    )

    def __init__(self, epsilon: float, delta: float) -> None:
        self.epsilon, self.step = epsilon, 1 + epsilon / (2 * log(1 / delta))

    @classmethod
    def as_claimed(cls) -> "TwoTrianglesByTheSmallBound":
        """With epsilon = 5 and delta = 1/2000."""
        return cls(5, 1 / 2000)

    def scale_of(self, problem: NumericProblem) -> float:
        """The largest 2 L_k / (epsilon R^(k - level)) over the levels k from the graph's own up; L_k = 5/2 k."""
        level = max(round(float(problem.sensitivity.at(0)[0]) / 2.5), 1)
        return max(2 * 2.5 * k / self.epsilon / self.step ** (k - level) for k in range(level, NODES - 1))
