"""The largest of many scores with independent noise, exactly, by lazily revealed uniform numbers.

Each group g of n_g equal candidates enters with the largest of its n_g noises. With U uniform and y = -ln(U) / n that
largest noise is a decreasing function Q(y), because exp(-y) = U^(1/n) is distributed as the largest of n uniform
numbers. The first 16 bits of each U give certified bounds of y, hence of Q(y) - x; only groups whose upper bound
reaches the best lower bound stay in the race, and these few reveal more bits, in certified arithmetic, until one is
ahead of all others. Any member of the winning group is equally likely.
"""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from fractions import Fraction
from operator import itemgetter
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dampen.certified import arithmetic, ball
from dampen.entropy import Entropy
from dampen.sampling import exact, tables
from dampen.sampling.exponents import Exponents
from dampen.vectors import Floats, Integers, Sizes

CHUNK = 1 << 13
"""How many groups are looked at at once."""
SLACK = 2.0**-12
"""By how much first bounds are widened: more than the tables' margins (11.1 * 2^-17) and every rounding error."""
LN_2 = 0.6931471805599453
"""The natural logarithm of 2, to within 2^-53."""
RELATIVE_SLACK = 2.0**-48
"""By which share large numbers are widened beyond their rounding errors."""
LONGEST_FLOAT_SIZE = 1000
LARGEST_FLOAT_SIZE = 2**LONGEST_FLOAT_SIZE
"""Larger groups are taken to be of this size at least, and of any size at most."""


class RaceNoise(ABC):
    """A noise, by the largest value Q(y) of n independent copies, decreasing in y = -ln(U) / n."""

    @abstractmethod
    def below(self, y: Floats, log_y: Floats) -> Floats:
        """A lower bound of Q(y)."""

    @abstractmethod
    def above(self, y: Floats, log_y: Floats) -> Floats:
        """An upper bound of Q(y)."""

    @abstractmethod
    def ball(self, y: Any) -> Any:
        """Q(y) in ball arithmetic, for 0 < y < infinity."""


class ExponentialNoise(RaceNoise):
    """Standard exponential noise: Q(y) = -ln(1 - exp(-y)), between max(0, -ln y) and -ln y + y."""

    def below(self, y: Floats, log_y: Floats) -> Floats:
        """As 1 - exp(-y) <= min(1, y)."""
        return np.maximum(-log_y, 0.0)

    def above(self, y: Floats, log_y: Floats) -> Floats:
        """As 1 - exp(-y) >= y / (1 + y) >= y exp(-y)."""
        return y - log_y

    def ball(self, y: Any) -> Any:
        """Minus ln(1 - exp(-y))."""
        return -(-((-y).expm1())).log()


class LaplaceNoise(RaceNoise):
    """Standard Laplace noise: Q(y) = -ln(2 (1 - exp(-y))) where exp(-y) >= 1/2, else ln 2 - y.

    The first branch is convex with the second as its tangent at y = ln 2, so ln 2 - y is a lower bound everywhere.
    """

    def below(self, y: Floats, log_y: Floats) -> Floats:
        """The exponential bound less ln 2 where y is small, the tangent elsewhere."""
        return np.where(y < 0.69, -log_y - LN_2, LN_2 - y)

    def above(self, y: Floats, log_y: Floats) -> Floats:
        """The exponential bound less ln 2 where y is small, the second branch where it is certain."""
        return np.where(y > 0.7, LN_2 - y, y - log_y - LN_2)

    def ball(self, y: Any) -> Any:
        """The branch that is certain, or the hull of both."""
        log_2 = y.const_log2()
        near, far = -(-((-y).expm1())).log() - log_2, log_2 - y
        if y <= log_2:
            return near
        return far if y >= log_2 else near.union(far)


class ParetoNoise(RaceNoise):
    """Lomax noise, P[Z > t] = (1 + t / nu)^-nu for nu >= 1: Q(y) = nu (W^(-1/nu) - 1) with W = 1 - exp(-y).

    It lies between ln(1 / W) and 1 / W - 1, whatever nu.
    """

    def __init__(self, nu: Fraction) -> None:
        self._nu = nu

    def below(self, y: Floats, log_y: Floats) -> Floats:
        """As W <= min(1, y); for nu = 1 the larger of the two bounds holds."""
        if self._nu == 1:
            return np.maximum(1 / y - 1, 0.0)
        return np.maximum(-log_y, 0.0)

    def above(self, y: Floats, log_y: Floats) -> Floats:
        """As W >= y / (1 + y)."""
        with np.errstate(divide="ignore"):
            return np.asarray(1 / y)

    def ball(self, y: Any) -> Any:
        """The quantile."""
        power = (-((-y).expm1())).log() * self._nu.denominator / self._nu.numerator
        return (-power).expm1() * self._nu.numerator / self._nu.denominator


