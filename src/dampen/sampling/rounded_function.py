"""A function of several uniform numbers, rounded to whole numbers, exactly.

Where a noise has no survival function that certified arithmetic can bound quickly, but is a simple function of a few
independent uniform numbers, all of them are revealed bit by bit until certified bounds of the function leave one whole
number. As in :mod:`dampen.sampling.rounded`, rounding what an ideal mechanism would have answered costs no privacy.
"""

from collections.abc import Callable, Sequence
from typing import Any

from dampen.certified import arithmetic
from dampen.entropy import Entropy
from dampen.sampling import exact

Function = Callable[[Any, Sequence[Any]], Any]
"""A ball for balls of uniform numbers: takes python-flint at its working precision. May be no number where a uniform
number may still be 0 or 1."""


def draw_rounded_function(function: Function, count: int, entropy: Entropy) -> int:
    """The whole number nearest to the function of ``count`` uniform numbers."""
    prefixes, width = [0] * count, 0
    while True:
        prefixes = [prefix << exact.MORE_BITS | entropy.bits(exact.MORE_BITS) for prefix in prefixes]
        width += exact.MORE_BITS
        with arithmetic(width + exact.GUARD_BITS) as flint:
            uniforms = [flint.arb((prefix, -width)).union(flint.arb((prefix + 1, -width))) for prefix in prefixes]
            nearest = (function(flint, uniforms) + flint.arb(0.5)).floor().unique_fmpz()
        if nearest is not None:
            return int(nearest)


def normal_quantile(flint: Any, uniform: Any) -> Any:
    """The standard normal number below which a share ``uniform`` lies, as a ball."""
    return flint.arb(2).sqrt() * (2 * uniform - 1).erfinv()
