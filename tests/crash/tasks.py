"""What the children of the crash tests do. Each task runs in a process of its own, forked by ``worker``."""

import json
import os
import random
import resource
import signal
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

from dampen import Adjacency, Budget, PrivacyLoss
from dampen.accounting import store
from dampen.accounting.ledger import Ledger
from dampen.entropy import Entropy
from dampen.errors import DampenError
from dampen.mechanisms import PermuteAndFlip
from dampen.mechanisms.selection.base import SelectionMechanism
from dampen.privacy import BudgetLike
from dampen.problem import Frame, SelectionProblem

PROBLEM = SelectionProblem(Frame(("tea", "coffee", "milk"), 1, Adjacency.ADD_REMOVE), [7, 5, 2])
UNIT = "1/100"
"""What most reservations of these tests cost."""


MOST_GRANTS = 1000
"""A ledger that refuses nothing shall fail a test, and not keep it for ever."""


class Action(NamedTuple):
    """One reservation in ``scope``: of one loss, or of several at once of which ``used`` are released."""

    scope: str
    losses: tuple[str, ...]
    used: int = 1

    @property
    def is_batch(self) -> bool:
        return len(self.losses) > 1


def loss(epsilon: str = UNIT) -> PrivacyLoss:
    return PrivacyLoss(epsilon, adjacency=Adjacency.ADD_REMOVE)


class Journal:
    """Lines that outlive the process: each is handed to the system before the next thing happens."""

    def __init__(self, path: str) -> None:
        self._handle = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o666)

    def write(self, **line: object) -> None:
        os.write(self._handle, (json.dumps(line) + "\n").encode())

    def close(self) -> None:
        os.close(self._handle)


def kill_at(fatal_step: str, occurrence: int) -> None:
    """Let this process die where the step is reached for the ``occurrence``-th time."""
    seen = 0

    def reach(step: str) -> None:
        nonlocal seen
        seen += step == fatal_step
        if step == fatal_step and seen == occurrence:
            os.kill(os.getpid(), signal.SIGKILL)

    store.reach = reach


def scope_of(ledger: Ledger, name: str) -> Ledger:
    for word in name.split("/") if name else []:
        kind, _, own = word.partition("=")
        ledger = ledger.scope(kind, own)
    return ledger


def answer(budget: BudgetLike, epsilon: str, journal: Journal, scope: str = "") -> None:
    """Release for real, then tell that the answer is there."""
    release = PermuteAndFlip(epsilon).release(PROBLEM, budget=budget, note="tea time")
    journal.write(answer=release.value, scope=scope, epsilon=epsilon)


def perform(ledger: Ledger, action: Action, journal: Journal) -> None:
    here = scope_of(ledger, action.scope)
    if not action.is_batch:
        answer(here, action.losses[0], journal, action.scope)
        return
    with here.batch(map(loss, action.losses), note="a list") as batch:
        for epsilon in action.losses[: action.used]:
            answer(batch, epsilon, journal, action.scope)


def die_at(path: str, journal: str, actions: list[list[Any]], step: str, occurrence: int) -> None:
    """Perform the actions; the parent expects to see this process killed on the way."""
    kill_at(step, occurrence)
    ledger, told = Budget.open(path), Journal(journal)
    for scope, losses, used in actions:
        perform(ledger, Action(scope, tuple(losses), used), told)


QUESTION = "which drink?"


def ask(ledger: Ledger, journal: Journal) -> None:
    """As a question is asked of a ledger that keeps answers: told again, or paid for, drawn and kept."""
    kept = ledger.recall(QUESTION)
    journal.write(recalled=kept)
    if kept is None:
        release = PermuteAndFlip(UNIT).release(PROBLEM, budget=ledger)
        journal.write(answer=release.value, scope="", epsilon=UNIT)
        ledger.keep(QUESTION, json.dumps(release.value))


def ask_and_die_at(path: str, journal: str, step: str) -> None:
    kill_at(step, 1)
    ask(Budget.open(path), Journal(journal))


