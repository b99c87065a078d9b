"""A full disk: a refusal in one line before anything is drawn, and all is well once there is room again.

Most tests limit the size of files (``RLIMIT_FSIZE``) of a child, so that the write fails at a chosen place of the
write-ahead log, of its index, or of the file itself when the log is written back. One fills a disk for real.
"""

import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import closing
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from dampen import Budget
from dampen.accounting.ledger import Ledger
from dampen.accounting.sqlite_store import SqliteStore
from dampen.errors import BudgetError
from dampen.mechanisms import PermuteAndFlip
from tests import postgres
from tests.conftest import Refused
from tests.crash import tasks
from tests.crash.books import Books, Nursery, assert_refusal, audit_ledger, journal_of
from tests.crash.tasks import PROBLEM, UNIT, loss

PAGE, FRAME, HEADER, INDEX = 4096, 4096 + 24, 32, 32768
"""Bytes: a page, one with its frame in the log, the head of the log, and its index (-shm)."""
SIZES = [
    *(0, 1, 31, HEADER, 512, PAGE, 2 * PAGE, INDEX - 1),
    *(INDEX, INDEX + 1, INDEX + 500, 9 * PAGE, 9 * PAGE + 1, 10 * PAGE),
    *(HEADER + frames * FRAME + more for frames in (8, 9, 10, 12, 20) for more in (-1, 0, 24, 2000)),
    *(64_000, 100_000, 128_000, 200_000, 300_000),
]


def fill_ledger(path: Path, entries: int, note: str = "") -> None:
    ledger = Budget.open(path, epsilon=1000)
    ledger.batch([loss()] * entries, note=note)
    ledger.close()


def assert_survived(study: Path, before: Books, lines: list[dict[str, Any]]) -> None:
    """Every answer is paid for, every refusal is one line, nothing was drawn in vain, and the ledger goes on."""
    outcomes = [line for line in lines if "reads" not in line and "later" not in line]
    for line in outcomes:
        if "done" not in line:
            assert_refusal(line, "BudgetError")
    answers = sum("done" in line for line in outcomes)
    [drawn] = [line["drawn"] for line in lines if "drawn" in line]
    [later] = [line["later"] for line in lines if "later" in line]
    assert drawn == answers
    assert later == {"done": True}
    books = audit_ledger(study, head=before.head)
    assert books.rows[: len(before.rows)] == before.rows
    assert len(books.charges) - len(before.charges) == answers + 1


def test_files_that_cannot_grow(nursery: Nursery, tmp_path: Path) -> None:
    refusals = 0
    for turn, size in enumerate(SIZES):
        study, journal = tmp_path / f"{turn}.db", tmp_path / f"journal-{turn}"
        fill_ledger(study, 5)
        before = Books.read(study)
        assert nursery.run(tasks.release_on_a_full_disk, path=study, journal=journal, size=size, most=60) == 0
        lines = journal_of(journal)
        refusals += sum("refused" in line for line in lines)
        assert_survived(study, before, lines)
    assert refusals > len(SIZES), "the limits must bite"


@pytest.mark.parametrize("size", [60_000, 61_441, 65_535, 65_536, 70_000, 90_000, 150_000])
def test_a_large_ledger_on_a_full_disk(nursery: Nursery, tmp_path: Path, size: int) -> None:
    """The file itself is beyond the limit: the log grows, but cannot always be written back."""
    study, journal = tmp_path / "study.db", tmp_path / "journal"
    fill_ledger(study, 100, "x" * 400)
    before = Books.read(study)
    assert study.stat().st_size > 60_000
    assert nursery.run(tasks.release_on_a_full_disk, path=study, journal=journal, size=size, most=60) == 0
    lines = journal_of(journal)
    assert any("refused" in line for line in lines)
    assert_survived(study, before, lines)


@pytest.mark.parametrize("size", [0, 1, 512, PAGE, 3 * PAGE, INDEX - 1, INDEX, 9 * PAGE, HEADER + 9 * FRAME])
def test_a_ledger_is_not_made_on_a_full_disk(nursery: Nursery, tmp_path: Path, size: int) -> None:
    study, journal = tmp_path / "study.db", tmp_path / "journal"
    assert nursery.run(tasks.create_on_a_full_disk, path=study, journal=journal, size=size) == 0
    [line] = journal_of(journal)
    if study.exists():
        audit_ledger(study)
    else:
        assert_refusal(line, "BudgetError", "ParameterError")
        assert [file.name for file in tmp_path.iterdir()] == ["journal"]
    ledger = Budget.open(study, epsilon=1)
    ledger.close()
    audit_ledger(study)


@pytest.fixture
def study(tmp_path: Path) -> Iterator[Ledger]:
    ledger = Budget.open(tmp_path / "study.db", epsilon=1000)
    ledger.reserve(loss())
    yield ledger
    ledger.close()


def test_sqlite_says_full(study: Ledger, refused: Refused) -> None:
    """SQLite's own limit stands for the disk's: the error is the one of a full disk."""
    assert isinstance(study._store, SqliteStore)
    db = study._store._connection
    assert db is not None
    [[pages]] = db.execute("PRAGMA page_count").fetchall()
    db.execute(f"PRAGMA max_page_count={pages + 1}")
    granted = 1
    with refused(BudgetError, "study.db could not be written: the disk is full"):
        for _ in range(200):
            study.reserve(loss(), note="x" * 400)
            granted += 1
    for _ in range(3):
        with refused(BudgetError, "the disk is full"):
            PermuteAndFlip(UNIT).release(PROBLEM, budget=study, note="y" * 400)
    assert study.spent.epsilon == granted * Fraction(UNIT)
    assert study.verify()
    db.execute("PRAGMA max_page_count=1000000")
    study.reserve(loss())
    study.close()
    assert len(audit_ledger(study.path).charges) == granted + 1


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    folder = tmp_path / "disk"
    folder.mkdir()
    command = ["mount", "-t", "tmpfs", "-o", "size=4m", "tmpfs", str(folder)]
    try:
        mounted = subprocess.run(command, capture_output=True, check=False).returncode == 0
    except OSError:
        mounted = False
    if not mounted:
        pytest.skip("a small disk can be mounted only with the rights for it")
    yield folder
    subprocess.run(["umount", "--lazy", str(folder)], check=True)


