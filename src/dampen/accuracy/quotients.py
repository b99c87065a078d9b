"""Exact errors of what is made of several noisy numbers: means and variances, whose noises are not added to them.

A mean is a noisy sum over a noisy number, a variance a noisy mean of squares less the square of a noisy mean. How
likely they are off by more than t follows from the tails of the noises: that of the last sum is taken as it is, of the
others quantiles at places of equal chance. The errors so told are within a hundredth of those of the law.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from dampen.accuracy.comparing import RARELY, Errors
from dampen.mechanisms import NumericMechanism
from dampen.problem import NumericProblem
from dampen.vectors import Floats

Beyond = Callable[[Floats], Floats]
"""From errors to the chances that they are exceeded, which do not increase."""
PER_RATIO = 100
"""So many steps of a table for each factor of e."""
FEW_PLACES, PLACES = 512, 4096
"""Noises that take part are put at so many places of equal chance: one by itself, and two together."""
GOLDEN = (5**0.5 - 1) / 2
"""Places of two noises are a lattice of this ratio, which leaves no part of a square empty."""
LEAST = 1e-9
"""Where the table of a tail ends."""
OCTAVES, FEW_HALVINGS, HALVINGS = 40, 10, 20
"""Errors are searched for down to so many octaves below the largest: to within a thirtieth, or a share of 1e-4."""
NODES = 8
"""Of Gauss' rule, in each panel of an integral."""
FIRST_PANEL = 1 / 16
"""Of the median error; every other panel is twice as long as the one before."""


@dataclass(frozen=True)
class MeanContest:
    """A mean under ``ADD_REMOVE``: a sum of differences from the middle, and a number above 0.

    ``half``: of the distance of the bounds.
    """

    problems: tuple[NumericProblem, NumericProblem]
    half: float

    def measure(self, mechanism: NumericMechanism) -> Errors:
        """Of answers that end at the bounds, from fewer than one value as from one."""
        top, number = self.problems
        noise = NoiseTail(mechanism, number).quantiles(shares(FEW_PLACES))
        tail = NoiseTail(mechanism, top)
        counted = np.maximum(_value(number) + noise, 1)[:, None]
        mean = _value(top) / _value(number)

        def beyond(errors: Floats) -> Floats:
            high, low = mean + errors, mean - errors
            above = tail.chance_above(high * counted) * (high < self.half)
            below = tail.chance_below(low * counted) * (low > -self.half)
            return np.asarray((above + below).mean(axis=0))

        return errors_of(beyond, 2 * self.half, (self.half - mean, self.half + mean))


@dataclass(frozen=True)
class VarianceContest:
    """A variance: a sum of differences from the middle c, one of squares less w^2 / 8, and a number.

    ``wide`` is w, the distance of the bounds; ``records``: their number where it is public, as under ``REPLACE``.
    """

    problems: tuple[NumericProblem, ...]
    wide: float
    records: int | None = None

    def measure(self, mechanism: NumericMechanism) -> Errors:
        """Of answers between 0 and a quarter of the squared distance of the bounds."""
        first, squares, *rest = self.problems
        known = float(self.records or 0) if not rest else _value(rest[0])
        places = shares(PLACES if rest else FEW_PLACES)
        counted: Floats = np.array([known])
        if rest:
            noise = NoiseTail(mechanism, rest[0]).quantiles(places * len(places) * GOLDEN % 1)
            counted = np.maximum(known + noise, 1)
        noise, tail = NoiseTail(mechanism, first).quantiles(places), NoiseTail(mechanism, squares)
        means = np.clip((_value(first) + noise * float(first.frame.resolution)) / counted, *self._half)
        many, square, offset = counted[:, None], (means**2)[:, None], self.wide**2 / 8
        variance = max(_value(squares) / known + offset - (_value(first) / known) ** 2, 0.0)

        def beyond(errors: Floats) -> Floats:
            high, low = variance + errors + square, variance - errors + square
            above = tail.chance_above((high - offset) * many)
            above = np.where(high >= 2 * offset, 0.0, above)
            below = tail.chance_below((low - offset) * many)
            below = np.where(low > 2 * offset, 1.0, below) * (low > 0) * (errors < variance)
            return np.asarray((above + below).mean(axis=0))

        return errors_of(beyond, 2 * offset, (variance,))

    @property
    def _half(self) -> tuple[float, float]:
        return -self.wide / 2, self.wide / 2


