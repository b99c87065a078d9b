"""The level method's statistic, score and plan, against definitions in fractions."""

from fractions import Fraction
from itertools import pairwise, product
from math import log, sqrt

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dampen.audit import graphs
from dampen.audit.neighbours import Graph
from dampen.errors import DataError, ParameterError
from dampen.graphs.node_scores import codegrees, distance_two_sums
from dampen.queries import level_problem
from dampen.queries.graph.level import (
    GRID,
    STEPS,
    LevelPlan,
    clip_h,
    drift,
    kth_largest_degree,
    level_plan,
    level_rates,
    level_scores,
    pair_weights,
    plan_with_step,
    score_units,
    weight_bits,
)
from dampen.vectors import Floats, Integers
from tests.conftest import Refused
from tests.unit.queries.graph import judges as judge

HALF = Fraction(1, 2)
ATLAS = graphs(largest=6, smallest=2)
each_step = pytest.mark.parametrize("step", [HALF, Fraction(3, 8), Fraction(0)], ids=str)
FLOORS = (Fraction(1), Fraction(2), Fraction(4))
LEVELS = tuple(map(Fraction, ("0.5", "1", "2", "3.3", "6", "20")))


def sums(x: Graph, step: Fraction) -> Integers:
    return distance_two_sums(*judge.csr(x), pair_weights(step, weight_bits(x[0]), x[0] + 1))


def random_graph(seed: int) -> Graph:
    rng = np.random.default_rng(seed)
    n, share = int(rng.integers(2, 26)), rng.random()
    return n, frozenset((a, b) for a in range(n) for b in range(a + 1, n) if rng.random() < share)


@each_step
def test_the_kernel_is_the_double_loop(step: Fraction) -> None:
    for x in [*ATLAS[::3], *map(random_graph, range(30))]:
        fine = 2 ** weight_bits(x[0])
        found, exact = sums(x, step), judge.distance_two(x, step)
        for v, value in enumerate(exact):
            pairs = judge.degrees(x)[v] ** 2
            assert 0 <= value - Fraction(int(found[v]), fine) <= Fraction(pairs, fine)
        assert codegrees(*judge.csr(x)).tolist() == judge.codegrees(x)


def test_the_identities_of_the_statistic() -> None:
    """T_0 <= EBC <= open pairs, and T_0 sums to the number of pairs at distance two."""
    for x in ATLAS:
        near = judge.neighbour_sets(x)
        t, ebc, open_pairs = judge.distance_two(x, HALF), judge.ego_betweenness(x), judge.distance_two(x, Fraction(0))
        assert all(a <= b <= c for a, b, c in zip(t, ebc, open_pairs, strict=True))
        far = [(a, b) for a in range(x[0]) for b in range(a) if b not in near[a] and near[a] & near[b]]
        assert sum(t) == len(far)


@each_step
def test_lemma_1_how_one_edge_moves_the_statistic(step: Fraction) -> None:
    for x in ATLAS:
        before, d = judge.distance_two(x, step), judge.degrees(x)
        for y, edge in judge.added(x):
            for v, (old, new) in enumerate(zip(before, judge.distance_two(y, step), strict=True)):
                if v in edge:
                    assert 0 <= new - old <= d[v]
                else:
                    fall = max(1 + step * (d[v] - 2), step * (d[v] - 1)) if d[v] >= 2 else 0
                    assert -fall <= new - old <= 0


@each_step
@pytest.mark.parametrize("stride", [4, pytest.param(1, marks=pytest.mark.long)])
def test_lemma_2_how_one_edge_moves_the_score(step: Fraction, stride: int) -> None:
    """Ends by at most 1, others within [-drift, 0] before rounding; after it as the plan's whole numbers say."""
    ends = others = 0.0
    for x in ATLAS[::stride]:
        larger = list(judge.added(x))
        if not larger:
            continue
        after = np.array([sums(y, step) for y, _ in larger])
        is_end = np.array([[v in edge for v in range(x[0])] for _, edge in larger])
        before, d = sums(x, step), np.array(judge.degrees(x))
        for floor, level in product(FLOORS, LEVELS):
            plan = plan_with_step(x[0], step, floor, level)
            change = level_scores(after, d + is_end, plan) - level_scores(before, d, plan)
            ends = max(ends, np.abs(change[is_end]).max())
            others = max(others, -change[~is_end].min(initial=0) / float(drift(step, floor)))
            assert change[~is_end].max(initial=0) <= 1e-12
            units = score_units(after, d + is_end, plan) - score_units(before, d, plan)
            assert np.abs(units[is_end]).max() <= plan.bound
            assert units[~is_end].max(initial=0) <= 1
            assert units[~is_end].min(initial=0) >= 1 - plan.drift
    assert 0.9 < ends <= 1
    assert 0.6 < others <= 1 + 1e-9


