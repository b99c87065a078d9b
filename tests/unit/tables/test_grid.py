"""Grids: their forms, their points, what is refused, and that a huge one costs nothing."""

import pickle
import sys
import tracemalloc
from bisect import bisect_right
from decimal import Decimal
from fractions import Fraction
from math import inf, nan, nextafter
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from dampen.errors import ParameterError
from dampen.privacy import Adjacency
from dampen.problem import Frame
from dampen.tables import Grid, as_grid

if TYPE_CHECKING:
    from tests.conftest import Refused


@pytest.mark.parametrize(
    ("arguments", "points"),
    [
        ({"grid": range(0, 7, 3)}, [0, 3, 6]),
        ({"grid": range(5, 6)}, [5]),
        ({"grid": range(5, 4, -3)}, [5]),
        ({"grid": (0, 1, 5)}, [0, 1, 5]),
        ({"grid": [0, 0.5, 1]}, [0.0, 0.5, 1.0]),
        ({"grid": [Fraction(1, 2), Decimal("1.25")]}, [0.5, 1.25]),
        ({"grid": np.array([1, 2, 3], dtype=np.uint8)}, [1, 2, 3]),
        ({"grid": np.array([1.0, 2.0, 4.0], dtype=np.float32)}, [1.0, 2.0, 4.0]),
        ({"grid": np.array([1, 2.5], dtype=object)}, [1.0, 2.5]),
        ({"grid": [2**60, 2**60 + 1]}, [2**60, 2**60 + 1]),
        ({"bounds": (0, 10), "step": 4}, [0, 4, 8]),
        ({"bounds": (0, 8), "step": 4}, [0, 4, 8]),
        ({"bounds": (0.0, 2.0), "step": 1.0}, [0, 1, 2]),
        ({"bounds": ("-1/2", "1/2"), "step": "1/2"}, [-0.5, 0.0, 0.5]),
        ({"bounds": (0, 0.3), "step": 0.1}, [0.0, 0.1, 0.2, 0.3]),
        ({"bounds": (0, 0.05), "step": 0.1}, [0]),
        ({"bounds": (3, 3), "step": 1}, [3]),
        ({"bounds": (3, 3), "bins": 1}, [3]),
        ({"bounds": (0, 1), "bins": 3}, [0.0, 1 / 3, 2 / 3]),
        ({"bounds": [0, 9], "bins": 3}, [0, 3, 6]),
        ({"bounds": (-(2**62) + 1, 2**62 - 1), "bins": 1}, [-(2**62) + 1]),
    ],
)
def test_forms(arguments: dict[str, Any], points: list[float]) -> None:
    grid = as_grid(**arguments)
    assert list(grid) == points
    assert [grid[place] for place in range(len(grid))] == points
    assert {type(point) for point in grid} == {type(point) for point in points}
    assert len(grid) == len(points)
    assert np.array(grid).tolist() == points
    assert (grid[0], grid[-1], grid[1:]) == (points[0], points[-1], tuple(points[1:]))
    assert as_grid(grid) is grid
    assert pickle.loads(pickle.dumps(grid)) == grid


def test_a_step_of_a_tenth_is_the_decimal_and_not_a_running_sum() -> None:
    grid = as_grid(bounds=(0, 1000), step=0.1)
    assert len(grid) == 10_001
    assert list(grid) == [place / 10 for place in range(10_001)]


def test_places_beyond_the_ends_are_index_errors() -> None:
    for grid in (as_grid(range(3)), as_grid((0, 1, 5)), as_grid(bounds=(0, 1), step=0.5)):
        assert grid[-3] == grid[0]
        for place in (3, -4):
            with pytest.raises(IndexError):
                grid[place]


