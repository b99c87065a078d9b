"""Edges counted so that a node is hidden with all its edges: the joint law of cap and answer on graphs of 5 nodes."""

from collections.abc import Callable, Iterable, Iterator
from fractions import Fraction
from functools import cache
from itertools import combinations

import numpy as np
import pytest

from dampen import Adjacency
from dampen.graphs.graph import Graph
from dampen.mechanisms import EdgeRace
from dampen.problem import CapFrame, CapProblem
from dampen.queries import kept_edges_problem
from dampen.vectors import Floats
from tests.unit.graphs import judges
from tests.unit.graphs.judges import Row

Rows = tuple[Row, ...]
Order = Callable[[Iterable[Row]], list[Row]]
PAIRS = list(combinations(range(5), 2))
FRAME = CapFrame(Adjacency.ADD_REMOVE, caps=4, spread=3, unit="node")
each_epsilon = pytest.mark.parametrize(("epsilon", "known"), [(1, "0.8521"), (3, "0.8468")])


def all_graphs() -> Iterator[Rows]:
    return (tuple(edge for bit, edge in enumerate(PAIRS) if code >> bit & 1) for code in range(2 ** len(PAIRS)))


def neighbours() -> list[tuple[Rows, Rows]]:
    """Each graph, and what is left of it without the edges of one node, where it has any."""
    pairs = ((rows, judges.without(rows, node)) for rows in all_graphs() for node in range(5))
    return [(rows, less) for rows, less in pairs if rows != less]


@cache
def public_problem(rows: Rows) -> CapProblem:
    """As the library poses it."""
    src, dst = [row[0] for row in rows], [row[1] for row in rows]
    return kept_edges_problem(Graph.from_edges(src, dst, nodes=5), threads=1)


def problem_by(order: Order, rows: Iterable[Row], spread: int = 3) -> CapProblem:
    """By the definition, in an order that may look at all rows."""
    frame = CapFrame(Adjacency.ADD_REMOVE, caps=4, spread=spread, unit="node")
    kept = [judges.rows_kept(order(rows), cap) for cap in (*frame.caps, 8)]
    scores = [Fraction(more - now, cap) for now, more, cap in zip(kept, kept[1:], frame.caps, strict=False)]
    return CapProblem(frame, scores, kept[:-1])


class JointLaw:
    """Ln P of every cap with every answer around the totals: further out the ratios of the noise repeat."""

    def __init__(self, epsilon: int) -> None:
        self.mechanism = EdgeRace(epsilon)
        self._known: dict[tuple[object, ...], list[Floats]] = {}

    def of(self, problem: CapProblem) -> list[Floats]:
        key = problem.frame.spread, problem.above, problem.sums
        if key not in self._known:
            chances = self.mechanism.log_cap_probabilities(problem)
            self._known[key] = [
                chance + self.mechanism.noise(problem.frame, cap).log_probabilities(np.arange(-20, 50) - total)
                for chance, cap, total in zip(chances, problem.frame.caps, problem.sums or (), strict=True)
            ]
        return self._known[key]

    def loss(self, one: CapProblem, other: CapProblem) -> float:
        """The largest log-ratio of one release, both ways."""
        return max(float(np.abs(a - b).max()) for a, b in zip(self.of(one), self.of(other), strict=True))

    def worst(self, problem_of: Callable[[Rows], CapProblem]) -> float:
        return max(self.loss(problem_of(rows), problem_of(less)) for rows, less in neighbours())


def in_public_order(rows: Iterable[Row]) -> list[Row]:
    return sorted(rows, key=judges.public_place)


@each_epsilon
def test_cap_and_answer_together_hold_the_claim(epsilon: int, known: str) -> None:
    law = JointLaw(epsilon)
    assert law.mechanism.privacy(public_problem(()).frame).epsilon == epsilon
    assert len(neighbours()) == 4800
    assert law.worst(public_problem) == pytest.approx(float(known) * epsilon, abs=1e-4)


def test_the_library_asks_what_the_definition_says() -> None:
    for rows in all_graphs():
        found, expected = public_problem(rows), problem_by(in_public_order, rows)
        assert (found.frame, found.above, found.sums) == (FRAME, expected.above, expected.sums)


def test_scores_move_between_minus_1_and_2_and_as_far() -> None:
    changes = {
        float(now - less)
        for one, other in neighbours()
        for now, less in zip(public_problem(one).above, public_problem(other).above, strict=True)
    }
    assert (min(changes), max(changes)) == (-1.0, 2.0)


@each_epsilon
def test_a_spread_of_1_is_caught(epsilon: int, known: str) -> None:
    """The control: scores priced as counts of people above a cap, which move in one direction by 1."""
    worst = JointLaw(epsilon).worst(cache(lambda rows: problem_by(in_public_order, rows, spread=1)))
    assert worst > 1.25 * epsilon


def paths(count: int, first: int = 0) -> list[Row]:
    """So many paths of three edges, the two outer edges of each listed before the middle one."""
    ends = [(first + 4 * i, first + 4 * i + 1, first + 4 * i + 2, first + 4 * i + 3) for i in range(count)]
    return [row for a, b, c, d in ends for row in ((a, b), (c, d), (b, c))]


def test_the_order_of_a_file_is_caught() -> None:
    """The control: a node more, and the rows listed the other way round. The public order does not see it."""
    law, rows = JointLaw(1), paths(5)
    one, other = [*rows, (20, 21)], rows[::-1]
    assert law.loss(problem_by(list, one), problem_by(list, other)) > 3
    assert law.loss(problem_by(in_public_order, one), problem_by(in_public_order, other)) <= 1


def number_anew(rows: Iterable[Row]) -> list[Row]:
    """In the public order of the ranks that ids have among those who are there."""
    rank = {end: place for place, end in enumerate(sorted({end for row in rows for end in row}))}
    return sorted(rows, key=lambda row: judges.public_place((rank[row[0]], rank[row[1]])))


def test_ids_that_are_counted_anew_are_caught() -> None:
    """The control: the first node leaves, and everybody's order changes."""
    law, one = JointLaw(1), [(0, 1), *paths(22, first=1)]
    other = judges.without(one, 0)
    assert law.loss(problem_by(number_anew, one), problem_by(number_anew, other)) > 1.5
    assert law.loss(problem_by(in_public_order, one), problem_by(in_public_order, other)) <= 1
