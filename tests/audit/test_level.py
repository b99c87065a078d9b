"""The level method for a fixed h: what a shift of the noise costs, the law of the ordered top two, and the controls."""

from fractions import Fraction
from itertools import permutations

import numpy as np
import pytest

from dampen import SelectionProblem
from dampen.audit import graphs
from dampen.audit.neighbours import Graph
from dampen.graphs.node_scores import distance_two_sums
from dampen.mechanisms import LaplaceTopK
from dampen.queries import level_problem
from dampen.queries.graph.level import LevelPlan, pair_weights, plan_with_step, score_units
from dampen.vectors import Floats
from tests.audit.universes.ego_betweenness import level_universe, node_degrees
from tests.unit.queries.graph import judges as judge

SETTINGS = [("1/2", "1", "2"), ("1/2", "2", "2"), ("3/8", "1", "1"), ("0", "1", "3.3")]
"""Floors above 2 leave nobody in graphs of five nodes a slope of their own, and the audit little to find."""
each_setting = pytest.mark.parametrize(("step", "floor", "level"), SETTINGS)
TOP = Fraction(2)
HALF = Fraction(1, 2)


def plan_of(n: int, step: str, floor: str, level: str) -> LevelPlan:
    return plan_with_step(n, Fraction(step), Fraction(floor), Fraction(level))


def units(x: Graph, plan: LevelPlan) -> Floats:
    weights = pair_weights(plan.step, plan.bits, plan.n + 1)
    return score_units(distance_two_sums(*judge.csr(x), weights), np.array(judge.degrees(x)), plan) / 2**20


def cheapest_shift(change: Floats, winners: tuple[int, ...]) -> float:
    """The least sum of absolute shifts that keeps an ordered outcome: winners all end c above, losers at most c.

    Piecewise linear and convex in c, so the best c is one of the changes, or 0.
    """
    loses = np.ones(len(change), dtype=bool)
    loses[list(winners)] = False
    lifts = np.append(change, 0.0)[:, None]
    costs = np.abs(lifts - change[list(winners)]).sum(axis=1) + np.maximum(change[loses] - lifts, 0).sum(axis=1)
    return float(costs.min())


def worst_shift(x: Graph, plan: LevelPlan, k: int) -> float:
    before = units(x, plan)
    changes = [units(y, plan) - before for y, _ in judge.added(x)]
    outcomes = {tuple(sorted(outcome)) for outcome in permutations(range(x[0]), k)}
    return max((cheapest_shift(sign * c, o) for c in changes for sign in (1, -1) for o in outcomes), default=0.0)


@each_setting
@pytest.mark.parametrize("stride", [15, pytest.param(3, marks=pytest.mark.long)])
@pytest.mark.parametrize("k", [1, 2, 3])
def test_a_shift_of_the_noise_costs_at_most_the_width(step: str, floor: str, level: str, k: int, stride: int) -> None:
    """All graphs of five nodes and some of six; the order does not matter, only who wins."""
    for x in [*graphs(largest=5, smallest=3), *graphs(largest=6, smallest=6)[::stride]]:
        plan = plan_of(x[0], step, floor, level)
        width = (2 * plan.bound + k * plan.drift) / 2**20
        assert worst_shift(x, plan, k) <= width


@each_setting
@pytest.mark.parametrize("n", [4, 5])
def test_the_ordered_top_two_hold_their_claim(step: str, floor: str, level: str, n: int) -> None:
    plan = plan_of(n, step, floor, level)
    universe = level_universe(plan)
    report = universe.audit(LaplaceTopK(2, TOP, movers=2, drift=plan.drift))
    assert report.passed, str(report)
    assert report.worst_log_ratio > 0.25 * float(TOP)


def test_degrees_at_a_width_of_two_hold_their_claim_for_every_k() -> None:
    """At epsilon 8: at 1 so few nodes leave everything to the noise, and the worst pair loses 0.7."""
    for k in (1, 2, 3):
        report = node_degrees(largest=4, smallest=4).audit(LaplaceTopK(k, 8, movers=2))
        assert report.passed, str(report)
        assert report.worst_log_ratio > 0.8 * 8


def test_a_width_of_one_is_too_small_for_degrees() -> None:
    """The control: one mover claimed where an edge moves two."""
    report = node_degrees(largest=4, smallest=4).audit(LaplaceTopK(3, 1, movers=1))
    assert report.breaches == ("epsilon",)


