"""What makes a node influential: one object for each centrality, which holds all that ``top_nodes`` knows of it.

A centrality is registered once, in ``CENTRALITIES``. The question, its errors, the command's choices and the table of
docs/graphs.md are read off there.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import partial

from dampen._validate import Number
from dampen.graphs.graph import Graph
from dampen.graphs.node_scores import codegrees
from dampen.problem import SelectionProblem
from dampen.queries.graph.level import LevelPlan, level_problem, level_sums
from dampen.queries.graph.node_problems import (
    degree_problem,
    ego_betweenness_problem,
    ego_betweenness_range_problem,
    one_shot_problem,
)
from dampen.queries.graph.rank_problems import RankProblem, core_problem, one_hop_problem, pagerank_problem
from dampen.vectors import Vector


@dataclass(frozen=True)
class Terms:
    """What is public when nodes are ranked.

    ``max_degree``: no degree exceeds it, the graph was cut down to it. ``shift``: the utility with which dampening
    compares. ``plan``: how the level method scores, once its h is released.
    """

    max_degree: int | None = None
    shift: Number = 0
    plan: LevelPlan | None = None


@dataclass(frozen=True)
class Ranking:
    """Which nodes score highest? The problem, whose candidates are the places of the nodes, and what is promised of it.

    ``movers`` and ``drift`` are for :class:`~dampen.mechanisms.LaplaceTopK`: one edge moves at most so many scores by
    up to the bound, and all others within an interval of length ``drift``. ``l1``: one edge moves all scores together
    by at most so much, in sum. Left out, nothing is promised. ``unit``: what one unit of the utilities stands for,
    where these are the scores that the centrality is about, so that they may be told with the list; needs ``l1``.
    ``off``: how far they are from these at most, besides. ``told_as``: what such scores are called.
    """

    problem: SelectionProblem
    movers: int | None = None
    drift: int = 0
    shift: Number = 0
    l1: int | None = None
    unit: Fraction | None = None
    off: Fraction = Fraction(0)
    told_as: str = ""


@dataclass(frozen=True)
class Method:
    """One way to find the top nodes: ``rank`` scores them, ``law`` names how the list is then drawn.

    The laws are the keys of ``dampen.questions.node_lists.LISTS``. ``takes_shift``: whether the terms' shift is read.
    """

    law: str
    rank: Callable[[Graph, Terms], Ranking]
    takes_shift: bool = False


@dataclass(frozen=True, eq=False)
class Centrality:
    """A kind of influence: its kernel, the methods that find its top nodes, and where their sensitivities are proved.

    ``scores`` is not private. The first of ``methods`` is the default; ``from_price`` names the one that is from some
    price on, if another is. ``proofs`` are pages in docs/proofs.
    """

    name: str
    meaning: str
    scores: Callable[[Graph], Vector]
    methods: Mapping[str, Method]
    proofs: tuple[str, ...]
    from_price: tuple[Fraction, str] | None = None

    def default(self, price: Fraction) -> str:
        """The method that is used where none is named, at this epsilon: public things alone decide."""
        if self.from_price is not None and price >= self.from_price[0]:
            return self.from_price[1]
        return next(iter(self.methods))


def _by_degree(graph: Graph, _terms: Terms) -> Ranking:
    """One edge moves two degrees, and nothing else."""
    return Ranking(degree_problem(graph.degrees()), movers=2)


def _by_degree_itself(graph: Graph, terms: Terms) -> Ranking:
    """The same where degrees are what is asked for."""
    return replace(_by_degree(graph, terms), l1=2, unit=Fraction(1), told_as="edges")


def _by_one_hop(graph: Graph, _terms: Terms) -> Ranking:
    return _as_ranking(one_hop_problem(graph.offsets, graph.neighbours), "one-hop PageRank")


def _by_pagerank(graph: Graph, _terms: Terms) -> Ranking:
    return _as_ranking(pagerank_problem(graph.offsets, graph.neighbours), "PageRank")


def _as_ranking(found: RankProblem, told_as: str) -> Ranking:
    return Ranking(found.problem, l1=found.l1, unit=found.unit, off=found.off, told_as=told_as)


def _by_core(graph: Graph, _terms: Terms) -> Ranking:
    return Ranking(core_problem(graph.core_numbers()))


def _by_level(graph: Graph, terms: Terms) -> Ranking:
    assert terms.plan is not None
    sums = level_sums(graph.offsets, graph.neighbours, terms.plan)
    return Ranking(level_problem(sums, graph.degrees(), terms.plan), movers=2, drift=terms.plan.drift)


def _by_ego_betweenness(graph: Graph, terms: Terms, *, shared: bool = False) -> Ranking:
    """With the published sensitivity; with that of co-degrees, where neighbours ``shared`` with others are counted."""
    common = codegrees(graph.offsets, graph.neighbours) if shared else None
    problem = ego_betweenness_problem(
        graph.ego_betweenness(), graph.degrees(), codegrees=common, max_degree=terms.max_degree
    )
    return Ranking(problem, shift=terms.shift)


def _by_range(graph: Graph, terms: Terms) -> Ranking:
    values, degrees = graph.ego_betweenness(), graph.degrees()
    return Ranking(ego_betweenness_range_problem(values, degrees, max_degree=terms.max_degree))


def _in_one_shot(graph: Graph, terms: Terms, *, score: str) -> Ranking:
    values, degrees = graph.ego_betweenness(), graph.degrees()
    problem, drift = one_shot_problem(values, degrees, score=score, max_degree=terms.max_degree, shift=terms.shift)
    return Ranking(problem, movers=2, drift=drift)


_with_codegrees = partial(_by_ego_betweenness, shared=True)

EGO_BETWEENNESS = Centrality(
    name="ego_betweenness",
    meaning="how many pairs of its neighbours a node links",
    scores=Graph.ego_betweenness,
    methods={
        "level": Method("level", _by_level),
        "degree": Method("laplace", _by_degree),
        "exponential": Method("exponential", _by_ego_betweenness),
        "permute_and_flip": Method("permute_and_flip", _by_ego_betweenness),
        "local_dampening": Method("local_dampening", _by_ego_betweenness),
        "codegree_dampening": Method("flipped_dampening", _with_codegrees, takes_shift=True),
        "shifted": Method("shifted", _by_ego_betweenness),
        "range": Method("exponential", _by_range),
        "pairwise": Method("pairwise", _with_codegrees),
        "one_shot_permute_and_flip": Method("one_shot_permute_and_flip", _by_ego_betweenness),
        "one_shot_laplace": Method("laplace", partial(_in_one_shot, score="plain")),
        "one_shot_local_dampening": Method("laplace", partial(_in_one_shot, score="local_dampening"), takes_shift=True),
        "one_shot_shifted": Method("laplace", partial(_in_one_shot, score="shifted")),
    },
    proofs=("centrality", "level", "laplace_top_k"),
)

DEGREE = Centrality(
    name="degree",
    meaning="how many edges a node has",
    scores=Graph.degrees,
    methods={
        "level": Method("laplace", _by_degree_itself),
        "degree": Method("laplace", _by_degree_itself),
        "exponential": Method("exponential", _by_degree),
        "permute_and_flip": Method("permute_and_flip", _by_degree),
        "one_shot_permute_and_flip": Method("one_shot_permute_and_flip", _by_degree),
    },
    proofs=("centrality", "laplace_top_k"),
)

PAGERANK = Centrality(
    name="pagerank",
    meaning="how much a node is given by its neighbours, who share out what they have",
    scores=Graph.pagerank,
    methods={"one_hop": Method("laplace", _by_one_hop), "global": Method("laplace", _by_pagerank)},
    proofs=("pagerank", "laplace_top_k"),
    from_price=(Fraction(5), "global"),
)

CORE = Centrality(
    name="core",
    meaning="how many neighbours each node keeps in the densest part that holds the node",
    scores=Graph.core_numbers,
    methods={
        "permute_and_flip": Method("permute_and_flip", _by_core),
        "exponential": Method("exponential", _by_core),
        "one_shot_permute_and_flip": Method("one_shot_permute_and_flip", _by_core),
    },
    proofs=("centrality", "top_k"),
)

CENTRALITIES = {each.name: each for each in (EGO_BETWEENNESS, DEGREE, PAGERANK, CORE)}
"""All that a score can be, the default first."""
