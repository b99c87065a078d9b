"""PageRank, whole votes and core numbers: their definitions, their peers, and an ear for interrupts."""

from collections.abc import Callable
from fractions import Fraction
from itertools import combinations
from typing import Any

import networkx
import numpy as np
import pytest

from dampen.errors import ParameterError
from dampen.graphs import rank_kernels, rank_scores
from dampen.graphs import threads as graph_threads
from dampen.graphs.graph import Graph
from dampen.graphs.rank_scores import core_numbers, neighbour_votes, pagerank
from tests.unit.graphs import judges

DAMPING, STEPS = 0.85, 200
GRAPHS: dict[str, Callable[[], Graph]] = {
    "no edges": lambda: Graph.from_edges([], [], nodes=3),
    "one node": lambda: Graph.from_edges([], [], nodes=1),
    "a path": lambda: Graph.from_edges([0, 1], [1, 2], nodes=3),
    "two centres": lambda: Graph.from_edges([0] * 9 + [1] * 9, [*range(2, 11)] * 2, nodes=12),
    "sparse": lambda: judges.random_graph(200, 0.03, 1),
    "dense": lambda: judges.random_graph(60, 0.6, 2),
    "hubs and cliques": lambda: judges.hubs_and_cliques(3),
}
each_graph = pytest.mark.parametrize("name", GRAPHS)


def rows(graph: Graph) -> tuple[Any, Any]:
    return graph.offsets, graph.neighbours


def as_networkx(graph: Graph) -> Any:
    peer = networkx.empty_graph(graph.nodes)
    peer.add_edges_from(zip(*(ends.tolist() for ends in graph.edges()), strict=True))
    return peer


def as_igraph(graph: Graph) -> Any:
    return pytest.importorskip("igraph").Graph(n=graph.nodes, edges=np.stack(graph.edges(), axis=1))


