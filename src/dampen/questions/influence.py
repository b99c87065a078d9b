"""Which nodes of a graph matter most?"""

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from dampen._validate import Number, exact, flag, one_of, positive, render, whole
from dampen.errors import ParameterError
from dampen.graphs.graph import Graph, as_graph
from dampen.privacy import (
    Adjacency,
    BudgetLike,
    GroupAccuracy,
    GroupRelease,
    ListRelease,
    PrivacyLoss,
    PrivateAccuracy,
)
from dampen.problem import Frame
from dampen.queries.graph.centralities import CENTRALITIES, Method, Terms
from dampen.queries.graph.projection import CHANGES, project
from dampen.questions.node_lists import LISTS, prepare_with_scores
from dampen.questions.record import Composite, Posed, no_edges, question

PRIVATE = "how far these nodes are from the best depends on the graph, and is private"


@question(no_edges, proof="centrality")
def top_nodes(
    graph: Any,
    k: int,
    *,
    epsilon: Number,
    budget: BudgetLike,
    score: str = "ego_betweenness",
    method: str | None = None,
    max_degree: int | None = None,
    shift: Number = 0,
    with_scores: bool = False,
    note: str = "top_nodes",
) -> Posed[ListRelease | GroupRelease]:
    """The labels of the k most influential nodes, best first, privately. ``epsilon`` is the price of the whole answer.

    Nodes are public, edges private: one edge more or less (``EDGE``).

    Parameters
    ----------
    graph
        A :class:`dampen.Graph`, or a graph of networkx or igraph.
    score
        ``"ego_betweenness"``: how many pairs of its neighbours a node links; ``"degree"``: how many edges it has;
        ``"pagerank"``: how much its neighbours give it, who share out what they have; ``"core"``: how dense the part
        is that it belongs to.
    method
        How they are found; nothing in it depends on the data. Left out, the first that the score allows: ``"level"``,
        which scores by the pairs at distance 2 that a node links and pays hardly more for k nodes than for one.
        ``"degree"`` takes the nodes with the most edges instead, which are often the same. The methods of the
        dampening paper, at epsilon / k for each place: ``"exponential"``, ``"permute_and_flip"``,
        ``"local_dampening"``, ``"shifted"``. Their one-shot forms draw one noise for each node and sort: all but
        permute-and-flip have that form already, by the same law; ``"one_shot_permute_and_flip"`` has its own. At a
        price that hardly grows with k, with Laplace noise: ``"one_shot_laplace"`` (ego betweenness itself),
        ``"one_shot_local_dampening"``, ``"one_shot_shifted"``. Beyond the paper: ``"range"``,
        ``"codegree_dampening"`` and, for k = 1, ``"pairwise"``. PageRank by ``"one_hop"``, what a node is given if all
        have the same to share out, or ``"global"``, the default from epsilon 5 on, which needs more than three times
        the noise.
    max_degree
        A public bound of the degrees. Where it is given *every* graph is cut down to it first, by a rule of ranks, and
        the mechanism runs at a third of epsilon, whether or not a degree exceeds it. Left out, nothing is cut.
    shift
        The level of utility with which ``"codegree_dampening"`` and ``"one_shot_local_dampening"`` compare; public.
        With all other methods it must be left out.
    with_scores
        Whether the score of each node is told with it, by noise on the scores of all nodes, at no further price: a
        :class:`~dampen.privacy.GroupRelease` whose labels are in the order of the list, and which tells its error.
        Offered for degrees and PageRank, whose scores one edge moves by little in sum. Scores and error are those of
        the method: by ``"one_hop"`` of one-hop PageRank, which may be far from PageRank itself.
    note
        What the answer is for; a ledger remembers it.

    An answer that is interrupted after it was paid for stays paid for.

    >>> import dampen
    >>> star = dampen.Graph.from_edges([0] * 50, range(1, 51), nodes=51)
    >>> dampen.top_nodes(star, 1, epsilon=10, budget=dampen.Budget(epsilon=10)).value
    (0,)
    """
    edges, terms = as_graph(graph), Terms(max_degree, shift)
    way = _choose_way(edges, k, epsilon, score, method, terms)
    frame, loss = Frame(range(edges.nodes), None, Adjacency.EDGE), PrivacyLoss(epsilon, adjacency=Adjacency.EDGE)
    words = f"{k} nodes by {score}, {way.name}"
    if flag(with_scores=with_scores):
        if max_degree is not None:
            raise ParameterError(
                "with_scores must be left out where max_degree is given: the scores were those of a cut graph"
            )
        scored, accuracy = prepare_with_scores(way.method, way.graph, k, way.rate, terms)

        def build_scored(scores: dict[int, float], loss: PrivacyLoss, note: str) -> GroupRelease:
            told = {edges.labels[place]: value for place, value in scores.items()}
            return GroupRelease(told, loss, f"{words}, with scores", note, GroupAccuracy(dict.fromkeys(told, accuracy)))

        return Composite(frame, loss, scored, build_scored, accuracy)
    draw = LISTS[way.method.law](way.method, way.graph, k, way.rate, terms)

    def build(places: tuple[int, ...], loss: PrivacyLoss, note: str) -> ListRelease:
        return ListRelease(tuple(edges.labels[place] for place in places), loss, words, note, PrivateAccuracy(PRIVATE))

    return Composite(frame, loss, draw, build)


@dataclass(frozen=True)
class _Way:
    """How the list is found: the method and its name, the graph that is looked at, and what is paid for that graph."""

    name: str
    method: Method
    graph: Graph
    rate: Fraction


def _choose_way(graph: Graph, k: int, epsilon: Number, score: str, method: str | None, terms: Terms) -> _Way:
    """Check all arguments; public things alone choose."""
    price, cut = positive(epsilon=epsilon), _cut_down(graph, k, terms.max_degree)
    centrality = CENTRALITIES[one_of(tuple(CENTRALITIES), score=score)]
    rate = price / (1 if terms.max_degree is None else CHANGES)
    used = centrality.default(rate) if method is None else one_of(tuple(centrality.methods), method=method)
    if exact(shift=terms.shift) != 0 and not centrality.methods[used].takes_shift:
        raise ParameterError(f"shift must be left out with a method that has none; got {render(terms.shift)}")
    return _Way(used, centrality.methods[used], cut, rate)


def _cut_down(graph: Graph, k: int, max_degree: int | None) -> Graph:
    """The graph that is looked at: itself, or cut down to the public degree bound."""
    if whole(k=k, least=1) > graph.nodes:
        raise ParameterError(f"k must not exceed the number of nodes, {graph.nodes}; got {render(k)}")
    return graph if max_degree is None else project(graph, max_degree=max_degree)
