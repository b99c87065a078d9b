"""Budgets that are a list of slots: what the list may cost, which slot is taken, and what a file keeps of both."""

import sqlite3
from collections import Counter
from collections.abc import Callable
from contextlib import closing
from fractions import Fraction
from math import comb
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

import dampen
from dampen import Adjacency, Budget, PrivacyLoss
from dampen._validate import Number
from dampen.accounting import Ledger
from dampen.accounting.chain import START, Entry, Head
from dampen.accounting.slots import MOST_KINDS, MOST_SLOTS, SLOTS, SlotAmount, amount_of, kinds_of, price_of_slots
from dampen.accounting.sql_tables import SLOTTED, SLOTTED_REMEMBERING
from dampen.accounting.sqlite_store import SqliteStore
from dampen.certified import arithmetic, ball
from dampen.errors import BudgetError, BudgetExceeded, ParameterError
from dampen.mechanisms import Exponential
from dampen.privacy import Amount

if TYPE_CHECKING:
    from tests.conftest import Refused

ADD_REMOVE, REPLACE = Adjacency.ADD_REMOVE, Adjacency.REPLACE
MILLIONTH = Fraction(1, 10**6)
TEA = {"tea": 7, "coffee": 5}
AnyBudget = Budget | Ledger


def loss(epsilon: Number | None, delta: Number = 0, eta: Number | None = None, **claims: Any) -> PrivacyLoss:
    return PrivacyLoss(epsilon, delta, adjacency=ADD_REMOVE, bounded_range=eta, **claims)


SMALL = [loss("0.1")] * 50
"""5 by adding up, 3.1729 as a list."""


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "study.db"


def in_memory(path: Path, **limits: Any) -> Budget:
    return Budget(**limits)


def in_file(path: Path, **limits: Any) -> Ledger:
    return Budget.open(path, **limits)


each_kind = pytest.mark.parametrize("make", [in_memory, in_file])
Make = Callable[..., AnyBudget]


# What the list may cost


@each_kind
def test_slots_fit_as_long_as_their_optimal_composition_does(make: Make, path: Path, refused: "Refused") -> None:
    with refused(ParameterError, "slots must cost at most epsilon 3.172, delta 1e-06 together; got epsilon about 3.17"):
        make(path, slots=SMALL, epsilon="3.172", delta=MILLIONTH)
    with refused(ParameterError, "got epsilon 5"):
        make(path, slots=SMALL, epsilon="3.173")
    assert not path.exists()
    budget = make(path, slots=SMALL, epsilon="3.173", delta=MILLIONTH)
    assert budget.limit == SlotAmount(Fraction("3.173"), MILLIONTH, kinds=((loss("0.1"), 50),))
    assert (budget.spent, budget.remaining) == (amount_of(()), amount_of(((loss("0.1"), 50),)))
    assert budget.remaining.epsilon == 5
    assert (budget.composition, budget.adjacency, budget.unit) == ("slots", ADD_REMOVE, "row")


def test_slots_leave_the_rest_of_delta_to_their_composition(refused: "Refused") -> None:
    listed = [loss("0.1", "1e-8")] * 50
    Budget(slots=listed, epsilon="3.27", delta=MILLIONTH)
    price = price_of_slots(kinds_of(Counter(listed)), MILLIONTH)
    assert price.delta == MILLIONTH
    assert price.epsilon is not None
    true = delta_by_enumeration_of_equals(Fraction(1, 10), 50, price.epsilon)
    assert 50 * Fraction(1, 10**8) + true <= MILLIONTH
    with refused(ParameterError, "got epsilon 5, delta 5e-07"):
        Budget(slots=listed, epsilon=10, delta="4.9e-7")


def delta_by_enumeration_of_equals(each: Fraction, count: int, epsilon: Fraction) -> Fraction:
    """The formula of Kairouz, Oh and Viswanath for equal epsilons, in balls, rounded up."""
    with arithmetic(256) as flint:
        total, base = flint.arb(0), (1 + ball(flint, each).exp()) ** -count
        for lows in range(count + 1):
            if (count - 2 * lows) * each > epsilon:
                high, low = (count - lows) * each, epsilon + lows * each
                total += comb(count, lows) * (ball(flint, high).exp() - ball(flint, low).exp())
        return Fraction(int((base * total * 2**200).upper().ceil().unique_fmpz()), 2**200)


