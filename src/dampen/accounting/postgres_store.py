"""A ledger on a PostgreSQL server: shared by machines. Needs the extra ``service``. What it holds: ``postgres_tables``.

Check and entry are one transaction that locks out other writers before it looks at anything: writers follow each other
as if there were no others, which is what serialisable means, and none has to be tried again.
Where the connection is lost in the very COMMIT nobody guesses: the entry is looked up by the ticket of its transaction.
"""

import re
import time
import uuid
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import PurePath
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote

from dampen._validate import is_address
from dampen.accounting import store
from dampen.accounting.chain import START, Head, Unreadable
from dampen.accounting.connected import ConnectedStore, opening
from dampen.accounting.signals import delay_signals, let_signals_in
from dampen.accounting.sql_tables import FORMATS, RULED, Row
from dampen.accounting.store import Transaction
from dampen.errors import BudgetError, MissingExtra, ParameterError

if TYPE_CHECKING:
    from dampen.accounting.postgres_tables import Asked, Connection, PostgresTables

PATIENCE = 60
"""Seconds to wait for other writers, and to let this one be inside."""
ABSENCE = 30.0
"""Seconds to wait for a server that was there before."""
PAUSE = 0.1
OLDEST = 120000
"""The oldest server, as its ``server_version_num``."""
URL, NAME = re.compile(r"postgres(ql)?://[^\s]*"), re.compile(r"[a-z_][a-z0-9_]{0,39}", re.ASCII)
OF_SERVER = re.compile(r"\s*([\w.+-]+:)*postgres\w*(\+\w+)?:|\s*[\w.+-]+://", re.IGNORECASE)
"""How whatever is no file begins."""
DEAF = {"keepalives_idle": 20, "keepalives_interval": 10, "keepalives_count": 3, "tcp_user_timeout": 60_000}
"""A server that is cut off without a word is given up after about a minute; TCP alone would wait for many."""
WAIT_FOR_DISK = """SELECT set_config('synchronous_commit', 'on', false)
    WHERE current_setting('synchronous_commit') = 'off'"""
"""Nobody's usual setting may weaken a charge; a stronger one stays."""
USUAL = "dampen"
"""How a ledger is called where the address does not say."""
WAIT_FOR_MAKERS = f"SELECT pg_advisory_xact_lock({int.from_bytes(USUAL.encode(), 'big') % 2**31})"


