"""The rank rule: a public largest degree, and three changed edges for one."""

from fractions import Fraction
from typing import Any

import numpy as np
import pytest

import dampen
from dampen.audit import audit_numeric, edge_neighbours, graphs
from dampen.audit.neighbours import Graph
from dampen.errors import ParameterError
from dampen.graphs import cut_kernels, stretches
from dampen.graphs.building import GraphReport
from dampen.mechanisms import PolyPlace
from dampen.queries import triangle_problem
from dampen.queries.graph.projection import CHANGES, project
from tests.conftest import Refused
from tests.unit.queries.graph import judges as judge


def edges_after(x: Graph, max_degree: int) -> frozenset[tuple[int, int]]:
    cut = project(graph_of(x), max_degree=max_degree)
    rows = np.split(cut.neighbours, cut.offsets[1:-1])
    listed = {(v, u) for v, row in enumerate(rows) for u in row.tolist()}
    assert all(row.tolist() == sorted(row.tolist()) for row in rows)
    assert listed == {(u, v) for v, u in listed}
    assert cut.report == GraphReport(len(listed) // 2, 0, 0)
    return frozenset((v, u) for v, u in listed if v < u)


def graph_of(x: Graph) -> dampen.Graph:
    return dampen.Graph.from_edges([a for a, _ in x[1]], [b for _, b in x[1]], nodes=x[0])


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
        graph = graph_of(x)
        assert project(graph, max_degree=max(x[0] - 1, 1)) == graph == project(graph, max_degree=2**40)


def test_the_path_between_two_projected_graphs_keeps_the_degree() -> None:
    """Remove first, then add: the graphs on the way are bounded too, so that the tighter bound holds at each step."""
    for x in graphs(largest=5, smallest=5):
        for y, _ in judge.added(x):
            common = edges_after(x, 2) & edges_after(y, 2)
            assert max(judge.degrees((5, common))) <= 2


def test_a_largest_degree_below_one_is_refused(refused: Refused) -> None:
    with refused(ParameterError, "max_degree", "0"):
        project(graph_of((1, frozenset())), max_degree=0)


def test_many_edges_are_cut_in_stretches_that_are_cut_anywhere(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(0)
    graph = dampen.Graph.from_edges(rng.integers(0, 300, 5000), rng.integers(0, 300, 5000), nodes=300)
    whole = project(graph, max_degree=20)
    edges = frozenset(zip(*(end.tolist() for end in graph.edges()), strict=True))
    assert frozenset(zip(*(end.tolist() for end in whole.edges()), strict=True)) == by_definition((300, edges), 20)
    seen = list[int]()

    def watched(first: int, last: int, most: int, offsets: Any, *more: Any) -> None:
        seen.append(int(offsets[last] - offsets[first]) if last - first > 1 else 0)
        kernel(first, last, most, offsets, *more)

    kernel = cut_kernels.keep_first
    monkeypatch.setattr(cut_kernels, "keep_first", watched)
    for slots in (1, 7, 100):
        monkeypatch.setattr(stretches, "SLOTS_AT_ONCE", slots)
        seen.clear()
        assert project(graph, max_degree=20) == whole
        assert max(seen) <= slots
    assert max(seen) > 50, "of several nodes at once"


def test_what_was_cut_off_is_not_kept_and_what_is_left_cannot_be_written() -> None:
    cut = project(graph_of((50, frozenset((0, leaf) for leaf in range(1, 50)))), max_degree=2)
    for rows in (cut.offsets, cut.neighbours):
        assert rows.base is None
        assert not rows.flags.writeable
    assert cut.neighbours.tolist() == [1, 2, 0, 0]


def test_a_cut_graph_is_asked_at_a_third_of_the_price() -> None:
    """One edge changes up to three of its edges: at the whole price the auditor finds it out."""

    def worst(epsilon: Fraction) -> float:
        def problem_of(x: Graph) -> dampen.NumericProblem:
            return triangle_problem(project(graph_of(x), max_degree=2))

        return audit_numeric(PolyPlace(epsilon), problem_of, graphs(largest=5), edge_neighbours).worst_log_ratio

    assert worst(Fraction(1)) > 1.9
    assert worst(Fraction(1, CHANGES)) <= 1


def test_a_cut_graph_has_no_methods_that_ask_and_no_graph_has_one_that_cuts() -> None:
    payer = dampen.Budget(epsilon=1)
    cut = project(graph_of((3, frozenset({(0, 1), (1, 2)}))).paid_by(payer), max_degree=1)
    assert not {"count", "top_nodes", "paid_by"} & {*dir(cut)}
    assert not [name for name in dir(dampen.Graph) if "first" in name or "cut" in name]
    assert not any(kept is payer for kept in vars(cut).values())


def test_labels_stay_with_their_nodes() -> None:
    graph = dampen.Graph.from_edges(["a", "a"], ["b", "c"], nodes=["c", "b", "a"])
    assert [*project(graph, max_degree=1).labels] == ["c", "b", "a"]
