"""Beliefs and guesses are bounded on the safe side, and reached by the worst release there is."""

from fractions import Fraction
from math import exp

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dampen.meaning.beliefs import (
    Belief,
    belief_after,
    detection,
    float_above,
    float_below,
    odds_factor,
    ratio,
    right_guess,
)

EPSILONS = [Fraction(1, 100), Fraction(1), Fraction(7, 2), Fraction(20)]
ONE = Fraction(1)


@given(
    st.fractions(Fraction(1, 1000), Fraction(999, 1000), max_denominator=1000),
    st.fractions(0, 30, max_denominator=50),
)
def test_a_belief_moves_by_the_rule_of_bayes(before: Fraction, epsilon: Fraction) -> None:
    found, factor, p = belief_after(before, epsilon), exp(epsilon), float(before)
    assert float(found.most) == pytest.approx(p * factor / (1 - p + p * factor), rel=1e-9)
    assert float(found.least) == pytest.approx(p / (p + (1 - p) * factor), rel=1e-6)
    assert found.least <= before <= found.most
    assert belief_after(1 - before, epsilon).most == 1 - found.least


@pytest.mark.parametrize("epsilon", EPSILONS)
def test_rounding_is_outwards(epsilon: Fraction) -> None:
    """Against twice as many digits."""
    import flint

    with flint.ctx.workprec(600):
        real = (-flint.arb(flint.fmpq(epsilon.numerator, epsilon.denominator))).exp()
        assert flint.arb(flint.fmpq(ratio(epsilon).numerator, ratio(epsilon).denominator)) < real
    assert Fraction(float_above(right_guess(epsilon, Fraction(0)))) >= right_guess(epsilon, Fraction(0))
    assert Fraction(float_below(ratio(epsilon))) <= ratio(epsilon)


@pytest.mark.parametrize("epsilon", EPSILONS[:3])
@pytest.mark.parametrize("delta", [Fraction(0), Fraction(1, 50)])
def test_the_worst_release_reaches_the_bounds(epsilon: Fraction, delta: Fraction) -> None:
    """With probability delta it tells all, else one bit that is true with odds exp(epsilon) (Kairouz and others)."""
    r = ratio(epsilon)
    right, wrong = (1 - delta) / (1 + r), (1 - delta) * r / (1 + r)
    assert right_guess(epsilon, delta) == delta + right
    assert detection(wrong, epsilon, delta) == delta + right
    assert detection(wrong / 2, epsilon, delta) == pytest.approx(float(delta + right / 2))
    assert belief_after(ONE / 2, epsilon).most == right / (right + wrong)


def test_nothing_and_everything() -> None:
    assert belief_after(ONE / 3, Fraction(0)) == (ONE / 3, ONE / 3, ONE / 3)
    assert belief_after(ONE / 3, Fraction(10**6)) == Belief(ONE / 3, 0 * ONE, ONE)
    assert belief_after(Fraction(0), ONE) == Belief(0 * ONE, 0 * ONE, 0 * ONE)
    assert odds_factor(Fraction(10**6)) is None
    assert right_guess(Fraction(0), Fraction(0)) == ONE / 2
    assert detection(ONE / 20, Fraction(0), Fraction(0)) == ONE / 20
