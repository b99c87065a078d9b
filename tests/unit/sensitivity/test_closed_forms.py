"""Functions that are a formula in t: the constant, the step, a list read at degree plus t."""

from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dampen.errors import DataError, ParameterError
from dampen.sensitivity import Constant, DegreeLike, RungTable, SensitivityFunction, Step

if TYPE_CHECKING:
    from tests.conftest import Refused


def test_a_constant_is_the_bound_at_every_t() -> None:
    constant = Constant(2.5, size=3)
    assert isinstance(constant, SensitivityFunction)
    assert constant.at(0).tolist() == constant.at(10**9).tolist() == [2.5] * 3
    assert (constant.bound, constant.size, constant.horizon) == (Fraction(5, 2), 3, None)
    assert constant.floor == Fraction(5, 2) / 2**20


@given(st.integers(1, 100), st.integers(0, 30))
def test_its_cumulative_sum_is_the_naive_one(eighths: int, t: int) -> None:
    constant = Constant(Fraction(eighths, 8), size=2)
    naive = sum((constant.at(step) for step in range(t)), start=np.zeros(2))
    assert constant.cumulative(t).tolist() == naive.tolist() == [t * eighths / 8] * 2


@pytest.mark.parametrize("bound", [0, -1, None, float("inf"), True], ids=repr)
def test_its_bound_is_positive(bound: Any, refused: "Refused") -> None:
    with refused(ParameterError, "bound"):
        Constant(bound, size=1)


@pytest.mark.parametrize("t", [-1, 1.5, True])
def test_t_is_a_whole_number(t: Any, refused: "Refused") -> None:
    with refused(ParameterError, "t must be a whole number", repr(t)):
        Constant(1, size=1).at(t)
    with refused(ParameterError, "t must be a whole number", repr(t)):
        Constant(1, size=1).cumulative(t)


# Step and DegreeLike: what their values are, and what they refuse; their lenses are in test_inverse_and_smooth.py


def test_a_step_is_zero_before_its_own_start_and_the_bound_from_there_on() -> None:
    step = Step([0, 2, 5], "5/2", floor="1/8")
    assert [step.at(t).tolist() for t in (0, 1, 2, 5)] == [[2.5, 0, 0], [2.5, 0, 0], [2.5, 2.5, 0], [2.5, 2.5, 2.5]]
    assert (step.bound, step.floor, step.horizon, step.saturation) == (Fraction(5, 2), Fraction(1, 8), None, 5)
    assert step.cumulative(6).tolist() == [15, 10, 2.5]
    assert repr(step) == "Step(size=3, bound=2.5)"


def test_degree_like_reads_one_list_at_degree_plus_t() -> None:
    function = DegreeLike([0, 2, 9], [0, 1, 1, 4], 6)
    assert [function.at(t).tolist() for t in (0, 1, 2)] == [[0, 1, 6], [1, 4, 6], [1, 6, 6]]
    assert (function.horizon, function.saturation) == (None, 4)
    assert DegreeLike([7, 9], [0, 1], 6).saturation == 0
    assert repr(function) == "DegreeLike(size=3, bound=6.0)"


@pytest.mark.parametrize("degree", [10**9, 10**15, 2**61])
def test_sums_of_huge_degrees_do_not_cancel(degree: int) -> None:
    """Beyond its list a function is the bound, however far beyond: t steps add t bounds."""
    function = DegreeLike([0, degree], [0.1, 0.1, 0.1], "0.1")
    assert function.cumulative(3) == pytest.approx(0.3, rel=1e-13)
    assert function.inverse(np.array([0.25, 0.25])) == pytest.approx(2.5, abs=2.0**-25)


@pytest.mark.parametrize(
    ("make", "name"),
    [
        (lambda: Step([987.5], 1), "t0"),
        (lambda: Step([-987], 1), "t0"),
        (lambda: Step([], 1), "t0"),
        (lambda: Step([[987]], 1), "t0"),
        (lambda: Step("987", 1), "t0"),
        (lambda: DegreeLike([987.5], [1], 1), "degrees"),
        (lambda: DegreeLike([-987], [1], 1), "degrees"),
        (lambda: DegreeLike([], [1], 1), "degrees"),
        (lambda: DegreeLike([0], [], 1), "values"),
        (lambda: DegreeLike([0], [-987], 1), "values"),
        (lambda: DegreeLike([0], [float("nan")], 1), "values"),
        (lambda: DegreeLike([0], [987, 986], 1000), "values"),
        (lambda: DegreeLike([0], [987], 1), "values"),
        (lambda: DegreeLike([0], [[987]], 1000), "values"),
        (lambda: DegreeLike([0], ["x987"], 1), "values"),
        (lambda: DegreeLike([0], [[987], [1, 2]], 1), "values"),
    ],
)
def test_wrong_data_is_refused_without_a_value(make: Any, name: str, refused: "Refused") -> None:
    with refused(DataError, name, hidden=("987", "986")):
        make()


@pytest.mark.parametrize("make", [lambda bound: Step([1], bound), lambda bound: DegreeLike([1], [0], bound)])
@pytest.mark.parametrize("bound", [0, -1, None, float("inf"), True], ids=repr)
def test_their_bounds_are_positive(make: Any, bound: Any, refused: "Refused") -> None:
    with refused(ParameterError, "bound"):
        make(bound)


@pytest.mark.parametrize("t", [-1, 1.5, True])
def test_their_t_is_a_whole_number(t: Any, refused: "Refused") -> None:
    for function in (Step([1], 1), DegreeLike([1], [0], 1)):
        with refused(ParameterError, "t must be a whole number", repr(t)):
            function.at(t)
        with refused(ParameterError, "t must be a whole number", repr(t)):
            function.cumulative(t)


@pytest.mark.parametrize(
    "make",
    [
        lambda floor: RungTable([[1]], bound=1, floor=floor),
        lambda floor: Step([1], 1, floor=floor),
        lambda floor: DegreeLike([1], [0], 1, floor=floor),
    ],
)
def test_a_floor_above_the_bound_is_refused(make: Any, refused: "Refused") -> None:
    """Else rungs would fall from the floor to the bound, and be read differently by the closed forms and the loop."""
    make(1)
    with refused(ParameterError, "floor", "bound"):
        make(2)
