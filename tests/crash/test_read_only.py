"""Without the right to write: nothing is granted, nothing changes, and everything can still be read."""

import os
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from dampen import Budget
from dampen.accounting.store import STEPS
from tests.crash import tasks
from tests.crash.books import Books, Nursery, assert_refusal, audit_ledger, contents, journal_of
from tests.crash.tasks import Action, loss

LEFT_OVER = ("study.db-shm", "study.db-wal")
WRITES = ("reserve", "batch", "scope", "limit")


@pytest.fixture
def shelf() -> Iterator[Path]:
    """A folder that everyone may enter (pytest's own is for its owner alone)."""
    folder = Path(tempfile.mkdtemp(prefix="dampen-shelf-"))
    folder.chmod(0o755)
    (folder / "inner").mkdir(mode=0o755)
    yield folder / "inner"
    (folder / "inner").chmod(0o755)
    shutil.rmtree(folder)


@pytest.fixture
def journal(shelf: Path) -> Path:
    path = shelf.parent / "journal"
    path.touch()
    path.chmod(0o666)
    return path


def fill(nursery: Nursery, shelf: Path, left_over: bool) -> Path:
    """A ledger with four charges; with ``left_over`` three of them are still in the log of a killed process."""
    study = shelf / "study.db"
    ledger = Budget.open(study, epsilon=1)
    ledger.reserve(loss())
    ledger.close()
    actions, step = [Action("", (tasks.UNIT,))] * 3, STEPS[-1]
    if left_over:
        noted = shelf.parent / "of the dead"
        nursery.run(tasks.die_at, path=study, journal=noted, actions=actions, step=step, occurrence=3)
        assert sorted(file.name for file in shelf.iterdir()) == ["study.db", *LEFT_OVER]
    else:
        ledger = Budget.open(study)
        for _ in range(3):
            with ledger.reserve(loss()):
                pass
        ledger.close()
    return study


def lock(shelf: Path, *, files: bool, folder: bool) -> None:
    for file in shelf.iterdir():
        file.chmod(0o444 if files else 0o666)
    shelf.chmod(0o555 if folder else 0o777)


def merge_lines(journal: Path) -> dict[str, Any]:
    return {key: value for line in journal_of(journal) for key, value in line.items()}


def assert_only_read(told: dict[str, Any]) -> None:
    assert told["opened"] == {"done": True}
    for action in WRITES:
        assert_refusal(told[action], "BudgetError")
        assert "read-only" in told[action]["text"]
    assert told["drawn"] == 0
    assert told["spent"] == "1/25"
    assert told["summary"] == "1/25"
    assert told["verify"].startswith("intact: 8 entries")
    assert told["history"] == 8
    assert told["unfinished"] == 1
    assert told["head"].startswith("8:")


READ_ONLY = {
    "file": (True, False, False),
    "file with a log left over": (True, False, True),
    "folder": (False, True, False),
    "file and folder": (True, True, False),
    "file and folder with a log left over": (True, True, True),
}


@pytest.mark.parametrize(("files", "folder", "left_over"), READ_ONLY.values(), ids=list(READ_ONLY))
def test_a_read_only_ledger_is_read_and_not_spent(
    nursery: Nursery, shelf: Path, journal: Path, files: bool, folder: bool, left_over: bool
) -> None:
    study = fill(nursery, shelf, left_over)
    lock(shelf, files=files, folder=folder)
    before = contents(shelf)
    assert nursery.run(tasks.look_at, path=study, journal=journal) == 0
    after = contents(shelf)
    assert {name: after.get(name) for name in before} == before
    assert_only_read(merge_lines(journal))
    shelf.chmod(0o755)
    lock(shelf, files=False, folder=False)
    assert len(audit_ledger(study).charges) == 4


