"""Long arrays are gone through in pieces, between which interrupts are heard: the last counts as the first does."""

from itertools import combinations
from math import comb
from typing import Any

import numpy as np
import pytest

from dampen import Graph
from dampen.errors import DataError
from dampen.graphs import building, input, subgraphs
from dampen.graphs.input import as_nodes
from tests.unit.graphs import judges


@pytest.fixture(autouse=True, params=[1, 3, 7])
def _tiny_pieces(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(subgraphs, "SLOTS_AT_ONCE", request.param)
    for module in (building, input):
        monkeypatch.setattr(module, "ROWS_AT_ONCE", request.param)


def random_graph(seed: int, nodes: int = 25) -> Graph:
    src, dst = np.random.default_rng(seed).integers(0, nodes, (2, 5 * nodes))
    return Graph.from_edges(src, dst, nodes=nodes)


@pytest.mark.parametrize("size", [0, 1, 2, 3, 6, 7, 8, 50])
def test_pieces_are_all_places_once(size: int) -> None:
    places = [place for piece in subgraphs._pieces(size) for place in range(size)[piece]]
    assert places == list(range(size))


@pytest.mark.parametrize("seed", range(3))
def test_fronts_know_the_pairs_of_all_pieces(seed: int) -> None:
    first, second = np.random.default_rng(seed).integers(0, 12, (2, 20))
    pairs = set(zip(first.tolist(), second.tolist(), strict=True))
    best = [
        one for one in pairs if not any(one != other and one[0] <= other[0] and one[1] <= other[1] for other in pairs)
    ]
    found = subgraphs.pareto_front(first, second)
    assert list(zip(*(each.tolist() for each in found), strict=True)) == sorted(best, reverse=True)


@pytest.mark.parametrize("seed", range(3))
def test_counts_add_up_all_pieces(seed: int) -> None:
    graph = random_graph(seed)
    joined = judges.sets_of(graph)
    assert subgraphs.count_stars(graph, 3) == sum(comb(len(near), 3) for near in joined)
    shared = {(a, b): len(joined[a] & joined[b]) for a, b in combinations(range(graph.nodes), 2)}
    supports = [common for (a, b), common in shared.items() if b in joined[a]]
    assert subgraphs.count_k_triangles(graph.edge_supports(), 2) == sum(comb(support, 2) for support in supports)
    most = max(shared.values())
    change = [
        comb(common, 2)
        + sum(
            comb(shared[min(end, third), max(end, third)] - (b in joined[a]), 1)
            for third in joined[a] & joined[b]
            for end in (a, b)
        )
        for (a, b), common in shared.items()
    ]
    assert subgraphs.largest_k_triangle_change(graph, 2, most, graph.edge_supports()) == max(change)


def test_a_table_is_looked_up_at_all_places() -> None:
    table, places = np.arange(10) ** 2, np.arange(20) % 10
    assert subgraphs._look_up(table, places).tolist() == [(place % 10) ** 2 for place in range(20)]


@pytest.mark.parametrize("wrong", [-1, 9, 2**31 - 1])
@pytest.mark.parametrize("spot", [0, 3, 8, 9, 17])
@pytest.mark.parametrize("end", [0, 1])
def test_an_end_that_is_no_node_is_refused_wherever_it_stands(end: int, spot: int, wrong: int) -> None:
    ends = np.arange(36).reshape(2, 18) % 9
    assert as_nodes(9).check([(ends[0], ends[1])], "src", "dst")
    ends[end, spot] = wrong
    for batches in ([(ends[0], ends[1])], [(ends[0, :8], ends[1, :8]), (ends[0, 8:], ends[1, 8:])]):
        with pytest.raises(DataError, match=("src", "dst")[end]):
            as_nodes(9).check(batches, "src", "dst")


@pytest.mark.parametrize("kind", [np.int32, np.uint32, np.int64])
def test_pieces_of_pairs_are_all_pairs_once(kind: Any) -> None:
    src, dst = np.arange(50).astype(kind), np.arange(50).astype(kind)[::-1]
    src.flags.writeable = False
    pieces = list(building.pieces_of(src, dst))
    assert [np.concatenate(ends).tolist() for ends in zip(*pieces, strict=True)] == [src.tolist(), dst.tolist()]
    assert {ends.dtype for piece in pieces for ends in piece} == {np.dtype(np.uint32)}


@pytest.mark.parametrize("build", ["_build_at_once", "_build_by_buckets"])
def test_rows_give_up_their_pairs(build: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(building, "FEWEST_DEALT", 0 if build == "_build_by_buckets" else 100)
    pairs = [(np.array([0, 1]), np.array([1, 2])), (np.array([2, 2]), np.array([0, 2]))]
    rows = building.build_rows(pairs, 3)
    assert rows.neighbours.tolist() == [1, 2, 0, 2, 0, 1]
    assert rows.report == building.GraphReport(4, 1, 0)
    assert pairs == []
