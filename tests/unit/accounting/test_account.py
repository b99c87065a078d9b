"""What may be granted: sums, limits and prices of one account, without any budget around it."""

from dataclasses import FrozenInstanceError
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dampen import Adjacency, PrivacyLoss
from dampen._validate import Number
from dampen.accounting.account import LONGEST_DENOMINATOR, NOTHING, Account, added, as_losses
from dampen.errors import BudgetExceeded, ParameterError
from dampen.privacy import Amount

if TYPE_CHECKING:
    from tests.conftest import Refused

ADD_REMOVE, REPLACE = Adjacency.ADD_REMOVE, Adjacency.REPLACE
GRID = 2**80


def amount(epsilon: Number, delta: Number = 0) -> Amount:
    return Amount(Fraction(epsilon), Fraction(delta))


def loss(epsilon: Number, delta: Number = 0, adjacency: Adjacency = ADD_REMOVE, unit: str = "") -> PrivacyLoss:
    return PrivacyLoss(epsilon, delta, adjacency=adjacency, unit=unit)


def test_charging_gives_a_new_account_and_leaves_the_old_one() -> None:
    old = Account(amount(1, "1/10"), name="analyst=ann")
    new = old.charged([loss("1/4", "1/100"), loss("1/2")])
    assert old == Account(amount(1, "1/10"), name="analyst=ann")
    assert new == Account(amount(1, "1/10"), amount("3/4", "1/100"), ADD_REMOVE, "row", "analyst=ann")
    assert new.remaining == amount("1/4", "9/100")
    with pytest.raises(FrozenInstanceError):
        new.spent = NOTHING  # type: ignore[misc]


@pytest.mark.parametrize(
    ("charge", "fits"),
    [
        (loss("1/2", "1/20"), True),
        (loss(Fraction(1, 2) + Fraction(1, 10**60)), False),
        (loss(0, Fraction(1, 20) + Fraction(1, 10**60)), False),
        (loss("1/2"), True),
        (loss(0, "1/20"), True),
    ],
)
def test_granted_exactly_up_to_both_limits(charge: PrivacyLoss, fits: bool, refused: "Refused") -> None:
    account = Account(amount(1, "1/10"), amount("1/2", "1/20"))
    if fits:
        assert account.charged([charge]).spent == added(account.spent, charge)
    else:
        with refused(BudgetExceeded, "asked", "spent epsilon 0.5, delta 0.05", "limit epsilon 1, delta 0.1"):
            account.charged([charge])


def test_a_refusal_names_the_scope_and_sums_what_was_asked(refused: "Refused") -> None:
    with refused(BudgetExceeded, "not enough budget in analyst=ann: asked epsilon 1.5; spent epsilon 0; limit"):
        Account(amount(1), name="analyst=ann").charged([loss(1), loss("1/2")])
    with refused(BudgetExceeded, "not enough budget: asked epsilon 2;"):
        Account(amount(1)).charged([loss(2)])


def test_prices_follow_the_account_or_the_first_loss() -> None:
    fixed, free = Account(amount(9), adjacency=REPLACE, unit="row"), Account(amount(9))
    assert fixed.priced([loss(1)]) == (loss(2, adjacency=REPLACE),)
    assert free.priced([loss(1)]) == (loss(1),)
    assert free.priced([loss(1, adjacency=REPLACE), loss(1)]) == (
        loss(1, adjacency=REPLACE),
        loss(2, adjacency=REPLACE),
    )


def test_what_cannot_be_written_is_rounded_up_in_every_number() -> None:
    long = Fraction(1, 3**200)
    price = Account(amount(9)).priced([PrivacyLoss(long, long, adjacency=ADD_REMOVE, bounded_range=long, rho=long)])
    least = Fraction(1, GRID)
    assert price == (PrivacyLoss(least, least, adjacency=ADD_REMOVE, bounded_range=least, rho=least),)
    one_long = PrivacyLoss(long, "1/3", adjacency=ADD_REMOVE, unit="patient", rho="1/7")
    assert Account(amount(9)).priced([one_long]) == (
        PrivacyLoss(least, "1/3", adjacency=ADD_REMOVE, unit="patient", rho="1/7"),
    )


def test_denominators_up_to_the_longest_are_kept_exactly() -> None:
    last = Fraction(1, 2 ** (LONGEST_DENOMINATOR - 1))
    assert Account(amount(9)).priced([loss(last)]) == (loss(last),)
    assert Account(amount(9)).priced([loss(last / 2)]) == (loss(Fraction(1, GRID)),)
    assert added(NOTHING, loss(last)).epsilon == last
    assert added(NOTHING, loss(last / 2)).epsilon == Fraction(1, GRID)


numbers = st.integers(0, 2**150).flatmap(lambda top: st.integers(2**150, 2**300).map(lambda b: Fraction(top, b)))


@given(st.lists(numbers, min_size=1, max_size=60))
def test_sums_are_never_rounded_down_and_never_grow_long(charges: list[Fraction]) -> None:
    spent = NOTHING
    for count, charge in enumerate(charges, 1):
        spent = added(spent, Amount(charge, charge / 2))
        exact = sum(charges[:count], Fraction(0))
        for total, true in ((spent.epsilon, exact), (spent.delta, exact / 2)):
            assert true <= total <= true + Fraction(count, GRID)
            assert total.denominator.bit_length() <= LONGEST_DENOMINATOR + 80


@given(st.lists(st.fractions(min_value=0, max_value=1, max_denominator=100), max_size=20))
def test_short_sums_are_exact(charges: list[Fraction]) -> None:
    spent = NOTHING
    for charge in charges:
        spent = added(spent, Amount(charge, charge))
    assert spent == Amount(sum(charges, Fraction(0)), sum(charges, Fraction(0)))


def test_an_account_prints_what_is_spent_of_what() -> None:
    assert str(Account(amount(1), amount("1/4"))) == "epsilon 0.25 of 1"
    assert str(Account(amount(1, "1/10"), amount("1/4"))) == "epsilon 0.25 of 1, delta 0 of 0.1"


def test_losses_are_listed_once() -> None:
    assert as_losses(iter([loss(1), loss(2)])) == (loss(1), loss(2))


@pytest.mark.parametrize("wrong", [None, 5, [], (), "abc", [1], [loss(1), None], loss(1), {}], ids=repr)
def test_anything_else_is_no_list_of_losses(wrong: Any, refused: "Refused") -> None:
    with refused(ParameterError, "losses", "PrivacyLoss"):
        as_losses(wrong)
