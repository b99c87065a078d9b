"""The problems of a value on a grid: what is public about them, runs, and what is refused."""

import math
import tracemalloc
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest

from dampen import Adjacency, Budget
from dampen.errors import ParameterError
from dampen.mechanisms import LocalDampening, ParetoNoisyMax, PermuteAndFlip, StableArgmax
from dampen.queries import percentile_hit_problem, percentile_value_problem
from dampen.vectors import Runs
from tests.conftest import Refused
from tests.unit.queries.order.judges import BOTH

ADD_REMOVE, REPLACE = BOTH


def utilities(values: list[int], p: object, grid: range, adjacency: Adjacency, stable: bool = True) -> list[int]:
    problem = percentile_value_problem(values, p, grid=grid, adjacency=adjacency, stable=stable)  # type: ignore[arg-type]
    whole: list[int] = np.asarray(problem.utilities).tolist()
    return whole


def test_by_hand() -> None:
    assert utilities([1, 3, 3, 3, 4], 50, range(6), ADD_REMOVE) == [-6, -4, -4, 2, -3, -5]
    assert utilities([1, 3, 3, 3, 4], 50, range(6), ADD_REMOVE, stable=False) == [-6, -4, -4, 0, -3, -5]
    assert utilities([1, 3, 3, 3, 4], 50, range(6), REPLACE) == [-3, -2, -2, 1, -2, -3]
    assert utilities([2, 2], 0, range(4), ADD_REMOVE) == [-1, -1, 0, -3]
    assert utilities([2, 2], 100, range(4), ADD_REMOVE) == [-3, -3, 0, -1]
    assert utilities([2, 2], 100, range(4), REPLACE) == [-2, -2, 0, -1]
    assert utilities([], 100, range(2), ADD_REMOVE) == [-1, -1]
    assert utilities([7, 7, 7], 50, range(7, 8), ADD_REMOVE) == [2]


def test_the_frame_is_public() -> None:
    problem = percentile_value_problem([5, 9], 49.5, grid=range(0, 100, 5), adjacency=REPLACE)
    assert list(problem.frame.candidates) == list(range(0, 100, 5))
    assert problem.frame.bound == 1
    assert problem.frame.adjacency is REPLACE
    assert not problem.frame.monotone
    assert problem.integral
    assert problem.sensitivity.at(0).tolist() == [1.0] * len(problem.groups)


@pytest.mark.parametrize("p", [12.5, "12.5", "25/2", Decimal("12.5"), Fraction(25, 2)])
def test_p_is_taken_exactly(p: object) -> None:
    assert utilities(list(range(8)), p, range(8), ADD_REMOVE).index(0) == 1


def test_a_third_is_not_rounded() -> None:
    """At p = 100/3 three records have the second as percentile; a hair below it is the first."""
    assert np.argmax(utilities([0, 1, 2], "100/3", range(3), REPLACE)) == 1
    assert np.argmax(utilities([0, 1, 2], "33.3333333333333333333333333333", range(3), REPLACE)) == 0


def test_a_grid_of_a_milliard_values_costs_its_distinct_values() -> None:
    tracemalloc.start()
    for make in (percentile_value_problem, percentile_hit_problem):
        problem = make([5, 5, 10**8], 50, grid=range(10**9), adjacency=ADD_REMOVE)
        assert isinstance(problem.utilities, Runs)
        assert problem.utilities.sizes.tolist() == [5, 1, 10**8 - 6, 1, 10**9 - 10**8 - 1]
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 1e6
    assert 0 <= PermuteAndFlip(1).release(problem, budget=Budget(epsilon=1)).value < 10**9


def test_the_mechanisms_for_yes_and_no_read_the_distance() -> None:
    """Eleven equal values and p = 50: eleven people must leave, or one fewer than that many must come above."""
    problem = percentile_hit_problem([4] * 11, 50, grid=range(8), adjacency=ADD_REMOVE).as_public()
    assert StableArgmax(1)._distance(problem) == 11
    scores = np.asarray(LocalDampening(1).scores(problem))
    assert scores[4] == pytest.approx(11, abs=1e-4)
    assert (np.delete(scores, 4) == 0).all()
    law = np.exp(np.asarray(ParetoNoisyMax(1, indicator=True).log_probabilities(problem)))
    assert law.argmax() == 4


@pytest.mark.parametrize("p", [-1, 100.0001, math.nan, "half", True, None])
def test_a_p_out_of_range_is_refused(p: object, refused: Refused) -> None:
    for make in (percentile_value_problem, percentile_hit_problem):
        with refused(ParameterError, "p must", hidden=("123",)):
            make([123], p, grid=range(200), adjacency=ADD_REMOVE)  # type: ignore[arg-type]


def test_other_refusals(refused: Refused) -> None:
    for make in (percentile_value_problem, percentile_hit_problem):
        with refused(ParameterError, "adjacency must be Adjacency.ADD_REMOVE or Adjacency.REPLACE"):
            make([1], 50, grid=range(3), adjacency=Adjacency.EDGE)
        with refused(ParameterError, "grid must"):
            make([1], 50, grid=(3, 2), adjacency=ADD_REMOVE)
    with refused(ParameterError, "stable must be True or False; got 1"):
        percentile_value_problem([1], 50, grid=range(3), adjacency=ADD_REMOVE, stable=1)  # type: ignore[arg-type]
