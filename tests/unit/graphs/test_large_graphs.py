"""Ways of counting that only large graphs need: made to count small ones, they say what the definitions say."""

from collections.abc import Iterator
from fractions import Fraction
from functools import cache
from random import Random
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dampen.graphs import (
    building,
    ego_lists,
    level_kernels,
    node_scores,
    renumber,
    stretches,
    subgraphs,
    triangle_kernels,
)
from dampen.graphs.building import _build_at_once, _build_by_buckets
from dampen.graphs.edge_kernels import CACHED_SLOTS
from dampen.graphs.graph import Graph
from dampen.graphs.node_scores import distance_two_sums
from tests.unit.graphs import judges

FASTER = node_scores._faster
WEIGHTS = [0, 720, 360, 240, 180, 144, 120, 7]
GRAPHS = {
    "no edges": Graph.from_edges([], [], nodes=3),
    "sparse": judges.random_graph(200, 0.03, 1),
    "dense": judges.random_graph(60, 0.6, 2),
    "hubs and cliques": judges.hubs_and_cliques(3),
    "hubs over few edges": judges.hubs_over_few_edges(8),
}


@cache
def sums_of(name: str) -> list[int]:
    return judges.distance_two(judges.sets_of(GRAPHS[name]), WEIGHTS)


@pytest.fixture(autouse=True)
def small_is_large() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(ego_lists, "LEAST_LISTED", 0)
        patch.setattr(ego_lists, "SHORTEST_ROWS", 0)
        patch.setattr(ego_lists, "LONGEST_ROWS", 10**6)
        patch.setattr(ego_lists, "MOST_EDGES_LISTED", 10**6)
        patch.setattr(ego_lists, "LISTED_PER_EDGE", 10**6)
        patch.setattr(node_scores, "LEAST_CUT", 0)
        patch.setattr(node_scores, "TOP_NODES", 16)
        patch.setattr(node_scores, "_faster", lambda walks, parts: walks[1](parts))
        patch.setattr(renumber, "LEAST_DEALT", 1)
        patch.setattr(renumber, "BUCKET", 32)
        patch.setattr(stretches, "SLOTS_AT_ONCE", 50)
        patch.setattr(subgraphs, "FEW_STEPS", 0)
        yield