def test_equal_grids_have_equal_points() -> None:
    assert as_grid(range(0, 10, 2)) == as_grid([0, 2, 4, 6, 8]) == as_grid(bounds=(0, 9), step=2)
    assert as_grid(bounds=(0, 1), step=0.5) == as_grid([0.0, 0.5, 1.0])
    assert hash(as_grid(bounds=(0, 1), step=0.5)) == hash(as_grid([0.0, 0.5, 1.0]))
    assert as_grid(range(3)) != as_grid(range(4))
    assert as_grid([0.0, 0.4, 1.0]) != as_grid([0.0, 0.5, 1.0])
    assert as_grid([0.0, 0.4, 1.0]) != as_grid(bounds=(0, 1), step=0.5)
    assert as_grid([0, 1, 5]) != as_grid([0, 2, 5])
    assert as_grid([0, 1, 2]) != as_grid([0.0, 1.0, 2.0])
    assert as_grid(range(3)) != range(3)


def test_a_grid_does_not_follow_the_array_it_came_from() -> None:
    points = np.array([0.0, 1.0, 5.0])
    grid = as_grid(points)
    points[1] = 4.0
    assert list(grid) == [0.0, 1.0, 5.0]


@pytest.mark.parametrize(
    ("arguments", "shown"),
    [
        ({}, ["either grid or bounds"]),
        ({"grid": range(3), "bounds": (0, 1), "step": 1}, ["either grid or bounds"]),
        ({"grid": range(3), "step": 1}, ["step and bins go with bounds"]),
        ({"grid": range(3), "bins": 1}, ["step and bins go with bounds"]),
        ({"bounds": (0, 1)}, ["either step or bins"]),
        ({"bounds": (0, 1), "step": 1, "bins": 1}, ["either step or bins"]),
        ({"bounds": (1, 0), "step": 1}, ["bounds", "reversed", "a tuple"]),
        ({"bounds": (0, nan), "step": 1}, ["bounds", "finite"]),
        ({"bounds": (-inf, 1), "step": 1}, ["bounds", "finite"]),
        ({"bounds": (0, True), "step": 1}, ["bounds", "finite"]),
        ({"bounds": 5, "step": 1}, ["bounds", "two finite numbers"]),
        ({"bounds": (0, 1, 2), "step": 1}, ["bounds", "two finite numbers"]),
        ({"bounds": "01", "step": 1}, ["bounds", "two finite numbers"]),
        ({"bounds": (0, 1), "step": 0}, ["step", "positive"]),
        ({"bounds": (0, 1), "step": -1}, ["step", "positive"]),
        ({"bounds": (0, 1), "step": nan}, ["step", "finite"]),
        ({"bounds": (0, 1), "bins": 0}, ["bins", "at least 1"]),
        ({"bounds": (0, 1), "bins": 2.0}, ["bins", "whole number"]),
        ({"bounds": (1, 1), "bins": 2}, ["bounds must differ"]),
        ({"bounds": (0, 3.141592653589793), "bins": 7}, ["fewer digits", "grid="]),
        ({"bounds": (0, 1), "step": 1e-16}, ["fewer digits"]),
        ({"bounds": (0.5, 2**52), "step": 1}, ["fewer digits"]),
        ({"bounds": (0, 2**62), "step": 1}, ["below 2**62"]),
        ({"grid": range(2**62, 2**62 + 1)}, ["below 2**62"]),
        ({"grid": [0, 2**62]}, ["below 2**62"]),
        ({"grid": np.array([0, 2**64 - 1], dtype=np.uint64)}, ["below 2**62"]),
        ({"grid": range(0)}, ["grid", "empty"]),
        ({"grid": []}, ["grid", "empty"]),
        ({"grid": np.array([])}, ["grid", "empty"]),
        ({"grid": range(3, 0, -1)}, ["strictly increasing"]),
        ({"grid": [0, 0, 1]}, ["strictly increasing"]),
        ({"grid": [0.0, -0.0]}, ["strictly increasing"]),
        ({"grid": [1.5, 1.0]}, ["strictly increasing"]),
        ({"grid": [0.0, nan]}, ["finite"]),
        ({"grid": [0.0, inf]}, ["finite"]),
        ({"grid": [0.5, 10**400]}, ["finite"]),
        ({"grid": [0.5, 2**53 + 1]}, ["no float equals"]),
        ({"grid": [False, True]}, ["grid must be", "no number"]),
        ({"grid": ["0", "1"]}, ["grid must be", "no number"]),
        ({"grid": np.array([True])}, ["grid must be", "ndarray"]),
        ({"grid": np.zeros((2, 2))}, ["grid must be", "ndarray"]),
        ({"grid": {1, 2}}, ["grid must be", "set"]),
        ({"grid": "abc"}, ["grid must be", "str"]),
        ({"grid": 5}, ["grid must be", "int"]),
        ({"grid": np.float64(5)}, ["grid must be", "float64"]),
    ],
)
def test_refusals(arguments: dict[str, Any], shown: list[str], refused: "Refused") -> None:
    with refused(ParameterError, *shown):
        as_grid(**arguments)


