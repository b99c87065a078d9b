"""Tasks that fork, or hand a ledger to another process."""

import multiprocessing
import os
import pickle
import threading
import warnings
from collections.abc import Callable
from multiprocessing.context import BaseContext

from dampen import Budget
from dampen.accounting import steps
from dampen.accounting.ledger import Ledger
from tests.crash.tasks import UNIT, Journal, answer, loss, telling

warnings.filterwarnings("ignore", message=".*fork", category=DeprecationWarning)


def forked(work: Callable[[], None]) -> int:
    """Run ``work`` in a forked child."""
    child = os.fork()
    if child:
        return child
    status = 1
    try:
        work()
        status = 0
    finally:
        os._exit(status)


def ended(child: int, journal: Journal) -> None:
    _, status = os.waitpid(child, 0)
    if status:
        journal.write(fault=f"the child ended with {os.waitstatus_to_exitcode(status)}")


def spend_some(ledger: Ledger, journal: Journal, times: int) -> None:
    with telling(journal):
        for _ in range(times):
            answer(ledger, UNIT, journal)


def fork_between(path: str, journal: str, rounds: int) -> None:
    """Both sides go on with a ledger that was in use before the fork; so do a scope of it and a second ledger."""
    told = Journal(journal)
    ledger, second = Budget.open(path), Budget.open(path)
    inner = ledger.scope("analyst", "ann", epsilon=1)
    for _ in range(rounds):
        for budget in (ledger, second, inner):
            spend_some(budget, told, 1)
        child = forked(lambda: [spend_some(budget, told, 2) for budget in (ledger, second, inner)] and None)
        spend_some(ledger, told, 3)
        ended(child, told)


def fork_inside(path: str, journal: str, rounds: int) -> None:
    """Fork while another thread is inside a transaction, which must end on one side only."""
    told, ledger = Journal(journal), Budget.open(path)
    inside, forking = threading.Event(), threading.Event()

    def reached(step: str) -> None:
        if step == "after INSERT" and threading.current_thread() is not threading.main_thread():
            inside.set()
            forking.wait(0.05)

    steps.reached = reached
    for _ in range(rounds):
        inside.clear()
        forking.clear()
        thread = threading.Thread(target=spend_some, args=(ledger, told, 2))
        thread.start()
        inside.wait()
        child = forked(lambda: spend_some(ledger, told, 1))
        forking.set()
        thread.join()
        ended(child, told)


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
        ended(forked(lambda: spend_some(ledger, told, 1)), told)
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

    forked(outlive)
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


def pickle_round(path: str, journal: str) -> None:
    told, ledger = Journal(journal), Budget.open(path)
    copy: Ledger = pickle.loads(pickle.dumps(ledger.scope("analyst", "ann", epsilon=1)))
    copy.reserve(loss())
    told.write(answer="none", scope="analyst=ann", epsilon=UNIT)
