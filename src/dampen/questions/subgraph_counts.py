"""How many triangles, stars or cliques does a graph have?"""

from collections.abc import Callable, Mapping
from typing import Any

from dampen._validate import Number, one_of, probability, render
from dampen.errors import ParameterError
from dampen.graphs.graph import Graph
from dampen.graphs.tables import as_graph
from dampen.mechanisms import ExactPairLaplace, Laplace, NumericMechanism, PolyPlace
from dampen.privacy import BudgetLike, NumericRelease
from dampen.problem import NumericProblem
from dampen.queries import edge_count_problem, k_clique_problem, k_star_problem, k_triangle_problem, triangle_problem
from dampen.questions.asking import asking, kept, without_edges
from dampen.questions.numeric_choice import priced, require_fitting

PATTERNS = ("edge", "triangle", "2-triangle", "k-triangle", "k-star", "k-clique")
SIZED = {"k-triangle": 2, "k-star": 2, "k-clique": 3}
"""The patterns that have a size of their own, and the smallest."""


def count_subgraphs(
    graph: Any,
    pattern: str = "triangle",
    *,
    k: int | None = None,
    epsilon: Number,
    delta: Number = 0,
    budget: BudgetLike,
    mechanism: NumericMechanism | None = None,
    src: str | None = None,
    dst: str | None = None,
    nodes: Any = None,
    where: Mapping[str, Any] | None = None,
    note: str = "count_subgraphs",
) -> NumericRelease:
    """How often a small pattern occurs in a graph, privately, with noise that follows the graph at hand.

    Nodes are public, edges private: one edge more or less (``EDGE``). The noise depends on the graph, so a release does
    not tell its error; only ``"edge"``, whose noise is public, does.

    Parameters
    ----------
    graph
        A :class:`dampen.Graph`; or with ``src``, ``dst`` and ``nodes`` a table of edges: a data frame, a mapping of
        columns, a path or pattern of files, a DuckDB relation, an ibis table or a Spark data frame.
    src, dst
        Of a table: the columns of the two ends of every edge.
    nodes
        Of a table: how many nodes there are, or all labels. Public, and never read off the edges.
    where
        Of a table: ``{column: value}``, public; only rows with these values are edges.
    pattern
        ``"edge"``; ``"triangle"``; ``"2-triangle"``: two triangles on a common edge; ``"k-triangle"``: k of them;
        ``"k-star"``: a node and k of its neighbours; ``"k-clique"``: k nodes that are all joined.
    k
        The size, for patterns that have one.
    epsilon, delta
        What the answer costs. Without ``delta`` the guarantee is pure and the noise is that of :class:`PolyPlace`; with
        it, of :class:`ExactPairLaplace`, whose scale is never larger than that of ideal Laplace noise.
    mechanism
        Another numeric mechanism, with the same epsilon and delta.
    note
        What the answer is for; a ledger remembers it.

    >>> import dampen
    >>> graph = dampen.Graph.from_edges([0, 0, 1], [1, 2, 2], nodes=100)
    >>> release = dampen.count_subgraphs(graph, "triangle", epsilon=1, budget=dampen.Budget(epsilon=1))
    >>> isinstance(release.value, int)
    True
    """
    chosen = counting_mechanism(pattern, epsilon=epsilon, delta=delta, mechanism=mechanism)
    with asking(budget, note):
        nodes = kept(nodes)
        if (bare := without_edges(graph, nodes)) is not None:
            require_fitting(chosen, subgraph_problem(bare, pattern, k))
        problem = subgraph_problem(as_graph(graph, src=src, dst=dst, nodes=nodes, where=where), pattern, k)
    return chosen.release(problem, budget=budget, note=note)


def subgraph_problem(graph: Graph, pattern: str, k: int | None = None) -> NumericProblem:
    """The problem that :func:`count_subgraphs` poses."""
    sized = one_of(PATTERNS, pattern=pattern) in SIZED
    if sized != (k is not None):
        needed = f"is needed for the pattern {pattern!r}" if sized else f"must be left out for {pattern!r}"
        raise ParameterError(f"k {needed}; got {render(k)}")
    size = 2 if k is None else k
    poses: dict[str, Callable[[], NumericProblem]] = {
        "edge": lambda: edge_count_problem(graph),
        "triangle": lambda: triangle_problem(graph),
        "2-triangle": lambda: k_triangle_problem(graph, 2),
        "k-triangle": lambda: k_triangle_problem(graph, size),
        "k-star": lambda: k_star_problem(graph, size),
        "k-clique": lambda: k_clique_problem(graph, size),
    }
    return poses[pattern]()


def counting_mechanism(
    pattern: str, *, epsilon: Number, delta: Number, mechanism: NumericMechanism | None
) -> NumericMechanism:
    """The mechanism that the caller names, or the default of the pattern and delta."""
    if mechanism is not None:
        return priced(mechanism, epsilon=epsilon, delta=delta)
    if one_of(PATTERNS, pattern=pattern) == "edge":
        probability(delta=delta)
        return Laplace(epsilon)
    return PolyPlace(epsilon) if probability(delta=delta) == 0 else ExactPairLaplace(epsilon, delta)
