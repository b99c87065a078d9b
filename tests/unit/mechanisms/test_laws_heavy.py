"""The laws of heavy-tailed noise and of ordered picks, against rigorous integration and exact recursion."""

from fractions import Fraction
from itertools import permutations, product
from math import factorial, log

import numpy as np
import pytest
from flint import acb, arb, ctx
from hypothesis import given, settings
from hypothesis import strategies as st

from dampen.errors import ParameterError
from dampen.mechanisms import laws
from dampen.mechanisms.selection.pareto_noisy_max import LARGEST_NU
from dampen.vectors import Floats

EXPONENTS = st.lists(st.floats(0, 30), min_size=1, max_size=4).map(lambda xs: np.array([0.0, *xs]))
DEEPEST = 1024.0
NUS = [1.0, 1.5, 2.0, 5.0]


def ones(x: Floats) -> Floats:
    return np.ones(len(x))


# Pareto noise


def pareto_by_integration(x: list[float], nu: float, r: int) -> float:
    """P[Z_r - x_r is the largest] in certified arithmetic, by t = nu (1/y - 1) and y = w^2.

    With 2 nu whole, nothing but the powers of 1 + y x / nu has a branch.
    """
    double = round(2 * nu)

    def density(w: acb, analytic: bool) -> acb:
        value = double * w ** (double - 1) * (1 + w**2 * arb(x[r]) / nu).pow(acb(-nu - 1), analytic)
        for s, x_s in enumerate(x):
            if s != r:
                value *= 1 - w**double * (1 + w**2 * arb(x_s) / nu).pow(acb(-nu), analytic)
        return value

    with ctx.workprec(100):
        return float(acb.integral(density, 0, 1).real)


@pytest.mark.parametrize("nu", NUS)
@pytest.mark.parametrize(
    "x", [[0.0, 0.0], [0.0, 1.0, 2.5], [0.0, 0.1, 7.0, 7.0, 30.0], [0.0, 1e-6, 1e-6], [0.0, 0.0, 5e3]]
)
def test_the_pareto_law_equals_rigorous_integration(x: list[float], nu: float) -> None:
    law = np.exp(laws.pareto_maximum(np.array(x), np.ones(len(x)), nu))
    for r in range(len(x)):
        assert law[r] == pytest.approx(pareto_by_integration(x, nu, r), rel=1e-11)


@pytest.mark.parametrize("gap", [0.01, 0.3, 2.0, 50.0, 1e6])
def test_two_candidates_with_pareto_noise_of_index_1_have_a_closed_form(gap: float) -> None:
    """P[Z' > Z + a] is the integral over t > 0 of 1 / ((1 + t)^2 (1 + t + a)), which is 1/a - ln(1 + a) / a^2."""
    law = np.exp(laws.pareto_maximum(np.array([0.0, gap]), np.ones(2), 1.0))
    with ctx.workprec(200):
        a = arb(gap)
        worse = float(1 / a - (1 + a).log() / a**2)
    assert law[1] == pytest.approx(worse, rel=1e-11)
    assert law[0] == pytest.approx(1 - worse, rel=1e-11)


@settings(max_examples=40)
@given(EXPONENTS, st.sampled_from(NUS))
def test_the_pareto_law_sums_to_one(x: Floats, nu: float) -> None:
    assert np.exp(laws.pareto_maximum(x, ones(x), nu)).sum() == pytest.approx(1, abs=1e-12)


@pytest.mark.parametrize("nu", NUS)
@pytest.mark.parametrize("x", [[0.0, 1e9], [0.0, 1e9, 1e15], [0.0] * 1000 + [40.0] * 1000], ids=["1e9", "1e15", "many"])
def test_far_and_many_candidates_sum_to_one(x: list[float], nu: float) -> None:
    law = laws.pareto_maximum(np.array(x), np.ones(len(x)), nu)
    assert np.isfinite(law).all()
    assert np.exp(law).sum() == pytest.approx(1, abs=1e-11)


@pytest.mark.parametrize("nu", NUS)
def test_groups_are_as_good_as_their_members(nu: float) -> None:
    x, sizes = np.array([0.0, 0.4, 3.0]), np.array([2, 5, 40])
    expanded = np.repeat(x, sizes)
    grouped = np.repeat(laws.pareto_maximum(x, sizes.astype(float), nu), sizes)
    assert grouped == pytest.approx(laws.pareto_maximum(expanded, ones(expanded), nu), rel=1e-11)
    huge = laws.pareto_maximum(np.zeros(1), np.array([1e9]), nu)
    assert huge == pytest.approx(-log(1e9), rel=1e-12)


@pytest.mark.parametrize("nu", [8.0, 16.0, float(LARGEST_NU)])
def test_a_large_index_is_almost_exponential_noise(nu: float) -> None:
    """The law must be right for every nu that the mechanism takes: y^nu is steep near y = 1."""
    x = np.array([0.0, 0.5, 2.0])
    pareto = laws.pareto_maximum(x, ones(x), nu)
    assert np.exp(pareto).sum() == pytest.approx(1, abs=1e-11)
    assert pareto == pytest.approx(laws.permute_and_flip(x, ones(x)), abs=5 / nu + 1e-11)


# Ordered picks


def peel(x: Floats, k: int) -> Floats:
    return laws.picks_in_turn(laws.softmax, x, k, DEEPEST)


