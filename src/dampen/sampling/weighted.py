"""One of several events with real weights, exactly."""

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Sequence
from itertools import accumulate
from typing import Any

from dampen.certified import arithmetic
from dampen.entropy import Entropy
from dampen.sampling import exact

Weights = Callable[[Any], Sequence[Any]]
"""Weights >= 0 as balls: takes python-flint at its working precision. Their sum is not 0."""


def draw_weighted(weights: Weights, entropy: Entropy) -> int:
    """The place of one weight, with probability proportional to it.

    A uniform U is revealed until certified partial sums put U times the whole sum between two of them. No partial sum
    but the first and the last may be a dyadic share of the whole, so that more bits always decide in the end.
    """
    prefix, width = entropy.bits(exact.MORE_BITS), exact.MORE_BITS
    while (place := _place_at(weights, prefix, width)) is None:
        prefix = prefix << exact.MORE_BITS | entropy.bits(exact.MORE_BITS)
        width += exact.MORE_BITS
    return place


def _place_at(weights: Weights, prefix: int, width: int) -> int | None:
    """The place for every U that begins with these bits, or ``None`` where they leave it open."""
    with arithmetic(width + exact.GUARD_BITS) as flint:
        *inner, whole = accumulate(weights(flint))
        low, high = whole * flint.arb((prefix, -width)), whole * flint.arb((prefix + 1, -width))
        certainly_passed = bisect_left(inner, True, key=lambda end: not end <= low)
        possibly_passed = bisect_right(inner, False, key=lambda end: bool(end >= high))
    return certainly_passed if certainly_passed == possibly_passed else None
