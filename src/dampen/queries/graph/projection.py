"""Cut a graph down to a public largest degree so that one edge moves at most three edges of the outcome.

An edge stays if it is among the first K at *both* ends, in the public order of the nodes and counted in the graph as it
was. An edge more shifts the ranks at its two ends by one, so it may appear itself and push out one edge at either end:
three changes, and a mechanism at epsilon / 3 on the outcome costs epsilon (docs/proofs/centrality.md). Adding edges one
by one while both ends have room would change any number of them.
"""

from dampen._validate import whole
from dampen.graphs.graph import Graph, keep_first

CHANGES = 3
"""By how many edges the outcomes of two neighbours differ at most: epsilon is divided by it."""


def project(graph: Graph, *, max_degree: int) -> Graph:
    """The graph of the edges that are among the first ``max_degree`` at both ends.

    >>> import dampen
    >>> project(dampen.Graph.from_edges([0, 0, 0, 1], [1, 2, 3, 2], nodes=4), max_degree=2).degrees().tolist()
    [2, 2, 2, 0]
    """
    return keep_first(graph, whole(max_degree=max_degree, least=1))
