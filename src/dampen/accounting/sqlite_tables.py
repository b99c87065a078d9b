"""The tables of a ledger in SQLite. With ``sqlite_store`` this is all that knows SQLite."""

# What each operation does is said in ``store``.
# ruff: noqa: D102

import sqlite3
from collections.abc import Iterator
from hashlib import sha256

from dampen.accounting.account import Account
from dampen.accounting.chain import START, Entry, Head, Unreadable, parse_adjacency, parse_number
from dampen.accounting.memory import Answer
from dampen.accounting.store import Purpose, Transaction
from dampen.privacy import Amount

PLAIN, REMEMBERING = FORMATS = (1, 2)
"""The versions of the tables, which hold accounts of basic composition: without room for answers, and with it.

A ledger that keeps no answers stays what it was before there were any; older ones need no change.
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

MEMORY = (
    """CREATE TABLE answers (
        number INTEGER PRIMARY KEY, hash TEXT NOT NULL UNIQUE, key TEXT NOT NULL, answer TEXT NOT NULL) STRICT""",
    "CREATE TRIGGER keep_answers BEFORE UPDATE ON answers BEGIN SELECT RAISE(ABORT, 'append only'); END",
    "CREATE TRIGGER lose_no_answer BEFORE DELETE ON answers BEGIN SELECT RAISE(ABORT, 'append only'); END",
    f"PRAGMA user_version={REMEMBERING}",
)

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
        columns, key = "scope, note, charges, epsilon, delta", (scope, note)
        row = self._db.execute(f"SELECT {columns} FROM purposes WHERE scope = ? AND note = ?", key).fetchone()
        return None if row is None else _purpose(row)

    def purposes(self, scope: str, most: int) -> list[Purpose]:
        where, names = _scope_condition(scope)
        rows = self._db.execute(
            f"SELECT scope, note, charges, epsilon, delta FROM purposes WHERE {where} ORDER BY about DESC LIMIT ?",
            (*names, most),
        )
        return list(map(_purpose, rows))

    def has_right_order(self) -> bool:
        order = self._db.execute("SELECT epsilon, about FROM purposes")
        return all(float(parse_number(epsilon)) == about for epsilon, about in order)

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
        [version] = self._db.execute("PRAGMA user_version").fetchone()
        return bool(version == REMEMBERING)

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
        numbers = (account.limit.epsilon, account.limit.delta, account.spent.epsilon, account.spent.delta)
        adjacency = None if account.adjacency is None else account.adjacency.value
        row = (account.name, *map(str, numbers), adjacency, account.unit)
        self._db.execute("REPLACE INTO accounts VALUES (?, ?, ?, ?, ?, ?, ?)", row)

    def save_purpose(self, purpose: Purpose) -> None:
        epsilon, delta = purpose.amount.epsilon, purpose.amount.delta
        # SQLite cannot order fractions written as text; the float beside them is there for ORDER BY alone.
        row = (purpose.scope, purpose.note, purpose.charges, str(epsilon), str(delta), float(epsilon))
        self._db.execute("REPLACE INTO purposes VALUES (?, ?, ?, ?, ?, ?)", row)

    def open_charge(self, charge: Entry) -> None:
        self._db.execute("INSERT INTO unfinished VALUES (?, ?)", (charge.number, charge.scope))

    def close_charge(self, charge: Entry) -> bool:
        return bool(self._db.execute("DELETE FROM unfinished WHERE number = ?", (charge.number,)).rowcount)

    def make_memory(self) -> None:
        for statement in MEMORY:
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
    scope, *numbers, adjacency, unit = row
    epsilon_limit, delta_limit, epsilon_spent, delta_spent = map(parse_number, numbers)
    return Account(
        Amount(epsilon_limit, delta_limit),
        Amount(epsilon_spent, delta_spent),
        None if adjacency is None else parse_adjacency(adjacency),
        unit,
        scope,
    )


def _purpose(row: tuple[str, str, int, str, str]) -> Purpose:
    scope, note, charges, epsilon, delta = row
    return Purpose(scope, note, charges, Amount(parse_number(epsilon), parse_number(delta)))


def _answer(row: tuple[int, str, str, str]) -> Answer:
    number, digest, key, text = row
    if digest != _hash(key):
        raise Unreadable
    return Answer(key, text, number)


def _hash(key: str) -> str:
    return sha256(key.encode()).hexdigest()
