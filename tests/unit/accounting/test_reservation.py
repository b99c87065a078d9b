"""One charge that has been made, and a list of them made at once, without any budget around them."""

from fractions import Fraction
from typing import TYPE_CHECKING, Any

import pytest

from dampen import Adjacency, PrivacyLoss
from dampen._validate import Number
from dampen.accounting import composed
from dampen.accounting.account import Batch, Outcome, Reservation
from dampen.accounting.composition import rho_of
from dampen.errors import BudgetError, BudgetExceeded, ParameterError
from dampen.privacy import Amount

if TYPE_CHECKING:
    from tests.conftest import Refused

ADD_REMOVE, REPLACE = Adjacency.ADD_REMOVE, Adjacency.REPLACE


def loss(epsilon: Number, delta: Number = 0, adjacency: Adjacency = ADD_REMOVE) -> PrivacyLoss:
    return PrivacyLoss(epsilon, delta, adjacency=adjacency)


def batch_of(*slots: Reservation) -> Batch:
    return Batch(slots, composed([slot.loss for slot in slots]))


class Recording(Reservation):
    """Remembers its outcomes."""

    def __init__(self, charge: PrivacyLoss) -> None:
        super().__init__(charge, "why")
        self.outcomes: list[Outcome] = []

    def settle(self, outcome: Outcome) -> None:
        self.outcomes.append(outcome)


def test_a_reservation_settles_as_done_or_failed_and_hides_no_error() -> None:
    good, bad = Recording(loss(1)), Recording(loss(1))
    with good as entered:
        assert entered is good
        assert good.outcomes == []
    with pytest.raises(KeyboardInterrupt), bad:
        raise KeyboardInterrupt
    assert (good.outcomes, bad.outcomes) == (["done"], ["failed"])
    assert (good.loss, good.note) == (loss(1), "why")


def test_in_memory_settling_does_nothing() -> None:
    reservation = Reservation(loss(1), "why")
    for outcome in ("done", "failed", "unused"):
        reservation.settle(outcome)
    assert reservation.loss == loss(1)


def test_a_closed_batch_marks_each_unused_slot_once() -> None:
    slots = [Recording(loss(epsilon)) for epsilon in (1, 2, 3)]
    with batch_of(*slots) as batch, batch.reserve(loss(2)) as slot:
        assert slot is slots[1]
    with batch:
        pass
    assert [one.outcomes for one in slots] == [["unused"], ["done"], ["unused"]]


def test_a_slot_that_was_taken_and_not_entered_is_not_unused() -> None:
    slots = [Recording(loss(1))]
    with batch_of(*slots) as batch:
        batch.reserve(loss(1))
    assert slots[0].outcomes == []


def test_the_loss_of_a_batch_is_the_sum_of_its_slots() -> None:
    batch = batch_of(Reservation(loss(1, "1/10"), ""), Reservation(loss("1/2", "1/5"), ""))
    assert batch.loss.amount == loss("3/2", "3/10").amount
    assert batch.loss.rho == rho_of(loss(1)) + rho_of(loss("1/2"))
    assert batch.limit == batch.remaining == Amount(Fraction(3, 2), Fraction(3, 10))
    assert batch.spent == Amount(Fraction(0), Fraction(0))


@pytest.mark.parametrize(
    ("slots", "asked", "taken"),
    [
        ([(3, 0), (1, 0), (2, 0)], (1, 0), 1),
        ([(3, 0), (1, 0), (2, 0)], ("3/2", 0), 2),
        ([(1, 0), (1, "1/10")], (1, "1/20"), 1),
        ([(2, "1/10"), (2, "1/20")], (1, "1/30"), 1),
        ([(1, "1/10"), (5, "1/2")], ("1/2", "1/4"), 1),
        ([(1, 0), (1, 0)], (1, 0), 0),
    ],
)
def test_the_smallest_slot_that_covers_epsilon_and_delta(
    slots: list[tuple[Number, Number]], asked: tuple[Number, Number], taken: int
) -> None:
    made = [Reservation(loss(*slot), "") for slot in slots]
    assert batch_of(*made).reserve(loss(*asked)) is made[taken]


def test_no_slot_no_grant(refused: "Refused") -> None:
    batch = batch_of(Reservation(loss(1, adjacency=REPLACE), ""))
    with refused(BudgetExceeded, "no unused slot", "epsilon 1.2"):
        batch.reserve(loss("0.6"))
    with refused(BudgetError, "REPLACE", "EDGE"):
        batch.reserve(PrivacyLoss(1, adjacency=Adjacency.EDGE, unit="row"))
    assert repr(batch) == "Batch(1 of 1 slots left)"


@pytest.mark.parametrize("wrong", [1, None, "1"])
def test_only_a_loss_takes_a_slot(wrong: Any, refused: "Refused") -> None:
    with refused(ParameterError, "loss", type(wrong).__name__):
        batch_of(Reservation(loss(1), "")).reserve(wrong)
