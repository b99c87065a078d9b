"""What only a SQLite file can show of a store. What every store does: contracts/test_stores.py."""

import ast
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

import dampen.accounting
from dampen import Adjacency, Budget, PrivacyLoss
from dampen.accounting import sqlite_store
from dampen.accounting.chain import charge_entry
from dampen.accounting.sqlite_store import SqliteStore
from dampen.errors import BudgetError

if TYPE_CHECKING:
    from tests.conftest import Refused

CHARGE = charge_entry("", PrivacyLoss(1, adjacency=Adjacency.ADD_REMOVE), "one")


@pytest.fixture
def db(tmp_path: Path) -> Iterator[sqlite3.Connection]:
    """A ledger of two entries, as anyone may open it."""
    SqliteStore(tmp_path / "study.db").create(lambda transaction: [transaction.append(CHARGE) for _ in range(2)])
    with closing(sqlite3.connect(tmp_path / "study.db", isolation_level=None)) as connection:
        yield connection


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE entries SET note = 'other'",
        "UPDATE entries SET epsilon = '0' WHERE number = 1",
        "UPDATE OR REPLACE entries SET number = 1 WHERE number = 2",
        "DELETE FROM entries",
        "DELETE FROM entries WHERE number = 2",
    ],
)
def test_plain_edits_and_deletions_are_refused(db: sqlite3.Connection, statement: str) -> None:
    written = db.execute("SELECT * FROM entries").fetchall()
    with pytest.raises(sqlite3.IntegrityError, match="append only"):
        db.execute(statement)
    assert db.execute("SELECT * FROM entries").fetchall() == written
    assert len(written) == 2


@pytest.mark.parametrize("column", ["number", "note", "hash"])
def test_columns_take_only_their_type(db: sqlite3.Connection, column: str) -> None:
    broken: dict[str, Any] = {"number": 3, column: "x" if column == "number" else None}
    wrong = CHARGE._replace(**broken)
    with pytest.raises(sqlite3.IntegrityError):
        db.execute(f"INSERT INTO entries VALUES ({', '.join('?' * len(wrong))})", wrong)


def test_a_ledger_restored_by_vacuum_has_a_log_again(tmp_path: Path) -> None:
    """``VACUUM INTO`` writes a file without one: readers would hold writers up, and locks be dropped by lookers-on."""
    original = Budget.open(tmp_path / "study.db", epsilon=1)
    original.reserve(CHARGE.loss)
    head = original.head
    original.close()
    with closing(sqlite3.connect(tmp_path / "study.db", isolation_level=None)) as db:
        db.execute("VACUUM INTO ?", (str(tmp_path / "copy.db"),))
    with closing(sqlite3.connect(tmp_path / "copy.db")) as db:
        assert db.execute("PRAGMA journal_mode").fetchone() == ("delete",)
    with closing(Budget.open(tmp_path / "copy.db")) as restored:
        assert restored.spent.epsilon == 1
        assert (tmp_path / "copy.db-wal").exists()
        assert restored.verify(head=head)
        with restored._store.view() as view, closing(Budget.open(tmp_path / "copy.db")) as other:
            before = view.head()
            other.change_limit(epsilon=2)
            assert view.head() == before, "readers and writers do not wait for each other"
    with closing(sqlite3.connect(tmp_path / "copy.db")) as db:
        assert db.execute("PRAGMA journal_mode").fetchone() == ("wal",)


def test_a_ledger_restored_by_vacuum_that_another_program_reads_is_refused_for_now(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, refused: "Refused"
) -> None:
    Budget.open(tmp_path / "study.db", epsilon=1).close()
    with closing(sqlite3.connect(tmp_path / "study.db", isolation_level=None)) as db:
        db.execute("VACUUM INTO ?", (str(tmp_path / "copy.db"),))
    monkeypatch.setattr(sqlite_store, "PATIENCE", 0.01)
    with closing(sqlite3.connect(tmp_path / "copy.db", isolation_level=None)) as db:
        db.execute("BEGIN")
        db.execute("SELECT * FROM entries").fetchall()
        with refused(BudgetError, "copy.db", "busy"):
            Budget.open(tmp_path / "copy.db")
    Budget.open(tmp_path / "copy.db").close()


def test_nothing_else_of_accounting_knows_sqlite() -> None:
    [room] = dampen.accounting.__path__
    knowing = set()
    for path in Path(room).glob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            names += [str(node.module)] if isinstance(node, ast.ImportFrom) else []
            knowing |= {path.name for name in names if name.split(".")[0] == "sqlite3"}
    assert knowing == {"sqlite_store.py"}
