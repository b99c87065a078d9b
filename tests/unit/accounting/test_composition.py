"""Sums, rounding up, and the one conversion that exists, against high-precision arithmetic of another library."""

from decimal import ROUND_CEILING, Decimal, localcontext
from fractions import Fraction
from itertools import product
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dampen import Adjacency, PrivacyLoss
from dampen._validate import Number
from dampen.accounting import composed, converted
from dampen.accounting.composition import LONGEST_DENOMINATOR, NOTHING, add_amounts, round_up, shorten
from dampen.concentrated import GRID, rho_of_pure
from dampen.errors import BudgetError
from dampen.privacy import Amount

if TYPE_CHECKING:
    from tests.conftest import Refused

ADD_REMOVE, REPLACE, EDGE = Adjacency.ADD_REMOVE, Adjacency.REPLACE, Adjacency.EDGE


def loss(epsilon: Fraction) -> PrivacyLoss:
    return PrivacyLoss(epsilon, adjacency=ADD_REMOVE)


def replaced_delta(epsilon: Fraction, delta: Fraction) -> Fraction:
    """(1 + e^epsilon) delta, rounded up to a multiple of 2^-80, with 200 decimals of the ``decimal`` module."""
    with localcontext(prec=200):
        exponent = Decimal(epsilon.numerator) / Decimal(epsilon.denominator)
        steps = (1 + exponent.exp()) * Decimal(delta.numerator) / Decimal(delta.denominator) * 2**80
        return Fraction(int(steps.to_integral_value(rounding=ROUND_CEILING)), 2**80)


@given(
    st.fractions(min_value=0, max_value=5, max_denominator=10**6),
    st.fractions(min_value=Fraction(1, 10**30), max_value=Fraction(1, 1000), max_denominator=10**30),
)
def test_add_remove_under_replace(epsilon: Fraction, delta: Fraction) -> None:
    loss = PrivacyLoss(epsilon, delta, adjacency=ADD_REMOVE, bounded_range="1/3", rho="1/7")
    charge = converted(loss, REPLACE, "row")
    assert charge == PrivacyLoss(
        2 * epsilon, replaced_delta(epsilon, delta), adjacency=REPLACE, bounded_range="2/3", rho="4/7"
    )


@pytest.mark.parametrize(
    ("epsilon", "delta"),
    [
        ("1", "1e-6"),
        ("0.1", "1e-9"),
        ("10", "1e-12"),
        ("30", "1e-20"),
        ("0", "1/2417851639229258349412352"),
        ("0", "1/4835703278458516698824704"),
        ("1/1000000", "1e-40"),
    ],
)
def test_add_remove_under_replace_at_chosen_places(epsilon: str, delta: str) -> None:
    charge = converted(PrivacyLoss(epsilon, delta, adjacency=ADD_REMOVE), REPLACE, "row")
    assert charge.epsilon == 2 * Fraction(epsilon)
    assert charge.delta == replaced_delta(Fraction(epsilon), Fraction(delta))
    assert charge.delta >= 2 * Fraction(delta)


def test_a_pure_loss_stays_pure_and_claims_nothing_new() -> None:
    charge = converted(PrivacyLoss("1/3", adjacency=ADD_REMOVE), REPLACE, "row")
    assert charge == PrivacyLoss("2/3", 0, adjacency=REPLACE)
    assert charge.bounded_range is None
    assert charge.rho is None


@pytest.mark.parametrize("adjacency", list(Adjacency))
def test_a_loss_in_its_own_adjacency_is_what_it_is(adjacency: Adjacency) -> None:
    loss = PrivacyLoss("1/3", "1/1000", adjacency=adjacency, unit="patient", bounded_range="1/3", rho="1/18")
    assert converted(loss, adjacency, "patient") == loss


MIXTURES = [
    (given, wanted)
    for given, wanted in product(Adjacency, Adjacency)
    if given is not wanted and (given, wanted) != (ADD_REMOVE, REPLACE)
]


@pytest.mark.parametrize(("loss", "budget"), MIXTURES)
def test_every_other_mixture_is_refused(loss: Adjacency, budget: Adjacency, refused: "Refused") -> None:
    assert len(MIXTURES) == 5
    with refused(BudgetError, loss.name, budget.name):
        converted(PrivacyLoss(1, adjacency=loss, unit="x"), budget, "x")


@pytest.mark.parametrize("adjacency", [ADD_REMOVE, REPLACE])
def test_units_never_convert(adjacency: Adjacency, refused: "Refused") -> None:
    with refused(BudgetError, "'patient'", "'row'"):
        converted(PrivacyLoss(1, adjacency=ADD_REMOVE, unit="row"), adjacency, "patient")


