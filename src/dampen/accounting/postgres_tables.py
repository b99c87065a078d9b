"""The tables of a ledger in PostgreSQL, in one transaction. Needs the extra ``service``."""

import re
from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache

import psycopg
from psycopg import sql

from dampen.accounting.chain import START, Entry, Head
from dampen.accounting.sql_tables import (
    ACCOUNT_OF,
    ANSWERS,
    CLOSE_CHARGE,
    ENTRY,
    FIRST_ENTRIES,
    OPEN_CHARGE,
    PURPOSE_OF,
    ROOM_FOR_SLOTS,
    RULED,
    RULED_TABLES,
    SLOTTED,
    TABLES,
    Row,
    SqlTables,
)

Connection = psycopg.Connection[Row]
Value = str | int | float | None
Asked = tuple[str, tuple[Value, ...]]
"""A statement that selects something, and its values."""

TYPES = {"INTEGER": "BIGINT", "REAL": "DOUBLE PRECISION", "TEXT": 'TEXT COLLATE "C"'}
"""What the types of SQLite are here; names are ordered byte by byte, as there."""
KEYS = {"accounts": ("scope",), "purposes": ("scope", "note")}
"""What finds a row that is replaced. Found by the hash of the last: PostgreSQL indexes no text of any length."""
HABITS = {"accounts": ACCOUNT_OF, "purposes": PURPOSE_OF}
"""What a writer asks every time, mostly with the same values: it is asked in advance."""
MOST_HABITS = 8
BATCH, MOST_WAITING = 2000, 200
"""So many rows of a long table are fetched at once; so many changes wait at most."""


COLUMNS = TABLES | RULED_TABLES
"""There is room for rules from the beginning: no ledger on a server is older than they are."""


def _columns(listed: str) -> str:
    plain = re.sub(r",\s+PRIMARY KEY \(.*\)", "", listed)
    return re.sub("|".join(TYPES), lambda found: TYPES[found[0]], plain)


def _append_only(table: str) -> str:
    return f"""CREATE TRIGGER keep_{table} BEFORE UPDATE OR DELETE OR TRUNCATE ON {table}
        FOR EACH STATEMENT EXECUTE FUNCTION refuse_change()"""


SCHEMA = (
    "CREATE TABLE marks (application TEXT NOT NULL, format INTEGER NOT NULL)",
    f"INSERT INTO marks VALUES ('dampen', {RULED})",
    *(f"CREATE TABLE {table} ({_columns(listed)})" for table, listed in COLUMNS.items()),
    "ALTER TABLE entries ADD COLUMN ticket TEXT NOT NULL DEFAULT ''",
    *(f"CREATE INDEX ON {table} USING hash ({key[-1]})" for table, key in KEYS.items()),
    """CREATE FUNCTION refuse_change() RETURNS trigger LANGUAGE plpgsql
        AS 'BEGIN RAISE EXCEPTION ''append only''; END'""",
    _append_only("entries"),
)
"""Beside the tables that every store has: what marks a ledger, and the ticket of the transaction of each entry.

Writers lock ``marks``, so that nobody needs the right to change or remove entries.
"""
MEMORY = (
    f"CREATE TABLE answers ({_columns(ANSWERS)})",
    _append_only("answers"),
    "UPDATE marks SET format = format + 1",
)


