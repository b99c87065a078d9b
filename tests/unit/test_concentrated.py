"""The ways between rho and epsilon, held against balls: rounded to the safe side, and by no more than they say."""

from fractions import Fraction
from typing import Any

import pytest

from dampen import concentrated
from dampen.certified import arithmetic, ball
from dampen.concentrated import GRID, KEPT, largest_rho, least_epsilon

PLACES = [Fraction(-3, 2), Fraction(1, 3), Fraction(7, 2)]
"""Logarithms of a - 1: every order is valid, the best one or not."""
PROMISES = [(Fraction(epsilon), Fraction(delta)) for epsilon, delta in ((1, "1e-6"), ("1/10", "1e-9"), (20, "1/100"))]


def offset(flint: Any, place: Fraction, delta: Fraction) -> tuple[Any, Any]:
    """An order a, and ln(1 - 1/a) - ln(delta a) / (a - 1)."""
    a = 1 + ball(flint, place).exp()
    return a, (1 - 1 / a).log() - (ball(flint, delta) * a).log() / (a - 1)


@pytest.fixture(params=PLACES, ids=str)
def place(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Fraction:
    """Where the search is told to end."""
    monkeypatch.setattr(concentrated, "_best_place", lambda *_: request.param)
    return Fraction(request.param)


@pytest.mark.parametrize("rho", [Fraction(1, 10**6), Fraction(1, 50), Fraction(7, 3)], ids=str)
@pytest.mark.parametrize("delta", [Fraction(1, 10**9), Fraction(1, 10)], ids=str)
def test_epsilon_is_rounded_up(rho: Fraction, delta: Fraction, place: Fraction) -> None:
    found = least_epsilon.__wrapped__(rho, delta)
    with arithmetic(400) as flint:
        a, rest = offset(flint, place, delta)
        true = ball(flint, rho) * a + rest
        assert true <= ball(flint, found)
        assert not found or ball(flint, found - Fraction(1, GRID)) <= true


@pytest.mark.parametrize(("epsilon", "delta"), PROMISES, ids=str)
def test_rho_is_rounded_down(epsilon: Fraction, delta: Fraction, place: Fraction) -> None:
    with arithmetic(400) as flint:
        a, rest = offset(flint, place, delta)
        true = (ball(flint, epsilon) - rest) / a
        if true > 0:
            found = largest_rho.__wrapped__(epsilon, delta)
            assert ball(flint, found) <= true
            assert true <= ball(flint, found * (1 + Fraction(1, 2 ** (KEPT - 1))))


@pytest.mark.parametrize(("epsilon", "delta"), PROMISES, ids=str)
def test_the_search_ends_at_the_best_order(epsilon: Fraction, delta: Fraction) -> None:
    """A rho larger by 2^-50 implies the promise at no order near the best one, and the found one does."""
    found = largest_rho(epsilon, delta)
    with arithmetic(400) as flint:

        def least(rho: Fraction) -> Any:
            """Over orders that lie so densely that what is between them is less than 2^-60 better."""
            best = concentrated._best_place(lambda order, shift: (float(epsilon) - shift) / order, delta)
            places = [best + Fraction(turn, 10**9) for turn in range(-100, 101)]
            values = [ball(flint, rho) * a + rest for a, rest in (offset(flint, each, delta) for each in places)]
            return min(values, key=lambda value: value.mid())

        assert least(found) <= ball(flint, epsilon)
        assert least(found * (1 + Fraction(1, 2**50))) > ball(flint, epsilon)
