"""Two-sided geometric noise: walked bit by bit, and sampled."""

from fractions import Fraction
from math import exp

import numpy as np
import pytest
from scipy.stats import chisquare

from dampen import entropy
from dampen.audit import law_by_enumeration
from dampen.sampling import exact
from dampen.sampling.discrete_laplace import discrete_laplace


def law(rate: float, z: int) -> float:
    return (1 - exp(-rate)) / (1 + exp(-rate)) * exp(-rate * abs(z))


@pytest.mark.parametrize("rate", [Fraction(1), Fraction(2), Fraction(1, 2)])
def test_every_path_of_short_words_adds_up_to_the_law(rate: Fraction, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(exact, "MORE_BITS", 1)
    drawn, undecided = law_by_enumeration(lambda source: discrete_laplace(rate, source), depth=13)
    assert undecided < 0.5
    for z in range(-3, 4):
        low = float(drawn.get(z, Fraction(0)))
        assert low - 1e-12 <= law(float(rate), z) <= low + float(undecided) + 1e-12


@pytest.mark.parametrize("rate", [Fraction(1, 20), Fraction(3, 7)])
def test_a_sample_fits_its_law_and_no_other(rate: Fraction) -> None:
    source = entropy.system_entropy()
    drawn = np.array([discrete_laplace(rate, source) for _ in range(4000)])
    edges = np.unique(np.quantile(drawn, np.linspace(0, 1, 9)[1:-1]).astype(int))

    def expected(at: float) -> list[float]:
        cells = np.searchsorted(edges, np.arange(-2000, 2001))
        shares = np.bincount(cells, [law(at, z) for z in range(-2000, 2001)])
        return list(shares / shares.sum() * len(drawn))

    seen = np.bincount(np.searchsorted(edges, drawn), minlength=len(edges) + 1)
    assert chisquare(seen, expected(float(rate))).pvalue > 1e-6
    assert chisquare(seen, expected(1.3 * float(rate))).pvalue < 1e-6


def test_a_tiny_rate_costs_few_bits() -> None:
    assert isinstance(discrete_laplace(Fraction(1, 10**30), entropy.system_entropy()), int)
