"""Bounds of probabilities against sums of binomial probabilities; losses against every other point of the box."""

from math import exp, log

import numpy as np
import pytest
from scipy.stats import binom

from dampen.audit.intervals import delta_at, epsilon_at, lower_bound, rho_at, upper_bound

ERROR = 0.01


@pytest.mark.parametrize("trials", [1, 7, 40])
@pytest.mark.parametrize("probability", [0.0, 0.003, 0.2, 0.5, 0.97, 1.0])
def test_bounds_miss_the_truth_as_rarely_as_they_say(trials: int, probability: float) -> None:
    counts = np.arange(trials + 1)
    chances = binom.pmf(counts, trials, probability)
    assert chances[lower_bound(counts, trials, ERROR) > probability].sum() <= ERROR * (1 + 1e-9)
    assert chances[upper_bound(counts, trials, ERROR) < probability].sum() <= ERROR * (1 + 1e-9)


def test_bounds_are_no_wider_than_they_must_be() -> None:
    low = float(lower_bound(30, 100, ERROR))
    assert binom.sf(29, 100, low) == pytest.approx(ERROR)
    high = float(upper_bound(30, 100, ERROR))
    assert binom.cdf(30, 100, high) == pytest.approx(ERROR)


def test_bounds_at_the_ends() -> None:
    assert lower_bound(0, 10, ERROR) == 0
    assert upper_bound(10, 10, ERROR) == 1
    assert upper_bound(0, 10, ERROR) == pytest.approx(1 - ERROR ** (1 / 10))


def test_epsilon_and_delta_of_an_event() -> None:
    assert epsilon_at(0.5, 0.1, 0) == pytest.approx(log(5))
    assert epsilon_at(0.5, 0.1, 0.2) == pytest.approx(log(3))
    assert delta_at(0.5, 0.1, 1) == pytest.approx(0.5 - 0.1 * exp(1))
    assert delta_at(0.5, 0.1, 1000) == 0


@pytest.mark.parametrize(("low", "high"), [(0.0, 0.1), (0.1, 0.2), (0.05, 0.05)])
def test_an_event_that_is_not_likelier_says_nothing(low: float, high: float) -> None:
    assert epsilon_at(low, high, 0.1) == 0
    assert delta_at(low, high, 0) == 0
    assert rho_at(low, high) == 0


def kullback_leibler(p: float, q: float) -> float:
    return p * log(p / q) + (1 - p) * log((1 - p) / (1 - q))


@pytest.mark.parametrize(("p", "q"), [(0.6, 0.5), (0.5, 0.1), (0.9, 0.001)])
def test_rho_is_at_least_the_divergence_of_order_one_and_two(p: float, q: float) -> None:
    rho = float(rho_at(p, q))
    assert rho >= kullback_leibler(p, q) * (1 - 1e-5)
    assert rho >= log(p**2 / q + (1 - p) ** 2 / (1 - q)) / 2 * (1 - 1e-2)


def test_rho_of_randomised_response_is_known() -> None:
    """Epsilon tanh(epsilon / 2), in the limit of order 1."""
    keep = 1 / (1 + exp(-1))
    assert float(rho_at(keep, 1 - keep)) == pytest.approx(np.tanh(0.5), rel=1e-5)


def test_losses_are_least_at_the_corner_of_the_box() -> None:
    rng = np.random.default_rng(3)
    high = rng.uniform(0.001, 0.6, 2000)
    low = high + (1 - high) * rng.random(2000) * 0.9
    p, q = low + (1 - low) * rng.random(2000), high * rng.random(2000)
    for loss in (rho_at, lambda a, b: epsilon_at(a, b, 0.01), lambda a, b: delta_at(a, b, 0.3)):
        assert (loss(p, q) >= loss(low, high) - 1e-12).all()


def test_rho_of_an_event_that_hardly_differs_is_not_rounding() -> None:
    """Nearly 2 d**2 at one half, d apart; orders near 1 would divide the rounding of floats by a millionth."""
    assert float(rho_at(0.5 + 1e-7, 0.5)) == pytest.approx(2e-14, rel=1e-6)
    assert float(rho_at(1.0, 0.5)) == pytest.approx(log(2), rel=1e-5)
