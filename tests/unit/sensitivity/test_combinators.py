"""New functions from given ones, against their one-line definitions."""

from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dampen.errors import ParameterError
from dampen.sensitivity import (
    Constant,
    DegreeLike,
    RungTable,
    SensitivityFunction,
    Step,
    capped,
    floored,
    max_over_candidates,
    running_max,
    saturate_at,
    sum_of,
)
from dampen.sensitivity.base import DAMPENED_ERROR
from dampen.vectors import Floats
from tests.conftest import Refused
from tests.unit.sensitivity.definitions import Listed, dampened, rung_of

SIZE = 2
SOME = range(12)
rows_of_eighths = st.lists(st.lists(st.integers(0, 6), min_size=SIZE, max_size=SIZE), min_size=1, max_size=6).map(
    lambda steps: [[float(total) / 8 for total in row] for row in np.cumsum(np.array(steps), axis=0)]
)


@st.composite
def functions(draw: st.DrawFn, bound: int = 5) -> SensitivityFunction:
    rows = draw(rows_of_eighths)
    numbers = draw(st.lists(st.integers(0, 6), min_size=SIZE, max_size=SIZE))
    made: list[SensitivityFunction] = [
        RungTable(rows, bound=bound),
        Step(numbers, bound),
        DegreeLike(numbers, [row[0] for row in rows], bound),
        Constant(bound, size=SIZE),
    ]
    return draw(st.sampled_from(made))


def values(function: SensitivityFunction) -> list[list[float]]:
    return [function.at(t).tolist() for t in SOME]


def check_lenses(function: SensitivityFunction) -> None:
    """A combined function's sums and scores follow from its values, and its saturation is one."""
    u = np.array([7.3, -2.25])
    scores = function.inverse(u)
    for r in range(SIZE):
        expected = dampened(Fraction(float(u[r])), rung_of(function, r))
        assert abs(Fraction(float(scores[r])) - expected) <= Fraction(DAMPENED_ERROR)
    assert function.cumulative(5) == pytest.approx(sum((function.at(t) for t in range(5)), start=np.zeros(SIZE)))
    if function.saturation is not None:
        assert function.bound is not None
        for t in (function.saturation, function.saturation + 3):
            assert function.at(t).tolist() == [float(function.bound)] * SIZE


@given(functions(), st.sampled_from([Fraction(1, 3), Fraction(2), Fraction(9)]))
def test_capped_is_the_smaller_of_value_and_cap(function: SensitivityFunction, cap: Fraction) -> None:
    result = capped(function, cap)
    assert values(result) == [[min(value, float(cap)) for value in row] for row in values(function)]
    assert result.bound == min(cap, function.bound or cap)
    assert result.floor <= (result.bound or 0)
    check_lenses(result)


def test_capped_gives_a_bound_to_what_has_none() -> None:
    unbounded = Listed([[1, 2], [3, 50]], bound=None, floor=Fraction(1, 2))
    result = capped(unbounded, 10)
    assert (result.bound, result.floor, result.saturation) == (Fraction(10), Fraction(1, 2), None)
    assert values(result)[:3] == [[1, 2], [3, 10], [3, 10]]


@given(functions(), st.sampled_from([Fraction(1, 3), Fraction(2), Fraction(5)]))
def test_floored_is_the_larger_of_value_and_floor(function: SensitivityFunction, floor: Fraction) -> None:
    result = floored(function, floor)
    assert values(result) == [[max(value, float(floor)) for value in row] for row in values(function)]
    assert (result.floor, result.bound) == (floor, function.bound)
    check_lenses(result)


class UpAndDown(SensitivityFunction):
    """Values that rise and fall, as a careless query may have them; at the end the bound."""

    def at(self, t: int) -> Floats:
        return np.array([[3.0, 0.0], [1.0, 2.0], [2.0, 1.0], [4.0, 4.0]][min(t, 3)])


def test_running_max_never_falls() -> None:
    result = running_max(UpAndDown(size=SIZE, bound=4))
    assert values(result)[:5] == [[3, 0], [3, 2], [3, 2], [4, 4], [4, 4]]
    check_lenses(result)


@given(functions())
def test_running_max_of_what_never_falls_is_itself(function: SensitivityFunction) -> None:
    result = running_max(function)
    assert values(result) == values(function)
    check_lenses(result)


@given(functions())
def test_the_largest_over_candidates_is_flat(function: SensitivityFunction) -> None:
    result = max_over_candidates(function)
    assert values(result) == [[max(row)] * SIZE for row in values(function)]
    assert result.bound == function.bound
    check_lenses(result)


@given(functions(), st.integers(0, 8))
def test_saturate_at_jumps_to_the_bound(function: SensitivityFunction, start: int) -> None:
    result = saturate_at(function, start)
    expected = [row if t < start else [5.0] * SIZE for t, row in enumerate(values(function))]
    assert values(result) == expected
    assert result.saturation is not None
    assert result.saturation <= start
    check_lenses(result)


@given(functions(), functions(bound=6))
def test_sum_of_adds_values_bounds_and_floors(one: SensitivityFunction, other: SensitivityFunction) -> None:
    result = sum_of(one, other)
    pairs = zip(values(one), values(other), strict=True)
    assert values(result) == [[a + b for a, b in zip(row, row_of_other, strict=True)] for row, row_of_other in pairs]
    assert (result.bound, result.floor) == (Fraction(11), one.floor + other.floor)
    check_lenses(result)


def test_public_facts_pass_through() -> None:
    table, closed = RungTable([[1, 2]] * 4, bound=5), Step([1, 2], 5)
    assert [f(table).horizon for f in (running_max, max_over_candidates)] == [4, 4]
    assert (capped(table, 3).horizon, floored(table, 3).horizon) == (4, 4)
    assert (saturate_at(table, 2).horizon, saturate_at(table, 9).horizon, saturate_at(closed, 9).horizon) == (2, 4, 9)
    assert (sum_of(table, closed).horizon, sum_of(closed, closed).horizon) == (4, None)
    unbounded = Listed([[1, 2]], bound=None, floor=Fraction(1))
    assert sum_of(table, unbounded).bound is None
    assert sum_of(table, unbounded).saturation is None


@pytest.mark.parametrize(
    ("make", "shown"),
    [
        (lambda table: capped(table, 0), "bound must be positive"),
        (lambda table: capped(table, "x"), "bound"),
        (lambda table: floored(table, 0), "floor must be positive"),
        (lambda table: floored(table, 6), "floor must not exceed the bound"),
        (lambda table: saturate_at(table, -1), "t must be a whole number"),
        (lambda table: saturate_at(table, True), "t must be a whole number"),
        (lambda table: sum_of(table, Constant(1, size=3)), "one size"),
        (lambda table: saturate_at(Listed([[987.0]], bound=None, floor=Fraction(1)), 2), "finite bound"),
        (lambda table: capped(table, 1).at(-1), "t must be a whole number"),
        (lambda table: running_max(table).at(True), "t must be a whole number"),
    ],
)
def test_wrong_arguments_are_refused_without_data(make: Any, shown: str, refused: Refused) -> None:
    with refused(ParameterError, shown, hidden=("987", "986")):
        make(RungTable([[1.986, 2]], bound=5))


def test_printing_shows_no_value() -> None:
    assert repr(capped(RungTable([[1.25, 3.75]], bound=10), 5)) == "Combined(size=2)"
