"""Counts, sums, means and variances as problems: bounds over all small tables, filters, refusals."""

from fractions import Fraction
from functools import cache
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

from dampen import Adjacency, NumericProblem
from dampen.audit import add_remove_neighbours, multisets, replace_neighbours
from dampen.errors import DataError, ParameterError
from dampen.queries import mean_part_problems, mean_problem, row_count_problem, sum_problem
from dampen.queries.sums import variance_part_problems
from dampen.tables.engines import Source
from tests.conftest import Refused

ADD_REMOVE, REPLACE = Adjacency.ADD_REMOVE, Adjacency.REPLACE
DOMAIN = (-3, 0, 2, 9)
BOUNDS: list[tuple[Any, Any]] = [(-2, 4), (-7, -1), (1, "4.5"), ("-0.5", "0.25")]
RESOLUTIONS: list[Any] = [1, "0.3", 4]


def largest_change(problems: dict[Any, NumericProblem], neighbours: Any) -> int:
    """How far a step moves the value, in grid steps."""
    pairs = ((x, y) for x in problems for y in neighbours(x) if y in problems)
    return max(abs(problems[x].steps - problems[y].steps) for x, y in pairs)


@pytest.mark.parametrize("bounds", BOUNDS, ids=str)
@pytest.mark.parametrize("resolution", RESOLUTIONS, ids=str)
def test_sums_move_by_no_more_than_their_reach(bounds: Any, resolution: Any) -> None:
    wide = (-10, -3, -1, 0, 2, 3, 10)
    tables = multisets(wide, largest=2)
    for adjacency, near in ((ADD_REMOVE, add_remove_neighbours(wide)), (REPLACE, replace_neighbours(wide))):
        problems = {x: sum_problem(list(x), bounds=bounds, resolution=resolution, adjacency=adjacency) for x in tables}
        reach = problems[()].frame.reach
        assert largest_change(problems, near) <= reach
        assert adjacency is REPLACE or resolution != 1 or largest_change(problems, near) >= reach - 1


def test_bounds_of_sums() -> None:
    for bounds, more, other in (((0, 10), 10, 10), ((-4, 3), 4, 7), ((-9, -2), 9, 7)):
        assert sum_problem([1], bounds=bounds, adjacency=ADD_REMOVE).frame.bound == more
        assert sum_problem([1], bounds=bounds, adjacency=REPLACE).frame.bound == other


@pytest.mark.parametrize("n", [1, 3])
def test_means_move_by_no_more_than_their_reach(n: int) -> None:
    tables = multisets(DOMAIN, largest=n, smallest=n)
    for bounds, resolution in product(BOUNDS, RESOLUTIONS):
        problems = {x: mean_problem(list(x), bounds=bounds, resolution=resolution) for x in tables}
        frame = problems[tables[0]].frame
        assert frame.bound == (Fraction(bounds[1]) - Fraction(bounds[0])) / n
        assert frame.adjacency is REPLACE
        assert frame.range == tuple(map(Fraction, bounds))
        assert largest_change(problems, replace_neighbours(DOMAIN)) <= frame.reach


def test_parts_of_a_mean() -> None:
    tables = multisets(DOMAIN, largest=3)
    for bounds, resolution in product(BOUNDS, RESOLUTIONS):
        parts = {x: mean_part_problems(list(x), bounds=bounds, resolution=resolution) for x in tables}
        for part in (0, 1):
            problems = {x: both[part] for x, both in parts.items()}
            frame = problems[()].frame
            assert frame.adjacency is ADD_REMOVE
            assert largest_change(problems, add_remove_neighbours(DOMAIN)) <= frame.reach
        low, high = map(Fraction, bounds)
        assert parts[()][0].frame.bound == (high - low) / 2
        centred, number = parts[0, 2, 9]
        exact = sum(min(max(Fraction(v), low), high) - (low + high) / 2 for v in (0, 2, 9))
        assert abs(centred.value - exact) <= Fraction(resolution) / 2
        assert number.value == 3


