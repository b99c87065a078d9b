"""Noise in steps: walked bit by bit, and sampled."""

from fractions import Fraction
from math import exp

import numpy as np
import pytest
from scipy.stats import chisquare

from dampen import entropy
from dampen.audit import law_by_enumeration
from dampen.sampling import exact
from dampen.sampling.staircase import staircase
from dampen.vectors import Floats


def law(rate: float, step: int, plateau: int, z: int) -> float:
    """As it is defined."""
    levels = [0 if abs(k) < plateau else 1 + (abs(k) - plateau) // step for k in (z, *range(-2000, 2001))]
    weights = np.exp(-rate * np.array(levels))
    return float(weights[0] / weights[1:].sum())


@pytest.mark.parametrize(("rate", "step", "plateau"), [("1", 1, 1), ("2", 2, 1), ("1/2", 1, 2), ("3", 4, 2)])
def test_every_path_of_short_words_adds_up_to_the_law(
    rate: str, step: int, plateau: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(exact, "MORE_BITS", 1)
    drawn, undecided = law_by_enumeration(lambda source: staircase(Fraction(rate), step, plateau, source), depth=13)
    assert undecided < 0.6
    for z in range(-7, 8):
        low = float(drawn.get(z, Fraction(0)))
        assert low - 1e-12 <= law(float(Fraction(rate)), step, plateau, z) <= low + float(undecided) + 1e-12


SIZES = np.arange(-6000, 6001)
DRAWS = 4000


def weights(rate: float, step: int, plateau: int) -> Floats:
    """Of all sizes that matter, as they are defined."""
    law = np.exp(-rate * np.where(np.abs(SIZES) < plateau, 0, 1 + (np.abs(SIZES) - plateau) // step))
    return np.asarray(law / law.sum())


@pytest.mark.parametrize(
    ("rate", "step", "plateau"),
    [
        ("1/20", 3, 2),
        pytest.param("3/4", 64, 26, marks=pytest.mark.long),
        pytest.param("1/2", 5, 9, marks=pytest.mark.long),
    ],
)
def test_a_sample_fits_its_law_and_no_other(rate: str, step: int, plateau: int) -> None:
    """In eight cells of the law; another law is so far from it that it is missed with probability below 1e-6."""
    right, wrong = (weights(factor * float(Fraction(rate)), step, plateau) for factor in (1, 1.6))
    cell = np.minimum((8 * np.cumsum(right)).astype(int), 7)
    told, other = np.bincount(cell, right), np.bincount(cell, wrong)
    assert DRAWS * ((told - other) ** 2 / other).sum() > 160, "the distance of the two laws"
    source = entropy.system_entropy()
    drawn = np.array([staircase(Fraction(rate), step, plateau, source) for _ in range(DRAWS)])
    seen = np.bincount(cell[drawn - SIZES[0]], minlength=8)
    assert chisquare(seen, DRAWS * told).pvalue > 1e-6
    assert chisquare(seen, DRAWS * other).pvalue < 1e-6


def test_a_large_rate_and_a_large_step_cost_few_bits() -> None:
    """No draw is rejected: at rate 60 nearly all of a plateau of one place is kept, whatever the step."""
    source = entropy.system_entropy()
    assert {staircase(Fraction(60), 2**40, 1, source) for _ in range(20)} == {0}
    assert isinstance(staircase(Fraction(1, 10**30), 2**90, 2**89, source), int)
    assert exp(-60) * 2**41 < 1e-13
