"""What the largest-local-sensitivities paper prints, whether right or not, and dense counts of small graphs."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import log

import numpy as np

from dampen import Adjacency, Graph, NumericFrame, NumericProblem
from dampen.audit import laplace_pair
from dampen.mechanisms import Ladder
from dampen.sensitivity import RungTable
from dampen.vectors import Floats


def ratio(epsilon: float, delta: float) -> float:
    """R = 1 + t / 2 with t = epsilon / ln(1 / delta): how far the rates of two neighbours may be apart."""
    return 1 + epsilon / (2 * log(1 / delta))


def printed_rates(levels: Sequence[float], epsilon: float, delta: float, *, gap_rule: bool = True) -> Floats:
    """Algorithm 1 where neighbours are at most one level apart: the rate of every level, from the lowest up.

    ``levels`` are the local sensitivities of the levels, in ascending order. By the gap rule a level keeps the rate of
    the next one while their sensitivities are closer than R.
    """
    step, rates = ratio(epsilon, delta), np.empty(len(levels))
    rates[-1] = epsilon / (2 * levels[-1])
    for k in range(len(levels) - 2, -1, -1):
        if gap_rule and levels[k + 1] / levels[k] < step:
            rates[k] = rates[k + 1]
        else:
            rates[k] = min(epsilon / (2 * levels[k]), rates[k + 1] * step)
    return rates


@dataclass(frozen=True, eq=False)
class TwoTriangles:
    """Pairs of triangles on a common edge in a small graph, from its dense matrix."""

    adjacency: Floats

    @classmethod
    def of(cls, graph: Graph) -> "TwoTriangles":
        """Of a graph of at most some thousand nodes."""
        matrix = np.zeros((graph.nodes, graph.nodes))
        src, dst = graph.edges()
        matrix[src, dst] = matrix[dst, src] = 1
        return cls(matrix)

    @property
    def nodes(self) -> int:
        """Of the graph."""
        return len(self.adjacency)

    def shared(self) -> Floats:
        """Common neighbours of all pairs."""
        found = self.adjacency @ self.adjacency
        np.fill_diagonal(found, 0)
        return found

    def level(self) -> int:
        """The published a: the largest support of an edge in any graph with one edge more."""
        shared, linked = self.shared(), self.adjacency == 1
        degrees = self.adjacency.sum(axis=1)
        room = np.maximum(degrees[:, None], degrees[None, :]) - 1 > shared
        supports = np.where(linked, shared + room, shared)
        np.fill_diagonal(supports, 0)
        return int(supports.max())

    def changes(self) -> Floats:
        """How far the count moves if the edge of a pair is put in or taken out."""
        x, shared = self.adjacency, self.shared()
        weighted = x * shared
        moves = shared * (shared - 1) / 2 + weighted @ x + x @ weighted - 2 * x * shared
        np.fill_diagonal(moves, 0)
        return moves

    def worst_neighbour(self) -> tuple["TwoTriangles", float]:
        """The neighbour whose count is furthest away, and how far."""
        moves = self.changes()
        pairs = np.triu_indices(self.nodes, 1)
        place = int(moves[pairs].argmax())
        i, j = pairs[0][place], pairs[1][place]
        other = self.adjacency.copy()
        other[i, j] = other[j, i] = 1 - other[i, j]
        return TwoTriangles(other), float(moves[i, j])


def printed_scale(level: int, nodes: int, epsilon: float, delta: float, *, gap_rule: bool = True) -> float:
    """Of 2-triangles: levels 5/2, 5, 15/2, ... up to 5/2 (n - 2); a level of 0 counts as 1."""
    rates = printed_rates([2.5 * a for a in range(1, nodes - 1)], epsilon, delta, gap_rule=gap_rule)
    return float(1 / rates[max(level, 1) - 1])


def printed_delta(counts: TwoTriangles, epsilon: float, delta: float, *, gap_rule: bool = True) -> float:
    """The exact delta that the printed noise needs on a graph and its worst neighbour."""
    other, distance = counts.worst_neighbour()
    scales = [printed_scale(c.level(), c.nodes, epsilon, delta, gap_rule=gap_rule) for c in (counts, other)]
    found = laplace_pair(epsilon=epsilon, distance=distance, scale=scales[0], other_scale=scales[1])
    return float(found.delta)


def printed_ladder(level: int, largest: int, nodes: int) -> NumericProblem:
    """The published ladder: 5/2 a, and 4 (a_max + i) more at each step, up to 5/2 (n - 2); rounded up."""
    bound, rung = int(np.ceil(2.5 * (nodes - 2))), 2.5 * level
    rungs: list[list[int]] = []
    while rung < bound and len(rungs) < nodes:
        rungs.append([int(np.ceil(rung))])
        rung += 4 * (largest + len(rungs) - 1)
    frame = NumericFrame(bound, Adjacency.EDGE)
    return NumericProblem(frame, 0, RungTable(rungs or [[bound]], bound=bound)).as_public()


def printed_ladder_noise(level: int, largest: int, nodes: int, epsilon: float) -> float:
    """The mean size of the ladder mechanism's noise on it."""
    return float(Ladder(epsilon).expected_absolute_noise(printed_ladder(level, largest, nodes)))
