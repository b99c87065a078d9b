"""The definitions of graph statistics, word for word, on graphs of few nodes."""

from collections.abc import Iterator
from fractions import Fraction
from itertools import combinations

import numpy as np

from dampen.audit.neighbours import Graph
from dampen.vectors import Integers

Sets = list[set[int]]


def neighbour_sets(graph: Graph) -> Sets:
    near: Sets = [set() for _ in range(graph[0])]
    for a, b in graph[1]:
        near[a].add(b)
        near[b].add(a)
    return near


def degrees(graph: Graph) -> list[int]:
    return [len(near) for near in neighbour_sets(graph)]


def csr(graph: Graph) -> tuple[Integers, Integers]:
    """Offsets, and the neighbours of each node in order."""
    near = neighbour_sets(graph)
    flat = [y for x in near for y in sorted(x)]
    return np.cumsum([0, *map(len, near)], dtype=np.int64), np.array(flat, dtype=np.int64)


def open_pairs(near: Sets, v: int) -> Iterator[tuple[int, int]]:
    """Pairs of neighbours of v that have no edge."""
    return ((x, y) for x, y in combinations(sorted(near[v]), 2) if y not in near[x])


def ego_betweenness(graph: Graph) -> list[Fraction]:
    near = neighbour_sets(graph)
    return [
        sum((Fraction(1, 1 + len(near[x] & near[y] & near[v])) for x, y in open_pairs(near, v)), Fraction(0))
        for v in range(graph[0])
    ]


def codegrees(graph: Graph) -> list[int]:
    near, nodes = neighbour_sets(graph), range(graph[0])
    return [max((len(near[u] & near[v]) for u in nodes if u != v), default=0) for v in nodes]


def distance_two(graph: Graph, step: Fraction) -> list[Fraction]:
    """T in fractions, with weights that fall from 1 by at most the step."""
    near = neighbour_sets(graph)

    def worth(g: int) -> Fraction:
        return max(Fraction(1, g), 1 - step * (g - 1))

    return [sum((worth(len(near[x] & near[y])) for x, y in open_pairs(near, v)), Fraction(0)) for v in range(graph[0])]


def added(graph: Graph) -> Iterator[tuple[Graph, tuple[int, int]]]:
    """Every graph with one edge more, and that edge."""
    nodes, edges = graph
    return (((nodes, edges | {edge}), edge) for edge in combinations(range(nodes), 2) if edge not in edges)
