"""A ledger in use before a fork works on both sides of it, and what either side spends is counted."""

import os
from pathlib import Path

import pytest

from dampen import Budget
from tests.crash import forking
from tests.crash.books import Nursery, answers_of, assert_refusal, audit_ledger, await_lines, faults_of, journal_of

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="this system does not fork")


@pytest.fixture
def study(tmp_path: Path) -> Path:
    Budget.open(tmp_path / "study.db", epsilon=100).close()
    return tmp_path / "study.db"


def assert_all_counted(study: Path, journal: Path, answers: int | None) -> None:
    assert faults_of(journal) == []
    assert [line for line in journal_of(journal) if "refused" in line] == []
    given = answers_of(journal)
    assert answers is None or len(given) == answers
    books = audit_ledger(study)
    assert sorted(books.charges) == sorted(given)
    assert books.unfinished == [number for number, _, _, _, _, note, _ in books.rows if note == "without outcome"]


def test_parent_and_child_go_on_after_a_fork(nursery: Nursery, study: Path, tmp_path: Path) -> None:
    journal = tmp_path / "journal"
    assert nursery.run(forking.fork_between, path=study, journal=journal, rounds=5) == 0
    assert_all_counted(study, journal, 5 * (3 + 6 + 3))


def test_a_fork_while_a_thread_is_inside_a_transaction(nursery: Nursery, study: Path, tmp_path: Path) -> None:
    journal = tmp_path / "journal"
    assert nursery.run(forking.fork_inside, path=study, journal=journal, rounds=5) == 0
    assert_all_counted(study, journal, 5 * 3)


def test_forks_among_threads_that_spend_all_the_time(nursery: Nursery, study: Path, tmp_path: Path) -> None:
    journal = tmp_path / "journal"
    assert nursery.run(forking.fork_among_threads, path=study, journal=journal, threads=4, rounds=15) == 0
    assert_all_counted(study, journal, None)


def test_forks_among_threads_that_open_ledgers(nursery: Nursery, study: Path, tmp_path: Path) -> None:
    journal = tmp_path / "journal"
    assert nursery.run(forking.fork_among_openers, path=study, journal=journal, threads=4, rounds=15) == 0
    assert_all_counted(study, journal, None)


def test_a_child_outlives_its_parent(nursery: Nursery, study: Path, tmp_path: Path) -> None:
    journal = tmp_path / "journal"
    assert nursery.run(forking.fork_and_leave, path=study, journal=journal) == 0
    await_lines(journal, 1, "end")
    assert_all_counted(study, journal, 1 + 1 + 3)


@pytest.mark.parametrize("method", ["fork", "spawn"])
def test_a_ledger_is_handed_to_other_processes(nursery: Nursery, study: Path, tmp_path: Path, method: str) -> None:
    journal = tmp_path / "journal"
    assert nursery.run(forking.hand_over, path=study, journal=journal, method=method) == 0
    assert_all_counted(study, journal, 1 + 2 + 2 + 2)


def test_a_pickle_of_a_scope_is_the_same_scope(nursery: Nursery, study: Path, tmp_path: Path) -> None:
    journal = tmp_path / "journal"
    assert nursery.run(forking.hand_a_pickle_on, path=study, journal=journal) == 0
    assert_all_counted(study, journal, 3)


def test_a_batch_stays_in_its_process(nursery: Nursery, study: Path, tmp_path: Path) -> None:
    """Two copies of a paid slot would be two answers for one charge."""
    journal = tmp_path / "journal"
    assert nursery.run(forking.fork_with_a_batch, path=study, journal=journal) == 0
    [line] = [line for line in journal_of(journal) if "refused" in line]
    assert_refusal(line, "BudgetError")
    assert len(answers_of(journal)) == 2
    assert len(audit_ledger(study).charges) == 2
