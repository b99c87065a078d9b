"""Ego networks of at most 64 nodes, each row one word: against their definitions, up to the last bit of a word."""

from itertools import combinations
from typing import Any

import numpy as np
import pytest

from dampen.graphs import node_scores
from dampen.graphs.edge_kernels import WORD
from dampen.graphs.graph import Graph
from dampen.graphs.word_kernels import count_words, fill_words, pack_words
from tests.unit.graphs import judges

Joined = list[set[int]]


def words_of(joined: Joined) -> Any:
    return np.array([sum(1 << j for j in others) for others in joined], dtype=np.uint64)


def shared_by_open_pairs(joined: Joined) -> tuple[list[int], int]:
    """How many pairs without an edge share 1, 2, ... neighbours, and the largest such number."""
    shared = [len(joined[i] & joined[j]) for i, j in combinations(range(len(joined)), 2) if j not in joined[i]]
    return np.bincount([0, *shared], minlength=WORD)[1:].tolist(), max(shared, default=0)


def assert_counted(joined: Joined) -> None:
    histogram = np.zeros(WORD, dtype=np.int64)
    largest = count_words(len(joined), words_of(joined), histogram)
    assert (histogram[1:].tolist(), largest) == shared_by_open_pairs(joined)
    assert histogram[0] == 0


def test_open_pairs_of_all_graphs_of_five_nodes_are_counted() -> None:
    pairs = [*combinations(range(5), 2)]
    for chosen in range(1 << len(pairs)):
        joined: Joined = [set() for _ in range(5)]
        for place, (i, j) in enumerate(pairs):
            if chosen >> place & 1:
                joined[i].add(j)
                joined[j].add(i)
        assert_counted(joined)


@pytest.mark.parametrize("nodes", [62, 63, 64])
@pytest.mark.parametrize("density", [0.01, 0.05, 0.3, 0.7, 0.95, 1.0])
def test_open_pairs_of_whole_words_are_counted(nodes: int, density: float) -> None:
    for seed in range(5):
        assert_counted(judges.sets_of(judges.random_graph(nodes, density, seed)))


@pytest.mark.parametrize("density", [0.03, 0.4, 1.0])
def test_rows_hold_the_edges_among_the_neighbours(density: float) -> None:
    graph = judges.random_graph(WORD + 1, density, 7)
    order, rows = node_scores._renumber(*graph._rows())
    offsets, _, neighbours = rows
    joined, place = judges.sets_of(graph), np.zeros(graph.nodes, dtype=np.uint8)
    for c in range(graph.nodes):
        own = [int(order[v]) for v in neighbours[offsets[c] : offsets[c + 1]]]
        among = [{j for j, y in enumerate(own) if y in joined[x]} for x in own]
        words = np.zeros(WORD, dtype=np.uint64)
        edges = fill_words(np.uint32(c), *rows, place, words)
        assert words[: len(own)].tolist() == words_of(among).tolist()
        assert edges == sum(map(len, among)) // 2
        assert not place.any()


def test_rows_are_the_same_from_a_list_of_edges_in_any_order() -> None:
    graph = judges.random_graph(WORD, 0.3, 8)
    src, dst = (ends.astype(np.uint32) for ends in graph.edges())
    mixed, words = np.random.default_rng(9).permutation(len(src)), np.zeros(WORD, dtype=np.uint64)
    half = len(src) // 2
    tails, tips = np.concatenate([src[:half], dst[half:]])[mixed], np.concatenate([dst[:half], src[half:]])[mixed]
    pack_words(len(src), tails, tips, words)
    assert words.tolist() == words_of(judges.sets_of(graph)).tolist()


@pytest.mark.parametrize("degree", [63, 64, 65])
@pytest.mark.parametrize("density", [0.1, 0.9])
def test_a_centre_of_about_a_word_of_neighbours_has_the_value_of_its_definition(degree: int, density: float) -> None:
    src, dst = judges.random_graph(degree, density, degree).edges()
    centre = np.full(degree, degree)
    graph = Graph.from_edges([*src, *centre], [*dst, *range(degree)], nodes=degree + 1)
    exact = judges.ego_betweenness(judges.sets_of(graph), degree)
    assert graph.ego_betweenness_exact(degree) == exact
    assert graph.ego_betweenness()[degree] == pytest.approx(float(exact), rel=1e-12)