def test_bounded_ranges_are_worth_something_if_they_are_equal() -> None:
    ranged, other = [loss("1/10", eta="1/10")] * 10, [loss("1/10", eta="1/9")]
    pure = price_of_slots(((loss("1/10"), 10),), MILLIONTH).epsilon
    equal = price_of_slots(kinds_of(Counter(ranged)), MILLIONTH).epsilon
    mixed = price_of_slots(kinds_of(Counter(ranged[1:] + other)), MILLIONTH).epsilon
    assert equal is not None
    assert mixed is not None
    assert pure is not None
    assert equal < Fraction("0.641") < Fraction("0.7") < mixed < pure, "by rho, whose order does not matter"


def test_slots_without_epsilon_need_a_delta(refused: "Refused") -> None:
    noise = loss(None, rho="1/100")
    budget = Budget(slots=[noise] * 2, epsilon=1, delta=MILLIONTH)
    budget.reserve(noise)
    assert (budget.spent.epsilon, budget.spent.rho) == (None, Fraction(1, 100))
    with refused(ParameterError, "got rho 0.02"):
        Budget(slots=[noise] * 2, epsilon=1)


@each_kind
def test_slots_are_charged_what_they_cost_in_the_adjacency_of_the_budget(
    make: Make, path: Path, refused: "Refused"
) -> None:
    replaced = PrivacyLoss("1/10", adjacency=REPLACE)
    with refused(ParameterError, "slots must cost"):
        make(path, slots=[replaced, loss("1/10")], epsilon="0.29")
    slots = make(path, slots=[loss("1/10"), loss("1/20")], epsilon="0.3", adjacency=REPLACE)
    assert slots.reserve(loss("1/20")).loss == replaced
    assert slots.reserve(loss("1/10")).loss == PrivacyLoss("1/5", adjacency=REPLACE)
    with refused(BudgetError, "'patient'"):
        make(path, slots=[loss("1/10")], epsilon=1, unit="patient")


WRONG: dict[str, tuple[dict[str, Any], str]] = {
    "none": ({"slots": [], "epsilon": 1}, "slots must be PrivacyLoss objects, at least one"),
    "a number": ({"slots": 7, "epsilon": 1}, "slots must be PrivacyLoss objects"),
    "numbers": ({"slots": ["1/10"], "epsilon": 1}, "slots must be PrivacyLoss objects"),
    "too many": ({"slots": [loss(0)] * (MOST_SLOTS + 1), "epsilon": 1}, "at most 10000 losses"),
    "too many kinds": ({"slots": [loss(Fraction(1, n + 1)) for n in range(MOST_KINDS + 1)], "epsilon": 9}, "100 kinds"),
    "another rule": ({"slots": SMALL, "epsilon": 5, "composition": "basic"}, "composition must be left out"),
    "rho": ({"slots": SMALL, "epsilon": 5, "rho": 1}, "rho must be left out"),
    "rho alone": ({"slots": SMALL, "rho": 1}, "rho must be left out"),
    "no limit": ({"slots": SMALL}, "epsilon must be given"),
    "no slots": ({"epsilon": 5, "composition": "slots"}, "slots must be given"),
}


@each_kind
@pytest.mark.parametrize(("limits", "told"), WRONG.values(), ids=WRONG)
def test_wrong_slots_are_refused_and_make_no_file(
    make: Make, path: Path, limits: dict[str, Any], told: str, refused: "Refused"
) -> None:
    with refused(ParameterError, told):
        make(path, **limits)
    assert not path.exists()


def test_losses_that_cannot_be_written_down_become_slots_that_can(path: Path) -> None:
    with closing(Budget.open(path, slots=[loss(Fraction(1, 3**200))] * 3, epsilon=1)) as ledger:
        ledger.reserve(loss(Fraction(1, 3**200)))
        assert ledger.verify()


# Which slot is taken


