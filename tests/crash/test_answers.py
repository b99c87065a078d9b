"""Answers that a ledger keeps, when machines die, disks are full and many ask at once."""

import json
import os
import shutil
import signal
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from dampen import Budget
from dampen.accounting import store
from dampen.accounting.store import KEEPING, STEPS
from tests.crash import tasks
from tests.crash.books import Books, Nursery, answers_of, assert_paid, audit_ledger, await_lines, journal_of
from tests.crash.tasks import QUESTION, UNIT


@pytest.fixture
def study(tmp_path: Path) -> Path:
    Budget.open(tmp_path / "study.db", epsilon=1, remember=True).close()
    return tmp_path / "study.db"


def recall(study: Path) -> str | None:
    ledger = Budget.open(study)
    kept = ledger.recall(QUESTION)
    ledger.close()
    return kept


@pytest.mark.parametrize("step", [*STEPS, *KEEPING])
def test_a_crash_keeps_the_charge_and_all_or_nothing_of_the_answer(nursery: Nursery, study: Path, step: str) -> None:
    """Before the answer is kept the charge stands alone: asking again pays again. Afterwards it is free."""
    first, second = study.with_name("first"), study.with_name("second")
    assert nursery.run(tasks.ask_and_die_at, path=study, journal=first, step=step) == -signal.SIGKILL
    charged, kept = step not in STEPS[:4], step == KEEPING[-1]
    books = Books.read(study)
    assert (len(books.charges), recall(study) is not None) == (charged, kept)
    assert_paid(answers_of(first), books.charges)
    ledger = Budget.open(study)
    assert ledger.verify(head=books.head)
    tasks.ask(ledger, tasks.Journal(str(second)))
    ledger.close()
    assert len(answers_of(second)) == (not kept)
    told = [line["answer"] for line in journal_of(first if kept else second) if "answer" in line]
    assert told == [json.loads(recall(study) or "")]
    assert len(audit_ledger(study).charges) == charged + (not kept)


def test_the_steps_of_keeping_follow_those_of_a_release(study: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    passed: list[str] = []
    ledger = Budget.open(study)
    monkeypatch.setattr(store, "reach", passed.append)
    tasks.ask(ledger, tasks.Journal(os.devnull))
    ledger.close()
    assert passed == [*STEPS, *KEEPING]


@pytest.mark.parametrize("step", KEEPING)
def test_an_interrupt_keeps_all_or_nothing(study: Path, monkeypatch: pytest.MonkeyPatch, step: str) -> None:
    def interrupt(reached: str) -> None:
        if reached == step:
            raise KeyboardInterrupt

    ledger, journal = Budget.open(study), tasks.Journal(os.devnull)
    monkeypatch.setattr(store, "reach", interrupt)
    with pytest.raises(KeyboardInterrupt):
        tasks.ask(ledger, journal)
    monkeypatch.undo()
    assert (ledger.recall(QUESTION) is not None) == (step == KEEPING[-1])
    tasks.ask(ledger, journal)
    assert ledger.recall(QUESTION) is not None
    ledger.close()
    assert len(audit_ledger(study).charges) == 1 + (step != KEEPING[-1])


def test_all_who_ask_at_once_pay_and_the_first_answer_stays(nursery: Nursery, study: Path) -> None:
    go, journals = study.with_name("go"), [study.with_name(f"journal-{asker}") for asker in range(4)]
    children = [nursery.start(tasks.ask_together, path=study, journal=journal, go=go) for journal in journals]
    for journal in journals:
        await_lines(journal, 1, "ready")
    go.touch()
    assert [nursery.wait(child) for child in children] == [0] * 4
    lines = [line for journal in journals for line in journal_of(journal)]
    assert [line["recalled"] for line in lines if "recalled" in line] == [None] * 4
    own = [line["text"] for line in lines if "answer" in line]
    later = [line["later"] for line in lines if "later" in line]
    assert (len(set(own)), len(later), set(later)) == (4, 4, {recall(study)})
    assert recall(study) in own
    assert [kind for _, kind, *_ in Books.read(study).rows].count("answer") == 1
    assert len(audit_ledger(study).charges) == 4


def test_an_answer_that_finds_no_room_on_the_disk_is_not_kept_and_not_withheld(nursery: Nursery, study: Path) -> None:
    journal = study.with_name("journal")
    assert nursery.run(tasks.keep_on_a_full_disk, path=study, journal=journal, size=300_000) == 0
    told = {key: value for line in journal_of(journal) for key, value in line.items()}
    assert told == {"reserved": {"done": True}, "kept": {"done": True}, "recalled": None, "later": "y"}
    assert len(audit_ledger(study).charges) == 1


@pytest.fixture
def shelf() -> Iterator[Path]:
    """A folder that everyone may enter, and nobody but its owner may write to."""
    folder = Path(tempfile.mkdtemp(prefix="dampen-shelf-"))
    folder.chmod(0o755)
    yield folder
    folder.chmod(0o755)
    shutil.rmtree(folder)


def test_whoever_may_only_read_is_told_what_is_kept(nursery: Nursery, shelf: Path) -> None:
    study, journal = shelf / "study.db", shelf / "journal"
    ledger = Budget.open(study, epsilon=UNIT, remember=True)
    ledger.keep(QUESTION, "7")
    ledger.close()
    study.chmod(0o444)
    journal.touch()
    journal.chmod(0o666)
    shelf.chmod(0o555)
    assert nursery.run(tasks.recall_as_a_reader, path=study, journal=journal) == 0
    assert journal_of(journal) == [{"recalled": "7", "kept": {"done": True}}, {"later": None}]
