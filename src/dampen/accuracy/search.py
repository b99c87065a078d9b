"""The least price at which an error is small enough, and the split of a price over several questions.

Prices are numbers of three digits, so that people can write them down: each is at most a hundredth above the least. A
question may be paid for in several ways, by an epsilon or by a rho: the way that is charged the least is taken.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import isfinite

from dampen.errors import ParameterError

Bound = Callable[[Fraction], float]
"""From a price to an error, which does not increase."""
DIGITS = 900
"""How many numbers of three digits there are from 1.00 to 9.99."""
SMALLEST_POWER, POWERS = -6, 10
"""Prices lie between a millionth and ten thousand."""
ROUNDING = 1 + Fraction(1, DIGITS // 9)
"""What a number of three digits exceeds the least one by, as a factor."""
FACTOR_STEPS = 1000
"""A common factor of errors is found to within a share of 1 / FACTOR_STEPS."""


@dataclass(frozen=True)
class Offer:
    """A price of some kind, ``"epsilon"`` or ``"rho"``, and what is charged for it."""

    kind: str
    price: Fraction
    charge: Fraction


@dataclass(frozen=True)
class Way:
    """One way to pay for a question: its error, and what is charged, at every price of a kind. The charge grows."""

    kind: str
    bound: Bound
    charge: Callable[[Fraction], Fraction]

    def offer(self, index: int) -> Offer:
        """What is charged at the price of an index."""
        return Offer(self.kind, price_at(index), self.charge(price_at(index)))

    def least(self, wished: float) -> Offer | None:
        """The least price for an error."""
        found = least_index(lambda index: self.bound(price_at(index)) <= wished)
        return None if found is None else self.offer(found)

    def within(self, total: Fraction) -> Offer | None:
        """The largest price that is charged no more than a total."""
        above = least_index(lambda index: self.charge(price_at(index)) > total)
        return None if above == 0 else self.offer(LAST if above is None else above - 1)


Ways = Sequence[Way]
"""All ways to pay for one question."""


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


def least_offer(ways: Ways, wished: float, name: str) -> Offer:
    """The least charge at which an error is at most the one wished for."""
    found = _offer_for(ways, wished)
    if found is None:
        least = min(way.bound(price_at(LAST)) for way in ways)
        raise ParameterError(f"error of {name} must be at least {least:.4g}: no epsilon makes it smaller")
    return found


def _offer_for(ways: Ways, wished: float) -> Offer | None:
    """The least charge; the first way where another is cheaper by its rounding alone."""
    known = [found for way in ways if (found := way.least(wished)) is not None]
    least = min((offer.charge for offer in known), default=Fraction(0))
    return next((offer for offer in known if offer.charge <= least * ROUNDING), None)


def split_price(questions: Sequence[Ways], total: Fraction) -> list[Offer]:
    """Charges of at most ``total`` in all, at which no error is a larger multiple than need be of what it could be.

    Alone, a question could have the whole total: its error is then as small as can be. All are multiples of these by
    one factor, the smallest that the total pays for; what that leaves over is given out in equal parts. Where one of
    them says nothing even then, all get the same.
    """
    best = [_best_within(ways, total)[0] for ways in questions]
    each = [_best_within(ways, total / len(questions)) for ways in questions]
    even = [offer for _, offer in each]
    if len(questions) == 1 or not all(isfinite(error) and error > 0 for error in best):
        return even

    def offers(factor: float) -> list[Offer] | None:
        listed = [_offer_for(ways, factor * least) for ways, least in zip(questions, best, strict=True)]
        known = [offer for offer in listed if offer is not None]
        return known if len(known) == len(listed) and sum(offer.charge for offer in known) <= total else None

    # The equal split pays for some factor, so that one bounds the search.
    high = max(error / least for (error, _), least in zip(each, best, strict=True))
    chosen, low = offers(high) or even, 1.0
    while high - low > low / FACTOR_STEPS:
        middle = (low + high) / 2
        found = offers(middle)
        low, high, chosen = (low, middle, found) if found is not None else (middle, high, chosen)
    spare = (total - sum(offer.charge for offer in chosen)) / len(chosen)
    return [_more_of(ways, offer, offer.charge + spare) for ways, offer in zip(questions, chosen, strict=True)]


def _more_of(ways: Ways, offer: Offer, total: Fraction) -> Offer:
    """The same way to pay, for a larger total."""
    return next((found for way in ways if way.kind == offer.kind and (found := way.within(total))), offer)


def _best_within(ways: Ways, total: Fraction) -> tuple[float, Offer]:
    """The least error for no more than a total, and what buys it."""
    known = [(way.bound(found.price), found) for way in ways if (found := way.within(total)) is not None]
    if not known:
        raise ParameterError("epsilon or rho must leave at least a millionth for each question")
    return min(known, key=lambda each: each[0])