def peeled(x: Floats, order: tuple[int, ...]) -> float:
    """The chance of one ordered tuple, pick by pick."""
    weights, chance = np.exp(-x), 1.0
    for place in order:
        chance *= weights[place] / weights.sum()
        weights[place] = 0.0
    return float(chance)


@settings(max_examples=40)
@given(EXPONENTS, st.integers(1, 3))
def test_peeled_softmax_is_pick_after_pick(x: Floats, k: int) -> None:
    k = min(k, len(x))
    direct = [peeled(x, order) for order in permutations(range(len(x)), k)]
    assert np.exp(laws.picks_in_turn(laws.softmax, x, k, DEEPEST)) == pytest.approx(direct, rel=1e-10)


def uniform_order(limits: list[Fraction], order: tuple[int, ...]) -> Fraction:
    """The chance that independent uniform numbers on (0, limit) are smallest in this order, the others behind.

    Exactly: each number falls into one of the cells between the limits; inside a cell all orders are equally likely.
    """
    ends = [Fraction(0), *sorted(set(limits))]
    everyone = range(len(limits))
    total = Fraction(0)
    for cells in product(range(1, len(ends)), repeat=len(limits)):
        if any(ends[cells[i]] > limits[i] for i in everyone):
            continue
        chance = Fraction(1)
        for i in everyone:
            chance *= (ends[cells[i]] - ends[cells[i] - 1]) / limits[i]
        total += chance * _orders_in(cells, order)
    return total


def _orders_in(cells: tuple[int, ...], order: tuple[int, ...]) -> Fraction:
    """The share of all orders, uniform inside cells, that begin with this one."""
    rest = [i for i in range(len(cells)) if i not in order]
    fitting = sum(
        all(cells[a] <= cells[b] for a, b in zip((*order, *tail), (*order, *tail)[1:], strict=False))
        for tail in permutations(rest)
    )
    ways = 1
    for cell in set(cells):
        ways *= factorial(cells.count(cell))
    return Fraction(fitting, ways)


@pytest.mark.parametrize("limits", [(1, 1), (1, 2, 2), (1, 1, 3, 5), (1, 2, 4, 50)])
@pytest.mark.parametrize("k", [1, 2, 3, 4])
def test_ordered_exponential_noise_equals_an_exact_enumeration(limits: tuple[int, ...], k: int) -> None:
    """exp(x - Z) is uniform on (0, exp(x)) for exponential Z, so the largest Z - x are the smallest uniform numbers."""
    k = min(k, len(limits))
    x = np.array([log(limit) for limit in limits])
    exact = [
        float(uniform_order([Fraction(limit) for limit in limits], order))
        for order in permutations(range(len(limits)), k)
    ]
    assert np.exp(laws.ordered_exponential(x, k)) == pytest.approx(exact, rel=1e-10)


@settings(max_examples=30)
@given(EXPONENTS)
def test_the_first_pick_is_permute_and_flip_or_softmax(x: Floats) -> None:
    assert laws.ordered_exponential(x, 1) == pytest.approx(laws.permute_and_flip(x, ones(x)), abs=1e-10)
    assert laws.picks_in_turn(laws.softmax, x, 1, DEEPEST) == pytest.approx(laws.softmax(x, ones(x)), abs=1e-12)


@settings(max_examples=25)
@given(EXPONENTS)
def test_summing_out_the_last_pick_gives_one_pick_less(x: Floats) -> None:
    everyone = range(len(x))
    for law in (laws.ordered_exponential, peel):
        for k in range(2, len(x) + 1):
            longer = dict(zip(permutations(everyone, k), np.exp(law(x, k)), strict=True))
            shorter = np.exp(law(x, k - 1))
            sums = [
                sum(longer[*order, last] for last in everyone if last not in order)
                for order in permutations(everyone, k - 1)
            ]
            assert sums == pytest.approx(shorter, rel=1e-9, abs=1e-300)


@settings(max_examples=25)
@given(EXPONENTS)
def test_all_orders_sum_to_one(x: Floats) -> None:
    for law in (laws.ordered_exponential, peel):
        assert np.exp(law(x, len(x))).sum() == pytest.approx(1, abs=1e-10)


@pytest.mark.parametrize("gap", [30.0, 300.0, 600.0])
def test_deep_exponents_have_a_law(gap: float) -> None:
    """Of two, the worse comes first with probability exp(-gap) / 2; of two equals before it, either comes first."""
    assert laws.ordered_exponential(np.array([0.0, gap]), 2)[1] == pytest.approx(-gap - log(2), rel=1e-12)
    assert np.exp(laws.ordered_exponential(np.array([0.0, 0.0, gap]), 2))[[0, 2]] == pytest.approx(0.5, rel=1e-10)


def test_exponents_too_far_apart_are_refused_rather_than_wrong() -> None:
    with pytest.raises(ParameterError, match="within 600"):
        laws.ordered_exponential(np.array([0.0, 1024.0]), 2)


def test_peeling_raises_what_is_too_deep_below_the_best_that_is_left() -> None:
    assert peel(np.array([0.0, 1024.0]), 2) == pytest.approx([0.0, -1024.0], abs=1e-12)
    raised = peel(np.array([0.0, 0.0, 5000.0]), 2)
    assert raised == pytest.approx([-log(2), -1024 - log(2)] * 2 + [-1024 - log(2) - log(2)] * 2, abs=1e-11)