@given(st.integers(0, 2000), st.integers(0, 2**40), st.integers(1, 2**38), st.integers(1, 400), st.booleans())
def test_the_score_inverts_its_integral(d: int, t: int, level: int, floor: int, above: bool) -> None:
    plan = LevelPlan(1000, False, HALF, Fraction(floor), Fraction(level, 2 ** weight_bits(1000)), 1, 0)
    total = level + t if above else max(level - t, 0)
    [s] = level_scores([total], [d], plan)
    x = abs(Fraction(float(s)))
    flat = max(Fraction(floor - d), Fraction(0))
    rest = max(x - flat, Fraction(0))
    area = floor * min(x, flat) + rest * (max(d, floor) + rest / 2)
    gap = Fraction(abs(total - level), 2 ** weight_bits(1000))
    assert float(area) == pytest.approx(float(gap), rel=1e-13, abs=1e-13)
    assert s == 0 or (s > 0) == (total > level)


def old_closed_form(gap: float, d: int, floor: float) -> float:
    """As the theory prints it, in two branches."""
    if d >= floor:
        return sqrt(d * d + 2 * gap) - d
    return gap / floor if gap <= floor * (floor - d) else sqrt(floor**2 + 2 * (gap - floor * (floor - d))) - d


@given(st.integers(0, 50), st.integers(0, 3000), st.integers(1, 60))
def test_the_score_has_the_printed_closed_form(d: int, gap: int, floor: int) -> None:
    plan = plan_with_step(100, HALF, Fraction(floor), Fraction(5000))
    fine = 2**plan.bits
    both = level_scores([(5000 + gap) * fine, (5000 - gap) * fine], [d, d], plan)
    assert both == pytest.approx([old_closed_form(gap, d, floor), -old_closed_form(gap, d, floor)], abs=1e-9)


@pytest.mark.parametrize("bits", [7, 8, 17, 40])
@pytest.mark.parametrize("step", STEPS, ids=str)
def test_weights_fall_by_at_most_the_step_and_are_as_near_to_shares_as_that_allows(bits: int, step: Fraction) -> None:
    """With the fewest bits of the largest graphs, too."""
    table = pair_weights(step, bits, 300).tolist()
    falls = [a - b for a, b in pairwise(table[1:])]
    assert (table[0], table[1]) == (0, 2**bits)
    assert min(falls) >= 0
    assert max(falls) == falls[0] == step * 2**bits
    exact = [max(Fraction(1, g), 1 - step * (g - 1)) for g in range(1, 300)]
    assert all(0 <= value * 2**bits - w < 1 for value, w in zip(exact, table[1:], strict=True))


def test_sums_of_all_pairs_fit_in_64_bits() -> None:
    for n in (2, 3, 1000, 2**19 - 1, 2**20, 2**28 - 1):
        assert n * (n - 1) // 2 * 2 ** weight_bits(n) < 2**62
        assert weight_bits(n) >= 7


def test_the_plan_is_a_table_of_public_numbers() -> None:
    def chosen(h: int, epsilon: str, k: int = 10, n: int = 36692) -> tuple[bool, str, float, float]:
        plan = level_plan(h, epsilon=epsilon, k=k, n=n)
        return plan.by_degree, str(plan.step), float(plan.floor), float(plan.level)

    assert chosen(400, "0.1") == (True, "0", 1, 0)
    assert chosen(400, "1") == (False, "1/2", 100, 0.8 * 80000)
    assert chosen(400, "0.6") == (False, "1/4", 100, 0.8 * 80000)
    assert chosen(400, "0.3") == (False, "1/64", 100, 0.8 * 80000)
    assert chosen(400, "0.25") == (False, "0", 100, 0.8 * 80000)
    assert chosen(8, "1000", k=50)[:3] == (False, "1/2", 50)
    assert chosen(8, "1000", k=50)[3] == pytest.approx(25.6)
    assert chosen(8, "1000", k=1)[2] == 4


