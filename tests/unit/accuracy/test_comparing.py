"""Exact errors of all mechanisms that fit: against laws written out, and found rather than listed."""

import inspect
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

import dampen.mechanisms
from dampen import Adjacency, CountsFrame, CountsProblem, Frame, NumericFrame, NumericProblem, SelectionProblem
from dampen.accuracy.comparing import (
    ChoiceContest,
    CountsContest,
    GridContest,
    NumberContest,
    crossing,
)
from dampen.accuracy.fitting import BY_RHO, find_lists, find_mechanisms
from dampen.accuracy.selection import expected_error
from dampen.concentrated import least_epsilon
from dampen.mechanisms import (
    Exponential,
    GaussianCounts,
    Laplace,
    LaplaceCounts,
    LocalDampening,
    PermuteAndFlip,
    PolyPlace,
    ReportNoisyMax,
    Staircase,
)
from dampen.mechanisms.selection.base import UtilityMechanism
from dampen.queries import order_statistic_problem, percentile_value_problem
from dampen.tables.grid import as_grid

ADD_REMOVE = Adjacency.ADD_REMOVE
AGES = [20 + i * 37 % 70 for i in range(60)]
GRID = as_grid(range(0, 241, 2))


def percentile() -> SelectionProblem:
    return percentile_value_problem(AGES, 50, grid=GRID, adjacency=ADD_REMOVE).as_public()


def written_out(errors: Any, chances: Any) -> tuple[float, float]:
    order = np.argsort(errors)
    beyond = 1 - np.cumsum(chances[order])
    return float(errors @ chances), float(errors[order][int(np.argmax(beyond <= 0.05))])


@pytest.mark.parametrize("make", [Exponential, PermuteAndFlip, ReportNoisyMax, LocalDampening])
@pytest.mark.parametrize("epsilon", ["0.1", 1, 5, 100])
def test_errors_on_a_grid_are_those_of_the_law(make: Any, epsilon: Any) -> None:
    problem = percentile()
    chances = np.exp(np.asarray(make(epsilon).log_probabilities(problem)))
    place = int(np.argmax(np.asarray(problem.utilities)))
    found = GridContest(problem, GRID, place).measure(make(epsilon))
    assert found == pytest.approx(written_out(np.abs(np.array(GRID) - GRID[place]), chances), rel=1e-9, abs=1e-12)


def test_groups_that_are_never_drawn_are_one() -> None:
    contest = GridContest(percentile(), GRID, 25)
    mechanism = PermuteAndFlip(100)
    assert isinstance(mechanism, UtilityMechanism)
    assert len(contest._shallow(mechanism).groups) < len(contest.problem.groups) / 3
    assert contest._shallow(LocalDampening(100)) is contest.problem


def test_errors_of_a_choice_are_those_of_the_law() -> None:
    frame = Frame(tuple("abcd"), bound=1, adjacency=ADD_REMOVE, monotone=True)
    problem = SelectionProblem(frame, [30, 28, 5, 0]).as_public()
    chances = np.exp(np.asarray(PermuteAndFlip(1).log_probabilities(problem)))
    found = ChoiceContest(problem).measure(PermuteAndFlip(1))
    assert found == pytest.approx(written_out(np.array([0.0, 2, 25, 30]), chances))


@pytest.mark.parametrize("make", [Laplace, Staircase, PolyPlace])
@pytest.mark.parametrize("epsilon", ["0.2", 3])
def test_errors_of_noise_in_a_range_are_those_of_the_clamped_law(make: Any, epsilon: Any) -> None:
    problem = order_statistic_problem(AGES, 90, bounds=(0, 120), adjacency=ADD_REMOVE).as_public()
    steps = np.arange(-(10**5), 10**5)
    chances = np.exp(make(epsilon).log_probabilities(problem, steps))
    errors = np.abs(np.clip(steps, 0, 120) - int(problem.value)).astype(float)
    assert NumberContest(problem).measure(make(epsilon)) == pytest.approx(written_out(errors, chances), rel=1e-3)


