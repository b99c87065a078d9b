"""Ctrl-C at any moment, also between two steps of Python: no transaction stays open, and nobody is kept waiting."""

import os
import random
import signal
import sqlite3
import threading
import warnings
from collections.abc import Callable, Iterator
from contextlib import closing
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from dampen import Budget
from dampen.accounting import connected, signals, store
from dampen.accounting.account import PAID
from dampen.accounting.ledger import Ledger
from dampen.accounting.signals import delay_signals, let_signals_in
from dampen.accounting.sqlite_store import SqliteStore
from dampen.mechanisms import PermuteAndFlip
from tests.crash.books import Place, audit_ledger
from tests.crash.tasks import PROBLEM, UNIT, loss

pytestmark = pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="this system has no timers")
LONGEST = {Path: 0.003, str: 0.01}
"""Seconds until an interrupt strikes: about as long as the work takes, in a file and on a server."""


@pytest.fixture(autouse=True)
def interrupts() -> Iterator[None]:
    """The timer interrupts as Ctrl-C does."""
    before = signal.signal(signal.SIGALRM, signal.default_int_handler)
    yield
    signal.setitimer(signal.ITIMER_REAL, 0)
    signal.signal(signal.SIGALRM, before)


@pytest.fixture
def place(tmp_path: Path, place_in: Callable[[Path], Place]) -> Place:
    return place_in(tmp_path)


@pytest.fixture
def ledger(place: Place) -> Iterator[Ledger]:
    with closing(Budget.open(place, epsilon=10**6, remember=True)) as opened:
        yield opened


def interrupt(work: Callable[[], object], seconds: float) -> list[BaseException]:
    """The interrupt that met the work after so many seconds, if it did; it may also come right behind it."""
    try:
        signal.setitimer(signal.ITIMER_REAL, seconds)
        try:
            work()
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)
    except KeyboardInterrupt as error:
        return [error]
    return []


@pytest.fixture
def write_at_once(place: Place) -> Iterator[Callable[[], None]]:
    """What another program does that waits for nobody."""
    db: Any
    if isinstance(place, str):
        import psycopg

        address, _, name = place.partition("&ledger=")
        begin, db = f"BEGIN; LOCK TABLE {name}.marks IN EXCLUSIVE MODE NOWAIT", psycopg.connect(address)
        db.autocommit = True
    else:
        begin, db = "BEGIN IMMEDIATE", sqlite3.connect(place, isolation_level=None, timeout=0)

    def write() -> None:
        db.execute(begin)
        db.execute("ROLLBACK")

    with closing(db):
        yield write


def require_no_jam(ledger: Ledger, write_at_once: Callable[[], None]) -> None:
    """Another program may write at once, another thread may read at once."""
    write_at_once()
    read = threading.Thread(target=lambda: ledger.spent, daemon=True)
    read.start()
    read.join(timeout=30)
    assert not read.is_alive(), "another thread waits for ever"


def works_of(ledger: Ledger) -> list[Callable[[], object]]:
    def keep() -> None:
        ledger.keep(f"question {random.random()}", "7")

    def pay() -> None:
        with ledger.reserve(loss()):
            pass

    return [pay, pay, lambda: ledger.batch([loss(), loss()]), lambda: ledger.spent, ledger.summary, ledger.verify, keep]


@pytest.mark.parametrize("times", [100, pytest.param(3000, marks=pytest.mark.long)])
def test_random_interrupts_leave_no_jam(
    ledger: Ledger, place: Place, write_at_once: Callable[[], None], times: int
) -> None:
    """The errors are kept, as an interactive session keeps the last one: what they hold is not cleared away."""
    chance, met = random.Random(times), list[BaseException]()
    longest = LONGEST[str if isinstance(place, str) else Path]
    for work in works_of(ledger):
        work()  # so that nothing has to be imported later: an interrupt there leaves files of Python open
    for _ in range(times):
        met += interrupt(chance.choice(works_of(ledger)), chance.uniform(1e-6, longest))
        require_no_jam(ledger, write_at_once)
    assert len(met) > times // 20, "the interrupts came too late to test anything"
    _ = ledger.spent  # the last interrupt may have struck while the handler was put back: the next work does it
    ledger.close()
    assert signal.getsignal(signal.SIGALRM) is signal.default_int_handler
    audit_ledger(place)


def raise_alarm() -> None:
    os.kill(os.getpid(), signal.SIGALRM)


def test_a_signal_inside_waits_for_the_end_and_is_not_lost() -> None:
    told = []
    with pytest.raises(KeyboardInterrupt), delay_signals():  # noqa: PT012
        raise_alarm()
        with delay_signals():
            raise_alarm()
        told.append("still inside")
    assert told == ["still inside"]
    assert signal.getsignal(signal.SIGALRM) is signal.default_int_handler


