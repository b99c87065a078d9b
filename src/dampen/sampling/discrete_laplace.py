"""Whole numbers with a geometric law, one-sided and two-sided, exactly: one at a time, and many at once.

Many at once: with q = exp(-rate), P(|K| >= k) = 2 q^k / (1 + q) for k >= 1. So |K| = floor((y + c) / rate) for
y = -ln U and c = ln(2 / (1 + q)). The first 16 bits of each U give certified bounds of y. Where both bounds have the
same floor it is the answer, and else more bits are revealed, in certified arithmetic. Fair bits are the signs.

At a small rate 16 bits leave most floors open. There a size is K = 2^m H + L: with P(K = k) proportional to
exp(-rate k), H and L are independent, H geometric of rate 2^m rate, and L < 2^m with P(l) proportional to
exp(-rate l): a uniform number, kept with that probability, which is close to 1 as 2^m rate is at most 1/16.
"""

from fractions import Fraction
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dampen.certified import arithmetic, ball
from dampen.entropy import Entropy
from dampen.sampling import exact, tables
from dampen.sampling.rounded import HALF, Survival, draw_size
from dampen.vectors import Integers

SLACK = 2.0**-40
"""By which share bounds are widened beyond every rounding error of doubles."""
LARGEST = 2.0**62
"""Sizes beyond this are left to certified arithmetic."""
LARGEST_SUM = 2**62
"""Where sums of a number and its noise are cut off."""
SMALL, FINEST = Fraction(1, 2**12), Fraction(1, 2**40)
"""Sizes are drawn in two parts between these rates; below, where they hardly fit in 64 bits, one by one.

From SMALL on 16 bits leave at most a sixteenth of all floors open.
"""
COARSE = Fraction(1, 16)
"""The rate of higher parts is at most this, and more than half of it."""
LARGEST_PART = 2**16
"""Higher parts below this fit in 64 bits with the lower ones; they have up to 36 bits."""
KEPT_BITS = 48
"""Bits of a uniform number that is compared with a probability."""


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
    if FINEST <= rate < SMALL:
        return _draw_in_parts(rate, count, entropy)
    sizes = _draw_sizes(rate, _shift(rate), _survival(rate), count, entropy)
    negative = entropy.words(count, 1).astype(bool)
    return np.where(negative, -sizes, sizes)


def _draw_sizes(rate: Fraction, shift: float, survival: Survival, count: int, entropy: Entropy) -> Integers:
    """floor((y + shift) / rate) for as many y = -ln U; ``survival``: P(size >= x + 1/2)."""
    table = tables.log_table(tables.WIDTH)
    prefixes = entropy.words(count, tables.WIDTH).astype(np.intp)
    lower = np.maximum(table.lower.take(prefixes).astype(np.float64), 0.0) + shift
    upper = table.upper.take(prefixes).astype(np.float64) + shift
    per_step = 1 / float(rate)
    first, last = np.floor(lower * per_step * (1 - SLACK)), np.floor(upper * per_step * (1 + SLACK))
    sizes = np.minimum(first, LARGEST).astype(np.int64)
    for place in np.flatnonzero((first != last) | (first >= LARGEST)):
        size = draw_size(survival, entropy, prefix=int(prefixes[place]), width=tables.WIDTH)
        sizes[place] = min(size, 2**63 - 1)
    return sizes


def geometric_batch(rate: Fraction, count: int, entropy: Entropy) -> Integers:
    """``count`` independent whole numbers n >= 0 with probability proportional to exp(-rate n), below 2^63.

    A larger one counts as 2^63 - 1.
    """
    if FINEST <= rate < SMALL:
        return _draw_sizes_in_parts(rate, count, entropy)
    return _draw_sizes(rate, 0.0, _one_sided(rate), count, entropy)


