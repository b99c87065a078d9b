"""The tables of a ledger: entries are the truth; the others are sums of them, kept so that nothing has to be re-added.

``verify`` recomputes every sum from the entries.
"""

import sqlite3
from collections.abc import Iterator
from typing import NamedTuple

from dampen.accounting.account import NOTHING, Account, added
from dampen.accounting.chain import BEGINNING, Entry, Head, adjacency_of, exact, now
from dampen.accounting.scopes import within
from dampen.privacy import Amount, PrivacyLoss

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


def head_of(db: sqlite3.Connection) -> Head:
    """Where the chain ends."""
    row = db.execute("SELECT number, hash FROM entries ORDER BY number DESC LIMIT 1").fetchone()
    return Head(*row) if row else Head(0, BEGINNING)


def append(db: sqlite3.Connection, entry: Entry) -> Entry:
    """Write an entry at the end of the chain; its number and hash follow from what is there."""
    head = head_of(db)
    placed = entry._replace(number=head.number + 1).chained(head.hash)
    db.execute(f"INSERT INTO entries VALUES ({', '.join('?' * len(placed))})", placed)
    return placed


def append_charge(db: sqlite3.Connection, scope: str, charge: PrivacyLoss, note: str) -> Entry:
    """Write a charge; it is unfinished until an outcome refers to it."""
    entry = Entry(
        number=0,
        at=now(),
        kind="charge",
        scope=scope,
        epsilon=str(charge.epsilon),
        delta=str(charge.delta),
        bounded_range=None if charge.bounded_range is None else str(charge.bounded_range),
        rho=None if charge.rho is None else str(charge.rho),
        adjacency=charge.adjacency.value,
        unit=charge.unit,
        note=note,
    )
    return append(db, entry)


def append_limit(db: sqlite3.Connection, account: Account, note: str = "") -> Entry:
    """Write a limit, the first of a scope or a new one."""
    adjacency = None if account.adjacency is None else account.adjacency.value
    amount = (str(account.limit.epsilon), str(account.limit.delta))
    return append(
        db, Entry(0, now(), "limit", account.name, *amount, adjacency=adjacency, unit=account.unit, note=note)
    )


def append_outcome(db: sqlite3.Connection, charge: Entry, outcome: str) -> None:
    """Write how a charge ended, once."""
    if db.execute("DELETE FROM unfinished WHERE number = ?", (charge.number,)).rowcount:
        append(db, Entry(0, now(), "outcome", charge.scope, refers=charge.number, note=outcome))


def load_account(db: sqlite3.Connection, scope: str) -> Account | None:
    """What is allowed and spent in one scope; ``None`` where there is none of that name."""
    row = db.execute("SELECT * FROM accounts WHERE scope = ?", (scope,)).fetchone()
    return None if row is None else _account(row)


def load_accounts(db: sqlite3.Connection, scope: str) -> list[Account]:
    """A scope and those below it, parents before their children."""
    where, names = within(scope)
    return [_account(row) for row in db.execute(f"SELECT * FROM accounts WHERE {where} ORDER BY scope", names)]


def save_account(db: sqlite3.Connection, account: Account) -> None:
    """Write what is allowed and spent in one scope."""
    numbers = (account.limit.epsilon, account.limit.delta, account.spent.epsilon, account.spent.delta)
    adjacency = None if account.adjacency is None else account.adjacency.value
    row = (account.name, *map(str, numbers), adjacency, account.unit)
    db.execute("REPLACE INTO accounts VALUES (?, ?, ?, ?, ?, ?, ?)", row)


def save_purpose(db: sqlite3.Connection, charge: Entry) -> None:
    """Add a charge to the sum of its note, and to the list of those without an outcome."""
    key, charges, spent = (charge.scope, charge.note), 0, NOTHING
    where = "WHERE scope = ? AND note = ?"
    row = db.execute(f"SELECT charges, epsilon, delta FROM purposes {where}", key).fetchone()
    if row is not None:
        charges, spent = row[0], Amount(exact(row[1]), exact(row[2]))
    total = added(spent, charge.amount)
    values = (*key, charges + 1, str(total.epsilon), str(total.delta), float(total.epsilon))
    db.execute("REPLACE INTO purposes VALUES (?, ?, ?, ?, ?, ?)", values)
    db.execute("INSERT INTO unfinished VALUES (?, ?)", (charge.number, charge.scope))


class Purpose(NamedTuple):
    """What was spent under one note in one scope."""

    scope: str
    note: str
    charges: int
    amount: Amount


def read_purposes(db: sqlite3.Connection, scope: str, most: int = -1) -> list[Purpose]:
    """What was spent on what in a scope and those below it, the largest first."""
    where, names = within(scope)
    rows = db.execute(
        f"SELECT scope, note, charges, epsilon, delta FROM purposes WHERE {where} ORDER BY about DESC LIMIT ?",
        (*names, most),
    )
    return [Purpose(name, note, n, Amount(exact(e), exact(d))) for name, note, n, e, d in rows]


def read_unfinished(db: sqlite3.Connection, scope: str, most: int = -1) -> list[Entry]:
    """The first charges of a scope and those below it that no outcome refers to."""
    where, names = within(scope)
    numbers = f"SELECT number FROM unfinished WHERE {where} ORDER BY number LIMIT ?"
    rows = db.execute(f"SELECT * FROM entries WHERE number IN ({numbers}) ORDER BY number", (*names, most))
    return list(map(Entry._make, rows))


def count_unfinished(db: sqlite3.Connection, scope: str) -> int:
    """How many charges of a scope and those below it have no outcome."""
    where, names = within(scope)
    [count] = db.execute(f"SELECT count(*) FROM unfinished WHERE {where}", names).fetchone()
    return int(count)


def read_last(db: sqlite3.Connection, scope: str, most: int) -> list[Entry]:
    """The last entries of a scope and those below it, oldest first."""
    where, names = within(scope)
    rows = db.execute(f"SELECT * FROM entries WHERE {where} ORDER BY number DESC LIMIT ?", (*names, most))
    return list(map(Entry._make, rows))[::-1]


def read_entries(db: sqlite3.Connection) -> Iterator[Entry]:
    """All entries in the order of their numbers."""
    return map(Entry._make, db.execute("SELECT * FROM entries ORDER BY number"))


def _account(row: tuple[str, ...]) -> Account:
    scope, *numbers, adjacency, unit = row
    epsilon_limit, delta_limit, epsilon_spent, delta_spent = map(exact, numbers)
    return Account(
        Amount(epsilon_limit, delta_limit),
        Amount(epsilon_spent, delta_spent),
        None if adjacency is None else adjacency_of(adjacency),
        unit,
        scope,
    )
