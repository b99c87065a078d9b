"""Edges kept under every cap on a node's edges, as a problem."""

from fractions import Fraction

import pytest

import dampen
from dampen import Adjacency
from dampen.errors import ParameterError
from dampen.graphs.kept_rows import count_rows_kept
from dampen.problem import CapFrame
from dampen.queries import kept_edges_problem
from dampen.queries.rows_of_two import rows_of_two_frame, rows_of_two_problem
from tests.unit.graphs import judges


@pytest.mark.parametrize(
    ("nodes", "caps"), [(1, (1,)), (2, (1,)), (3, (1, 2)), (5, (1, 2, 4)), (6, (1, 2, 4, 5)), (10, (1, 2, 4, 8, 9))]
)
def test_caps_go_up_to_what_a_node_can_have(nodes: int, caps: tuple[int, ...]) -> None:
    frame = kept_edges_problem(dampen.Graph.from_edges([], [], nodes=nodes)).frame
    assert frame == CapFrame(Adjacency.ADD_REMOVE, caps=caps, spread=3, unit="node")


def test_scores_and_sums_are_their_definitions() -> None:
    graph = judges.hubs_and_cliques(1)
    problem = kept_edges_problem(graph)
    ordered = sorted(zip(*(ends.tolist() for ends in graph.edges()), strict=True), key=judges.public_place)
    for cap, score, kept in zip(problem.frame.caps, problem.above, problem.sums or (), strict=True):
        assert kept == judges.rows_kept(ordered, cap)
        assert score == Fraction(judges.rows_kept(ordered, 2 * cap) - kept, cap)
    assert problem.above[-1] == 0
    assert (problem.sums or ())[-1] == len(ordered)
    assert 0 < (problem.sums or ())[0] < len(ordered)


def test_neither_how_edges_are_listed_nor_names_that_are_declared_matter() -> None:
    """Nodes are known by their place in the declared list."""
    named = dampen.Graph.from_edges(["a", "d", "a"], ["b", "a", "c"], nodes=["a", "b", "c", "d"])
    numbered = dampen.Graph.from_edges([3, 0, 1], [0, 2, 0], nodes=4)
    assert kept_edges_problem(named).sums == kept_edges_problem(numbered).sums


def test_messages_are_counted_with_repeats_and_those_to_oneself() -> None:
    frame = rows_of_two_frame(Adjacency.REPLACE, caps=4, unit="sender")
    assert (frame.caps, float(frame.spread), frame.unit) == ((1, 2, 4), 6.0, "sender")
    src, dst = [0, 0, 1, 0, 2, 2], [1, 1, 0, 1, 2, 2]
    problem = rows_of_two_problem(frame, lambda caps: count_rows_kept(src, dst, caps, nodes=3))
    assert problem.sums == (2, 4, 6)
    assert [float(score) for score in problem.above] == [2, 1, 0]


def test_what_is_no_graph_is_refused() -> None:
    with pytest.raises(ParameterError, match=r"graph must be a dampen\.Graph"):
        kept_edges_problem([(0, 1)])  # type: ignore[arg-type]
    with pytest.raises(ParameterError, match="adjacency must be"):
        rows_of_two_frame(Adjacency.EDGE, caps=4, unit="node")
