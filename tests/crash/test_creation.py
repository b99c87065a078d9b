"""Kill -9 while a ledger is made: there is none, or a complete one; what is left behind disturbs nobody."""

import os
import random
import signal
import time
from pathlib import Path

import pytest

from dampen import Budget
from dampen.accounting.store import CREATION
from tests.crash import tasks
from tests.crash.books import Books, Nursery, answers_of, audit_ledger, await_lines, faults_of, journal_of


@pytest.mark.parametrize("step", CREATION)
def test_a_ledger_appears_complete_or_not_at_all(nursery: Nursery, tmp_path: Path, step: str) -> None:
    study = tmp_path / "study.db"
    for _ in range(3):
        assert nursery.run(tasks.create_at, path=study, step=step) == -signal.SIGKILL
        assert study.exists() == (step == "after its name")
        if study.exists():
            assert Books.read(study).spent == {"": 0}
            study.unlink()
        assert all(file.name.startswith(".study.db.") for file in tmp_path.iterdir())
    Budget.open(study, epsilon=1).close()
    assert audit_ledger(study).limits == {"": 1}


def test_a_complete_ledger_stays_when_its_maker_died_after_the_name(nursery: Nursery, tmp_path: Path) -> None:
    study = tmp_path / "study.db"
    nursery.run(tasks.create_at, path=study, step="after its name")
    Budget.open(study, epsilon=1).close()
    audit_ledger(study)
    for leftover in tmp_path.glob(".study.db.*"):
        leftover.unlink()
    assert len(audit_ledger(study).charges) == 1


def test_kills_at_random_moments_of_creation(nursery: Nursery, tmp_path: Path) -> None:
    chance = random.Random(3)
    for turn in range(10):
        folder = tmp_path / str(turn)
        folder.mkdir()
        child = nursery.start(tasks.create_without_end, folder=folder)
        while not (folder / "0.db").exists():
            time.sleep(0.001)
        time.sleep(chance.uniform(0, 0.02))
        os.kill(child, signal.SIGKILL)
        assert nursery.wait(child) == -signal.SIGKILL
        made = sorted(folder.glob("[0-9]*.db"))
        assert made
        for study in made:
            assert audit_ledger(study).limits == {"": 1}


@pytest.mark.parametrize("turn", range(5))
def test_several_makers_at_once_share_one_ledger(nursery: Nursery, tmp_path: Path, turn: int) -> None:
    study, go = tmp_path / "study.db", tmp_path / "go"
    journals = [tmp_path / f"journal-{maker}" for maker in range(4)]
    children = [nursery.start(tasks.create_together, path=study, journal=journal, go=go) for journal in journals]
    for journal in journals:
        await_lines(journal, 1, "ready")
    go.touch()
    assert [nursery.wait(child) for child in children] == [0] * 4
    assert [line for journal in journals for line in journal_of(journal) if "refused" in line] == []
    assert [fault for journal in journals for fault in faults_of(journal)] == []
    assert sum(len(answers_of(journal)) for journal in journals) == 4
    assert len(audit_ledger(study).charges) == 4
    assert [file.name for file in tmp_path.iterdir() if file.name.endswith(".new")] == []
