"""Whole fits to tables with a person: the law of everything they release, one person with all rows more or less.

``fit`` runs as it is, through ``dampen.Table``; every draw in it is decided from outside and priced (``fits.py``).
Released counts are compared before they are rounded to votes.
"""

from collections.abc import Callable, Iterator
from functools import cache
from itertools import combinations_with_replacement, product
from typing import Any

import numpy as np
import pytest

import dampen
from dampen import Adjacency, Budget, Category
from dampen.learn import (
    PrivateClassifier,
    PrivateForestClassifier,
    PrivateTreeClassifier,
    forest,
    private_score,
    score,
    training_table,
)
from dampen.learn.split_choice import SplitChoice
from dampen.learn.training_table import TrainingTable
from dampen.questions.histograms import pose_counts
from dampen.tables.row_owners import Owners
from tests.audit.fits import Decision, worst_loss

EPSILON = 3
BITS = 2
"""Into how many parts votes are cut here: coarse ones round the most."""
Person = tuple[tuple[int, ...], ...]
"""Rows of three attributes and a class."""
People = tuple[Person, ...]
Fit = Callable[[dampen.Table], Any]
ROWS = ((0, 0, 0, 0), (0, 1, 1, 1), (1, 0, 1, 0), (1, 1, 0, 1), (1, 1, 1, 1))
SOME: tuple[People, ...] = (
    (),
    (((0, 0, 0, 0), (1, 1, 0, 1)), ((0, 1, 1, 1),)),
    (((0, 0, 0, 0),) * 3, ((1, 0, 1, 0), (1, 1, 1, 1), (0, 0, 0, 0))),
)


def persons(rows: int) -> list[Person]:
    """All persons with one to so many rows."""
    return [each for count in range(1, rows + 1) for each in combinations_with_replacement(ROWS, count)]


@pytest.fixture(autouse=True)
def _coarse_votes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(training_table, "BITS", BITS)
    monkeypatch.setattr(forest, "BITS", BITS)
    monkeypatch.setattr(score, "BITS", BITS)


def table_of(people: People, adjacency: Adjacency = Adjacency.ADD_REMOVE) -> dampen.Table:
    rows = [(name, *row) for name, person in enumerate(people) for row in person]
    names = ("name", "a", "b", "c", "way")
    return dampen.Table(
        {name: [row[spot] for row in rows] for spot, name in enumerate(names)},
        columns={name: Category(0, 1) for name in names[1:]},
        budget=Budget(epsilon=10**9), adjacency=adjacency, person="name",
    )  # fmt: skip


def near(true: Decision) -> list[Decision]:
    """Every other class raised by votes enough for growth to go on, and the true counts."""
    return [tuple(count + (24 << BITS) * (place % 2 == 0) for place, count in enumerate(true)), true]


