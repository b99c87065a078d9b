"""Long counts in compiled code come back, or look up, after a bounded number of steps: there interrupts are heard."""

import time
import tracemalloc
from collections.abc import Callable
from concurrent.futures import wait
from typing import Any

import numpy as np
import pytest

from dampen.graphs import (
    edge_kernels,
    ego_kernels,
    ego_lists,
    level_kernels,
    node_scores,
    renumber,
    subgraph_kernels,
    subgraphs,
    triangle_kernels,
)
from dampen.graphs import stretches as stretches_module
from dampen.graphs import threads as graph_threads
from dampen.graphs.graph import Graph
from dampen.graphs.node_scores import distance_two_sums
from dampen.graphs.stretches import cut_evenly, stretches
from dampen.graphs.threads import new_halt, run_parts
from tests.unit.graphs import judges

CLIQUE = judges.random_graph(300, 1.0, 0)


def test_stretches_cover_all_nodes_and_are_bounded() -> None:
    sizes = np.random.default_rng(0).integers(0, 30, 1000)
    before = np.concatenate([[0], np.cumsum(sizes)])
    found = list(stretches(before, steps=100))
    assert [node for first, last in found for node in range(first, last)] == list(range(1000))
    assert max(int(before[last] - before[first]) for first, last in found) <= 100
    assert len(found) < 2 * before[-1] / 100
    assert list(stretches([0, 500, 501], steps=100)) == [(0, 1), (1, 2)]
    assert [node for part in cut_evenly(before, 7) for node in range(*part)] == list(range(1000))


@pytest.mark.parametrize("dtype", [np.int32, np.uint32, np.int64, np.uint64])
def test_to_cut_stretches_no_number_is_copied(dtype: type[np.generic]) -> None:
    """Graphs have hundreds of millions, and stretches are many."""
    before = np.arange(2**16, dtype=dtype)
    tracemalloc.start()
    try:
        found = list(stretches(before, steps=2**14))
        _, most = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert found == [(0, 2**14), (2**14, 2**15), (2**15, 3 * 2**14), (3 * 2**14, 2**16 - 1)]
    assert most < before.nbytes / 8


def test_stretches_end_where_the_numbers_end() -> None:
    before = np.array([0, 2**32 - 2, 2**32 - 1], dtype=np.uint32)
    assert list(stretches(before)) == [(0, 1), (1, 2)]


def test_few_steps_are_made_for_the_largest_codegree_before_nodes_are_renumbered() -> None:
    graph = judges.random_graph(200, 0.5, 1)
    order, counts = np.argsort(-graph.degrees(), kind="stable").astype(np.uint32), np.zeros(200, dtype=np.int32)
    joined = judges.sets_of(graph)
    expected, first = judges.max_codegree(joined), int(order[0])
    steps = sum(len(joined[node]) for node in joined[first])
    of_first = max(len(joined[first] & joined[node]) for node in range(200) if node != first)
    for limit, found in ((10**9, (200, expected)), (steps, (1, of_first)), (steps - 1, (0, 0))):
        assert edge_kernels.raise_codegree(order, *graph._rows(), counts, limit) == found
        assert not counts.any()
    assert graph.max_codegree() == expected


def test_a_count_that_would_never_end_ends_when_it_is_given_up() -> None:
    """The cliques of 150 among 300 nodes are about 10^89."""
    halt = new_halt()
    ends, heads, _ = edge_kernels.orient(*CLIQUE._rows())
    place, bits = np.zeros(300, dtype=np.uint32), np.zeros(300 * 5, dtype=np.uint64)
    halt[0] = 1
    assert subgraph_kernels.cliques_of(0, 300, 150, ends, heads, place, bits, halt) == 0