@each_graph
def test_votes_are_whole_and_summed_exactly(name: str) -> None:
    graph, whole = GRAPHS[name](), 2**40
    near = judges.sets_of(graph)
    assert neighbour_votes(*rows(graph), whole).tolist() == [sum(whole // len(near[s]) for s in each) for each in near]


@each_graph
def test_pagerank_is_its_fixed_point_and_that_of_the_peers(name: str) -> None:
    """Peers tell ranks that sum up to 1; networkx hands out what nodes without edges would lose, evenly."""
    graph = GRAPHS[name]()
    found, near = pagerank(*rows(graph), DAMPING, STEPS), judges.sets_of(graph)
    again = [1 - DAMPING + DAMPING * sum(found[s] / len(near[s]) for s in each) for each in near]
    assert found == pytest.approx(again, abs=1e-10)
    alone = sum(not each for each in near)
    assert found.sum() == pytest.approx(graph.nodes - DAMPING * alone, abs=1e-9)
    share = found / found.sum()
    told = networkx.pagerank(as_networkx(graph), alpha=DAMPING, tol=1e-12, max_iter=1000)
    assert share == pytest.approx([told[v] for v in range(graph.nodes)], abs=1e-9)
    peer = as_igraph(graph)
    assert share == pytest.approx(peer.pagerank(damping=DAMPING), abs=1e-6)


def test_the_method_of_graphs_is_close_to_the_fixed_point() -> None:
    graph = GRAPHS["hubs and cliques"]()
    assert np.abs(graph.pagerank() - pagerank(*rows(graph), 0.85, 400)).sum() < 1e-7 * graph.nodes
    assert graph.pagerank(threads=1).tolist() == graph.pagerank(threads=3).tolist()


@each_graph
def test_core_numbers_are_those_of_the_peers(name: str) -> None:
    graph = GRAPHS[name]()
    found = core_numbers(*rows(graph)).tolist()
    assert found == graph.core_numbers().tolist()
    told = networkx.core_number(as_networkx(graph))
    assert found == [told[v] for v in range(graph.nodes)]
    assert found == as_igraph(graph).coreness()


def test_core_numbers_are_their_definition() -> None:
    """The largest k for which some subgraph that holds the node has all degrees at least k."""
    for seed in range(4):
        graph = judges.random_graph(7, 0.5, seed)
        near = judges.sets_of(graph)
        parts = [set(part) for size in range(1, 8) for part in combinations(range(7), size)]
        least = [(part, min(len(near[v] & part) for v in part)) for part in parts]
        assert core_numbers(*rows(graph)).tolist() == [max(k for part, k in least if v in part) for v in range(7)]


def test_the_number_of_threads_and_of_parts_does_not_matter(monkeypatch: pytest.MonkeyPatch) -> None:
    graph = GRAPHS["hubs and cliques"]()
    votes, ranks, cores = (
        neighbour_votes(*rows(graph), 2**40),
        pagerank(*rows(graph), DAMPING, 20),
        graph.core_numbers(),
    )
    monkeypatch.setattr(rank_scores, "WORTH_THREADS", 1)
    monkeypatch.setattr(rank_scores, "STEPS_AT_ONCE", 100)
    monkeypatch.setattr(rank_scores, "PEELED_AT_ONCE", 100)
    assert core_numbers(*rows(graph)).tolist() == cores.tolist()
    for threads in (1, 2, 3, 8):
        assert neighbour_votes(*rows(graph), 2**40, threads=threads).tolist() == votes.tolist()
        assert pagerank(*rows(graph), DAMPING, 20, threads=threads).tolist() == ranks.tolist()
    with pytest.raises(ParameterError, match="threads must be"):
        pagerank(*rows(graph), DAMPING, 1, threads=0)


def test_compiled_code_comes_back_after_a_bounded_number_of_steps(monkeypatch: pytest.MonkeyPatch) -> None:
    """Between two calls an interrupt is heard: no call takes more than one row beyond its steps."""
    graph = GRAPHS["hubs and cliques"]()
    calls: list[tuple[int, int]] = []
    step = rank_kernels.pagerank_step

    def heard(first: int, last: int, *rest: Any) -> None:
        calls.append((first, last))
        step(first, last, *rest)

    monkeypatch.setattr(rank_scores, "STEPS_AT_ONCE", 500)
    monkeypatch.setattr(rank_kernels, "pagerank_step", heard)
    pagerank(*rows(graph), DAMPING, 1, threads=1)
    edges = [int(graph.offsets[last] - graph.offsets[first]) for first, last in calls]
    assert sum(edges) == len(graph.neighbours)
    assert max(edges) <= 500 + graph.degrees().max()


def test_peeling_comes_back_after_a_bounded_number_of_steps(monkeypatch: pytest.MonkeyPatch) -> None:
    graph, gone = GRAPHS["hubs and cliques"](), [0]
    peel = rank_kernels.peel

    def heard(*arguments: Any) -> int:
        gone.append(peel(*arguments))
        return gone[-1]

    monkeypatch.setattr(rank_scores, "PEELED_AT_ONCE", 500)
    monkeypatch.setattr(rank_kernels, "peel", heard)
    graph.core_numbers()
    assert gone[-1] == graph.nodes
    assert len(gone) > (len(graph.neighbours) + graph.nodes) / (500 + graph.degrees().max())


def test_an_interrupt_stops_the_steps(monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(_: Any, timeout: float) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(rank_scores, "WORTH_THREADS", 1)
    monkeypatch.setattr(graph_threads, "wait", interrupted)
    with pytest.raises(KeyboardInterrupt):
        pagerank(*rows(GRAPHS["hubs and cliques"]()), DAMPING, 10**9, threads=2)


def test_votes_of_large_degrees_fit() -> None:
    """A star of so many leaves that the sum of their votes needs 57 bits."""
    leaves = 2**17
    graph = Graph.from_edges([0] * leaves, range(1, leaves + 1), nodes=leaves + 1)
    assert neighbour_votes(*rows(graph), 2**40)[:2].tolist() == [leaves * 2**40, 2**40 // leaves]
    assert Fraction(int(neighbour_votes(*rows(graph), 2**40)[0]), 2**40) == leaves
