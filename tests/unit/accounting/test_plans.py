"""Lists that are fixed beforehand: against enumeration of all outcomes, never below it, and as batches of a budget."""

import random
from collections.abc import Sequence
from contextlib import closing
from fractions import Fraction
from itertools import product
from math import exp, expm1, prod
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from dampen import Adjacency, Budget, PrivacyLoss
from dampen._validate import Number
from dampen.accounting.plans import (
    FINEST,
    fixed_range_delta,
    optimal_delta,
    optimal_epsilon,
    price_of_list,
    ranged_epsilon,
)
from dampen.concentrated import least_epsilon
from dampen.errors import BudgetExceeded, ParameterError

if TYPE_CHECKING:
    from tests.conftest import Refused

ADD_REMOVE = Adjacency.ADD_REMOVE
MILLIONTH = Fraction(1, 10**6)


def loss(epsilon: Number, delta: Number = 0, eta: Number | None = None) -> PrivacyLoss:
    return PrivacyLoss(epsilon, delta, adjacency=ADD_REMOVE, bounded_range=eta)


def delta_by_enumeration(epsilons: Sequence[Fraction], epsilon: Fraction) -> float:
    """Delta of randomised responses of these epsilons, all answers written out."""
    found = 0.0
    for signs in product((1, -1), repeat=len(epsilons)):
        total = sum((sign * each for sign, each in zip(signs, epsilons, strict=True)), Fraction(0)) - epsilon
        if total > 0:
            found += prod(1 / (1 + exp(-s * e)) for s, e in zip(signs, epsilons, strict=True)) * -expm1(-total)
    return found


def check_random_lists(count: int, seed: int) -> None:
    rng = random.Random(seed)
    for _ in range(count):
        epsilons = [Fraction(rng.randint(1, 40), rng.choice((7, 10, 16, 24))) for _ in range(rng.randint(1, 8))]
        epsilon = sum(epsilons) * Fraction(rng.randint(0, 20), 20)
        true, found = delta_by_enumeration(epsilons, epsilon), optimal_delta(epsilons, epsilon)
        assert true * (1 - 1e-13) <= found <= true * (1 + 1e-9) + 1e-9
        back = optimal_epsilon(epsilons, Fraction(max(found, 1e-12)))
        assert delta_by_enumeration(epsilons, back) <= max(found, 1e-12) * (1 + 1e-12)
        assert back <= sum(epsilons)


def test_random_lists_are_what_enumeration_says_and_never_below() -> None:
    check_random_lists(40, seed=1)


@pytest.mark.long
def test_a_thousand_random_lists() -> None:
    check_random_lists(1000, seed=2)


def test_epsilons_without_a_common_lattice_are_rounded_up() -> None:
    epsilons = [Fraction(1, 1009), Fraction(1, 2003), Fraction(997, 1013), Fraction(1, 3001)]
    assert sum(epsilons) * 1009 * 2003 * 1013 * 3001 > FINEST
    for epsilon in (Fraction(0), Fraction(1, 2), Fraction(9, 10)):
        true = delta_by_enumeration(epsilons, epsilon)
        assert true <= optimal_delta(epsilons, epsilon) <= true * 1.001


def test_ranges_by_a_search_over_both_choices() -> None:
    """Two releases of range 1, the second chosen after the first: a search over t of each, 201 places."""
    eta, places = 1.0, [i / 200 for i in range(201)]

    def up(t: float) -> float:
        return expm1(eta - t) * exp(t) / expm1(eta)

    def single(e: float) -> float:
        return max(up(t) * max(0.0, -expm1(e - t)) + (1 - up(t)) * max(0.0, -expm1(e - t + eta)) for t in places)

    for epsilon in (0.5, 1.0):
        found = max(up(t) * single(epsilon - t) + (1 - up(t)) * single(epsilon - t + eta) for t in places)
        told = float(ranged_epsilon(Fraction(1), 2, Fraction(found)))
        assert epsilon <= told <= epsilon + 3.5 / 200


