"""Exact primitives: fair dice, coins of any probability that can be enclosed, and choices with real weights.

All compare a uniform number, revealed bit by bit, with certified bounds, and ask for more bits until the answer is
certain. So their laws are exact, and how long they take depends on the data only with probability 2^-64.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Sequence
from fractions import Fraction
from itertools import accumulate
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dampen.certified import arithmetic, ball
from dampen.entropy import Entropy
from dampen.sampling import tables
from dampen.vectors import Integers

MORE_BITS = 64
"""How many further bits an undecided comparison asks for at a time."""
GUARD_BITS = 64
"""How many bits certified arithmetic carries beyond those compared."""
WORD = 2**16
"""How many values a word of 16 bits has."""
PRECISION = 128
"""Bits of certified arithmetic for the first look."""
Weights = Callable[[Any], Sequence[Any]]
"""Weights >= 0 as balls: takes python-flint at its working precision. Their sum is not 0."""
Chosen = NDArray[np.bool_]


def reveal(prefix: int, width: int, entropy: Entropy) -> tuple[int, int]:
    """More bits of a uniform number of which the first are known: what these decided stays decided."""
    return prefix << MORE_BITS | entropy.bits(MORE_BITS), width + MORE_BITS


def uniform_below(size: int, entropy: Entropy) -> int:
    """A whole number in [0, size), each with probability exactly 1/size.

    Takes floor(U * size) of a uniform U in [0, 1). The first bits leave it undecided with probability 2^-64.
    """
    width = size.bit_length() + MORE_BITS
    prefix = entropy.bits(width)
    while (prefix * size) >> width != ((prefix + 1) * size - 1) >> width:
        prefix, width = reveal(prefix, width, entropy)
    return (prefix * size) >> width


def event(probability: Callable[[Any], Any], entropy: Entropy, *, prefix: int = 0, width: int = 0) -> bool:
    """Happens with exactly the probability that ``probability(flint)`` encloses, whatever the working precision.

    Happens means U < p, where the first ``width`` bits of the uniform U are already known to be ``prefix``. The
    probability must be irrational, 0 or 1, so that more bits always decide in the end.
    """
    while True:
        with arithmetic(width + GUARD_BITS) as flint:
            threshold = probability(flint)
            if flint.arb((prefix + 1, -width)) <= threshold:
                return True
            if flint.arb((prefix, -width)) >= threshold:
                return False
        prefix, width = reveal(prefix, width, entropy)


def coin(x: Fraction, entropy: Entropy, *, prefix: int = 0, width: int = 0, doublings: int = 0) -> bool:
    """Heads with probability exactly exp(-x) * 2^doublings, which must not exceed 1.

    The exponential of a fraction other than 0 is irrational.
    """

    def threshold(flint: Any) -> Any:
        exponent = -ball(flint, x)
        return (exponent + doublings * flint.arb.const_log2() if doublings else exponent).exp()

    return event(threshold, entropy, prefix=prefix, width=width)


def uniform_batch(count: int, size: int, source: Entropy) -> Integers:
    """Independent whole numbers below ``size`` <= 2^32, each exactly uniform: words that favour some are redrawn."""
    wide = size > WORD
    fair = (WORD**2 if wide else WORD) // size * size
    drawn = _words(count, wide, source)
    again = np.flatnonzero(drawn >= fair)
    while again.size:
        drawn[again] = _words(len(again), wide, source)
        again = again[drawn[again] >= fair]
    return drawn % size


def _words(count: int, wide: bool, source: Entropy) -> Integers:
    """Words of 16 fair bits, or of 32."""
    low = source.words(count, 16).astype(np.int64)
    return low * WORD + source.words(count, 16) if wide else low


def event_batch(probability: Callable[[Any], Any], count: int, entropy: Entropy) -> NDArray[np.bool_]:
    """``count`` independent events of the probability that ``probability(flint)`` encloses: see ``event``.

    Each compares a uniform number with the probability. Its first 16 bits decide all but about one event in 2^16.
    """
    with arithmetic(PRECISION) as flint:
        scaled = probability(flint) * 2**tables.WIDTH
        low, high = (int(end.floor().unique_fmpz()) for end in (scaled.lower(), scaled.upper()))
    prefixes = entropy.words(count, tables.WIDTH).astype(np.int64)
    happens = np.asarray(prefixes < low)
    for place in np.flatnonzero((prefixes >= low) & (prefixes <= high)):
        happens[place] = event(probability, entropy, prefix=int(prefixes[place]), width=tables.WIDTH)
    return happens


def draw_weighted(weights: Weights, entropy: Entropy) -> int:
    """The place of one weight, with probability proportional to it.

    A uniform U is revealed until certified partial sums put U times the whole sum between two of them. No partial sum
    but the first and the last may be a dyadic share of the whole, so that more bits always decide in the end.
    """
    prefix, width = reveal(0, 0, entropy)
    while (place := _place_at(weights, prefix, width)) is None:
        prefix, width = reveal(prefix, width, entropy)
    return place


def _place_at(weights: Weights, prefix: int, width: int) -> int | None:
    """The place for every U that begins with these bits, or ``None`` where they leave it open."""
    with arithmetic(width + GUARD_BITS) as flint:
        *inner, whole = accumulate(weights(flint))
        low, high = whole * flint.arb((prefix, -width)), whole * flint.arb((prefix + 1, -width))
        # A partial sum that may lie on either side of U is possibly, but not certainly, passed.
        certainly_passed = bisect_left(inner, True, key=lambda end: not end <= low)
        possibly_passed = bisect_right(inner, False, key=lambda end: bool(end >= high))
    return certainly_passed if certainly_passed == possibly_passed else None


def draw_subset(count: int, exponent: Callable[[Chosen], Fraction], entropy: Entropy) -> Chosen:
    """A subset of ``count`` things with probability proportional to exp(-exponent), exponents not negative.

    A uniform subset is kept with probability exp(-exponent), else drawn again: at most exp(largest exponent) tries on
    average, of one bit for each thing.
    """
    while True:
        chosen = entropy.words(count, 1).astype(np.bool_)
        if coin(exponent(chosen), entropy):
            return chosen
