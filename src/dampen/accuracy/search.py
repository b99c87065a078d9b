"""The least price at which an error is small enough, and the split of a price over several questions.

Prices are numbers of three digits, so that people can write them down: each is at most a hundredth above the least.
"""

from collections.abc import Callable, Sequence
from fractions import Fraction
from math import isfinite

from dampen.errors import ParameterError

Bound = Callable[[Fraction], float]
"""From a price to an error, which does not increase."""
DIGITS = 900
"""How many numbers of three digits there are from 1.00 to 9.99."""
SMALLEST_POWER, POWERS = -6, 10
"""Prices lie between a millionth and ten thousand."""
FACTOR_STEPS = 1000
"""A common factor of errors is found to within a share of 1 / FACTOR_STEPS."""


def price_at(index: int) -> Fraction:
    """The price of an index: 0.00000100, 0.00000101, ...

    >>> [str(price_at(index)) for index in (0, 1, 6 * 900, 6 * 900 + 1)]
    ['1/1000000', '101/100000000', '1', '101/100']
    """
    power, digits = divmod(index, DIGITS)
    return Fraction(100 + digits, 100) * Fraction(10) ** (power + SMALLEST_POWER)


LAST = POWERS * DIGITS


def least_index(fits: Callable[[int], bool], last: int = LAST) -> int | None:
    """The least index that fits, where every larger one does too; ``None`` where not even the last does."""
    if not fits(last):
        return None
    low, high = -1, last
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if fits(middle) else (middle, high)
    return high


def least_price(bound: Bound, wished: float, name: str) -> Fraction:
    """The least price at which an error is at most the one wished for."""
    found = _price_for(bound, wished)
    if found is None:
        least = bound(price_at(LAST))
        raise ParameterError(f"error of {name} must be at least {least:.4g}: no epsilon makes it smaller")
    return found


def _price_for(bound: Bound, wished: float) -> Fraction | None:
    found = least_index(lambda index: bound(price_at(index)) <= wished)
    return None if found is None else price_at(found)


def split_price(bounds: Sequence[Bound], total: Fraction) -> list[Fraction]:
    """Prices of at most ``total`` in all, at which no error is a larger multiple than need be of what it could be.

    Alone, a question could have the whole total: its error is then as small as can be. All are multiples of these by
    one factor, the smallest that the total pays for. Where one of them says nothing even then, all get the same.
    """
    best = [bound(total) for bound in bounds]
    even = round_down(total / len(bounds))
    if len(bounds) == 1 or not all(isfinite(each) and each > 0 for each in best):
        return [even] * len(bounds)

    def prices(factor: float) -> list[Fraction] | None:
        listed = [_price_for(bound, factor * least) for bound, least in zip(bounds, best, strict=True)]
        known = [price for price in listed if price is not None]
        return known if len(known) == len(listed) and sum(known) <= total else None

    # The equal split pays for some factor, so that one bounds the search.
    high = max(bound(even) / least for bound, least in zip(bounds, best, strict=True))
    chosen = prices(high) or [even] * len(bounds)
    low = 1.0
    while high - low > low / FACTOR_STEPS:
        middle = (low + high) / 2
        found = prices(middle)
        low, high, chosen = (low, middle, found) if found is not None else (middle, high, chosen)
    return chosen


def round_down(price: Fraction) -> Fraction:
    """The largest number of three digits that is not above a price."""
    above = least_index(lambda index: price_at(index) > price)
    if above == 0:
        raise ParameterError("epsilon must leave at least a millionth for each question")
    return price_at(LAST if above is None else above - 1)