@pytest.mark.parametrize(
    "count",
    [
        lambda: subgraphs.count_cliques(CLIQUE, 150, threads=2),
        lambda: subgraphs.largest_clique_change(CLIQUE, 150, 298, threads=2),
    ],
)
def test_an_interrupt_ends_counts_of_cliques(count: Callable[[], int], monkeypatch: pytest.MonkeyPatch) -> None:
    """Else it would wait for compiled code that never ends. The triangles before are let through."""

    def interrupted(running: Any, timeout: float) -> Any:
        if wait(running, timeout=0.5).not_done:
            raise KeyboardInterrupt
        return wait(running, timeout=0)

    monkeypatch.setattr(graph_threads, "wait", interrupted)
    with pytest.raises(KeyboardInterrupt):
        count()


def test_an_error_or_an_interrupt_is_told_to_compiled_code() -> None:
    halt = new_halt()

    def count(part: int) -> None:
        if part == 0:
            raise MemoryError
        while not halt[0]:
            time.sleep(0.001)

    with pytest.raises(MemoryError):
        run_parts(lambda: count, range(2), threads=2, title="", halt=halt)
    assert halt[0] == 1


def test_searches_for_pairs_look_up_at_every_node() -> None:
    graph: Graph = judges.hubs_and_cliques(1)
    order, rows, halt = np.arange(graph.nodes, dtype=np.uint32), graph._rows(), new_halt()
    halt[0] = 1
    zeros = [np.zeros(graph.nodes, dtype=np.int64) for _ in range(3)]
    best = np.full(graph.max_codegree() + 1, -1, dtype=np.int64)
    subgraph_kernels.codegree_sums(order, order, *rows, zeros[0], zeros[1], best, halt)
    assert best.max() == -1
    ceilings, weights = np.full(graph.nodes, 99), np.ones(len(graph.neighbours), dtype=np.int64)
    own = np.arange(len(best), dtype=np.int64)
    search: Any = subgraph_kernels.heaviest_pair
    assert search(order, ceilings, 0, *rows, weights, weights, own, *zeros, halt) == 0
    shared: Any = subgraph_kernels.most_shared
    assert shared(order[::-1].copy(), 0, *rows, np.zeros(graph.nodes, dtype=np.int32), halt) == 0


