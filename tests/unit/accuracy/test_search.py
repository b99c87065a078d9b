"""The least price and the best split, against a walk through all of them."""

from collections.abc import Callable
from fractions import Fraction
from itertools import pairwise, product
from math import ceil, inf

import pytest

from dampen.accuracy.search import LAST, least_index, least_price, price_at, round_down, split_price
from dampen.errors import ParameterError

MOST_EVALUATIONS = 16
"""Of one law, for one price."""


def test_prices_of_three_digits_increase() -> None:
    prices = [price_at(index) for index in range(0, LAST, 7)]
    assert prices == sorted(set(prices))
    assert max(later / former for former, later in pairwise(prices)) < 1.08
    assert price_at(LAST) == 10_000


@pytest.mark.parametrize("wished", [0.5, 3.0, 50.0, 1e4])
def test_the_least_price_is_found_with_few_evaluations(wished: float) -> None:
    asked: list[Fraction] = []

    def bound(price: Fraction) -> float:
        asked.append(price)
        return ceil(3 / price) - 0.5

    found = least_price(bound, wished, "this")
    assert len(asked) <= MOST_EVALUATIONS
    assert found == next(price_at(index) for index in range(LAST) if ceil(3 / price_at(index)) - 0.5 <= wished)


def test_an_error_that_no_price_buys_is_refused() -> None:
    with pytest.raises(ParameterError, match="error of 'median pay' must be at least 1: no epsilon makes it smaller"):
        least_price(lambda price: max(1.0, float(1 / price)), 0.5, "'median pay'")
    assert least_index(lambda index: False) is None


LAWS: tuple[Callable[[Fraction], float], ...] = (
    lambda price: float(3 / price),
    lambda price: 40.0 * ceil(2 / price),
    lambda price: float(5 / price**2),
)


def factor(prices: tuple[Fraction, ...], total: Fraction) -> float:
    """The largest multiple of what a question could have alone."""
    return max(law(price) / law(total) for law, price in zip(LAWS, prices, strict=True))


def test_the_split_is_within_2_percent_of_the_best_on_a_fine_grid() -> None:
    total, steps = Fraction(1), 80
    best = min(
        factor((Fraction(i, steps), Fraction(j, steps), Fraction(steps - i - j, steps)), total)
        for i, j in product(range(1, steps), repeat=2)
        if i + j < steps
    )
    found = split_price(LAWS, total)
    assert sum(found) <= total
    assert factor(tuple(found), total) <= 1.02 * best


def test_a_law_that_says_nothing_gets_an_equal_part() -> None:
    assert split_price([*LAWS[:2], lambda price: inf], Fraction(1)) == [Fraction("0.333")] * 3


def test_rounding_down_never_exceeds() -> None:
    assert round_down(Fraction(1, 3)) == Fraction("0.333")
    assert round_down(Fraction(1)) == 1
    with pytest.raises(ParameterError, match="a millionth"):
        round_down(Fraction(1, 10**7))
