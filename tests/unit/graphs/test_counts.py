"""Graph statistics against their definitions, networkx and each other."""

from collections.abc import Iterator
from fractions import Fraction
from typing import Any

import networkx as nx
import numpy as np
import pytest

from dampen.errors import ParameterError
from dampen.graphs import ego_kernels, node_scores, subgraphs
from dampen.graphs.edge_kernels import add_up, orient
from dampen.graphs.graph import Graph
from dampen.graphs.renumber import degree_order
from dampen.graphs.threads import new_halt, run_parts
from tests.unit.graphs import judges

ZOO = {
    "no edges": lambda: Graph.from_edges([], [], nodes=4),
    "one node": lambda: Graph.from_edges([], [], nodes=1),
    "one edge": lambda: Graph.from_edges([0], [2], nodes=3),
    "triangle": lambda: Graph.from_edges([0, 1, 2], [1, 2, 0], nodes=3),
    "square": lambda: Graph.from_edges([0, 1, 2, 3], [1, 2, 3, 0], nodes=4),
    "clique": lambda: judges.random_graph(70, 1.0, 0),
    "star": lambda: Graph.from_edges([0] * 99, range(1, 100), nodes=100),
    "sparse": lambda: judges.random_graph(300, 0.02, 1),
    "medium": lambda: judges.random_graph(150, 0.2, 2),
    "dense": lambda: judges.random_graph(120, 0.6, 3),
    "very dense": lambda: judges.random_graph(140, 0.97, 4),
    "two centres": lambda: Graph.from_edges([0] * 30 + [1] * 30 + [0], [*range(2, 32)] * 2 + [1], nodes=32),
    "hubs and cliques": lambda: judges.hubs_and_cliques(5),
    "hubs over few edges": lambda: judges.hubs_over_few_edges(8),
}


@pytest.fixture(params=ZOO)
def graph(request: pytest.FixtureRequest) -> Graph:
    made: Graph = ZOO[request.param]()
    return made


def small_graphs(most: int) -> Iterator[Any]:
    return (graph for graph in nx.graph_atlas_g() if 0 < graph.number_of_nodes() <= most)


