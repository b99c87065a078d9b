"""The seam: units below the best, exact for whole scores and within one unit for others."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dampen.sampling.exponents import DEEPEST, Exponents

UNIT = Fraction(1, 2**22)


@given(st.lists(st.integers(1 - 2**62, 2**62 - 1), min_size=1), st.fractions(min_value="1/1000", max_value=5000))
def test_whole_scores_are_exact_down_to_the_deepest_level(scores: list[int], rate: Fraction) -> None:
    exponents = Exponents.of_whole(np.array(scores), rate)
    unit = min(rate, Fraction(DEEPEST))
    level = (DEEPEST // unit) * unit
    for group, score in enumerate(scores):
        assert exponents.exact(group) == min((max(scores) - score) * unit, level)


@given(
    st.lists(st.floats(-1e300, 1e300), min_size=1),
    st.fractions(min_value="1/100", max_value=100),
    st.sampled_from([Fraction(1, 10), Fraction(1), Fraction(3)]),
)
def test_other_scores_are_within_one_unit(scores: list[float], bound: Fraction, epsilon: Fraction) -> None:
    unit, rate = epsilon * UNIT, epsilon / bound * (1 - Fraction(1, 2**20))
    exponents = Exponents.of_real(np.array(scores), rate, unit)
    level = (DEEPEST // unit) * unit
    for group, score in enumerate(scores):
        truth = min((Fraction(max(scores)) - Fraction(score)) * rate, level)
        assert abs(exponents.exact(group) - truth) < Fraction(11, 16) * unit
        assert exponents.exact(group) % unit == 0


@pytest.mark.parametrize("epsilon", ["1/1000000000", "1/1000", "1000000"])
def test_tiny_and_huge_rates_neither_warn_nor_overflow(epsilon: str) -> None:
    rate = Fraction(epsilon)
    for exponents in (
        Exponents.of_whole(np.array([2**62 - 1, 1 - 2**62]), rate),
        Exponents.of_real(np.array([1.7e308, -1.7e308]), rate, rate * UNIT),
    ):
        assert exponents.exact(0) == 0
        assert 0 < exponents.exact(1) <= DEEPEST
        assert np.isfinite(exponents.approximate()).all()


@given(st.lists(st.integers(0, 10**6), min_size=1, max_size=50), st.fractions(min_value="1/10000", max_value=50))
def test_float_views_are_as_close_as_they_claim(scores: list[int], rate: Fraction) -> None:
    exponents = Exponents.of_whole(np.array(scores), rate)
    for group, (double, single) in enumerate(
        zip(exponents.approximate(), exponents.in_single_precision(), strict=True)
    ):
        truth = exponents.exact(group)
        assert abs(Fraction(float(double)) - truth) <= truth / 2**51
        assert abs(Fraction(float(single)) - truth) <= truth / 2**22
