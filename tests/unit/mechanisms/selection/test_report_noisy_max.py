"""Report-noisy-max: closed forms for Laplace noise, twins for the two others."""

from itertools import pairwise
from math import exp
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.stats import laplace

from dampen import Adjacency, Frame, SelectionProblem
from dampen.errors import ParameterError
from dampen.mechanisms import Exponential, PermuteAndFlip, ReportNoisyMax, SelectionMechanism

if TYPE_CHECKING:
    from tests.conftest import Refused

UTILITIES = [7, 5, 5, 0, -20]
NOISES: Any = ("laplace", "exponential", "gumbel")


def problem(utilities: list[int], *, monotone: bool = True) -> SelectionProblem:
    return SelectionProblem(Frame(range(len(utilities)), 1, Adjacency.ADD_REMOVE, monotone), utilities)


@pytest.mark.parametrize("gap", [0, 1, 2, 5, 30])
def test_two_candidates_with_laplace_noise_have_a_closed_form(gap: int) -> None:
    """The difference of two Laplace noises exceeds x with probability (1 + x/2) exp(-x) / 2."""
    worse = np.exp(np.asarray(ReportNoisyMax(1).log_probabilities(problem([gap, 0]))))[1]
    assert worse == pytest.approx((1 + gap / 2) * exp(-gap) / 2, rel=1e-11)


@pytest.mark.parametrize("utilities", [[4, 3, 0], [2, 2, 2], [9, 4, 4, 1]])
def test_more_candidates_with_laplace_noise_agree_with_plain_integration(utilities: list[int]) -> None:
    law = np.exp(np.asarray(ReportNoisyMax(1).log_probabilities(problem(utilities))))
    gaps = np.array(utilities) - max(utilities)
    kinks = sorted({float(gap) for gap in gaps})
    for place, gap in enumerate(gaps):

        def density(t: float, place: int = place, gap: float = float(gap)) -> float:
            others = np.delete(gaps, place)
            return float(laplace.pdf(t - gap) * np.prod(laplace.cdf(t - others)))

        ends = [-60.0, *kinks, 60.0]
        expected = sum(quad(density, a, b, epsabs=1e-13, limit=200)[0] for a, b in pairwise(ends))
        assert law[place] == pytest.approx(expected, abs=1e-10)


@pytest.mark.parametrize(("noise", "twin"), [("exponential", PermuteAndFlip), ("gumbel", Exponential)])
@pytest.mark.parametrize("monotone", [False, True])
def test_the_other_noises_have_the_laws_of_their_twins(
    noise: Any, twin: type[SelectionMechanism], monotone: bool
) -> None:
    posed = problem(UTILITIES, monotone=monotone)
    law = np.asarray(ReportNoisyMax("1/3", noise=noise).log_probabilities(posed))
    assert law.tolist() == np.asarray(twin("1/3").log_probabilities(posed)).tolist()
    assert ReportNoisyMax("1/3", noise=noise).privacy(posed.frame) == twin("1/3").privacy(posed.frame)


def test_laplace_noise_is_the_default_and_has_a_law_of_its_own() -> None:
    assert ReportNoisyMax(1) == ReportNoisyMax(1, noise="laplace")
    laws = [np.asarray(ReportNoisyMax(1, noise).log_probabilities(problem(UTILITIES))) for noise in NOISES]
    assert not np.allclose(laws[0], laws[1])
    assert not np.allclose(laws[0], laws[2])


@pytest.mark.parametrize("noise", ["gauss", "Laplace", "", None, 1])
def test_another_noise_is_refused_by_name(noise: Any, refused: "Refused") -> None:
    with refused(ParameterError, "noise", "'laplace', 'exponential', 'gumbel'", repr(noise)):
        ReportNoisyMax(1, noise=noise)


def test_it_prints_its_parameters() -> None:
    assert repr(ReportNoisyMax(0.5, "gumbel")) == "ReportNoisyMax(epsilon=0.5, noise='gumbel')"
