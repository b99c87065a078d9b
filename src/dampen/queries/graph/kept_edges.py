"""How many edges are there, if a node is to be hidden with all its edges? Counts under every cap on a node's edges.

Edges are gone through in a public order, and one is kept if both its ends have kept fewer than the cap. A node more or
less moves the number of edges kept under a cap t by 0 to t. What doubling the cap would add, counted in caps, moves by
a number between -1 and 2. Proof: docs/proofs/edge_race.md.
"""

from fractions import Fraction
from typing import Any

from dampen._validate import whole
from dampen.graphs.graph import Graph
from dampen.graphs.kept_rows import count_rows_kept
from dampen.privacy import Adjacency
from dampen.problem import CapFrame, CapProblem
from dampen.queries.graph.subgraphs import require_graph

NODE = "node"
"""The unit of losses that hide a node with all its edges."""
SPREADS = {Adjacency.ADD_REMOVE: 3, Adjacency.REPLACE: 6}
"""How far apart the changes of two scores can lie, where somebody's rows are removed, and where they are replaced."""


def kept_edges_problem(graph: Graph, *, threads: int | None = None) -> CapProblem:
    """How many edges are kept under each cap 1, 2, 4, ..., n - 1? One step removes or adds all edges of a node.

    The nodes are public, and so is the order of all pairs of them. Under the last cap nothing is left out.

    >>> import dampen
    >>> from dampen.queries import kept_edges_problem
    >>> problem = kept_edges_problem(dampen.Graph.from_edges([0, 0, 0, 1], [1, 2, 3, 2], nodes=4))
    >>> problem.frame.caps, problem.sums, [str(each) for each in problem.above]
    ((1, 2, 3), (1, 3, 4), ['2', '1/2', '0'])
    """
    known = require_graph(graph)
    frame = rows_of_two_frame(Adjacency.ADD_REMOVE, caps=max(1, known.nodes - 1), unit=NODE)
    return rows_of_two_problem(frame, *known.edges(), nodes=known.nodes, threads=threads)


def rows_of_two_frame(adjacency: Adjacency, *, caps: int, unit: str) -> CapFrame:
    """The frame of rows that belong to two people each: caps 1, 2, 4, ... up to ``caps``."""
    return CapFrame(adjacency, caps=caps, spread=SPREADS.get(adjacency, 1), unit=unit)


def rows_of_two_problem(frame: CapFrame, src: Any, dst: Any, *, nodes: int, threads: int | None = None) -> CapProblem:
    """How many rows are kept under each cap? ``src`` and ``dst``: the ids of both people of every row, below ``nodes``.

    Ids are as public things say, never numbered by who is there: after a removal everybody keeps the own one.
    """
    doubled = tuple(2 * cap for cap in frame.caps)
    counts = count_rows_kept(src, dst, (*frame.caps, *doubled), nodes=whole(nodes=nodes, least=1), threads=threads)
    kept, more = counts[: len(frame.caps)], counts[len(frame.caps) :]
    scores = [Fraction(twice - once, cap) for cap, once, twice in zip(frame.caps, kept, more, strict=True)]
    return CapProblem(frame, scores, kept)