@pytest.mark.parametrize(
    ("epsilon", "delta"),
    [("1", "0.3"), ("0", "0.5"), ("1000", "1e-9"), ("1e100", "1e-100"), ("0", Fraction(1, 2) - Fraction(1, 2**90))],
    ids=["above", "at", "far above", "beyond floats", "after rounding up"],
)
def test_a_delta_of_one_or_more_is_refused(epsilon: str, delta: Number, refused: "Refused") -> None:
    with refused(BudgetError, "REPLACE", "delta"):
        converted(PrivacyLoss(epsilon, delta, adjacency=ADD_REMOVE), REPLACE, "row")


# Sums


def test_epsilons_deltas_and_rhos_add_exactly() -> None:
    parts = [
        PrivacyLoss("1/3", "1/1000", adjacency=REPLACE, unit="patient", bounded_range="1/3", rho="1/72"),
        PrivacyLoss("1/7", "1/3000", adjacency=REPLACE, unit="patient", bounded_range="1/7", rho="1/800"),
    ]
    assert composed(parts) == PrivacyLoss(
        Fraction(10, 21), Fraction(4, 3000), adjacency=REPLACE, unit="patient", rho=Fraction(1, 72) + Fraction(1, 800)
    )


def test_a_sum_has_no_bounded_range_and_the_rho_that_its_parts_imply() -> None:
    ranged = PrivacyLoss(1, adjacency=ADD_REMOVE, bounded_range=1)
    assert composed([ranged, ranged]).bounded_range is None
    assert composed([ranged, ranged]).rho == Fraction(1, 4)
    assert composed([ranged, PrivacyLoss(1, adjacency=ADD_REMOVE)]).rho == Fraction(1, 8) + rho_of_pure(Fraction(1))
    assert composed([ranged]) == ranged


def test_a_sum_with_a_part_that_has_no_epsilon_has_none() -> None:
    total = composed([PrivacyLoss(1, adjacency=ADD_REMOVE, rho="1/9"), PrivacyLoss(None, adjacency=ADD_REMOVE, rho=1)])
    assert total == PrivacyLoss(None, adjacency=ADD_REMOVE, rho=Fraction(10, 9))


@given(st.lists(st.fractions(min_value=0, max_value=2, max_denominator=10**9), min_size=1, max_size=8))
def test_sums_do_not_depend_on_the_order(parts: list[Fraction]) -> None:
    total = composed([PrivacyLoss(part, part / 100, adjacency=ADD_REMOVE) for part in parts])
    assert total.amount == Amount(sum(parts, Fraction(0)), sum(parts, Fraction(0)) / 100)
    assert total == composed([PrivacyLoss(part, part / 100, adjacency=ADD_REMOVE) for part in reversed(parts)])


@given(st.fractions(min_value=0, max_value=2))
def test_rounding_up_gives_the_least_multiple_of_the_grid_not_below(number: Fraction) -> None:
    assert GRID == 2**80
    rounded = round_up(number)
    assert (rounded * GRID).denominator == 1
    assert rounded - Fraction(1, GRID) < number <= rounded
    assert round_up(rounded) == rounded


def test_denominators_up_to_the_longest_are_kept_exactly() -> None:
    last = Fraction(1, 2 ** (LONGEST_DENOMINATOR - 1))
    assert shorten(loss(last)) == loss(last)
    assert shorten(loss(last / 2)) == loss(Fraction(1, GRID))
    assert add_amounts(NOTHING, Amount(last, last)).epsilon == last
    assert add_amounts(NOTHING, Amount(last / 2, last)).epsilon == Fraction(1, GRID)


numbers = st.integers(0, 2**150).flatmap(lambda top: st.integers(2**150, 2**300).map(lambda b: Fraction(top, b)))


@given(st.lists(numbers, min_size=1, max_size=60))
def test_sums_are_never_rounded_down_and_never_grow_long(charges: list[Fraction]) -> None:
    spent = NOTHING
    for count, charge in enumerate(charges, 1):
        spent = add_amounts(spent, Amount(charge, charge / 2))
        exact = sum(charges[:count], Fraction(0))
        for total, true in ((spent.epsilon or Fraction(0), exact), (spent.delta, exact / 2)):
            assert true <= total <= true + Fraction(count, GRID)
            assert total.denominator.bit_length() <= LONGEST_DENOMINATOR + 80
