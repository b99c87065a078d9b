"""What every store of a ledger must do, and wrong stores that this suite must reject.

A new store needs a line in PLACES. What holds when machines and disks fail is tested in crash/.
"""

import threading
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass, replace
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Any
from zlib import crc32

import pytest

from dampen import Adjacency, PrivacyLoss
from dampen._validate import Number
from dampen.accounting import Ledger
from dampen.accounting.account import Account, branch_of
from dampen.accounting.chain import (
    START,
    Entry,
    Head,
    charge_entry,
    limit_entry,
    outcome_entry,
    rule_entry,
    slots_entry,
)
from dampen.accounting.ledger import STORES
from dampen.accounting.memory import Answer
from dampen.accounting.postgres_store import PostgresStore
from dampen.accounting.rules import BASIC, COMPOSITIONS
from dampen.accounting.slots import SlotAmount, limit_of_slots
from dampen.accounting.sqlite_store import SqliteStore
from dampen.accounting.store import Purpose, Store, Transaction
from dampen.errors import BudgetError
from dampen.privacy import Amount
from tests import postgres
from tests.contracts import toy_store
from tests.contracts.toy_store import ToyStore

if TYPE_CHECKING:
    from tests.conftest import RunPython

ADD_REMOVE, REPLACE = Adjacency.ADD_REMOVE, Adjacency.REPLACE
ROOT = Account(Amount(Fraction(100), Fraction(0)))


def amount(epsilon: Number, delta: Number = 0) -> Amount:
    return Amount(Fraction(epsilon), Fraction(delta))


def charge(epsilon: Number = 1, scope: str = "", note: str = "why", delta: Number = 0) -> Entry:
    return charge_entry(scope, PrivacyLoss(epsilon, delta, adjacency=ADD_REMOVE), note)


# Places


@dataclass(frozen=True)
class Place:
    """Where ledgers of one kind may be made."""

    kind: type[Store]
    address: Callable[[Path], str]
    put_foreign: Callable[[str], Any]
    """Put something there that is no ledger; what is returned must be the same afterwards."""
    look: Callable[[str], Any]


def files(kind: type[Store]) -> Place:
    def put(address: str) -> bytes:
        Path(address).write_bytes(b"a letter, and not a ledger")
        return Path(address).read_bytes()

    return Place(kind, lambda folder: str(folder / "study.db"), put, lambda a: Path(a).read_bytes())


def shelves(kind: type[ToyStore]) -> Place:
    def put(address: str) -> Any:
        kind.shelf[address] = "a letter"  # type: ignore[assignment]
        return "a letter"

    return Place(kind, lambda folder: f"toy:{folder}", put, lambda address: kind.shelf[address])


def schemas() -> Place:
    def address(folder: Path) -> str:
        return postgres.server().address(name_of(str(folder)))

    def name_of(text: str) -> str:
        return f"of_{crc32(text.encode())}"

    def put(address: str) -> str:
        name = address.partition("ledger=")[2]
        postgres.server().sql(f"CREATE SCHEMA {name}; CREATE TABLE {name}.marks AS SELECT 'a letter' AS content")
        return "a letter"

    def look(address: str) -> str:
        name = address.partition("ledger=")[2]
        return postgres.server().sql(f"SELECT * FROM {name}.marks")

    return Place(PostgresStore, address, put, look)


PLACES = {"sqlite": files(SqliteStore), "postgresql": schemas(), "toy": shelves(toy_store.Toy)}
Make = Callable[[], Store]
"""A new store on the same ledger each time."""


@contextmanager
def ledger_in(place: Place, folder: Path) -> Iterator[Make]:
    address, made = place.address(folder), list[Store]()

    def make() -> Store:
        made.append(place.kind(address))
        return made[-1]

    make().create(fill_root)
    yield make
    for store in made:
        store.close()


def fill_root(transaction: Transaction) -> None:
    transaction.append(limit_entry(ROOT))
    transaction.save_account(ROOT)


# The laws


