"""Numbers of small subgraphs in all graphs of up to six nodes: the shipped problems, or brute-forced ladders.

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

import dampen
from dampen import Adjacency, GrowthLaw, NumericFrame, NumericProblem, queries
from dampen.audit import AuditReport, audit_numeric, edge_neighbours, graphs
from dampen.audit.neighbours import Graph
from dampen.mechanisms import NumericMechanism
from dampen.mechanisms.numeric.base import AdditiveMechanism
from dampen.mechanisms.numeric.noises import Noise
from dampen.sensitivity import RungTable, SecondOrder

Signature = tuple[int, int, tuple[int, ...], tuple[int, ...]]
"""The number of nodes, the count, the ladder up to where it ends, and what else a mechanism may read of it."""
HIGHEST = 32
"""No ladder of six nodes has more rungs: 15 edges lead from every graph to every other."""


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


SHIPPED: dict[str, Callable[[dampen.Graph], NumericProblem]] = {
    "edges": queries.edge_count_problem,
    "triangles": queries.triangle_problem,
    "3-stars": lambda graph: queries.k_star_problem(graph, 3),
    "4-cliques": lambda graph: queries.k_clique_problem(graph, 4),
    "2-triangles": lambda graph: queries.k_triangle_problem(graph, 2),
}
"""The problems as an application builds them."""
COUNTS: dict[str, tuple[Callable[[Graph], int], int, Callable[[int], int]]] = {
    "edges": (edge_count, 2, lambda n: 1),
    "triangles": (triangles, 3, lambda n: n - 2),
    "3-stars": (three_stars, 4, lambda n: 2 * comb(n - 2, 2)),
    "4-cliques": (four_cliques, 4, lambda n: comb(n - 2, 2)),
    "2-triangles": (two_triangles, 4, lambda n: comb(n - 2, 2) + 2 * (n - 2) * (n - 3)),
}
"""The count, the smallest graphs in which it can move, and how far an edge moves it at most."""

GROWTH = {"triangles": GrowthLaw(2, 1), "3-stars": GrowthLaw(3, "1/2"), "2-triangles": GrowthLaw(3, 4)}
"""The public laws of growth, where there are any."""


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


def read_off(problem: NumericProblem) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """All that mechanisms read of a ladder: its rungs, and what it knows of their change."""
    ladder, rungs = problem.sensitivity, problem.rungs(HIGHEST)
    if not isinstance(ladder, SecondOrder):
        return rungs, ()
    changes = (int(ladder.second_order(a)) for a in range(ladder.common_bound + 1))
    return rungs, (int(ladder.first_order), ladder.common, *changes)


@dataclass(frozen=True, eq=False)
class SubgraphUniverse:
    """One count over all graphs of some sizes."""

    name: str
    around: dict[Signature, frozenset[Signature]]
    problems: dict[Signature, NumericProblem]
    pairs_of_graphs: int

    @property
    def data_sets(self) -> Sequence[Signature]:
        return list(self.around)

    def neighbours(self, x: Signature) -> Iterable[Signature]:
        return self.around[x]

    def audit(self, mechanism: NumericMechanism) -> AuditReport:
        if isinstance(mechanism, AdditiveMechanism):
            mechanism = remembering(mechanism)
        return audit_numeric(mechanism, self.problems.__getitem__, self.data_sets, self.neighbours)


@cache
def ladder(rungs: tuple[int, ...], bound: int) -> RungTable:
    """One object for equal ladders."""
    return RungTable([[rung] for rung in rungs], bound=bound)


def remembering(mechanism: AdditiveMechanism) -> AdditiveMechanism:
    """The same mechanism, which computes the noise of each ladder once: it depends on nothing else."""
    same, known = copy(mechanism), dict[Any, Noise]()

    def noise(problem: NumericProblem) -> Noise:
        key = problem.frame, read_off(problem)
        if key not in known:
            known[key] = mechanism.noise(problem)
        return known[key]

    object.__setattr__(same, "noise", noise)
    return same


@cache
def problems_of(name: str, nodes: int, *, shipped: bool) -> dict[Graph, NumericProblem]:
    """The problem of every shape of graph: as it is shipped, or with the smallest ladder that there is."""
    count, _, bound_of = COUNTS[name]
    shapes = shapes_around(nodes)
    if shipped:
        return {x: SHIPPED[name](as_graph(x)) for x in shapes}
    values = {x: count(x) for x in shapes}
    rungs = local_sensitivities(values, shapes)
    frame = NumericFrame(bound_of(nodes), Adjacency.EDGE, growth=GROWTH.get(name))
    return {x: NumericProblem(frame, values[x], ladder(tuple(rungs[x]), bound_of(nodes))) for x in shapes}


def as_graph(graph: Graph) -> dampen.Graph:
    nodes, edges = graph
    return dampen.Graph.from_edges([a for a, _ in edges], [b for _, b in edges], nodes=nodes)


@cache
def subgraphs(name: str, *, largest: int, smallest: int = 1, shipped: bool = False) -> SubgraphUniverse:
    """``name``: one of ``COUNTS``."""
    around: dict[Signature, frozenset[Signature]] = {}
    problems: dict[Signature, NumericProblem] = {}
    pairs = 0
    for nodes in range(max(smallest, COUNTS[name][1]), largest + 1):
        shapes, built = shapes_around(nodes), problems_of(name, nodes, shipped=shipped)
        signature = {x: (nodes, built[x].steps, *read_off(built[x])) for x in shapes}
        for x, near in shapes.items():
            around[signature[x]] = around.get(signature[x], frozenset()) | {signature[y] for y in near}
            problems[signature[x]] = built[x]
        pairs += sum(len(near) for near in shapes.values())
    return SubgraphUniverse(f"{name} of graphs up to {largest} nodes", around, problems, pairs)
