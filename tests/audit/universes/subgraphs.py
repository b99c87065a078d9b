"""Numbers of small subgraphs in all graphs of up to six nodes, with brute-forced local sensitivities.

Counts do not depend on the names of nodes. So one data set stands for all graphs of equal size, count and ladder, and
two of them are neighbours where some of their graphs are: every pair of laws that occurs among graphs occurs once.
"""

from collections.abc import Callable, Iterable, Sequence
from copy import copy
from dataclasses import dataclass
from functools import cache
from itertools import combinations, permutations
from math import comb
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dampen import Adjacency, NumericFrame, NumericProblem
from dampen.audit import AuditReport, audit_numeric, edge_neighbours, graphs
from dampen.audit.neighbours import Graph
from dampen.mechanisms import NumericMechanism
from dampen.mechanisms.noises import Noise
from dampen.mechanisms.numeric import AdditiveMechanism
from dampen.sensitivity import Table

Signature = tuple[int, int, tuple[int, ...]]
"""The number of nodes, the count, and the local sensitivity at distance 0, 1, 2, ..."""


def _common(graph: Graph) -> dict[tuple[int, int], int]:
    """How many common neighbours each pair of nodes has."""
    nodes, edges = graph
    near = [{a + b - v for a, b in edges if v in (a, b)} for v in range(nodes)]
    return {(i, j): len(near[i] & near[j]) for i, j in combinations(range(nodes), 2)}


def triangles(graph: Graph) -> int:
    common = _common(graph)
    return sum(common[edge] for edge in graph[1]) // 3


def three_stars(graph: Graph) -> int:
    return sum(comb(sum(v in edge for edge in graph[1]), 3) for v in range(graph[0]))


def four_cliques(graph: Graph) -> int:
    return sum(graph[1] >= set(combinations(four, 2)) for four in combinations(range(graph[0]), 4))


def two_triangles(graph: Graph) -> int:
    """Pairs of triangles on one edge."""
    common = _common(graph)
    return sum(comb(common[edge], 2) for edge in graph[1])


def edge_count(graph: Graph) -> int:
    return len(graph[1])


COUNTS: dict[str, tuple[Callable[[Graph], int], int, Callable[[int], int]]] = {
    "edges": (edge_count, 2, lambda n: 1),
    "triangles": (triangles, 3, lambda n: n - 2),
    "3-stars": (three_stars, 4, lambda n: 2 * comb(n - 2, 2)),
    "4-cliques": (four_cliques, 4, lambda n: comb(n - 2, 2)),
    "2-triangles": (two_triangles, 4, lambda n: comb(n - 2, 2) + 2 * (n - 2) * (n - 3)),
}
"""The count, the smallest graphs in which it can move, and how far an edge moves it at most."""


@cache
def renamings(nodes: int) -> NDArray[np.int64]:
    """For every order of the nodes a row: the bit of every pair's image."""
    pairs = list(combinations(range(nodes), 2))
    bit = {pair: 1 << place for place, pair in enumerate(pairs)}
    return np.array(
        [[bit[min(new[a], new[b]), max(new[a], new[b])] for a, b in pairs] for new in permutations(range(nodes))]
    )


def renamed(graph: Graph) -> NDArray[np.int64]:
    """The bit pattern of the graph under every order of its nodes."""
    nodes, edges = graph
    return renamings(nodes) @ np.array([pair in edges for pair in combinations(range(nodes), 2)], dtype=np.int64)


def shape(graph: Graph) -> int:
    """The same number for graphs that differ only in the names of their nodes: the smallest bit pattern of all."""
    return int(renamed(graph).min())


def copies(graph: Graph) -> int:
    """How many graphs have its shape."""
    return len(np.unique(renamed(graph)))


@cache
def shapes_around(nodes: int) -> dict[Graph, frozenset[Graph]]:
    """The shapes one edge away from each shape; the atlas has one graph of each."""
    atlas = {shape(x): x for x in graphs(largest=nodes, smallest=nodes)}
    return {x: frozenset(atlas[shape(y)] for y in edge_neighbours(x)) for x in atlas.values()}


def local_sensitivities(values: dict[Graph, int], around: dict[Graph, frozenset[Graph]]) -> dict[Graph, list[int]]:
    """LS at distance 0, 1, ... up to where nothing changes any more: the largest change near the graphs within t."""
    rungs = {x: [max(abs(values[x] - values[y]) for y in around[x])] for x in around}
    for _ in range(len(around)):
        wider = {x: max(rungs[x][-1], *(rungs[y][-1] for y in around[x])) for x in around}
        if all(wider[x] == rungs[x][-1] for x in around):
            break
        for x in around:
            rungs[x].append(wider[x])
    return rungs


@dataclass(frozen=True, eq=False)
class SubgraphUniverse:
    """One count over all graphs of some sizes."""

    name: str
    around: dict[Signature, frozenset[Signature]]
    bound_of: Callable[[int], int]
    pairs_of_graphs: int

    @property
    def data_sets(self) -> Sequence[Signature]:
        return list(self.around)

    def neighbours(self, x: Signature) -> Iterable[Signature]:
        return self.around[x]

    def problem_of(self, x: Signature) -> NumericProblem:
        nodes, value, rungs = x
        bound = self.bound_of(nodes)
        return NumericProblem(NumericFrame(bound, Adjacency.EDGE), value, ladder(rungs, bound))

    def audit(self, mechanism: NumericMechanism) -> AuditReport:
        if isinstance(mechanism, AdditiveMechanism):
            mechanism = remembering(mechanism)
        return audit_numeric(mechanism, self.problem_of, self.data_sets, self.neighbours)


@cache
def ladder(rungs: tuple[int, ...], bound: int) -> Table:
    """One object for equal ladders."""
    return Table([[rung] for rung in rungs], bound=bound)


def remembering(mechanism: AdditiveMechanism) -> AdditiveMechanism:
    """The same mechanism, which computes the noise of each ladder once: it depends on nothing else."""
    same, known = copy(mechanism), dict[Any, Noise]()

    def noise(problem: NumericProblem) -> Noise:
        if problem.sensitivity not in known:
            known[problem.sensitivity] = mechanism.noise(problem)
        return known[problem.sensitivity]

    object.__setattr__(same, "noise", noise)
    return same


@cache
def subgraphs(name: str, *, largest: int, smallest: int = 1) -> SubgraphUniverse:
    """``name``: one of ``COUNTS``."""
    count, least, bound_of = COUNTS[name]
    around: dict[Signature, frozenset[Signature]] = {}
    pairs = 0
    for nodes in range(max(smallest, least), largest + 1):
        shapes = shapes_around(nodes)
        values = {x: count(x) for x in shapes}
        rungs = local_sensitivities(values, shapes)
        signature = {x: (nodes, values[x], tuple(rungs[x])) for x in shapes}
        for x, near in shapes.items():
            around[signature[x]] = around.get(signature[x], frozenset()) | {signature[y] for y in near}
        pairs += sum(len(near) for near in shapes.values())
    return SubgraphUniverse(f"{name} of graphs up to {largest} nodes", around, bound_of, pairs)
