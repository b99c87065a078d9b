"""How many edges, triangles, stars, cliques, triangles on a common edge? Counts of a graph under edge privacy.

The node set is public, the edges are private: neighbours differ in one edge. Each problem carries the ladder of its
graph: rung t bounds how far one edge can move the count of any graph within t edges. Proofs: docs/proofs/ladders.md.

Whether a ladder is the sharpest one or a cheaper one is decided by the number of nodes and by k, which are public,
never by the edges. How long a count takes does depend on them.
"""

from fractions import Fraction
from math import comb, factorial

from dampen._validate import LARGEST, whole
from dampen.errors import ParameterError
from dampen.graphs.graph import Graph
from dampen.privacy import Adjacency
from dampen.problem import GrowthLaw, NumericFrame, NumericProblem
from dampen.queries.graph.subgraph_ladders import (
    CliqueLadder,
    KTriangleLadder,
    StarLadder,
    TriangleLadder,
    k_triangle_bound,
)
from dampen.queries.whole_ladders import ROOM, WholeLadder

MOST_NODES_TRIANGLES = 10**6
"""Up to so many nodes the ladder of triangles is exact; beyond, it knows the largest co-degree alone."""

MOST_NODES_SMALL_CLIQUES, MOST_NODES_CLIQUES = 10**6, 10**4
"""Up to so many nodes the first rung is exact, for cliques of up to 5 nodes and for larger ones."""

TRIANGLE_GROWTH = GrowthLaw(2, 1)
"""An edge closes as many triangles as its ends have common neighbours, and one edge more makes that one more."""

TWO_TRIANGLE_GROWTH = GrowthLaw(3, 4)
"""Every alpha above 2 will do; with 4 the noise on real graphs is smallest."""

LARGEST_GROWING_STAR = 8
"""Up to so many edges stars have a growth law."""


