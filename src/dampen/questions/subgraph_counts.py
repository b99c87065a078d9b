"""How many triangles, stars or cliques does a graph have?"""

from collections.abc import Callable
from typing import Any

from dampen._validate import Number, one_of, probability, render
from dampen.errors import ParameterError
from dampen.graphs.graph import Graph, as_graph
from dampen.mechanisms import EdgeRace, Laplace, NumericMechanism
from dampen.privacy import BudgetLike, NumericRelease
from dampen.problem import NumericProblem
from dampen.queries import (
    edge_count_problem,
    k_clique_problem,
    k_star_problem,
    k_triangle_problem,
    kept_edges_problem,
    triangle_problem,
)
from dampen.questions.mechanism_choice import choose_for_count, choose_numeric
from dampen.questions.record import Posed, Single, no_edges, question

PATTERNS: dict[str, Callable[[Graph, int], NumericProblem]] = {
    "edge": lambda graph, _: edge_count_problem(graph),
    "triangle": lambda graph, _: triangle_problem(graph),
    "2-triangle": k_triangle_problem,
    "k-triangle": k_triangle_problem,
    "k-star": k_star_problem,
    "k-clique": k_clique_problem,
}
"""What can be counted, and the problem of it; the size is the caller's for those that are named k."""
UNITS = ("edge", "node")
"""What may be hidden: one edge, or a node with all its edges."""


@question(no_edges, proof="ladders")
def count_subgraphs(
    graph: Any,
    pattern: str = "triangle",
    *,
    k: int | None = None,
    epsilon: Number,
    delta: Number = 0,
    budget: BudgetLike,
    mechanism: NumericMechanism | None = None,
    unit: str = "edge",
    note: str = "count_subgraphs",
) -> Posed[NumericRelease]:
    """How often a small pattern occurs in a graph, privately, with noise that follows the graph at hand.

    Nodes are public, edges private: one edge more or less (``EDGE``), or with ``unit="node"`` all edges of a node. The
    noise mostly depends on the graph, and a release does not tell its error then. It does where the noise is that of
    :class:`Laplace`: for ``"edge"``, and for others where the bound is so small that it is best on every graph.

    Parameters
    ----------
    graph
        A :class:`dampen.Graph`, or a graph of networkx or igraph.
    pattern
        ``"edge"``; ``"triangle"``; ``"2-triangle"``: two triangles on a common edge; ``"k-triangle"``: k of them;
        ``"k-star"``: a node and k of its neighbours; ``"k-clique"``: k nodes that are all joined.
    k
        The size, for patterns that have one.
    epsilon, delta
        What the answer costs. Up to epsilon 4, triangles, 2-triangles and stars of up to 8 edges have the noise of
        :class:`LadderWalk`, which is pure: a ``delta`` is not spent, and the loss of the release says so. Else, and
        where nodes are so many that its ladder would be too long (docs/numbers.md), the noise is that of
        :class:`PolyPlace`, and with a ``delta`` that of :class:`ExactPairLaplace`.
    mechanism
        Another numeric mechanism, with the same epsilon and delta.
    unit
        What is hidden: ``"edge"``, or for the pattern ``"edge"`` alone ``"node"``: a node with all its edges
        (:class:`EdgeRace`). So many edges of each node are counted as ``release.cap`` says, which is chosen privately.
        An edge budget does not pay for it.
    note
        What the answer is for; a ledger remembers it.

    >>> import dampen
    >>> graph = dampen.Graph.from_edges([0, 0, 1], [1, 2, 2], nodes=100)
    >>> release = dampen.count_subgraphs(graph, "triangle", epsilon=1, budget=dampen.Budget(epsilon=1))
    >>> isinstance(release.value, int)
    True
    """
    if one_of(UNITS, unit=unit) == "node":
        _require_plain_edges(pattern, k, delta, mechanism)
        return Single(EdgeRace(epsilon), kept_edges_problem(as_graph(graph)))
    if mechanism is None and one_of(tuple(PATTERNS), pattern=pattern) == "edge":
        probability(delta=delta)
        return Single(Laplace(epsilon), subgraph_problem(as_graph(graph), pattern, k))
    # Whatever is wrong with the price is said before the graph is read.
    chosen = choose_numeric(mechanism, epsilon=epsilon, delta=delta)
    problem = subgraph_problem(as_graph(graph), pattern, k)
    if mechanism is None:
        chosen = choose_for_count(problem, epsilon=epsilon, delta=delta)
    return Single(chosen, problem)


def subgraph_problem(graph: Graph, pattern: str, k: int | None = None) -> NumericProblem:
    """The problem that :func:`count_subgraphs` poses."""
    sized = one_of(tuple(PATTERNS), pattern=pattern).startswith("k-")
    if sized != (k is not None):
        needed = f"must be given for {pattern!r}" if sized else f"must be left out for {pattern!r}"
        raise ParameterError(f"k {needed}; got {render(k)}")
    return PATTERNS[pattern](graph, 2 if k is None else k)


def _require_plain_edges(pattern: str, k: object, delta: Number, mechanism: object) -> None:
    """Refuse what nodes cannot be hidden in."""
    if one_of(tuple(PATTERNS), pattern=pattern) != "edge":
        raise ParameterError(
            f"pattern must be 'edge' with unit='node', which hides all edges of a node; got {pattern!r}"
        )
    for name, given in {"k": k, "mechanism": mechanism}.items():
        if given is not None:
            raise ParameterError(f"{name} must be left out with unit='node'; got {render(given)}")
    if probability(delta=delta) != 0:
        raise ParameterError(f"delta must be 0 with unit='node', whose guarantee is pure; got {render(delta)}")
