"""How a list of top nodes is drawn: a ranking to a mechanism, or for the level method two draws in a row."""

from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from functools import partial

from dampen._validate import render
from dampen.entropy import Entropy
from dampen.errors import ParameterError
from dampen.graphs.graph import Graph
from dampen.mechanisms import (
    Exponential,
    Laplace,
    LaplaceTopK,
    LocalDampening,
    PairwiseDampening,
    PermuteAndFlip,
    SelectionMechanism,
    ShiftedLocalDampening,
    TopK,
)
from dampen.mechanisms.selection.ordered import OrderedMechanism
from dampen.privacy import Adjacency
from dampen.problem import NumericFrame, NumericProblem
from dampen.queries.graph.centralities import Method, Ranking, Terms
from dampen.queries.graph.level import clip_h, kth_largest_degree, level_plan, level_rates

Draw = Callable[[Entropy], tuple[int, ...]]
"""The places of the top nodes, best first. Nobody has paid for it here."""


def _pairwise(_ranking: Ranking, k: int, rate: Fraction) -> SelectionMechanism:
    if k != 1:
        raise ParameterError(f"k must be 1 for method 'pairwise', which compares with the best; got {render(k)}")
    return PairwiseDampening(rate)


def _shifted(ranking: Ranking, k: int, rate: Fraction) -> SelectionMechanism:
    nodes = len(ranking.problem.frame.candidates)
    return TopK(k, ShiftedLocalDampening(rate / k, horizon=nodes, law=Exponential))


MECHANISMS: dict[str, Callable[[Ranking, int, Fraction], SelectionMechanism]] = {
    "laplace": lambda ranking, k, rate: LaplaceTopK(k, rate, movers=ranking.movers, drift=ranking.drift),
    "exponential": lambda _, k, rate: TopK(k, Exponential(rate / k)),
    "permute_and_flip": lambda _, k, rate: TopK(k, PermuteAndFlip(rate / k), peeled=True),
    "one_shot_permute_and_flip": lambda _, k, rate: TopK(k, PermuteAndFlip(rate / k)),
    "local_dampening": lambda _, k, rate: TopK(k, LocalDampening(rate / k, law=Exponential)),
    "flipped_dampening": lambda ranking, k, rate: TopK(k, LocalDampening(rate / k, shift=ranking.shift)),
    "shifted": _shifted,
    "pairwise": _pairwise,
}
"""The laws that draw from one problem: the mechanism for k nodes at a price of ``rate`` in all."""


def _prepare_at_once(method: Method, graph: Graph, k: int, rate: Fraction, terms: Terms) -> Draw:
    """Everything that can be refused is refused here; what is returned only draws."""
    ranking = method.rank(graph, terms)
    mechanism = MECHANISMS[method.law](ranking, k, rate)
    mechanism.privacy(ranking.problem.frame)

    def draw(source: Entropy) -> tuple[int, ...]:
        drawn = mechanism.draw(ranking.problem, source)
        return drawn if isinstance(mechanism, OrderedMechanism) else (drawn,)

    return draw


def _prepare_by_level(method: Method, graph: Graph, k: int, rate: Fraction, terms: Terms) -> Draw:
    """A share of 1/20 buys h, the k-th largest degree with discrete Laplace noise; what remains buys the list.

    The plan is a function of h, the rate, k and the number of nodes alone (docs/proofs/level.md).
    """
    for_h, for_list = level_rates(rate)
    plan_for = partial(level_plan, epsilon=for_list, k=k, n=graph.nodes)
    LaplaceTopK(k, for_list, movers=2, drift=plan_for(clip_h(graph.nodes, graph.nodes)).drift)  # may refuse, unpaid

    def draw(source: Entropy) -> tuple[int, ...]:
        degree = NumericProblem(NumericFrame(1, Adjacency.EDGE), kth_largest_degree(graph.degrees(), k))
        noisy = Laplace(for_h).draw(degree, source)
        ranking = method.rank(graph, replace(terms, plan=plan_for(clip_h(noisy, graph.nodes))))
        mechanism = LaplaceTopK(k, for_list, movers=ranking.movers, drift=ranking.drift)
        return mechanism.draw(ranking.problem, source)

    return draw


LISTS: dict[str, Callable[[Method, Graph, int, Fraction, Terms], Draw]] = {
    "level": _prepare_by_level,
    **dict.fromkeys(MECHANISMS, _prepare_at_once),
}
"""All laws: what is ready to draw k places at a price of ``rate``."""
