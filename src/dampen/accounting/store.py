"""One SQLite file and its transactions: durable, shared by processes and threads, never carried across a fork.

Write-ahead log with full synchronisation: a charge is on the disk when its commit returns. Only outcomes, which cost
nothing and promise nothing, leave the synchronisation to the next charge.
"""

import glob
import os
import sqlite3
import threading
import weakref
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from tempfile import mkstemp

from dampen.accounting import steps
from dampen.accounting.chain import Unreadable
from dampen.errors import BudgetError

APPLICATION = 0x64616D70
"""Marks a SQLite file as a ledger ("damp")."""
FORMAT = 1
"""The version of the tables; a file with a larger one was written by a newer dampen."""
PATIENCE = 60.0
"""Seconds to wait for other writers."""

DAMAGE = (sqlite3.Error, UnicodeDecodeError, Unreadable)
"""What reading a file may raise that dampen did not write as it is."""

_opening = threading.Lock()
_living: "weakref.WeakSet[Store]" = weakref.WeakSet()
_forking = threading.Lock()
_held: "list[Store]" = []


class Store:
    """The file of a ledger. Its one connection is opened when needed, and closed before a fork on both sides of it."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._lock = threading.RLock()
        self._connection: sqlite3.Connection | None = None
        self._identity: tuple[int, int] | None = None
        with _forking:
            _living.add(self)

    @contextmanager
    def reading(self) -> Iterator[sqlite3.Connection]:
        """One consistent view of the file."""
        with self._told("read"), self._connected() as db:
            db.execute("BEGIN")
            try:
                yield db
            finally:
                if db.in_transaction:
                    db.execute("ROLLBACK")

    @contextmanager
    def writing(self, *, synchronous: bool = True) -> Iterator[sqlite3.Connection]:
        """One transaction that no other writer overlaps; on any error nothing of it is kept."""
        with self._told("written"), self._connected() as db:
            self._require_same_file()
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
        with self._told("read"), self._connected() as db:
            try:
                db.execute("PRAGMA wal_checkpoint(PASSIVE)")
            except sqlite3.OperationalError as error:
                if error.sqlite_errorcode & 0xFF != sqlite3.SQLITE_READONLY:
                    raise

    def close(self) -> None:
        """Close the connection; it is opened again when needed."""
        with self._lock:
            self._disconnect()

    @contextmanager
    def _connected(self) -> Iterator[sqlite3.Connection]:
        """The connection, for one use at a time; one that looks at the file alone does not outlive its use."""
        with self._lock:
            if self._connection is None and _has_log_or_may(self.path):
                with _opening:
                    self._connection = _opened(self.path, "rw" if os.access(self.path, os.W_OK) else "ro")
                    self._identity = _identity(self.path)
            if self._connection is not None:
                yield self._connection
                return
            with _opening, closing(_opened(self.path, "ro&immutable=1")) as db:
                yield db

    def _disconnect(self) -> None:
        if self._connection is not None:
            self._connection.close()
            self._connection = None

    def __del__(self) -> None:
        self._disconnect()

    def _require_same_file(self) -> None:
        """Refuse to write where others would not look: to a file that was moved, replaced or has a second name."""
        name = self.path.name[-60:]
        if self._identity is not None and _identity(self.path) != self._identity:
            raise BudgetError(f"{name} was moved, removed or replaced while it was open; put it back, or open it anew")
        if _names(self.path) > 1:
            raise BudgetError(f"{name} has a second name (a hard link); a ledger must have one")

    @contextmanager
    def _told(self, what: str) -> Iterator[None]:
        """Turn what SQLite refuses into one sentence."""
        try:
            yield
        except DAMAGE as error:
            raise BudgetError(f"{self.path.name[-60:]} could not be {what}: {_reason(error)}") from None


def require_ledger(path: Path) -> None:
    """Refuse a file that is no ledger, or one of a newer version, without touching it.

    Only SQLite may open the file: a handle of our own, when closed, would drop every lock of this process on it.
    """
    name, application, version = path.name[-60:], 0, 0
    try:
        application, version = _marks(path)
    except DAMAGE as error:
        if getattr(error, "sqlite_errorcode", 0) != sqlite3.SQLITE_NOTADB:
            raise BudgetError(f"{name} could not be opened: {_reason(error)}") from None
    if application != APPLICATION:
        raise BudgetError(f"{name} is not a ledger of dampen; choose another file")
    if version > FORMAT:
        raise BudgetError(f"{name} was written by a newer dampen (format {version}; this one knows {FORMAT})")


def _marks(path: Path) -> tuple[int, int]:
    """The application and the version that a file says it is of.

    Looking at the file alone may meet another process that is writing its log back: an error then is not the last word.
    """
    with _opening:
        if not _log(path).exists():
            try:
                return _read_marks(path, "ro&immutable=1")
            except sqlite3.Error as error:
                if error.sqlite_errorcode == sqlite3.SQLITE_NOTADB:
                    raise
        return _read_marks(path, "ro")


def _read_marks(path: Path, mode: str) -> tuple[int, int]:
    with closing(_opened(path, mode)) as db:
        [application] = db.execute("PRAGMA application_id").fetchone()
        [version] = db.execute("PRAGMA user_version").fetchone()
    return application, version


def create(path: Path, fill: Callable[[sqlite3.Connection], None]) -> None:
    """Make a ledger that appears under its name only when it is complete; nothing happens if another was faster."""
    steps.reached("before the file")
    try:
        with _opening, _folder(path.parent) as folder:
            _make(path, fill)
            os.fsync(folder)
    except (sqlite3.Error, OSError) as error:
        raise BudgetError(f"{path.name[-60:]} could not be made: {_reason(error)}") from None


def _make(path: Path, fill: Callable[[sqlite3.Connection], None]) -> None:
    handle, unfinished = mkstemp(prefix=_twin(path), suffix=".new", dir=path.parent)
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
        with suppress(FileExistsError):
            os.link(unfinished, path)
        steps.reached("after its name")
    finally:
        for suffix in ("", "-wal", "-shm"):
            Path(unfinished + suffix).unlink(missing_ok=True)


def _twin(path: Path) -> str:
    """How the name begins under which a ledger is made before it gets its own."""
    return f".{path.name[:40]}."


def _names(path: Path) -> int:
    """How many names a file has; the first one of a ledger, left over by a crash in the making, is removed."""
    if path.stat().st_nlink > 1:
        for twin in path.parent.glob(f"{glob.escape(_twin(path))}*.new"):
            if _identity(twin) == _identity(path):
                twin.unlink(missing_ok=True)
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


def _opened(path: Path, mode: str) -> sqlite3.Connection:
    """A connection that has read the file once.

    Immutable means: looking at the file alone. Otherwise SQLite makes a log beside a file that has none, which would
    then belong to someone who may only read. SQLite takes no locks for an immutable file and, when it closes one, drops
    those of the whole process; but without a log nobody here has the file open, and ``_opening`` keeps it so.
    """
    db = sqlite3.connect(
        f"{path.as_uri()}?mode={mode}", uri=True, isolation_level=None, timeout=PATIENCE, check_same_thread=False
    )
    try:
        db.execute("SELECT 1 FROM sqlite_master LIMIT 1").fetchone()
    except BaseException:
        db.close()
        raise
    return db


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


def _before_fork() -> None:
    """No connection may cross a fork: its locks would belong to nobody. Wait for transactions to end, then close."""
    _forking.acquire()
    for store in list(_living):
        store._lock.acquire()
        store._disconnect()
        _held.append(store)
    _opening.acquire()


def _after_fork() -> None:
    _opening.release()
    while _held:
        _held.pop()._lock.release()
    _forking.release()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(before=_before_fork, after_in_parent=_after_fork, after_in_child=_after_fork)