def at_odds(true: Decision) -> list[Decision]:
    """Leaves that tell nothing and totals that speak for one class: there weights answer differently."""
    votes = (6, 1) if len(true) == 2 else (1, 1) * (len(true) // 2)
    return [tuple(count << BITS for count in votes)]


def judge(
    fit: Fit, pairs: Iterator[tuple[People, People]], adjacency: Adjacency = Adjacency.ADD_REMOVE,
    options: Callable[[Decision], list[Decision]] = near,
) -> float:  # fmt: skip
    """The worst loss over these pairs of neighbours."""

    def shown(people: People) -> str:
        text: str = fit(table_of(people, adjacency)).to_json()
        return text

    found = [worst_loss(x, y, shown, options) for x, y in pairs]
    assert sum(compared for _, compared in found) > 20
    return max(loss for loss, _ in found)


def added(rows: int, stride: int) -> Iterator[tuple[People, People]]:
    for held, more in product(SOME, persons(rows)[::stride]):
        yield held, (*held, more)


def replaced(stride: int) -> Iterator[tuple[People, People]]:
    for held, (one, other) in product(SOME, product(persons(2)[::stride], persons(2)[1::stride])):
        yield (*held, one), (*held, other)


def fit_classifier(table: dampen.Table) -> Any:
    return PrivateClassifier(EPSILON, expected_records=10, kind="table").fit(table, "way")


def fit_tree(table: dampen.Table) -> Any:
    return PrivateTreeClassifier(EPSILON, 1).fit(table, "way")


def seated(seats: tuple[int, ...], labels: str) -> Fit:
    """A forest of two trees in which person number i has this seat; 2 is held out."""
    drawn = np.array(seats)

    def fit(table: dampen.Table) -> Any:
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(forest, "uniform_batch", lambda people, *_: np.where(drawn == 2, 0, drawn)[:people])
            patch.setattr(forest, "draw_held_out", lambda people, *_: (drawn == 2)[:people])
            model = PrivateForestClassifier(EPSILON, 2, 1, labels, structure=5)
            return model.fit(table, "way")

    return fit


FITS = {
    "classifier": fit_classifier,
    "tree": fit_tree,
    "evidence in a tree": seated((0, 2, 1), "counts"),
    "votes": seated((0, 1, 1), "permute_and_flip"),
}


@pytest.mark.parametrize("name", FITS)
def test_no_fit_loses_more_than_epsilon(name: str) -> None:
    """A person more, of one to two rows, whatever the cells that they are in."""
    worst = judge(FITS[name], added(2, 7))
    assert 0.6 * EPSILON < worst <= EPSILON + 1e-9


def test_a_person_held_out_loses_no_more_than_epsilon() -> None:
    worst = judge(seated((2, 2, 2), "counts"), added(2, 2), options=at_odds)
    assert 0.99 * EPSILON < worst <= EPSILON + 1e-9


@pytest.mark.parametrize("name", ["classifier", "tree", "evidence in a tree"])
def test_a_person_with_other_rows(name: str) -> None:
    worst = judge(FITS[name], replaced(15), Adjacency.REPLACE)
    assert 0.4 * EPSILON < worst <= EPSILON + 1e-9


@pytest.mark.long
@pytest.mark.parametrize("name", FITS)
def test_no_fit_loses_more_than_epsilon_on_more_tables(name: str) -> None:
    assert judge(FITS[name], added(3, 1)) <= EPSILON + 1e-9


@pytest.mark.parametrize("name", ["classifier", "tree"])
def test_rows_counted_as_persons_are_caught(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A planted fault: every row has a vote of its own."""
    monkeypatch.setattr(TrainingTable, "count_votes", lambda self: self)
    assert judge(FITS[name], (((*SOME[1],), (*SOME[1], (row,) * 3)) for row in ROWS[::2])) > 1.2 * EPSILON


@pytest.mark.parametrize("seats", [(0, 0, 0), (2, 2, 2)], ids=["in a tree", "held out"])
def test_rows_of_a_forest_counted_as_persons_are_caught(
    seats: tuple[int, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A planted fault: every row of a person has the weight of a vote."""
    monkeypatch.setattr(Owners, "weights", lambda self, vote: np.full(len(self.codes), vote))
    assert judge(seated(seats, "counts"), added(2, 2), options=at_odds) > 1.5 * EPSILON


def test_a_tree_of_votes_at_the_price_of_units_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    """A planted fault: a choice is drawn as if a person moved it by one unit, not by a vote."""
    pick = SplitChoice.pick_all

    def cheaply(self: SplitChoice, counts: Any, free: Any, layout: Any, share: Any, source: Any) -> Any:
        return pick(self, counts, free, layout, share * (1 << BITS), source)

    monkeypatch.setattr(SplitChoice, "pick_all", cheaply)
    assert judge(fit_tree, added(2, 7)) > 1.2 * EPSILON


def told_of(people: People, adjacency: Adjacency, monkeypatch: pytest.MonkeyPatch) -> tuple[np.ndarray[Any, Any], Any]:
    """What a score counts, in units, and the frame in which it is told."""
    heard = []

    def hear(units: Any, *labels: Any, **public: Any) -> Any:
        heard.append((units, public["frame"]))
        return pose_counts(units, *labels, **public)

    with monkeypatch.context() as patch:
        patch.setattr(score, "pose_counts", hear)
        private_score(model(), table_of(people, adjacency), "way", epsilon=1, budget=Budget(epsilon=1))
    [found] = heard
    return found


@cache
def model() -> PrivateClassifier:
    return PrivateClassifier(10**6, expected_records=10**6, kind="table").fit(table_of((ROWS,) * 3), "way")


@pytest.mark.parametrize("adjacency", [Adjacency.ADD_REMOVE, Adjacency.REPLACE], ids=str)
def test_a_person_moves_a_score_by_one_vote(adjacency: Adjacency, monkeypatch: pytest.MonkeyPatch) -> None:
    """Both counts rise, by a vote together; the frame says so, and twice as much of a person with other rows."""
    for held, more in product(SOME, persons(2)[::2]):
        before, frame = told_of(held, adjacency, monkeypatch)
        after, _ = told_of((*held, more), adjacency, monkeypatch)
        assert (after >= before).all()
        assert (after - before).sum() == 1 << BITS
        assert frame.l1 == (1 << BITS) * (2 if adjacency is Adjacency.REPLACE else 1)
        assert frame.unit == "name"