def test_an_interrupt_while_handlers_are_put_back_leaves_nobody_deaf(monkeypatch: pytest.MonkeyPatch) -> None:
    """The handler that was left in place hands signals on, and the next work puts the right one back."""

    class Struck(list[int]):
        def __iter__(self) -> Iterator[int]:
            if signals._depth or signal.getsignal(signal.SIGALRM) is not signals._note:
                return super().__iter__()
            raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(signals, "SIGNALS", Struck(signals.SIGNALS))
        with pytest.raises(KeyboardInterrupt), delay_signals():
            pass
    assert signal.getsignal(signal.SIGALRM) is signals._note
    with pytest.raises(KeyboardInterrupt):
        raise_alarm()
    with delay_signals():
        pass
    assert signal.getsignal(signal.SIGALRM) is signal.default_int_handler


def test_long_work_lets_signals_in() -> None:
    told = []
    with pytest.raises(KeyboardInterrupt), delay_signals():  # noqa: PT012
        raise_alarm()
        told.append("first")
        let_signals_in()
        told.append("second")
    assert told == ["first"]
    assert signals._waiting == []


def test_verify_can_be_interrupted(ledger: Ledger, write_at_once: Callable[[], None]) -> None:
    for _ in range(3):
        ledger.reserve(loss())
    done = []
    with ledger._store.view() as view, pytest.raises(KeyboardInterrupt):  # noqa: PT012
        for entry in view.entries():
            done.append(entry.number)
            raise_alarm()
    assert done == [1]
    require_no_jam(ledger, write_at_once)


def test_other_threads_delay_nothing() -> None:
    """Python raises nothing there; the main thread is interrupted as ever."""
    inside, over = threading.Event(), threading.Event()

    def wait() -> None:
        with delay_signals():
            inside.set()
            over.wait(30)

    thread = threading.Thread(target=wait)
    thread.start()
    inside.wait()
    with pytest.raises(KeyboardInterrupt):
        raise_alarm()
    over.set()
    thread.join()


def test_a_fork_by_another_thread_leaves_no_child_deaf() -> None:
    """The child has no thread that would end the delay."""
    ended = []

    def fork() -> None:
        child = os.fork()
        if not child:
            try:
                raise_alarm()
                os._exit(1)
            except KeyboardInterrupt:
                os._exit(7)
        ended.append(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))

    with delay_signals(), warnings.catch_warnings():
        warnings.filterwarnings("ignore", message=".*fork", category=DeprecationWarning)
        thread = threading.Thread(target=fork)
        thread.start()
        thread.join()
    assert ended == [7]


def test_a_fork_lets_go_of_what_another_thread_waits_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever copies a ledger holds one and waits for another."""
    monkeypatch.setattr(connected, "TURN", 0.05)
    first, *others = (SqliteStore(tmp_path / f"{each}.db") for each in range(9))
    holds, got = threading.Event(), []

    def copy() -> None:
        with first._lock:
            holds.set()
            for other in others:
                got.append(other._lock.acquire(timeout=20))
                other._lock.release()

    thread = threading.Thread(target=copy)
    thread.start()
    holds.wait()
    connected._before_fork()
    connected._after_fork()
    thread.join()
    assert got == [True] * len(others)


# Who interrupts paid work is told that it was paid


def notes_of(error: BaseException) -> list[str]:
    return list(getattr(error, "__notes__", []))


@pytest.mark.parametrize("kind", ["memory", "ledger", "batch"])
def test_an_interrupted_draw_says_that_the_charge_stands(
    kind: str, ledger: Ledger, monkeypatch: pytest.MonkeyPatch
) -> None:
    memory = Budget(epsilon=1)
    budget = memory if kind == "memory" else ledger.batch([loss()]) if kind == "batch" else ledger

    def interrupt() -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("dampen.entropy.system_entropy", interrupt)
    with pytest.raises(KeyboardInterrupt) as caught:
        PermuteAndFlip(UNIT).release(PROBLEM, budget=budget)
    assert notes_of(caught.value) == [PAID]
    assert (memory if kind == "memory" else ledger).spent.epsilon == Fraction(UNIT)


def test_an_error_of_the_work_says_nothing_of_the_charge(ledger: Ledger) -> None:
    with pytest.raises(ZeroDivisionError) as caught, ledger.reserve(loss()):
        _ = 1 / 0
    assert notes_of(caught.value) == []


@pytest.mark.parametrize(
    ("step", "said"), [("after the check", []), ("before COMMIT", [PAID]), ("after COMMIT", [PAID])]
)
def test_an_interrupt_while_paying_says_whether_it_was_paid(
    ledger: Ledger, monkeypatch: pytest.MonkeyPatch, step: str, said: list[str]
) -> None:
    """A signal before the end of the transaction waits for it, so it was paid; an error in it keeps nothing."""

    def reach(reached: str) -> None:
        if reached == step:
            if said:
                raise_alarm()
            else:
                raise KeyboardInterrupt

    monkeypatch.setattr(store, "reach", reach)
    with pytest.raises(KeyboardInterrupt) as caught:
        ledger.reserve(loss())
    monkeypatch.undo()
    assert notes_of(caught.value) == said
    assert ledger.spent.epsilon == (Fraction(UNIT) if said else 0)