@pytest.mark.parametrize("arguments", [{"grid": range(10**9)}, {"bounds": (0, 1000), "bins": 10**9}])
def test_a_huge_grid_costs_nothing(arguments: dict[str, Any]) -> None:
    tracemalloc.start()
    try:
        grid = as_grid(**arguments)
        frame = Frame(grid, 1, Adjacency.ADD_REMOVE)
        assert len(frame.candidates) == 10**9
        assert frame.candidates[10**9 - 1] == grid[-1]
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < 10**6


def test_a_frame_does_not_walk_through_a_grid(monkeypatch: pytest.MonkeyPatch) -> None:
    grid = as_grid(range(1000))
    monkeypatch.setattr(Grid, "__iter__", None)
    monkeypatch.setattr(Grid, "__getitem__", None)
    assert Frame(grid, 1, Adjacency.ADD_REMOVE).candidates is grid


def test_a_huge_grid_is_not_written_out(refused: "Refused") -> None:
    with refused(ParameterError, "not written out"):
        np.asarray(as_grid(range(10**9)))


def test_the_longest_grid_has_a_length() -> None:
    assert len(as_grid(range(-(2**62) + 1, 2**62))) == sys.maxsize


@st.composite
def even_grids(draw: st.DrawFn) -> Grid:
    """Grids from small to the very limits of their terms."""
    digits = draw(st.integers(0, 15))
    size = draw(st.one_of(st.integers(1, 50), st.integers(1, 10**15)))
    low = Fraction(draw(st.integers(-(2**52), 2**52)), 10**digits)
    step = Fraction(draw(st.one_of(st.integers(1, 20), st.integers(1, 2**50))), 10**digits * draw(st.integers(1, 12)))
    try:
        return as_grid(bounds=(low, low + step * (size - 1)), step=step)
    except ParameterError:
        assume(False)
        raise


@given(even_grids(), st.data())
def test_points_are_the_nearest_floats_and_increase(grid: Grid, data: st.DataObject) -> None:
    place = data.draw(st.integers(0, len(grid) - 1))
    assert type(grid[place]) is (int if grid.whole else float)
    if place + 1 < len(grid):
        assert grid[place] < grid[place + 1]
    if not grid.whole:
        start, step, divisor = grid.terms  # type: ignore[attr-defined]
        assert grid[place] == float(Fraction(start + place * step, divisor))
        assert (float(start) + float(place) * float(step)) / float(divisor) == grid[place]


@given(even_grids(), st.data())
def test_the_guess_and_one_comparison_find_every_place(grid: Grid, data: st.DataObject) -> None:
    """The judge is a bisection that compares exactly, as Python does."""
    assume(not grid.whole)
    near = grid[data.draw(st.integers(0, len(grid) - 1))]
    between = data.draw(st.floats(float(grid[0]), float(grid[-1])))
    keys = [near, nextafter(near, -inf), nextafter(near, inf), between]
    keys = [min(max(key, grid[0]), grid[-1]) for key in keys]
    judged = [bisect_right(range(len(grid)), key, key=grid._point) - 1 for key in keys]
    assert grid.places(np.array(keys, dtype=np.float64)).tolist() == judged
