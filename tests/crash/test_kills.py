"""Kill -9 at every named step of a reservation, and at moments that nobody chose.

What a child had obtained is in its journal. What the file must hold is derived from the step, not from dampen.
"""

import os
import random
import signal
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import closing
from fractions import Fraction
from pathlib import Path
from typing import NamedTuple

import pytest

from dampen import Budget
from dampen.accounting import store
from dampen.accounting.slots import SlotAmount
from dampen.accounting.store import STEPS
from dampen.errors import BudgetExceeded
from tests.crash import tasks
from tests.crash.books import Books, Nursery, Place, answers_of, assert_paid, audit_ledger, await_lines, journal_of
from tests.crash.tasks import UNIT, Action, loss

KILLED = -signal.SIGKILL
PlaceIn = Callable[[Path], Place]
SCOPES = ["", "analyst=ann", "analyst=ann/project=census", "analyst=bob"]
kills: Counter[str] = Counter()
"""How often a child was killed at each step, in this process."""


class Moment(NamedTuple):
    """A step that the actions pass, and what must be there if the process ends at it."""

    step: str
    charges: tuple[tuple[str, Fraction], ...]
    outcomes: tuple[str, ...]
    answers: tuple[tuple[str, Fraction], ...]


def passage(actions: list[Action]) -> Iterator[Moment]:
    """All steps that the actions pass, in order: a charge counts from its COMMIT on, an answer from its return on."""
    charges: tuple[tuple[str, Fraction], ...] = ()
    outcomes: tuple[str, ...] = ()
    answers: tuple[tuple[str, Fraction], ...] = ()
    for action in actions:
        for step in ("before BEGIN", "after the check", "after INSERT", "before COMMIT"):
            yield Moment(step, charges, outcomes, answers)
        charges += tuple((action.scope, Fraction(epsilon)) for epsilon in action.losses)
        yield Moment("after COMMIT", charges, outcomes, answers)
        for place, epsilon in enumerate(action.losses):
            for step in ("after the draw", "before the outcome", "inside the outcome"):
                yield Moment(step, charges, outcomes, answers)
            outcomes += ("done" if place < action.used else "unused",)
            yield Moment("after the outcome", charges, outcomes, answers)
            if place < action.used:
                answers += ((action.scope, Fraction(epsilon)),)


def single(scope: str, epsilon: str = UNIT) -> Action:
    return Action(scope, (epsilon,))


def random_actions(chance: random.Random) -> list[Action]:
    sizes = [1, 1, 1, 2, 3]
    lists = [(UNIT, "1/90", "1/80")[: chance.choice(sizes)] for _ in range(chance.randint(4, 7))]
    return [
        Action(chance.choice(SCOPES), losses, 1 if len(losses) == 1 else chance.randint(0, len(losses)))
        for losses in lists
    ]


VARIANTS: dict[str, list[Action]] = {
    "the whole budget": [single("")] * 4,
    "one scope": [single("analyst=ann", "1/300")] * 4,
    "a scope in a scope": [single("analyst=ann/project=census", "1/70")] * 3,
    "scopes in turn": [
        single(scope, epsilon) for scope, epsilon in zip(SCOPES, ("1/3", "1/7", "1/11", "1/13"), strict=True)
    ],
    "lists": [Action("", (UNIT, "1/90", "1/80"), 2)] * 3,
    "lists in a scope": [Action("analyst=ann/project=census", (UNIT, "1/99"), 2)] * 3,
    "unused lists": [Action("analyst=bob", (UNIT, UNIT), 0)] * 3,
    "lists and single ones": [single(""), Action("analyst=ann", (UNIT,) * 3, 3), single("analyst=bob")] * 2,
}


class Study(NamedTuple):
    """A ledger, and a folder for what is told of it."""

    place: Place
    folder: Path


def new_study(folder: Path, place: Place) -> Study:
    """A ledger with scopes and some entries, at rest."""
    folder.mkdir()
    ledger = Budget.open(place, epsilon=1000)
    ann = ledger.scope("analyst", "ann", epsilon=400)
    ann.scope("project", "census", epsilon=200)
    ledger.scope("analyst", "bob", epsilon=300)
    ann.reserve(loss())
    ledger.close()
    return Study(place, folder)


@pytest.fixture
def study(tmp_path: Path, place_in: PlaceIn) -> Study:
    return new_study(tmp_path / "folder", place_in(tmp_path / "folder"))


def kill_once(nursery: Nursery, study: Study, actions: list[Action], step: str, occurrence: int) -> None:
    """Let a child die there; the file holds exactly what it must, and the ledger goes on."""
    before, journal = Books.read(study.place), study.folder / f"journal-{sum(kills.values())}"
    moments = [moment for moment in passage(actions) if moment.step == step]
    expected = moments[occurrence - 1]
    fatal = {"actions": actions, "step": step, "occurrence": occurrence}
    assert nursery.run(tasks.die_at, path=study.place, journal=journal, **fatal) == KILLED
    kills[step] += 1
    books = audit_ledger(study.place, head=before.head)
    assert books.rows[: len(before.rows)] == before.rows
    assert tuple(answers_of(journal)) == expected.answers
    assert tuple(books.charges[len(before.charges) :]) == expected.charges
    assert tuple(books.outcomes[len(before.outcomes) :]) == expected.outcomes
    assert len(books.unfinished) == len(before.unfinished) + len(expected.charges) - len(expected.outcomes)
    assert_paid(answers_of(journal), books.charges)