@pytest.mark.parametrize("name", GRAPHS)
@pytest.mark.parametrize("steps", [0, 5000])
def test_the_largest_codegree_is_found_in_the_ends_of_rows(
    name: str, steps: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(subgraphs, "FEW_STEPS", steps)
    expected = judges.max_codegree(judges.sets_of(GRAPHS[name]))
    for threads in (1, 2, 3):
        assert GRAPHS[name].max_codegree(threads=threads) == expected


@pytest.mark.parametrize("name", GRAPHS)
@pytest.mark.parametrize("parts", [1, 3, 8])
def test_every_triangle_is_listed_at_its_three_corners(name: str, parts: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ego_lists, "PARTS", parts)
    graph = GRAPHS[name]
    order, rows = node_scores._renumber(*graph._rows())
    found = ego_lists.list_ego_edges(*rows, threads=2)
    joined = judges.sets_of(graph)
    assert found
    for place, node in [*enumerate(order.tolist())][::5]:
        edges = found.edges[found.starts[place] : found.starts[place + 1]].tolist()
        ends = [sorted((int(order[edge >> 32]), int(order[edge & 0xFFFFFFFF]))) for edge in edges]
        among = [[a, b] for a in sorted(joined[node]) for b in sorted(joined[a] & joined[node]) if a < b]
        assert sorted(ends) == among


@pytest.mark.parametrize("name", GRAPHS)
def test_the_bits_of_ego_betweenness_do_not_depend_on_whether_edges_are_listed(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    graph = GRAPHS[name]
    monkeypatch.setattr(ego_lists, "TRIANGLES_AT_ONCE", 1)
    values = [graph.ego_betweenness(threads=threads).tobytes() for threads in (1, 2, 8)]
    monkeypatch.setattr(ego_lists, "LEAST_LISTED", 2**62)
    assert {*values} == {graph.ego_betweenness().tobytes()}


@pytest.mark.parametrize("name", ["sparse", "dense", "hubs and cliques"])
def test_where_there_is_no_more_room_triangles_are_put_away_first(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Long stretches, and room for those of one node."""
    monkeypatch.setattr(ego_lists, "TRIANGLES_AT_ONCE", 1)
    monkeypatch.setattr(stretches, "SLOTS_AT_ONCE", 10**6)
    stopped, write = list[bool](), triangle_kernels.write_triangles

    def watched(first: int, last: int, *given: Any) -> tuple[int, int]:
        reached, written = write(first, last, *given)
        assert first < reached <= last
        assert written <= len(given[-1])
        stopped.append(reached < last)
        return reached, written

    monkeypatch.setattr(triangle_kernels, "write_triangles", watched)
    listed = GRAPHS[name].ego_betweenness(threads=1)
    assert sum(stopped) > 3
    monkeypatch.setattr(ego_lists, "LEAST_LISTED", 2**62)
    assert listed.tobytes() == GRAPHS[name].ego_betweenness().tobytes()


def test_only_the_graphs_that_gain_from_it_are_listed(monkeypatch: pytest.MonkeyPatch) -> None:
    graph = GRAPHS["hubs and cliques"]
    rows = node_scores._renumber(*graph._rows())[1]
    assert ego_lists.list_ego_edges(*rows, threads=1)
    for name, limit in (("LONGEST_ROWS", 1), ("SHORTEST_ROWS", 10**5), ("LEAST_LISTED", 10**6)):
        with monkeypatch.context() as patch:
            patch.setattr(ego_lists, name, limit)
            assert not ego_lists.list_ego_edges(*rows, threads=1)


@pytest.mark.parametrize("threads", [1, 2])
def test_as_many_edges_are_listed_as_the_limit_allows(threads: int, monkeypatch: pytest.MonkeyPatch) -> None:
    graph = GRAPHS["hubs and cliques"]
    rows, edges = node_scores._renumber(*graph._rows())[1], len(graph.neighbours) // 2
    needed = Fraction(3 * graph.triangles(), edges)
    for limit, listed in ((needed, True), (needed - Fraction(1, edges), False), (0, False)):
        monkeypatch.setattr(ego_lists, "MOST_EDGES_LISTED", limit)
        assert bool(ego_lists.list_ego_edges(*rows, threads=threads)) is listed


def test_one_part_is_looked_at_first_and_the_others_if_it_has_few(monkeypatch: pytest.MonkeyPatch) -> None:
    rows = node_scores._renumber(*GRAPHS["hubs and cliques"]._rows())[1]
    monkeypatch.setattr(ego_lists, "LISTED_PER_EDGE", 1)
    looked_at = list[int]()

    def find(parts: Any, *given: Any) -> None:
        looked_at.append(len(parts))
        usual(parts, *given)

    usual = ego_lists._find_triangles
    monkeypatch.setattr(ego_lists, "_find_triangles", find)
    assert not ego_lists.list_ego_edges(*rows, threads=1)
    assert looked_at == [1]
    monkeypatch.setattr(ego_lists, "LISTED_PER_EDGE", 10**6)
    assert ego_lists.list_ego_edges(*rows, threads=1)
    assert looked_at == [1, 1, ego_lists.PARTS - 1]


@pytest.mark.parametrize("limit", [0, 10, 100])
def test_no_more_triangles_are_looked_for_than_tell_that_they_are_too_many(limit: int) -> None:
    """They are held in memory: no piece is written down once the pieces before it have more than the limit."""
    graph, found = GRAPHS["hubs and cliques"], list[Any]()
    rows = node_scores._renumber(*graph._rows())[1]
    ends, heads = ego_lists._upper_rows(*rows, (rows[0][1:] - rows[1]).astype(np.int64))
    lengths, parts = ego_lists._parts(ends, heads)
    ego_lists._find_triangles(parts, ends, heads, lengths, found, limit, 1)
    assert sum(map(len, found[:-1])) <= limit < sum(map(len, found)) < graph.triangles() / 2


@pytest.mark.parametrize("name", GRAPHS)
@pytest.mark.parametrize("top", [0, 1, 7, 40, 150, 10**6])
def test_distance_two_sums_are_the_same_wherever_they_are_cut(
    name: str, top: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(node_scores, "TOP_NODES", top)
    graph = GRAPHS[name]
    expected = sums_of(name)
    for threads in (1, 3):
        assert distance_two_sums(graph.offsets, graph.neighbours, WEIGHTS, threads=threads).tolist() == expected


@pytest.mark.parametrize("slow", [0, 1])
@pytest.mark.parametrize("size", [48, 128, 130, 2000])
def test_every_part_is_walked_once_and_most_of_them_the_faster_way(
    size: int, slow: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock, walked = [0.0], (list[Any](), list[Any]())
    monkeypatch.setattr(node_scores, "process_time", lambda: clock[0])
    parts = [(first, first + 1) for first in range(size)]

    def walk(way: int) -> node_scores.Walk:
        def add(few: list[tuple[int, int]]) -> Any:
            clock[0] += 1000 * (not walked[way]) + len(few) * (1.1 if way == slow else 1)
            walked[way].extend(few)
            return np.bincount([first for first, _ in few], minlength=size)

        return add

    assert FASTER((walk(0), walk(1)), parts).tolist() == [1] * size
    assert sorted(walked[0] + walked[1]) == parts
    assert 1 <= len(walked[slow]) <= min(8, size / 24 + 1)


@pytest.mark.parametrize("slow", [0, 1])
@pytest.mark.parametrize("name", ["sparse", "dense", "hubs and cliques"])
def test_sums_of_parts_walked_in_both_ways_are_those_of_all(
    name: str, slow: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock = iter([0, 2, 2, 3] if slow == 0 else [0, 1, 1, 3])
    monkeypatch.setattr(node_scores, "process_time", lambda: 1000.0 * next(clock))
    monkeypatch.setattr(node_scores, "_faster", FASTER)
    graph = GRAPHS[name]
    found = distance_two_sums(graph.offsets, graph.neighbours, WEIGHTS, threads=2)
    assert next(clock, None) is None, "both were tried"
    assert found.tolist() == sums_of(name)


def test_bits_are_left_as_they_were_found() -> None:
    """Else nodes that are met once would be counted as others are: the same sums, but slowly."""
    graph = GRAPHS["hubs and cliques"]
    _, (starts, _, rows) = node_scores._renumber(*graph._rows())
    n, top = graph.nodes, graph.nodes - 16
    cuts, sums = np.empty(n, dtype=np.uint32), np.zeros(n, dtype=np.int64)
    level_kernels.cut_rows(0, n, top, starts, rows, cuts)
    counters, bits, marked = np.zeros(n, np.uint32), np.zeros(n // 32 + 1, np.uint64), np.empty(n, np.uint32)
    weights = np.arange(n + 1)[::-1].copy()
    memory = counters, bits, marked, np.empty(n, np.bool_)
    level_kernels.distance_two_below(0, n, starts, rows, memory, sums, weights, np.uint32(top), cuts)
    assert sums.any()
    assert not bits.any()


@pytest.mark.parametrize("name", GRAPHS)
@pytest.mark.parametrize("bucket", [1, 30, 2**17])
def test_rows_filled_by_buckets_are_those_filled_at_once(
    name: str, bucket: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(renumber, "BUCKET", bucket)
    graph = GRAPHS[name]
    order, dealt = node_scores._renumber(*graph._rows(), 2)
    monkeypatch.setattr(renumber, "LEAST_DEALT", 2**62)
    _, filled = node_scores._renumber(*graph._rows())
    for one, other in zip(dealt, filled, strict=True):
        assert one.tolist() == other.tolist()
    offsets, middles, rows = dealt
    joined = judges.sets_of(graph)
    for v, node in enumerate(order.tolist()):
        row = rows[offsets[v] : offsets[v + 1]].tolist()
        assert row == sorted(row)
        assert {int(order[u]) for u in row} == joined[node]
        assert sum(u < v for u in row) == middles[v] - offsets[v]


@settings(max_examples=25, deadline=None)
@given(st.integers(2, 25), st.lists(st.tuples(st.integers(0, 24), st.integers(0, 24)), max_size=150), st.randoms())
def test_renamed_nodes_have_the_same_scores(nodes: int, pairs: list[tuple[int, int]], random: Random) -> None:
    src, dst = (np.array([pair[end] % nodes for pair in pairs], dtype=np.int64) for end in range(2))
    names = np.array(random.sample(range(nodes), nodes))
    graph, renamed = Graph.from_edges(src, dst, nodes=nodes), Graph.from_edges(names[src], names[dst], nodes=nodes)
    assert renamed.ego_betweenness()[names].tobytes() == graph.ego_betweenness().tobytes()
    sums = [distance_two_sums(each.offsets, each.neighbours, WEIGHTS) for each in (graph, renamed)]
    assert sums[1][names].tolist() == sums[0].tolist()
    joined = judges.sets_of(graph)
    assert sums[0].tolist() == judges.distance_two(joined, WEIGHTS)
    exact = [float(judges.ego_betweenness(joined, node)) for node in range(nodes)]
    np.testing.assert_allclose(graph.ego_betweenness(), exact, rtol=1e-13, atol=1e-13)


@pytest.mark.parametrize("bucket", [1, 64, 2**17])
@pytest.mark.parametrize(("nodes", "rows"), [(1, 10), (2, 50), (7, 100), (1000, 5000), (65536, 7000)])
def test_rows_built_by_buckets_are_those_built_at_once(
    nodes: int, rows: int, bucket: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(building, "BUCKET", bucket)
    monkeypatch.setattr(building, "ROWS_AT_ONCE", 1000)
    src, dst = np.random.default_rng(rows).integers(0, nodes, (2, rows))
    batches = [(src[first : first + 900].astype(np.int32), dst[first : first + 900]) for first in range(0, rows, 900)]
    plain, dealt = _build_at_once([(src, dst)], nodes), _build_by_buckets(batches, rows, nodes)
    assert batches == []
    assert dealt.offsets.tolist() == plain.offsets.tolist()
    assert dealt.neighbours.tolist() == plain.neighbours.tolist()
    assert dealt.report == plain.report


def test_numbers_of_edges_stand_at_both_their_slots() -> None:
    graph = GRAPHS["hubs and cliques"]
    src, dst = graph.edges()
    slots = subgraphs._by_slot(graph, np.arange(len(src), dtype=np.int64))
    known = {edge: number for number, edge in enumerate(zip(src.tolist(), dst.tolist(), strict=True))}
    tails = np.repeat(np.arange(graph.nodes), np.diff(graph.offsets)).tolist()
    ends = zip(tails, graph.neighbours.tolist(), strict=True)
    assert slots.tolist() == [known[min(end), max(end)] for end in ends]


def test_edges_that_do_not_stay_in_the_cache_have_the_supports_of_their_definition() -> None:
    graph = judges.random_graph(1000, 0.3, 11)
    joined = np.zeros((1000, 1000))
    src, dst = graph.edges()
    joined[src, dst] = joined[dst, src] = 1
    assert len(src) > CACHED_SLOTS
    assert np.array_equal(graph.edge_supports(), (joined @ joined)[src, dst])