@pytest.mark.parametrize("listed", [False, True])
def test_ego_networks_of_hubs_are_left_halfway(listed: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """To find one takes as long as there are edges: compiled code looks up meanwhile, and leaves the hub as it was."""
    monkeypatch.setattr(ego_lists, "LEAST_LISTED", 0 if listed else 2**62)
    monkeypatch.setattr(ego_lists, "SHORTEST_ROWS", 0)
    monkeypatch.setattr(ego_lists, "LONGEST_ROWS", 10**6)
    monkeypatch.setattr(ego_lists, "LISTED_PER_EDGE", 10**6)
    monkeypatch.setattr(ego_lists, "MOST_EDGES_LISTED", 10**6)
    order, rows, core = node_scores._ego_rows(*judges.hubs_over_few_edges(8)._rows(), 1)
    assert bool(len(rows[4])) is listed
    hubs, halt = np.arange(len(order) - 4, len(order), dtype=np.uint32), new_halt()
    memory, values = node_scores._ego_scratch(rows, core), np.zeros(len(order))
    progress = np.zeros(ego_kernels.LARGEST + 1, dtype=np.int64)
    halt[0] = 1
    assert ego_kernels._lay_out(hubs[0], rows, memory, progress, halt) == 0
    assert progress[ego_kernels.STAGE] == ego_kernels.UNSEEN
    ego_kernels.ego_values(hubs, rows, core, memory, values, progress, 10**9, False, halt)
    assert progress[ego_kernels.CENTRE] == 0
    assert not values.any()


def test_triangles_are_cut_into_parts_of_bounded_work(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(subgraphs, "STEPS_AT_ONCE", 2000)
    ends, heads, _ = edge_kernels.orient(*CLIQUE._rows())
    above = np.diff(ends).astype(np.int64)
    work = [
        sum(int(above[heads[ends[v] : ends[v + 1]]].sum()) for v in range(*part))
        for part in subgraphs._triangle_parts(ends, heads)
    ]
    assert max(work) <= 2000 + 300 * 300
    assert len(work) > 2 * subgraphs.TRIANGLE_PARTS
    for threads in (1, 2, subgraphs.TRIANGLE_PARTS + 1):
        assert CLIQUE.triangles(threads=threads) == 300 * 299 * 298 // 6
    assert (CLIQUE.edge_supports(threads=subgraphs.TRIANGLE_PARTS + 1) == 298).all()


KERNELS = [
    (renumber, "fill_rows"),
    (renumber, "deal_rows"),
    (ego_kernels, "_scan_rows"),
    (level_kernels, "cut_rows"),
    (level_kernels, "add_walk_lengths"),
    (triangle_kernels, "copy_upper_rows"),
    (triangle_kernels, "upper_scan_lengths"),
]
"""Compiled passes over some nodes, from their first argument to their second."""


@pytest.mark.parametrize(("module", "kernel"), KERNELS, ids=[kernel for _, kernel in KERNELS])
def test_large_graphs_are_passed_over_in_stretches(module: Any, kernel: str, monkeypatch: pytest.MonkeyPatch) -> None:
    usual, seen = getattr(module, kernel), list[int]()

    def watched(first: int, last: int, *given: Any) -> Any:
        seen.append(int(last) - int(first))
        return usual(first, last, *given)

    monkeypatch.setattr(module, kernel, watched)
    monkeypatch.setattr(stretches_module, "SLOTS_AT_ONCE", 50)
    monkeypatch.setattr(ego_lists, "LEAST_LISTED", 0 if module is triangle_kernels else 2**62)
    monkeypatch.setattr(ego_lists, "SHORTEST_ROWS", 0)
    monkeypatch.setattr(node_scores, "LEAST_CUT", 0)
    monkeypatch.setattr(renumber, "LEAST_DEALT", 2**62 if kernel == "fill_rows" else 0)
    graph = judges.random_graph(500, 0.03, 1)
    graph.ego_betweenness()
    distance_two_sums(graph.offsets, graph.neighbours, [0, 2, 1])
    assert sum(seen) >= graph.nodes
    assert len(seen) > len(graph.edges()[0]) / 50
    assert max(seen) > 1, "of several nodes at once"


def test_walks_are_cut_into_parts_of_bounded_work(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(node_scores, "STEPS_AT_ONCE", 2000)
    parts = node_scores._walk_parts(*CLIQUE._rows())
    assert parts == [(node, node + 1) for node in range(300)], "299 times 299 walks each"


def test_ego_betweenness_comes_back_after_a_bounded_number_of_steps(monkeypatch: pytest.MonkeyPatch) -> None:
    usual, limits = ego_kernels.ego_values, list[int]()

    def watched(*given: Any) -> None:
        limits.append(given[6])
        usual(*given)

    graph = judges.hubs_and_cliques(3)
    expected = graph.ego_betweenness()
    monkeypatch.setattr(ego_kernels, "ego_values", watched)
    monkeypatch.setattr(node_scores, "STEPS_AT_ONCE", 2000)
    monkeypatch.setattr(node_scores, "EGO_PARTS", 1)
    assert graph.ego_betweenness(threads=1).tobytes() == expected.tobytes()
    assert {*limits} == {2000}
    assert len(limits) > 100


def test_the_search_for_triangles_comes_back_after_every_piece(monkeypatch: pytest.MonkeyPatch) -> None:
    pieces = list[None]()

    def count(worker: Any, parts: Any, **_: Any) -> None:
        for part in parts:
            pieces.extend(worker()(part))

    monkeypatch.setattr(stretches_module, "SLOTS_AT_ONCE", 50)
    rows = node_scores._renumber(*CLIQUE._rows())[1]
    ends, heads = ego_lists._upper_rows(*rows, (rows[0][1:] - rows[1]).astype(np.int64))
    lengths, parts = ego_lists._parts(ends, heads)
    monkeypatch.setattr(ego_lists, "run_parts", count)
    found = list[Any]()
    ego_lists._find_triangles(parts, ends, heads, lengths, found, 2**62, 1)
    assert sum(map(len, found)) == CLIQUE.triangles()
    assert len(pieces) == len(found) > 200
