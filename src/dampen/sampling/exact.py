"""Exact primitives: a fair die of any size, and a coin of probability exp(-x) for any fraction x.

Both compare a uniform number, revealed bit by bit, with certified bounds, and ask for more bits until the answer is
certain. So their laws are exact, and how long they take depends on the data only with probability 2^-64.
"""

from collections.abc import Callable
from fractions import Fraction
from typing import Any

from dampen.certified import arithmetic, ball
from dampen.entropy import Entropy

MORE_BITS = 64
"""How many further bits an undecided comparison asks for at a time."""
GUARD_BITS = 64
"""How many bits certified arithmetic carries beyond those compared."""


def uniform_below(size: int, entropy: Entropy) -> int:
    """A whole number in [0, size), each with probability exactly 1/size.

    Takes floor(U * size) of a uniform U in [0, 1). The first bits leave it undecided with probability 2^-64.
    """
    width = size.bit_length() + MORE_BITS
    prefix = entropy.bits(width)
    while (prefix * size) >> width != ((prefix + 1) * size - 1) >> width:
        prefix = prefix << MORE_BITS | entropy.bits(MORE_BITS)
        width += MORE_BITS
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
        prefix = prefix << MORE_BITS | entropy.bits(MORE_BITS)
        width += MORE_BITS


def coin(x: Fraction, entropy: Entropy, *, prefix: int = 0, width: int = 0, doublings: int = 0) -> bool:
    """Heads with probability exactly exp(-x) * 2^doublings, which must not exceed 1.

    The exponential of a fraction other than 0 is irrational.
    """

    def threshold(flint: Any) -> Any:
        exponent = -ball(flint, x)
        return (exponent + doublings * flint.arb.const_log2() if doublings else exponent).exp()

    return event(threshold, entropy, prefix=prefix, width=width)
