"""The decision table: the exact law of one selection on all small tables, and of whole fits by running fit itself."""

from collections.abc import Callable, Iterator
from fractions import Fraction
from functools import partialmethod
from itertools import combinations
from typing import Any

import numpy as np
import pytest

import dampen
from dampen import Adjacency, Category
from dampen.audit import add_remove_neighbours, audit_selection, multisets, replace_neighbours
from dampen.learn import PrivateClassifier, Schema, noise, table_growth
from dampen.learn.table_growth import Plan, plan
from dampen.mechanisms import PermuteAndFlip
from dampen.problem import SelectionProblem
from dampen.tables.pair_counts import Block
from dampen.vectors import Integers
from tests.split_tables import Cut, cut_problem

Record = tuple[int, ...]
Table = tuple[Record, ...]
Law = dict[str, float]


def posed(x: Table, *, tests: int, kinds: int, cells: int = 1, adjacency: Adjacency) -> SelectionProblem:
    """Records are (cell, class, answers)."""
    rows = np.array(x, dtype=np.int64).reshape(-1, 2 + tests)
    slots = np.where(rows[:, 2:] == 1, np.arange(tests), -1).astype(np.int32)
    blocks = tuple(Block(place, place + 1, False) for place in range(tests))
    cut = Cut(slots, blocks, rows[:, 0], rows[:, 1], cells=cells, kinds=kinds)
    return cut_problem(cut, np.arange(tests), adjacency=adjacency)


@pytest.mark.parametrize(
    ("kinds", "largest", "adjacency"),
    [
        (2, 3, Adjacency.ADD_REMOVE),
        (3, 2, Adjacency.ADD_REMOVE),
        (4, 2, Adjacency.ADD_REMOVE),
        (2, 2, Adjacency.REPLACE),
    ],
    ids=["2-classes", "3-classes", "4-classes", "replace"],
)
def test_one_selection_costs_its_epsilon(kinds: int, largest: int, adjacency: Adjacency) -> None:
    domain = [(0, kind, *answers) for kind in range(kinds) for answers in ((0, 0, 0), (0, 0, 1), (1, 0, 1), (1, 1, 0))]
    around = (add_remove_neighbours if adjacency is Adjacency.ADD_REMOVE else replace_neighbours)(domain)
    report = audit_selection(
        PermuteAndFlip(1), lambda x: posed(x, tests=3, kinds=kinds, adjacency=adjacency),
        multisets(domain, largest=largest, smallest=int(adjacency is Adjacency.REPLACE)), around,
    )  # fmt: skip
    assert report.passed, report
    assert report.worst_log_ratio > (0.89 if adjacency is Adjacency.ADD_REMOVE else 0.5)


def random_pairs(seed: int, count: int) -> Iterator[tuple[Table, Table, int, int]]:
    rng = np.random.default_rng(seed)
    for _ in range(count):
        kinds, cells = int(rng.integers(2, 5)), int(rng.integers(1, 5))
        rows = np.column_stack([rng.integers(0, cells, 14), rng.integers(0, kinds, 14), rng.integers(0, 2, (14, 3))])
        x = tuple(map(tuple, rows[: rng.integers(1, 15)].tolist()))
        yield x, x[:-1], kinds, cells


def test_one_selection_in_cut_tables_is_private_and_tight() -> None:
    mechanism, worst = PermuteAndFlip(1), 0.0
    for x, y, kinds, cells in random_pairs(8, 400):
        laws = [
            np.asarray(
                mechanism.log_probabilities(posed(z, tests=3, kinds=kinds, cells=cells, adjacency=Adjacency.ADD_REMOVE))
            )
            for z in (x, y)
        ]
        worst = max(worst, float(np.abs(laws[0] - laws[1]).max()))
    assert 0.9 < worst <= 1 + 1e-9


def test_one_selection_comes_as_close_to_its_epsilon_as_one_likes() -> None:
    """A stranger in a large pure cell costs nearly 1 unless a test sets it apart; every pair but the first does."""
    crowd = tuple((0, 0, 1, 1, 0) for _ in range(2000))
    laws = [
        np.asarray(PermuteAndFlip(1).log_probabilities(posed(x, tests=3, kinds=2, adjacency=Adjacency.ADD_REMOVE)))
        for x in (crowd, (*crowd, (0, 1, 1, 1, 1)))
    ]
    assert 0.999 < np.abs(laws[0] - laws[1]).max() <= 1


