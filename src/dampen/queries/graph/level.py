"""The most influential nodes by their distance-2 betweenness: a score that only two nodes feel much.

T(v) is the sum over pairs {x, y} of neighbours of v without an edge of psi(g), where g counts the common neighbours of
x and y in the whole graph and psi(g) = max(1 / g, 1 - (g - 1) step): for a step of 1/2 the share of all shortest paths
of length 2 that pass through v, for a step of 0 the number of open pairs, and in between the least weights above 1 / g
that fall by at most the step. An edge at v raises T(v) by at most the degree d; any other edge lowers it by at most
about d times the step. The *level score* s(v) counts the edges between T(v) and a level L, so one edge moves the scores
of its two ends by at most 1, and all other scores down by at most a small drift. Proofs: docs/proofs/level.md.

Everything here is whole numbers on public grids: weights are rounded down to 2^-f, so that T is exact, and scores to
2^-20.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import ceil, log
from typing import Any

import numpy as np

from dampen._validate import Number, positive, render, whole
from dampen.errors import DataError, ParameterError
from dampen.graphs.node_scores import distance_two_sums
from dampen.privacy import Adjacency
from dampen.problem import Frame, SelectionProblem
from dampen.queries.graph.node_problems import degree_problem
from dampen.vectors import Floats, Integers, as_vector

GRID = Fraction(1, 2**20)
"""Scores are rounded down to multiples of this."""
SHARE_FOR_H = Fraction(1, 20)
"""The share of epsilon that goes into h, the noisy k-th largest degree."""
SMALLEST_H = 8
RESOLVED = 5
"""A step is used once a score of h stands out by so many ln n of the noise."""
STEPS = tuple(Fraction(part, 64) for part in (32, 24, 16, 12, 8, 6, 4, 3, 2, 1, 0))
"""The steps that are tried in turn: a large one is closer to betweenness, a small one needs less noise."""
GAMMA = Fraction(4, 5)
"""The level in units of h^2 / 2, which is T of a node of degree h without triangles."""
LONGEST_TABLE = 2**16
"""Weights of pairs with more common neighbours than this are taken to be those of this many."""
LARGEST_GRAPH = 2**28
"""Scores are below n, and floats of that size are within a quarter of the scores' grid of exact."""


@dataclass(frozen=True)
class LevelPlan:
    """How the level method scores: a function of the released h, of epsilon, k and n alone.

    ``step``: by how much the weights of pairs may fall; ``by_degree``: the score is the degree, and nothing else is
    used. ``bound`` and ``drift`` are in units of the score's grid (1 for degrees): how far the two ends of an edge
    move, and in what interval all others do.
    """

    n: int
    by_degree: bool
    step: Fraction
    floor: Fraction
    level: Fraction
    bound: int
    drift: int

    @property
    def bits(self) -> int:
        """Weights are multiples of 2^-bits: as fine as sums over n^2 / 2 pairs allow in 64 bits."""
        return weight_bits(self.n)


def weight_bits(n: int) -> int:
    """The f <= 40 for which n^2 / 2 times 2^f stays below 2^62."""
    return min(40, 63 - 2 * n.bit_length())


def level_rates(epsilon: Number) -> tuple[Fraction, Fraction]:
    """What h costs and what the list costs; together epsilon."""
    total = positive(epsilon=epsilon)
    return total * SHARE_FOR_H, total * (1 - SHARE_FOR_H)


def clip_h(noisy: int, n: int) -> int:
    """The noisy k-th largest degree within [8, n - 1]."""
    return max(SMALLEST_H, min(noisy, n - 1))


def kth_largest_degree(degrees: Any, k: int) -> int:
    """Not private. One edge moves it by at most 1."""
    counts = as_vector(degrees, "degrees")
    if whole(k=k, least=1) > len(counts):
        raise ParameterError(f"k must not exceed the number of nodes, {len(counts)}; got {render(k)}")
    return int(np.partition(counts, len(counts) - k)[len(counts) - k])


def level_plan(h: int, *, epsilon: Number, k: int, n: int) -> LevelPlan:
    """Choose the score for a released h; ``epsilon`` is that of the list alone.

    By degree where a node of degree h stands out by less than 2 ln n of the noise; else with the largest step whose
    noise leaves it 5 ln n, and the level near h^2 / 2, which is T of a node of degree h with few triangles.

    >>> plan = level_plan(400, epsilon="0.4", k=10, n=36692)
    >>> plan.by_degree, plan.step, float(plan.level), float(plan.floor)
    (False, Fraction(3, 32), 64000.0, 100.0)
    """
    rate, nodes = float(positive(epsilon=epsilon)), whole(n=n, least=1)
    if nodes >= LARGEST_GRAPH:
        raise ParameterError(f"the level method takes graphs of fewer than 2**28 nodes; got {nodes}")
    whole(k=k, least=1)
    needed = log(max(nodes, 2))
    if rate * h / 2 < 2 * needed:
        return LevelPlan(nodes, True, Fraction(0), Fraction(1), Fraction(0), 1, 0)
    floor = max(Fraction(4), Fraction(h, 4), Fraction(k))
    affordable = (step for step in STEPS if rate * h / (2 + k * float(drift(step, floor))) >= RESOLVED * needed)
    return plan_with_step(nodes, next(affordable, Fraction(0)), floor, GAMMA * h * h / 2)


