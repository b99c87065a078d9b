"""The server of a ledger is killed, restarted, or lost in the very COMMIT: no grant too many, no charge forgotten."""

import signal
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from dampen import Budget
from dampen.accounting import chain, postgres_store, store
from dampen.accounting.account import PAID, Account
from dampen.accounting.ledger import Ledger
from dampen.errors import BudgetError, BudgetExceeded
from dampen.privacy import Amount
from tests import postgres
from tests.crash import forking, tasks
from tests.crash.books import (
    Books,
    Nursery,
    answers_of,
    assert_paid,
    assert_refusal,
    audit_ledger,
    await_lines,
    faults_of,
    journal_of,
)
from tests.crash.tasks import UNIT, loss
from tests.crash.test_races import race, runner

if TYPE_CHECKING:
    from tests.conftest import Refused

CHILDREN = 3
names = iter(range(10**6))


def new_in(server: postgres.Server) -> str:
    return server.address(f"server_{next(names)}")


@pytest.fixture
def address() -> str:
    return new_in(postgres.server())


@pytest.fixture
def ledger(address: str) -> Iterator[Ledger]:
    with closing(Budget.open(address, epsilon=1)) as opened:
        yield opened


# The whole server


@pytest.mark.parametrize("restarts", [2, pytest.param(20, marks=pytest.mark.long)])
def test_a_server_that_dies_and_comes_back_under_load(nursery: Nursery, tmp_path: Path, restarts: int) -> None:
    """Killed with all its processes, or stopped in order: who was answered has paid, and who was refused has not."""
    with postgres.another_server() as server:
        address, stop = new_in(server), tmp_path / "stop"
        Budget.open(address, epsilon=10**6).close()
        journals = [tmp_path / f"journal-{child}" for child in range(CHILDREN)]
        children = [
            nursery.start(tasks.spend_through_restarts, path=address, journal=journal, stop=stop)
            for journal in journals
        ]
        for turn in range(restarts):
            for journal in journals:
                await_lines(journal, 5 * (turn + 1), "answer")
            server.stop(signal.SIGINT if turn % 2 else signal.SIGKILL)
            server.start()
        for journal in journals:
            await_lines(journal, 5 * (restarts + 1), "answer")
        stop.touch()
        assert [nursery.wait(child) for child in children] == [0] * CHILDREN
        for journal in journals:
            for line in journal_of(journal):
                if "answer" not in line:
                    assert_refusal(line, "BudgetError")
        answers = [answer for journal in journals for answer in answers_of(journal)]
        books = audit_ledger(address)
        assert_paid(answers, books.charges)
        doubts = [
            line for journal in journals for line in journal_of(journal) if "may be charged" in line.get("text", "")
        ]
        assert len(answers) <= len(books.charges) <= len(answers) + len(doubts)


def test_an_open_ledger_goes_on_after_a_restart() -> None:
    with postgres.another_server() as server, closing(Budget.open(new_in(server), epsilon=1)) as ledger:
        for how in (signal.SIGINT, signal.SIGKILL):
            ledger.reserve(loss())
            server.stop(how)
            server.start()
            assert ledger.verify()
        starting = threading.Timer(0.5, server.start)
        server.stop()
        starting.start()
        ledger.reserve(loss())
        starting.join()
        assert ledger.spent.epsilon == 3 * Fraction(UNIT)


def test_a_server_that_does_not_come_back_is_told(monkeypatch: pytest.MonkeyPatch, refused: "Refused") -> None:
    monkeypatch.setattr(postgres_store, "ABSENCE", 0.2)
    with postgres.another_server() as server, closing(Budget.open(new_in(server), epsilon=1)) as ledger:
        server.stop()
        with refused(BudgetError, "postgres/server_", "cannot be reached"):
            ledger.reserve(loss())
        with refused(BudgetError, "postgres/dampen", "cannot be reached"):
            Budget.open(server.address())
        server.start()
        ledger.reserve(loss())


# Lost in the very COMMIT


def lose_commit(monkeypatch: pytest.MonkeyPatch, *, done: bool, after: Callable[[], object] = lambda: None) -> None:
    """The next COMMIT is done or not, and no word of it comes back."""
    import psycopg

    from dampen.accounting.postgres_tables import PostgresTables

    commit = PostgresTables.commit

    def lose(tables: Any) -> None:
        monkeypatch.setattr(PostgresTables, "commit", commit)
        if done:
            commit(tables)
        tables._db.close()
        after()
        raise psycopg.OperationalError("server closed the connection unexpectedly")

    monkeypatch.setattr(PostgresTables, "commit", lose)


def test_a_commit_without_an_answer_is_looked_up_and_found(ledger: Ledger, monkeypatch: pytest.MonkeyPatch) -> None:
    lose_commit(monkeypatch, done=True)
    with ledger.reserve(loss()):
        pass
    assert (ledger.spent.epsilon, ledger.unfinished()) == (Fraction(UNIT), [])
    assert ledger.verify()