def gadget(k: int, m: int, stars: int = 0) -> tuple[Graph, Graph]:
    """p joined to v_1..v_k, each v_i with m leaves of its own, q joined to all leaves; then p and q joined.

    And as many stars of their own, with leaves enough to score above every v_i.
    """
    p, q, hubs = 0, 1, range(2, 2 + k)
    edges = {(p, v) for v in hubs}
    leaf = 2 + k
    for v in hubs:
        for _ in range(m):
            edges |= {(v, leaf), (q, leaf)}
            leaf += 1
    for _ in range(stars):
        centre, leaf = leaf, leaf + 1 + 6 * m // 5
        edges |= {(centre, other) for other in range(centre + 1, leaf)}
    return (leaf, frozenset(edges)), (leaf, frozenset(edges | {(p, q)}))


def gadget_plan(n: int, m: int) -> LevelPlan:
    """The level is what a hub has before the edge."""
    return plan_with_step(n, HALF, Fraction(m, 4), Fraction(m * (m - 1), 4) + m)


def test_a_width_of_two_is_exceeded_by_the_gadget() -> None:
    """Every hub falls by nearly half an edge at once, 3.20 in all with both ends: the k drifts in w are needed."""
    k, m = 5, 100
    x, y = gadget(k, m)
    plan = gadget_plan(x[0], m)
    change = units(y, plan) - units(x, plan)
    hubs = tuple(range(2, 2 + k))
    assert change[list(hubs)] == pytest.approx([-0.494] * k, abs=2e-3)
    cost = cheapest_shift(change, hubs)
    assert cost == pytest.approx(3.20, abs=0.01)
    assert 2 < cost <= (2 * plan.bound + k * plan.drift) / 2**20


def log_chance_to_win(mechanism: LaplaceTopK, problem: SelectionProblem, winners: range) -> float:
    """Ln of the probability that just these win: the integral over t of the density that the best loser is at t."""
    at = -mechanism.exponents(problem).approximate()
    t = np.arange(at.min() - 40, at.max() + 40, 2**-7)[:, None]
    scores, sizes = np.unique(np.delete(at, list(winners)), return_counts=True)

    def log_below(z: Floats) -> Floats:
        return np.where(z < 0, z - np.log(2), np.log1p(-np.exp(-np.abs(z)) / 2))

    below = log_below(t - scores)
    density = (sizes * np.exp(-np.abs(t - scores) - np.log(2) - below)).sum(axis=1)
    logs = below @ sizes + log_below(at[list(winners)] - t).sum(axis=1) + np.log(density)
    return float(np.logaddexp.reduce(logs) - 7 * np.log(2))


def test_noise_of_a_width_of_two_breaks_the_promise_on_the_gadget() -> None:
    """The control: the law itself. Twenty stars stand above the hubs, so that the hubs win by their own noise.

    Each falls by 0.494, and q rises, which must lose: 1.28 epsilon for a width of 2. The hubs score alike, so every
    order of them has the same share of the chance.
    """
    k, m = 5, 100
    pair = gadget(k, m, stars=20)
    plan = gadget_plan(pair[0][0], m)
    weights = pair_weights(plan.step, plan.bits, plan.n + 1)
    problems = [level_problem(distance_two_sums(*judge.csr(x), weights), judge.degrees(x), plan) for x in pair]

    def loss(drift: int) -> float:
        mechanism = LaplaceTopK(k, TOP, movers=2, drift=drift)
        before, after = (log_chance_to_win(mechanism, problem, range(2, 2 + k)) for problem in problems)
        return before - after

    assert loss(0) == pytest.approx(1.28 * float(TOP), rel=0.01)
    assert 0.5 * TOP < loss(plan.drift) <= TOP


def complete_two_by(m: int) -> tuple[Graph, Graph]:
    """Two centres joined to the same m nodes, without and with the edge between the centres."""
    edges = frozenset((centre, leaf) for centre in (0, 1) for leaf in range(2, 2 + m))
    return (2 + m, edges), (2 + m, edges | {(0, 1)})


def test_ego_betweenness_in_the_level_score_moves_more_than_one_edge() -> None:
    """The control of the theory: -2.78 for K_{2,14} at the level 91, -3 at the worst level; with T_0 at most 1."""
    x, y = complete_two_by(14)

    def change(values: list[list[Fraction]], level: Fraction) -> float:
        plan = plan_with_step(16, HALF, Fraction(1), level)
        old, new = (
            score_units([int(v * 2**plan.bits) for v in value], np.array(judge.degrees(graph)), plan) / 2**20
            for value, graph in zip(values, (x, y), strict=True)
        )
        return float((new - old)[0])

    ebc, two = ([judge.ego_betweenness(g) for g in (x, y)], [judge.distance_two(g, HALF) for g in (x, y)])
    levels = [Fraction(j) for j in range(1, 120)]
    assert change(ebc, Fraction(91)) == pytest.approx(-2.776, abs=1e-3)
    assert min(change(ebc, level) for level in levels) == pytest.approx(-3.0, abs=0.02)
    assert max(abs(change(two, level)) for level in levels) <= 1 + 2**-19
