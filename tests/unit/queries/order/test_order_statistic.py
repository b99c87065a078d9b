"""A percentile as a number: exact rungs, all small tables, and what is smooth."""

from collections.abc import Callable
from fractions import Fraction
from functools import cache
from math import ceil
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dampen import Adjacency, NumericProblem
from dampen.audit import add_remove_neighbours, multisets, replace_neighbours
from dampen.errors import DataError, ParameterError
from dampen.queries import order_statistic_problem, percentile_value_problem
from dampen.queries.order import order_statistic
from dampen.queries.order.order_statistic import OrderStatisticLadder
from tests.conftest import Refused

DOMAIN = (0, 1, 3, 7)
BOUNDS = (0, 7)
PERCENTS: list[Any] = [0, 25, 50, Fraction(200, 3), 100]
COUNT = 8

Table = tuple[int, ...]


def problem_of(x: Table, p: Any, adjacency: Adjacency = Adjacency.REPLACE) -> NumericProblem:
    return order_statistic_problem(list(x), p, bounds=BOUNDS, adjacency=adjacency)


def largest_changes(
    tables: list[Table], value: dict[Table, int], near: Callable[[Table], Any], count: int
) -> dict[Table, list[int]]:
    """How far one step moves the value of any table within t steps, at most; steps stay within ``tables``."""
    inside = set(tables)
    links = {x: [y for y in near(x) if y in inside] for x in tables}
    rungs = {x: [max((abs(value[x] - value[y]) for y in links[x]), default=0)] for x in tables}
    for t in range(count - 1):
        wider = {x: max([rungs[x][t], *(rungs[y][t] for y in links[x])]) for x in tables}
        for x in tables:
            rungs[x].append(wider[x])
    return rungs


@pytest.mark.parametrize("p", PERCENTS, ids=str)
@pytest.mark.parametrize("n", [1, 2, 3, 5])
def test_replacing_records_the_rungs_are_exact(n: int, p: Any) -> None:
    tables = multisets(DOMAIN, largest=n, smallest=n)
    problems = {x: problem_of(x, p) for x in tables}
    value = {x: int(problem.value) for x, problem in problems.items()}
    changes = largest_changes(tables, value, replace_neighbours(DOMAIN), COUNT)
    for x, problem in problems.items():
        assert value[x] == x[min(n - 1, int(Fraction(p) / 100 * n))]
        assert list(problem.rungs(COUNT)) == changes[x]


RANKS: dict[str, Callable[[Fraction, int], int]] = {
    "floor + 1": lambda share, n: min(n, int(share * n) + 1),
    "ceil": lambda share, n: ceil(share * n),
}
"""The library's rank and the other one that people use."""


@cache
def rungs_and_value(x: Table, p: Any, convention: str) -> tuple[tuple[int, ...], int]:
    places, counts = np.unique(x, return_counts=True)
    rank = RANKS[convention](Fraction(p) / 100, len(x))
    ladder = OrderStatisticLadder(places, counts, rank=rank, last=7)
    return tuple(ladder.steps(COUNT).tolist()), ladder.place


@pytest.mark.parametrize("p", PERCENTS, ids=str)
@pytest.mark.parametrize("convention", RANKS)
def test_with_records_that_come_and_go_they_are_a_ladder(p: Any, convention: str) -> None:
    """From tables of up to five records to those of six: the rank moves with the number of records."""
    near = add_remove_neighbours(DOMAIN)
    pairs = 0
    for x in multisets(DOMAIN, largest=5):
        own, value = rungs_and_value(x, p, convention)
        for y in near(x):
            other, moved = rungs_and_value(y, p, convention)
            assert abs(value - moved) <= min(own[0], other[0])
            assert all(a <= b for a, b in zip(own, other[1:], strict=False))
            assert all(a <= b for a, b in zip(other, own[1:], strict=False))
            pairs += 1
        assert list(own) == sorted(own)
        assert own[-1] == 7
    assert pairs > 500


def test_the_problem_takes_the_first_of_these_ranks() -> None:
    for x in multisets(DOMAIN, largest=4):
        for p in PERCENTS:
            problem = problem_of(x, p, Adjacency.ADD_REMOVE)
            assert (problem.rungs(COUNT), int(problem.value)) == rungs_and_value(x, p, "floor + 1")


def test_the_record_is_that_of_the_percentile_on_a_grid() -> None:
    rng = np.random.default_rng(0)
    for n in (1, 2, 7, 10):
        values = rng.integers(0, 8, n).tolist()
        for p in PERCENTS:
            scored = percentile_value_problem(values, p, grid=range(8), adjacency=Adjacency.REPLACE)
            best = int(np.argmax(np.asarray(scored.utilities)))
            assert problem_of(tuple(values), p).value == best


def test_without_records_the_answer_is_the_lower_bound() -> None:
    problem = order_statistic_problem([], 50, bounds=(2, 9), adjacency=Adjacency.ADD_REMOVE)
    assert problem.value == 2
    assert problem.rungs(2) == (7, 7)
    assert problem.sensitivity.smooth(1).tolist() == [7.0]


