"""Whole fits of forests whose leaves tell counts: the law of all that they release, over every way to take seats.

``fit`` runs as it is. Seats of records, released numbers and the weight are decided from outside, and what was decided
is priced with its exact law, given the table.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from math import exp, log, log1p
from typing import Any

import numpy as np
import pytest

from dampen import Adjacency, Budget
from dampen.audit import add_remove_neighbours, multisets, replace_neighbours
from dampen.learn import PrivateForestClassifier, forest, noise
from dampen.mechanisms import SelectionMechanism
from dampen.mechanisms.selection.base import SingleMechanism
from dampen.problem import SelectionProblem
from dampen.vectors import Integers
from tests.audit.test_forest_fits import DOMAIN, LEAVES, SCHEMA, TESTS, TREES, Table

EPSILON = 2
HELD_OUT = 2
"""In place of a tree: the record is held out."""
Seats = tuple[int, ...]
CHANCES = {0: 7 / 16, 1: 7 / 16, HELD_OUT: 1 / 8}


@dataclass(frozen=True)
class Released:
    """What a fit is made to release: counts by tree, leaf and class, totals of held-out records, the weight's place."""

    counts: Seats
    totals: tuple[int, int]
    weight: int


def _raised(place: int) -> Seats:
    return tuple(4 * (other == place) for other in range(TREES * LEAVES * 2))


OUTCOMES = [
    Released(counts, totals, weight)
    for counts in [(0, 1) * 4, (-2, 3) * 4, _raised(0)]
    for totals in [(6, 1), (-1, 2)]
    for weight in (0, 1)
]
"""Evidence for one class and totals for the other: there the two weights answer differently."""


def price(x: Table, seats: Seats, outcome: Released, adjacency: Adjacency) -> tuple[float, str]:
    """The logarithm of the probability of an outcome, given the seats, and all that the fitted forest shows."""
    drawn, paid = np.array(seats, dtype=np.int64), [0.0]
    decided = iter([outcome.counts, outcome.totals])

    def noisy_counts(counts: Integers, rate: Fraction, _: Any) -> Integers:
        released = np.array(next(decided), dtype=np.int64).reshape(counts.shape)
        normal = log1p(-exp(-float(rate))) - log1p(exp(-float(rate)))
        paid[0] += counts.size * normal - float(rate) * float(np.abs(released - counts).sum())
        return released

    def draw(mechanism: SelectionMechanism, problem: SelectionProblem, _: Any) -> int:
        paid[0] += float(np.asarray(mechanism.log_probabilities(problem))[outcome.weight])
        return outcome.weight

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(forest, "draw_trees", lambda *_: TESTS)
        patch.setattr(forest, "uniform_batch", lambda *_: np.where(drawn == HELD_OUT, 0, drawn))
        patch.setattr(forest, "draw_held_out", lambda *_: drawn == HELD_OUT)
        patch.setattr(noise, "noisy_counts", noisy_counts)
        patch.setattr(SingleMechanism, "draw", draw)
        rows = np.array(x, dtype=np.int64).reshape(-1, 2)
        made = PrivateForestClassifier(
            EPSILON, TREES, 1, schema=SCHEMA, budget=Budget(epsilon=EPSILON), adjacency=adjacency
        )
        made.fit(rows[:, :1], rows[:, 1])
    return paid[0], made.to_json() + str(made.predict_proba([[0], [1]]).tolist())


def all_seats(rows: int) -> Iterator[tuple[Seats, float]]:
    for seats in product(CHANCES, repeat=rows):
        yield seats, float(np.prod([CHANCES[seat] for seat in seats]))


def mixed(x: Table, adjacency: Adjacency) -> list[tuple[float, str]]:
    """For each outcome its log-probability, over all seats, and what it shows."""
    found = []
    for outcome in OUTCOMES:
        prices = [(chance, *price(x, seats, outcome, adjacency)) for seats, chance in all_seats(len(x))]
        assert len({shown for *_, shown in prices}) == 1, "what a fit shows is released"
        found.append((log(sum(chance * exp(loss) for chance, loss, _ in prices)), prices[0][2]))
    return found


@pytest.mark.parametrize("adjacency", [Adjacency.ADD_REMOVE, Adjacency.REPLACE], ids=lambda a: a.value)
def test_no_fit_loses_more_than_epsilon(adjacency: Adjacency) -> None:
    replaced = adjacency is Adjacency.REPLACE
    neighbours = (replace_neighbours if replaced else add_remove_neighbours)(DOMAIN)
    tables = multisets(DOMAIN, largest=2, smallest=2 if replaced else 0)
    laws = {x: mixed(x, adjacency) for x in tables}
    worst = 0.0
    pairs = [(x, y) for x in tables for y in neighbours(x) if y in laws]
    for x, y in pairs:
        for (one, shown), (other, same) in zip(laws[x], laws[y], strict=True):
            assert shown == same
            worst = max(worst, abs(one - other))
    assert 0.3 < worst <= EPSILON + 1e-9


def worst_given_seats(x: Table) -> dict[int, float]:
    """For each seat that one record more may take, the largest loss."""
    worst = dict.fromkeys(CHANCES, 0.0)
    for seats, _ in all_seats(len(x)):
        for outcome in OUTCOMES:
            without, _ = price(x, seats, outcome, Adjacency.ADD_REMOVE)
            for seat, (value, label) in product(CHANCES, DOMAIN):
                loss = price((*x, (value, label)), (*seats, seat), outcome, Adjacency.ADD_REMOVE)[0] - without
                worst[seat] = max(worst[seat], abs(loss))
    return worst


def test_every_seat_costs_epsilon_and_no_more() -> None:
    """For a record that is held out, the totals and the choice of a weight come to epsilon together."""
    assert worst_given_seats(((0, 1),)) == pytest.approx(dict.fromkeys(CHANCES, EPSILON))


def test_held_out_records_that_trees_count_too_lose_more(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(forest, "NO_TREE", 0)
    worst = worst_given_seats(((0, 1),))
    assert worst[0] == pytest.approx(EPSILON)
    assert worst[HELD_OUT] > 1.5 * EPSILON
