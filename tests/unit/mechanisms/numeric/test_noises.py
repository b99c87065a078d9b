"""Noises: their laws add up, and simulations follow them."""

from fractions import Fraction

import numpy as np
import pytest
from scipy.stats import chisquare

from dampen.mechanisms.numeric.noises import Geometric, Noise, RoundedLaplace

NOISES: dict[str, Noise] = {
    "geometric": Geometric(Fraction(1, 3)),
    "geometric, wide": Geometric(Fraction(1, 40)),
    "Laplace": RoundedLaplace(Fraction(5, 2)),
    "Laplace, narrow": RoundedLaplace(Fraction(1, 5)),
}
WINDOW = np.arange(-(2**14), 2**14 + 1)


@pytest.mark.parametrize("noise", NOISES.values(), ids=NOISES)
def test_probabilities_add_up_to_one_to_tails_and_to_the_mean(noise: Noise) -> None:
    probabilities = np.exp(noise.log_probabilities(WINDOW))
    assert probabilities.sum() == pytest.approx(1, abs=1e-12)
    assert probabilities @ np.abs(WINDOW) == pytest.approx(noise.mean_size(), rel=1e-9)
    for k in (1, 2, 5, 10):
        inside = probabilities[np.abs(WINDOW) >= k].sum()
        assert np.exp(noise.log_tail(k)) == pytest.approx(inside, rel=1e-9, abs=1e-15)


@pytest.mark.parametrize("noise", NOISES.values(), ids=NOISES)
def test_simulations_follow_the_law_and_not_one_of_a_third_more(noise: Noise) -> None:
    drawn = noise.simulate(np.random.default_rng(1), 40_000)
    bins = np.arange(-60, 61)
    expected = np.exp(noise.log_probabilities(bins))
    kept = expected * len(drawn) > 20
    counts = np.array([(drawn == k).sum() for k in bins[kept]] + [(~np.isin(drawn, bins[kept])).sum()])
    shares = np.append(expected[kept], 1 - expected[kept].sum())
    assert chisquare(counts, shares * len(drawn)).pvalue > 1e-6
    wrong = np.roll(shares, 1)
    assert chisquare(counts, wrong / wrong.sum() * len(drawn)).pvalue < 1e-6


@pytest.mark.parametrize("rate", ["1/3", "2", "1/1000"])
def test_few_geometric_numbers_exceed_what_is_told(rate: str) -> None:
    noise = Geometric(Fraction(rate))
    for chance in (Fraction(1, 20), Fraction(1, 1000)):
        k = noise.size_exceeded_with(chance)
        assert np.exp(noise.log_tail(k + 1)) <= float(chance) * (1 + 1e-9)
        assert k == 0 or np.exp(noise.log_tail(k)) > float(chance) * (1 - 1e-6)


def test_no_scale_is_shown() -> None:
    assert "5" not in repr(RoundedLaplace(Fraction(5, 2)))
