"""Pareto noisy max: its calibration against the two conditions of the theorem, and its law."""

from fractions import Fraction
from math import exp, expm1, log, log1p
from typing import Any

import numpy as np
import pytest
from flint import arb, ctx, fmpq

from dampen import Adjacency, Budget, Frame, SelectionProblem
from dampen.errors import ParameterError
from dampen.mechanisms import ParetoNoisyMax
from dampen.mechanisms.laws import pareto_maximum
from dampen.sensitivity import Constant, RungTable, Step
from tests.conftest import Refused

CASES = [(e, nu, n) for e in ("0.01", "1", "5", "30") for nu in ("1", "3/2", "4") for n in (1, 2, 3, 10, 10**6)]


def frame_of(size: int) -> Frame:
    return Frame(range(size), 1, Adjacency.ADD_REMOVE)


def ball(number: Fraction) -> arb:
    return arb(fmpq(number.numerator, number.denominator))


@pytest.mark.parametrize(("epsilon", "nu", "size"), CASES)
@pytest.mark.parametrize("indicator", [False, True])
def test_the_calibration_keeps_the_conditions_of_the_theorem(epsilon: str, nu: str, size: int, indicator: bool) -> None:
    """epsilon >= nu beta, and slide plus dilation (each, for indicators) within epsilon: certainly, and with room."""
    mechanism = ParetoNoisyMax(epsilon, nu, indicator)
    alpha, beta = mechanism.alpha(frame_of(size)), mechanism.beta(frame_of(size))
    with ctx.workprec(200):
        index, limit = ball(Fraction(nu)), ball(Fraction(epsilon))
        slide = index * (1 + ball(alpha) / index).log()
        dilation = arb(size).log() * (1 - (-index * ball(beta)).exp())
        assert index * ball(beta) <= limit
        assert slide <= limit
        assert dilation <= limit
        total = slide.max(dilation) if indicator else slide + dilation
        assert total <= limit
        assert total.max(index * ball(beta)) >= limit * (1 - 2.0**-18)


@pytest.mark.parametrize(("epsilon", "nu", "size"), [("1", "1", 10), ("1/2", "2", 7), ("2", "1", 3)])
def test_the_calibration_is_the_documented_one(epsilon: str, nu: str, size: int) -> None:
    e, v, c = float(Fraction(epsilon)), float(Fraction(nu)), log(size)
    for indicator, share in ((False, e / 2), (True, e)):
        t = e if share >= c else min(e, -log1p(-share / c))
        left = e if indicator else e - c * (1 - exp(-t))
        mechanism = ParetoNoisyMax(epsilon, nu, indicator)
        assert float(mechanism.beta(frame_of(size))) == pytest.approx(t / v, rel=1e-5)
        assert float(mechanism.alpha(frame_of(size))) == pytest.approx(v * expm1(left / v), rel=1e-5)


def test_the_law_is_that_of_scaled_noise_with_the_largest_smooth_sensitivity() -> None:
    rungs = RungTable([[0.1, 0.3, 0.2], [0.5, 0.3, 0.2]], bound=1)
    problem = SelectionProblem(frame_of(3), [2.0, 1.0, 0.0], rungs)
    mechanism = ParetoNoisyMax(1, nu=2)
    beta, alpha = (float(number(problem.frame)) for number in (mechanism.beta, mechanism.alpha))
    smooth = max(rungs.smooth(beta))
    x = np.array([0.0, 1.0, 2.0]) * alpha / (2 * smooth)
    assert np.asarray(mechanism.log_probabilities(problem)) == pytest.approx(
        pareto_maximum(x, np.ones(3), 2.0), abs=1e-6
    )


def test_the_same_beta_smooths_and_is_asked_for_by_the_release(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[Any] = []
    smooth = Step.smooth

    def listening(self: Step, beta: Any) -> Any:
        asked.append(beta)
        return smooth(self, beta)

    monkeypatch.setattr(Step, "smooth", listening)
    mechanism = ParetoNoisyMax(1)
    problem = SelectionProblem(frame_of(3), [1, 0, 0], Step([2, 2, 2], 1))
    mechanism.release(problem, budget=Budget(epsilon=1))
    assert asked == [mechanism.beta(problem.frame)]


def test_indicator_is_a_promise_and_never_detected() -> None:
    problem = SelectionProblem(frame_of(3), [1, 0, 0], Constant(1, size=3))
    general, promised = (
        np.asarray(ParetoNoisyMax(1, indicator=flag).log_probabilities(problem)) for flag in (False, True)
    )
    assert promised[0] > general[0] + 0.05


def test_a_deep_gap_is_not_raised() -> None:
    """Heavy tails decide at any depth: P of the worse is about 1 / x, also far beyond 1024."""
    problem = SelectionProblem(frame_of(2), [1e9, 0.0], Constant(1, size=2))
    worse = float(np.exp(np.asarray(ParetoNoisyMax(1).log_probabilities(problem))[1]))
    x = 1e9 * float(ParetoNoisyMax(1).alpha(problem.frame)) / 2
    assert worse == pytest.approx(1 / x, rel=1e-5)


@pytest.mark.parametrize("nu", [0, -1, "0.99", "x", None], ids=repr)
def test_nu_is_at_least_1(nu: Any, refused: Refused) -> None:
    with refused(ParameterError, "nu"):
        ParetoNoisyMax(1, nu=nu)


@pytest.mark.parametrize("epsilon", ["1e-20", "1e-30", "1e-100"])
def test_a_tiny_epsilon_works_or_is_refused_before_it_is_paid(epsilon: str) -> None:
    """Not a charge for a release that cannot succeed."""
    problem = SelectionProblem(frame_of(2), [1, 0], Constant(1, size=2))
    try:
        ParetoNoisyMax(epsilon).privacy(problem.frame)
    except ParameterError:
        return
    assert ParetoNoisyMax(epsilon).release(problem, budget=Budget(epsilon=1)).value in (0, 1)


def test_it_prints_its_parameters() -> None:
    assert (
        repr(ParetoNoisyMax("1/2", nu="3/2", indicator=True)) == "ParetoNoisyMax(epsilon=0.5, indicator=True, nu=1.5)"
    )