@dataclass
class _Runner:
    """A group still in the race: the bits of its uniform number revealed so far."""

    group: int
    prefix: int
    width: int


def draw_by_race(exponents: Exponents, noise: RaceNoise, entropy: Entropy) -> tuple[int, int]:
    """The (group, member) with the largest noise - x."""
    runners = _first_look(exponents, noise, entropy)
    while len(runners) > 1:
        for runner in runners:
            runner.prefix, runner.width = exact.reveal(runner.prefix, runner.width, entropy)
        runners = _drop_losers(runners, exponents, noise)
    group = runners[0].group
    return group, 0 if exponents.sizes is None else exact.uniform_below(int(exponents.sizes[group]), entropy)


def draw_first(exponents: Exponents, noise: RaceNoise, count: int, entropy: Entropy) -> list[int]:
    """The ``count`` groups with the largest noise - x, in order; for problems without runs."""
    runners, places = _first_look(exponents, noise, entropy, count), min(count, len(exponents))
    while True:
        for runner in runners:
            runner.prefix, runner.width = exact.reveal(runner.prefix, runner.width, entropy)
        ordered = _certain_order(runners, exponents, noise)
        if ordered is not None and len(ordered) >= places:
            return [runner.group for runner in ordered[:places]]


def _certain_order(runners: list[_Runner], exponents: Exponents, noise: RaceNoise) -> list[_Runner] | None:
    """The runners whose place is certain, from the first on; ``None`` while some noise may be infinite."""
    with arithmetic(runners[0].width + exact.GUARD_BITS) as flint:
        spans = [
            (
                _score(flint, exponents, noise, runner, runner.prefix),
                _score(flint, exponents, noise, runner, runner.prefix + 1),
                runner,
            )
            for runner in runners
        ]
        if any(high is None for _, high, _ in spans):
            return None
        ends = sorted(
            ((high.upper(), None if low is None else low.lower(), runner) for low, high, runner in spans),
            key=itemgetter(0),
            reverse=True,
        )
    certain = []
    for place, (_, low, runner) in enumerate(ends):
        if low is None or (place + 1 < len(ends) and not low > ends[place + 1][0]):
            break
        certain.append(runner)
    return certain


def _first_look(exponents: Exponents, noise: RaceNoise, entropy: Entropy, count: int = 1) -> list[_Runner]:
    """The groups that the first bits do not rule out among the first ``count``."""
    lows, kept = np.full(count, -np.inf), []
    for start in _starts(exponents):
        part = slice(start, min(start + CHUNK, len(exponents)))
        prefixes = entropy.words(part.stop - start, tables.WIDTH)
        x, sizes = exponents.approximate(part), None if exponents.sizes is None else exponents.sizes[part]
        # Only who may still win is bounded at all: nearly everybody is out by the exponent alone.
        places = np.arange(len(x)) if count > 1 else _within_reach(noise, x, sizes, prefixes, lows[0])
        if not len(places):
            continue
        low, high = _bounds(noise, x[places], None if sizes is None else sizes[places], prefixes[places])
        lows = np.sort(np.concatenate([lows, low]))[-count:]
        ahead = np.flatnonzero(high + SLACK >= lows[0] - SLACK)
        kept += [
            (float(high[place]), _Runner(start + int(places[place]), int(prefixes[places[place]]), tables.WIDTH))
            for place in ahead
        ]
    return [runner for high_end, runner in kept if high_end + SLACK >= lows[0] - SLACK]


def _starts(exponents: Exponents) -> list[int]:
    """Where chunks begin: the one with the best group first, so that the others are measured against it."""
    best = exponents.best // CHUNK * CHUNK
    return [best, *(start for start in range(0, len(exponents), CHUNK) if start != best)]