def _value(problem: NumericProblem) -> float:
    return float(problem.value)


def shares(count: int) -> Floats:
    """So many shares between 0 and 1, at the middles of equal parts."""
    return (np.arange(count) + 0.5) / count


class NoiseTail:
    """The tail of a symmetric noise, from a table: some laws take long to tell one, and here many are asked for.

    Every whole number of steps is in the table up to some 100; beyond, numbers a hundredth apart, and between them the
    logarithm of the tail is a line.
    """

    def __init__(self, mechanism: NumericMechanism, problem: NumericProblem) -> None:
        self.value, self.resolution = _value(problem), float(problem.frame.resolution)

        powers = 2.0 ** np.arange(1, 54)
        far = mechanism.log_tail(problem, powers) <= np.log(LEAST)
        last = float(powers[int(np.argmax(far)) if far.any() else -1])
        self._steps = np.unique(np.floor(np.geomspace(1, last, round(np.log(last) * PER_RATIO) + 2)))
        self._logs = mechanism.log_tail(problem, self._steps)

    def at(self, k: Floats) -> Floats:
        """P(|K| >= k) for some k >= 1; 0 beyond the table, whose last is below LEAST."""
        return np.exp(np.interp(k, self._steps, self._logs, right=-np.inf))

    def chance_above(self, ends: Floats) -> Floats:
        """P(answer > end) for each of some ends, of an answer that is not clamped."""
        return self._chance(np.floor((ends - self.value) / self.resolution) + 1)

    def chance_below(self, ends: Floats) -> Floats:
        """P(answer < end) for each of some ends."""
        return self._chance(np.floor((self.value - ends) / self.resolution) + 1)

    def _chance(self, least: Floats) -> Floats:
        """P(K >= least), for whole numbers of either sign."""
        tail = self.at(np.where(least >= 1, least, 1 - least)) / 2
        return np.asarray(np.where(least >= 1, tail, 1 - tail))

    def quantiles(self, shares: Floats) -> Floats:
        """The noise, in steps, that so large shares of all draws do not exceed: those below a half are negative."""
        sizes = self._first_with(2 * np.minimum(shares, 1 - shares)) - 1
        return np.asarray(np.where(shares < 0.5, -sizes, sizes))

    def _first_with(self, levels: Floats) -> Floats:
        """For each level the least whole k >= 1 whose tail is at most that; the last of the table where none is."""
        with np.errstate(divide="ignore"):
            found = np.interp(-np.log(levels), -self._logs, self._steps)
        return np.asarray(np.ceil(found))


def errors_of(beyond: Beyond, most: float, ends_of_answers: tuple[float, ...]) -> Errors:
    """The mean error, the integral of all chances to exceed one; and the least that is rarely exceeded.

    ``ends_of_answers``: errors of the answers that lie at an end, where the chance falls at once.
    """
    rare = _least_exceeded(beyond, most, RARELY, HALVINGS)
    median, last = (_least_exceeded(beyond, most, chance, FEW_HALVINGS) for chance in (0.5, LEAST))
    first = FIRST_PANEL * (median or rare or most * 2.0**-OCTAVES)
    ends = [0.0]
    while ends[-1] < last:
        ends.append(min(max(2 * ends[-1], first), last))
    ends = sorted({*ends, *(end for end in ends_of_answers if end < last)})
    nodes, weights = np.polynomial.legendre.leggauss(NODES)
    low, wide = np.array(ends[:-1])[:, None], np.diff(ends)[:, None]
    places = low + wide * (nodes + 1) / 2
    chances = beyond(places.ravel()).reshape(places.shape)
    return Errors(float((chances * weights * wide / 2).sum()), rare)


def _least_exceeded(beyond: Beyond, most: float, chance: float, halvings: int) -> float:
    """The least error that is exceeded with a chance, or a little more; 0 where it lies octaves below the largest."""
    low, high = -float(OCTAVES), 0.0
    for _ in range(halvings):
        middle = (low + high) / 2
        fits = beyond(np.array([most * 2**middle]))[0] <= chance
        low, high = (low, middle) if fits else (middle, high)
    return 0.0 if low == -OCTAVES else most * 2.0**high
