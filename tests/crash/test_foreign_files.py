"""Files that are no ledger, are too new, or are damaged: one clear sentence, and not a byte is changed."""

import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest

from dampen import Budget
from dampen.accounting.sql_tables import FORMATS
from dampen.errors import BudgetError, DampenError, ParameterError
from tests.conftest import LONGEST_MESSAGE, Refused
from tests.crash import tasks
from tests.crash.books import Nursery, contents
from tests.crash.tasks import UNIT, Action, loss, scope_of

OTHER = "CREATE TABLE cats (name TEXT); INSERT INTO cats VALUES ('Tom');"
NEWER = FORMATS[-1] + 1


def make_text(path: Path) -> None:
    path.write_text("Dear diary,\n" * 1000)


def make_empty(path: Path) -> None:
    path.touch()


def make_short_magic(path: Path) -> None:
    path.write_bytes(b"SQLite format 3\x00")


def make_false_magic(path: Path) -> None:
    path.write_bytes(b"SQLite format 3\x00" + b"\xff" * 8000)


def make_rollback(path: Path) -> None:
    with closing(sqlite3.connect(path)) as db:
        db.executescript(OTHER)


def make_log(path: Path) -> None:
    with closing(sqlite3.connect(path)) as db:
        db.execute("PRAGMA journal_mode=WAL")
        db.executescript(OTHER)


def make_hot_log(path: Path) -> None:
    """The log and its index as a process that was killed leaves them."""
    with closing(sqlite3.connect(path)) as db:
        db.execute("PRAGMA journal_mode=WAL")
        db.executescript(OTHER)
        hot = contents(path.parent)
    for name, kept in hot.items():
        path.with_name(name).write_bytes(kept)
    assert len(hot) == 3


def make_hot_log_alone(path: Path) -> None:
    make_hot_log(path)
    path.with_name(path.name + "-shm").unlink()


def make_hot_journal(path: Path) -> None:
    """A rollback journal as a process that was killed leaves it."""
    make_rollback(path)
    with closing(sqlite3.connect(path, isolation_level=None)) as db:
        db.execute("PRAGMA cache_size=1")
        db.execute("BEGIN")
        db.executemany("INSERT INTO cats VALUES (?)", [("x" * 2000,)] * 50)
        hot = contents(path.parent)
        db.execute("ROLLBACK")
    for name, kept in hot.items():
        path.with_name(name).write_bytes(kept)
    assert path.with_name(path.name + "-journal").exists()


def make_tables_of_a_ledger(path: Path) -> None:
    """The right names without the mark."""
    with closing(sqlite3.connect(path)) as db:
        db.executescript("CREATE TABLE entries (number); CREATE TABLE accounts (scope); PRAGMA user_version=1;")


MAKERS = [
    make_text,
    make_empty,
    make_short_magic,
    make_false_magic,
    make_rollback,
    make_log,
    make_hot_log,
    make_hot_log_alone,
    make_hot_journal,
    make_tables_of_a_ledger,
]


@pytest.mark.parametrize("limit", [None, 1], ids=["open", "create"])
@pytest.mark.parametrize("make", MAKERS, ids=lambda make: make.__name__.removeprefix("make_"))
def test_a_foreign_file_is_refused_and_left_alone(
    tmp_path: Path, refused: Refused, make: Callable[[Path], None], limit: int | None
) -> None:
    path = tmp_path / "study.db"
    make(path)
    before = contents(tmp_path)
    with refused(BudgetError, "study.db"):
        Budget.open(path, epsilon=limit)
    assert_only_the_index_may_differ(tmp_path, before)


def assert_only_the_index_may_differ(folder: Path, before: dict[str, bytes]) -> None:
    """The index of a log (-shm) is a note for the processes at work, made anew from the log at any time."""
    after = contents(folder)
    for files in (before, after):
        files.pop("study.db-shm", None)
    after = {name: kept for name, kept in after.items() if kept or name in before}
    assert after == before


def test_nothing_new_lies_beside_a_foreign_file(tmp_path: Path, refused: Refused) -> None:
    for make in (make_text, make_empty, make_rollback, make_log):
        folder = tmp_path / make.__name__
        folder.mkdir()
        make(folder / "study.db")
        with refused(BudgetError, "study.db"):
            Budget.open(folder / "study.db")
        assert [file.name for file in folder.iterdir()] == ["study.db"]


def test_a_folder_is_refused(tmp_path: Path, refused: Refused) -> None:
    for limit in (None, 1):
        with refused(ParameterError, "path"):
            Budget.open(tmp_path, epsilon=limit)
        with refused(ParameterError, "path"):
            Budget.open(tmp_path / "no such folder" / "study.db", epsilon=limit)
        with refused(DampenError):
            Budget.open(tmp_path / ("x" * 300), epsilon=limit)
    assert list(tmp_path.iterdir()) == []


def test_a_missing_file_is_not_made_without_limits(tmp_path: Path, refused: Refused) -> None:
    with refused(BudgetError, "study.db does not exist"):
        Budget.open(tmp_path / "study.db")
    assert list(tmp_path.iterdir()) == []


# Ledgers that cannot be used