def test_a_commit_that_was_not_done_is_refused(
    ledger: Ledger, monkeypatch: pytest.MonkeyPatch, refused: "Refused"
) -> None:
    lose_commit(monkeypatch, done=False)
    with refused(BudgetError, "postgres/server_", "nothing changed"):
        ledger.reserve(loss())
    assert ledger.spent.epsilon == 0
    ledger.reserve(loss())
    assert ledger.verify()


def test_an_equal_entry_of_somebody_else_is_not_taken_for_ones_own(
    ledger: Ledger, address: str, monkeypatch: pytest.MonkeyPatch, refused: "Refused"
) -> None:
    """Same number, same words, same second: the same hash. Only the ticket tells whose it is."""
    monkeypatch.setattr(chain, "now", lambda: "2024-01-01T00:00:00Z")
    other = Budget.open(address)
    lose_commit(monkeypatch, done=False, after=lambda: other.reserve(loss(), note="tea"))
    with refused(BudgetError, "nothing changed"):
        ledger.reserve(loss(), note="tea")
    other.close()
    assert len(Books.read(address).charges) == 1


def test_a_lost_transaction_that_is_still_at_work_is_waited_for(
    ledger: Ledger, address: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its entry comes later than the question whether it is there."""
    import psycopg

    from dampen.accounting.postgres_tables import PostgresTables

    commit, begun = PostgresTables.commit, threading.Event()

    def commit_late(tables: Any) -> None:
        begun.wait(30)
        time.sleep(0.3)
        commit(tables)
        tables._db.close()

    def lose(tables: Any) -> None:
        monkeypatch.setattr(PostgresTables, "commit", commit)
        threading.Thread(target=commit_late, args=(tables,)).start()
        ledger._store._connection = None  # type: ignore[attr-defined]
        begun.set()
        raise psycopg.OperationalError("server closed the connection unexpectedly")

    monkeypatch.setattr(PostgresTables, "commit", lose)
    ledger.reserve(loss())
    assert len(Books.read(address).charges) == 1


def test_a_server_that_is_gone_leaves_a_doubt_and_says_so(monkeypatch: pytest.MonkeyPatch, refused: "Refused") -> None:
    monkeypatch.setattr(postgres_store, "ABSENCE", 0.2)
    with postgres.another_server() as server, closing(Budget.open(new_in(server), epsilon=1)) as ledger:
        lose_commit(monkeypatch, done=True, after=server.stop)
        with refused(BudgetError, "may be charged", "nothing was drawn"):
            ledger.reserve(loss())
        server.start()
        assert ledger.spent.epsilon == Fraction(UNIT)


@pytest.mark.parametrize("step", ["after the check", "after INSERT", "before COMMIT"])
def test_a_session_that_the_server_ends_keeps_nothing(
    ledger: Ledger, monkeypatch: pytest.MonkeyPatch, step: str, refused: "Refused"
) -> None:
    def end(reached: str) -> None:
        if reached == step:
            monkeypatch.undo()
            pid = ledger._store._connection.info.backend_pid  # type: ignore[attr-defined]
            postgres.server().sql(f"SELECT pg_terminate_backend({pid}, 10000)")

    monkeypatch.setattr(store, "reach", end)
    with refused(BudgetError, "postgres/server_"):
        ledger.reserve(loss())
    assert ledger.spent.epsilon == 0
    ledger.reserve(loss())
    assert (ledger.spent.epsilon, bool(ledger.verify())) == (Fraction(UNIT), True)


def test_a_new_ledger_whose_commit_was_lost_is_there(address: str, monkeypatch: pytest.MonkeyPatch) -> None:
    lose_commit(monkeypatch, done=True)
    with closing(Budget.open(address, epsilon=1)) as ledger:
        assert ledger.verify()


def test_a_new_ledger_whose_commit_was_not_done_is_not_there(
    address: str, monkeypatch: pytest.MonkeyPatch, refused: "Refused"
) -> None:
    lose_commit(monkeypatch, done=False)
    with refused(BudgetError, "nothing changed"):
        Budget.open(address, epsilon=1)
    with refused(BudgetError, "does not exist"):
        Budget.open(address)


def test_a_new_ledger_that_is_still_being_made_is_waited_for(address: str, monkeypatch: pytest.MonkeyPatch) -> None:
    import psycopg

    from dampen.accounting.postgres_tables import PostgresTables

    commit, making = PostgresTables.commit, list[threading.Thread]()

    def commit_late(tables: Any) -> None:
        time.sleep(0.3)
        commit(tables)
        tables._db.close()

    def lose(tables: Any) -> None:
        monkeypatch.setattr(PostgresTables, "commit", commit)
        making.append(threading.Thread(target=commit_late, args=(tables,)))
        making[0].start()
        place._connection = None
        raise psycopg.OperationalError("server closed the connection unexpectedly")

    monkeypatch.setattr(PostgresTables, "commit", lose)
    place = postgres_store.PostgresStore(address)
    place.create(lambda transaction: transaction.append(chain.limit_entry(Account(Amount(Fraction(1), Fraction(0))))))
    assert place.exists()
    making[0].join()
    place.close()


# Ctrl-C while the server is away


@pytest.fixture
def interrupt_after() -> Iterator[Callable[[float], object]]:
    before = signal.signal(signal.SIGALRM, signal.default_int_handler)
    yield lambda seconds: signal.setitimer(signal.ITIMER_REAL, seconds)
    signal.setitimer(signal.ITIMER_REAL, 0)
    signal.signal(signal.SIGALRM, before)


def test_who_waits_for_a_server_may_go(interrupt_after: Callable[[float], object]) -> None:
    with postgres.another_server() as server, closing(Budget.open(new_in(server), epsilon=1)) as ledger:
        server.stop()
        interrupt_after(0.3)
        began = time.monotonic()
        with pytest.raises(KeyboardInterrupt) as caught:
            ledger.reserve(loss())
        assert time.monotonic() - began < postgres_store.ABSENCE / 2
        assert not hasattr(caught.value, "__notes__")
        server.start()
        assert ledger.spent.epsilon == 0


def test_who_waits_to_learn_of_a_commit_is_told_of_it_first(
    monkeypatch: pytest.MonkeyPatch, interrupt_after: Callable[[float], object]
) -> None:
    with postgres.another_server() as server, closing(Budget.open(new_in(server), epsilon=1)) as ledger:
        starting = threading.Timer(0.5, server.start)

        def stop() -> None:
            server.stop()
            interrupt_after(0.1)
            starting.start()

        lose_commit(monkeypatch, done=True, after=stop)
        with pytest.raises(KeyboardInterrupt) as caught:
            ledger.reserve(loss())
        starting.join()
        assert caught.value.__notes__ == [PAID]
        assert ledger.spent.epsilon == Fraction(UNIT)


# Races and forks


RACES = {
    "eight processes": [runner()] * 8,
    "lists against single ones that come and go": [runner(sizes=(3, 1)), runner(reopen=True), runner(sizes=(5, 2, 1))],
}


@pytest.mark.parametrize("runners", RACES.values(), ids=list(RACES))
def test_processes_share_a_budget_to_the_last_unit(
    nursery: Nursery, tmp_path: Path, address: str, runners: list[dict[str, Any]]
) -> None:
    Budget.open(address, epsilon=297 * Fraction(UNIT)).close()
    assert sum(race(nursery, address, runners, tmp_path)) == 297
    assert len(audit_ledger(address).charges) == 297


def test_several_makers_at_once_share_one_ledger(nursery: Nursery, tmp_path: Path, address: str) -> None:
    go, journals = tmp_path / "go", [tmp_path / f"journal-{maker}" for maker in range(4)]
    children = [nursery.start(tasks.create_together, path=address, journal=journal, go=go) for journal in journals]
    for journal in journals:
        await_lines(journal, 1, "ready")
    go.touch()
    assert [nursery.wait(child) for child in children] == [0] * 4
    assert [line for journal in journals for line in journal_of(journal) if {"refused", "fault"} & set(line)] == []
    assert len(audit_ledger(address).charges) == 4


@pytest.mark.parametrize("step", store.CREATION)
def test_a_ledger_appears_complete_or_not_at_all(nursery: Nursery, address: str, step: str, refused: "Refused") -> None:
    assert nursery.run(tasks.create_at, path=address, step=step) == -signal.SIGKILL
    if step == "after its name":
        assert audit_ledger(address).limits == {"": 1}
    else:
        with refused(BudgetError, "does not exist"):
            Budget.open(address)
        Budget.open(address, epsilon=2).close()
        assert audit_ledger(address).limits == {"": 2}


FORKS: dict[str, dict[str, Any]] = {
    "fork_between": {"rounds": 2},
    "fork_inside": {"rounds": 3},
    "fork_among_threads": {"threads": 3, "rounds": 4},
    "fork_and_leave": {},
    "hand_a_pickle_on": {},
}


@pytest.mark.parametrize("task", FORKS)
def test_both_sides_of_a_fork_go_on(nursery: Nursery, tmp_path: Path, address: str, task: str) -> None:
    Budget.open(address, epsilon=100).close()
    journal = tmp_path / "journal"
    assert nursery.run(getattr(forking, task), path=address, journal=journal, **FORKS[task]) == 0
    if task == "fork_and_leave":
        await_lines(journal, 1, "end")
    assert faults_of(journal) == []
    assert [line for line in journal_of(journal) if "refused" in line] == []
    assert sorted(audit_ledger(address).charges) == sorted(answers_of(journal))


def test_threads_share_a_ledger_to_the_last_unit(ledger: Ledger) -> None:
    granted: list[int] = []

    def spend() -> None:
        with pytest.raises(BudgetExceeded):  # noqa: PT012
            while True:
                ledger.reserve(loss())
                granted.append(1)

    threads = [threading.Thread(target=spend) for _ in range(16)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(timeout=300)
    assert len(granted) == 100
    assert ledger.remaining.epsilon == 0