class PostgresTables(SqlTables):
    """What is changed is sent with the next thing that is asked for, or with the commit: few journeys to the server."""

    damage = ()

    def __init__(
        self,
        db: Connection,
        version: int,
        head: Head = START,
        ticket: str = "",
        known: Mapping[Asked, list[Row]] | None = None,
        *,
        prepared: bool = False,
    ) -> None:
        self._db, self._version, self._head, self._prepared = db, version, head, prepared
        self._known = dict(known or {})
        self.asked: list[Asked] = []
        """What is worth asking in advance the next time."""
        self._waiting: list[tuple[str, tuple[Value, ...]]] = []
        self._streams = 0
        self.ticket = ticket
        """Random; written beside every entry of this transaction, so that it can be found again."""
        self.written = 0
        """The number of the last entry of this transaction, if there is one."""

    def head(self) -> Head:
        """Known from the beginning: nobody else writes meanwhile."""
        return self._head

    def insert(self, entry: Entry) -> None:
        """Write an entry with the ticket of this transaction."""
        self._change(INSERT, *entry, self.ticket)
        self._head, self.written = Head(entry.number, entry.hash), entry.number

    def _format(self) -> int:
        return self._version

    def make_room_for_rules(self) -> None:
        """There is some."""

    def make_room_for_slots(self) -> None:
        """Widen the table of accounts; older versions of dampen keep off."""
        for statement in (ROOM_FOR_SLOTS, f"UPDATE marks SET format = {SLOTTED}"):
            self._change(statement)
        self._version = SLOTTED

    def make_memory(self) -> None:
        """Make their table, and tell older versions of dampen to keep off."""
        for statement in MEMORY:
            self._change(statement)
        self._version += 1

    def commit(self) -> None:
        """Send what waits, and COMMIT. Whatever is raised, the server may have done it if the connection is gone."""
        done = self._send("COMMIT")
        # After an error that somebody kept quiet about, COMMIT takes everything back and calls it a success.
        if done.statusmessage != "COMMIT":
            raise psycopg.errors.InFailedSqlTransaction

    def was_written(self, number: int, ticket: str) -> bool:
        """Whether an entry of this number was written by the transaction with this ticket."""
        return bool(list(self._select("SELECT 1 FROM entries WHERE number = ? AND ticket = ?", number, ticket)))

    def _select(self, statement: str, *values: str | int) -> Iterable[Row]:
        asked = (statement, values)
        if statement in (*HABITS.values(), FIRST_ENTRIES) and len(self.asked) < MOST_HABITS:
            self.asked.append(asked)
        found = self._known.get(asked)
        return self._send(statement, *values).fetchall() if found is None else found

    def _stream(self, statement: str) -> Iterator[Row]:
        self._send("SELECT 1")
        self._streams += 1
        with self._db.cursor(name=f"stream{self._streams}") as cursor:
            cursor.itersize = BATCH
            yield from cursor.execute(_statement(statement, False))

    def _change(self, statement: str, *values: Value) -> None:
        self._waiting.append((statement, values))
        if len(self._waiting) >= MOST_WAITING:
            self._send("SELECT 1")

    def _replace(self, table: str, *row: Value) -> None:
        key = row[: len(KEYS[table])]
        self._known.pop((HABITS[table], key), None)
        self._change(_replacement(table, len(row)), *row)

    def _send(self, statement: str, *values: Value) -> psycopg.Cursor[Row]:
        """Do what waits and then this, in one journey."""
        waiting, self._waiting = [*self._waiting, (statement, values)], []
        together = b"; ".join(_statement(each, self._prepared) for each, _ in waiting)
        cursor = self._db.execute(together, [value for _, its_values in waiting for value in its_values])
        for _ in waiting[1:]:
            cursor.nextset()
        return cursor


# Statements


@lru_cache(1000)
def _statement(statement: str, prepared: bool) -> bytes:
    if prepared and statement in PREPARED:
        holders = ", ".join(["%s"] * statement.count("?"))
        return f"EXECUTE {PREPARED[statement]} ({holders})".encode()
    return statement.replace("?", "%s").encode()


@lru_cache(1000)
def write_out(asked: Asked) -> str:
    """A prepared statement with its values in it, to be sent together with others."""
    statement, values = asked
    literals = ", ".join(sql.Literal(value).as_string(None) for value in values)
    return f"EXECUTE {PREPARED[statement]}" + (f" ({literals})" if values else "")


def _columns_of(table: str) -> list[tuple[str, str]]:
    return re.findall(r"(\w+) (TEXT|INTEGER|REAL)", COLUMNS[table])


@lru_cache
def _replacement(table: str, count: int) -> str:
    """Change the row of a key, or write a new one where there is none. Nobody else writes meanwhile."""
    listed = [*_columns_of(table), ("used", "TEXT")][:count]  # the last: where accounts have room for slots
    names = [name for name, _ in listed]
    values = ", ".join(f"?::{TYPES[kind].partition(' COLLATE')[0]}" for _, kind in listed)
    changes = ", ".join(f"{name} = new.{name}" for name in names)
    key = " AND ".join(f"old.{name} = new.{name}" for name in KEYS[table])
    return f"""WITH new ({", ".join(names)}) AS (VALUES ({values})),
        changed AS (UPDATE {table} AS old SET {changes} FROM new WHERE {key} RETURNING 1)
        INSERT INTO {table} SELECT * FROM new WHERE NOT EXISTS (SELECT FROM changed)"""


INSERT = f"INSERT INTO entries ({ENTRY}, ticket) VALUES ({', '.join('?' * (len(Entry._fields) + 1))})"
STATE = """SELECT format, number, hash FROM marks
    LEFT JOIN (SELECT number, hash FROM entries ORDER BY number DESC LIMIT 1) AS last ON true"""
"""The version of the tables and the head."""
USUAL = (
    *(STATE, ACCOUNT_OF, FIRST_ENTRIES, PURPOSE_OF, INSERT, OPEN_CHARGE, CLOSE_CHARGE),
    *(_replacement(table, len(_columns_of(table))) for table in KEYS),
)
PREPARED = {statement: f"usual{place}" for place, statement in enumerate(USUAL)}
"""What is done for every charge, by the names under which a connection of a writer has it ready."""


def preparation() -> str:
    """What makes them ready, once for a connection."""
    return "; ".join(f"PREPARE {name} AS {_number_values(statement)}" for statement, name in PREPARED.items())


def _number_values(statement: str) -> str:
    first, *rest = statement.split("?")
    return first + "".join(f"${place}{part}" for place, part in enumerate(rest, 1))