def test_the_step_is_the_largest_that_leaves_five_logarithms() -> None:
    for h in range(100, 2000, 37):
        plan = level_plan(h, epsilon="0.4", k=10, n=36692)
        left = [0.4 * h / (2 + 10 * float(drift(step, plan.floor))) >= 5 * log(36692) for step in STEPS]
        if not plan.by_degree:
            assert left[: STEPS.index(plan.step)] == [False] * STEPS.index(plan.step)
            assert left[STEPS.index(plan.step)] or plan.step == 0
        assert plan.by_degree == (0.2 * h < 2 * log(36692))


def test_the_price_of_a_plan_in_units_of_the_grid() -> None:
    plan = level_plan(400, epsilon=1, k=10, n=36692)
    assert plan.bound == 2**20 + 2
    assert plan.drift == 2**19 + 2
    inner = level_plan(430, epsilon="0.1", k=10, n=36692)
    assert inner.drift * GRID - Fraction(2, 215) < 4 * GRID
    assert inner.drift * GRID >= Fraction(2, 215) + 2 * GRID


def test_the_drift_of_the_theory() -> None:
    assert drift(HALF, Fraction(100)) == HALF
    assert drift(Fraction(3, 16), Fraction(4)) == Fraction(3, 16) + Fraction(5, 8) / 4
    assert drift(Fraction(0), Fraction(4)) == Fraction(1, 4)


def test_h_is_clipped_and_its_price_is_a_share() -> None:
    assert [clip_h(noisy, 100) for noisy in (-5, 8, 50, 99, 1000)] == [8, 8, 50, 99, 99]
    assert clip_h(3, 5) == 8
    assert level_rates("0.1") == (Fraction(1, 200), Fraction(19, 200))


def test_the_kth_largest_degree_moves_by_at_most_one() -> None:
    for x in ATLAS:
        for k in range(1, x[0] + 1):
            before = kth_largest_degree(judge.degrees(x), k)
            assert before == sorted(judge.degrees(x))[-k]
            assert all(0 <= kth_largest_degree(judge.degrees(y), k) - before <= 1 for y, _ in judge.added(x))


def test_a_plan_by_degree_scores_by_degree() -> None:
    problem = level_problem([], [2, 1, 1], level_plan(8, epsilon="0.1", k=1, n=3), nodes=("a", "b", "c"))
    assert (problem.groups.tolist(), problem.frame.bound, problem.frame.monotone) == ([2, 1, 1], Fraction(1), True)


def test_refusals(refused: Refused) -> None:
    plan = plan_with_step(3, HALF, Fraction(4), Fraction(2))
    with refused(DataError, "one per node"):
        level_problem([1, 2], [1, 1, 2], plan)
    with refused(DataError, "whole"):
        level_problem([1.0, 2.0, 0.5], [1, 1, 2], plan)
    with refused(ParameterError, "k", "3", "4"):
        kth_largest_degree([1, 1, 2], 4)
    with refused(ParameterError, "k", "0"):
        level_plan(8, epsilon=1, k=0, n=5)
    with refused(ParameterError, "epsilon", "0"):
        level_plan(8, epsilon=0, k=1, n=5)
    with refused(ParameterError, "step", "1/64", "1/3"):
        plan_with_step(3, Fraction(1, 3), Fraction(4), Fraction(2))
    with refused(ParameterError, "2**28"):
        level_plan(8, epsilon=1, k=1, n=2**28)


def test_infinitely_high_levels_order_by_degree() -> None:
    """The score far below a level L is the degree less sqrt(2 L), nearly."""
    plan = plan_with_step(50, HALF, Fraction(4), Fraction(10**6))
    d = np.arange(4, 40)
    scores: Floats = level_scores(np.zeros(36, dtype=np.int64), d, plan)
    assert np.diff(scores) == pytest.approx(np.ones(35), abs=0.03)