UNITS: list[Any] = [None, "1/4", "0.3", "3/4"]


@cache
def read_to(value: Any, bounds: tuple[Any, Any], unit: Any) -> Fraction:
    """A value moved to the nearer bound, then to the nearest of lo, lo + unit, ... up to hi; halves go up."""
    low, high = map(Fraction, bounds)
    step = Fraction(unit)
    points = [low + place * step for place in range(int((high - low) / step) + 1)]
    clipped = min(max(Fraction(value), low), high)
    return min(points, key=lambda point: (abs(point - clipped), -point))


def plain_unit(bounds: tuple[Any, Any]) -> Fraction:
    """1, or the largest power of ten that is at most a thousandth of the width."""
    width = Fraction(bounds[1]) - Fraction(bounds[0])
    return next(unit for unit in (Fraction(1, 10**power) for power in range(9)) if 1000 * unit <= width)


@pytest.mark.parametrize("adjacency", [ADD_REMOVE, REPLACE], ids=lambda adjacency: adjacency.value)
@pytest.mark.parametrize("unit", UNITS, ids=str)
@pytest.mark.parametrize("bounds", BOUNDS, ids=str)
def test_parts_of_a_variance_by_the_plain_formula(bounds: Any, unit: Any, adjacency: Adjacency) -> None:
    """Differences from the middle c, their squares less an eighth of the squared width, and how many there are."""
    low, high = map(Fraction, bounds)
    step, width = plain_unit(bounds) if unit is None else unit, high - low
    for x in multisets(DOMAIN, largest=3):
        parts, number = variance_part_problems(list(x), bounds=bounds, unit=unit, adjacency=adjacency)
        off = [read_to(value, bounds, step) - (low + high) / 2 for value in x]
        centred, squares = parts[0], parts[1]
        assert abs(centred.value - sum(off)) <= centred.frame.resolution / 2
        assert abs(squares.value - sum(d * d - width * width / 8 for d in off)) <= squares.frame.resolution / 2
        told = parts[2].value if adjacency is ADD_REMOVE else number
        assert told == len(x)
        assert len(parts) == (3 if adjacency is ADD_REMOVE else 2)


@pytest.mark.parametrize("unit", UNITS, ids=str)
@pytest.mark.parametrize("bounds", BOUNDS, ids=str)
def test_parts_of_a_variance_move_by_no_more_than_their_reach(bounds: Any, unit: Any) -> None:
    """On all tables of up to three values; a value at a bound and one in the middle move each sum by its bound."""
    low, high = map(Fraction, bounds)
    domain = (*DOMAIN, low, high, (low + high) / 2)
    for adjacency, near in ((ADD_REMOVE, add_remove_neighbours(domain)), (REPLACE, replace_neighbours(domain))):
        asked: dict[str, Any] = {"bounds": bounds, "unit": unit, "adjacency": adjacency}
        parts = {x: variance_part_problems(list(x), **asked)[0] for x in multisets(domain, largest=2)}
        for place, part in enumerate(parts[()]):
            problems = {x: each[place] for x, each in parts.items()}
            assert part.frame.adjacency is adjacency
            moved = largest_change(problems, near)
            assert moved <= part.frame.reach
            exact = unit is None and place < 2
            assert not exact or moved >= part.frame.reach - 2, "the bound is as small as it may be"


def test_bounds_of_a_variance() -> None:
    parts, _ = variance_part_problems([1], bounds=(-2, 6), adjacency=ADD_REMOVE)
    assert [part.frame.bound for part in parts] == [4, 8, 1]
    replaced, number = variance_part_problems([1, 2], bounds=(-2, 6), adjacency=REPLACE)
    assert [part.frame.bound for part in replaced] == [8, 16]
    assert number == 2


