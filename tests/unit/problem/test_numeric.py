"""Numeric frames and problems: what mechanisms see are whole numbers of grid steps."""

from dataclasses import FrozenInstanceError
from fractions import Fraction
from math import ceil
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dampen import Adjacency, NumericFrame, NumericProblem
from dampen.errors import DataError, NotPublic, ParameterError
from dampen.sensitivity import Constant, RungTable
from tests.conftest import Refused

EDGE = Adjacency.EDGE
FRAME = NumericFrame(bound=30, adjacency=EDGE)


def test_a_frame_keeps_what_is_public_exactly() -> None:
    frame = NumericFrame("0.3", Adjacency.ADD_REMOVE, resolution="0.2", range=(0, 5), unit="patient")
    assert (frame.bound, frame.resolution) == (Fraction(3, 10), Fraction(1, 5))
    assert frame.range == (Fraction(0), Fraction(5))
    assert frame.reach == 2
    assert repr(frame) == "NumericFrame(bound=0.3, Adjacency.ADD_REMOVE, resolution=0.2, range=(0, 5), unit='patient')"
    with pytest.raises(FrozenInstanceError):
        frame.bound = Fraction(1)  # type: ignore[misc]


@pytest.mark.parametrize("ends", [(1, 1), (2, 1), (1,), "12", 3])
def test_ranges_are_two_increasing_numbers(ends: Any, refused: Refused) -> None:
    with refused(ParameterError, "range"):
        NumericFrame(1, EDGE, range=ends)


def test_a_problem_shows_its_frame_alone() -> None:
    problem = NumericProblem(FRAME, 123456)
    assert repr(problem) == f"NumericProblem({FRAME!r})"
    assert repr(problem.as_public()) == f"NumericProblem({FRAME!r}, public)"
    with pytest.raises(NotPublic):
        problem.require_public("simulate")
    problem.as_public().require_public("simulate")


def test_rungs_are_whole_steps_rounded_up_within_the_reach() -> None:
    ladder = RungTable([[7], [15], [27]], bound=30)
    assert NumericProblem(FRAME, 5, ladder).rungs(5) == (7, 15, 27, 30, 30)
    fine = NumericFrame(30, EDGE, resolution=4)
    assert NumericProblem(fine, 5, ladder).rungs(4) == (2, 4, 7, 8)
    assert NumericProblem(FRAME, 5).rungs(2) == (30, 30)
    assert NumericProblem(FRAME, 5, ladder).rungs(0) == ()
    exact = NumericProblem(NumericFrame(30, EDGE, resolution="1/10"), 5, RungTable([[0.1], [0.25]], bound=30))
    assert exact.rungs(2) == (2, 3), "the float 0.1 is above one tenth"


def test_a_rung_at_a_bound_that_floats_round_down_is_the_reach() -> None:
    bound = Fraction(3) + Fraction(1, 2**60)
    frame = NumericFrame(bound, EDGE)
    assert frame.reach == 4
    assert (
        NumericProblem(frame, 5).rungs(2)
        == NumericProblem(frame, 5, RungTable([[3.0]], bound=bound)).rungs(2)
        == (4, 4)
    )


@given(st.fractions(-50, 50), st.fractions(-50, 50), st.fractions(min_value="1/7", max_value=9))
def test_rounded_values_are_no_more_than_the_rounded_up_difference_apart(
    one: Fraction, other: Fraction, resolution: Fraction
) -> None:
    frame = NumericFrame(100, EDGE, resolution=resolution)
    apart = abs(NumericProblem(frame, one).steps - NumericProblem(frame, other).steps)
    assert apart <= ceil(abs(one - other) / resolution)


@pytest.mark.parametrize("value", [float("nan"), float("inf"), "many", None, [1], True])
def test_values_are_one_finite_number(value: Any, refused: Refused) -> None:
    with refused(DataError, "value", hidden=("nan", "inf", "many")):
        NumericProblem(FRAME, value)


def test_the_ladder_fits_the_frame(refused: Refused) -> None:
    with refused(ParameterError, "bound", "30", "31"):
        NumericProblem(FRAME, 1, Constant(31, size=1))
    with refused(ParameterError, "1 candidates"):
        NumericProblem(FRAME, 1, Constant(30, size=2))
    with refused(ParameterError, "SensitivityFunction"):
        NumericProblem(FRAME, 1, 30)  # type: ignore[arg-type]
    with refused(ParameterError, "NumericFrame"):
        NumericProblem("frame", 1)  # type: ignore[arg-type]
