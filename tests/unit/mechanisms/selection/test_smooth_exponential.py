"""The smooth exponential mechanism: calibration, law, and the exact hockey-stick on its hardest 0/1 pairs."""

from fractions import Fraction
from math import log, log1p
from typing import Any

import numpy as np
import pytest

from dampen import Adjacency, Budget, Frame, PrivacyLoss, SelectionProblem
from dampen.errors import ParameterError
from dampen.mechanisms import SmoothExponential
from dampen.mechanisms.laws import softmax
from dampen.sensitivity import Constant, RungTable, Step
from tests.conftest import Refused


def frame_of(size: int) -> Frame:
    return Frame(range(size), 1, Adjacency.ADD_REMOVE)


@pytest.mark.parametrize(("epsilon", "delta", "size"), [("1", "1e-6", 10), ("1/10", "1e-9", 2), ("4", "1/10", 1000)])
def test_the_calibration_is_the_documented_one_and_on_its_safe_side(epsilon: str, delta: str, size: int) -> None:
    e, tail = float(Fraction(epsilon)), log(size / float(Fraction(delta)))
    for indicator, alpha, beta in ((False, e / 2, log1p(e / 2 / tail)), (True, 2 * e, log1p(e / tail))):
        mechanism = SmoothExponential(epsilon, delta, indicator)
        for found, stated in ((mechanism.alpha(frame_of(size)), alpha), (mechanism.beta(frame_of(size)), beta)):
            assert stated * (1 - 1e-5) <= float(found) < stated


def test_the_price_has_a_delta() -> None:
    loss = SmoothExponential("1/2", "1e-6").privacy(frame_of(3))
    assert loss == PrivacyLoss("1/2", "1e-6", adjacency=Adjacency.ADD_REMOVE)


def test_the_law_is_a_softmax_scaled_by_the_largest_smooth_sensitivity() -> None:
    rungs = RungTable([[0.1, 0.3, 0.2], [0.5, 0.3, 0.2]], bound=1)
    problem = SelectionProblem(frame_of(3), [2.0, 1.0, 0.0], rungs)
    mechanism = SmoothExponential(1, "1e-6")
    smooth = max(rungs.smooth(mechanism.beta(problem.frame)))
    x = np.array([0.0, 1.0, 2.0]) * float(mechanism.alpha(problem.frame)) / (2 * smooth)
    assert np.asarray(mechanism.log_probabilities(problem)) == pytest.approx(softmax(x, np.ones(3)), abs=1e-6)


@pytest.mark.parametrize("epsilon", ["1/10", "1", "4"])
@pytest.mark.parametrize("size", [2, 10, 100])
def test_on_chains_of_indicators_delta_is_kept(epsilon: str, size: int) -> None:
    """Neighbours of one winner, one step closer or further, and a swap of winners at t0 = 0."""
    mechanism = SmoothExponential(epsilon, "1e-3", indicator=True)
    limit = float(Fraction(epsilon))

    def law(winner: int, t0: int) -> Any:
        utilities = [int(r == winner) for r in range(size)]
        problem = SelectionProblem(frame_of(size), utilities, Step([t0] * size, 1))
        return np.exp(np.asarray(mechanism.log_probabilities(problem)))

    pairs = [(law(0, t), law(0, t + 1)) for t in range(0, 60, 3)] + [(law(0, 0), law(1, 0))]
    for one, other in pairs:
        for p, q in ((one, other), (other, one)):
            assert np.maximum(p - np.exp(limit) * q, 0).sum() <= 1e-3 + 1e-12


@pytest.mark.parametrize("delta", [0, 1, -1, "x", None], ids=repr)
def test_delta_lies_between_0_and_1(delta: Any, refused: Refused) -> None:
    with refused(ParameterError, "delta"):
        SmoothExponential(1, delta)


def test_a_tiny_epsilon_works_or_is_refused_before_it_is_paid() -> None:
    problem = SelectionProblem(frame_of(2), [1, 0], Constant(1, size=2))
    mechanism = SmoothExponential("1e-30", "1e-6")
    try:
        mechanism.privacy(problem.frame)
    except ParameterError:
        return
    assert mechanism.release(problem, budget=Budget(epsilon=1, delta="1e-6")).value in (0, 1)


def test_it_prints_its_parameters() -> None:
    assert repr(SmoothExponential("1/2", "1e-6")) == "SmoothExponential(epsilon=0.5, indicator=False, delta=1e-06)"