def plan_with_step(n: int, step: Fraction, floor: Fraction, level: Fraction) -> LevelPlan:
    """A plan that scores by T. The level is rounded down to the grid of the weights."""
    if step not in STEPS:
        raise ParameterError(
            f"step must be one of the multiples of 1/64 in dampen.queries.graph.level.STEPS; got {step}"
        )
    fine = 2 ** weight_bits(n)
    grid_level = Fraction(int(level * fine // 1), fine)
    moved = 1 / GRID + 2
    return LevelPlan(n, False, step, floor, grid_level, int(moved), ceil(drift(step, floor) / GRID) + 2)


def drift(step: Fraction, floor: Fraction) -> Fraction:
    """How far an edge lowers the score of a node that is not its end: step + (1 - 2 step) / floor."""
    return step + (1 - 2 * step) / floor


def pair_weights(step: Fraction, bits: int, count: int) -> Integers:
    """The weights of pairs with 0, 1, ..., count - 1 common neighbours, in units of 2^-bits, rounded down.

    max(1 / g, 1 - (g - 1) step). They fall, from 1, by at most the step, which has to lie on the grid: ``bits`` >= 7.

    >>> pair_weights(Fraction(1, 4), 10, 7).tolist()
    [0, 1024, 768, 512, 256, 204, 170]
    """
    one, g = 2**bits, np.arange(count, dtype=np.int64)
    until_zero = np.minimum(np.maximum(g - 1, 0), 64)
    weights = np.maximum(one // np.maximum(g, 1), one - until_zero * int(step * one))
    return np.asarray(np.where(g == 0, 0, weights), dtype=np.int64)


def level_sums(offsets: Any, neighbours: Any, plan: LevelPlan) -> Integers:
    """T of every node in units of 2^-bits; zeros where the plan scores by degree."""
    n = len(offsets) - 1
    if plan.by_degree:
        return np.zeros(n, dtype=np.int64)
    weights = pair_weights(plan.step, plan.bits, min(n, LONGEST_TABLE) + 1)
    return distance_two_sums(offsets, neighbours, weights)


def level_problem(sums: Any, degrees: Any, plan: LevelPlan, *, nodes: Sequence[Any] | None = None) -> SelectionProblem:
    """The level scores as whole multiples of 2^-20, for :class:`~dampen.mechanisms.LaplaceTopK` with ``plan.drift``.

    ``sums``: T in units of 2^-bits, from ``distance_two_sums`` with ``pair_weights``; unused where the plan scores by
    degree. The utilities of the two ends of an edge move by at most ``plan.bound``, all others within an interval of
    length ``plan.drift``, which only ``LaplaceTopK`` turns to account.
    """
    if plan.by_degree:
        return degree_problem(degrees, nodes=nodes)
    counts, totals = as_vector(degrees, "degrees"), as_vector(sums, "sums")
    if len(counts) != plan.n or len(totals) != plan.n or counts.dtype.kind != "i" or totals.dtype.kind != "i":
        raise DataError("sums and degrees must be whole numbers, one per node")
    labels = range(plan.n) if nodes is None else nodes
    return SelectionProblem(Frame(labels, plan.bound, Adjacency.EDGE), score_units(totals, counts, plan))


def score_units(sums: Any, degrees: Any, plan: LevelPlan) -> Integers:
    """Not private. The level scores, rounded down to whole multiples of 2^-20."""
    return np.asarray(np.floor(level_scores(sums, degrees, plan) / float(GRID)), dtype=np.int64)


def level_scores(sums: Any, degrees: Any, plan: LevelPlan) -> Floats:
    """Not private. s = S^-1(T - L) with S(x) the integral of max(d + z, floor) over z in [0, x], odd.

    The gap T - L is a difference of whole numbers, so s is within 2^-50 of exact, relatively.
    """
    fine = 2**plan.bits
    gaps = (np.asarray(sums, dtype=np.int64) - int(plan.level * fine)) / fine
    d, floor = np.asarray(degrees, dtype=np.float64), float(plan.floor)
    size = np.abs(gaps)
    flat = np.maximum(floor - d, 0.0)
    slope = np.maximum(d, floor)
    beyond = np.maximum(size - slope * flat, 0.0)
    # The root of slope z + z^2 / 2 = beyond, written so that nothing cancels where beyond is small.
    steps = np.minimum(size / slope, flat) + 2 * beyond / (np.sqrt(slope * slope + 2 * beyond) + slope)
    return np.asarray(np.copysign(steps, gaps))