def edge_count_problem(graph: Graph) -> NumericProblem:
    """How many edges are there? One edge moves the count by 1, in every graph.

    >>> import dampen
    >>> from dampen.queries import edge_count_problem
    >>> graph = dampen.Graph.from_edges([0, 0, 1, 2], [1, 2, 2, 3], nodes=5)
    >>> edge_count_problem(graph).frame
    NumericFrame(bound=1, Adjacency.EDGE, resolution=1, unit='edge')
    """
    return NumericProblem(NumericFrame(1, Adjacency.EDGE), len(require_graph(graph).neighbours) // 2)


def triangle_problem(graph: Graph, *, threads: int | None = None) -> NumericProblem:
    """How many triangles are there?

    One edge moves the count by the number of common neighbours of its ends, at most n - 2. The ladder is exact up to
    1,000,000 nodes.

    >>> import dampen
    >>> from dampen.queries import triangle_problem
    >>> graph = dampen.Graph.from_edges([0, 0, 1, 2], [1, 2, 2, 3], nodes=5)
    >>> problem = triangle_problem(graph)
    >>> int(problem.value), problem.rungs(4)
    (1, (1, 2, 2, 3))
    """
    from dampen.graphs.subgraphs import codegree_front

    if require_graph(graph).nodes <= MOST_NODES_TRIANGLES:
        ladder = TriangleLadder(*codegree_front(graph, threads=threads), nodes=graph.nodes)
    else:
        ladder = TriangleLadder([graph.max_codegree(threads=threads)], nodes=graph.nodes)
    return _problem(graph.triangles(threads=threads), ladder, TRIANGLE_GROWTH)


def k_star_problem(graph: Graph, k: int) -> NumericProblem:
    """How many stars of k >= 2 edges are there? A node of degree d is the centre of C(d, k).

    The ladder is exact.

    >>> import dampen
    >>> from dampen.queries import k_star_problem
    >>> graph = dampen.Graph.from_edges([0, 0, 1, 2], [1, 2, 2, 3], nodes=5)
    >>> problem = k_star_problem(graph, 2)
    >>> int(problem.value), problem.rungs(4)
    (5, (3, 4, 5, 6))
    """
    from dampen.graphs.subgraphs import count_stars, degree_front

    nodes, size = require_graph(graph).nodes, whole(k=k, least=2)
    _require_room(nodes * comb(nodes, size), size)
    ladder = StarLadder(*degree_front(graph), k=size, nodes=nodes)
    # A node of degree d has C(d, k - 1), about d^(k - 1) / (k - 1)!, stars at an edge, and an edge moves d by 1.
    growth = GrowthLaw(size, Fraction(1, factorial(size - 1))) if size <= LARGEST_GROWING_STAR else None
    return _problem(count_stars(graph, size), ladder, growth)


def k_clique_problem(graph: Graph, k: int, *, threads: int | None = None) -> NumericProblem:
    """How many cliques of k >= 3 nodes are there?

    The time grows with the number of cliques of k - 1 nodes. The first rung of the ladder is exact up to 1,000,000
    nodes, for k > 5 up to 10,000.

    >>> import dampen
    >>> from dampen.queries import k_clique_problem
    >>> graph = dampen.Graph.from_edges([0, 0, 0, 1, 1, 2], [1, 2, 3, 2, 3, 3], nodes=5)
    >>> problem = k_clique_problem(graph, 4)
    >>> int(problem.value), problem.rungs(3)
    (1, (1, 3, 3))
    """
    from dampen.graphs.subgraphs import count_cliques, largest_clique_change

    nodes, size = require_graph(graph).nodes, whole(k=k, least=3)
    size = min(size, max(nodes, 2) + 1)  # beyond all nodes one size is as good as another, and this one is a machine's
    _require_room(comb(nodes, size), size)
    shared, local = graph.max_codegree(threads=threads), None
    if nodes <= (MOST_NODES_SMALL_CLIQUES if size <= 5 else MOST_NODES_CLIQUES):
        local = largest_clique_change(graph, size, shared, threads=threads)
    value = count_cliques(graph, size, threads=threads)
    return _problem(value, CliqueLadder(shared, local, k=size, nodes=nodes))


def k_triangle_problem(graph: Graph, k: int = 2, *, threads: int | None = None) -> NumericProblem:
    """How many k-triangles are there: sets of k >= 2 triangles on a common edge? An edge in a triangles has C(a, k).

    The first rung of the ladder is exact where the bound is below 2^58 (k = 2: always; k = 3: up to 750,000 nodes).

    >>> import dampen
    >>> from dampen.queries import k_triangle_problem
    >>> graph = dampen.Graph.from_edges([0, 0, 1, 1, 2], [1, 2, 2, 3, 3], nodes=5)
    >>> problem = k_triangle_problem(graph)
    >>> int(problem.value), problem.rungs(3)
    (1, (5, 13, 15))
    """
    from dampen.graphs.subgraphs import count_k_triangles, largest_k_triangle_change

    nodes, size = require_graph(graph).nodes, whole(k=k, least=2)
    _require_room(comb(nodes, 2) * comb(nodes, size), size)
    shared, local, supports = graph.max_codegree(threads=threads), None, graph.edge_supports(threads=threads)
    if 4 * k_triangle_bound(nodes, size) < ROOM:
        local = largest_k_triangle_change(graph, size, shared, supports, threads=threads)
    value = count_k_triangles(supports, size)
    ladder = KTriangleLadder(shared, local, k=size, nodes=nodes)
    return _problem(value, ladder, TWO_TRIANGLE_GROWTH if size == 2 else None)


def require_graph(graph: Graph) -> Graph:
    """A graph, and nothing else."""
    if not isinstance(graph, Graph):
        raise ParameterError(f"graph must be a dampen.Graph; got {type(graph).__name__}")
    return graph


def _problem(value: int, ladder: WholeLadder, growth: GrowthLaw | None = None) -> NumericProblem:
    assert ladder.bound is not None
    return NumericProblem(NumericFrame(ladder.bound, Adjacency.EDGE, growth=growth), value, ladder)


def _require_room(largest: int, k: int) -> None:
    """Refuse counts that could exceed what a problem holds, whatever the edges."""
    if largest > LARGEST:
        raise ParameterError(f"k must be so small that no count on so many nodes exceeds 2**512; got {k}")
