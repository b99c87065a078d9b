"""A ledger in one SQLite file: durable, shared by processes and threads, never carried across a fork.

Write-ahead log with full synchronisation: a charge is on the disk when its commit returns. Only outcomes, which cost
nothing and promise nothing, leave the synchronisation to the next charge. What the file holds: ``sql_tables``.
"""

import glob
import os
import sqlite3
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from tempfile import mkstemp

from dampen._validate import render, text
from dampen.accounting import store
from dampen.accounting.chain import Unreadable
from dampen.accounting.connected import ConnectedStore, opening
from dampen.accounting.signals import delay_signals
from dampen.accounting.sql_tables import (
    ANSWERS,
    FORMATS,
    PLAIN,
    ROOM_FOR_SLOTS,
    RULED,
    RULED_TABLES,
    SLOTTED,
    TABLES,
    Row,
    SqlTables,
)
from dampen.accounting.store import Transaction
from dampen.errors import BudgetError, ParameterError

APPLICATION = 0x64616D70
"""Marks a SQLite file as a ledger ("damp")."""
PATIENCE = 60.0
"""Seconds to wait for other writers."""
LONGEST_PATH, LONGEST_NAME = 4000, 200
"""In characters; SQLite keeps a second file beside a ledger, whose name is longer."""

DAMAGE = (sqlite3.Error, UnicodeDecodeError)
"""What reading may raise where a file is no ledger, or is damaged."""


def _append_only(table: str, keep: str, lose: str) -> tuple[str, ...]:
    refuse = f"ON {table} BEGIN SELECT RAISE(ABORT, 'append only'); END"
    return f"CREATE TRIGGER {keep} BEFORE UPDATE {refuse}", f"CREATE TRIGGER {lose} BEFORE DELETE {refuse}"


def _table(name: str, columns: str) -> str:
    return f"CREATE TABLE {name} ({columns}) STRICT{', WITHOUT ROWID' if 'PRIMARY KEY (' in columns else ''}"


SCHEMA = (
    *(_table(name, columns) for name, columns in TABLES.items()),
    *_append_only("entries", "keep_entries", "lose_no_entry"),
)
RULES = (
    *(f"DROP TABLE {name}" for name in RULED_TABLES),
    *(_table(name, columns) for name, columns in RULED_TABLES.items()),
    f"PRAGMA user_version={RULED}",
)
MEMORY = (
    f"CREATE TABLE answers ({ANSWERS}) STRICT",
    *_append_only("answers", "keep_answers", "lose_no_answer"),
)


class SqliteTables(SqlTables):
    """The tables in one transaction of SQLite. Entries and answers are guarded against plain edits by triggers."""

    damage = DAMAGE

    def __init__(self, db: sqlite3.Connection) -> None:
        self._db = db

    def _select(self, statement: str, *values: str | int) -> Iterable[Row]:
        return self._db.execute(statement, values)

    def _stream(self, statement: str) -> Iterable[Row]:
        return self._db.execute(statement)

    def _change(self, statement: str, *values: str | int | float | None) -> None:
        self._db.execute(statement, values)

    def _replace(self, table: str, *row: str | int | float | None) -> None:
        self._db.execute(f"REPLACE INTO {table} VALUES ({', '.join('?' * len(row))})", row)

    def _format(self) -> int:
        [version] = self._db.execute("PRAGMA user_version").fetchone()
        return int(version)

    def make_room_for_rules(self) -> None:
        """Make those tables anew, while they are empty; older versions of dampen keep off."""
        for statement in RULES:
            self._db.execute(statement)

    def make_room_for_slots(self) -> None:
        """Widen the table of accounts; older versions of dampen keep off."""
        for statement in (ROOM_FOR_SLOTS, f"PRAGMA user_version={SLOTTED}"):
            self._db.execute(statement)

    def make_memory(self) -> None:
        """Make their table, and tell older versions of dampen to keep off."""
        for statement in (*MEMORY, f"PRAGMA user_version={self._format() + 1}"):
            self._db.execute(statement)


