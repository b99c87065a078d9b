"""How many edges are there, if a node is to be hidden with all its edges? Counts under every cap on a node's edges."""

from dampen.graphs.graph import Graph
from dampen.graphs.kept_rows import count_rows_kept
from dampen.privacy import Adjacency
from dampen.problem import CapProblem
from dampen.problem.caps import NODE
from dampen.queries.graph.subgraphs import require_graph
from dampen.queries.rows_of_two import rows_of_two_frame, rows_of_two_problem


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
    ends = known.edges()
    return rows_of_two_problem(frame, lambda caps: count_rows_kept(*ends, caps, nodes=known.nodes, threads=threads))
