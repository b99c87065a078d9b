"""The level method for a fixed h: what a shift of the noise costs, the law of the ordered top two, and the controls."""

from fractions import Fraction
from itertools import permutations

import numpy as np
import pytest

from dampen.audit import graphs
from dampen.audit.neighbours import Graph
from dampen.mechanisms import LaplaceTopK
from dampen.queries.level import LevelPlan, pair_weights, score_units, scored_plan
from dampen.statistics.graph_levels import distance_two_sums
from dampen.vectors import Floats
from tests.audit.universes.ego_betweenness import level_universe, node_degrees
from tests.unit.queries import graph_judges as judge

SETTINGS = [("1/2", "1", "1"), ("1/2", "4", "3.3"), ("3/8", "2", "2"), ("0", "1", "3.3")]
each_setting = pytest.mark.parametrize(("step", "floor", "level"), SETTINGS)
TOP = Fraction(2)
HALF = Fraction(1, 2)


def plan_of(n: int, step: str, floor: str, level: str) -> LevelPlan:
    return scored_plan(n, Fraction(step), Fraction(floor), Fraction(level))


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
@pytest.mark.parametrize("k", [1, 2, 3])
def test_a_shift_of_the_noise_costs_at_most_the_width(step: str, floor: str, level: str, k: int) -> None:
    """All graphs of five nodes and every third of six; the order does not matter, only who wins."""
    for x in [*graphs(largest=5, smallest=3), *graphs(largest=6, smallest=6)[::3]]:
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
    assert report.worst_log_ratio > 0.1 * float(TOP)


def test_degrees_at_a_width_of_two_hold_their_claim_for_every_k() -> None:
    for k in (1, 2, 3):
        report = node_degrees(largest=4, smallest=4).audit(LaplaceTopK(k, 1, movers=2))
        assert report.passed, str(report)
        assert report.worst_log_ratio > 0.7


def test_a_width_of_one_is_too_small_for_degrees() -> None:
    """The control: one mover claimed where an edge moves two."""
    report = node_degrees(largest=4, smallest=4).audit(LaplaceTopK(3, 1, movers=1))
    assert report.breaches == ("epsilon",)


def gadget(k: int, m: int) -> tuple[Graph, Graph]:
    """p joined to v_1..v_k, each v_i with m leaves of its own, q joined to all leaves; then p and q joined."""
    p, q, hubs = 0, 1, range(2, 2 + k)
    edges = {(p, v) for v in hubs}
    leaf = 2 + k
    for v in hubs:
        for _ in range(m):
            edges |= {(v, leaf), (q, leaf)}
            leaf += 1
    return (leaf, frozenset(edges)), (leaf, frozenset(edges | {(p, q)}))


def test_a_width_of_two_is_exceeded_by_the_gadget() -> None:
    """Every hub falls by nearly half an edge at once, 3.20 in all with both ends: the k drifts in w are needed."""
    k, m = 5, 100
    x, y = gadget(k, m)
    plan = scored_plan(x[0], HALF, Fraction(m, 4), Fraction(m * (m - 1), 4) + m)
    change = units(y, plan) - units(x, plan)
    hubs = tuple(range(2, 2 + k))
    assert change[list(hubs)] == pytest.approx([-0.494] * k, abs=2e-3)
    cost = cheapest_shift(change, hubs)
    assert cost == pytest.approx(3.20, abs=0.01)
    assert 2 < cost <= (2 * plan.bound + k * plan.drift) / 2**20


def complete_two_by(m: int) -> tuple[Graph, Graph]:
    """Two centres joined to the same m nodes, without and with the edge between the centres."""
    edges = frozenset((centre, leaf) for centre in (0, 1) for leaf in range(2, 2 + m))
    return (2 + m, edges), (2 + m, edges | {(0, 1)})


def test_ego_betweenness_in_the_level_score_moves_more_than_one_edge() -> None:
    """The control of the theory: -2.78 for K_{2,14} at the level 91, -3 at the worst level; with T_0 at most 1."""
    x, y = complete_two_by(14)

    def change(values: list[list[Fraction]], level: Fraction) -> float:
        plan = scored_plan(16, HALF, Fraction(1), level)
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