def entries_are_numbered_chained_and_kept(make: Make) -> None:
    first = make()
    with first.transaction() as transaction:
        placed = transaction.append(charge("1/3"))
    first.close()
    with make().view() as view:
        limit, kept = view.entries()
        assert (kept, view.head()) == (placed, Head(2, placed.hash))
    assert (limit.number, limit.hash, kept.hash) == (1, limit.digest(START.hash), kept.digest(limit.hash))
    full = PrivacyLoss("1/3", "1/7", adjacency=REPLACE, unit="ä 🎉", bounded_range=1, rho=Fraction(1, 3**150))
    with make().transaction() as transaction:
        transaction.append(charge_entry("a=b", full, "'; DROP TABLE entries; -- [bold]"))
    with make().view() as view:
        [last] = view.last_entries("a=b", 1)
    assert (last.loss, last.note, last.scope) == (full, "'; DROP TABLE entries; -- [bold]", "a=b")


def an_error_keeps_nothing(make: Make) -> None:
    for error in (ZeroDivisionError, KeyboardInterrupt, BudgetError):
        with pytest.raises(error), make().transaction() as transaction:  # noqa: PT012
            placed = transaction.append(charge())
            transaction.save_account(replace(ROOT, spent=amount(50)))
            transaction.save_purpose(Purpose("", "why").add(amount(50)))
            transaction.open_charge(placed)
            transaction.make_memory()
            transaction.save_answer(Answer("how many?", "7", placed.number))
            raise error
        with make().view() as view:
            assert (view.head().number, view.account(""), view.purposes("", -1)) == (1, ROOT, [])
            assert (view.unfinished("", -1), view.count_unfinished("")) == ([], 0)
            assert (view.remembers(), view.answer("how many?"), list(view.answers())) == (False, None, [])


def a_view_stays_as_it_was(make: Make) -> None:
    reader, writer = make(), make()
    with reader.view() as view:
        before = view.head()
        with writer.transaction() as transaction:
            transaction.append(charge())
            transaction.save_account(replace(ROOT, spent=amount(1)))
            with make().view() as other:
                assert other.head() == before, "readers neither wait for writers nor see what is not committed"
        assert (view.head(), len(list(view.entries())), view.account("")) == (before, 1, ROOT)
    with reader.view() as view:
        assert (view.head().number, view.account("")) == (2, replace(ROOT, spent=amount(1)))


def no_two_writers_overlap(make: Make) -> None:
    """Each reads a sum and writes a larger one; none may be lost."""
    meeting = threading.Barrier(4)

    def spend(store: Store) -> None:
        for _ in range(5):
            with suppress(threading.BrokenBarrierError):
                meeting.wait(timeout=10)
            with store.transaction() as transaction:
                account = transaction.account("")
                assert account is not None
                with suppress(threading.BrokenBarrierError):
                    together.wait(timeout=0.5)
                transaction.append(charge())
                transaction.save_account(replace(account, spent=amount((account.spent.epsilon or 0) + 1)))

    together = threading.Barrier(2)
    shared = make()
    threads = [threading.Thread(target=spend, args=(store,)) for store in (shared, shared, make(), make())]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(timeout=60)
    with make().view() as view:
        assert [entry.number for entry in view.entries()] == list(range(1, 22))
        assert view.account("") == replace(ROOT, spent=amount(20))


def a_ledger_is_made_once_and_whole(make: Make) -> None:
    with make().transaction() as transaction:
        placed = transaction.append(charge())
    make().create(fill_root)
    with make().view() as view:
        assert view.head().hash == placed.hash, "nothing happens if another was faster"
    assert make().exists()
    make().require_ledger()


