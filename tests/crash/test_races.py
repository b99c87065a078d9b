"""Many want the last unit: exactly one gets it."""

import sys
import threading
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import closing
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from dampen import Budget
from dampen.accounting.ledger import Ledger
from dampen.errors import BudgetExceeded
from tests.crash import tasks
from tests.crash.books import Books, Nursery, Place, answers_of, assert_refusal, audit_ledger, await_lines, journal_of
from tests.crash.tasks import UNIT, loss

THREADS = 64


def race(nursery: Nursery, study: Place, runners: list[dict[str, Any]], folder: Path) -> list[int]:
    """Let processes spend at the same time, each until it is refused; returns how many units each was granted."""
    go, journals = folder / "go", [folder / f"journal-{runner}" for runner in range(len(runners))]
    for old in (go, *journals):
        old.unlink(missing_ok=True)
    children = [
        nursery.start(tasks.spend, path=study, journal=journal, go=go, **runner)
        for journal, runner in zip(journals, runners, strict=True)
    ]
    for journal in journals:
        await_lines(journal, 1, "ready")
    go.touch()
    assert [nursery.wait(child) for child in children] == [0] * len(children)
    for journal in journals:
        for line in journal_of(journal):
            if "granted" not in line and "ready" not in line:
                assert_refusal(line, "BudgetExceeded")
    return [sum(line.get("granted", 0) for line in journal_of(journal)) for journal in journals]


def runner(scope: str = "", sizes: tuple[int, ...] = (1,), reopen: bool = False) -> dict[str, Any]:
    return {"scope": scope, "sizes": sizes, "reopen": reopen}


RACES = {
    "two processes": [runner()] * 2,
    "four processes": [runner()] * 4,
    "four that come and go": [runner(reopen=True)] * 4,
    "two that stay and two that come and go": [runner(), runner(), runner(reopen=True), runner(reopen=True)],
    "lists against single ones": [runner(sizes=(3, 1)), runner(), runner(sizes=(5, 2, 1))],
}


@pytest.mark.parametrize("runners", RACES.values(), ids=list(RACES))
def test_processes_share_a_budget_to_the_last_unit(
    nursery: Nursery, tmp_path: Path, runners: list[dict[str, Any]]
) -> None:
    study = tmp_path / "study.db"
    Budget.open(study, epsilon=97 * Fraction(UNIT)).close()
    assert sum(race(nursery, study, runners, tmp_path)) == 97
    assert len(audit_ledger(study).charges) == 97


@pytest.mark.parametrize("processes", [2, 4])
def test_one_last_unit_goes_to_one_process(nursery: Nursery, tmp_path: Path, processes: int) -> None:
    for turn in range(8):
        study = tmp_path / f"{turn}.db"
        Budget.open(study, epsilon=UNIT).close()
        assert sorted(race(nursery, study, [runner()] * processes, tmp_path)) == [*[0] * (processes - 1), 1]
        assert len(audit_ledger(study).charges) == 1


def test_two_processes_race_for_the_last_slot(
    nursery: Nursery, tmp_path: Path, place_in: Callable[[Path], Place]
) -> None:
    for turn in range(3):
        study = place_in(tmp_path / f"{turn}")
        tmp_path.joinpath(f"{turn}").mkdir()
        Budget.open(study, slots=[loss()], epsilon=1).close()
        assert sorted(race(nursery, study, [runner()] * 2, tmp_path)) == [0, 1]
        assert len(Books.read(study).charges) == 1


def test_processes_share_slots_to_the_last(nursery: Nursery, tmp_path: Path, place_in: Callable[[Path], Place]) -> None:
    study = place_in(tmp_path)
    Budget.open(study, slots=[loss()] * 20 + [loss("1/50")] * 9, epsilon=1).close()
    assert sum(race(nursery, study, [runner(), runner(sizes=(3, 1)), runner(reopen=True)], tmp_path)) == 29
    assert Counter(epsilon for _, epsilon in Books.read(study).charges) == {Fraction(UNIT): 20, Fraction(1, 50): 9}
    with closing(Budget.open(study)) as ledger:
        assert ledger.verify()


def test_two_scopes_race_for_the_last_unit_of_their_parent(nursery: Nursery, tmp_path: Path) -> None:
    for turn in range(8):
        study = tmp_path / f"{turn}.db"
        ledger = Budget.open(study, epsilon=1)
        team = ledger.scope("team", "survey", epsilon=UNIT)
        for name in ("ann", "bob"):
            team.scope("analyst", name, epsilon="1/2")
        ledger.close()
        runners = [runner(f"team=survey/analyst={name}") for name in ("ann", "bob")]
        granted = race(nursery, study, runners, tmp_path)
        assert sorted(granted) == [0, 1]
        books = audit_ledger(study)
        assert books.spent["team=survey"] == Fraction(UNIT)


