"""Who else computes statistics of graphs: igraph, networkx, networkit and scipy, as far as they are installed."""

from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from importlib.util import find_spec
from time import perf_counter, process_time

import numpy as np

from benchmarks.timing import Run, stopwatch
from dampen import Graph
from dampen.vectors import Floats, Integers

PEERS = ("igraph", "networkx", "networkit")
STRATUM = 4.0
"""Nodes are sorted into strata within which the expected work differs by at most this factor ..."""
SAMPLE, ALLOWANCE, LONGEST = 12, 2.0, 8.0
"""... of which so many are timed, up to so many seconds; a node that would take longer than the last is not tried."""


@dataclass(frozen=True)
class Extrapolated:
    """Seconds for all nodes, by the processor and by the clock; and which share was guessed from smaller nodes."""

    cpu: float
    wall: float
    guessed: float


def installed() -> list[str]:
    """The peers that can take part."""
    return [name for name in PEERS if find_spec(name)]


def ego_by_igraph(graph: Graph) -> Extrapolated:
    """The betweenness of every node in the subgraph of itself and its neighbours."""
    made = import_module("igraph").Graph(graph.nodes, np.column_stack(graph.edges()).tolist())

    def one(node: int) -> None:
        ids = sorted([node, *made.neighbors(node)])
        made.induced_subgraph(ids).betweenness(vertices=ids.index(node), directed=False)

    return _extrapolated(graph, one)


def ego_by_networkx(graph: Graph) -> Extrapolated:
    """The same with networkx."""
    nx = import_module("networkx")
    made = nx.Graph()
    made.add_nodes_from(range(graph.nodes))
    made.add_edges_from(zip(*(ends.tolist() for ends in graph.edges()), strict=True))
    return _extrapolated(
        graph, lambda node: nx.betweenness_centrality(nx.ego_graph(made, node), normalized=False)[node]
    )


def supports_by_networkit(graph: Graph) -> Run:
    """Triangles at every edge of a graph that networkit already holds, with edges numbered."""
    networkit = import_module("networkit")
    made = networkit.Graph(graph.nodes)
    for src, dst in zip(*(ends.tolist() for ends in graph.edges()), strict=True):
        made.addEdge(src, dst)
    made.indexEdges()
    return stopwatch(lambda: networkit.sparsification.TriangleEdgeScore(made).run())


def supports_by_scipy(graph: Graph) -> Run:
    """The square of the adjacency matrix where the matrix has an entry."""
    from scipy import sparse

    ones = np.ones(len(graph.neighbours), dtype=np.int32)
    matrix = sparse.csr_array((ones, graph.neighbours, graph.offsets), shape=(graph.nodes, graph.nodes))
    return stopwatch(lambda: (matrix @ matrix).multiply(matrix))


def _extrapolated(graph: Graph, one: Callable[[int], object]) -> Extrapolated:
    """The mean of a few nodes of each stratum, times its size.

    A stratum whose nodes are too large is taken to need as much per unit of work as the one before it.
    """
    work = _work(graph)
    strata = np.floor(np.log(work) / np.log(STRATUM)).astype(int)
    cpu = wall = guessed = 0.0
    rates = (0.0, 0.0)
    for stratum in np.unique(strata).tolist():
        nodes = np.flatnonzero(strata == stratum)
        nodes = nodes[np.argsort(work[nodes], kind="stable")]
        total = float(work[nodes].sum())
        tried = rates[0] * work[nodes].max() <= LONGEST
        if tried:
            rates = _rates(one, nodes[np.linspace(0, len(nodes) - 1, min(SAMPLE, len(nodes))).astype(int)], work)
        cpu, wall = cpu + rates[0] * total, wall + rates[1] * total
        guessed += 0.0 if tried else rates[0] * total
    return Extrapolated(cpu, wall, guessed / cpu)


def _rates(one: Callable[[int], object], nodes: Integers, work: Floats) -> tuple[float, float]:
    """Seconds per unit of work by the processor and by the clock, the middle nodes first."""
    done, start, clock = 0.0, process_time(), perf_counter()
    for node in sorted(nodes.tolist(), key=lambda node: abs(work[node] - np.median(work[nodes]))):
        one(node)
        done += float(work[node])
        if process_time() - start > ALLOWANCE:
            break
    return (process_time() - start) / done, (perf_counter() - clock) / done


def _work(graph: Graph) -> Floats:
    """For every node the vertices of its ego network times vertices and edges: what one betweenness takes."""
    supports, ends = graph.edge_supports(), graph.edges()
    inside = sum(np.bincount(end, weights=supports, minlength=graph.nodes) for end in ends) / 2
    vertices = graph.degrees() + 1.0
    return np.asarray(vertices * (2 * vertices - 1 + inside))


def ranks_by_igraph(graph: Graph) -> dict[str, Callable[[], object]]:
    """PageRank and core numbers of a graph that igraph already holds."""
    made = import_module("igraph").Graph(graph.nodes, np.column_stack(graph.edges()).tolist())
    return {"PageRank": lambda: made.pagerank(damping=0.85), "core numbers": made.coreness}


def ranks_by_networkx(graph: Graph) -> dict[str, Callable[[], object]]:
    """The same with networkx; its PageRank ends where a step changes ranks by less than 1e-6 n in sum."""
    nx = import_module("networkx")
    made = nx.empty_graph(graph.nodes)
    made.add_edges_from(zip(*(ends.tolist() for ends in graph.edges()), strict=True))
    return {"PageRank": lambda: nx.pagerank(made, alpha=0.85), "core numbers": lambda: nx.core_number(made)}
