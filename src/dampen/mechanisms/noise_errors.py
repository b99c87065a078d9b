"""How far answers are off that noise of a public law was added to: numbers, means, variances. docs/proofs/errors.md.

Everything here is public or was released: the true number of records is not.
"""

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from math import exp, expm1, floor, tanh

import numpy as np

from dampen._validate import Number, exact
from dampen.mechanisms.numeric.gaussian_noise import GaussianNoise
from dampen.mechanisms.numeric.noises import Geometric, PublicNoise
from dampen.privacy import CONFIDENCE, Accuracy, miss_chance
from dampen.vectors import Floats

ROUNDS = 3
"""How often the interval of a quotient is made smaller: the noise of a quotient depends on the quotient."""
MARGIN = 1 + 2.0**-40
"""Pays for the rounding of floats."""
HALVINGS, FEW_HALVINGS, SMALLEST = 60, 16, 1e-100
"""Where the search for a bound ends; the second, where a tail takes long to compute."""
BLOCKS = 64
"""Into so many blocks the noise of a number is cut, where it is Gaussian: a bound is larger by less than 1 %."""
NEAREST, FARTHEST = 1e-150, 1e150
"""Quotients and noises are at least and at most this size, which loses nothing and overflows nowhere."""


@dataclass(frozen=True)
class Noisy:
    """A released number: the true one, rounded to the resolution, plus noise. Without noise it is public and exact."""

    value: Fraction
    noise: Geometric | GaussianNoise | None
    resolution: Fraction = Fraction(1)


@dataclass(frozen=True)
class NoiseAccuracy(Accuracy):
    """A number, or each of several, plus so many steps of ``resolution`` as ``noise`` says.

    Values are rounded to multiples of the resolution first; where some are none, ``rounding`` is half of it.
    ``largest``: no answer can be further off, because all lie in a public range.
    """

    noise: PublicNoise
    resolution: Fraction = Fraction(1)
    unit: str = ""
    rounding: Fraction = Fraction(0)
    largest: Fraction | None = None

    def bound(self, confidence: Number = CONFIDENCE) -> float:
        """The least number of steps that the noise exceeds with probability at most 1 - confidence."""
        steps = self.noise.size_exceeded_with(miss_chance(confidence))
        off = steps * self.resolution + self.rounding
        return float(off if self.largest is None else min(off, self.largest))

    def noisy(self, value: Number) -> Noisy:
        """A released number that has this noise, for what is made of several."""
        assert isinstance(self.noise, Geometric | GaussianNoise), "a quotient knows no other noise"
        return Noisy(exact(value=value), self.noise, self.resolution)


@dataclass(frozen=True)
class ChosenNoiseAccuracy(NoiseAccuracy):
    """Some of ``among`` numbers with noise of their own, chosen by what came out: the largest noise may be there."""

    among: int = 1

    def bound(self, confidence: Number = CONFIDENCE) -> float:
        """No noise of any of them is larger, with this confidence: each exceeds it with its share of the rest."""
        return super().bound(1 - miss_chance(confidence) / self.among)


@dataclass(frozen=True)
class RatioAccuracy(Accuracy):
    """A mean, made of a released sum of differences from the middle of the bounds, and a released number of records.

    The mean m of the clipped values has |sum - (m - middle) number| <= the noise of that difference, whose law is known
    but for m itself: the m for which this is likely are an interval. Of no records at all it says nothing.
    """

    low: Fraction
    high: Fraction
    centred: Noisy
    number: Noisy
    unit: str = ""

    @property
    def value(self) -> float:
        """The mean of the released numbers, between the bounds."""
        half = (self.high - self.low) / 2
        return float((self.low + self.high) / 2 + quotient(self.centred, self.number, half))

    def bound(self, confidence: Number = CONFIDENCE) -> float:
        """The distance from the mean told to the further end of the interval; at most high - low."""
        half = (self.high - self.low) / 2
        found = quotient(self.centred, self.number, half)
        low, high = quotient_interval(self.centred, self.number, half, miss_chance(confidence))
        return float(max(high - found, found - low))


@dataclass(frozen=True)
class VarianceAccuracy(Accuracy):
    """A variance, from released sums of differences from the middle c of the bounds, and a number of records.

    ``centred`` is the sum of v - c, ``squares`` that of (v - c)^2 - w^2 / 8 with w = high - low, both over the clipped
    values. The variance of n values is their mean square less the square of their mean. Of no records at all it says
    nothing.
    """

    low: Fraction
    high: Fraction
    centred: Noisy
    squares: Noisy
    number: Noisy
    unit: str = ""

    @property
    def value(self) -> float:
        """The variance of the released numbers, between 0 and w^2 / 4."""
        return float(self._found())

    def bound(self, confidence: Number = CONFIDENCE) -> float:
        """The distance to the further end, where mean and mean square lie in their intervals; at most w^2 / 4."""
        wide, chance = self.high - self.low, miss_chance(confidence) / 2
        eighth = wide**2 / 8
        m = quotient_interval(self.centred, self.number, wide / 2, chance)
        low, high = (end + eighth for end in quotient_interval(self.squares, self.number, eighth, chance))
        nearest = Fraction(0) if m[0] <= 0 <= m[1] else min(abs(m[0]), abs(m[1]))
        ends = max(low - max(abs(m[0]), abs(m[1])) ** 2, Fraction(0)), max(high - nearest**2, Fraction(0))
        return float(max(ends[1] - self._found(), self._found() - ends[0]))

    def _found(self) -> Fraction:
        wide = self.high - self.low
        mean = quotient(self.centred, self.number, wide / 2)
        square = quotient(self.squares, self.number, wide**2 / 8) + wide**2 / 8
        return max(square - mean**2, Fraction(0))