def report(counted: Counter[str], record: Callable[[str, object], None]) -> None:
    """The table of kills; a step without one is a hole in the test."""
    print(*(f"{counted[step]:5d} kills {step}" for step in STEPS), f"{counted.total():5d} kills in all", sep="\n")
    for step in STEPS:
        record(f"kills {step}", counted[step])
    assert [step for step in STEPS if not counted[step]] == []


def test_the_model_passes_every_step_in_order() -> None:
    assert [moment.step for moment in passage([single("")])] == list(STEPS)


def test_kill_nine_at_every_step_of_every_kind_of_reservation(
    nursery: Nursery, tmp_path: Path, place_in: PlaceIn, record_property: Callable[[str, object], None]
) -> None:
    kills.clear()
    for name, actions in list(VARIANTS.items())[1:]:
        study = new_study(tmp_path / name, place_in(tmp_path / name))
        for turn, step in enumerate(STEPS):
            times = sum(moment.step == step for moment in passage(actions))
            kill_once(nursery, study, actions, step, times - turn % 2)
    report(kills, record_property)
    assert kills.total() >= 60


@pytest.mark.long
def test_five_hundred_kills(
    nursery: Nursery, tmp_path: Path, place_in: PlaceIn, record_property: Callable[[str, object], None]
) -> None:
    kills.clear()
    chance = random.Random(2024)
    for part in range(15):
        study = new_study(tmp_path / str(part), place_in(tmp_path / str(part)))
        for step in STEPS * 4:
            actions = random_actions(chance)
            times = sum(moment.step == step for moment in passage(actions))
            kill_once(nursery, study, actions, step, chance.randint(2, times))
    report(kills, record_property)
    assert kills.total() >= 500


@pytest.mark.parametrize("step", STEPS)
def test_the_last_unit_is_granted_once_however_the_process_died(
    nursery: Nursery, tmp_path: Path, place_in: PlaceIn, step: str
) -> None:
    study, journal = place_in(tmp_path), tmp_path / "journal"
    Budget.open(study, epsilon="3/100").close()
    ended = nursery.run(tasks.die_at, path=study, journal=journal, actions=[single("")] * 3, step=step, occurrence=3)
    assert ended == KILLED
    ledger = Budget.open(study)
    charged = 3 if STEPS.index(step) >= STEPS.index("after COMMIT") else 2
    assert ledger.spent.epsilon == Fraction(charged, 100)
    for _ in range(3 - charged):
        ledger.reserve(loss())
    with pytest.raises(BudgetExceeded):
        ledger.reserve(loss("1e-9"))
    ledger.close()
    assert len(audit_ledger(study).charges) == 3


SLOTS = {UNIT: 300, "1/90": 200, "1/80": 200}
"""Slots of a study: which epsilons, and how many of each."""


def new_study_of_slots(folder: Path, place: Place) -> Study:
    folder.mkdir()
    ledger = Budget.open(place, slots=[loss(each) for each, count in SLOTS.items() for _ in range(count)], epsilon=9)
    ledger.reserve(loss())
    ledger.close()
    return Study(place, folder)


def assert_use_follows(place: Place) -> None:
    """What a ledger says of its slots is what its charges say, read without dampen's help."""
    charged = Counter(epsilon for _, epsilon in Books.read(place).charges)
    with closing(Budget.open(place)) as ledger:
        assert isinstance(ledger.spent, SlotAmount)
        assert {slot.epsilon: count for slot, count in ledger.spent.kinds} == charged
        assert isinstance(ledger.remaining, SlotAmount)
        assert ledger.spent.count + ledger.remaining.count == sum(SLOTS.values())


def test_kills_at_some_steps_of_a_ledger_of_slots(nursery: Nursery, tmp_path: Path, place_in: PlaceIn) -> None:
    study = new_study_of_slots(tmp_path / "slots", place_in(tmp_path / "slots"))
    actions = [single(""), Action("", (UNIT, "1/90", "1/80"), 2), single("", "1/90")]
    for turn, step in enumerate(STEPS[::2]):
        times = sum(moment.step == step for moment in passage(actions))
        kill_once(nursery, study, actions, step, times - turn % 2)
        assert_use_follows(study.place)


@pytest.mark.long
def test_two_hundred_kills_of_a_ledger_of_slots(nursery: Nursery, tmp_path: Path, place_in: PlaceIn) -> None:
    chance = random.Random(2025)
    for part in range(6):
        study = new_study_of_slots(tmp_path / str(part), place_in(tmp_path / str(part)))
        for step in STEPS * 4:
            actions = [action._replace(scope="") for action in random_actions(chance)]
            times = sum(moment.step == step for moment in passage(actions))
            kill_once(nursery, study, actions, step, chance.randint(2, times))
            assert_use_follows(study.place)


