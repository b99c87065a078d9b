"""The rank rule: a public largest degree, and three changed edges for one."""

import numpy as np
import pytest

from dampen.audit import graphs
from dampen.audit.neighbours import Graph
from dampen.errors import ParameterError
from dampen.queries.graph.projection import CHANGES, project
from tests.conftest import Refused
from tests.unit.queries.graph import judges as judge


def edges_after(x: Graph, max_degree: int) -> frozenset[tuple[int, int]]:
    offsets, neighbours = project(*judge.csr(x), max_degree=max_degree)
    return frozenset(
        (v, int(u)) for v in range(x[0]) for u in neighbours[offsets[v] : offsets[v + 1]] if v < u
    ) | frozenset((int(u), v) for v in range(x[0]) for u in neighbours[offsets[v] : offsets[v + 1]] if u < v)


def by_definition(x: Graph, max_degree: int) -> frozenset[tuple[int, int]]:
    near = [sorted(nodes) for nodes in judge.neighbour_sets(x)]
    return frozenset((a, b) for a, b in x[1] if near[a].index(b) < max_degree and near[b].index(a) < max_degree)


def greedy(x: Graph, max_degree: int) -> frozenset[tuple[int, int]]:
    """Add edges in order while both ends have room."""
    room, kept = [max_degree] * x[0], set()
    for a, b in sorted(x[1]):
        if room[a] and room[b]:
            kept.add((a, b))
            room[a], room[b] = room[a] - 1, room[b] - 1
    return frozenset(kept)


@pytest.mark.parametrize("max_degree", [1, 2, 3, 5])
def test_the_rank_rule_by_definition_on_the_atlas(max_degree: int) -> None:
    """No degree above the largest, both directions kept, at most three changes for one edge, and three are needed."""
    most = 0
    for x in graphs(largest=6, smallest=2):
        after = edges_after(x, max_degree)
        assert after == by_definition(x, max_degree)
        assert max(judge.degrees((x[0], after))) <= max_degree
        for y, _ in judge.added(x):
            most = max(most, len(after ^ edges_after(y, max_degree)))
    assert most == (CHANGES if max_degree < 4 else 1)


def test_the_greedy_rule_cascades() -> None:
    """The control: one edge changes more than three, and ever more in a longer path."""
    changes = max(len(greedy(x, 1) ^ greedy(y, 1)) for x in graphs(largest=6, smallest=2) for y, _ in judge.added(x))
    assert changes > CHANGES
    path = (40, frozenset((i, i + 1) for i in range(1, 39)))
    longer = (40, path[1] | {(0, 1)})
    assert len(greedy(path, 1) ^ greedy(longer, 1)) == 39


def test_nothing_happens_below_the_largest_degree() -> None:
    for x in graphs(largest=5, smallest=1):
        offsets, neighbours = project(*judge.csr(x), max_degree=max(x[0] - 1, 1))
        assert [offsets.tolist(), neighbours.tolist()] == [part.tolist() for part in judge.csr(x)]


def test_the_path_between_two_projected_graphs_keeps_the_degree() -> None:
    """Remove first, then add: the graphs on the way are bounded too, so that the tighter bound holds at each step."""
    for x in graphs(largest=5, smallest=5):
        for y, _ in judge.added(x):
            common = edges_after(x, 2) & edges_after(y, 2)
            assert max(judge.degrees((5, common))) <= 2


def test_a_largest_degree_below_one_is_refused(refused: Refused) -> None:
    with refused(ParameterError, "max_degree", "0"):
        project(np.array([0]), np.array([]), max_degree=0)