def quotient(top: Noisy, number: Noisy, largest: Fraction) -> Fraction:
    """The released sum divided by the released number, which counts as 1 at least; at most ``largest`` in size."""
    return min(max(top.value / max(number.value, Fraction(1)), -largest), largest)


def quotient_interval(top: Noisy, number: Noisy, largest: Fraction, chance: Fraction) -> tuple[Fraction, Fraction]:
    """Where the true quotient lies but for this chance, for a true sum of at most ``largest`` times the true number.

    For the true quotient q the released top - q number is noise alone: that of the top less q times that of the number.
    It gets wider with the size of q. So the widest, of the largest q left, gives an interval, whose own largest q gives
    a smaller one.
    """
    low, high = -largest, largest
    if number.value <= 0:
        return low, high
    for _ in range(ROUNDS):
        size = max(abs(low), abs(high))
        reach = Fraction(noise_exceeded_with(top, number, size, chance)) + top.resolution / 2
        below, above = (top.value - reach) / number.value, (top.value + reach) / number.value
        if below > high or above < low:  # the unlikely happened: nothing fits
            break
        low, high = max(low, below), min(high, above)
    return low, high


def noise_exceeded_with(top: Noisy, number: Noisy, size: Fraction, chance: Fraction) -> Fraction:
    """A t such that |K - q L| > t with at most this chance, K the noise of the top, L of the number, |q| <= size."""
    assert top.noise is not None, "a sum is never told exactly"
    if number.noise is None or size == 0:
        return top.noise.size_exceeded_with(chance) * top.resolution
    own, other = top.noise, number.noise
    if isinstance(own, Geometric) and isinstance(other, Geometric):
        rate, share = float(own.rate / top.resolution * size), 1 / (1 + exp(-float(own.rate)))
        found = least_solution(lambda t: difference_tail(t, rate, share, float(other.rate)), float(chance))
        return Fraction(found * MARGIN) * size
    return Fraction(_blockwise_solution(own, other, float(size / top.resolution), float(chance))) * top.resolution


@lru_cache(maxsize=1024)
def _blockwise_solution(own: PublicNoise, other: PublicNoise, quotient: float, chance: float) -> float:
    """The least t for two noises of any law. It takes 20 ms, and one answer is asked for its error several times."""
    size = max(quotient, NEAREST)
    scale = own.mean_size() + size * other.mean_size() + 1
    found = least_solution(lambda t: blockwise_tail(t * scale, size, own, other), chance / MARGIN, FEW_HALVINGS)
    return found * scale * MARGIN


def difference_tail(t: float, rate: float, share: float, other: float) -> float:
    """At least P(|K - L| > t) for symmetric K with P(K > s) <= share exp(-rate s), s >= 0; it falls with the rate.

    L is discrete Laplace noise of rate ``other``. Where L is at most J = floor(t), K must make up for the rest; where
    it is more, K may be anything.
    """
    last = floor(t)
    up, down = (_sum_of_powers(step - other, last, -rate * t) for step in (rate, -rate))
    near = share * tanh(other / 2) * (exp(-rate * t) + up + down)
    beyond = exp(-other * (last + 1)) / (1 + exp(-other))
    return 2 * (near + beyond * (1 + share * exp(-2 * rate * t)))


def blockwise_tail(t: float, size: float, own: PublicNoise, other: PublicNoise) -> float:
    """At least P(|K - q L| > t) for all |q| <= size, K the own noise and L the other: whole, symmetric, of one peak.

    P(K > x) is at most the line through P(K >= k) at all whole k >= 0, which is convex. So P(K > t - s) + P(K > t + s)
    is at most a sum that grows with s <= t, taken at the end of each of some blocks; beyond, at most 1 + P(K > 2 t).
    """
    with np.errstate(over="ignore"):
        last = np.floor(min(t / size, FARTHEST))
        ends = np.unique(np.floor(np.linspace(0, last, BLOCKS + 1)))
        beyond = np.exp(other.log_tail(ends + 1))
        chances = np.concatenate(([1 - beyond[0]], beyond[:-1] - beyond[1:]))
        # One call for all places: a tail takes long for its first one, and hardly longer for many.
        *near, last_pair = _line_above(own, np.concatenate((t - size * ends, t + size * ends, [2 * t])))
        pairs = np.add(*np.split(np.array(near), 2))
        return float((chances * pairs).sum() + beyond[-1] * (1 + last_pair))


def _line_above(noise: PublicNoise, x: Floats) -> Floats:
    """The line through P(K >= k) at all whole k, at some x >= 0."""
    near = np.maximum(np.floor(x), 0)
    low, high = np.exp(noise.log_tail(np.maximum(np.stack((near, near + 1)), 1))) / 2
    low = np.where(near == 0, 1 - low, low)
    return np.asarray(low + np.clip(x - near, 0, 1) * (high - low))


def _sum_of_powers(step: float, last: int, log_factor: float) -> float:
    """exp(log_factor) times the sum of exp(step j) over 1 <= j <= last."""
    if last == 0 or step == 0:
        return exp(log_factor) * last
    if step > 0:  # from the largest term down
        return exp(log_factor + step * last) * expm1(-step * last) / expm1(-step)
    return exp(log_factor + step) * expm1(step * last) / expm1(step)


def least_solution(tail: Callable[[float], float], chance: float, halvings: int = HALVINGS) -> float:
    """The least t > 0 with tail(t) <= chance, or a little more, for a tail that does not increase."""
    high = 1.0
    while tail(high) > chance:
        high *= 2
    while high > SMALLEST and tail(high / 2) <= chance:
        high /= 2
    low = high / 2
    for _ in range(halvings):
        middle = (low + high) / 2
        low, high = (low, middle) if tail(middle) <= chance else (middle, high)
    return high
