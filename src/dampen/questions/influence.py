"""Which nodes of a graph matter most?"""

from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Any

import numpy as np

from dampen._validate import Number, exact, one_of, positive, render, whole
from dampen.entropy import Entropy
from dampen.errors import ParameterError
from dampen.graphs.graph import Graph
from dampen.graphs.levels import codegrees
from dampen.graphs.tables import as_graph
from dampen.mechanisms import (
    Exponential,
    LaplaceTopK,
    LocalDampening,
    PairwiseDampening,
    PermuteAndFlip,
    SelectionMechanism,
    ShiftedLocalDampening,
    TopK,
)
from dampen.mechanisms.selection.ordered import OrderedMechanism
from dampen.privacy import Adjacency, BudgetLike, PrivacyLoss, Release, paid
from dampen.problem import SelectionProblem
from dampen.queries import degree_problem, ego_betweenness_problem, ego_betweenness_range_problem
from dampen.queries.graph.one_shot_centrality import one_shot_problem
from dampen.queries.graph.projection import CHANGES, projected
from dampen.questions.asking import asking, kept, without_edges
from dampen.questions.level_nodes import draw_by_level, require_level

BY_EGO_BETWEENNESS = (
    "level",
    "degree",
    "exponential",
    "permute_and_flip",
    "local_dampening",
    "codegree_dampening",
    "shifted",
    "range",
    "pairwise",
    "one_shot_permute_and_flip",
    "one_shot_laplace",
    "one_shot_local_dampening",
    "one_shot_shifted",
)
BY_DEGREE = ("level", "degree", "exponential", "permute_and_flip", "one_shot_permute_and_flip")
ONE_SHOT = {"one_shot_laplace": "plain", "one_shot_local_dampening": "local_dampening", "one_shot_shifted": "shifted"}
"""Methods that turn to account that an edge moves two nodes much and all others little, and their scores."""


def top_nodes(
    graph: Any,
    k: int,
    *,
    epsilon: Number,
    budget: BudgetLike,
    score: str = "ego_betweenness",
    method: str = "level",
    max_degree: int | None = None,
    shift: Number = 0,
    src: str | None = None,
    dst: str | None = None,
    nodes: Any = None,
    where: Mapping[str, Any] | None = None,
    note: str = "top_nodes",
) -> tuple[Any, ...]:
    """The labels of the k most influential nodes, best first, privately. ``epsilon`` is the price of the whole answer.

    Nodes are public, edges private: one edge more or less (``EDGE``).

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
    score
        ``"ego_betweenness"``: how many pairs of its neighbours a node links; or ``"degree"``: how many edges it has.
    method
        How they are found; nothing in it depends on the data. ``"level"``, the default, scores by the pairs at distance
        2 that a node links and pays hardly more for k nodes than for one; ``"degree"`` takes the nodes with the most
        edges instead, which are often the same. The methods of the dampening paper, at epsilon / k for each place:
        ``"exponential"``, ``"permute_and_flip"``, ``"local_dampening"``, ``"shifted"``. Their one-shot forms draw one
        noise for each node and sort: all but permute-and-flip have that form already, by the same law;
        ``"one_shot_permute_and_flip"`` has its own. At a price that hardly grows with k, with Laplace noise:
        ``"one_shot_laplace"`` (ego betweenness itself), ``"one_shot_local_dampening"``, ``"one_shot_shifted"``. Beyond
        the paper: ``"range"``, ``"codegree_dampening"`` and, for k = 1, ``"pairwise"``.
    max_degree
        A public bound of the degrees. Where it is given *every* graph is cut down to it first, by a rule of ranks, and
        the mechanism runs at a third of epsilon, whether or not a degree exceeds it. Left out, nothing is cut.
    shift
        The level of utility with which ``"codegree_dampening"`` and ``"one_shot_local_dampening"`` compare; public.
    note
        What the answer is for; a ledger remembers it.

    An answer that is interrupted after it was paid for stays paid for.

    >>> import dampen
    >>> star = dampen.Graph.from_edges([0] * 50, range(1, 51), nodes=51)
    >>> dampen.top_nodes(star, 1, epsilon=10, budget=dampen.Budget(epsilon=10))
    (0,)
    """
    asked: dict[str, Any] = {"score": score, "method": method, "max_degree": max_degree, "shift": shift}
    with asking(budget, note):
        nodes = kept(nodes)
        if (bare := without_edges(graph, nodes)) is not None:
            _posed(bare, k, epsilon, **asked)
        edges = as_graph(graph, src=src, dst=dst, nodes=nodes, where=where)
    chosen: tuple[Any, ...] = release_top_nodes(edges, k, epsilon=epsilon, budget=budget, note=note, **asked).value
    return chosen


