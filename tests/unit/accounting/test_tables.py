"""The tables of a ledger: append-only entries, and sums that follow them."""

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from fractions import Fraction
from typing import Any

import pytest

from dampen import Adjacency, PrivacyLoss
from dampen._validate import Number
from dampen.accounting import tables
from dampen.accounting.account import Account
from dampen.accounting.chain import BEGINNING, Entry, Head
from dampen.privacy import Amount

ADD_REMOVE, REPLACE = Adjacency.ADD_REMOVE, Adjacency.REPLACE


def amount(epsilon: Number, delta: Number = 0) -> Amount:
    return Amount(Fraction(epsilon), Fraction(delta))


def loss(epsilon: Number, delta: Number = 0) -> PrivacyLoss:
    return PrivacyLoss(epsilon, delta, adjacency=ADD_REMOVE)


@pytest.fixture
def db() -> Iterator[sqlite3.Connection]:
    with closing(sqlite3.connect(":memory:", isolation_level=None)) as connection:
        for statement in tables.SCHEMA:
            connection.execute(statement)
        yield connection


def test_an_empty_ledger_ends_at_the_beginning(db: sqlite3.Connection) -> None:
    assert tables.head_of(db) == Head(0, BEGINNING)
    assert list(tables.read_entries(db)) == []


def test_entries_are_numbered_and_chained(db: sqlite3.Connection) -> None:
    first = tables.append_limit(db, Account(amount(1, "1/10"), adjacency=REPLACE, unit="patient"), "why")
    second = tables.append_charge(db, "a=b", PrivacyLoss("1/3", adjacency=ADD_REMOVE, bounded_range=1, rho="1/8"), "n")
    assert list(tables.read_entries(db)) == [first, second]
    assert (first.number, first.kind, first.scope, first.epsilon, first.delta) == (1, "limit", "", "1", "1/10")
    assert (first.adjacency, first.unit, first.note) == ("replace", "patient", "why")
    assert (second.number, second.kind, second.scope, second.epsilon, second.delta) == (2, "charge", "a=b", "1/3", "0")
    assert (second.bounded_range, second.rho, second.adjacency, second.unit) == ("1", "1/8", "add_remove", "row")
    assert (first.hash, second.hash) == (first.digest(BEGINNING), second.digest(first.hash))
    assert tables.head_of(db) == Head(2, second.hash)


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE entries SET note = 'other'",
        "UPDATE entries SET epsilon = '0' WHERE number = 1",
        "UPDATE OR REPLACE entries SET number = 1 WHERE number = 2",
        "DELETE FROM entries",
        "DELETE FROM entries WHERE number = 2",
    ],
)
def test_plain_edits_and_deletions_are_refused(db: sqlite3.Connection, statement: str) -> None:
    written = [tables.append_charge(db, "", loss(1), note) for note in ("one", "two")]
    with pytest.raises(sqlite3.IntegrityError, match="append only"):
        db.execute(statement)
    assert list(tables.read_entries(db)) == written


@pytest.mark.parametrize("column", ["number", "note", "hash"])
def test_columns_take_only_their_type(db: sqlite3.Connection, column: str) -> None:
    entry = tables.append_charge(db, "", loss(1), "one")._replace(number=2)
    broken: dict[str, Any] = {column: "x" if column == "number" else None}
    wrong = entry._replace(**broken)
    with pytest.raises(sqlite3.IntegrityError):
        db.execute(f"INSERT INTO entries VALUES ({', '.join('?' * len(wrong))})", wrong)


def test_accounts_come_back_as_they_were(db: sqlite3.Connection) -> None:
    whole = Account(amount(1, "1/10"), amount("1/3", "1/30"), REPLACE, "patient")
    part = Account(amount(Fraction(2) ** 500, 0), amount(Fraction(1, 3**150)), None, None, "ä=🎉")
    for account in (part, whole):
        tables.save_account(db, account)
    assert tables.load_account(db, "") == whole
    assert tables.load_account(db, "ä=🎉") == part
    assert tables.load_account(db, "missing") is None
    assert tables.load_accounts(db, "") == [whole, part]
    changed = Account(amount(2, "1/10"), whole.spent, REPLACE, "patient")
    tables.save_account(db, changed)
    assert tables.load_accounts(db, "") == [changed, part]


def test_parents_are_listed_before_their_children(db: sqlite3.Connection) -> None:
    names = ["a=b/c=d/e=f", "a=b", "a=b c", "a=b/c=d", "a=b!", ""]
    for name in names:
        tables.save_account(db, Account(amount(1), name=name))
    listed = [account.name for account in tables.load_accounts(db, "")]
    assert [name for name in listed if name.startswith("a=b/") or name in ("", "a=b")] == [
        "",
        "a=b",
        "a=b/c=d",
        "a=b/c=d/e=f",
    ]
    assert [account.name for account in tables.load_accounts(db, "a=b")] == ["a=b", "a=b/c=d", "a=b/c=d/e=f"]


def test_purposes_are_exact_sums_by_scope_and_note(db: sqlite3.Connection) -> None:
    for scope, note, epsilon in (("", "x", "1/3"), ("", "x", "1/6"), ("a=b", "x", 2), ("", "y", "1/7"), ("a=b", "", 0)):
        tables.save_purpose(db, tables.append_charge(db, scope, loss(epsilon, "1/1000"), note))
    assert tables.read_purposes(db, "") == [
        ("a=b", "x", 1, amount(2, "1/1000")),
        ("", "x", 2, amount("1/2", "2/1000")),
        ("", "y", 1, amount("1/7", "1/1000")),
        ("a=b", "", 1, amount(0, "1/1000")),
    ]
    assert [purpose.note for purpose in tables.read_purposes(db, "a=b")] == ["x", ""]
    assert [purpose.note for purpose in tables.read_purposes(db, "", 1)] == ["x"]


def test_a_charge_is_unfinished_until_its_first_outcome(db: sqlite3.Connection) -> None:
    charges = [tables.append_charge(db, scope, loss(1), "x") for scope in ("", "a=b")]
    for charge in charges:
        tables.save_purpose(db, charge)
    assert tables.read_unfinished(db, "") == charges
    assert tables.read_unfinished(db, "a=b") == charges[1:]
    for outcome in ("failed", "done"):
        tables.append_outcome(db, charges[1], outcome)
    assert tables.read_unfinished(db, "") == charges[:1]
    last = list(tables.read_entries(db))[2:]
    assert [(entry.kind, entry.scope, entry.refers, entry.note) for entry in last] == [("outcome", "a=b", 2, "failed")]


def test_the_last_entries_are_given_oldest_first(db: sqlite3.Connection) -> None:
    written = [tables.append_charge(db, "a=b" if count % 2 else "", loss(1), str(count)) for count in range(5)]
    assert tables.read_last(db, "", 2) == written[-2:]
    assert tables.read_last(db, "", -1) == written
    assert tables.read_last(db, "a=b", 5) == written[1::2]
    assert all(isinstance(entry, Entry) for entry in written)