def by_definition(x: list[int], m: int, count: int, last: int) -> list[int]:
    padded = {i: (0 if i < 1 else last if i > len(x) else x[i - 1]) for i in range(m - count - 1, m + count + 2)}
    return [max(padded[m + s] - padded[m + s - t - 1] for s in range(t + 2)) for t in range(count)]


@given(st.lists(st.integers(0, 50), min_size=1, max_size=30).map(sorted), st.data())
def test_rungs_and_their_smooth_bound_by_definition(x: list[int], data: st.DataObject) -> None:
    rank = data.draw(st.integers(1, len(x)))
    places, counts = np.unique(x, return_counts=True)
    ladder = OrderStatisticLadder(places, counts, rank=rank, last=50)
    rungs = by_definition(x, rank, 40, 50)
    assert ladder.ladder(40)[:, 0].tolist() == rungs
    assert [ladder.at(t)[0] for t in (0, 3, 39)] == [rungs[t] for t in (0, 3, 39)]
    for beta in (0.01, 0.3, 4):
        expected = max(1.0, *(rung * np.exp(-beta * t) for t, rung in enumerate(rungs)))
        assert ladder.smooth(beta)[0] == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("beta", [0.003, 0.05, 1000])
def test_smooth_of_many_records(beta: float) -> None:
    rng = np.random.default_rng(1)
    x = np.sort(rng.lognormal(6, 1, 3000).astype(np.int64).clip(0, 10**5))
    places, counts = np.unique(x, return_counts=True)
    for rank in (1, 1500, 2990):
        ladder = OrderStatisticLadder(places, counts, rank=rank, last=10**5)
        rungs = ladder.ladder(4000)[:, 0]
        expected = max(1.0, float((rungs * np.exp(-min(beta, 300) * np.arange(4000))).max()))
        assert ladder.smooth(beta)[0] == pytest.approx(expected, rel=1e-12)


def test_rungs_beyond_the_longest_are_the_bound(monkeypatch: pytest.MonkeyPatch) -> None:
    ladder = OrderStatisticLadder([10], [100], rank=50, last=20)
    assert ladder.ladder(6)[:, 0].tolist() == [0] * 6
    monkeypatch.setattr(order_statistic, "LONGEST", 4)
    assert ladder.ladder(6)[:, 0].tolist() == [0, 0, 0, 0, 20, 20]
    assert [ladder.at(t)[0] for t in (3, 4)] == [0, 20]


def test_values_are_clipped_and_taken_down_to_the_grid() -> None:
    problem = order_statistic_problem(
        [-5.0, 0.31, 0.39, 7.0], 50, bounds=(0, 1), resolution="0.1", adjacency=Adjacency.ADD_REMOVE
    )
    assert problem.value == Fraction(3, 10)
    assert problem.steps == 3
    assert problem.frame.reach == 10
    assert problem.frame.range == (Fraction(0), Fraction(1))
    assert problem.rungs(3) == (7, 7, 10)


def test_a_file_gives_the_same_problem(tmp_path: Any) -> None:
    values = [12.5, 3.25, 99.0, 7.0, 7.0]
    (tmp_path / "pay.csv").write_text("pay\n" + "\n".join(map(str, values)) + "\n")
    arguments: dict[str, Any] = {"bounds": (0, 50), "resolution": "0.25", "adjacency": Adjacency.REPLACE}
    one = order_statistic_problem(values, 50, **arguments)
    two = order_statistic_problem(tmp_path / "pay.csv", 50, column="pay", **arguments)
    assert (one.value, one.rungs(6)) == (two.value, two.rungs(6))


def test_refusals(refused: Refused) -> None:
    arguments: dict[str, Any] = {"bounds": (0, 10), "adjacency": Adjacency.REPLACE}
    with refused(ParameterError, "bounds must be at least one resolution apart"):
        order_statistic_problem([1], 50, bounds=(0, 1), resolution=2, adjacency=Adjacency.REPLACE)
    with refused(ParameterError, "p must lie between 0 and 100"):
        order_statistic_problem([1], 101, **arguments)
    with refused(ParameterError, "resolution must be positive"):
        order_statistic_problem([1], 50, resolution=0, **arguments)
    with refused(ParameterError, "adjacency"):
        order_statistic_problem([1], 50, bounds=(0, 10), adjacency=Adjacency.EDGE)
    with refused(DataError, "missing", hidden=("7.5",)):
        order_statistic_problem([7.5, None], 50, **arguments)
    with refused(DataError, "rank"):
        OrderStatisticLadder([1], [2], rank=3, last=4)


def test_a_problem_shows_nothing_of_the_records() -> None:
    problem = order_statistic_problem([41, 43, 47], 50, bounds=(0, 100), adjacency=Adjacency.REPLACE)
    for text in (repr(problem), repr(problem.sensitivity)):
        assert not [number for number in ("41", "43", "47") if number in text]