def _within_reach(
    noise: RaceNoise, x: Floats, sizes: Sizes | None, prefixes: NDArray[np.uint16], best: float
) -> NDArray[np.intp]:
    """The groups that may still win, told from x alone: only with the last prefix a noise may be arbitrarily large.

    Q decreases in y, so with any other prefix the noise of a group is at most that of the largest group with the last
    prefix but one.
    """
    last, first = 2**tables.WIDTH - 1, int(np.argmin(x))
    one = slice(first, first + 1)
    low, _ = _bounds(noise, x[one], None if sizes is None else sizes[one], prefixes[one])
    largest = None if sizes is None else sizes[np.argmax(sizes, keepdims=True)]
    _, ceiling = _bounds(noise, np.zeros(1), largest, np.array([last - 1], dtype=np.uint16))
    reach = float(ceiling[0]) - max(best, float(low[0])) + 2 * SLACK
    return np.flatnonzero((x * (1 - RELATIVE_SLACK) <= reach) | (prefixes == last))


def _bounds(noise: RaceNoise, x: Floats, sizes: Sizes | None, prefixes: NDArray[np.uint16]) -> tuple[Floats, Floats]:
    """Bounds of noise - x from the first bits."""
    inner, outer, places = tables.log_table(tables.WIDTH), tables.log_log_table(tables.WIDTH), prefixes.astype(np.intp)
    size_low, size_high, log_size_low, log_size_high = _sizes(sizes)
    y_low = np.maximum(inner.lower.take(places), 0.0).astype(np.float64) / size_high
    y_high = inner.upper.take(places).astype(np.float64) / size_low
    low = noise.below(y_high, outer.upper.take(places) - log_size_low) - x * (1 + RELATIVE_SLACK)
    high = noise.above(y_low, outer.lower.take(places) - log_size_high) - x * (1 - RELATIVE_SLACK)
    return low, high


def _sizes(sizes: Sizes | None) -> tuple[Floats, Floats, Floats, Floats]:
    """Bounds of group sizes as floats, and of their logarithms from the table of -ln.

    With e the bit length of n and b its first bits, n = 2^e * v for some v in [b, b + 1) / 2^width.
    """
    if sizes is None or sizes.max() == 1:
        return np.ones(1), np.ones(1), np.zeros(1), np.zeros(1)
    table = tables.log_table(tables.WIDTH)
    lengths, leading = _leading_bits(sizes)
    within = np.minimum(sizes, LARGEST_FLOAT_SIZE) if sizes.dtype == object else sizes
    # Rounding to a float may go either way, so that one bound is moved below it and the other above.
    capped = within.astype(np.float64) * (1 - RELATIVE_SLACK)
    largest = np.where(lengths > LONGEST_FLOAT_SIZE, np.inf, capped * (1 + 4 * RELATIVE_SLACK))
    return capped, largest, lengths * LN_2 - table.upper[leading], lengths * LN_2 - table.lower[leading]


def _leading_bits(sizes: Sizes) -> tuple[Floats, Integers]:
    """The bit lengths of sizes, and their first bits as if all were at least so long."""
    if sizes.dtype == object:
        lengths = np.array([size.bit_length() for size in sizes])
        return lengths.astype(np.float64), np.array([(size << tables.WIDTH) >> size.bit_length() for size in sizes])
    lengths = np.frexp(sizes.astype(np.float64))[1].astype(np.int64)
    lengths -= sizes < np.left_shift(1, lengths - 1)  # a size just below a power of 2 was rounded up to it
    surplus = lengths - tables.WIDTH
    leading = np.left_shift(np.right_shift(sizes, np.maximum(surplus, 0)), np.maximum(-surplus, 0))
    return lengths.astype(np.float64), leading


def _drop_losers(runners: list[_Runner], exponents: Exponents, noise: RaceNoise) -> list[_Runner]:
    """Drop every runner that is certainly behind another."""
    with arithmetic(runners[0].width + exact.GUARD_BITS) as flint:
        lows = [_score(flint, exponents, noise, runner, runner.prefix) for runner in runners]
        highs = [_score(flint, exponents, noise, runner, runner.prefix + 1) for runner in runners]
        best = max((low.lower() for low in lows if low is not None), default=None)
        return [
            runner
            for runner, high in zip(runners, highs, strict=True)
            if high is None or best is None or high.upper() >= best
        ]


def _score(flint: Any, exponents: Exponents, noise: RaceNoise, runner: _Runner, prefix: int) -> Any:
    """Noise minus x at U = prefix / 2^width, in ball arithmetic; ``None`` where it is infinite (U = 0 or 1)."""
    if prefix in (0, 1 << runner.width):
        return None
    size = 1 if exponents.sizes is None else int(exponents.sizes[runner.group])
    largest = noise.ball(-flint.arb((prefix, -runner.width)).log() / size)
    return largest - ball(flint, exponents.exact(runner.group))
