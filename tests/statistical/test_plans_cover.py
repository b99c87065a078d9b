"""What a plan says of an error holds: real answers miss it no more often than it says, at alpha = 1e-6.

On data that are the worst there are, and on ordinary ones, for every kind of question. A bound that is 30 % too small
is rejected by the very same test.
"""

from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from scipy.stats import binom

import dampen
from dampen import Adjacency, Budget, Category, Number, StandIn, Table
from dampen.front.question_text import read_question

ALPHA = 1e-6
DRAWS, REJECTING_DRAWS, LONG_DRAWS = 300, 2_500, 10_000
CONFIDENCE = Fraction(19, 20)
PAY = [100 * (i * 37 % 70) for i in range(300)]
TEAM = ["lab" if i % 3 else "sales" for i in range(300)]
COLUMNS: dict[str, Any] = {"pay": Number(0, 8000, step=100), "team": Category("sales", "lab", "board")}
EPSILON = 1
Off = Callable[[Any], float]


def table(pay: list[int], adjacency: Adjacency = Adjacency.ADD_REMOVE) -> Table:
    rows = {"pay": pay, "team": TEAM[: len(pay)]}
    return Table(rows, columns=COLUMNS, budget=Budget(epsilon=10**9, adjacency=adjacency), adjacency=adjacency)


def ranks_off(value: float, p: float, pay: list[int]) -> float:
    ordered = np.sort(pay)
    below, up_to = np.searchsorted(ordered, value), np.searchsorted(ordered, value, "right")
    return max(float(below - p * len(pay) / 100), float(p * len(pay) / 100 - up_to), 0.0)


def count_off(release: Any) -> float:
    return float(abs(release["sales"].value - TEAM.count("sales")))


def median_off(release: Any) -> float:
    return abs(float(release.value) - float(np.sort(PAY)[150]))


def common_off(release: Any) -> float:
    return float(max(map(TEAM.count, set(TEAM))) - TEAM.count(release.value))


LOW, HIGH = [0] * 300, [8000] * 300
KINDS: dict[str, tuple[str, list[int], Off, dict[str, Any]]] = {
    "count": ("count", PAY, lambda release: abs(int(release) - 300), {}),
    "count by team": ("count by team", PAY, count_off, {}),
    "sum": ("sum pay", PAY, lambda release: abs(float(release) - sum(PAY)), {}),
    "mean": ("mean pay", PAY, lambda release: float(abs(float(release) - np.mean(PAY))), {"size": 300}),
    "mean of more than was said": ("mean pay", PAY, lambda r: float(abs(float(r) - np.mean(PAY))), {"size": 200}),
    "mean at the lowest": ("mean pay", LOW, lambda release: float(release), {"size": 300}),
    "mean near the highest": ("mean pay", [7800] * 300, lambda release: abs(float(release) - 7800), {"size": 300}),
    "mean of few": ("mean pay", [8000, 0, 8000], lambda r: abs(float(r) - 16000 / 3), {"size": 3}),
    "variance": ("variance pay", PAY, lambda release: float(abs(float(release) - np.var(PAY))), {"size": 300}),
    "no variance": ("variance pay", HIGH, lambda release: float(release), {"size": 300}),
    "most common": ("most_common team", PAY, common_off, {}),
    "median in values": ("median pay", PAY, median_off, {"size": 300, "stand_ins": {"pay": StandIn(PAY).as_public()}}),
    "percentiles": (
        "percentiles 25,50,75 of pay",
        PAY,
        lambda release: max(ranks_off(each, p, PAY) for each, p in zip(release.value, (25, 50, 75), strict=True)) - 0.2,
        {},
    ),
}
"""A question, the data, how far an answer is off, and what is said to the plan."""


def misses(name: str, draws: int, share: float = 1.0) -> int:
    question, pay, off, said = KINDS[name]
    asked = table(pay)
    planned = dampen.plan(asked, question, epsilon=EPSILON, confidence=CONFIDENCE, **said).questions[0]
    assert planned.error is not None
    assert planned.epsilon is not None
    price = planned.epsilon
    read = read_question(question, COLUMNS)
    rows = read.of(asked)
    return sum(off(read.ask(rows, epsilon=price)) > float(planned.error) * share for _ in range(draws))


def p_value(missed: int, draws: int) -> float:
    return float(binom.sf(missed - 1, draws, float(1 - CONFIDENCE)))


@pytest.mark.parametrize("name", ["count", "mean near the highest", "variance", "median in values"])
def test_planned_errors_cover(name: str) -> None:
    assert p_value(misses(name, DRAWS), DRAWS) > ALPHA


@pytest.mark.long
@pytest.mark.parametrize("name", KINDS)
def test_planned_errors_cover_with_full_counts(name: str) -> None:
    assert p_value(misses(name, LONG_DRAWS), LONG_DRAWS) > ALPHA


@pytest.mark.long
@pytest.mark.parametrize("name", ["sum", "mean near the highest"])
def test_a_plan_that_is_30_percent_too_small_is_rejected(name: str) -> None:
    assert p_value(misses(name, REJECTING_DRAWS, 0.7), REJECTING_DRAWS) < ALPHA


@pytest.mark.long
def test_a_released_size_is_paid_for_by_the_confidence() -> None:
    """The count is drawn anew each time, at a low price, and so is the mean."""
    asked, missed = table([7800] * 300), 0
    draws = LONG_DRAWS // 4
    for _ in range(draws):
        size = asked.count(epsilon="0.05")
        planned = dampen.plan(asked, "mean pay", epsilon=EPSILON, size=size).questions[0]
        missed += abs(float(asked.mean("pay", epsilon=EPSILON)) - 7800) > float(planned.error or 0)
    assert p_value(missed, draws) > ALPHA