class PostgresStore(ConnectedStore):
    """The place of a ledger on a server: a schema of a database, which nothing else uses."""

    def __init__(self, address: object) -> None:
        self._connection: Connection | None = None
        self._settings, self._schema = _as_settings(address)
        self.address, self.name = str(address), f"{self._settings.get('dbname', 'postgresql')}/{self._schema}"
        self._was_here = False
        self._habits: list[Asked] = []
        self._in_doubt = False
        self._prepared = False
        super().__init__()

    @classmethod
    def accepts(cls, address: object) -> bool:
        """Whatever may be the address of a server, also a wrong one: its password must not be shown."""
        return OF_SERVER.match(str(address)) is not None or is_address(str(address))

    def exists(self) -> bool:
        """Whether the schema holds anything."""
        found = "SELECT count(*) FROM pg_class JOIN pg_namespace n ON n.oid = relnamespace WHERE nspname = "
        with delay_signals(), self._explain("opened"), self._lock:
            [[[count]]] = self._begin(f"{found} '{self._schema}'")
            return bool(count)

    def create(self, fill: Callable[[Transaction], object]) -> None:
        """Make the schema and all it holds in one transaction."""
        from dampen.accounting.postgres_tables import SCHEMA, PostgresTables

        store.reach("before the file")
        with delay_signals(), self._explain("made"), self._lock:
            self._require_fit_server()
            # Makers wait for each other here; what they see is looked at after that.
            tables = PostgresTables(self._open(f"BEGIN; {WAIT_FOR_MAKERS}")[0], RULED, ticket=uuid.uuid4().hex)
            try:
                if self._is_taken(tables):
                    return
                for statement in SCHEMA:
                    tables._change(statement)
                fill(tables)
                store.reach("before its name")
                self._commit(tables)
            finally:
                self._roll_back()
        store.reach("after its name")

    def require_ledger(self) -> None:
        """Refuse a schema without the marks of a ledger."""
        found: list[Row] = []
        with delay_signals(), self._explain("opened"), self._lock:
            [[[marked]]] = self._begin(f"SELECT to_regclass('{self._schema}.marks') IS NOT NULL")
            if marked:
                self._require_fit_server()
                with suppress(_driver().errors.UndefinedColumn):
                    [found] = self._begin(f"SELECT application, format FROM {self._schema}.marks")
        application, version = found[0] if found else (None, 0)
        if application != USUAL:
            raise BudgetError(f"{self.name[-60:]} is not a ledger of dampen; choose another name: ...?ledger=NAME")
        if not isinstance(version, int):
            raise BudgetError(f"{self.name[-60:]} has marks that dampen did not write; ask who changed them")
        if version > FORMATS[-1]:
            raise BudgetError(
                f"{self.name[-60:]} was written by a newer dampen (format {version}; this one knows {FORMATS[-1]})"
            )

    @contextmanager
    def view(self) -> Iterator["PostgresTables"]:
        """One consistent view: a snapshot, taken at once."""
        with delay_signals(), self._explain("read"), self._lock:
            try:
                yield self._look("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY")
            finally:
                self._roll_back()

    @contextmanager
    def transaction(self, *, durable: bool = True) -> Iterator["PostgresTables"]:
        """One transaction, alone from its beginning."""
        with delay_signals(), self._explain("written"), self._lock:
            try:
                tables = self._write(durable)
                yield tables
                self._commit(tables)
                self._habits = tables.asked or self._habits
            finally:
                self._roll_back()

    def synchronise(self) -> None:
        """Write something that means nothing and wait for the disk: what was written before is there then, too."""
        refusals = (_driver().errors.ReadOnlySqlTransaction, _driver().errors.InsufficientPrivilege)
        with delay_signals(), self._explain("read"), self._lock, suppress(*refusals):
            try:
                self._open("BEGIN; SELECT pg_logical_emit_message(true, 'dampen', ''); COMMIT")
            finally:
                self._roll_back()

    # The connection

    def _write(self, durable: bool) -> "PostgresTables":
        """A transaction for one writer. The lock comes before the snapshot, which so shows what the last one wrote.

        Not SERIALIZABLE: PostgreSQL then takes back transactions that might have disturbed each other, and takes
        writers that follow each other closely for such. REPEATABLE READ takes back only what others did change.
        """
        begin = "BEGIN ISOLATION LEVEL REPEATABLE READ; LOCK TABLE marks IN EXCLUSIVE MODE"
        if not durable:
            begin += "; SET LOCAL synchronous_commit = off"
        return self._look(begin, writing=True, habits=self._habits if durable else [])

    def _look(self, begin: str, *, writing: bool = False, habits: "Sequence[Asked]" = ()) -> "PostgresTables":
        """The tables after a beginning, with all that is sure to be asked, in one journey to the server."""
        from dampen.accounting.postgres_tables import STATE, PostgresTables, preparation, write_out

        def first(ready: bool) -> str:
            return "; ".join((begin, *map(write_out, [(STATE, ()), *habits]))) if ready else f"{begin}; {STATE}"

        db, (state, *known) = self._open(first)
        if len(state) != 1:
            raise Unreadable
        [[version, number, digest]] = state
        if writing and not self._prepared:
            db.execute(preparation())
            self._prepared = True
        head = START if number is None else Head(number, digest)
        answered = dict(zip(habits, known, strict=False))
        return PostgresTables(db, version, head, uuid.uuid4().hex, answered, prepared=writing)

    def _begin(self, statement: str) -> list[list[Row]]:
        """Look at something outside of any ledger."""
        try:
            return self._open(statement)[1]
        finally:
            self._roll_back()

    def _open(self, statements: str | Callable[[bool], str]) -> tuple["Connection", list[list[Row]]]:
        """The connection and what the first statements of a use of it return; made again if it is gone.

        These may be sent twice: without a COMMIT of theirs nothing stays. They may depend on whether the usual
        statements are ready there.
        """
        end: float | None = None
        while True:
            try:
                db = self._connected()
                return db, _results(db, statements if isinstance(statements, str) else statements(self._prepared))
            except _driver().OperationalError:
                if self._connection is not None and not self._connection.closed:
                    raise
                self._disconnect()
                end = end or time.monotonic() + ABSENCE
                if not self._was_here or time.monotonic() > end:
                    raise
                # Nothing is written yet: whoever is tired of waiting may go. Not so where a COMMIT is looked up.
                if not self._in_doubt:
                    let_signals_in()
                time.sleep(PAUSE)

    @property
    def _options(self) -> str:
        """Set when connecting, which a pooler that would mix up sessions refuses."""
        waits = f"-c lock_timeout={PATIENCE}s -c idle_in_transaction_session_timeout={PATIENCE}s"
        return f"{waits} -c search_path={self._schema},pg_temp -c extra_float_digits=1"

    def _connected(self) -> "Connection":
        if self._connection is None or self._connection.closed:
            self._disconnect()
            with opening:
                # Values are written into statements here, so that several can be sent at once.
                options = f"{self._settings.get('options', '')} {self._options}"
                settings = {**self._settings, "options": options, "cursor_factory": _driver().ClientCursor}
                self._connection = _driver().connect(**settings)
            self._connection.execute(WAIT_FOR_DISK)
            self._was_here = True
        return self._connection

    def _commit(self, tables: "PostgresTables") -> None:
        """COMMIT; where no answer comes, wait for the server and look whether it was done."""
        try:
            tables.commit()
        except _driver().Error:
            if self._connection is not None and not self._connection.closed:
                raise
            self._disconnect()
            if not (tables.written and self._was_committed(tables)):
                raise BudgetError(
                    f"{self.name[-60:]} lost its connection before anything was written; nothing changed"
                ) from None
        tables.committed = True

    def _was_committed(self, tables: "PostgresTables") -> bool:
        """The lost transaction may still be at work: its end is waited for as that of any other maker or writer."""
        self._in_doubt = True
        try:
            self._begin(WAIT_FOR_MAKERS)
            return self._write(durable=True).was_written(tables.written, tables.ticket)
        except _driver().errors.UndefinedTable:
            return False
        except _driver().Error:
            raise BudgetError(
                f"{self.name[-60:]} lost its connection while it was written to, and the server is gone: what was "
                "asked may be charged, and nothing was drawn"
            ) from None
        finally:
            self._in_doubt = False
            self._roll_back()

    def _roll_back(self) -> None:
        """End what was begun and not committed."""
        db = self._connection
        if db is not None and not db.closed and db.info.transaction_status != _driver().pq.TransactionStatus.IDLE:
            try:
                db.execute("ROLLBACK")
            except _driver().Error:
                self._disconnect()

    def _disconnect(self) -> None:
        db, self._connection, self._prepared = self._connection, None, False
        if db is not None:
            db.close()

    # What is asked of a server

    def _require_fit_server(self) -> None:
        listed = (f"current_setting('{name}')" for name in ("fsync", "server_encoding", "server_version_num"))
        [[[fsync, encoding, version]]] = self._begin(f"SELECT {', '.join(listed)}")
        wrong = {
            "the server is older than PostgreSQL 12": int(version) < OLDEST,
            "the server writes without waiting for its disk (fsync is off)": fsync != "on",
            "the database is not encoded in UTF8": encoding != "UTF8",
        }
        for reason, holds in wrong.items():
            if holds:
                raise BudgetError(f"{self.name[-60:]} cannot hold a ledger: {reason}")

    def _is_taken(self, tables: "PostgresTables") -> bool:
        """Whether something is in this place; where not, the schema is there afterwards."""
        inside = "SELECT count(*) FROM pg_class WHERE relnamespace = ?::regnamespace"
        if not list(tables._select("SELECT 1 FROM pg_namespace WHERE nspname = ?", self._schema)):
            tables._change(f"CREATE SCHEMA {self._schema}")
            return False
        [[count]] = tables._select(inside, self._schema)
        return bool(count)

    @contextmanager
    def _explain(self, what: str) -> Iterator[None]:
        """Turn what the server refuses into one sentence, without its own words: they may show an address."""
        try:
            yield
        except Unreadable:
            raise BudgetError(f"{self.name[-60:]} could not be {what}: it is damaged") from None
        except _driver().Error as error:
            raise BudgetError(f"{self.name[-60:]} could not be {what}: {_reason(error)}") from None