@pytest.mark.skipif(os.getuid() != 0, reason="only root can be two users")
def test_a_reader_leaves_nothing_that_stops_the_owner(nursery: Nursery, shelf: Path, journal: Path) -> None:
    """A log that a reader makes beside the ledger belongs to the reader: the owner could not write to it."""
    study = fill(nursery, shelf, left_over=False)
    shelf.chmod(0o777)
    study.chmod(0o644)
    os.chown(study, tasks.NOBODY - 1, tasks.NOBODY - 1)
    assert nursery.run(tasks.look_at, path=study, journal=journal) == 0
    assert merge_lines(journal)["spent"] == "1/25"
    journal.write_text("")
    assert nursery.run(tasks.look_at, path=study, journal=journal, user=tasks.NOBODY - 1) == 0
    assert merge_lines(journal)["reserve"] == {"done": True}


def test_files_that_can_be_written_in_a_folder_that_cannot(nursery: Nursery, shelf: Path, journal: Path) -> None:
    """With the log in place there is nothing to make in the folder: what is granted then is counted."""
    study = fill(nursery, shelf, left_over=True)
    lock(shelf, files=False, folder=True)
    assert nursery.run(tasks.look_at, path=study, journal=journal) == 0
    told = merge_lines(journal)
    shelf.chmod(0o755)
    granted = told["drawn"] + 2 * (told["batch"] == {"done": True})
    books = audit_ledger(study)
    assert len(books.charges) == 4 + granted
    if not granted:
        assert_only_read(told)


def test_a_log_that_cannot_be_read_is_not_forgotten(nursery: Nursery, shelf: Path, journal: Path) -> None:
    """Without the index of the log SQLite cannot read it in a read-only folder: better no number than a smaller one."""
    study = fill(nursery, shelf, left_over=True)
    (shelf / "study.db-shm").unlink()
    lock(shelf, files=True, folder=True)
    before = contents(shelf)
    assert nursery.run(tasks.look_at, path=study, journal=journal) == 0
    told = merge_lines(journal)
    if told["opened"] != {"done": True}:
        assert_refusal(told["opened"], "BudgetError")
    else:
        assert_only_read(told)
    assert contents(shelf) == before


def test_a_link_to_a_log_that_cannot_be_read_is_not_forgotten(nursery: Nursery, shelf: Path, journal: Path) -> None:
    study, link = fill(nursery, shelf, left_over=True), shelf.parent / "link.db"
    (shelf / "study.db-shm").unlink()
    link.symlink_to(study)
    lock(shelf, files=True, folder=True)
    shelf.parent.chmod(0o555)
    assert nursery.run(tasks.look_at, path=link, journal=journal) == 0
    shelf.parent.chmod(0o755)
    told = merge_lines(journal)
    if told["opened"] != {"done": True}:
        assert_refusal(told["opened"], "BudgetError")
    else:
        assert_only_read(told)


@pytest.mark.parametrize("rights", [0o555, 0o444, 0o000], ids=["read-only", "not to be entered", "closed"])
def test_no_ledger_is_made_in_a_folder_without_rights(
    nursery: Nursery, shelf: Path, journal: Path, rights: int
) -> None:
    shelf.chmod(rights)
    assert nursery.run(tasks.create_without_rights, path=shelf / "study.db", journal=journal) == 0
    shelf.chmod(0o755)
    [line] = journal_of(journal)
    assert_refusal(line, "BudgetError", "ParameterError")
    assert list(shelf.iterdir()) == []


def test_a_ledger_that_may_not_be_read_is_refused(nursery: Nursery, shelf: Path, journal: Path) -> None:
    study = fill(nursery, shelf, left_over=False)
    study.chmod(0o000)
    before = contents(shelf) if os.getuid() == 0 else {}
    assert nursery.run(tasks.look_at, path=study, journal=journal) == 0
    assert_refusal(merge_lines(journal)["opened"], "BudgetError")
    if before:
        assert contents(shelf) == before
    study.chmod(0o644)
    assert len(Books.read(study).charges) == 4


def test_the_child_really_has_no_rights(nursery: Nursery, shelf: Path, journal: Path) -> None:
    """A test that could write anyway would show nothing."""
    study = fill(nursery, shelf, left_over=False)
    lock(shelf, files=False, folder=False)
    assert nursery.run(tasks.look_at, path=study, journal=journal) == 0
    told = merge_lines(journal)
    assert [told[action] for action in WRITES] == [{"done": True}] * len(WRITES)
    assert told["drawn"] == 1
