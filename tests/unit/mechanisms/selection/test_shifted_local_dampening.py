"""Shifted local dampening: the closed form is the limit of local dampening as the level goes to infinity."""

from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dampen import Adjacency, Frame, SelectionProblem
from dampen.errors import ParameterError
from dampen.mechanisms import Exponential, PermuteAndFlip, ShiftedLocalDampening
from dampen.mechanisms.selection.score import Law
from dampen.mechanisms.selection.shifted_local_dampening import Direction
from dampen.sensitivity import Constant, DegreeLike, RungTable, SensitivityFunction, Step, max_over_candidates
from tests.conftest import Refused
from tests.unit.sensitivity.definitions import Rung, dampened

BOUND = 5
rows_of_quarters = st.lists(st.lists(st.integers(0, 4), min_size=3, max_size=3), min_size=1, max_size=5).map(
    lambda steps: [[float(total) / 4 for total in row] for row in np.cumsum(np.array(steps), axis=0)]
)
quarters = st.lists(st.integers(-40, 40).map(lambda n: n / 4), min_size=3, max_size=3)
directions: Any = st.sampled_from(["up", "down"])


def posed(utilities: Any, rungs: SensitivityFunction) -> SelectionProblem:
    return SelectionProblem(Frame(range(len(utilities)), rungs.bound, Adjacency.ADD_REMOVE), utilities, rungs)


def far_scores(u: list[float], rungs: SensitivityFunction, horizon: int, shift: int) -> list[Fraction]:
    """Dampened u - shift in fractions, where from the horizon on every rung is the bound."""

    def rung(r: int) -> Rung:
        return lambda t: Fraction(float(rungs.at(t)[r])) if t < horizon else Fraction(BOUND)

    def plateau_free(r: int) -> Rung:
        return lambda t: max(rung(r)(t), Fraction(1, 10**12))

    return [dampened(Fraction(u[r]) - shift, plateau_free(r)) for r in range(len(u))]


@given(rows_of_quarters, quarters, st.integers(0, 8), directions)
def test_the_closed_form_is_the_limit_of_shifting(
    rows: list[list[float]], u: list[float], horizon: int, direction: Direction
) -> None:
    """Differences of scores, in units of the bound, equal those of D(u - shift) for a large shift."""
    table = RungTable(rows, bound=BOUND)
    scores = np.asarray(ShiftedLocalDampening(1, horizon, direction).scores(posed(u, table)))
    far = far_scores(u, table, horizon, 500 if direction == "up" else -500)
    for r in range(3):
        closed = Fraction(float(scores[r] - scores[0])) / BOUND
        assert closed == pytest.approx(float(far[r] - far[0]), abs=1e-9)


@given(quarters, st.integers(0, 12), directions)
def test_all_kinds_of_functions_sum_alike(u: list[float], horizon: int, direction: Direction) -> None:
    closed: list[SensitivityFunction] = [
        Step([0, 3, 7], BOUND),
        DegreeLike([0, 2, 9], [0, 0.25, 1, 4], BOUND),
        Constant(BOUND, size=3),
        max_over_candidates(Step([0, 3, 7], BOUND)),
    ]
    for function in closed:
        table = RungTable([function.at(t) for t in range(15)], bound=BOUND)
        one, other = (
            np.asarray(ShiftedLocalDampening(1, horizon, direction).scores(posed(u, rungs)))
            for rungs in (function, table)
        )
        assert one - one[0] == pytest.approx(other - other[0], abs=1e-12)


@pytest.mark.parametrize("law", [Exponential, PermuteAndFlip], ids=["exponential", "permute-and-flip"])
@pytest.mark.parametrize("direction", ["up", "down"])
@pytest.mark.parametrize("horizon", [0, 1, 2, 50, 10**6])
def test_flat_functions_give_the_classical_law(law: Law, direction: Direction, horizon: int) -> None:
    u = [3.0, 1.5, -2.0, 0.25]
    flat = RungTable([[1] * 4, [2] * 4], bound=BOUND)
    mechanism = ShiftedLocalDampening(1, horizon, direction, law=law)
    scores = np.asarray(mechanism.scores(posed(u, flat)))
    assert (scores - scores.max()).tolist() == [0, -1.5, -5, -2.75]
    expected = np.asarray(law(1).log_probabilities(posed(u, flat)))
    assert np.asarray(mechanism.log_probabilities(posed(u, flat))) == pytest.approx(expected, abs=1e-5)


@pytest.mark.parametrize("direction", ["up", "down"])
def test_a_horizon_of_zero_is_the_plain_law_whatever_the_function(direction: Direction) -> None:
    problem = posed([3.0, 1.0, 0.0], RungTable([[0, 1, 4]], bound=BOUND))
    law = np.asarray(ShiftedLocalDampening(1, 0, direction).log_probabilities(problem))
    assert law == pytest.approx(np.asarray(PermuteAndFlip(1).log_probabilities(problem)), abs=1e-5)


def test_beyond_the_rows_the_horizon_changes_nothing() -> None:
    problem = posed([3.0, 1.0, 0.0], RungTable([[0, 1, 4], [1, 2, 4]], bound=BOUND))
    laws = [np.asarray(ShiftedLocalDampening(1, h).log_probabilities(problem)).tolist() for h in (2, 3, 10**15)]
    assert laws[0] == laws[1] == laws[2]


def test_up_favours_large_sensitivity_and_down_small() -> None:
    problem = posed([1.0, 1.0], RungTable([[1, 4]], bound=BOUND))
    up, down = (np.asarray(ShiftedLocalDampening(1, 1, direction).scores(problem)) for direction in ("up", "down"))
    assert up.tolist() == [-4, -1]
    assert down.tolist() == [4, 1]


@pytest.mark.parametrize("horizon", [-1, 1.5, True, None, "3"], ids=repr)
def test_a_horizon_is_a_whole_number(horizon: Any, refused: Refused) -> None:
    with refused(ParameterError, "horizon", repr(horizon)):
        ShiftedLocalDampening(1, horizon)


@pytest.mark.parametrize("direction", ["Up", "", None, 1], ids=repr)
def test_a_direction_is_up_or_down(direction: Any, refused: Refused) -> None:
    with refused(ParameterError, "direction", "'up', 'down'", repr(direction)):
        ShiftedLocalDampening(1, 1, direction)


def test_it_prints_its_parameters() -> None:
    printed = repr(ShiftedLocalDampening("1/2", 3, "down"))
    assert printed == "ShiftedLocalDampening(epsilon=0.5, law=PermuteAndFlip, horizon=3, direction='down')"
