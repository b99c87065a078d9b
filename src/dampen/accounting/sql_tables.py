"""The tables of a ledger in a database that speaks SQL: all that stores have in common."""

# What each operation does is said in ``store``.
# ruff: noqa: D102

import re
from abc import abstractmethod
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from hashlib import sha256
from typing import Any

from dampen.accounting.account import Account
from dampen.accounting.chain import (
    START,
    Entry,
    Head,
    Unreadable,
    first_slots,
    parse_adjacency,
    parse_number,
    parse_part,
    write_number,
)
from dampen.accounting.memory import Answer
from dampen.accounting.rules import BASIC, COMPOSITIONS
from dampen.accounting.signals import let_signals_in
from dampen.accounting.slots import MOST_KINDS, SLOTS, SlotAmount, use_of_slots
from dampen.accounting.store import Purpose, Transaction
from dampen.privacy import Amount

PLAIN, REMEMBERING, RULED, RULED_REMEMBERING, SLOTTED, SLOTTED_REMEMBERING = FORMATS = (1, 2, 3, 4, 5, 6)
"""The versions of the tables: of basic composition without room for answers, and with it; of any rule; of slots.

A ledger of basic composition that keeps no answers stays what it was before there were any; older ones need no change.
"""

TABLES = {
    "entries": """
        number INTEGER PRIMARY KEY, at TEXT NOT NULL, kind TEXT NOT NULL, scope TEXT NOT NULL, epsilon TEXT,
        delta TEXT, bounded_range TEXT, rho TEXT, adjacency TEXT, unit TEXT, refers INTEGER, note TEXT NOT NULL,
        hash TEXT NOT NULL""",
    "accounts": """
        scope TEXT NOT NULL, epsilon_limit TEXT NOT NULL, delta_limit TEXT NOT NULL, epsilon_spent TEXT NOT NULL,
        delta_spent TEXT NOT NULL, adjacency TEXT, unit TEXT, PRIMARY KEY (scope)""",
    "purposes": """
        scope TEXT NOT NULL, note TEXT NOT NULL, charges INTEGER NOT NULL, epsilon TEXT NOT NULL, delta TEXT NOT NULL,
        about REAL NOT NULL, PRIMARY KEY (scope, note)""",
    "unfinished": "number INTEGER PRIMARY KEY, scope TEXT NOT NULL",
}
"""Their columns, in the types of SQLite."""
RULED_TABLES = {
    "accounts": """
        scope TEXT NOT NULL, epsilon_limit TEXT, delta_limit TEXT NOT NULL, epsilon_spent TEXT,
        delta_spent TEXT NOT NULL, adjacency TEXT, unit TEXT, rule TEXT NOT NULL, rho_limit TEXT, rho_spent TEXT,
        PRIMARY KEY (scope)""",
    "purposes": """
        scope TEXT NOT NULL, note TEXT NOT NULL, charges INTEGER NOT NULL, epsilon TEXT, delta TEXT NOT NULL,
        about REAL NOT NULL, rho TEXT, PRIMARY KEY (scope, note)""",
}
"""Those that are other where there is room for rules."""
ROOM_FOR_SLOTS = "ALTER TABLE accounts ADD COLUMN used TEXT"
"""How many slots of each kind are used, in the order of their entries; the kinds themselves stand there alone."""
ANSWERS = "number INTEGER PRIMARY KEY, hash TEXT NOT NULL UNIQUE, key TEXT NOT NULL, answer TEXT NOT NULL"
"""Made where there is room for answers, and only there."""
ALL = 2**62
"""More rows than there are."""

Row = tuple[Any, ...]


