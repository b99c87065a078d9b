"""Public constants of mechanisms, in certified arithmetic and rounded to the safe side."""

from collections.abc import Callable
from fractions import Fraction
from functools import lru_cache
from typing import Any

from dampen.sampling.exact import ball, certified

PRECISION = 256
"""Bits of certified arithmetic."""
STEPS = 2**40
"""Constants are multiples of their scale divided by this."""


@lru_cache(maxsize=1024)
def clipped_rate(epsilon: Fraction, size: int, *, flip: bool) -> Fraction:
    """The largest rate (to within 2^-40 of epsilon) at which scores pinned to a maximum of 0 cost epsilon.

    With q = exp(-c) and R candidates the exact loss at rate c is c + ln((R - 1) / (1 + (R - 2) q)) for the exponential
    law, and c + ln(R * integral over [0, 1] of (1 - z) (1 - q z)^(R - 2)) for permute-and-flip on pairwise dampened
    scores (docs/proofs/pairwise_dampening.md). Both grow with c and are at most 2 c.
    """
    if size <= 2:
        return epsilon

    def loss(flint: Any, c: Any) -> Any:
        q = (-c).exp()
        if not flip:
            return c + ((size - 1) / (1 + (size - 2) * q)).log()
        p = 1 - q
        inner = (1 - p**size) / size - p * (1 - p ** (size - 1)) / (size - 1)
        return c + (size * inner / q**2).log()

    precision = PRECISION + 4 * min(int(epsilon), 10**5)
    return largest_within(epsilon, loss, low=epsilon / 2, high=epsilon, precision=precision)


def largest_within(
    target: Fraction, loss: Callable[[Any, Any], Any], *, low: Fraction, high: Fraction, precision: int
) -> Fraction:
    """The largest multiple of (high - low) / STEPS above ``low`` whose loss is certainly at most the target.

    ``loss`` does not decrease, and is at most the target at ``low``.
    """
    step = (high - low) / STEPS
    first, last = 0, STEPS
    with certified(precision) as flint:
        bound = ball(flint, target)
        while first < last:
            middle = (first + last + 1) // 2
            if loss(flint, ball(flint, low + middle * step)) <= bound:
                first = middle
            else:
                last = middle - 1
    return low + first * step


def rounded_down(value: Callable[[Any], Any]) -> Fraction:
    """A multiple of 2^-80 just below a certified positive number."""
    with certified(PRECISION) as flint:
        return Fraction(int((value(flint) * 2**80).lower().floor().unique_fmpz()), 2**80)
