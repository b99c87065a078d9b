"""The tables of a ledger in SQLite. With ``sqlite_store`` this is all that knows SQLite."""

# What each operation does is said in ``store``.
# ruff: noqa: D102

import sqlite3
from collections.abc import Iterator
from hashlib import sha256
from typing import Any

from dampen.accounting.account import Account
from dampen.accounting.chain import (
    START,
    Entry,
    Head,
    Unreadable,
    parse_adjacency,
    parse_number,
    parse_part,
    write_number,
)
from dampen.accounting.memory import Answer
from dampen.accounting.rules import BASIC, COMPOSITIONS
from dampen.accounting.store import Purpose, Transaction
from dampen.privacy import Amount

PLAIN, REMEMBERING, RULED, RULED_REMEMBERING = FORMATS = (1, 2, 3, 4)
"""The versions of the tables: accounts of basic composition without room for answers, and with it; of any rule too.

A ledger of basic composition that keeps no answers stays what it was before there were any; older ones need no change.
"""

SCHEMA = (
    """CREATE TABLE entries (
        number INTEGER PRIMARY KEY, at TEXT NOT NULL, kind TEXT NOT NULL, scope TEXT NOT NULL, epsilon TEXT,
        delta TEXT, bounded_range TEXT, rho TEXT, adjacency TEXT, unit TEXT, refers INTEGER, note TEXT NOT NULL,
        hash TEXT NOT NULL) STRICT""",
    """CREATE TABLE accounts (
        scope TEXT PRIMARY KEY, epsilon_limit TEXT NOT NULL, delta_limit TEXT NOT NULL, epsilon_spent TEXT NOT NULL,
        delta_spent TEXT NOT NULL, adjacency TEXT, unit TEXT) STRICT, WITHOUT ROWID""",
    """CREATE TABLE purposes (
        scope TEXT NOT NULL, note TEXT NOT NULL, charges INTEGER NOT NULL, epsilon TEXT NOT NULL, delta TEXT NOT NULL,
        about REAL NOT NULL, PRIMARY KEY (scope, note)) STRICT, WITHOUT ROWID""",
    "CREATE TABLE unfinished (number INTEGER PRIMARY KEY, scope TEXT NOT NULL) STRICT",
    "CREATE TRIGGER keep_entries BEFORE UPDATE ON entries BEGIN SELECT RAISE(ABORT, 'append only'); END",
    "CREATE TRIGGER lose_no_entry BEFORE DELETE ON entries BEGIN SELECT RAISE(ABORT, 'append only'); END",
)

RULES = (
    "DROP TABLE accounts",
    "DROP TABLE purposes",
    """CREATE TABLE accounts (
        scope TEXT PRIMARY KEY, epsilon_limit TEXT, delta_limit TEXT NOT NULL, epsilon_spent TEXT,
        delta_spent TEXT NOT NULL, adjacency TEXT, unit TEXT, rule TEXT NOT NULL, rho_limit TEXT, rho_spent TEXT
        ) STRICT, WITHOUT ROWID""",
    """CREATE TABLE purposes (
        scope TEXT NOT NULL, note TEXT NOT NULL, charges INTEGER NOT NULL, epsilon TEXT, delta TEXT NOT NULL,
        about REAL NOT NULL, rho TEXT, PRIMARY KEY (scope, note)) STRICT, WITHOUT ROWID""",
    f"PRAGMA user_version={RULED}",
)

MEMORY = (
    """CREATE TABLE answers (
        number INTEGER PRIMARY KEY, hash TEXT NOT NULL UNIQUE, key TEXT NOT NULL, answer TEXT NOT NULL) STRICT""",
    "CREATE TRIGGER keep_answers BEFORE UPDATE ON answers BEGIN SELECT RAISE(ABORT, 'append only'); END",
    "CREATE TRIGGER lose_no_answer BEFORE DELETE ON answers BEGIN SELECT RAISE(ABORT, 'append only'); END",
)

ABOUT = 5
"""The place of ``about`` among the columns of purposes."""
DAMAGE = (sqlite3.Error, UnicodeDecodeError)
"""What reading may raise where a file is no ledger, or is damaged."""