@pytest.fixture
def study(tmp_path: Path) -> Path:
    ledger = Budget.open(tmp_path / "study.db", epsilon=100)
    inner = ledger.scope("analyst", "ann", epsilon=50)
    for turn in range(40):
        with inner.reserve(loss(), note=f"purpose {turn} " + "x" * 200):
            pass
    ledger.close()
    return tmp_path / "study.db"


def test_a_ledger_of_a_newer_version_is_left_alone(study: Path, refused: Refused) -> None:
    with closing(sqlite3.connect(study)) as db:
        db.execute(f"PRAGMA user_version={NEWER}")
        db.commit()
    before = contents(study.parent)
    for limit in (None, 100):
        with refused(BudgetError, "newer", str(NEWER)):
            Budget.open(study, epsilon=limit)
    assert contents(study.parent) == before


def test_a_newer_ledger_with_a_hot_log_is_left_alone(study: Path, refused: Refused) -> None:
    with closing(sqlite3.connect(study)) as db:
        db.execute(f"PRAGMA user_version={NEWER}")
        db.commit()
        hot = contents(study.parent)
    for name, kept in hot.items():
        study.with_name(name).write_bytes(kept)
    assert set(hot) == {"study.db", "study.db-shm", "study.db-wal"}
    with refused(BudgetError, "newer"):
        Budget.open(study)
    assert_only_the_index_may_differ(study.parent, hot)


def try_ledger(path: Path) -> str:
    """Open and use a ledger that may be damaged; returns the refusal, in one short line, or nothing."""
    with keep_refusal() as refusal:
        ledger = Budget.open(path)
        try:
            report = ledger.verify()
            ledger.summary()
            ledger.history()
            ledger.unfinished()
            scope_of(ledger, "analyst=ann").reserve(loss())
        finally:
            ledger.close()
        return "" if report else "not intact"
    [text] = refusal
    assert text.splitlines() == [text]
    assert len(text) < LONGEST_MESSAGE
    return text


@contextmanager
def keep_refusal() -> Iterator[list[str]]:
    """Keep the text of a refusal; every other error is a defect."""
    texts: list[str] = []
    try:
        yield texts
    except BudgetError as error:
        texts.append(str(error))


def test_a_truncated_ledger_is_refused_or_found(study: Path) -> None:
    whole = study.read_bytes()
    refusals = 0
    for size in sorted({0, 1, 15, 16, 17, 99, 100, 511, 512, 4095, *range(4096, len(whole), 4096), len(whole) - 1}):
        study.write_bytes(whole[:size])
        refusals += bool(said := try_ledger(study))
        assert said, f"{size} of {len(whole)} bytes are taken for a whole ledger"
        if "study.db is not a ledger" in said or "opened" in said:
            assert study.read_bytes() == whole[:size]
    assert refusals > 10


def test_garbage_in_the_middle_is_refused_or_found(study: Path) -> None:
    """Wherever it lies: no error but dampen's own; and what verify calls intact still holds all charges."""
    whole, found = study.read_bytes(), 0
    for place in range(0, len(whole) - 64, 769):
        study.write_bytes(whole[:place] + b"\xa5garbage" * 8 + whole[place + 64 :])
        found += bool(try_ledger(study))
    assert found > len(whole) // 769 // 3


def test_other_text_in_the_tables_is_refused_or_found(study: Path) -> None:
    """Well-formed pages with nonsense in them: every column of every table."""
    whole = study.read_bytes()
    with closing(sqlite3.connect(study)) as db:
        columns = [
            (table, column)
            for table in ("entries", "accounts", "purposes", "unfinished")
            for _, column, *_ in db.execute(f"PRAGMA table_info({table})")
        ]
    for table, column in columns:
        for nonsense in ("'nonsense'", "'1/0'", "'-1'", "999999", "x'ff00fe'"):
            study.write_bytes(whole)
            with closing(sqlite3.connect(study, isolation_level=None)) as db:
                db.execute("DROP TRIGGER keep_entries")
                try:
                    where = "number = 5" if table == "entries" else "1"
                    changed = db.execute(f"UPDATE {table} SET {column} = {nonsense} WHERE {where}").rowcount
                except sqlite3.Error:
                    continue
            if changed > 0:
                assert try_ledger(study), f"{table}.{column} = {nonsense} went unnoticed"


def test_a_damaged_log_is_never_more_than_lost(nursery: Nursery, study: Path, tmp_path: Path) -> None:
    """Garbage in the log ends it there (that a tail is missing, only a head kept elsewhere can tell)."""
    actions = [Action("analyst=ann", (UNIT,))] * 12
    nursery.run(
        tasks.die_at, path=study, journal=tmp_path / "journal", actions=actions, step="after the outcome", occurrence=12
    )
    (tmp_path / "journal").unlink()
    hot = contents(tmp_path)
    log = hot["study.db-wal"]
    ledger = Budget.open(study)
    head = ledger.head
    ledger.close()
    for place in range(0, len(log) - 64, len(log) // 25):
        for file in tmp_path.iterdir():
            file.unlink()
        for name, kept in hot.items():
            study.with_name(name).write_bytes(kept)
        study.with_name("study.db-wal").write_bytes(log[:place] + b"\xa5garbage" * 8 + log[place + 64 :])
        study.with_name("study.db-shm").unlink()
        ledger = Budget.open(study)
        assert ledger.verify()
        assert not ledger.verify(head=head)
        ledger.close()
