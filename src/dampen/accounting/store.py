"""One SQLite file and its transactions: durable, shared by processes and threads, never carried across a fork.

Write-ahead log with full synchronisation: a charge is on the disk when its commit returns. Only outcomes, which cost
nothing and promise nothing, leave the synchronisation to the next charge.
"""

import os
import sqlite3
import threading
import weakref
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from tempfile import mkstemp

from dampen.accounting import steps
from dampen.errors import BudgetError

APPLICATION = 0x64616D70
"""Marks a SQLite file as a ledger ("damp")."""
FORMAT = 1
"""The version of the tables; a file with a larger one was written by a newer dampen."""
PATIENCE = 60.0
"""Seconds to wait for other writers."""

_living: "weakref.WeakSet[Store]" = weakref.WeakSet()
_forking = threading.Lock()
_held: "list[Store]" = []


class Store:
    """The file of a ledger. Its one connection is opened when needed, and closed before a fork on both sides of it."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._lock = threading.Lock()
        self._connection: sqlite3.Connection | None = None
        _living.add(self)

    @contextmanager
    def reading(self) -> Iterator[sqlite3.Connection]:
        """One consistent view of the file."""
        with self._lock, self._told("read"):
            db = self._connected()
            db.execute("BEGIN")
            try:
                yield db
            finally:
                db.execute("ROLLBACK")

    @contextmanager
    def writing(self, *, synchronous: bool = True) -> Iterator[sqlite3.Connection]:
        """One transaction that no other writer overlaps; on any error nothing of it is kept."""
        with self._lock, self._told("written"):
            db = self._connected()
            db.execute(f"PRAGMA synchronous={'FULL' if synchronous else 'NORMAL'}")
            db.execute("BEGIN IMMEDIATE")
            try:
                yield db
                db.execute("COMMIT")
            except BaseException:
                if db.in_transaction:
                    db.execute("ROLLBACK")
                raise

    def synchronise(self) -> None:
        """Bring everything that was committed to the disk, as far as other readers and the file's rights allow."""
        with self._lock, self._told("read"):
            self._connected().execute("PRAGMA wal_checkpoint(PASSIVE)")

    def close(self) -> None:
        """Close the connection; it is opened again when needed."""
        with self._lock:
            self._disconnect()

    def _connected(self) -> sqlite3.Connection:
        if self._connection is None:
            self._connection = _connection(self.path)
        return self._connection

    def _disconnect(self) -> None:
        if self._connection is not None:
            self._connection.close()
            self._connection = None

    def __del__(self) -> None:
        self._disconnect()

    @contextmanager
    def _told(self, what: str) -> Iterator[None]:
        """Turn what SQLite refuses into one sentence."""
        try:
            yield
        except sqlite3.Error as error:
            raise BudgetError(f"{self.path.name[-60:]} could not be {what}: {_reason(error)}") from None


def require_ledger(path: Path) -> None:
    """Refuse a file that is no ledger, or one of a newer version, without touching it."""
    name = path.name[-60:]
    stranger = BudgetError(f"{name} is not a ledger of dampen; choose another file")
    try:
        with path.open("rb") as file:
            if file.read(16) != b"SQLite format 3\x00":
                raise stranger
        with closing(_opened(path, "ro")) as db:
            [application] = db.execute("PRAGMA application_id").fetchone()
            [version] = db.execute("PRAGMA user_version").fetchone()
    except (sqlite3.Error, OSError) as error:
        reason = _reason(error) if isinstance(error, sqlite3.Error) else "it cannot be read as a file"
        raise BudgetError(f"{name} could not be opened: {reason}") from None
    if application != APPLICATION:
        raise stranger
    if version > FORMAT:
        raise BudgetError(f"{name} was written by a newer dampen (format {version}; this one knows {FORMAT})")


def create(path: Path, fill: Callable[[sqlite3.Connection], None]) -> bool:
    """Make a ledger that appears under its name only when it is complete; False when another one was faster."""
    steps.reached("before the file")
    handle, unfinished = mkstemp(prefix=f".{path.name[:40]}.", suffix=".new", dir=path.parent)
    os.close(handle)
    try:
        with closing(sqlite3.connect(unfinished, isolation_level=None)) as db:
            db.execute("PRAGMA journal_mode=WAL")
            db.execute("PRAGMA synchronous=FULL")
            db.execute("BEGIN IMMEDIATE")
            fill(db)
            db.execute(f"PRAGMA application_id={APPLICATION}")
            db.execute(f"PRAGMA user_version={FORMAT}")
            db.execute("COMMIT")
        steps.reached("before its name")
        os.link(unfinished, path)
        steps.reached("after its name")
    except FileExistsError:
        return False
    finally:
        os.unlink(unfinished)
    _synchronise_folder(path.parent)
    return True


def _connection(path: Path) -> sqlite3.Connection:
    db = _opened(path, "rw")
    try:
        db.execute("SELECT 1 FROM sqlite_master LIMIT 1").fetchone()
    except sqlite3.OperationalError:
        db.close()
        if path.with_name(path.name + "-wal").exists():
            raise
        db = _opened(path, "ro&immutable=1")
    return db


def _opened(path: Path, mode: str) -> sqlite3.Connection:
    return sqlite3.connect(
        f"{path.as_uri()}?mode={mode}", uri=True, isolation_level=None, timeout=PATIENCE, check_same_thread=False
    )


def _synchronise_folder(folder: Path) -> None:
    """A new name is on the disk only when its folder is."""
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def _reason(error: sqlite3.Error) -> str:
    primary = getattr(error, "sqlite_errorcode", 0) & 0xFF
    return REASONS.get(primary, "SQLite reports an error")


REASONS = {
    sqlite3.SQLITE_BUSY: "another process kept it busy",
    sqlite3.SQLITE_CANTOPEN: "the file or its folder is missing or not accessible",
    sqlite3.SQLITE_CORRUPT: "the file is damaged",
    sqlite3.SQLITE_FULL: "the disk is full",
    sqlite3.SQLITE_IOERR: "the disk reports an error or is full",
    sqlite3.SQLITE_NOTADB: "the file is damaged",
    sqlite3.SQLITE_READONLY: "the file or its folder is read-only",
}


def _before_fork() -> None:
    """No connection may cross a fork: its locks would belong to nobody. Wait for transactions to end, then close."""
    _forking.acquire()
    for store in list(_living):
        store._lock.acquire()
        store._disconnect()
        _held.append(store)


def _after_fork() -> None:
    while _held:
        _held.pop()._lock.release()
    _forking.release()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(before=_before_fork, after_in_parent=_after_fork, after_in_child=_after_fork)