class Tables(Transaction):
    """The tables of a ledger in one transaction. Exact numbers are text, since SQLite has none of that length."""

    damage = DAMAGE

    def __init__(self, db: sqlite3.Connection) -> None:
        self._db = db

    def head(self) -> Head:
        row = self._db.execute("SELECT number, hash FROM entries ORDER BY number DESC LIMIT 1").fetchone()
        return Head(*row) if row else START

    def entries(self) -> Iterator[Entry]:
        return map(Entry._make, self._db.execute("SELECT * FROM entries ORDER BY number"))

    def last_entries(self, scope: str, most: int) -> list[Entry]:
        where, names = _scope_condition(scope)
        rows = self._db.execute(f"SELECT * FROM entries WHERE {where} ORDER BY number DESC LIMIT ?", (*names, most))
        return list(map(Entry._make, rows))[::-1]

    def account(self, scope: str) -> Account | None:
        row = self._db.execute("SELECT * FROM accounts WHERE scope = ?", (scope,)).fetchone()
        return None if row is None else _account(row)

    def accounts(self, scope: str) -> list[Account]:
        where, names = _scope_condition(scope)
        return [
            _account(row) for row in self._db.execute(f"SELECT * FROM accounts WHERE {where} ORDER BY scope", names)
        ]

    def purpose(self, scope: str, note: str) -> Purpose | None:
        row = self._db.execute("SELECT * FROM purposes WHERE scope = ? AND note = ?", (scope, note)).fetchone()
        return None if row is None else _purpose(row)

    def purposes(self, scope: str, most: int) -> list[Purpose]:
        where, names = _scope_condition(scope)
        order = f"SELECT * FROM purposes WHERE {where} ORDER BY about DESC LIMIT ?"
        return list(map(_purpose, self._db.execute(order, (*names, most))))

    def has_right_order(self) -> bool:
        rows = list(self._db.execute("SELECT * FROM purposes"))
        return all(float(_purpose(row).size) == row[ABOUT] for row in rows)

    def unfinished(self, scope: str, most: int) -> list[Entry]:
        where, names = _scope_condition(scope)
        numbers = f"SELECT number FROM unfinished WHERE {where} ORDER BY number LIMIT ?"
        rows = self._db.execute(f"SELECT * FROM entries WHERE number IN ({numbers}) ORDER BY number", (*names, most))
        return list(map(Entry._make, rows))

    def count_unfinished(self, scope: str) -> int:
        where, names = _scope_condition(scope)
        [count] = self._db.execute(f"SELECT count(*) FROM unfinished WHERE {where}", names).fetchone()
        return int(count)

    def unfinished_scopes(self) -> dict[int, str]:
        return dict(self._db.execute("SELECT number, scope FROM unfinished"))

    def remembers(self) -> bool:
        return self._version() in (REMEMBERING, RULED_REMEMBERING)

    def _version(self) -> int:
        [version] = self._db.execute("PRAGMA user_version").fetchone()
        return int(version)

    def answer(self, key: str) -> Answer | None:
        # Keys may be long, so the index is over their hashes.
        found = list(self._select_answers("WHERE hash = ? AND key = ?", _hash(key), key))
        return found[0] if found else None

    def answers(self) -> Iterator[Answer]:
        return self._select_answers("ORDER BY number")

    def _select_answers(self, clause: str, *values: str) -> Iterator[Answer]:
        if self.remembers():
            yield from map(_answer, self._db.execute(f"SELECT * FROM answers {clause}", values))

    def insert(self, entry: Entry) -> None:
        self._db.execute(f"INSERT INTO entries VALUES ({', '.join('?' * len(entry))})", entry)

    def save_account(self, account: Account) -> None:
        limit, spent = account.limit, account.spent
        numbers = map(write_number, (limit.epsilon, limit.delta, spent.epsilon, spent.delta))
        adjacency = None if account.adjacency is None else account.adjacency.value
        rule = account.composition.name, write_number(limit.rho), write_number(spent.rho)
        self._replace("accounts", (account.name, *numbers, adjacency, account.unit), rule)

    def save_purpose(self, purpose: Purpose) -> None:
        epsilon, delta, rho = map(write_number, (purpose.amount.epsilon, purpose.amount.delta, purpose.amount.rho))
        # SQLite cannot order fractions written as text; the float beside them is there for ORDER BY alone.
        row = (purpose.scope, purpose.note, purpose.charges, epsilon, delta, float(purpose.size))
        self._replace("purposes", row, (rho,))

    def _replace(self, table: str, row: tuple[Any, ...], ruled: tuple[Any, ...]) -> None:
        """Write a row; its last values where there is room for rules."""
        whole = (*row, *ruled) if self._version() >= RULED else row
        self._db.execute(f"REPLACE INTO {table} VALUES ({', '.join('?' * len(whole))})", whole)

    def open_charge(self, charge: Entry) -> None:
        self._db.execute("INSERT INTO unfinished VALUES (?, ?)", (charge.number, charge.scope))

    def close_charge(self, charge: Entry) -> bool:
        return bool(self._db.execute("DELETE FROM unfinished WHERE number = ?", (charge.number,)).rowcount)

    def make_room_for_rules(self) -> None:
        for statement in RULES:
            self._db.execute(statement)

    def make_memory(self) -> None:
        for statement in (*MEMORY, f"PRAGMA user_version={self._version() + 1}"):
            self._db.execute(statement)

    def save_answer(self, answer: Answer) -> None:
        row = (answer.number, _hash(answer.key), answer.key, answer.text)
        self._db.execute("INSERT INTO answers VALUES (?, ?, ?, ?)", row)


def _scope_condition(scope: str) -> tuple[str, tuple[str | int, ...]]:
    """The condition that a row belongs to a scope or to one below it, and its parameters."""
    if not scope:
        return "1", ()
    # Not LIKE: it takes % and _ in a name for wildcards, and ignores case.
    return "(scope = ? OR substr(scope, 1, ?) = ?)", (scope, len(scope) + 1, scope + "/")


def _account(row: tuple[str, ...]) -> Account:
    scope, epsilon_limit, delta_limit, epsilon_spent, delta_spent, adjacency, unit, *ruled = row
    rule, rho_limit, rho_spent = ruled or (BASIC.name, None, None)
    if rule not in COMPOSITIONS:
        raise Unreadable
    return Account(
        Amount(parse_part(epsilon_limit), parse_number(delta_limit), parse_part(rho_limit)),
        Amount(parse_part(epsilon_spent), parse_number(delta_spent), parse_part(rho_spent)),
        None if adjacency is None else parse_adjacency(adjacency),
        unit,
        scope,
        COMPOSITIONS[rule],
    )


def _purpose(row: tuple[Any, ...]) -> Purpose:
    scope, note, charges, epsilon, delta, _, *ruled = row
    amount = Amount(parse_part(epsilon), parse_number(delta), parse_part(ruled[0] if ruled else None))
    return Purpose(scope, note, charges, amount)


def _answer(row: tuple[int, str, str, str]) -> Answer:
    number, digest, key, text = row
    if digest != _hash(key):
        raise Unreadable
    return Answer(key, text, number)


def _hash(key: str) -> str:
    return sha256(key.encode()).hexdigest()
