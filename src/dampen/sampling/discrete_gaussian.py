"""Whole numbers with a normal law, exactly: one at a time, and many at once.

P(K = k) is proportional to exp(-k^2 / (2 s)) for a rational variance s, that of the normal law it is cut from. With
t = floor(sqrt(s)) + 1,

    k^2 / (2 s) = |k| / t + (|k| - s / t)^2 / (2 s) - s / (2 t^2),

so a discrete Laplace number of rate 1 / t that is kept with probability exp(-(|k| - s / t)^2 / (2 s)) has this law
(Canonne, Kamath and Steinke, The discrete Gaussian for differential privacy, 2020). Three of four are kept at large s,
and nearly half at any.
"""

from dataclasses import dataclass
from fractions import Fraction
from math import isqrt

import numpy as np
from numpy.typing import NDArray

from dampen.entropy import Entropy
from dampen.sampling import exact
from dampen.sampling.discrete_laplace import (
    KEPT_BITS,
    SLACK,
    discrete_laplace,
    discrete_laplace_batch,
    geometric,
    uniform_bits,
)
from dampen.vectors import Integers

LARGEST = 2**63 - 1
"""What larger sizes count as, where many are drawn at once."""


@dataclass(frozen=True)
class _Proposals:
    """Discrete Laplace numbers of rate 1 / t, and how each is kept."""

    variance: Fraction

    @property
    def width(self) -> int:
        """t."""
        return isqrt(self.variance.numerator // self.variance.denominator) + 1

    @property
    def rate(self) -> Fraction:
        return Fraction(1, self.width)

    def exponent(self, size: int) -> Fraction:
        """A number of this size is kept with probability exp(-exponent)."""
        return (size - self.variance / self.width) ** 2 / (2 * self.variance)

    def keep(self, numbers: Integers, entropy: Entropy) -> NDArray[np.bool_]:
        """Whether each is kept: 48 bits of a uniform number decide nearly all, and exact coins the others.

        Exponents in floats are off by less than ``SLACK`` wherever a probability is above 2^-48; where it is below,
        only a prefix of 0 leaves anything open.
        """
        prefixes = uniform_bits(len(numbers), KEPT_BITS, entropy)
        off = np.abs(numbers.astype(np.float64)) - float(self.variance / self.width)
        with np.errstate(over="ignore"):
            chance = np.exp(-(off**2) / (2 * float(self.variance))) * 2.0**KEPT_BITS
        kept = np.asarray(prefixes + 1 <= chance * (1 - SLACK))
        for place in np.flatnonzero(~kept & (prefixes <= chance * (1 + SLACK))):
            prefix, size = int(prefixes[place]), abs(int(numbers[place]))
            kept[place] = exact.coin(self.exponent(size), entropy, prefix=prefix, width=KEPT_BITS)
        for place in np.flatnonzero(np.abs(numbers) == LARGEST):
            # So large or larger: how much larger is geometric again, whatever was seen, and decides by a coin of its
            # own.
            size = LARGEST + geometric(self.rate, entropy)
            kept[place] = exact.coin(self.exponent(size), entropy)
        return kept


def discrete_gaussian(variance: Fraction, entropy: Entropy) -> int:
    """A whole number z with probability proportional to exp(-z^2 / (2 variance))."""
    proposals = _Proposals(variance)
    while True:
        tried = discrete_laplace(proposals.rate, entropy)
        if exact.coin(proposals.exponent(abs(tried)), entropy):
            return tried


def discrete_gaussian_batch(variance: Fraction, count: int, entropy: Entropy) -> Integers:
    """``count`` independent whole numbers of that law, below 2^63 in size: larger ones count as 2^63 - 1."""
    proposals = _Proposals(variance)
    found, left = np.zeros(count, dtype=np.int64), np.arange(count)
    while left.size:
        tried = discrete_laplace_batch(proposals.rate, len(left), entropy)
        kept = proposals.keep(tried, entropy)
        found[left[kept]] = tried[kept]
        left = left[~kept]
    return found