def test_ego_betweenness_is_its_definition(graph: Graph) -> None:
    joined = judges.sets_of(graph)
    expected = [judges.ego_betweenness(joined, node) for node in range(graph.nodes)]
    found = graph.ego_betweenness()
    assert found.dtype == np.float64
    for node, (value, exact) in enumerate(zip(found.tolist(), expected, strict=True)):
        d = len(joined[node])
        assert abs(Fraction(value) - exact) <= (d + 2) * Fraction(1, 2**53) * (d * (d - 1) // 2)
    some = range(0, graph.nodes, 1 + graph.nodes // 20)
    assert [graph.ego_betweenness_exact(node) for node in some] == [expected[node] for node in some]


@pytest.mark.parametrize("name", ["dense", "very dense", "hubs and cliques"])
def test_the_bits_do_not_depend_on_which_kernel_counts(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """From a list of edges or from the core, at once or a few steps at a time."""
    graph = ZOO[name]()
    values = graph.ego_betweenness()
    monkeypatch.setattr(node_scores, "LEAST_DENSE", 2)
    assert node_scores._ego_rows(*graph._rows())[2][2].any()
    assert graph.ego_betweenness().tobytes() == values.tobytes()
    monkeypatch.setattr(node_scores, "STEPS_AT_ONCE", 500)
    assert graph.ego_betweenness().tobytes() == values.tobytes()
    node = int(values.argmax())
    assert graph.ego_betweenness_exact(node) == judges.ego_betweenness(judges.sets_of(graph), node)


def test_a_centre_of_the_core_leaves_nothing_to_the_next_one(monkeypatch: pytest.MonkeyPatch) -> None:
    """The rows of a sparse hub with as many ego edges as there is room for end where they should."""
    monkeypatch.setattr(node_scores, "LEAST_DENSE", 2)
    graph = judges.clique_beside_hub(66, 250, 10)
    order, rows, core = node_scores._ego_rows(*graph._rows())
    centres = np.array([np.flatnonzero(order == node)[0] for node in (0, 66)], dtype=np.uint32)
    assert core[2][centres].tolist() == [True, False]
    assert rows[3].max() == rows[3][centres[1]] == 10 * 250
    memory, values = list(node_scores._ego_scratch(rows, core)), np.zeros(graph.nodes)
    size = len(memory[5])
    room = np.full(size + 500, 123, dtype=np.uint32)
    memory[5] = room[:size]
    progress = np.zeros(ego_kernels.LARGEST + 1, dtype=np.int64)
    ego_kernels.ego_values(centres, rows, core, tuple(memory), values, progress, 10**9, False, new_halt())
    assert (room[size:] == 123).all(), "written beyond the end"
    joined = judges.sets_of(graph)
    expected = [float(judges.ego_betweenness(joined, node)) for node in (0, 66)]
    np.testing.assert_allclose(values[centres], expected, rtol=1e-12)


def test_compiled_code_comes_back_after_few_steps() -> None:
    """One row more at most: an interrupt waits no longer than that."""
    nodes = 600  # open pairs of one centre take more than one call
    graph = judges.random_graph(nodes, 0.97, 4)
    order, rows, core = node_scores._ego_rows(*graph._rows())
    memory, progress = node_scores._ego_scratch(rows, core), np.zeros(ego_kernels.LARGEST + 1, dtype=np.int64)
    last, values = np.array([len(order) - 1], dtype=np.uint32), np.empty(0)
    limit, most_of_a_row, steps = 10_000, 16 * nodes, []
    while progress[ego_kernels.STAGE] != ego_kernels.COUNTED:
        steps.append(int(ego_kernels.ego_values(last, rows, core, memory, values, progress, limit, True, new_halt())))
    assert len(steps) > 1
    assert max(steps[1:]) <= limit + most_of_a_row


def test_the_judges_agree() -> None:
    graph = judges.hubs_and_cliques(6)
    joined = judges.sets_of(graph)
    for node in range(0, graph.nodes, 7):
        assert judges.ego_betweenness_by_matrix(graph, node) == judges.ego_betweenness(joined, node)


def test_supports_triangles_and_codegree_are_their_definitions(graph: Graph) -> None:
    joined = judges.sets_of(graph)
    supports = graph.edge_supports()
    assert supports.dtype == np.int64
    assert supports.tolist() == judges.edge_supports(joined)
    assert graph.triangles() == judges.triangles(joined) == supports.sum() // 3
    assert graph.max_codegree() == judges.max_codegree(joined)
    assert graph.degrees().tolist() == [len(neighbours) for neighbours in joined]


def test_threads_share_the_memory_for_counts_of_edges(monkeypatch: pytest.MonkeyPatch) -> None:
    graph, used = judges.random_graph(200, 0.5, 1), list[int]()
    edges = len(graph.neighbours) // 2

    def watched(*given: Any, threads: int, **named: Any) -> None:
        used.append(threads)
        run_parts(*given, threads=threads, **named)

    expected = graph.triangles()
    monkeypatch.setattr(subgraphs, "run_parts", watched)
    for most, threads in ((2 * edges + 2, 2), (2 * edges + 1, 1), (0, 1)):
        monkeypatch.setattr(subgraphs, "MOST_COUNTS", most)
        assert graph.triangles(threads=5) == expected
        assert used.pop() == threads


@pytest.mark.parametrize("most", [6, pytest.param(7, marks=pytest.mark.long)])
def test_small_graphs_are_as_networkx_has_them(most: int) -> None:
    for known in small_graphs(most):
        graph = Graph.from_networkx(known)
        expected = [
            nx.betweenness_centrality(nx.ego_graph(known, node), normalized=False)[node] for node in graph.labels
        ]
        np.testing.assert_allclose(graph.ego_betweenness(), expected, rtol=1e-12, atol=1e-12)
        assert graph.triangles() == sum(nx.triangles(known).values()) // 3
        assert graph.degrees().tolist() == [known.degree(node) for node in graph.labels]


@pytest.mark.parametrize("name", ["sparse", "dense", "hubs and cliques"])
def test_the_bits_are_the_same_for_any_number_of_threads(name: str) -> None:
    graph = ZOO[name]()
    values, supports = graph.ego_betweenness(threads=1), graph.edge_supports(threads=1)
    for threads in (2, 3, 8):
        assert graph.ego_betweenness(threads=threads).tobytes() == values.tobytes()
        assert graph.edge_supports(threads=threads).tobytes() == supports.tobytes()
        assert graph.triangles(threads=threads) == supports.sum() // 3


def test_what_threads_counted_is_added_up_and_put_at_the_edges_numbers() -> None:
    """The first column of counts stands for no edge; only the slots asked for are written."""
    counts = np.array([[9, 1, 2, 3], [9, 10, 20, 30], [9, 100, 200, 300]], dtype=np.int32)
    supports = np.full(3, -1, dtype=np.int64)
    add_up(0, 2, np.array([2, 0, 1], dtype=np.uint32), counts, supports)
    assert supports.tolist() == [222, -1, 111]


def test_edges_go_up_in_degree_and_keep_their_numbers() -> None:
    graph = ZOO["hubs and cliques"]()
    ends, heads, numbers = orient(graph.offsets.view(np.uint32), graph.neighbours.view(np.uint32))
    src, dst = graph.edges()
    degrees, tails = graph.degrees(), np.repeat(np.arange(graph.nodes), np.diff(ends))
    assert np.minimum(tails, heads).tolist() == src[numbers].tolist()
    assert np.maximum(tails, heads).tolist() == dst[numbers].tolist()
    assert all((degrees[a], a) < (degrees[b], b) for a, b in zip(tails.tolist(), heads.tolist(), strict=True))


def test_nodes_by_degree_are_sorted_stably(graph: Graph) -> None:
    degrees = graph.degrees()
    order = degree_order(graph.offsets.view(np.uint32), int(degrees.max()))
    assert order.tolist() == np.argsort(degrees, kind="stable").tolist()


@pytest.mark.parametrize("name", ["medium", "dense", "hubs and cliques"])
def test_names_of_nodes_do_not_matter(name: str) -> None:
    graph = ZOO[name]()
    moved = np.random.default_rng(7).permutation(graph.nodes)
    src, dst = graph.edges()
    other = Graph.from_edges(moved[dst], moved[src], nodes=graph.nodes)
    assert other.ego_betweenness()[moved].tobytes() == graph.ego_betweenness().tobytes()
    assert sorted(other.edge_supports()) == sorted(graph.edge_supports())
    assert other.max_codegree() == graph.max_codegree()


def test_nothing_is_kept_on_the_graph() -> None:
    graph = ZOO["medium"]()
    before = set(vars(graph))
    first = graph.ego_betweenness()
    graph.edge_supports(), graph.triangles(), graph.max_codegree(), graph.degrees(), graph.edges()
    assert set(vars(graph)) == before
    first[:] = -1
    assert graph.ego_betweenness().min() >= 0


def test_an_edge_lowers_and_raises_as_the_theory_says() -> None:
    """K_{2,14}: joining the two centres destroys the pairs that only they linked."""
    leaves = range(2, 16)
    apart = Graph.from_edges([0] * 14 + [1] * 14, [*leaves] * 2, nodes=16)
    joined = Graph.from_edges([0] * 14 + [1] * 14 + [0], [*leaves] * 2 + [1], nodes=16)
    assert apart.ego_betweenness_exact(0) == 91
    assert joined.ego_betweenness_exact(0) == Fraction(91, 2)
    assert apart.ego_betweenness_exact(2) == 1
    assert joined.ego_betweenness_exact(2) == 0


@pytest.mark.parametrize("node", [-1, 3, 1.0, True, "0"])
def test_a_node_that_is_not_there_is_refused(node: Any) -> None:
    with pytest.raises(ParameterError, match="node must be"):
        ZOO["triangle"]().ego_betweenness_exact(node)


@pytest.mark.parametrize("threads", [0, -1, 1.5, True])
def test_threads_are_a_positive_number(threads: Any) -> None:
    with pytest.raises(ParameterError, match="threads must be"):
        ZOO["triangle"]().ego_betweenness(threads=threads)