def scopes_hold_those_below_them_and_no_other(make: Make) -> None:
    names = ["a=b", "a=bc", "a=b c", "a=b/c=d", "a=b/c=d/e=f", "A=B", "a=b'"]
    names += ["a=%", "a=_", "a=_/c=d", "ä=🎉", "ä=🎉/x=y"]
    with make().transaction() as transaction:
        for name in reversed(names):
            transaction.save_account(Account(amount(1), name=name))
            placed = transaction.append(charge(scope=name))
            transaction.save_purpose(Purpose(name, "why").add(amount(1)))
            transaction.open_charge(placed)
    with make().view() as view:
        for scope in ("", *names):
            inside = {name for name in names if scope in branch_of(name)}
            accounts = [account.name for account in view.accounts(scope) if account.name]
            assert set(accounts) == {purpose.scope for purpose in view.purposes(scope, -1)} == inside
            assert {entry.scope for entry in view.last_entries(scope, -1) if entry.scope} == inside
            assert {entry.scope for entry in view.unfinished(scope, -1)} == inside
            assert view.count_unfinished(scope) == len(inside)
            assert all(accounts.index(name) > accounts.index(up) for name in accounts for up in parents(name, accounts))
        assert [entry.scope for entry in view.last_entries("a=b", 2)] == ["a=b/c=d", "a=b"], "oldest first"


def parents(name: str, names: list[str]) -> set[str]:
    return (set(branch_of(name)) - {name}) & set(names)


def sums_come_back_as_they_were(make: Make) -> None:
    whole = replace(ROOT, spent=amount("1/3", "1/30"), adjacency=REPLACE, unit="patient")
    part = Account(amount(Fraction(2) ** 500, 0), amount(Fraction(1, 3**150)), name="ä=🎉")
    small, large = Purpose("", "x").add(amount("1/3")).add(amount("1/6", "1/7")), Purpose("", "y").add(amount(2))
    with make().transaction() as transaction:
        for account in (part, replace(whole, unit="row"), whole):
            transaction.save_account(account)
        for purpose in (small, Purpose("", "y"), large):
            transaction.save_purpose(purpose)
    with make().view() as view:
        assert (view.accounts(""), view.account("ä=🎉"), view.account("missing")) == ([whole, part], part, None)
        assert (view.purposes("", -1), view.purposes("", 1)) == ([large, small], [large])
        assert (view.purpose("", "x"), view.purpose("", "z"), view.purpose("a=b", "x")) == (small, None, None)
        assert view.has_right_order()
    assert small == ("", "x", 2, amount("1/2", "1/7"))


def a_charge_is_unfinished_until_it_is_closed_once(make: Make) -> None:
    with make().transaction() as transaction:
        charges = [transaction.append(charge(scope=scope)) for scope in ("", "a=b", "")]
        for each in charges:
            transaction.open_charge(each)
    with make().transaction() as transaction:
        assert transaction.unfinished("", -1) == charges
        assert (transaction.unfinished("", 2), transaction.count_unfinished("")) == (charges[:2], 3)
        assert [transaction.close_charge(charges[1]) for _ in range(2)] == [True, False]
        transaction.append(outcome_entry(charges[1], "done"))
    with make().view() as view:
        assert view.unfinished_scopes() == {charges[0].number: "", charges[2].number: ""}
        assert view.last_entries("a=b", 1)[0].refers == charges[1].number


LONG = "x" * 10**5
KEYS = ["how many?", "How many?", "how many? ", "", "ä 🎉", "'; DROP TABLE answers; --", LONG + "a", LONG + "b"]


def answers_are_found_by_exactly_their_question(make: Make) -> None:
    kept = [Answer(key, f"answer {place}", 100 - place) for place, key in enumerate(KEYS)]
    with make().view() as before:
        assert (before.remembers(), [before.answer(key) for key in KEYS]) == (False, [None] * len(KEYS))
        with make().transaction() as transaction:
            transaction.make_memory()
            assert (transaction.remembers(), list(transaction.answers())) == (True, [])
            for answer in reversed(kept):
                assert transaction.answer(answer.key) is None
                transaction.save_answer(answer)
                assert transaction.answer(answer.key) == answer
        assert (before.remembers(), before.answer(""), list(before.answers())) == (False, None, [])
    with make().view() as view:
        assert (view.remembers(), list(view.answers())) == (True, kept[::-1]), "in the order of their entries"
        assert [view.answer(key) for key in KEYS] == kept
        assert [view.answer(key) for key in ("how many", "x", LONG, "%")] == [None] * 4


