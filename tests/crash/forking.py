"""Tasks that fork, or hand a ledger to another process."""

import itertools
import multiprocessing
import os
import pickle
import signal
import sqlite3
import sys
import threading
import time
import warnings
from collections.abc import Callable
from multiprocessing.context import BaseContext
from pathlib import Path
from typing import Any

from dampen import Budget
from dampen.accounting import store
from dampen.accounting.ledger import Ledger
from tests.crash.tasks import UNIT, Journal, answer, journal_errors, loss

warnings.filterwarnings("ignore", message=".*fork", category=DeprecationWarning)

LONGEST_CHILD = 50
"""Seconds; a forked child that works so long has hung (SQLite alone would wait for 60)."""


def fork_child(work: Callable[[], None]) -> int:
    """Run ``work`` in a forked child."""
    child = os.fork()
    if child:
        return child
    status = 1
    signal.alarm(LONGEST_CHILD)
    try:
        work()
        status = 0
    finally:
        os._exit(status)


def await_end(child: int, journal: Journal) -> bool:
    """Wait for a child; a child that hangs is ended by its alarm and told as a fault."""
    _, status = os.waitpid(child, 0)
    if status:
        journal.write(fault=f"the child ended with {os.waitstatus_to_exitcode(status)}")
    return not status


def spend_some(ledger: Ledger, journal: Journal, times: int) -> None:
    with journal_errors(journal):
        for _ in range(times):
            answer(ledger, UNIT, journal, ledger._scope)


def fork_between(path: str, journal: str, rounds: int) -> None:
    """Both sides go on with a ledger that was in use before the fork; so do a scope of it and a second ledger."""
    told = Journal(journal)
    ledger, second = Budget.open(path), Budget.open(path)
    inner = ledger.scope("analyst", "ann", epsilon=1)

    def spend_all() -> None:
        for budget in (ledger, second, inner):
            spend_some(budget, told, 2)

    for _ in range(rounds):
        for budget in (ledger, second, inner):
            spend_some(budget, told, 1)
        child = fork_child(spend_all)
        spend_some(ledger, told, 3)
        if not await_end(child, told):
            break


def fork_inside(path: str, journal: str, rounds: int) -> None:
    """Fork while another thread is inside a transaction, which must end on one side only."""
    told, ledger = Journal(journal), Budget.open(path)
    inside, forking = threading.Event(), threading.Event()

    def reach(step: str) -> None:
        if step == "after INSERT" and threading.current_thread() is not threading.main_thread():
            inside.set()
            forking.wait(0.05)

    store.reach = reach
    for _ in range(rounds):
        inside.clear()
        forking.clear()
        thread = threading.Thread(target=spend_some, args=(ledger, told, 2))
        thread.start()
        inside.wait()
        child = fork_child(lambda: spend_some(ledger, told, 1))
        forking.set()
        thread.join()
        if not await_end(child, told):
            break


def fork_among_threads(path: str, journal: str, threads: int, rounds: int) -> None:
    """Fork while many threads spend all the time."""
    told, ledger, stop = Journal(journal), Budget.open(path), threading.Event()

    def spend() -> None:
        while not stop.is_set():
            spend_some(ledger, told, 1)

    running = [threading.Thread(target=spend) for _ in range(threads)]
    for thread in running:
        thread.start()
    for _ in range(rounds):
        if not await_end(fork_child(lambda: spend_some(ledger, told, 1)), told):
            break
    stop.set()
    for thread in running:
        thread.join()


def fork_and_leave(path: str, journal: str) -> None:
    """The parent ends before its child does."""
    told, ledger = Journal(journal), Budget.open(path)
    spend_some(ledger, told, 1)
    reading, writing = os.pipe()

    def outlive() -> None:
        os.close(writing)
        os.read(reading, 1)
        spend_some(ledger, told, 3)
        told.write(end=True)

    fork_child(outlive)
    spend_some(ledger, told, 1)


def spend_elsewhere(ledger: Ledger, journal: str, times: int) -> None:
    spend_some(ledger, Journal(journal), times)


def hand_over(path: str, journal: str, method: str) -> None:
    """A ledger and a scope go to other processes as arguments."""
    context: BaseContext = multiprocessing.get_context(method)
    told, ledger = Journal(journal), Budget.open(path)
    inner = ledger.scope("analyst", "ann", epsilon=1)
    spend_some(inner, told, 1)
    children = [
        context.Process(target=spend_elsewhere, args=(budget, journal, 2))  # type: ignore[attr-defined]
        for budget in (ledger, inner)
    ]
    for child in children:
        child.start()
    spend_some(ledger, told, 2)
    for child in children:
        child.join()
        if child.exitcode:
            told.write(fault=f"the child ended with {child.exitcode}")


def hand_a_pickle_on(path: str, journal: str) -> None:
    told, ledger = Journal(journal), Budget.open(path)
    inner = ledger.scope("analyst", "ann", epsilon=1)
    copy: Ledger = pickle.loads(pickle.dumps(inner))
    for budget in (inner, copy, pickle.loads(pickle.dumps(copy))):
        answer(budget, UNIT, told, "analyst=ann")


def fork_with_a_batch(path: str, journal: str) -> None:
    told, ledger = Journal(journal), Budget.open(path)
    with ledger.batch([loss(), loss()]) as batch:
        answer(batch, UNIT, told)

        def use_again() -> None:
            with journal_errors(told):
                answer(batch, UNIT, told)

        await_end(fork_child(use_again), told)
        answer(batch, UNIT, told)


def fork_among_openers(path: str, journal: str, threads: int, rounds: int) -> None:
    """Fork while threads open and make ledgers all the time: nothing of theirs may be open in the child."""
    told, ledger, stop = Journal(journal), Budget.open(path), threading.Event()
    sys.unraisablehook = lambda event: told.write(fault=f"in a hook: {event.exc_value!r}")
    connect: Callable[..., sqlite3.Connection] = sqlite3.connect

    def connect_slowly(*arguments: Any, **options: Any) -> sqlite3.Connection:
        db = connect(*arguments, **options)
        time.sleep(0.001)
        return db

    def open_and_spend() -> None:
        for turn in itertools.count():
            if stop.is_set():
                break
            own = Budget.open(path)
            spend_some(own, told, 1)
            own.close()
            Budget.open(f"{path}-{threading.get_ident()}-{turn}", epsilon=1).close()

    def spend_alone() -> None:
        if crossed := count_handles(path):
            told.write(fault=f"{crossed} open files crossed the fork")
        else:
            spend_some(ledger, told, 1)

    sqlite3.connect = connect_slowly  # type: ignore[assignment]
    running = [threading.Thread(target=open_and_spend) for _ in range(threads)]
    for thread in running:
        thread.start()
    for _ in range(rounds):
        if not await_end(fork_child(spend_alone), told):
            break
    stop.set()
    for thread in running:
        thread.join()


def count_handles(path: str) -> int:
    """How many handles of ledgers this process has, where the system tells."""
    handles = Path("/proc/self/fd")
    names = [os.readlink(handle) for handle in handles.iterdir() if handle.is_symlink()] if handles.is_dir() else []
    return sum(Path(path).name in name for name in names)