def _draw_sizes_in_parts(rate: Fraction, count: int, entropy: Entropy) -> Integers:
    """Geometric sizes, higher and lower parts by themselves."""
    bits = int(COARSE / rate).bit_length() - 1
    coarse = rate * 2**bits
    high = _draw_sizes(coarse, 0.0, _one_sided(coarse), count, entropy)
    low = _draw_low_parts(rate, bits, count, entropy)
    sizes = (np.minimum(high, LARGEST_PART) << bits) + low
    for place in np.flatnonzero(high >= LARGEST_PART):
        sizes[place] = min((int(high[place]) << bits) + int(low[place]), 2**63 - 1)
    return sizes


def _draw_in_parts(rate: Fraction, count: int, entropy: Entropy) -> Integers:
    """Geometric sizes with fair bits for their signs, where -0 is drawn again."""
    numbers, left = np.zeros(count, dtype=np.int64), np.arange(count)
    while left.size:
        sizes = _draw_sizes_in_parts(rate, len(left), entropy)
        negative = entropy.words(len(left), 1).astype(bool)
        numbers[left] = np.where(negative, -sizes, sizes)
        left = left[negative & (sizes == 0)]
    return numbers


def _draw_low_parts(rate: Fraction, bits: int, count: int, entropy: Entropy) -> Integers:
    """Numbers l < 2^bits, each with probability proportional to exp(-rate l)."""
    found, left = np.zeros(count, dtype=np.int64), np.arange(count)
    while left.size:
        tried = uniform_bits(len(left), bits, entropy)
        kept = _keep_by_size(rate, tried, entropy)
        found[left[kept]] = tried[kept]
        left = left[~kept]
    return found


def _keep_by_size(rate: Fraction, sizes: Integers, entropy: Entropy) -> NDArray[np.bool_]:
    """Whether each is kept, with probability exp(-rate size); rate size is at most 1."""
    prefixes = uniform_bits(len(sizes), KEPT_BITS, entropy)
    chance = np.exp(-float(rate) * sizes) * 2.0**KEPT_BITS
    kept = np.asarray((prefixes + 1 <= chance * (1 - SLACK)) | (sizes == 0))
    for place in np.flatnonzero(~kept & (prefixes <= chance * (1 + SLACK))):
        prefix = int(prefixes[place])
        kept[place] = exact.coin(rate * int(sizes[place]), entropy, prefix=prefix, width=KEPT_BITS)
    return kept


def truncated_laplace_batch(rate: Fraction, last: int, count: int, entropy: Entropy) -> Integers:
    """The same as :func:`discrete_laplace_batch` for numbers of at most ``last`` in size, which is below 2^61.

    Those beyond are drawn again; at a rate so small that most would be, uniform numbers are kept by their size. Either
    way at least a third of all tries ends.
    """
    found, left = np.zeros(count, dtype=np.int64), np.arange(count)
    while left.size:
        if rate * last >= 1:
            tried = discrete_laplace_batch(rate, len(left), entropy)
            kept = np.abs(tried) <= last
        else:
            tried = uniform_bits(len(left), (2 * last).bit_length(), entropy) - last
            kept = tried <= last
            kept[kept] = _keep_by_size(rate, np.abs(tried[kept]), entropy)
        found[left[kept]] = tried[kept]
        left = left[~kept]
    return found


def uniform_bits(count: int, bits: int, entropy: Entropy) -> Integers:
    """``count`` independent whole numbers of so many fair bits each, at most 63."""
    numbers = np.zeros(count, dtype=np.int64)
    for start in range(0, bits, tables.WIDTH):
        width = min(tables.WIDTH, bits - start)
        numbers = numbers << width | entropy.words(count, width)
    return numbers


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


def _one_sided(rate: Fraction) -> Survival:
    return lambda flint, x: (-ball(flint, rate * (x + HALF))).exp()


def _survival(rate: Fraction) -> Survival:
    def survival(flint: Any, x: Fraction) -> Any:
        return 2 * (-ball(flint, rate * (x + HALF))).exp() / (1 + (-ball(flint, rate)).exp())

    return survival