def a_ledger_works_on_it_and_verifies(make: Make) -> None:
    ledger = Ledger(make())
    ann = ledger.scope("analyst", "ann", epsilon=5)
    loss = PrivacyLoss("1/3", adjacency=ADD_REMOVE)
    ann.reserve(loss, note="tea").settle("done")
    with ledger.batch([loss] * 2, note="milk") as batch, batch.reserve(loss):
        pass
    ledger.change_limit(epsilon=7)
    ledger.keep("how many?", "lost: nothing is kept yet")
    ledger.start_remembering()
    ann.keep("how many?", "7")
    head = ledger.head
    ledger.close()
    with closing(Ledger(make())) as again:
        assert again.verify(head=head)
        assert (again.spent, again.limit, again.remaining) == (amount(1), amount(7), amount(6))
        assert (again.unfinished(), len(again.history()), again.head) == ([], 11, head)
        assert (again.recall("how many?"), again.questions(), again.remembers) == ("7", ["how many?"], True)
        assert [purpose.note for purpose in again.summary().purposes] == ["milk", "tea"]


Law = Callable[[Make], None]
LAWS: tuple[Law, ...] = (
    entries_are_numbered_chained_and_kept,
    an_error_keeps_nothing,
    a_view_stays_as_it_was,
    no_two_writers_overlap,
    a_ledger_is_made_once_and_whole,
    scopes_hold_those_below_them_and_no_other,
    sums_come_back_as_they_were,
    a_charge_is_unfinished_until_it_is_closed_once,
    answers_are_found_by_exactly_their_question,
    a_ledger_works_on_it_and_verifies,
)
each_place = pytest.mark.parametrize("place", PLACES.values(), ids=PLACES)


@each_place
@pytest.mark.parametrize("law", LAWS, ids=lambda law: law.__name__)
def test_every_store(place: Place, law: Law, tmp_path: Path) -> None:
    with ledger_in(place, tmp_path) as make:
        law(make)


LIMITS = {
    "pure": amount(3),
    "basic": amount(3, "1/10"),
    "zcdp": Amount(None, Fraction(1, 10), Fraction(1, 50)),
    "approx": Amount(Fraction(3), Fraction(1, 10), Fraction(1, 50)),
    "slots": limit_of_slots(
        [
            *[PrivacyLoss("1/7", adjacency=ADD_REMOVE)] * 2,
            PrivacyLoss(None, "1/1000", adjacency=ADD_REMOVE, rho="1/300"),
        ],
        Fraction(3),
        Fraction(1, 10),
    ),
}


@each_place
@pytest.mark.parametrize("name", COMPOSITIONS)
def test_every_store_keeps_every_rule(place: Place, name: str, tmp_path: Path) -> None:
    rule = COMPOSITIONS[name]
    whole = Account(LIMITS[name], adjacency=ADD_REMOVE, unit="row", composition=rule)
    part = Account(LIMITS[name], name="a=b", composition=rule)
    losses = [
        PrivacyLoss("1/7", adjacency=ADD_REMOVE, bounded_range="1/7"),
        PrivacyLoss("1/70", adjacency=ADD_REMOVE),
        *([] if name in ("pure", "basic") else [PrivacyLoss(None, "1/1000", adjacency=ADD_REMOVE, rho="1/300")]),
    ]
    charged = whole.charge(whole.price(losses))
    purposes = [Purpose("", f"{each}").add(rule.count(one)) for each, one in enumerate(whole.price(losses))]

    def fill(transaction: Transaction) -> None:
        if rule is not BASIC:
            transaction.make_room_for_rules()
            transaction.append(rule_entry(name))
        if isinstance(whole.limit, SlotAmount):
            transaction.make_room_for_slots()
            for slot, count in whole.limit.kinds:
                transaction.append(slots_entry(slot, count))
        transaction.append(limit_entry(whole))
        transaction.save_account(whole)

    stores = [place.kind(place.address(tmp_path)) for _ in range(2)]
    stores[0].create(fill)
    with stores[0].transaction() as transaction:
        transaction.save_account(part)
        transaction.save_account(charged)
        for purpose in purposes:
            transaction.save_purpose(purpose)
    with stores[1].view() as view:
        assert view.accounts("") == [charged, part]
        assert view.account("") == charged
        assert view.purposes("", -1) == sorted(purposes, key=lambda purpose: purpose.size, reverse=True)
        assert view.has_right_order()
        first = {"basic": [], "slots": ["rule", "slots", "slots"]}.get(name, ["rule"])
        assert [entry.kind for entry in view.entries()] == [*first, "limit"]
    with stores[1].transaction() as transaction:
        transaction.make_memory()
    with stores[0].view() as view:
        assert (view.remembers(), view.account("")) == (True, charged)
    for store in stores:
        store.close()