class SqliteStore(ConnectedStore):
    """The file of a ledger. Its one connection is opened when needed, and closed before a fork on both sides of it."""

    def __init__(self, address: object) -> None:
        self._connection: sqlite3.Connection | None = None
        self._path = _as_file(address)
        self.address, self.name, self.path = str(self._path), self._path.name, self._path
        self._identity: tuple[int, int] | None = None
        super().__init__()

    @classmethod
    def accepts(cls, address: object) -> bool:
        """Any text may name a file."""
        return True

    def exists(self) -> bool:
        """Whether the file is there."""
        return self._path.exists()

    def create(self, fill: Callable[[Transaction], object]) -> None:
        """Make the file under another name, and give it its own when it is complete."""
        store.reach("before the file")
        try:
            with delay_signals(), opening, _folder(self._path.parent) as folder:
                _make(self._path, fill)
                os.fsync(folder)
        except (sqlite3.Error, OSError) as error:
            raise BudgetError(f"{self.name[-60:]} could not be made: {_reason(error)}") from None

    def require_ledger(self) -> None:
        """Refuse a file without the marks of a ledger.

        Only SQLite may open it: a handle of our own, when closed, would drop every lock of this process on it.
        """
        name, application, version = self.name[-60:], 0, 0
        try:
            application, version = _marks(self._path)
        except DAMAGE as error:
            if getattr(error, "sqlite_errorcode", 0) != sqlite3.SQLITE_NOTADB:
                raise BudgetError(f"{name} could not be opened: {_reason(error)}") from None
        if application != APPLICATION:
            raise BudgetError(f"{name} is not a ledger of dampen; choose another file")
        if version > FORMATS[-1]:
            raise BudgetError(f"{name} was written by a newer dampen (format {version}; this one knows {FORMATS[-1]})")

    @contextmanager
    def view(self) -> Iterator[SqliteTables]:
        """One consistent view of the file."""
        with delay_signals(), self._explain("read"), self._use_connection() as db:
            try:
                db.execute("BEGIN")
                yield SqliteTables(db)
            finally:
                if db.in_transaction:
                    db.execute("ROLLBACK")

    @contextmanager
    def transaction(self, *, durable: bool = True) -> Iterator[SqliteTables]:
        """One immediate transaction."""
        with delay_signals(), self._explain("written"), self._use_connection() as db:
            self._require_same_file()
            # SQLite begins nothing but a view of a file that it may only read, and locks nobody out.
            if self._connection is None or not os.access(self._path, os.W_OK):
                raise BudgetError(f"{self.name[-60:]} could not be written: {REASONS[sqlite3.SQLITE_READONLY]}")
            tables = SqliteTables(db)
            db.execute(f"PRAGMA synchronous={'FULL' if durable else 'NORMAL'}")
            try:
                # Immediate: locked before the sums are read, so no other writer comes between check and entry.
                db.execute("BEGIN IMMEDIATE")
                yield tables
                db.execute("COMMIT")
                tables.committed = True
            except BaseException:
                if db.in_transaction:
                    db.execute("ROLLBACK")
                raise

    def synchronise(self) -> None:
        """Bring everything that was committed from the log to the disk."""
        with delay_signals(), self._explain("read"), self._use_connection() as db:
            try:
                db.execute("PRAGMA wal_checkpoint(PASSIVE)")
            except sqlite3.OperationalError as error:
                if error.sqlite_errorcode & 0xFF != sqlite3.SQLITE_READONLY:
                    raise

    @contextmanager
    def _use_connection(self) -> Iterator[sqlite3.Connection]:
        """The connection, for one use at a time; one that looks at the file alone does not outlive its use."""
        with self._lock:
            if self._connection is None and _has_log_or_may(self._path):
                with opening:
                    self._connection = _connect(self._path, "rw" if os.access(self._path, os.W_OK) else "ro")
                    self._identity = _identity(self._path)
            if self._connection is not None:
                yield self._connection
                return
            with opening, closing(_connect(self._path, "ro&immutable=1")) as db:
                yield db

    def _disconnect(self) -> None:
        """The last one to close a file takes its log away."""
        if self._connection is not None:
            self._connection.close()
            self._connection = None

    def _require_same_file(self) -> None:
        """Refuse to write where others would not look: to a file that was moved, replaced or has a second name."""
        name = self.name[-60:]
        if self._identity is not None and _identity(self._path) != self._identity:
            raise BudgetError(f"{name} was moved, removed or replaced while it was open; put it back, or open it anew")
        if _count_names(self._path) > 1:
            raise BudgetError(f"{name} has a second name (a hard link); a ledger must have one")

    @contextmanager
    def _explain(self, what: str) -> Iterator[None]:
        """Turn what SQLite refuses into one sentence."""
        try:
            yield
        except (*DAMAGE, Unreadable) as error:
            raise BudgetError(f"{self.name[-60:]} could not be {what}: {_reason(error)}") from None