def test_a_list_and_a_single_loss_race_for_the_last_units(nursery: Nursery, tmp_path: Path) -> None:
    """Two units are left: the list takes both, or the single one takes one and the list gets nothing."""
    for turn in range(8):
        study = tmp_path / f"{turn}.db"
        Budget.open(study, epsilon=2 * Fraction(UNIT)).close()
        [pair, one] = race(nursery, study, [runner(sizes=(2,)), runner()], tmp_path)
        assert (pair, one) in [(2, 0), (0, 2)]
        assert len(audit_ledger(study).charges) == 2


# Threads


@pytest.fixture
def hasty_threads() -> Iterator[None]:
    usual = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(usual)


def spend_in_threads(ledger_of: Callable[[], Ledger], size: int = 1) -> int:
    """All threads spend at the same time until they are refused; returns how many units were granted."""
    barrier, granted, faults = threading.Barrier(THREADS), [], list[str]()

    def spend() -> None:
        barrier.wait()
        try:
            ledger = ledger_of()
            while True:
                ledger.batch([loss()] * size)
                granted.append(size)
        except BudgetExceeded:
            ledger.close()
        except BaseException as error:
            faults.append(repr(error))

    threads = [threading.Thread(target=spend) for _ in range(THREADS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(timeout=300)
    assert not any(thread.is_alive() for thread in threads)
    assert faults == []
    return sum(granted)


@pytest.mark.usefixtures("hasty_threads")
def test_sixty_four_threads_on_one_ledger(tmp_path: Path) -> None:
    ledger = Budget.open(tmp_path / "study.db", epsilon=100 * Fraction(UNIT))
    assert spend_in_threads(lambda: ledger) == 100
    ledger.close()
    assert len(audit_ledger(ledger.path).charges) == 100


@pytest.mark.usefixtures("hasty_threads")
def test_sixty_four_threads_each_with_a_ledger_of_its_own(tmp_path: Path) -> None:
    study = tmp_path / "study.db"
    Budget.open(study, epsilon=100 * Fraction(UNIT)).close()
    assert spend_in_threads(lambda: Budget.open(study)) == 100
    assert len(audit_ledger(study).charges) == 100


def test_one_last_unit_goes_to_one_of_sixty_four_threads(tmp_path: Path) -> None:
    for turn in range(3):
        ledger = Budget.open(tmp_path / f"{turn}.db", epsilon=UNIT)
        assert spend_in_threads(lambda: ledger) == 1  # noqa: B023
        ledger.close()
        assert len(audit_ledger(ledger.path).charges) == 1


# Several ledgers on one file in one process


def test_opening_a_ledger_twice_does_not_take_its_locks_away(nursery: Nursery, tmp_path: Path) -> None:
    """Closing any handle of a file drops all locks that the process holds on it (POSIX).

    Then another process believes to be the last one, and removes the log that this one still writes to.
    """
    study, journal = tmp_path / "study.db", tmp_path / "journal"
    first = Budget.open(study, epsilon=1)
    first.reserve(loss())
    second = Budget.open(study)
    assert nursery.run(tasks.come_and_go, path=study, journal=journal, times=1) == 0
    for ledger in (first, second, first):
        ledger.reserve(loss())
    assert nursery.run(tasks.come_and_go, path=study, journal=journal, times=1) == 0
    first.close()
    second.close()
    assert len(answers_of(journal)) == 2
    assert len(audit_ledger(study).charges) == 6


def test_threads_that_open_and_a_process_that_comes_and_goes(nursery: Nursery, tmp_path: Path) -> None:
    study, journal = tmp_path / "study.db", tmp_path / "journal"
    Budget.open(study, epsilon=10).close()
    other = nursery.start(tasks.come_and_go, path=study, journal=journal, times=30)
    granted: list[int] = []

    def spend() -> None:
        for _ in range(10):
            ledger = Budget.open(study)
            ledger.reserve(loss())
            granted.append(1)
            ledger.close()

    threads = [threading.Thread(target=spend) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(timeout=300)
    assert nursery.wait(other) == 0
    assert len(granted) == 40
    assert len(answers_of(journal)) == 30
    assert len(audit_ledger(study).charges) == 70
