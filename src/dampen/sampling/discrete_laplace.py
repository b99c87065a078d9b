"""Whole numbers with a geometric law, one-sided and two-sided, exactly: one at a time, and many at once.

Many at once: with q = exp(-rate), P(|K| >= k) = 2 q^k / (1 + q) for k >= 1. So |K| = floor((y + c) / rate) for
y = -ln U and c = ln(2 / (1 + q)). The first 16 bits of each U give certified bounds of y. Where both bounds have the
same floor it is the answer, and else more bits are revealed, in certified arithmetic. Fair bits are the signs.
"""

from fractions import Fraction
from functools import lru_cache
from typing import Any

import numpy as np

from dampen.certified import arithmetic, ball
from dampen.entropy import Entropy
from dampen.sampling import exact, tables
from dampen.sampling.rounded import HALF, draw_size
from dampen.vectors import Integers

SLACK = 2.0**-40
"""By which share bounds are widened beyond every rounding error of doubles."""
LARGEST = 2.0**62
"""Sizes beyond this are left to certified arithmetic."""
LARGEST_SUM = 2**62
"""Where sums of a number and its noise are cut off."""


def geometric(rate: Fraction, entropy: Entropy) -> int:
    """A whole number n >= 0 with probability proportional to exp(-rate * n).

    With rate = s / t: a uniform u < t kept with probability exp(-u / t), plus t for every head of coins exp(-1), is
    geometric with ratio exp(-1 / t); the quotient by s has ratio exp(-rate) (Canonne, Kamath and Steinke, The discrete
    Gaussian for differential privacy, 2020). Few coins, whatever the rate.
    """
    s, t = rate.numerator, rate.denominator
    low = exact.uniform_below(t, entropy)
    while not exact.coin(Fraction(low, t), entropy):
        low = exact.uniform_below(t, entropy)
    turns = 0
    while exact.coin(Fraction(1), entropy):
        turns += 1
    return (low + t * turns) // s


def discrete_laplace(rate: Fraction, entropy: Entropy) -> int:
    """A whole number z with probability proportional to exp(-rate * abs(z)).

    A geometric size with a fair bit for its sign, where -0 is drawn again.
    """
    while True:
        size, negative = geometric(rate, entropy), entropy.bits(1) == 1
        if size or not negative:
            return -size if negative else size


def discrete_laplace_batch(rate: Fraction, count: int, entropy: Entropy) -> Integers:
    """``count`` independent whole numbers z with probability proportional to exp(-rate |z|), below 2^63 in size.

    A larger one, of probability below exp(-rate 2^62), counts as 2^63 - 1.
    """
    table, shift = tables.log_table(tables.WIDTH), _shift(rate)
    prefixes = entropy.words(count, tables.WIDTH).astype(np.intp)
    lower = np.maximum(table.lower.take(prefixes).astype(np.float64), 0.0) + shift
    upper = table.upper.take(prefixes).astype(np.float64) + shift
    per_step = 1 / float(rate)
    first, last = np.floor(lower * per_step * (1 - SLACK)), np.floor(upper * per_step * (1 + SLACK))
    sizes = np.minimum(first, LARGEST).astype(np.int64)
    for place in np.flatnonzero((first != last) | (first >= LARGEST)):
        size = draw_size(_survival(rate), entropy, prefix=int(prefixes[place]), width=tables.WIDTH)
        sizes[place] = min(size, 2**63 - 1)
    negative = entropy.words(count, 1).astype(bool)
    return np.where(negative, -sizes, sizes)


def add_within(numbers: Integers, noise: Integers) -> Integers:
    """Numbers of at most 2^62 in size with their noise, cut off at 2^62: a function of the sums, so it costs nothing.

    Noise that is cut off itself must never be told with a number on top, for the number could be read off.
    """
    return np.asarray(np.clip(noise, -LARGEST_SUM - numbers, LARGEST_SUM - numbers) + numbers)


@lru_cache
def _shift(rate: Fraction) -> float:
    """c = ln(2 / (1 + q)) to within its last bits, which ``SLACK`` covers wherever it matters."""
    with arithmetic(128) as flint:
        return float((2 / (1 + (-ball(flint, rate)).exp())).log())


def _survival(rate: Fraction) -> Any:
    def survival(flint: Any, x: Fraction) -> Any:
        return 2 * (-ball(flint, rate * (x + HALF))).exp() / (1 + (-ball(flint, rate)).exp())

    return survival
