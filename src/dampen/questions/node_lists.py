"""How a list of top nodes is drawn: a ranking to a mechanism, or for the level method two draws in a row.

With their scores: noise on all of them, of which the largest are told.
"""

from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from functools import partial
from math import ceil

import numpy as np

from dampen._validate import render
from dampen.entropy import Entropy
from dampen.errors import ParameterError
from dampen.graphs.graph import Graph
from dampen.mechanisms import (
    Exponential,
    Laplace,
    LaplaceCounts,
    LaplaceTopK,
    LocalDampening,
    PairwiseDampening,
    PermuteAndFlip,
    SelectionMechanism,
    ShiftedLocalDampening,
    TopK,
)
from dampen.mechanisms.noise_errors import ChosenNoiseAccuracy
from dampen.mechanisms.selection.ordered import OrderedMechanism
from dampen.privacy import Adjacency
from dampen.problem import CountsFrame, CountsProblem, NumericFrame, NumericProblem
from dampen.problem.counts import LARGEST_COUNT
from dampen.queries.graph.centralities import Method, Ranking, Terms
from dampen.queries.graph.level import clip_h, kth_largest_degree, level_plan, level_rates

Draw = Callable[[Entropy], tuple[int, ...]]
"""The places of the top nodes, best first. Nobody has paid for it here."""
ScoredDraw = Callable[[Entropy], dict[int, float]]
"""The same with the noisy score of each."""
FINEST_TOLD, FINEST_NOISE = Fraction(1, 2**30), Fraction(1, 2**38)
"""Scores that are told are multiples of the first at least, and of the second times the scale of their noise: noise of
so many steps is drawn for all nodes at once."""


def _pairwise(_ranking: Ranking, k: int, rate: Fraction) -> SelectionMechanism:
    if k != 1:
        raise ParameterError(f"k must be 1 for method 'pairwise', which compares with the best; got {render(k)}")
    return PairwiseDampening(rate)


def _shifted(ranking: Ranking, k: int, rate: Fraction) -> SelectionMechanism:
    nodes = len(ranking.problem.frame.candidates)
    return TopK(k, ShiftedLocalDampening(rate / k, horizon=nodes, law=Exponential))


MECHANISMS: dict[str, Callable[[Ranking, int, Fraction], SelectionMechanism]] = {
    "laplace": lambda ranking, k, rate: LaplaceTopK(k, rate, movers=ranking.movers, drift=ranking.drift, l1=ranking.l1),
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


def prepare_with_scores(
    method: Method, graph: Graph, k: int, rate: Fraction, terms: Terms
) -> tuple[ScoredDraw, ChosenNoiseAccuracy]:
    """Ready to draw k places with their scores, and how far these will be off: noise on all scores, then the largest.

    Scores on a finer grid are rounded down to a public one first, for which each of the n scores pays one step.
    """
    ranking = method.rank(graph, terms) if method.law == "laplace" else None
    if ranking is None or ranking.unit is None or ranking.l1 is None:
        raise ParameterError(
            "with_scores must be left out here: it is for pagerank, and for degree by the methods level and degree"
        )
    step = steps_to_tell(ranking.unit, ranking.unit * ranking.l1 / rate)
    units = np.asarray(ranking.problem.utilities)
    counts, l1 = units, ranking.l1
    if step > 1:  # scores are from 0 to 2^62: divided by any larger step they are all 0
        counts, l1 = units // min(step, LARGEST_COUNT), -(-l1 // step) + graph.nodes
    problem = CountsProblem(CountsFrame(graph.nodes, l1, Adjacency.EDGE), counts)
    mechanism, told = LaplaceCounts(rate), ranking.unit * step

    def draw(source: Entropy) -> dict[int, float]:
        noisy = mechanism.draw(problem, source)
        found = {int(place): int(noisy[place]) * told for place in np.argsort(-noisy, kind="stable")[:k]}
        return {place: int(score) if told.denominator == 1 else float(score) for place, score in found.items()}

    off = ranking.off + (0 if step == 1 else told)
    noise = mechanism.noise(problem.frame)
    return draw, ChosenNoiseAccuracy(noise, told, ranking.told_as, rounding=off, among=graph.nodes)


def steps_to_tell(unit: Fraction, scale: Fraction) -> int:
    """The least power of two that makes a step of the grid coarse enough to be told; public.

    >>> steps_to_tell(Fraction(1, 2**40), Fraction(2)), steps_to_tell(Fraction(1), Fraction(2))
    (1024, 1)
    """
    return 1 << (max(1, ceil(max(FINEST_TOLD, scale * FINEST_NOISE) / unit)) - 1).bit_length()