def test_noise_without_a_range_is_not_clamped() -> None:
    problem = NumericProblem(NumericFrame(1, ADD_REMOVE), 17).as_public()
    found = NumberContest(problem).measure(Laplace(1))
    assert found.mean == pytest.approx(1 / np.sinh(1))
    assert found.rare == 3


@pytest.mark.parametrize("problem", [percentile(), NumericProblem(NumericFrame(1, ADD_REMOVE), 17).as_public()])
def test_every_mechanism_of_the_kind_fits_or_has_a_reason(problem: Any) -> None:
    fitting, left_out = find_mechanisms((problem,))
    kinds = {name: getattr(dampen.mechanisms, name) for name in dampen.mechanisms.__all__}
    expected = {
        name for name, kind in kinds.items() if not inspect.isabstract(kind) and isinstance(problem, kind.takes)
    }
    assert set(fitting) | set(left_out) == expected
    assert not set(fitting) & set(left_out)
    assert all(left_out.values())


def test_a_delta_lets_more_of_them_in() -> None:
    problem = percentile()
    assert set(find_mechanisms((problem,), "1e-6")[0]) - set(find_mechanisms((problem,))[0]) == {"SmoothExponential"}


def test_where_two_errors_cross() -> None:
    found = crossing(lambda price: float(2 / price), lambda price: float(6 / price**2), (Fraction(1), Fraction(10)))
    assert found == pytest.approx(3, rel=0.02)


def test_gaussian_noise_has_the_rho_that_promises_epsilon_and_delta() -> None:
    problem = NumericProblem(NumericFrame(1, ADD_REMOVE), 17).as_public()
    fitting, _ = find_mechanisms((problem,), "1e-6")
    made: Any = fitting["Gaussian"](Fraction(1))
    assert least_epsilon(made.rho, Fraction(1, 10**6)) <= 1
    assert least_epsilon(made.rho * Fraction(102, 100), Fraction(1, 10**6)) > 1
    assert find_mechanisms((problem,))[1]["Gaussian"] == BY_RHO
    halves, _ = find_mechanisms((problem, problem), "1e-6")
    half: Any = halves["Gaussian"](Fraction(1))
    assert half.rho == made.rho / 2
    assert halves["Laplace"](Fraction(1)).epsilon == Fraction(1, 2)
    pair: Any = halves["ExactPairLaplace"](Fraction(1))
    assert (pair.epsilon, pair.delta) == (Fraction(1, 2), Fraction(1, 2 * 10**6))


def test_lists_cost_what_was_said() -> None:
    frame = Frame(tuple("abcd"), bound=1, adjacency=ADD_REMOVE, monotone=True)
    problem = SelectionProblem(frame, [30, 28, 5, 0]).as_public()
    fitting, left_out = find_lists(problem, 2)
    assert {"LaplaceTopK", "TopK of Exponential", "TopK of PermuteAndFlip, peeled"} <= set(fitting)
    assert "TopK of Exponential, peeled" not in fitting
    for name, make in fitting.items():
        assert make(Fraction(3)).privacy(frame).epsilon == 3, name
        found = ChoiceContest(problem).measure(make(Fraction(3)))  # type: ignore[arg-type]
        assert found.mean == pytest.approx(expected_error(make(Fraction(3)), problem))  # type: ignore[arg-type]
    assert all(left_out.values())


@pytest.mark.parametrize("make", [lambda: LaplaceCounts("0.3"), lambda: GaussianCounts("0.02")])
def test_errors_of_counts_are_those_of_the_noise_of_one(make: Any) -> None:
    problem = CountsProblem(CountsFrame(5, 1, ADD_REMOVE), [7] * 5).as_public()
    steps = np.arange(-500, 501)
    chances = np.exp(make().noise(problem.frame).log_probabilities(steps))
    expected = written_out(np.abs(steps).astype(float), chances)
    assert CountsContest(problem).measure(make()) == pytest.approx(expected, rel=1e-6)