class Script:
    """Takes the place of every draw of a fit: answers by a script and multiplies the chances of its answers.

    An answer beyond the script is the first possible one, and ``choices`` tells how many there were.
    """

    def __init__(self, answers: tuple[int, ...], spread: int) -> None:
        self.spread, self.answers, self.choices, self.log_chance = spread, answers, list[int](), 0.0

    def pick(self, options: int) -> int:
        place = len(self.choices)
        self.choices.append(options)
        return self.answers[place] if place < len(self.answers) else 0

    def choose(self, mechanism: PermuteAndFlip, problem: SelectionProblem) -> int:
        law = np.asarray(mechanism.log_probabilities(problem))
        place = self.pick(len(law))
        self.log_chance += float(law[place])
        return place

    def noisy_counts(self, counts: Integers, rate: Fraction, _source: Any) -> Integers:
        """All vectors of at most ``spread`` ones, of either sign; a single number is 0 or -1.

        Chances but for the factor that all have.
        """
        steps = [(place, step) for place in range(counts.size) for step in (-1, 1)]
        moves = [move for size in range(self.spread + 1) for move in combinations(steps, size)]
        if counts.size == 1:
            moves = moves[:2]
        drawn = np.zeros(counts.size, dtype=np.int64)
        for place, step in moves[self.pick(len(moves))]:
            drawn[place] += step
        self.log_chance -= float(rate) * float(np.abs(drawn).sum())
        return counts + drawn.reshape(counts.shape)


def _chosen_by(mechanism: PermuteAndFlip, script: Script, problem: SelectionProblem, _source: Any) -> int:
    return script.choose(mechanism, problem)


def whole_law(fit: Callable[[], PrivateClassifier], spread: int, monkeypatch: pytest.MonkeyPatch) -> Law:
    """Ln of the chance of everything that a fit lets out, over all scripts."""
    law, waiting = Law(), list[tuple[int, ...]]([()])
    while waiting:
        answers = waiting.pop()
        script = Script(answers, spread)
        monkeypatch.setattr(PermuteAndFlip, "draw", partialmethod(_chosen_by, script))
        monkeypatch.setattr(noise, "noisy_counts", script.noisy_counts)
        shown = fit().to_json()
        if len(script.choices) > len(answers):
            waiting += [(*answers, answer) for answer in range(script.choices[len(answers)])]
        else:
            law.setdefault(shown, script.log_chance)
            assert law[shown] == pytest.approx(script.log_chance)
    return law


def worst_loss(
    model: PrivateClassifier, attributes: int, tables: int, monkeypatch: pytest.MonkeyPatch
) -> tuple[float, int]:
    """Over random tables and a neighbour of each: the largest |ln ratio|, and how many outputs were compared."""
    replaces = model.adjacency is Adjacency.REPLACE

    def law_of(x: Table) -> Law:
        rows = np.array(x)
        return whole_law(lambda: model.fit(rows[:, :-1], rows[:, -1]), 1 + replaces, monkeypatch)

    rng, losses = np.random.default_rng(5), list[float]()
    for _ in range(tables):
        x = tuple(map(tuple, rng.integers(0, 2, (9, attributes + 1)).tolist()))
        y = (*x[:-1], tuple(1 - bit for bit in x[-1])) if replaces else x[:-1]
        one, two = law_of(x), law_of(y)
        losses += [abs(one[shown] - two[shown]) for shown in one.keys() & two.keys()]
    return max(losses), len(losses)


def classifier(
    adjacency: Adjacency = Adjacency.ADD_REMOVE, *, expected: int | None, attributes: int = 3
) -> PrivateClassifier:
    """At epsilon 2, or at 4 where it counts half."""
    schema = Schema({f"x{place}": Category([0, 1]) for place in range(attributes)}, classes=[0, 1])
    epsilon = 4 if adjacency is Adjacency.REPLACE else 2
    return PrivateClassifier(epsilon, schema, dampen.Budget(epsilon=10**9), expected, adjacency, kind="table")


@pytest.mark.parametrize("adjacency", [Adjacency.ADD_REMOVE, Adjacency.REPLACE], ids=["add-remove", "replace"])
@pytest.mark.parametrize("expected", [40, 3, None], ids=["pair", "no-pair", "noisy-size"])
def test_whole_fits_cost_epsilon(adjacency: Adjacency, expected: int | None, monkeypatch: pytest.MonkeyPatch) -> None:
    """``fit`` itself runs; what ``to_json`` shows, which is all that ``predict`` reads, is compared."""
    model = classifier(adjacency, expected=expected)
    worst, compared = worst_loss(model, 3, 1 if adjacency is Adjacency.REPLACE else 3, monkeypatch)
    assert compared > 3
    assert 0.85 * model.epsilon < worst <= model.epsilon + 1e-9


@pytest.mark.long
def test_whole_fits_of_two_pairs_cost_epsilon(monkeypatch: pytest.MonkeyPatch) -> None:
    model = classifier(expected=300, attributes=5)
    worst, compared = worst_loss(model, 5, 2, monkeypatch)
    assert compared >= 2 * 30
    assert 1 < worst <= 2 + 1e-9


def test_a_plan_that_spends_twice_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    """A planted fault: the counts are drawn with all of epsilon, though a choice was paid from it."""

    def spends(epsilon: Fraction, *sizes: int) -> Plan:
        return Plan(plan(epsilon, *sizes).pairs, epsilon)

    monkeypatch.setattr(table_growth, "plan", spends)
    assert worst_loss(classifier(expected=40), 3, 3, monkeypatch)[0] > 2.5
