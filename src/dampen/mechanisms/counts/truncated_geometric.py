"""Whole-number noise of a public law that ends: two-sided geometric, and never larger than a public size."""

from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import Any

from dampen._validate import render
from dampen.certified import arithmetic, ball
from dampen.errors import ParameterError

LARGEST = 2**40
"""Noise ends here at the latest."""
GUARD = 128
"""Bits of certified arithmetic beyond those of the numbers themselves."""


@dataclass(frozen=True)
class TruncatedGeometric:
    """Z on -k .. k with P(Z = z) = r^-|z| / w. ``ratio``: r > 1, ``last``: k >= 1.

    The ratio is any kind of exact number: a fraction, a ball, or a float where that is enough; so are all results.
    """

    ratio: Any
    last: int

    @property
    def delta(self) -> Any:
        """P(Z = k), the mass that only one of two neighbours has: (r - 1) / ((r + 1) r^k - 2)."""
        return (self.ratio - 1) / ((self.ratio + 1) * self.ratio**self.last - 2)

    def probabilities(self) -> list[Any]:
        """P(Z = z) for z = -k, ..., k, from their definition."""
        weights = [self.ratio ** (self.last - abs(z)) for z in range(-self.last, self.last + 1)]
        whole = sum(weights)
        return [weight / whole for weight in weights]

    def law(self, people: int) -> dict[int | None, Any]:
        """What is told of a group with so many people: n + Z above k; all else is nothing, ``None``."""
        told: dict[int | None, Any] = {None: 0 * self.ratio}
        for z, chance in zip(range(-self.last, self.last + 1), self.probabilities(), strict=True):
            key = people + z if people + z > self.last else None
            told[key] = told.get(key, 0) + chance
        return told

    def chance(self, people: int) -> Any:
        """P(n + Z > k): how likely a group with so many people is shown."""
        if people <= 0:
            return 0 * self.ratio
        if people <= self.last + 1:
            return self.delta * (self.ratio**people - 1) / (self.ratio - 1)
        return 1 - self.chance(2 * self.last + 1 - people)

    def tail(self, size: int) -> Any:
        """P(|Z| > size)."""
        if size >= self.last:
            return 0 * self.ratio
        return 2 * self.delta * (self.ratio ** (self.last - size) - 1) / (self.ratio - 1)

    def mean_size(self) -> Any:
        """E |Z| = 2 (r^(k+1) - (k + 1) r + k) / ((r - 1) ((r + 1) r^k - 2))."""
        r, k = self.ratio, self.last
        return 2 * (r ** (k + 1) - (k + 1) * r + k) / ((r - 1) * ((r + 1) * r**k - 2))


def whole_delta(delta: Any, moved: int) -> Any:
    """What ``moved`` independent noises lose together: 1 - (1 - delta)^moved."""
    return 1 - (1 - delta) ** moved


@lru_cache
def least_last(rate: Fraction, moved: int, delta: Fraction) -> int:
    """The least k at which ``moved`` noises with ratio exp(rate) certainly lose at most ``delta`` together."""
    low, high = 0, 1
    while not _fits(rate, high, moved, delta):
        low, high = high, 2 * high
        if high > LARGEST:
            rule = "epsilon and delta must be larger: no group of fewer than 2**40 people would be shown"
            raise ParameterError(f"{rule}; got {render(delta)} for delta")
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if _fits(rate, middle, moved, delta) else (middle, high)
    return high


def _fits(rate: Fraction, last: int, moved: int, delta: Fraction) -> bool:
    with arithmetic(needed_bits(rate, moved, delta)) as flint:
        noise = TruncatedGeometric(ball(flint, rate).exp(), last)
        return bool(whole_delta(noise.delta, moved) <= ball(flint, delta))


def needed_bits(rate: Fraction, moved: int, delta: Fraction) -> int:
    """Enough for differences from 1: those of the ratio, and of the power."""
    small = max(1 / rate, 1 / delta, Fraction(moved))
    return GUARD + 2 * (small.numerator // small.denominator).bit_length()