def ask_together(path: str, journal: str, go: str) -> None:
    """All look for an answer before any of them has one."""
    told, ledger = Journal(journal), Budget.open(path)
    told.write(recalled=ledger.recall(QUESTION))
    await_start(go, told)
    with journal_errors(told):
        release = PermuteAndFlip(UNIT).release(PROBLEM, budget=ledger)
        text = json.dumps([release.value, os.getpid()])
        told.write(answer=release.value, scope="", epsilon=UNIT, text=text)
        ledger.keep(QUESTION, text)
        told.write(later=ledger.recall(QUESTION))
    ledger.close()


def keep_on_a_full_disk(path: str, journal: str, size: int) -> None:
    """The charge still fits on the disk, the long answer does not."""
    told, ledger = Journal(journal), Budget.open(path)
    limit_files(size)
    reserved = outcome_of(lambda: PermuteAndFlip(UNIT).release(PROBLEM, budget=ledger))
    kept = outcome_of(lambda: ledger.keep(QUESTION, "x" * 900_000))
    limit_files(-1)
    told.write(reserved=reserved, kept=kept, recalled=ledger.recall(QUESTION))
    ledger.keep(QUESTION, "y")
    told.write(later=ledger.recall(QUESTION))
    ledger.close()


def recall_as_a_reader(path: str, journal: str) -> None:
    told = Journal(journal)
    become(NOBODY)
    ledger = Budget.open(path)
    told.write(recalled=ledger.recall(QUESTION), kept=outcome_of(lambda: ledger.keep("another", "7")))
    told.write(later=ledger.recall("another"))
    ledger.close()


def reserve_without_end(path: str, journal: str, scopes: list[str], seed: int) -> None:
    """Releases, checkpoints and reconnections in random order until someone ends it."""
    ledger, told, chance = Budget.open(path), Journal(journal), random.Random(seed)
    while True:
        losses = (UNIT,) * chance.choice([1, 1, 1, 2, 3])
        perform(ledger, Action(chance.choice(scopes), losses, chance.randint(0, len(losses))), told)
        told.write(done=len(losses))
        between: list[Callable[[], object]] = [ledger.close, ledger.summary, str, str]
        chance.choice(between)()


def create_at(path: str, step: str) -> None:
    kill_at(step, 1)
    Budget.open(path, epsilon=1)


def create_without_end(folder: str) -> None:
    for number in range(10**6):
        Budget.open(Path(folder) / f"{number}.db", epsilon=1).close()


def create_together(path: str, journal: str, go: str) -> None:
    told = Journal(journal)
    await_start(go, told)
    with journal_errors(told):
        answer(Budget.open(path, epsilon=1), UNIT, told)


def await_start(go: str, journal: Journal) -> None:
    """Start at the same moment as the others."""
    journal.write(ready=os.getpid())
    while not Path(go).exists():
        time.sleep(0.0005)


@contextmanager
def journal_errors(journal: Journal) -> Iterator[None]:
    """Tell how it ended: every refusal by its class and text; what is no refusal of dampen's as a fault."""
    try:
        yield
    except DampenError as error:
        journal.write(refused=type(error).__name__, text=str(error))
    except BaseException as error:
        journal.write(fault=repr(error))


def spend(path: str, journal: str, go: str, scope: str, sizes: list[int], reopen: bool) -> None:
    """Reserve lists of the given sizes, each size until it is refused."""
    told = Journal(journal)
    ledger = Budget.open(path)
    await_start(go, told)
    for size in sizes:
        with journal_errors(told):
            for _ in range(MOST_GRANTS):
                scope_of(ledger, scope).batch([loss()] * size)
                told.write(granted=size)
                if reopen:
                    ledger.close()
                    ledger = Budget.open(path)
    ledger.close()


def come_and_go(path: str, journal: str, times: int) -> None:
    """Another process that opens the ledger, spends one unit and closes it again."""
    told = Journal(journal)
    with journal_errors(told):
        for _ in range(times):
            ledger = Budget.open(path)
            answer(ledger, UNIT, told)
            ledger.close()


