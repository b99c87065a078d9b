"""All graphs on a few labelled nodes at once: a graph is the number whose bits are its edges, a count one array.

The judge of ladders: what one edge can do to a count at distance t is found by walking the whole space.
"""

from collections.abc import Callable
from functools import cached_property
from itertools import combinations, permutations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dampen import Graph
from dampen.vectors import Integers

Bits = NDArray[np.bool_]


class GraphSpace:
    """The 2^C(n, 2) graphs on ``nodes`` nodes."""

    def __init__(self, nodes: int) -> None:
        self.nodes = nodes
        self.pairs = list(combinations(range(nodes), 2))
        self.number = {pair: place for place, pair in enumerate(self.pairs)}
        self.masks: Integers = np.arange(2 ** len(self.pairs), dtype=np.int64)

    def edge(self, i: int, j: int) -> Bits:
        """For every graph whether it has this edge."""
        return np.asarray(self.masks >> self.number[min(i, j), max(i, j)] & 1, dtype=np.bool_)

    def neighbours(self, graph: int) -> list[int]:
        """All graphs with one edge more or less."""
        return [graph ^ 1 << place for place in range(len(self.pairs))]

    def largest_changes(self, value: Integers, count: int) -> Integers:
        """One row for each t < ``count``: how far one edge moves the value in any graph within t edges, at most."""
        rungs = [np.zeros_like(value)]
        for place in range(len(self.pairs)):
            np.maximum(rungs[0], np.abs(value - value[self.masks ^ 1 << place]), out=rungs[0])
        while len(rungs) < count:
            last = rungs[-1]
            wider = last.copy()
            for place in range(len(self.pairs)):
                np.maximum(wider, last[self.masks ^ 1 << place], out=wider)
            rungs.append(wider)
        return np.array(rungs)

    @cached_property
    def classes(self) -> Integers:
        """For every graph the smallest one that it becomes when its nodes are renamed."""
        smallest = self.masks.copy()
        for renaming in permutations(range(self.nodes)):
            renamed = np.zeros_like(self.masks)
            for place, (i, j) in enumerate(self.pairs):
                a, b = renaming[i], renaming[j]
                renamed |= (self.masks >> place & 1) << self.number[min(a, b), max(a, b)]
            np.minimum(smallest, renamed, out=smallest)
        return smallest

    @cached_property
    def representatives(self) -> list[int]:
        """One graph of each class."""
        found: list[int] = np.unique(self.classes).tolist()
        return found

    def graph(self, mask: int) -> Graph:
        """One graph as the library has it."""
        edges = [pair for place, pair in enumerate(self.pairs) if mask >> place & 1]
        return Graph([i for i, _ in edges], [j for _, j in edges], nodes=self.nodes)

    def count(self, size: int, worth: Callable[["GraphSpace", tuple[int, ...]], Any]) -> Integers:
        """The sum over all sets of ``size`` nodes of what each is worth, for every graph."""
        total = np.zeros_like(self.masks)
        for chosen in combinations(range(self.nodes), size):
            total += worth(self, chosen)
        return total

    def cliques(self, size: int) -> Integers:
        """Sets of nodes with all edges."""
        return self.count(size, lambda space, nodes: np.all([space.edge(*pair) for pair in combinations(nodes, 2)], 0))

    def stars(self, edges: int) -> Integers:
        """Sets of edges with a common node, counted at the node."""
        total = np.zeros_like(self.masks)
        for centre in range(self.nodes):
            others = [v for v in range(self.nodes) if v != centre]
            for chosen in combinations(others, edges):
                total += np.all([self.edge(centre, v) for v in chosen], axis=0)
        return total

    def k_triangles(self, k: int) -> Integers:
        """Sets of k triangles on a common edge, counted at the edge."""
        total = np.zeros_like(self.masks)
        for i, j in self.pairs:
            others = [v for v in range(self.nodes) if v not in (i, j)]
            for chosen in combinations(others, k):
                total += np.all([self.edge(i, j)] + [self.edge(u, v) for u in chosen for v in (i, j)], axis=0)
        return total