@each_kind
def test_a_reservation_takes_the_smallest_unused_slot_that_covers_it(
    make: Make, path: Path, refused: "Refused"
) -> None:
    slots = make(path, slots=[loss("1/2"), loss("1/10"), loss("1/4", eta="1/4")], epsilon=1)
    assert slots.reserve(loss("1/20")).loss == loss("1/10")
    with refused(BudgetExceeded, "no unused slot of this budget covers epsilon 0.6"):
        slots.reserve(loss("0.6"))
    assert slots.reserve(loss("1/20", eta="1/20"), note="median").loss == loss("1/4", eta="1/4")
    assert slots.reserve(loss("1/20")).loss == loss("1/2")
    with refused(BudgetExceeded, "no unused slot"):
        slots.reserve(loss(0))
    assert slots.remaining.epsilon == 0
    assert slots.spent.epsilon == Fraction("0.85")


@each_kind
def test_a_slot_of_bounded_range_takes_no_release_without_one(make: Make, path: Path, refused: "Refused") -> None:
    budget = make(path, slots=[loss("1/10", eta="1/10")] * 20, epsilon=1, delta=MILLIONTH)
    with refused(BudgetExceeded, "claim a bounded range or a rho that it has not"):
        dampen.select(TEA, sensitivity=1, epsilon="1/10", budget=budget)
    dampen.select(TEA, sensitivity=1, epsilon="1/10", mechanism=Exponential, budget=budget)
    assert str(budget.remaining) == "epsilon 1.9 in 19 slots"


def test_of_two_slots_the_one_that_claims_more_is_taken_first() -> None:
    free, ranged = loss("1/10"), loss("1/10", eta="1/10")
    for listed in ([free, ranged], [ranged, free]):
        budget = Budget(slots=listed, epsilon=1)
        assert [budget.reserve(ranged).loss, budget.reserve(ranged).loss] == [ranged, free]


def test_slots_without_epsilon_are_left_to_those_that_fit_no_other() -> None:
    noise = loss(None, rho="1/300")
    budget = Budget(slots=[noise, loss("1/7")], epsilon=1, delta=MILLIONTH)
    assert [budget.reserve(loss("1/20")).loss, budget.reserve(noise).loss] == [loss("1/7"), noise]


@each_kind
def test_a_batch_takes_several_slots_or_none(make: Make, path: Path, refused: "Refused") -> None:
    budget = make(path, slots=[loss("1/10"), loss("1/5"), loss("1/5")], epsilon=1)
    with refused(BudgetExceeded, "no unused slot"):
        budget.batch([loss("1/5")] * 3)
    assert budget.spent.epsilon == 0
    assert budget.quote([loss("1/20"), loss("1/20")]).epsilon == Fraction(3, 10)
    with budget.batch([loss("1/20"), loss("1/20")]) as batch:
        assert batch.limit.epsilon == Fraction(3, 10)
        batch.reserve(loss("1/5"))
    assert budget.remaining == amount_of(((loss("1/5"), 1),))
    with refused(ParameterError, "delta must be left out", "slots"):
        budget.batch([loss("1/20")], delta=MILLIONTH)


def test_the_sum_of_slots_is_exact_or_rounded_up() -> None:
    kinds = kinds_of(Counter([loss(Fraction(1, 2**255)), loss(Fraction(1, 3)), loss(Fraction(1, 3))]))
    found = amount_of(kinds).epsilon
    assert found is not None
    assert Fraction(2, 3) + Fraction(1, 2**255) < found < Fraction(2, 3) + Fraction(1, 2**79)
    assert amount_of(kinds[1:]).epsilon == Fraction(2, 3)


# What a file keeps


def version(path: Path) -> int:
    with closing(sqlite3.connect(path)) as db:
        [found] = db.execute("PRAGMA user_version").fetchone()
    return int(found)