@pytest.mark.parametrize(
    "step",
    [pytest.param(step, marks=[pytest.mark.long] * (step not in ("before COMMIT", "after COMMIT"))) for step in STEPS],
)
def test_the_last_slot_is_granted_once_however_the_process_died(
    nursery: Nursery, tmp_path: Path, place_in: PlaceIn, step: str
) -> None:
    study, journal = place_in(tmp_path), tmp_path / "journal"
    Budget.open(study, slots=[loss()] * 2, epsilon=1).close()
    ended = nursery.run(tasks.die_at, path=study, journal=journal, actions=[single("")] * 2, step=step, occurrence=2)
    assert ended == KILLED
    with closing(Budget.open(study)) as ledger:
        if STEPS.index(step) < STEPS.index("after COMMIT"):
            ledger.reserve(loss())
        with pytest.raises(BudgetExceeded):
            ledger.reserve(loss("1e-9"))
        assert ledger.verify()
    assert len(Books.read(study).charges) == 2


@pytest.mark.parametrize("action", [single(""), Action("", (UNIT,) * 3, 3)], ids=["single", "list"])
@pytest.mark.parametrize("step", STEPS)
def test_an_interrupt_at_any_step_keeps_all_or_nothing(
    tmp_path: Path, place_in: PlaceIn, monkeypatch: pytest.MonkeyPatch, step: str, action: Action
) -> None:
    """Ctrl-C where others are killed: the process lives on with the same ledger."""

    def interrupt(reached: str) -> None:
        if reached == step:
            raise KeyboardInterrupt

    ledger, journal = Budget.open(place_in(tmp_path), epsilon=1), tasks.Journal(str(tmp_path / "journal"))
    monkeypatch.setattr(store, "reach", interrupt)
    with pytest.raises(KeyboardInterrupt):
        tasks.perform(ledger, action, journal)
    monkeypatch.undo()
    expected = next(moment for moment in passage([action]) if moment.step == step)
    assert ledger.spent.epsilon == len(expected.charges) * Fraction(UNIT)
    tasks.perform(ledger, action, journal)
    ledger.close()
    journal.close()
    books = audit_ledger(place_in(tmp_path))
    assert len(books.charges) == len(expected.charges) + len(action.losses)
    assert_paid(answers_of(tmp_path / "journal"), books.charges)


def kill_at_random(nursery: Nursery, study: Study, chance: random.Random) -> None:
    """The child is ended from outside; at most the list in flight may be paid for and not answered."""
    before, journal = Books.read(study.place), study.folder / f"random-{chance.random()}"
    child = nursery.start(
        tasks.reserve_without_end, path=study.place, journal=journal, scopes=SCOPES, seed=chance.getrandbits(30)
    )
    await_lines(journal, chance.randint(0, 6), "done")
    time.sleep(chance.uniform(0, 0.01))
    os.kill(child, signal.SIGKILL)
    assert nursery.wait(child) == KILLED
    books = audit_ledger(study.place, head=before.head)
    assert books.rows[: len(before.rows)] == before.rows
    new = books.charges[len(before.charges) :]
    assert_paid(answers_of(journal), new)
    completed = sum(line.get("done", 0) for line in journal_of(journal))
    assert completed <= len(new) <= completed + 3
    assert len(books.unfinished) - len(before.unfinished) <= 3


def test_kills_at_random_moments(nursery: Nursery, study: Study) -> None:
    chance = random.Random(7)
    for _ in range(12):
        kill_at_random(nursery, study, chance)


@pytest.mark.long
def test_many_kills_at_random_moments(nursery: Nursery, tmp_path: Path, place_in: PlaceIn) -> None:
    chance = random.Random(8)
    for part in range(10):
        study = new_study(tmp_path / str(part), place_in(tmp_path / str(part)))
        for _ in range(20):
            kill_at_random(nursery, study, chance)


def test_two_processes_die_at_random_moments_and_a_third_goes_on(nursery: Nursery, study: Study) -> None:
    chance = random.Random(9)
    for turn in range(3):
        before = Books.read(study.place)
        journals = [study.folder / f"{turn}-{name}" for name in ("one", "two", "three")]
        children = [
            nursery.start(tasks.reserve_without_end, path=study.place, journal=journal, scopes=SCOPES, seed=turn)
            for journal in journals
        ]
        await_lines(journals[0], 3, "done")
        for child in children:
            time.sleep(chance.uniform(0, 0.01))
            os.kill(child, signal.SIGKILL)
        assert [nursery.wait(child) for child in children] == [KILLED] * 3
        books = audit_ledger(study.place, head=before.head)
        new = books.charges[len(before.charges) :]
        assert_paid([answer for journal in journals for answer in answers_of(journal)], new)
        assert len(books.unfinished) - len(before.unfinished) <= 9
