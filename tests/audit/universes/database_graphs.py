"""Random small sets of databases with random utilities and the exact minimal admissible sensitivity function.

The data sets are the nodes of a graph, an edge joins neighbours, and LS(x, t, r) is the largest change of u_r over any
edge that touches a node within t steps of x: by breadth-first search, nothing smaller is admissible.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache

import numpy as np

from dampen import Adjacency, Frame, SelectionProblem
from dampen.sensitivity import RungTable
from dampen.vectors import Floats
from tests.audit.universes.base import Universe

STEPS = (0.0, 0.0, 0.25, 1.0, 1.0, 1.0, 2.0, 3.5, 10.0, 40.0)
"""How far a utility moves along an edge: plateaus, ordinary steps and cliffs."""

DataSet = tuple[int, int]
"""The seed of a graph and one of its nodes."""


@dataclass(frozen=True)
class DatabaseGraph:
    """Utilities of every node, and who is whose neighbour."""

    utilities: Floats
    neighbours: tuple[tuple[int, ...], ...]

    def rungs(self, rows: int) -> Floats:
        """LS(x, t, r) for t < rows, indexed [t, x, r]: each row is the last one's maximum over x and its neighbours."""
        first = [
            np.abs(self.utilities[x] - self.utilities[list(near)]).max(axis=0) for x, near in enumerate(self.neighbours)
        ]
        out = [np.array(first)]
        for _ in range(rows - 1):
            out.append(np.array([out[-1][[x, *near]].max(axis=0) for x, near in enumerate(self.neighbours)]))
        return np.array(out)


def random_tree(rng: np.random.Generator, nodes: int) -> list[tuple[int, int]]:
    """Path-like: each node hangs on one of the two before it."""
    return [(node, int(rng.integers(max(0, node - 2), node))) for node in range(1, nodes)]


def random_graph(seed: int, nodes: int, size: int, *, monotone: bool) -> DatabaseGraph:
    """Utilities that move along a tree by random steps of both signs, centred so that many cross 0.

    ``monotone``: along each edge all candidates move in one direction, which chords would break; otherwise two chords
    are added.
    """
    rng = np.random.default_rng(seed)
    edges = random_tree(rng, nodes)
    utilities = np.zeros((nodes, size))
    for child, parent in edges:
        signs = rng.choice((-1.0, 1.0), size=1 if monotone else size)
        utilities[child] = utilities[parent] + signs * rng.choice(STEPS, size=size)
    utilities -= rng.choice((0.0, 0.5, 1.0), size=size) * np.median(utilities, axis=0).round(2)
    if not monotone:
        edges += [(int(a), int(b)) for a, b in rng.integers(nodes, size=(2, 2)) if a != b]
    near = tuple(tuple(sorted({a + b - x for a, b in edges if x in (a, b)})) for x in range(nodes))
    return DatabaseGraph(utilities, near)


def database_graphs(*, seeds: range, nodes: int, size: int, monotone: bool) -> Universe:
    """One graph for each seed, each with its own public bound: its largest step."""
    rows = 5
    label = "monotone utilities" if monotone else "utilities of both signs"

    @cache
    def graph_of(seed: int) -> tuple[DatabaseGraph, Floats]:
        graph = random_graph(seed, nodes, size, monotone=monotone)
        return graph, graph.rungs(rows)

    def problem_of(x: DataSet) -> SelectionProblem:
        graph, rungs = graph_of(x[0])
        bound = max(float(rungs.max()), 1.0)
        frame = Frame(range(size), bound=bound, adjacency=Adjacency.REPLACE, monotone=monotone)
        return SelectionProblem(frame, graph.utilities[x[1]], RungTable(rungs[:, x[1]], bound=bound))

    def neighbours(x: DataSet) -> Iterator[DataSet]:
        return ((x[0], y) for y in graph_of(x[0])[0].neighbours[x[1]])

    return Universe(
        f"database graphs, {size} candidates, {label}",
        problem_of,
        [(seed, node) for seed in seeds for node in range(nodes)],
        neighbours,
        horizon=rows,
    )


def leader_and_followers(size: int) -> Universe:
    """Two databases on which clipped pairwise dampening loses all that it may lose.

    The leader stays at 0, one candidate rises from -2 to -1 and all the others fall from 0 to -1.
    """
    frame = Frame(range(size), bound=1, adjacency=Adjacency.REPLACE)

    def problem_of(x: int) -> SelectionProblem:
        utilities = [0.0, -2.0, *[0.0] * (size - 2)] if x == 0 else [0.0, *[-1.0] * (size - 1)]
        return SelectionProblem(frame, utilities, RungTable([[0.0, *[1.0] * (size - 1)]] * 3, bound=1))

    return Universe(f"a leader and {size - 1} followers", problem_of, [0], lambda x: [1 - x])
