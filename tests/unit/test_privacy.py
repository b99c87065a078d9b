"""The words of privacy: exact, frozen, printable, and without any data in them."""

import pickle
import warnings
from contextlib import AbstractContextManager, nullcontext
from dataclasses import FrozenInstanceError, fields
from fractions import Fraction
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any
from unittest.mock import MagicMock

import pytest

from dampen import Adjacency, Budget, Frame, PrivacyLoss, Release, SelectionProblem
from dampen.errors import ParameterError, ReleaseFailed
from dampen.mechanisms import PermuteAndFlip
from dampen.privacy import Amount, GroupRelease, Receipt, paid, release_of

if TYPE_CHECKING:
    from tests.conftest import Refused

ADD_REMOVE = Adjacency.ADD_REMOVE


def test_there_are_three_adjacencies_and_they_print_as_written() -> None:
    assert [repr(member) for member in Adjacency] == [
        "Adjacency.ADD_REMOVE",
        "Adjacency.REPLACE",
        "Adjacency.EDGE",
    ]


def test_a_loss_is_exact_and_equal_by_its_numbers() -> None:
    loss = PrivacyLoss(0.1, "1/1000", adjacency=ADD_REMOVE, bounded_range="1/5", rho=0.005)
    assert (loss.epsilon, loss.delta, loss.bounded_range, loss.rho) == (
        Fraction(1, 10),
        Fraction(1, 1000),
        Fraction(1, 5),
        Fraction(1, 200),
    )
    same = PrivacyLoss("1/10", 0.001, adjacency=ADD_REMOVE, bounded_range=0.2, rho="1/200")
    assert loss == same
    assert hash(loss) == hash(same)
    assert loss != PrivacyLoss("1/10", 0.001, adjacency=Adjacency.REPLACE, bounded_range=0.2, rho="1/200")


@pytest.mark.parametrize(
    ("adjacency", "unit"), [(ADD_REMOVE, "row"), (Adjacency.REPLACE, "row"), (Adjacency.EDGE, "edge")]
)
def test_the_unit_is_an_edge_of_graphs_and_else_a_row_unless_named(adjacency: Adjacency, unit: str) -> None:
    assert PrivacyLoss(1, adjacency=adjacency).unit == unit
    assert PrivacyLoss(1, adjacency=adjacency, unit="patient").unit == "patient"


@pytest.mark.parametrize(
    ("arguments", "name"),
    [
        ({"epsilon": -1}, "epsilon"),
        ({"epsilon": float("nan")}, "epsilon"),
        ({"epsilon": True}, "epsilon"),
        ({"delta": 1}, "delta"),
        ({"delta": -0.1}, "delta"),
        ({"bounded_range": 0}, "bounded_range"),
        ({"rho": -1}, "rho"),
        ({"adjacency": "add_remove"}, "adjacency"),
        ({"adjacency": None}, "adjacency"),
    ],
)
def test_a_wrong_loss_is_refused_by_name(arguments: dict[str, Any], name: str, refused: "Refused") -> None:
    with refused(ParameterError, name):
        PrivacyLoss(**{"epsilon": 1, "adjacency": ADD_REMOVE, **arguments})


def test_losses_and_releases_are_frozen() -> None:
    loss = PrivacyLoss(1, adjacency=ADD_REMOVE)
    release = Release("tea", loss, "PermuteAndFlip(epsilon=1)")
    with pytest.raises(FrozenInstanceError):
        loss.epsilon = Fraction(0)  # type: ignore[misc]
    with pytest.raises(FrozenInstanceError):
        release.value = "coffee"  # type: ignore[misc]


def test_amounts_and_losses_print_exactly() -> None:
    assert str(Amount(Fraction(1, 4), Fraction(0))) == "epsilon 0.25"
    assert str(Amount(Fraction(1, 3), Fraction(1, 1000))) == "epsilon 1/3, delta 0.001"
    loss = PrivacyLoss("1/3", adjacency=Adjacency.EDGE, bounded_range="1/3")
    assert str(loss) == "epsilon 1/3 per edge (EDGE)"
    assert repr(loss) == "PrivacyLoss(epsilon=1/3, adjacency=Adjacency.EDGE, unit='edge', bounded_range=1/3)"