def test_a_file_keeps_the_list_and_which_slots_are_used(path: Path, refused: "Refused") -> None:
    limits: dict[str, Any] = {"slots": [*SMALL, loss("1/2")], "epsilon": 4, "delta": MILLIONTH}
    with closing(Budget.open(path, **limits)) as ledger:
        ledger.reserve(loss("1/20"), note="tea").settle("done")
        ledger.reserve(loss("1/3"))
        assert [(entry.kind, entry.epsilon, entry.note) for entry in ledger.history()] == [
            *(("rule", None, "slots"), ("slots", "1/10", "50"), ("slots", "1/2", "1"), ("limit", "4", "")),
            *(("charge", "1/10", "tea"), ("outcome", None, "done"), ("charge", "1/2", "")),
        ]
        assert [(room.note, room.more) for room in ledger.summary().room] == [("", 0), ("tea", 49)]
    assert version(path) == SLOTTED
    with closing(Budget.open(path, **limits)) as ledger:
        assert repr(ledger) == "Ledger('study.db', spent: 2 of 51 slots)"
        assert ledger.spent == amount_of(((loss("1/10"), 1), (loss("1/2"), 1)))
        with refused(BudgetExceeded, "no unused slot"):
            ledger.reserve(loss("1/3"))
        ledger.start_remembering()
        ledger.keep("how many?", "7")
        assert ledger.verify()
    assert version(path) == SLOTTED_REMEMBERING
    with closing(Budget.open(path, epsilon=4, delta=MILLIONTH)) as ledger:
        assert (ledger.composition, ledger.recall("how many?")) == ("slots", "7")


OTHER: dict[str, tuple[dict[str, Any], str]] = {
    "slots": ({"slots": SMALL[1:], "epsilon": "3.2", "delta": MILLIONTH}, "has other slots"),
    "limit": ({"slots": SMALL, "epsilon": 4, "delta": MILLIONTH}, "has the limit epsilon 3.2"),
    "rule": ({"epsilon": "3.2", "delta": MILLIONTH, "composition": "approx"}, "has composition 'slots'"),
    "adjacency": (
        {"slots": [PrivacyLoss("0.1", adjacency=REPLACE)] * 50, "epsilon": "3.2", "delta": MILLIONTH},
        "has other slots",
    ),
}


@pytest.mark.parametrize(("limits", "told"), OTHER.values(), ids=OTHER)
def test_a_file_is_not_opened_with_other_slots(
    path: Path, limits: dict[str, Any], told: str, refused: "Refused"
) -> None:
    Budget.open(path, slots=SMALL, epsilon="3.2", delta=MILLIONTH).close()
    with refused(BudgetError, told):
        Budget.open(path, **limits)


def test_a_ledger_that_adds_up_has_no_slots(path: Path, refused: "Refused") -> None:
    Budget.open(path, epsilon="3.2", delta=MILLIONTH).close()
    with refused(BudgetError, "has composition 'approx'; asked 'slots'"):
        Budget.open(path, slots=SMALL, epsilon="3.2", delta=MILLIONTH)


def test_what_is_fixed_stays_so(path: Path, refused: "Refused") -> None:
    with closing(Budget.open(path, slots=SMALL, epsilon="3.2", delta=MILLIONTH)) as ledger:
        for given in ({}, {"epsilon": 1}):
            with refused(BudgetError, "a ledger of slots has no scopes"):
                ledger.scope("analyst", "ann", **given)
        with refused(BudgetError, "fixed"):
            ledger.change_limit(epsilon=4)
        assert len(ledger.history()) == 3


# What somebody changed

CHANGED = {
    "a price": "UPDATE entries SET epsilon = '1/11' WHERE number = 2",
    "a number of slots": "UPDATE entries SET note = '49' WHERE number = 2",
    "no number": "UPDATE entries SET note = 'x' WHERE number = 2",
    "a claim": "UPDATE entries SET bounded_range = '1/10' WHERE number = 2",
    "unreadable": "UPDATE entries SET epsilon = 'many' WHERE number = 2",
    "one kind less": "DELETE FROM entries WHERE number = 3",
    "the promise": "UPDATE entries SET epsilon = '9' WHERE number = 4",
    "the limit": "UPDATE accounts SET epsilon_limit = '9'",
    "delta": "UPDATE accounts SET delta_limit = '1/10'",
    "rho": "UPDATE accounts SET rho_limit = '1'",
    "fewer kinds used": "UPDATE accounts SET used = '1'",
    "more kinds used": "UPDATE accounts SET used = '1 0 0'",
    "the rule": "UPDATE entries SET note = 'basic' WHERE number = 1",
}
UNOPENED = {
    "another rule": "UPDATE accounts SET rule = 'basic'",
    "no use": "UPDATE accounts SET used = NULL",
    "no numbers": "UPDATE accounts SET used = 'some'",
}
RECKONED = {
    "never used": "UPDATE accounts SET used = '0 0'",
    "used often": "UPDATE accounts SET used = '7 0'",
    "a sum": "UPDATE accounts SET epsilon_spent = '0'",
}