def spend_through_restarts(path: str, journal: str, stop: str) -> None:
    """Release until told to stop, whatever becomes of the server; what is refused is told and tried again."""
    told, ledger = Journal(journal), Budget.open(path)
    while not Path(stop).exists():
        with journal_errors(told):
            answer(ledger, UNIT, told)
    ledger.close()


# A full disk


def limit_files(size: int) -> None:
    """Let no file grow beyond ``size``, as if the disk were full; -1 takes the limit away."""
    _, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, hard))


class Draws:
    """How often anything was drawn at all."""

    def __init__(self) -> None:
        self.count = 0
        draw: Callable[..., Any] = PermuteAndFlip.draw

        def count(mechanism: SelectionMechanism, problem: SelectionProblem, source: Entropy) -> Any:
            self.count += 1
            return draw(mechanism, problem, source)

        PermuteAndFlip.draw = count  # type: ignore[method-assign,assignment]


def outcome_of(work: Callable[[], object]) -> dict[str, object]:
    """What came of it: nothing to tell, a refusal of dampen's, or a fault."""
    try:
        work()
    except DampenError as error:
        return {"refused": type(error).__name__, "text": str(error)}
    except BaseException as error:
        return {"fault": repr(error)}
    return {"done": True}


def release_on_a_full_disk(path: str, journal: str, size: int, most: int) -> None:
    """Release until the disk is full, also after that; make room, and release once more with the same ledger."""
    draws, ledger, told = Draws(), Budget.open(path), Journal(journal)
    outcomes = []
    limit_files(size)
    for _ in range(most):
        outcomes.append(outcome_of(lambda: PermuteAndFlip(UNIT).release(PROBLEM, budget=ledger, note="full")))
        if sum("done" not in outcome for outcome in outcomes) == 3:
            break
    drawn = draws.count
    reads = outcome_of(lambda: ledger.spent)
    limit_files(-1)
    for outcome in outcomes:
        told.write(**outcome)
    told.write(reads=reads, drawn=drawn)
    told.write(later=outcome_of(lambda: PermuteAndFlip(UNIT).release(PROBLEM, budget=ledger)))
    ledger.close()


def create_on_a_full_disk(path: str, journal: str, size: int) -> None:
    told = Journal(journal)
    limit_files(size)
    outcome = outcome_of(lambda: Budget.open(path, epsilon=1).close())
    limit_files(-1)
    told.write(**outcome)


# Without the right to write


NOBODY = 65534
"""A user without any rights of its own."""


def become(user: int) -> None:
    """Permission bits do not stop root."""
    if os.getuid() == 0:
        os.setgroups([])
        os.setgid(user)
        os.setuid(user)


def look_at(path: str, journal: str, user: int = NOBODY) -> None:
    """Try to spend, and read everything that can be read."""
    told, draws = Journal(journal), Draws()
    become(user)
    opened: list[Ledger] = []
    told.write(opened=outcome_of(lambda: opened.append(Budget.open(path))))
    if not opened:
        return
    [ledger] = opened
    told.write(reserve=outcome_of(lambda: PermuteAndFlip(UNIT).release(PROBLEM, budget=ledger)), drawn=draws.count)
    told.write(batch=outcome_of(lambda: ledger.batch([loss(), loss()])))
    told.write(scope=outcome_of(lambda: ledger.scope("analyst", "new", epsilon=1)))
    told.write(limit=outcome_of(lambda: ledger.change_limit(epsilon=5)))
    told.write(spent=_try_reading(lambda: str(ledger.spent.epsilon)))
    told.write(summary=_try_reading(lambda: str(ledger.summary().accounts[0].spent.epsilon)))
    told.write(unfinished=_try_reading(lambda: len(ledger.unfinished())))
    told.write(verify=_try_reading(lambda: str(ledger.verify())))
    told.write(history=_try_reading(lambda: len(ledger.history())))
    told.write(head=_try_reading(lambda: ledger.head))
    ledger.close()


def create_without_rights(path: str, journal: str) -> None:
    told = Journal(journal)
    become(NOBODY)
    told.write(**outcome_of(lambda: Budget.open(path, epsilon=1)))


def _try_reading(read: Callable[[], object]) -> object:
    try:
        return read()
    except BaseException as error:
        return repr(error)