def release_top_nodes(
    graph: Graph,
    k: int,
    *,
    epsilon: Number,
    budget: BudgetLike,
    score: str,
    method: str,
    max_degree: int | None,
    shift: Number,
    note: str,
) -> Release:
    """Pay for and draw the list: one reservation."""
    with asking(budget, note):
        draw = _posed(graph, k, epsilon, score=score, method=method, max_degree=max_degree, shift=shift)
        loss = PrivacyLoss(epsilon, adjacency=Adjacency.EDGE)
    places = paid(draw, loss, budget=budget, note=note)
    return Release(tuple(graph.labels[place] for place in places), loss, f"{k} nodes by {score}, {method}", note)


def _posed(
    graph: Graph, k: int, epsilon: Number, *, score: str, method: str, max_degree: int | None, shift: Number
) -> Callable[[Entropy], tuple[int, ...]]:
    """Everything about the arguments is checked, and the draw made ready."""
    price, cut = positive(epsilon=epsilon), _checked(graph, k, max_degree)
    one_of(("ego_betweenness", "degree"), score=score)
    named = one_of(BY_EGO_BETWEENNESS if score == "ego_betweenness" else BY_DEGREE, method=method)
    exact(shift=shift)
    rate = price / (1 if max_degree is None else CHANGES)
    return _draw(cut, k, rate, score=score, method=named, max_degree=max_degree, shift=shift)


def _checked(graph: Graph, k: int, max_degree: int | None) -> Graph:
    """The graph that is looked at: itself, or cut down to the public degree bound."""
    if whole(k=k, least=1) > graph.nodes:
        raise ParameterError(f"k must not exceed the number of nodes, {graph.nodes}; got {render(k)}")
    if max_degree is None:
        return graph
    offsets, neighbours = projected(graph.offsets, graph.neighbours, max_degree=whole(max_degree=max_degree, least=1))
    ends = np.repeat(np.arange(graph.nodes), np.diff(offsets))
    return Graph.from_edges(ends, neighbours, nodes=graph.nodes)


def _draw(
    graph: Graph, k: int, rate: Fraction, *, score: str, method: str, max_degree: int | None, shift: Number
) -> Callable[[Entropy], tuple[int, ...]]:
    """Everything that can be refused is refused here; what is returned only draws."""
    if score == "ego_betweenness" and method == "level":
        require_level(rate, k=k, n=graph.nodes)
        offsets, neighbours = graph.offsets, graph.neighbours
        return lambda source: draw_by_level(offsets, neighbours, k=k, epsilon=rate, source=source)
    problem, drift = posed(graph, score=score, method=method, max_degree=max_degree, shift=shift)
    mechanism = answering(graph, k, rate, method=method, shift=shift, drift=drift)
    mechanism.privacy(problem.frame)

    def draw(source: Entropy) -> tuple[int, ...]:
        drawn = mechanism.draw(problem, source)
        return drawn if isinstance(mechanism, OrderedMechanism) else (drawn,)

    return draw


def posed(
    graph: Graph, *, score: str, method: str, max_degree: int | None = None, shift: Number = 0
) -> tuple[SelectionProblem, int]:
    """The question of every method but ``"level"``, with the places of the nodes as candidates, and its drift.

    The drift is in what interval one edge moves the scores of nodes that are not its ends; 0 where nobody asks.
    """
    degrees = graph.degrees()
    if score == "degree" or method == "degree":
        return degree_problem(degrees), 0
    values = graph.ego_betweenness()
    if method in ONE_SHOT:
        return one_shot_problem(values, degrees, score=ONE_SHOT[method], max_degree=max_degree, shift=shift)
    if method == "range":
        return ego_betweenness_range_problem(values, degrees, max_degree=max_degree), 0
    shared = codegrees(graph.offsets, graph.neighbours) if method in ("codegree_dampening", "pairwise") else None
    return ego_betweenness_problem(values, degrees, codegrees=shared, max_degree=max_degree), 0


def answering(
    graph: Graph, k: int, rate: Fraction, *, method: str, shift: Number = 0, drift: int = 0
) -> SelectionMechanism:
    """The mechanism that answers it."""
    if method in ("degree", "level", *ONE_SHOT):
        return LaplaceTopK(k, rate, movers=2, drift=drift)
    if method == "pairwise":
        if k != 1:
            raise ParameterError(f"k must be 1 for method 'pairwise', which compares with the best; got {render(k)}")
        return PairwiseDampening(rate)
    share = rate / k
    bases: dict[str, Callable[[], Any]] = {
        "exponential": lambda: Exponential(share),
        "range": lambda: Exponential(share),
        "permute_and_flip": lambda: PermuteAndFlip(share),
        "one_shot_permute_and_flip": lambda: PermuteAndFlip(share),
        "local_dampening": lambda: LocalDampening(share, law=Exponential),
        "codegree_dampening": lambda: LocalDampening(share, shift=shift),
        "shifted": lambda: ShiftedLocalDampening(share, horizon=graph.nodes, law=Exponential),
    }
    return TopK(k, bases[method](), peeled=method == "permute_and_flip")