def test_a_real_full_disk(small_disk: Path, refused: Refused) -> None:
    study, ballast = small_disk / "study.db", small_disk / "ballast"
    ledger, granted = Budget.open(study, epsilon=1000), 0
    for room in range(1, 40, 3):
        free = os.statvfs(small_disk).f_bavail * os.statvfs(small_disk).f_frsize
        ballast.write_bytes(b"x" * max(0, free - room * 1024))
        with refused(BudgetError, "study.db could not be written"):
            for _ in range(500):
                PermuteAndFlip(UNIT).release(PROBLEM, budget=ledger)
                granted += 1
        with refused(BudgetError, "study.db could not be written"):
            ledger.batch([loss()] * 50)
        assert ledger.spent.epsilon == granted * Fraction(UNIT)
        ballast.unlink()
        PermuteAndFlip(UNIT).release(PROBLEM, budget=ledger)
        granted += 1
        assert ledger.verify()
    ledger.close()
    assert len(audit_ledger(study).charges) == granted


def test_a_ledger_is_not_made_on_a_real_full_disk(small_disk: Path, refused: Refused) -> None:
    free = os.statvfs(small_disk).f_bavail * os.statvfs(small_disk).f_frsize
    ballast, study = small_disk / "ballast", small_disk / "study.db"
    ballast.write_bytes(b"x" * (free - 8192))
    with refused(BudgetError):
        Budget.open(study, epsilon=1)
    assert [file.name for file in small_disk.iterdir()] == ["ballast"]
    ballast.unlink()
    Budget.open(study, epsilon=1).close()
    audit_ledger(study)


# The disk of a server


def guard(address: str, *, late: bool) -> None:
    """Let PostgreSQL say that its disk is full, to every third charge: when it is written, or in the very COMMIT."""
    name = address.partition("&ledger=")[2]
    kind = "CONSTRAINT TRIGGER no_room AFTER INSERT ON" if late else "TRIGGER no_room BEFORE INSERT ON"
    defer = "DEFERRABLE INITIALLY DEFERRED" if late else ""
    postgres.server().sql(f"""
        CREATE SEQUENCE {name}.turns;
        CREATE FUNCTION {name}.refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
            IF nextval('{name}.turns') % 3 = 0 THEN RAISE EXCEPTION 'full' USING ERRCODE = '53100'; END IF;
            RETURN NEW; END $$;
        CREATE {kind} {name}.entries {defer} FOR EACH ROW
            WHEN (NEW.kind = 'charge') EXECUTE FUNCTION {name}.refuse()""")


@pytest.mark.parametrize("late", [False, True], ids=["at the entry", "in the commit"])
def test_a_server_says_full(tmp_path: Path, late: bool, refused: Refused) -> None:
    address = postgres.server().address(f"full_{int(late)}")
    with closing(Budget.open(address, epsilon=1000)) as ledger:
        guard(address, late=late)
        granted = 0
        for turn in range(1, 13):
            if turn % 3:
                PermuteAndFlip(UNIT).release(PROBLEM, budget=ledger)
                granted += 1
            else:
                with refused(BudgetError, "could not be written: the disk of the server is full"):
                    PermuteAndFlip(UNIT).release(PROBLEM, budget=ledger)
            assert ledger.spent.epsilon == granted * Fraction(UNIT)
        assert ledger.verify()
        assert len(Books.read(address).charges) == granted == 8


def test_a_real_full_disk_of_a_server(small_disk: Path, refused: Refused) -> None:
    """The tables lie on a small disk, the log of the server elsewhere: without that no server runs."""
    server, ballast = postgres.server(), small_disk / "ballast"
    space = small_disk / "space"
    space.mkdir()
    for folder in (small_disk, *small_disk.parents, space):
        if folder == Path(tempfile.gettempdir()):
            break
        folder.chmod(0o755)
    shutil.chown(space, postgres.OWNER, postgres.OWNER)
    server.sql(f"CREATE TABLESPACE small LOCATION '{space}'")
    address = server.address("full_disk")
    setting = address.replace("&ledger", "&options=-c%20default_tablespace%3Dsmall&ledger")
    granted = 0
    with closing(Budget.open(setting, epsilon=1000)) as ledger:
        for room in (1, 9, 30):
            free = os.statvfs(small_disk).f_bavail * os.statvfs(small_disk).f_frsize
            ballast.write_bytes(b"x" * max(0, free - room * 1024))
            with refused(BudgetError, "could not be written: the disk of the server is full"):
                for _ in range(500):
                    PermuteAndFlip(UNIT).release(PROBLEM, budget=ledger, note="x" * 400)
                    granted += 1
            with refused(BudgetError, "the disk of the server is full"):
                ledger.batch([loss()] * 50, note="y" * 400)
            assert ledger.spent.epsilon == granted * Fraction(UNIT)
            ballast.unlink()
            PermuteAndFlip(UNIT).release(PROBLEM, budget=ledger)
            granted += 1
            assert ledger.verify()
    assert len(audit_ledger(address).charges) == granted
    server.sql("DROP SCHEMA full_disk CASCADE")
    server.sql("DROP TABLESPACE small")
