"""Noise rounded to whole numbers, exactly: by its survival function, or as a function of a few uniform numbers.

A real noise Z with survival function S(x) = P(|Z| > x) is drawn as |Z| = S^-1(U) for a uniform U. Of it only the
nearest whole number is wanted: |K| = k means S(k + 1/2) <= U < S(k - 1/2), so U is revealed bit by bit until certified
bounds of S put it between two such thresholds. Where S cannot be bounded quickly, but Z is a simple function of a few
independent uniform numbers, all of them are revealed until certified bounds of the function leave one whole number.
Rounding what an ideal mechanism would have answered costs no privacy, and no float's low bits are ever seen.
"""

from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any

from dampen.certified import arithmetic
from dampen.entropy import Entropy
from dampen.sampling import exact

HALF = Fraction(1, 2)

Survival = Callable[[Any, Fraction], Any]
"""P(|Z| > x) as a ball: takes python-flint at its working precision and x >= 0; continuous, decreasing to 0."""
Function = Callable[[Any, Sequence[Any]], Any]
"""A ball for balls of uniform numbers: takes python-flint at its working precision. May be no number where a uniform
number may still be 0 or 1."""


def draw_rounded(survival: Survival, entropy: Entropy) -> int:
    """A whole number k, negative or not, with probability (S(|k| - 1/2) - S(|k| + 1/2)) / 2; 1 - S(1/2) for 0."""
    size = draw_size(survival, entropy)
    return -size if size and entropy.bits(1) else size


def draw_size(survival: Survival, entropy: Entropy, *, prefix: int = 0, width: int = 0) -> int:
    """The number of whole k >= 1 with U < S(k - 1/2), for one uniform U whose first bits may be known already."""
    reached: int = 0
    missed: int | None = None
    while missed != reached + 1:
        prefix, width = exact.reveal(prefix, width, entropy)
        reached, missed = _narrow(survival, prefix, width, reached, missed)
    return reached


def _narrow(survival: Survival, prefix: int, width: int, reached: int, missed: int | None) -> tuple[int, int | None]:
    """Between which sizes every U lies that begins with these bits: as close as the bits tell, from what they told."""
    with arithmetic(width + exact.GUARD_BITS) as flint:
        low, high = flint.arb((prefix, -width)), flint.arb((prefix + 1, -width))
        while missed != reached + 1:
            # Doubling until a threshold is missed, then halving: heavy tails reach sizes of any magnitude.
            size = max(1, 2 * reached) if missed is None else (reached + missed) // 2
            threshold = survival(flint, size - HALF)
            if high <= threshold:
                reached = size
            elif low >= threshold:
                missed = size
            else:  # the threshold lies between the ends of U: only more bits can tell
                break
    return reached, missed


def draw_rounded_function(function: Function, count: int, entropy: Entropy) -> int:
    """The whole number nearest to the function of ``count`` uniform numbers."""
    prefixes, width = [0] * count, 0
    while True:
        prefixes = [prefix << exact.MORE_BITS | entropy.bits(exact.MORE_BITS) for prefix in prefixes]
        width += exact.MORE_BITS
        with arithmetic(width + exact.GUARD_BITS) as flint:
            # The function of whole intervals encloses all values that U may still take.
            uniforms = [flint.arb((prefix, -width)).union(flint.arb((prefix + 1, -width))) for prefix in prefixes]
            nearest = (function(flint, uniforms) + flint.arb(0.5)).floor().unique_fmpz()
        if nearest is not None:
            return int(nearest)


def normal_quantile(flint: Any, uniform: Any) -> Any:
    """The standard normal number below which a share ``uniform`` lies, as a ball."""
    return flint.arb(2).sqrt() * (2 * uniform - 1).erfinv()