class SqlTables(Transaction):
    """The tables of a ledger in one transaction. Exact numbers are text, since databases have none of that length.

    Parameters are written ``?``; what is changed need not be done before something is selected.
    """

    @abstractmethod
    def _format(self) -> int:
        """The version of the tables."""

    @abstractmethod
    def _select(self, statement: str, *values: str | int) -> Iterable[Row]:
        """The rows that a statement returns."""

    @abstractmethod
    def _stream(self, statement: str) -> Iterable[Row]:
        """The same where there may be more of them than fit into memory."""

    @abstractmethod
    def _change(self, statement: str, *values: str | int | float | None) -> None:
        """Do what a statement says."""

    @abstractmethod
    def _replace(self, table: str, *row: str | int | float | None) -> None:
        """Write a row in the place of the one with the same key, or as a new one."""

    def head(self) -> Head:
        for row in self._select("SELECT number, hash FROM entries ORDER BY number DESC LIMIT 1"):
            return Head(*_typed(row, (int, str)))
        return START

    def entries(self) -> Iterator[Entry]:
        for row in self._stream(f"SELECT {ENTRY} FROM entries ORDER BY number"):
            let_signals_in()
            yield _entry(row)

    def last_entries(self, scope: str, most: int) -> list[Entry]:
        where, names = _scope_condition(scope)
        statement = f"SELECT {ENTRY} FROM entries WHERE {where} ORDER BY number DESC LIMIT ?"
        return _entries(self._select(statement, *names, _limit(most)))[::-1]

    def account(self, scope: str) -> Account | None:
        for row in self._select(ACCOUNT_OF, scope):
            return self._account(row)
        return None

    def accounts(self, scope: str) -> list[Account]:
        where, names = _scope_condition(scope)
        rows = list(self._select(f"SELECT * FROM accounts WHERE {where} ORDER BY scope", *names))
        return list(map(self._account, rows))

    def _account(self, row: Row) -> Account:
        """The account of a row; its slots are read off the first entries."""
        account, used = _account(row)
        if used is None:
            return account
        kinds = first_slots([_entry(row) for row in self._select(FIRST_ENTRIES, len(used) + 2)], account.limit)
        taken = tuple((slot, count) for (slot, _), count in zip(kinds, used, strict=False) if count)
        limit, spent = account.limit, account.spent
        return replace(
            account,
            limit=SlotAmount(limit.epsilon, limit.delta, limit.rho, kinds),
            spent=SlotAmount(spent.epsilon, spent.delta, spent.rho, taken),
        )

    def purpose(self, scope: str, note: str) -> Purpose | None:
        for row in self._select(PURPOSE_OF, scope, note):
            return _purpose(row)
        return None

    def purposes(self, scope: str, most: int) -> list[Purpose]:
        where, names = _scope_condition(scope)
        statement = f"SELECT * FROM purposes WHERE {where} ORDER BY about DESC LIMIT ?"
        return list(map(_purpose, self._select(statement, *names, _limit(most))))

    def has_right_order(self) -> bool:
        return all(float(_purpose(row).size) == row[ABOUT] for row in self._stream("SELECT * FROM purposes"))

    def unfinished(self, scope: str, most: int) -> list[Entry]:
        where, names = _scope_condition(scope)
        numbers = f"SELECT number FROM unfinished WHERE {where} ORDER BY number LIMIT ?"
        statement = f"SELECT {ENTRY} FROM entries WHERE number IN ({numbers}) ORDER BY number"
        return _entries(self._select(statement, *names, _limit(most)))

    def count_unfinished(self, scope: str) -> int:
        where, names = _scope_condition(scope)
        [[count]] = self._select(f"SELECT count(*) FROM unfinished WHERE {where}", *names)
        return int(count)

    def unfinished_scopes(self) -> dict[int, str]:
        return dict(self._stream("SELECT number, scope FROM unfinished"))

    def remembers(self) -> bool:
        return self._format() in (REMEMBERING, RULED_REMEMBERING, SLOTTED_REMEMBERING)

    def answer(self, key: str) -> Answer | None:
        # Keys may be long, so the index is over their hashes.
        if not self.remembers():
            return None
        found = self._select("SELECT * FROM answers WHERE hash = ? AND key = ?", _hash(key), key)
        return next(map(_answer, found), None)

    def answers(self) -> Iterator[Answer]:
        if self.remembers():
            yield from map(_answer, self._stream("SELECT * FROM answers ORDER BY number"))

    def insert(self, entry: Entry) -> None:
        self._change(f"INSERT INTO entries ({ENTRY}) VALUES ({', '.join('?' * len(entry))})", *entry)

    def save_account(self, account: Account) -> None:
        limit, spent = account.limit, account.spent
        numbers = map(write_number, (limit.epsilon, limit.delta, spent.epsilon, spent.delta))
        adjacency = None if account.adjacency is None else account.adjacency.value
        rule: Row = (account.composition.name, write_number(limit.rho), write_number(spent.rho))
        if self._format() >= SLOTTED:
            rule = (*rule, " ".join(str(used) for _, used, _ in use_of_slots(limit, spent)))
        self._save("accounts", (account.name, *numbers, adjacency, account.unit), rule)

    def save_purpose(self, purpose: Purpose) -> None:
        epsilon, delta, rho = map(write_number, (purpose.amount.epsilon, purpose.amount.delta, purpose.amount.rho))
        # SQL cannot order fractions written as text; the float beside them is there for ORDER BY alone.
        row = (purpose.scope, purpose.note, purpose.charges, epsilon, delta, float(purpose.size))
        self._save("purposes", row, (rho,))

    def _save(self, table: str, row: Row, ruled: Row) -> None:
        """Write a row; its last values where there is room for rules."""
        self._replace(table, *row, *(ruled if self._format() >= RULED else ()))

    def open_charge(self, charge: Entry) -> None:
        self._change(OPEN_CHARGE, charge.number, charge.scope)

    def close_charge(self, charge: Entry) -> bool:
        return bool(list(self._select(CLOSE_CHARGE, charge.number)))

    def save_answer(self, answer: Answer) -> None:
        row = (answer.number, _hash(answer.key), answer.key, answer.text)
        self._change("INSERT INTO answers VALUES (?, ?, ?, ?)", *row)