def _driver() -> Any:
    try:
        import psycopg
    except ImportError:
        raise MissingExtra("ledgers on PostgreSQL need the extra: pip install 'dampen[service]'") from None
    return psycopg


def _as_settings(address: object) -> tuple[dict[str, Any], str]:
    """What the driver connects by, and the schema. Nothing of the address is shown: a password may be in any place."""
    wrong = "path must be a file or an address such as postgresql://user@host/database?ledger=name"
    if isinstance(address, PurePath):
        raise ParameterError(f"{wrong}, as a text and not as a Path")
    if not isinstance(address, str) or not URL.fullmatch(address):
        raise ParameterError(f"{wrong}; got another text")
    server, mark, rest = address.partition("?")
    # A password with a / in it would be taken for the name of the database, which is shown.
    if set("/@:") & set(server.partition("://")[2].partition("/")[2]):
        raise ParameterError(f"{wrong}; write / @ : as %2F %40 %3A in a password")
    words = [word for word in rest.split("&") if word]
    names = [unquote(word.partition("=")[2]) for word in words if word.startswith("ledger=")] or [USUAL]
    if len(names) != 1 or not NAME.fullmatch(names[0]) or names[0].startswith("pg_"):
        raise ParameterError(f"{wrong}, whose ledger is one word of small letters, digits and _")
    others = "&".join(word for word in words if not word.startswith("ledger="))
    known = _parsed(f"{server}{mark if others else ''}{others}")
    if known is None:
        raise ParameterError(f"{wrong}; got one that PostgreSQL cannot read")
    usual = {"connect_timeout": 10, "application_name": "dampen", **DEAF}
    return {**usual, **known, "client_encoding": "UTF8", "autocommit": True}, names[0]