def spent_ledger(path: Path, change: str) -> None:
    with closing(Budget.open(path, slots=[*SMALL, loss("1/2")], epsilon=4, delta=MILLIONTH)) as ledger:
        ledger.reserve(loss("1/10"))
        assert ledger.verify()
    with closing(sqlite3.connect(path, isolation_level=None)) as db:
        db.execute("DROP TRIGGER keep_entries")
        db.execute("DROP TRIGGER lose_no_entry")
        db.execute(change)


@pytest.mark.parametrize("change", CHANGED.values(), ids=CHANGED)
def test_slots_that_somebody_changed_are_told_and_grant_nothing(path: Path, change: str, refused: "Refused") -> None:
    spent_ledger(path, change)
    with closing(Budget.open(path)) as ledger:
        assert not ledger.verify()
        with refused(BudgetError, "do not belong together", "verify"):
            ledger.reserve(loss("1/100"))
        with refused(BudgetError, "is not intact"):
            ledger.copy(path.with_name("copy.db"))


@pytest.mark.parametrize("change", UNOPENED.values(), ids=UNOPENED)
def test_accounts_that_cannot_be_read_grant_nothing(path: Path, change: str, refused: "Refused") -> None:
    spent_ledger(path, change)
    with refused(BudgetError, "damaged"):
        Budget.open(path)
    with closing(Ledger(SqliteStore(path))) as ledger:
        assert not ledger.verify()


@pytest.mark.parametrize("change", RECKONED.values(), ids=RECKONED)
def test_a_use_that_somebody_changed_is_told(path: Path, change: str) -> None:
    spent_ledger(path, change)
    with closing(Budget.open(path)) as ledger:
        assert "limits and spending" in str(ledger.verify())


FORGED: dict[str, Callable[[list[Entry]], list[Entry]]] = {
    "more slots": lambda entries: [entries[0], entries[1]._replace(note="80"), *entries[2:]],
    "a smaller promise": lambda entries: [*entries[:3], entries[3]._replace(epsilon="2"), *entries[4:]],
    "a kind twice": lambda entries: [*entries[:2], entries[1], *entries[3:]],
    "another order": lambda entries: [entries[0], entries[2], entries[1], *entries[3:]],
    "two units": lambda entries: [*entries[:2], entries[2]._replace(unit="patient"), *entries[3:]],
    "a second limit": lambda entries: [*entries, entries[3]],
    "slots later on": lambda entries: [*entries, entries[1]],
    "no slot": lambda entries: [*entries[:4], entries[4]._replace(epsilon="1/11")],
}


@pytest.mark.parametrize("name", FORGED)
def test_lists_that_were_never_granted_are_found_under_right_hashes(path: Path, name: str) -> None:
    spent_ledger(path, "SELECT 1")
    with closing(sqlite3.connect(path)) as db, db:
        entries = FORGED[name]([Entry._make(row) for row in db.execute("SELECT * FROM entries ORDER BY number")])
        db.execute("DELETE FROM entries")
        head = START
        for entry in entries:
            placed = entry.follow(head)
            head = Head(placed.number, placed.hash)
            db.execute(f"INSERT INTO entries VALUES ({', '.join('?' * len(placed))})", placed)
        limit = next(entry.epsilon for entry in entries if entry.kind == "limit")
        db.execute("UPDATE accounts SET epsilon_limit = ?", (limit,))
    with closing(Budget.open(path)) as ledger:
        report = ledger.verify()
        assert not report
        assert "its hash" not in str(report)
        assert [fault for fault in report.faults if fault.startswith("entry ")]
        if name in ("more slots", "a smaller promise", "two units"):
            with pytest.raises(BudgetError, match="do not belong together"):
                ledger.reserve(loss("1/10"))


def test_a_limit_without_slots_promises_nothing() -> None:
    assert not SLOTS.keeps_promise(Amount(Fraction(1), Fraction(0)))
    assert not SLOTS.keeps_promise(SlotAmount(Fraction(1), Fraction(0)))
    assert SLOTS.share(SlotAmount(Fraction(1), Fraction(0)), SLOTS.start) == 1