def test_adaptive_ranges_cost_more_than_fixed_mechanisms() -> None:
    """The formula for mechanisms that are fixed beforehand gives .0948951; adaptive choice reaches .0997886."""
    assert fixed_range_delta(Fraction(1), 3, Fraction(1)) == pytest.approx(0.0948951119463448459, rel=1e-10)
    assert ranged_epsilon(Fraction(1), 3, Fraction("0.0997886")) > 1
    assert ranged_epsilon(Fraction(1), 3, Fraction("0.1010845")) <= 1 + Fraction(2, 200)


@pytest.mark.parametrize(
    ("losses", "low", "high"),
    [
        ([loss("0.1")] * 100, 4.774, 4.775),
        ([loss("0.1", eta="0.1")] * 10, 0.6345, 0.6396),
        ([loss("0.1", eta="0.1")] * 9 + [loss("0.1", eta="0.11")], 0.700, 0.710),
        ([loss(1)], 0.99999, 1),
        ([loss("0.1", "1e-9")] * 30, 2.2, 2.7),
    ],
    ids=["pure", "equal ranges", "other ranges", "one", "with deltas"],
)
def test_the_best_of_all_bounds_is_the_price(losses: list[PrivacyLoss], low: float, high: float) -> None:
    price = price_of_list(losses, MILLIONTH)
    assert price.epsilon is not None
    assert low <= price.epsilon <= high
    assert price.bounded_range is None
    assert price.delta == sum(each.delta for each in losses) + MILLIONTH


def test_a_list_with_gaussian_noise_is_priced_by_rho() -> None:
    losses = [PrivacyLoss(None, adjacency=ADD_REMOVE, rho="1/100"), loss("1/10", eta="1/10")]
    price = price_of_list(losses, MILLIONTH)
    assert price.epsilon == least_epsilon(Fraction(1, 100) + Fraction(1, 800), MILLIONTH)


@pytest.mark.long
def test_a_hundred_ranges_of_a_tenth() -> None:
    found = ranged_epsilon(Fraction(1, 10), 100, MILLIONTH)
    assert Fraction("2.252") <= found <= Fraction("2.31")


# Batches


@pytest.mark.parametrize("composition", ["basic", "approx"])
def test_a_batch_with_a_delta_is_one_charge(tmp_path: Path, composition: str, refused: "Refused") -> None:
    losses = [loss("0.1", eta="0.1")] * 10
    with closing(Budget.open(tmp_path / "a.db", epsilon=1, delta="1e-5", composition=composition)) as ledger:
        price = ledger.quote(losses, delta="1e-6")
        with ledger.batch(losses, delta="1e-6", note="ten medians") as batch:
            assert batch.loss == price
            assert (ledger.spent.epsilon, ledger.spent.delta) == (price.epsilon, price.delta)
            assert batch.limit.epsilon == 1
            assert batch.reserve(loss("0.05", eta="0.05")).loss.amount == losses[0].amount
            with refused(BudgetExceeded, "no unused slot"):
                batch.reserve(loss("0.1"))
        assert [entry.kind for entry in ledger.history()][-2:] == ["charge", "outcome"]
        assert ledger.history()[-1].note == "done"
        assert ledger.unfinished() == []
        assert ledger.verify()
        assert batch.remaining.epsilon == 0


def test_a_delta_buys_nothing_in_a_budget_of_rho(refused: "Refused") -> None:
    with refused(ParameterError, "delta must be left out", "rho"):
        Budget(rho=1).quote([loss(1)] * 2, delta="1e-6")


def test_a_batch_that_does_not_fit_charges_nothing() -> None:
    budget = Budget(epsilon="1/2", delta="1e-5")
    with pytest.raises(BudgetExceeded):
        budget.batch([loss("1/2")] * 4, delta="1e-6")
    assert budget.spent.epsilon == 0