def test_a_variance_of_awkward_numbers_is_a_problem(refused: Refused) -> None:
    values = [5e-324, 1e-300, -1e308, float("-inf"), float("inf"), 2**80]
    parts, _ = variance_part_problems(values, bounds=(-1, 1), adjacency=ADD_REMOVE)
    assert [part.value for part in parts] == [0, 4 * Fraction(1, 2) - 2 * Fraction(1, 2), 6]
    with refused(ParameterError, "unit must not exceed the distance of the bounds"):
        variance_part_problems([1], bounds=(0, 1), unit=2, adjacency=ADD_REMOVE)
    with refused(ParameterError, "where must be left out under REPLACE"):
        filtered = Source({"v": [1], "w": [1]}, {"w": 1}, column="v")
        variance_part_problems(filtered, bounds=(0, 1), adjacency=REPLACE)
    with refused(ParameterError, "missing must be 'refuse'"):
        dropped = Source({"v": [1]}, column="v", missing="drop")
        variance_part_problems(dropped, bounds=(0, 1), adjacency=REPLACE)
    gaps = Source({"v": [1, None]}, column="v", missing="drop")
    kept, _ = variance_part_problems(gaps, bounds=(0, 1), adjacency=ADD_REMOVE)
    assert kept[2].value == 1


def test_a_sum_of_tiny_and_of_huge_numbers_is_a_problem() -> None:
    """Whatever the data are, building the problem succeeds: an error would tell about them."""
    values = [5e-324, 1e-300, -1e308, float("-inf"), 2**80]
    problem = sum_problem(values, bounds=(-1, 1), adjacency=ADD_REMOVE, resolution="0.001")
    assert problem.value == -1


def test_rows_are_counted(tmp_path: Path) -> None:
    frame = pl.DataFrame({"drink": ["tea", None, "tea", "milk"], "cups": [1, 2, 1, None]})
    frame.write_csv(tmp_path / "drinks.csv")
    frame.write_parquet(tmp_path / "drinks.parquet")
    for data in (
        frame,
        frame.lazy(),
        frame.to_dict(as_series=False),
        tmp_path / "drinks.csv",
        tmp_path / "drinks.parquet",
    ):
        both = {"drink": "tea", "cups": 1}
        for where, expected in (({"drink": "tea"}, 2), ({"cups": 2}, 1), ({"drink": "rum"}, 0), (both, 2)):
            problem = row_count_problem(data, where=where, adjacency=ADD_REMOVE)
            assert problem.value == expected
            assert problem.frame.bound == 1
        assert row_count_problem(data, column="drink", adjacency=REPLACE).value == 4
    assert row_count_problem([1, None, 3], adjacency=ADD_REMOVE).value == 3
    assert row_count_problem(np.zeros(0), adjacency=ADD_REMOVE).value == 0


def test_refusals(refused: Refused) -> None:
    table = {"drink": ["tea"], "cups": [1]}
    bad: tuple[Any, ...] = ({}, {3: "tea"}, "drink", 3)
    for where in bad:
        with refused(ParameterError, "where must be columns and a value each"):
            row_count_problem(table, where=where, adjacency=ADD_REMOVE)
    for value in (None, float("nan"), ["tea"]):
        with refused(ParameterError, "where must give one value"):
            row_count_problem(table, where={"drink": value}, adjacency=ADD_REMOVE)
    with refused(ParameterError, "column must be one of the columns"):
        row_count_problem(table, where={"food": "tea"}, adjacency=ADD_REMOVE)
    with refused(ParameterError, "column must be left out"):
        row_count_problem(table, where={"drink": "tea"}, column="drink", adjacency=ADD_REMOVE)
    with refused(ParameterError, "adjacency"):
        row_count_problem(table, column="drink", adjacency=Adjacency.EDGE)
    with refused(ParameterError, "adjacency"):
        sum_problem([1], bounds=(0, 1), adjacency=Adjacency.EDGE)
    with refused(DataError, "must not be empty"):
        mean_problem([], bounds=(0, 1), resolution=1)
    with refused(ParameterError, "missing must be 'refuse'"):
        mean_problem([1], bounds=(0, 1), resolution=1, missing="drop")
    with refused(ParameterError, "resolution must be positive"):
        sum_problem([1], bounds=(0, 1), resolution=0, adjacency=ADD_REMOVE)
