"""Lists that are fixed beforehand: against enumeration of all outcomes, never below it, and as batches of a budget."""

import random
from collections.abc import Sequence
from contextlib import closing
from fractions import Fraction
from math import prod
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

import dampen
from dampen import Adjacency, Budget, PrivacyLoss
from dampen._validate import Number
from dampen.accounting.composition import rho_of
from dampen.accounting.plans import (
    FINEST,
    fixed_range_delta,
    optimal_delta,
    price_of_list,
    ranged_epsilon,
)
from dampen.certified import arithmetic, ball
from dampen.concentrated import least_epsilon
from dampen.errors import BudgetExceeded, ParameterError
from dampen.vectors import Floats

if TYPE_CHECKING:
    from tests.conftest import Refused

ADD_REMOVE = Adjacency.ADD_REMOVE
MILLIONTH = Fraction(1, 10**6)


def loss(epsilon: Number, delta: Number = 0, eta: Number | None = None) -> PrivacyLoss:
    return PrivacyLoss(epsilon, delta, adjacency=ADD_REMOVE, bounded_range=eta)


def delta_by_enumeration(epsilons: Sequence[Fraction], epsilon: Fraction, deltas: Sequence[Fraction] = ()) -> Fraction:
    """Delta of randomised responses of these epsilons, all answers written out, in balls: nearest to the truth.

    With deltas each response fails openly with that chance: the four answers of the worst (epsilon, delta) release.
    """
    with arithmetic(256) as flint:
        ups = [1 / (1 + ball(flint, -each).exp()) for each in epsilons]

        def excess(place: int, loss: Fraction, most: Fraction) -> Any:
            if loss + most <= 0:
                return flint.arb(0)
            if place == len(epsilons):
                return -ball(flint, -loss).expm1()
            price, up = epsilons[place], ups[place]
            higher, lower = (excess(place + 1, loss + change, most - price) for change in (price, -price))
            return up * higher + (1 - up) * lower

        total = excess(0, -epsilon, sum(epsilons, Fraction(0)))
        kept = prod((1 - ball(flint, delta) for delta in deltas), start=flint.arb(1))
        middle = (1 - kept * (1 - total)).mid()
        return Fraction(int((middle * 2**200).floor().unique_fmpz()), 2**200)


def check_random_lists(count: int, seed: int) -> None:
    """The truth is known to 2**-200: never below it means what it says, and "within rounding" 1e-9 of it."""
    rng = random.Random(seed)
    for _ in range(count):
        epsilons = [Fraction(rng.randint(1, 40), rng.choice((7, 10, 16, 24))) for _ in range(rng.randint(1, 7))]
        epsilon = sum(epsilons) * Fraction(rng.randint(0, 20), 20)
        true, found = delta_by_enumeration(epsilons, epsilon), Fraction(optimal_delta(epsilons, epsilon))
        assert true <= found <= true * (1 + Fraction(1, 10**9)) + Fraction(1, 10**11)
        deltas = [Fraction(rng.randint(0, 3), 10**4) for _ in epsilons]
        extra = Fraction(rng.randint(1, 999), 10 ** rng.randint(3, 9))
        price = price_of_list([loss(*each) for each in zip(epsilons, deltas, strict=True)], extra)
        assert price.epsilon is not None
        assert price.epsilon <= sum(epsilons)
        assert delta_by_enumeration(epsilons, price.epsilon, deltas) <= price.delta <= sum(deltas) + extra


def test_random_lists_are_what_enumeration_says_and_never_below() -> None:
    check_random_lists(100, seed=1)


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
    places = np.arange(201) / 200
    up = np.expm1(1 - places) * np.exp(places) / np.expm1(1)

    def single(epsilons: Floats) -> Floats:
        e = epsilons[:, None] - places
        mixed: Floats = up * np.maximum(0, -np.expm1(e)) + (1 - up) * np.maximum(0, -np.expm1(e + 1))
        return np.asarray(mixed.max(axis=1))

    for epsilon in (0.5, 1.0):
        found = float((up * single(epsilon - places) + (1 - up) * single(epsilon - places + 1)).max())
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


@pytest.mark.parametrize(
    "listed",
    [
        [loss("1/400")] * 20_001,
        pytest.param([loss("1/400")] * 200_000, marks=pytest.mark.long),
        pytest.param([loss("1/400")] * 200_001, marks=pytest.mark.long),
        [loss(800)],
        [loss(650, eta=650)],
        [loss(400, eta="798.6")],
        [PrivacyLoss(None, adjacency=ADD_REMOVE, rho=80_000, bounded_range=800)],
        [loss("1/1000", eta="1/1000")] * 1000,
    ],
    ids=["20,001", "200,000", "200,001", "large", "large and ranged", "wide range", "no epsilon", "many ranges"],
)
def test_lists_beyond_every_lattice_cost_what_rho_or_the_sum_says(listed: list[PrivacyLoss]) -> None:
    """Never nothing: a lattice of no steps, a weight that overflows or a search that finds nothing is no bargain."""
    found = price_of_list(listed, MILLIONTH).epsilon
    rho = sum((rho_of(each) for each in listed), Fraction(0))
    total = sum((each.epsilon or Fraction(10**9) for each in listed), Fraction(0))
    assert found is not None
    assert found >= min(total, least_epsilon(rho, MILLIONTH)) * Fraction(7, 10)


def test_a_search_that_finds_nothing_says_the_sum() -> None:
    assert ranged_epsilon(Fraction(1), 3, Fraction(1, 10**291)) == 3


def test_questions_inside_a_batch_choose_by_the_rule_of_the_budget() -> None:
    budget = Budget(rho=1)
    with budget.batch([loss(1, eta=1)] * 2) as slots:
        assert slots.composition == "zcdp"
        dampen.median([1, 2, 3], bounds=(0, 10), step=1, epsilon=1, budget=slots)
        with pytest.raises(BudgetExceeded, match="claim a bounded range or a rho that it has not"):
            slots.reserve(loss(1))
