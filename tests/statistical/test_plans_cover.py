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
WHO = [i % 90 if i < 270 else 0 for i in range(300)]
"""Everybody has three rows or four, and one of them thirty more."""
COLUMNS: dict[str, Any] = {"pay": Number(0, 8000, step=100), "team": Category("sales", "lab", "board")}
LIKE_PAY = StandIn(list(PAY)).as_public()
"""Other values than those that are asked, which lie as they do."""
EPSILON = 1
Off = Callable[[Any], float]


def table(pay: list[int], adjacency: Adjacency = Adjacency.ADD_REMOVE, kind: str = "epsilon") -> Table:
    rows = {"pay": pay, "team": TEAM[: len(pay)], "who": WHO[: len(pay)]}
    limit: dict[str, Any] = {"rho": 10**9} if kind == "rho" else {"epsilon": 10**9}
    person = "who" if kind == "people" else None
    return Table(rows, columns=COLUMNS, budget=Budget(**limit, adjacency=adjacency), adjacency=adjacency, person=person)


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


def rows_of_people(cap: int) -> dict[int, list[int]]:
    """The rows of everybody; a person with more than the cap has the weight of so many, spread over all of them."""
    return {who: [PAY[place] for place in range(300) if WHO[place] == who] for who in set(WHO)}


def mean_of_rows(cap: int) -> float:
    """The mean of all rows where nobody weighs more than a cap."""
    weights = {who: min(len(rows), cap) for who, rows in rows_of_people(cap).items()}
    return sum(weights[who] * float(np.mean(rows)) for who, rows in rows_of_people(cap).items()) / sum(weights.values())


def team_mean_off(release: Any) -> float:
    """How far the mean of the team of sales is off, where everybody has one vote, spread over the own rows."""
    votes = [(1 / WHO.count(WHO[place]), PAY[place]) for place in range(300) if TEAM[place] == "sales"]
    return abs(
        float(release["sales"]) - sum(weight * pay for weight, pay in votes) / sum(weight for weight, _ in votes)
    )


LOW, HIGH = [0] * 300, [8000] * 300
IN_SALES = 28
"""Fewer votes than there are in the team of sales."""
Kind = tuple[str, list[int], Off, dict[str, Any]]
KINDS: dict[str, Kind] = {
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
    "median in values": ("median pay", PAY, median_off, {"size": 300, "stand_ins": {"pay": LIKE_PAY}}),
    "percentiles": (
        "percentiles 25,50,75 of pay",
        PAY,
        lambda release: max(ranks_off(each, p, PAY) for each, p in zip(release.value, (25, 50, 75), strict=True)) - 0.2,
        {},
    ),
}
"""A question, the data, how far an answer is off, and what is said to the plan."""
BY_RHO = ("count", "sum", "mean near the highest", "mean of few", "no variance", "median in values", "most common")
PEOPLE: dict[str, Kind] = {
    "count of persons": ("count of persons", PAY, lambda release: abs(int(release) - 90), {}),
    "count under a cap": ("count cap 4", PAY, lambda release: abs(int(release) - (3 * 90 + 1)), {}),
    "mean of persons": (
        "mean pay",
        PAY,
        lambda release: abs(float(release) - float(np.mean([np.mean(own) for own in rows_of_people(1).values()]))),
        {"size": 90},
    ),
    "mean of persons near the highest": (
        "mean pay", [7800] * 300, lambda release: abs(float(release) - 7800), {"size": 90},
    ),
    "mean of rows under a cap": (
        "mean pay of rows cap 4", PAY, lambda release: abs(float(release) - mean_of_rows(4)), {"size": 90},
    ),
    "mean of persons by team": ("mean pay by team", PAY, team_mean_off, {"size": {"mean pay by team": IN_SALES}}),
}  # fmt: skip
CASES: dict[str, tuple[Kind, str]] = {
    **{name: (kind, "epsilon") for name, kind in KINDS.items()},
    **{f"{name}, by rho": (KINDS[name], "rho") for name in BY_RHO},
    **{name: (kind, "people") for name, kind in PEOPLE.items()},
}


IN_SHORT = ("count", "mean near the highest", "variance", "median in values", "mean of few, by rho", "count of persons")
REJECTED = ("sum", "mean near the highest", "mean near the highest, by rho")


def misses(name: str, draws: int, share: float = 1.0) -> int:
    (question, pay, off, said), kind = CASES[name]
    asked = table(pay, kind=kind)
    whole: dict[str, Any] = {"rho" if kind == "rho" else "epsilon": EPSILON}
    planned = dampen.plan(asked, question, confidence=CONFIDENCE, **whole, **said).questions[0]
    assert planned.error is not None
    assert set(planned.price) == set(whole)
    read = read_question(question, COLUMNS)
    rows = read.of(asked)
    return sum(off(read.ask(rows, **planned.price)) > float(planned.error) * share for _ in range(draws))


def p_value(missed: int, draws: int) -> float:
    return float(binom.sf(missed - 1, draws, float(1 - CONFIDENCE)))


@pytest.mark.parametrize("name", IN_SHORT)
def test_planned_errors_cover(name: str) -> None:
    assert p_value(misses(name, DRAWS), DRAWS) > ALPHA


@pytest.mark.long
@pytest.mark.parametrize("name", CASES)
def test_planned_errors_cover_with_full_counts(name: str) -> None:
    assert p_value(misses(name, LONG_DRAWS), LONG_DRAWS) > ALPHA


@pytest.mark.long
@pytest.mark.parametrize("name", REJECTED)
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
