"""The tables of a ledger in PostgreSQL, in one transaction. Needs the extra ``service``."""

import re
from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import Any

import psycopg
from psycopg import sql

from dampen.accounting.chain import START, Entry, Head
from dampen.accounting.sql_tables import ANSWERS, ENTRY, RULED, RULED_REMEMBERING, RULED_TABLES, TABLES, Row, SqlTables

Connection = psycopg.Connection[Row]
Value = str | int | float | None

TYPES = {"INTEGER": "BIGINT", "REAL": "DOUBLE PRECISION", "TEXT": 'TEXT COLLATE "C"'}
"""What the types of SQLite are here; names are ordered byte by byte, as there."""
KEYS = {"accounts": ("scope",), "purposes": ("scope", "note")}
"""What finds a row that is replaced. Found by the hash of the last: PostgreSQL indexes no text of any length."""
BATCH = 2000
"""So many rows of a long table are fetched at once, and so many changes wait at most."""


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
    f"UPDATE marks SET format = {RULED_REMEMBERING}",
)


class PostgresTables(SqlTables):
    """What is changed is sent with the next thing that is asked for, or with the commit: few journeys to the server."""

    damage = ()

    def __init__(self, db: Connection, version: int, head: Head = START, ticket: str = "") -> None:
        self._db, self._version, self._head = db, version, head
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
        holders = ", ".join("?" * (len(entry) + 1))
        self._change(f"INSERT INTO entries ({ENTRY}, ticket) VALUES ({holders})", *entry, self.ticket)
        self._head, self.written = Head(entry.number, entry.hash), entry.number

    def _format(self) -> int:
        return self._version

    def make_room_for_rules(self) -> None:
        """There is some."""

    def make_memory(self) -> None:
        """Make their table, and tell older versions of dampen to keep off."""
        for statement in MEMORY:
            self._change(statement)
        self._version = RULED_REMEMBERING

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
        return self._send(statement, *values).fetchall()

    def _stream(self, statement: str) -> Iterator[Row]:
        self._send("SELECT 1")
        self._streams += 1
        with self._db.cursor(name=f"stream{self._streams}") as cursor:
            cursor.itersize = BATCH
            yield from cursor.execute(_statement(statement))

    def _change(self, statement: str, *values: Value) -> None:
        self._waiting.append((statement, values))
        if len(self._waiting) >= BATCH:
            self._send("SELECT 1")

    def _replace(self, table: str, *row: Value) -> None:
        self._change(_replacement(table, len(row)), *row, *row[: len(KEYS[table])], *row)

    def _send(self, statement: str, *values: Value) -> psycopg.Cursor[Row]:
        """Do what waits and then this, in one journey."""
        waiting, self._waiting = self._waiting, []
        if not waiting:
            return self._db.execute(_statement(statement), values or None)
        with self._db.pipeline():
            for each, its_values in waiting:
                self._db.execute(_statement(each), its_values or None)
            return self._db.execute(_statement(statement), values or None)


@lru_cache(1000)
def _statement(statement: str) -> Any:
    return sql.SQL(statement.replace("?", "%s"))


@lru_cache
def _replacement(table: str, count: int) -> str:
    """Change the row of a key, or write a new one where there is none. Nobody else writes meanwhile."""
    names = re.findall(r"(\w+) (?:TEXT|INTEGER|REAL)", COLUMNS[table])[:count]
    changes, holders = ", ".join(f"{name} = ?" for name in names), ", ".join("?" * len(names))
    key = " AND ".join(f"{name} = ?" for name in KEYS[table])
    changed = f"WITH changed AS (UPDATE {table} SET {changes} WHERE {key} RETURNING 1)"
    return f"{changed} INSERT INTO {table} SELECT {holders} WHERE NOT EXISTS (SELECT FROM changed)"