def test_every_registered_store_is_under_test() -> None:
    assert set(STORES) <= {place.kind for place in PLACES.values()}


def require_refusal_of_foreign_things(place: Place, folder: Path) -> None:
    address = place.address(folder)
    foreign = place.put_foreign(address)
    store = place.kind(address)
    assert store.exists()
    with pytest.raises(BudgetError) as refusal:
        store.require_ledger()
    assert str(folder) not in str(refusal.value)
    assert place.look(address) == foreign


@each_place
def test_what_is_no_ledger_is_refused_and_not_touched(place: Place, tmp_path: Path) -> None:
    require_refusal_of_foreign_things(place, tmp_path)


@each_place
def test_a_ledger_whose_making_fails_is_not_there(place: Place, tmp_path: Path) -> None:
    store = place.kind(place.address(tmp_path))

    def fail(transaction: Transaction) -> None:
        fill_root(transaction)
        raise KeyboardInterrupt

    assert not store.exists()
    with pytest.raises(KeyboardInterrupt):
        store.create(fail)
    assert not store.exists()
    store.create(fill_root)
    assert store.exists()
    store.close()


KILLED_AFTER_COMMIT = """
import os, signal, sys
from dampen import Adjacency, PrivacyLoss
from dampen.accounting.chain import charge_entry
from dampen.accounting.ledger import STORES
store = next(kind for kind in STORES if kind.accepts(sys.argv[1]))(sys.argv[1])
entry = charge_entry("", PrivacyLoss(1, adjacency=Adjacency.ADD_REMOVE), "")
with store.transaction() as transaction:
    transaction.append(entry)
with store.transaction() as transaction:
    transaction.append(entry)
    os.kill(os.getpid(), signal.SIGKILL)
"""


@pytest.mark.parametrize("kind", STORES, ids=lambda kind: kind.__name__)
def test_a_commit_survives_its_process_and_nothing_else_does(
    kind: type[Store], tmp_path: Path, run_python: "RunPython"
) -> None:
    [place] = [place for place in PLACES.values() if place.kind is kind]
    with ledger_in(place, tmp_path) as make:
        assert run_python(KILLED_AFTER_COMMIT, make().address).returncode < 0
        with make().view() as view:
            assert [entry.kind for entry in view.entries()] == ["limit", "charge"]


# Wrong stores

WRONG: dict[type[ToyStore], Law] = {
    toy_store.KeepsHalf: an_error_keeps_nothing,
    toy_store.Overlapping: no_two_writers_overlap,
    toy_store.Moving: a_view_stays_as_it_was,
    toy_store.Forgetful: entries_are_numbered_chained_and_kept,
    toy_store.Replacing: a_ledger_is_made_once_and_whole,
    toy_store.Mistaking: answers_are_found_by_exactly_their_question,
}


@pytest.mark.parametrize(("kind", "law"), WRONG.items(), ids=lambda each: each.__name__)
def test_wrong_stores_are_rejected(kind: type[ToyStore], law: Law, tmp_path: Path) -> None:
    with ledger_in(shelves(kind), tmp_path) as make, pytest.raises((AssertionError, ValueError)):
        law(make)


def test_a_store_that_takes_anything_for_a_ledger_is_rejected(tmp_path: Path) -> None:
    with pytest.raises(pytest.fail.Exception):
        require_refusal_of_foreign_things(shelves(toy_store.Careless), tmp_path)
