"""Graphs whose nodes are public and whose edges are private: read, merged, counted. Not private."""

from collections.abc import Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from dampen._validate import render, whole
from dampen.errors import ParameterError
from dampen.graphs import input as graph_input
from dampen.graphs.building import GraphReport, Pairs, Rows, build_rows, keep_first_edges
from dampen.graphs.input import Nodes, as_nodes, require_ends
from dampen.graphs.threads import as_threads
from dampen.tables.engines import Source, is_outside
from dampen.vectors import Floats, Integers

DAMPING, STEPS = 0.85, 110
"""Of PageRank: 2 n 0.85^110 is below 4e-8 n."""


class Graph:
    """An undirected graph without self loops or parallel edges. The nodes are public, the edges private.

    The node set is declared, never read off the edges: whether a node has an edge is private. Direction and weights are
    not looked at. Printing shows the number of nodes alone.

    Parameters
    ----------
    src, dst
        The two ends of every edge: lists or arrays, equally long.
    nodes
        How many nodes there are, if the ends are numbers from 0; or all labels in order. Public.

    Attributes
    ----------
    nodes
        The number of nodes.
    labels
        Their labels in order, a range where they are just numbered. Everything else knows nodes by their place here.
    offsets, neighbours
        The neighbours of the node at place v are ``neighbours[offsets[v]:offsets[v + 1]]``, increasing; every edge is
        listed at both ends. 32-bit whole numbers, read-only.
    report
        What was merged, for the curator (:class:`GraphReport`).

    >>> import dampen
    >>> graph = dampen.Graph.from_edges([0, 0, 1, 2], [1, 2, 2, 3], nodes=5)
    >>> graph
    Graph(5 nodes)
    >>> graph.degrees().tolist(), graph.edge_supports().tolist(), graph.triangles()
    ([2, 2, 3, 1, 0], [1, 1, 1, 0], 1)
    >>> graph.ego_betweenness().tolist()
    [0.0, 0.0, 2.0, 0.0, 0.0]
    """

    nodes: int
    labels: Sequence[Any]
    offsets: NDArray[np.int32]
    neighbours: NDArray[np.int32]
    report: GraphReport

    def __init__(self, src: Any, dst: Any, *, nodes: Any) -> None:
        declared = as_nodes(nodes)
        self._fill(declared, build_rows(graph_input.from_arrays(src, dst, declared), declared.count))

    @classmethod
    def from_edges(cls, src: Any, dst: Any, *, nodes: Any) -> Self:
        """A graph from the two ends of every edge, as lists or arrays."""
        return cls(src, dst, nodes=nodes)

    @classmethod
    def from_frame(cls, frame: Any, *, src: str, dst: str, nodes: Any) -> Self:
        """A graph from two columns: of a data frame of any library, lazy ones too, or of a mapping of columns.

        The edges of a DuckDB relation, an ibis table or a Spark data frame are read where they lie: only the places of
        nodes leave it.
        """
        declared = as_nodes(nodes)
        if isinstance(frame, Source) or (is_outside(frame) and not isinstance(frame, str | Path)):
            from dampen.graphs.files import from_engine

            require_ends(src, dst)
            return cls._build(declared, from_engine(frame, declared, src, dst))
        return cls._build(declared, graph_input.from_columns(frame, declared, src, dst))

    @classmethod
    def from_file(cls, path: Any, *, nodes: Any, src: str | None = None, dst: str | None = None) -> Self:
        """A graph from a file, or from all files that a pattern such as ``edges/*.parquet`` names.

        With ``src`` and ``dst`` the file is Parquet, or CSV with a header line, and these are its columns. Without them
        it is an edge list as SNAP has it: two fields per line with blanks between, # or % before comments; it may be
        compressed (.gz). Labels are compared as text.
        """
        from dampen.graphs.files import from_file

        declared = as_nodes(nodes)
        return cls._build(declared, from_file(path, declared, src, dst))

    @classmethod
    def from_networkx(cls, graph: Any) -> Self:
        """A graph from one of networkx; its nodes are the public ones, here in sorted order.

        Directed ones are taken, too: an edge in either direction is an edge.
        """
        return cls._build(*graph_input.from_networkx(graph))

    @classmethod
    def from_igraph(cls, graph: Any) -> Self:
        """A graph from one of igraph; its vertices, by ``name`` if they have one, are the public nodes, sorted.

        Directed ones are taken, too: an edge in either direction is an edge.
        """
        return cls._build(*graph_input.from_igraph(graph))

    @classmethod
    def from_scipy(cls, matrix: Any) -> Self:
        """A graph from a square sparse matrix: an edge wherever an entry is not zero."""
        return cls._build(*graph_input.from_scipy(matrix))

    @classmethod
    def _build(cls, nodes: Nodes, ends: Pairs) -> Self:
        return cls._of_rows(nodes, build_rows(ends, nodes.count))

    @classmethod
    def _of_rows(cls, nodes: Nodes, rows: Rows) -> Self:
        graph = cls.__new__(cls)
        graph._fill(nodes, rows)
        return graph

    def _fill(self, nodes: Nodes, rows: Rows) -> None:
        self.nodes, self.labels = nodes.count, nodes.labels
        self.offsets, self.neighbours, self.report = rows
        self.offsets.flags.writeable = self.neighbours.flags.writeable = False

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Graph):
            return NotImplemented
        same = np.array_equal(self.offsets, other.offsets) and np.array_equal(self.neighbours, other.neighbours)
        return same and list(self.labels) == list(other.labels)

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"Graph({self.nodes} nodes)"

    def degrees(self) -> Integers:
        """How many edges each node has."""
        return np.diff(self.offsets).astype(np.int64)

    def edges(self) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
        """Both ends of every edge, src < dst, in increasing order: the order of :meth:`edge_supports`."""
        src = np.repeat(np.arange(self.nodes, dtype=np.int32), np.diff(self.offsets))
        once = src < self.neighbours
        return src[once], self.neighbours[once]

    def edge_supports(self, *, threads: int | None = None) -> Integers:
        """In how many triangles each edge stands, in the order of :meth:`edges`."""
        from dampen.graphs.subgraphs import edge_supports

        return edge_supports(self, threads=threads)

    def triangles(self, *, threads: int | None = None) -> int:
        """How many triples of nodes have all three edges."""
        from dampen.graphs.subgraphs import count_triangles

        return count_triangles(self, threads=threads)

    def max_codegree(self, *, threads: int | None = None) -> int:
        """The largest number of neighbours that two nodes share."""
        from dampen.graphs.subgraphs import largest_codegree

        return largest_codegree(self, threads=threads)

    def ego_betweenness(self, *, threads: int | None = None) -> Floats:
        """How much each node stands between its neighbours (EBC).

        The sum over pairs of neighbours without an edge of 1 / (1 + how many other neighbours are joined to both). The
        value is rounded from integer counts in a fixed order, so its bits do not depend on ``threads``; it differs from
        :meth:`ego_betweenness_exact` by less than (degree + 2) 2^-53 C(degree, 2).
        """
        from dampen.graphs.node_scores import ego_betweenness

        return ego_betweenness(*self._rows(), as_threads(threads))

    def ego_betweenness_exact(self, node: int) -> Fraction:
        """The exact EBC of the node at one place."""
        from dampen.graphs.node_scores import ego_betweenness_exact

        if whole(node=node, least=0) >= self.nodes:
            raise ParameterError(f"node must be a place below {self.nodes}; got {render(node)}")
        return ego_betweenness_exact(*self._rows(), int(node))

    def core_numbers(self) -> Integers:
        """For each node the largest k for which it is in a part whose nodes have k neighbours or more in that part."""
        from dampen.graphs.rank_scores import core_numbers

        return core_numbers(*self._rows())

    def pagerank(self, *, threads: int | None = None) -> Floats:
        """How much each node is given by its neighbours, at damping 0.85: on average 1, where no node is alone.

        A node shares 0.85 of its rank out among its neighbours in equal parts; 0.15 is everybody's from the start. In
        sum it is off by less than 1e-7 n, and its bits do not depend on ``threads``.
        """
        from dampen.graphs.rank_scores import pagerank

        return pagerank(*self._rows(), DAMPING, STEPS, threads=threads)

    def _rows(self) -> tuple[NDArray[np.uint32], NDArray[np.uint32]]:
        """The rows as the kernels read them."""
        return self.offsets.view(np.uint32), self.neighbours.view(np.uint32)


def as_graph(graph: Any) -> Graph:
    """The graph itself, or one of networkx or igraph, whose nodes are public as they stand."""
    if isinstance(graph, Graph):
        return graph
    home = type(graph).__module__.partition(".")[0]
    if home in ("networkx", "igraph"):
        return Graph.from_networkx(graph) if home == "networkx" else Graph.from_igraph(graph)
    rule = "graph must be a dampen.Graph (Graph.from_edges, from_frame, from_file), or one of networkx or igraph"
    raise ParameterError(f"{rule}; got {type(graph).__name__}")


def keep_first(graph: Graph, most: int) -> Graph:
    """The same nodes, with the edges that are among the first ``most`` of both their ends.

    One edge of ``graph`` changes up to three edges of what this makes, so a question about that costs three times as
    much. Nobody would know but :mod:`dampen.queries.graph.projection`, which alone calls this: it is no method that a
    curator could find, and what it makes has no methods that ask.

    >>> keep_first(Graph.from_edges([0, 0, 0], [1, 2, 3], nodes=4), 2).degrees().tolist()
    [2, 1, 1, 0]
    """
    return Graph._of_rows(Nodes(graph.nodes, graph.labels), keep_first_edges(*graph._rows(), most))