def _scope_condition(scope: str) -> tuple[str, tuple[str | int, ...]]:
    """The condition that a row belongs to a scope or to one below it, and its parameters."""
    if not scope:
        return "1 = 1", ()
    # Not LIKE: it takes % and _ in a name for wildcards, and ignores case.
    return "(scope = ? OR substr(scope, 1, ?) = ?)", (scope, len(scope) + 1, scope + "/")


def _limit(most: int) -> int:
    return ALL if most < 0 else most


# A file that was damaged or edited may hold anything in any place.

ENTRY = ", ".join(Entry._fields)
ACCOUNT_OF = "SELECT * FROM accounts WHERE scope = ?"
FIRST_ENTRIES = f"SELECT {ENTRY} FROM entries WHERE number <= ? ORDER BY number"
PURPOSE_OF = "SELECT * FROM purposes WHERE scope = ? AND note = ?"
OPEN_CHARGE = "INSERT INTO unfinished VALUES (?, ?)"
CLOSE_CHARGE = "DELETE FROM unfinished WHERE number = ? RETURNING number"
ABOUT = 5
"""The place of ``about`` among the columns of purposes."""
TEXT = str | None
ACCOUNT_TYPES = (str, str, str, str, str, TEXT, TEXT)
RULED_ACCOUNT_TYPES = (str, TEXT, str, TEXT, str, TEXT, TEXT, str, TEXT, TEXT)
SLOTTED_ACCOUNT_TYPES = (*RULED_ACCOUNT_TYPES, str)
USED = re.compile(rf"[0-9]{{1,6}}( [0-9]{{1,6}}){{0,{MOST_KINDS - 1}}}", re.ASCII)
"""How the numbers of slots that are used are written."""
PURPOSE_TYPES, RULED_PURPOSE_TYPES = (str, str, int, str, str, float), (str, str, int, TEXT, str, float, TEXT)
ENTRY_TYPES = (int, str, str, str, TEXT, TEXT, TEXT, TEXT, TEXT, TEXT, int | None, str, str)


def _typed(row: Row, types: Sequence[Any]) -> Row:
    if not all(map(isinstance, row, types)):
        raise Unreadable
    return row


def _entry(row: Row) -> Entry:
    return Entry._make(_typed(row, ENTRY_TYPES))


def _entries(rows: Iterable[Row]) -> list[Entry]:
    """Entries for people to read: also their amounts must be readable."""
    entries = list(map(_entry, rows))
    for entry in entries:
        _ = entry.amount
    return entries


def _account(row: Row) -> tuple[Account, list[int] | None]:
    """An account without its slots, and how many of each kind are used, where it has any."""
    known = (ACCOUNT_TYPES, RULED_ACCOUNT_TYPES, SLOTTED_ACCOUNT_TYPES)
    types = next((each for each in known if len(each) == len(row)), None)
    if types is None:
        raise Unreadable
    scope, epsilon_limit, delta_limit, epsilon_spent, delta_spent, adjacency, unit, *ruled = _typed(row, types)
    rule, rho_limit, rho_spent, *used = ruled or (BASIC.name, None, None)
    if rule not in COMPOSITIONS or (rule == SLOTS.name) != bool(used) or not all(map(USED.fullmatch, used)):
        raise Unreadable
    account = Account(
        Amount(parse_part(epsilon_limit), parse_number(delta_limit), parse_part(rho_limit)),
        Amount(parse_part(epsilon_spent), parse_number(delta_spent), parse_part(rho_spent)),
        None if adjacency is None else parse_adjacency(adjacency),
        unit,
        scope,
        COMPOSITIONS[rule],
    )
    return account, [int(count) for count in used[0].split()] if used else None


def _purpose(row: Row) -> Purpose:
    types = PURPOSE_TYPES if len(row) == len(PURPOSE_TYPES) else RULED_PURPOSE_TYPES
    scope, note, charges, epsilon, delta, _, *ruled = _typed(row, types)
    amount = Amount(parse_part(epsilon), parse_number(delta), parse_part(ruled[0] if ruled else None))
    return Purpose(scope, note, charges, amount)


def _answer(row: Row) -> Answer:
    number, digest, key, text = _typed(row, (int, str, str, str))
    if digest != _hash(key):
        raise Unreadable
    return Answer(key, text, number)


def _hash(key: str) -> str:
    return sha256(key.encode()).hexdigest()