def _parsed(address: str) -> dict[str, Any] | None:
    """What the words of an address mean. (No error of the driver may hang on ours: its words show the address.)"""
    driver = _driver()
    try:
        return dict(driver.conninfo.conninfo_to_dict(address))
    except driver.Error:
        return None


def _results(db: "Connection", statements: str) -> list[list[Row]]:
    """The rows of every statement that returns some."""
    cursor, found = db.execute(statements), []
    while True:
        if cursor.pgresult is not None and cursor.pgresult.nfields:
            found.append(cursor.fetchall())
        if not cursor.nextset():
            return found


REASONS = {
    "25006": "the server takes no changes, or not from this user",
    "28": "the server refuses this user or password",
    "3D": "there is no such database",
    "40": "another program kept it busy",
    "42501": "this user has no right to do that",
    "53": "the disk of the server is full, or it has no room for more work",
    "55P03": "another process kept it busy",
    "42P01": "the ledger is not there any more",
    "57014": "the server cut it off after its time limit",
    "57": "the server ended the connection",
    "XX": "the server reports damage",
}
"""By how the code of an error begins."""


def _reason(error: Any) -> str:
    code = error.sqlstate
    if code is None:
        return "the server cannot be reached, or refuses this user, password or database"
    found = [reason for begin, reason in REASONS.items() if code.startswith(begin)]
    return found[0] if found else f"PostgreSQL reports error {code}"