def test_a_release_holds_what_is_public_and_never_scores() -> None:
    frame = Frame(("tea", "coffee"), bound=1, adjacency=ADD_REMOVE)
    problem = SelectionProblem(frame, [98765432, 12345678])
    release = PermuteAndFlip(1).release(problem, budget=Budget(epsilon=1), note="drinks")
    names = {"value", "loss", "mechanism", "note", "accuracy", "cap", "at_stake", "receipt"}
    assert {field.name for field in fields(release)} == set(vars(release)) == names
    same = Release("tea", release.loss, "PermuteAndFlip(epsilon=1)", "drinks", release.accuracy)
    assert vars(release) == vars(same)
    assert release.loss == PrivacyLoss(1, adjacency=ADD_REMOVE)
    for shown in (str(release), repr(release), release._repr_html_(), str(release.as_dict())):
        assert "98765432" not in shown
        assert "12345678" not in shown
    assert len(pickle.dumps(release)) == len(pickle.dumps(same))


# Paying


class _Panic(BaseException):
    """As polars raises it."""


_Panic.__name__ = "PanicException"
LOSS = PrivacyLoss(1, adjacency=Adjacency.ADD_REMOVE)


def test_no_warning_leaves_a_draw() -> None:
    def draw(_: object) -> int:
        warnings.warn("private 42", stacklevel=1)
        return 7

    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        assert paid(draw, LOSS, budget=Budget(epsilon=1)) == 7
    assert seen == []


@pytest.mark.parametrize("error", [ValueError("private 42"), _Panic("private 42")])
def test_what_fails_after_the_payment_says_nothing(error: BaseException) -> None:
    def draw(_: object) -> int:
        raise error

    budget = Budget(epsilon=1)
    with pytest.raises(ReleaseFailed) as caught:
        paid(draw, LOSS, budget=budget)
    assert caught.value.__context__ is None
    assert "42" not in str(caught.value)
    assert budget.spent.epsilon == 1


def test_an_interrupt_is_none_of_that() -> None:
    def draw(_: object) -> int:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        paid(draw, LOSS, budget=Budget(epsilon=1))


class Raising:
    """Enters with an error where its receipt should be."""

    @property
    def receipt(self) -> Receipt:
        raise OSError("private 42")


class Entering:
    """A budget of somebody's own, which enters whatever it was given."""

    def __init__(self, entered: object) -> None:
        self._entered = entered

    def reserve(self, loss: PrivacyLoss, *, note: str = "") -> AbstractContextManager[object]:
        return nullcontext(self._entered)


RECEIPT = Receipt(3, "3:" + "a" * 64)


@pytest.mark.parametrize("value", [7, "tea", (1, 2), {"F": 3, "M": 4}], ids=repr)
def test_a_release_carries_the_receipt_of_whoever_paid(value: Any) -> None:
    release = paid(lambda _: release_of(value, LOSS, "m"), LOSS, budget=Entering(SimpleNamespace(receipt=RECEIPT)))
    plain = release_of(value, LOSS, "m")
    assert release.receipt == pickle.loads(pickle.dumps(release)).receipt == RECEIPT
    assert (type(release), release, repr(release), release.as_dict()) == (
        *(type(plain), plain, repr(plain), plain.as_dict()),
    )
    if isinstance(release, GroupRelease):
        assert [each.receipt for each in release.values()] == [RECEIPT] * 2


@pytest.mark.parametrize(
    "entered",
    [None, 7, RECEIPT, Raising(), MagicMock(), SimpleNamespace(receipt=(3, "3:a")), SimpleNamespace(receipt=Receipt)],
    ids=lambda each: type(each).__name__,
)
def test_a_strange_budget_gives_no_receipt_and_works_as_ever(entered: object) -> None:
    release = paid(lambda _: release_of(7, LOSS, "m"), LOSS, budget=Entering(entered))
    assert (release.value, release.receipt) == (7, None)
    assert "privacy_budget" not in release.certificate().as_dict()
    assert paid(lambda _: 7, LOSS, budget=Entering(SimpleNamespace(receipt=RECEIPT))) == 7
