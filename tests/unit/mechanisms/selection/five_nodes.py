"""All graphs on five nodes, by brute force: counts, local sensitivities at every distance, and who is next to whom."""

from functools import lru_cache
from itertools import combinations
from math import comb

import numpy as np
from numpy.typing import NDArray

from dampen import Adjacency, NumericFrame, NumericProblem
from dampen.sensitivity import RungTable

NODES = 5
PAIRS = list(combinations(range(NODES), 2))
GRAPHS = 2 ** len(PAIRS)
NEIGHBOURS = np.arange(GRAPHS)[:, None] ^ (1 << np.arange(len(PAIRS)))


def adjacency(graph: int) -> NDArray[np.int64]:
    matrix = np.zeros((NODES, NODES), dtype=np.int64)
    for place, (i, j) in enumerate(PAIRS):
        matrix[i, j] = matrix[j, i] = graph >> place & 1
    return matrix


@lru_cache
def common(graph: int) -> NDArray[np.int64]:
    """How many common neighbours each pair of nodes has."""
    matrix = adjacency(graph)
    return np.array([(matrix @ matrix)[pair] for pair in PAIRS])


@lru_cache
def counts(k: int) -> NDArray[np.int64]:
    """How many edges with k common neighbours chosen each graph holds: k-triangles, and triangles three times over."""
    edges = [[comb(int(a), k) * (graph >> i & 1) for i, a in enumerate(common(graph))] for graph in range(GRAPHS)]
    return np.asarray(np.array(edges).sum(axis=1) // (3 if k == 1 else 1))


@lru_cache
def ladders(k: int) -> NDArray[np.int64]:
    """For each graph the local sensitivity at distance 0, 1, ...: the largest change one step away from within."""
    values = counts(k)
    rows = [np.abs(values[NEIGHBOURS] - values[:, None]).max(axis=1)]
    while rows[-1].min() < rows[0].max():
        rows.append(np.maximum(rows[-1], rows[-1][NEIGHBOURS].max(axis=1)))
    return np.array(rows).T


def problem(graph: int, k: int) -> NumericProblem:
    """The number of triangles (k = 1) or k-triangles of a graph, with its exact ladder."""
    bound = int(ladders(k).max())
    frame = NumericFrame(bound, Adjacency.EDGE)
    return NumericProblem(frame, int(counts(k)[graph]), RungTable(ladders(k)[graph][:, None], bound=bound))


@lru_cache
def distinct_pairs(k: int) -> tuple[tuple[int, int], ...]:
    """One pair of graphs for every two (count, ladder) that neighbours have, in both orders."""
    shapes = [(int(value), *map(int, row)) for value, row in zip(counts(k), ladders(k), strict=True)]
    first = {shape: graph for graph, shape in reversed(list(enumerate(shapes)))}
    seen = {(first[shapes[x]], first[shapes[y]]) for x in range(GRAPHS) for y in NEIGHBOURS[x]}
    return tuple(sorted(seen))
