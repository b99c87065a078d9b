"""What may be granted: sums, limits and prices of one account, without any budget around it."""

from dataclasses import FrozenInstanceError
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import pytest

from dampen import Adjacency, PrivacyLoss
from dampen._validate import Number
from dampen.accounting.account import Account, as_losses, branch_of, child_of
from dampen.accounting.composition import NOTHING, add_amounts
from dampen.concentrated import GRID
from dampen.errors import BudgetExceeded, ParameterError
from dampen.privacy import Amount

if TYPE_CHECKING:
    from tests.conftest import Refused

ADD_REMOVE, REPLACE = Adjacency.ADD_REMOVE, Adjacency.REPLACE


def amount(epsilon: Number, delta: Number = 0) -> Amount:
    return Amount(Fraction(epsilon), Fraction(delta))


def loss(epsilon: Number, delta: Number = 0, adjacency: Adjacency = ADD_REMOVE, unit: str = "") -> PrivacyLoss:
    return PrivacyLoss(epsilon, delta, adjacency=adjacency, unit=unit)


def test_charging_gives_a_new_account_and_leaves_the_old_one() -> None:
    old = Account(amount(1, "1/10"), name="analyst=ann")
    new = old.charge([loss("1/4", "1/100"), loss("1/2")])
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
        assert account.charge([charge]).spent == add_amounts(account.spent, charge.amount)
    else:
        with refused(BudgetExceeded, "asked", "spent epsilon 0.5, delta 0.05", "limit epsilon 1, delta 0.1"):
            account.charge([charge])


def test_a_refusal_names_the_scope_and_sums_what_was_asked(refused: "Refused") -> None:
    with refused(BudgetExceeded, "not enough budget in analyst=ann: asked epsilon 1.5; spent epsilon 0; limit"):
        Account(amount(1), name="analyst=ann").charge([loss(1), loss("1/2")])
    with refused(BudgetExceeded, "not enough budget: asked epsilon 2;"):
        Account(amount(1)).charge([loss(2)])


def test_prices_follow_the_account_or_the_first_loss() -> None:
    fixed, free = Account(amount(9), adjacency=REPLACE, unit="row"), Account(amount(9))
    assert fixed.price([loss(1)]) == (loss(2, adjacency=REPLACE),)
    assert free.price([loss(1)]) == (loss(1),)
    assert free.price([loss(1, adjacency=REPLACE), loss(1)]) == (
        loss(1, adjacency=REPLACE),
        loss(2, adjacency=REPLACE),
    )


def test_what_cannot_be_written_is_rounded_up_in_every_number() -> None:
    long = Fraction(1, 3**200)
    price = Account(amount(9)).price([PrivacyLoss(long, long, adjacency=ADD_REMOVE, bounded_range=long, rho=long)])
    least = Fraction(1, GRID)
    assert price == (PrivacyLoss(least, least, adjacency=ADD_REMOVE, bounded_range=least, rho=least),)
    one_long = PrivacyLoss(long, "1/3", adjacency=ADD_REMOVE, unit="patient", rho="1/7")
    assert Account(amount(9)).price([one_long]) == (
        PrivacyLoss(least, "1/3", adjacency=ADD_REMOVE, unit="patient", rho="1/7"),
    )


def test_an_account_prints_what_is_spent_of_what() -> None:
    assert str(Account(amount(1), amount("1/4"))) == "epsilon 0.25 of 1"
    assert str(Account(amount(1, "1/10"), amount("1/4"))) == "epsilon 0.25 of 1, delta 0 of 0.1"


def test_losses_are_listed_once() -> None:
    assert as_losses(iter([loss(1), loss(2)])) == (loss(1), loss(2))


@pytest.mark.parametrize("wrong", [None, 5, [], (), "abc", [1], [loss(1), None], loss(1), {}], ids=repr)
def test_anything_else_is_no_list_of_losses(wrong: Any, refused: "Refused") -> None:
    with refused(ParameterError, "losses", "PrivacyLoss"):
        as_losses(wrong)


# Scopes


def test_a_child_is_named_below_its_parent() -> None:
    assert child_of("", "analyst", "ann") == "analyst=ann"
    assert child_of("analyst=ann", "project", "the census") == "analyst=ann/project=the census"
    assert child_of("", "Abteilung", "Köln 数据 🎉") == "Abteilung=Köln 数据 🎉"
    assert child_of("", "k" * 100, "n" * 100) == "k" * 100 + "=" + "n" * 100


@pytest.mark.parametrize(
    "wrong",
    ["", " ", " ann", "ann ", "a/b", "a=b", "a\nb", "\x1b[1m", "\ud800", "\u00a0ann", "x" * 101, None, 5, b"ann", True],
    ids=lambda value: ascii(value)[:12],
)
def test_a_wrong_word_is_refused_by_its_argument(wrong: Any, refused: "Refused") -> None:
    with refused(ParameterError, "name must be"):
        child_of("", "analyst", wrong)
    with refused(ParameterError, "kind must be"):
        child_of("", wrong, "ann")


@pytest.mark.parametrize(
    ("scope", "branch"),
    [
        ("", ("",)),
        ("a=b", ("", "a=b")),
        ("a=b/c=d/e=f", ("", "a=b", "a=b/c=d", "a=b/c=d/e=f")),
    ],
)
def test_a_branch_runs_from_the_whole_to_the_scope(scope: str, branch: tuple[str, ...]) -> None:
    assert branch_of(scope) == branch


def test_no_two_paths_have_one_name() -> None:
    words = ["a", "b", "a b", "ä", "[x]", "%", "_", "'"]
    names = [child_of(parent, kind, name) for kind in words for name in words for parent in ("", "a=b", "a=b/c=d")]
    assert len(set(names)) == len(names)