def _as_file(path: object) -> Path:
    """The file that is meant, there or not, in a folder that is there."""
    if not isinstance(path, str | Path) or not Path(path).name:
        raise ParameterError(f"path must name the file of a ledger; got {render(path)}")
    text(path=str(path), longest=LONGEST_PATH)
    text(path=Path(path).name, longest=LONGEST_NAME)
    file = Path(path).absolute()
    try:
        fits = file.parent.is_dir() and (file.is_file() or not file.exists())
    except OSError:
        fits = False
    if not fits:
        raise ParameterError(f"path must name a file in a folder that exists and is open; got {render(file.name)}")
    return file


def _marks(path: Path) -> tuple[int, int]:
    """The application and the version that a file says it is of.

    Looking at the file alone may meet another process that is writing its log back: an error then is not the last word.
    """
    with opening:
        if not _log(path).exists():
            try:
                return _read_marks(path, "ro&immutable=1")
            except sqlite3.Error as error:
                if error.sqlite_errorcode == sqlite3.SQLITE_NOTADB:
                    raise
        return _read_marks(path, "ro")


def _read_marks(path: Path, mode: str) -> tuple[int, int]:
    with closing(_connect(path, mode)) as db:
        [application] = db.execute("PRAGMA application_id").fetchone()
        [version] = db.execute("PRAGMA user_version").fetchone()
    return application, version


def _make(path: Path, fill: Callable[[Transaction], object]) -> None:
    handle, unfinished = mkstemp(prefix=_first_name(path), suffix=".new", dir=path.parent)
    os.close(handle)
    try:
        with closing(sqlite3.connect(unfinished, isolation_level=None)) as db:
            db.execute("PRAGMA journal_mode=WAL")
            db.execute("PRAGMA synchronous=FULL")
            db.execute("BEGIN IMMEDIATE")
            for statement in SCHEMA:
                db.execute(statement)
            db.execute(f"PRAGMA application_id={APPLICATION}")
            db.execute(f"PRAGMA user_version={PLAIN}")
            fill(SqliteTables(db))
            db.execute("COMMIT")
        store.reach("before its name")
        with suppress(FileExistsError):
            os.link(unfinished, path)
        store.reach("after its name")
    finally:
        for suffix in ("", "-wal", "-shm"):
            Path(unfinished + suffix).unlink(missing_ok=True)


def _first_name(path: Path) -> str:
    """How the name begins under which a ledger is made before it gets its own."""
    return f".{path.name[:40]}."


def _count_names(path: Path) -> int:
    """How many names a file has; the first one of a ledger, left over by a crash in the making, is removed."""
    if path.stat().st_nlink > 1:
        for other in path.parent.glob(f"{glob.escape(_first_name(path))}*.new"):
            if _identity(other) == _identity(path):
                other.unlink(missing_ok=True)
    return path.stat().st_nlink


def _identity(path: Path) -> tuple[int, int] | None:
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_dev, found.st_ino


@contextmanager
def _folder(path: Path) -> Iterator[int]:
    """A folder to be synchronised: a new name is on the disk only when its folder is."""
    handle = os.open(path, os.O_RDONLY)
    try:
        yield handle
    finally:
        os.close(handle)


def _connect(path: Path, mode: str) -> sqlite3.Connection:
    """A connection that has read the file once.

    Immutable means: looking at the file alone. Otherwise SQLite makes a log beside a file that has none, which would
    then belong to someone who may only read. SQLite takes no locks for an immutable file and, when it closes one, drops
    those of the whole process; but without a log nobody here has the file open, and ``opening`` keeps it so.
    """
    db = sqlite3.connect(
        f"{path.as_uri()}?mode={mode}", uri=True, isolation_level=None, timeout=PATIENCE, check_same_thread=False
    )
    try:
        db.execute("SELECT 1 FROM sqlite_master LIMIT 1").fetchone()
        if mode == "rw":
            _require_log(db)
    except BaseException:
        db.close()
        raise
    return db


def _require_log(db: sqlite3.Connection) -> None:
    """Let there be a log also where the file was restored without one: ``VACUUM INTO`` writes files of another mode."""
    [mode] = db.execute("PRAGMA journal_mode=WAL").fetchone()
    if mode != "wal":
        raise sqlite3.OperationalError("this place has no room for a log")


def _has_log_or_may(path: Path) -> bool:
    """Whether there is a log, or it may be made here by someone who may also write to the file."""
    log = _log(path)
    return log.exists() or (os.access(path, os.W_OK) and os.access(log.parent, os.W_OK))


def _log(path: Path) -> Path:
    file = path.resolve()
    return file.with_name(file.name + "-wal")


def _reason(error: Exception) -> str:
    if isinstance(error, OSError):
        return "its folder takes no new file, or no links"
    primary = getattr(error, "sqlite_errorcode", sqlite3.SQLITE_CORRUPT) & 0xFF
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
