"""The least price and the best split, against a walk through all of them."""

from collections.abc import Callable
from fractions import Fraction
from itertools import pairwise, product
from math import ceil, inf

import pytest

from dampen.accuracy.search import LAST, Way, least_index, least_offer, price_at, split_price
from dampen.errors import ParameterError

MOST_EVALUATIONS = 16
"""Of one law, for one price."""


def by_epsilon(bound: Callable[[Fraction], float]) -> list[Way]:
    """Paid for by an epsilon, which is charged as it is."""
    return [Way("epsilon", bound, lambda price: price)]


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

    found = least_offer(by_epsilon(bound), wished, "this")
    assert len(asked) <= MOST_EVALUATIONS
    assert (
        found.price
        == found.charge
        == next(price_at(index) for index in range(LAST) if ceil(3 / price_at(index)) - 0.5 <= wished)
    )


def test_an_error_that_no_price_buys_is_refused() -> None:
    with pytest.raises(ParameterError, match="error of 'median pay' must be at least 1: no epsilon makes it smaller"):
        least_offer(by_epsilon(lambda price: max(1.0, float(1 / price))), 0.5, "'median pay'")
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
    found = [offer.price for offer in split_price([by_epsilon(law) for law in LAWS], total)]
    assert sum(found) <= total
    assert factor(tuple(found), total) <= 1.02 * best


def test_a_law_that_says_nothing_gets_an_equal_part() -> None:
    laws = [*LAWS[:2], lambda price: inf]
    found = split_price([by_epsilon(law) for law in laws], Fraction(1))
    assert [offer.price for offer in found] == [Fraction("0.333")] * 3


def test_what_leaves_nothing_for_a_question_is_refused() -> None:
    with pytest.raises(ParameterError, match="a millionth"):
        split_price([by_epsilon(LAWS[0])], Fraction(1, 10**7))


def cheap_and_dear() -> list[Way]:
    """A rho that is charged as it is, and an epsilon that is charged half of its square."""
    return [
        Way("rho", lambda price: max(float(3 / price) ** 0.5, 6.0) if price < 1 else float(1 / price), lambda rho: rho),
        Way("epsilon", lambda price: float(1 / price), lambda epsilon: epsilon**2 / 2),
    ]


@pytest.mark.parametrize("wished", [0.5, 2.0, 7.0, 10.0, 70.0])
def test_the_cheaper_way_is_taken_and_none_is_charged_more(wished: float) -> None:
    ways = cheap_and_dear()
    prices = [price_at(index) for index in range(LAST)]
    best = min(next(way.charge(price) for price in prices if way.bound(price) <= wished) for way in ways)
    found = least_offer(ways, wished, "this")
    assert found.charge <= best * Fraction(101, 100)
    assert next(way for way in ways if way.kind == found.kind).bound(found.price) <= wished


def test_a_total_is_split_by_what_is_charged() -> None:
    doubled = [Way("epsilon", LAWS[0], lambda price: 2 * price)]
    found = split_price([doubled, by_epsilon(LAWS[0])], Fraction(1))
    assert sum(offer.charge for offer in found) <= 1
    assert Fraction(97, 100) <= sum(offer.charge for offer in found)
    assert [offer.price for offer in found] == [Fraction(1, 4), Fraction(1, 2)]


def test_what_steps_leave_over_is_given_out() -> None:
    steps = by_epsilon(lambda price: float(ceil(1 / price)))
    found = split_price([steps, steps], Fraction(1, 2) - Fraction(1, 50))
    assert [offer.price for offer in found] == [Fraction("0.24")] * 2  # 0.2 each has the same error, 5
