"""Exact and certified arithmetic: what is computed with real numbers is enclosed, and rounded to the safe side."""

import os
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from fractions import Fraction
from typing import Any

PRECISION = 256
"""Bits of certified arithmetic, where nothing asks for more."""
STEPS = 2**40
"""Constants that are searched for are multiples of their scale divided by this."""

_flint_lock = threading.RLock()


def _renew_lock() -> None:
    # A thread of the parent may hold the lock at the fork, and does not exist in the child to release it.
    global _flint_lock
    _flint_lock = threading.RLock()


os.register_at_fork(after_in_child=_renew_lock)


@contextmanager
def arithmetic(bits: int) -> Iterator[Any]:
    """Ball arithmetic (python-flint) with ``bits`` bits; its working precision is global, hence the lock."""
    import flint

    with _flint_lock, flint.ctx.workprec(bits):
        yield flint


def ball(flint: Any, number: Fraction) -> Any:
    """A certified enclosure of a fraction at the working precision."""
    return flint.arb(flint.fmpq(number.numerator, number.denominator))


def largest_within(
    target: Fraction, loss: Callable[[Any, Any], Any], *, low: Fraction, high: Fraction, precision: int
) -> Fraction:
    """The largest multiple of (high - low) / STEPS above ``low`` whose loss is certainly at most the target.

    ``loss`` does not decrease, and is at most the target at ``low``.
    """
    step = (high - low) / STEPS
    first, last = 0, STEPS
    with arithmetic(precision) as flint:
        bound = ball(flint, target)
        while first < last:
            middle = (first + last + 1) // 2
            # A comparison of balls is true only if it is certain; where it is open the smaller constant is taken.
            if loss(flint, ball(flint, low + middle * step)) <= bound:
                first = middle
            else:
                last = middle - 1
    return low + first * step


def round_down(value: Callable[[Any], Any]) -> Fraction:
    """A multiple of 2^-80 just below a certified positive number."""
    with arithmetic(PRECISION) as flint:
        return Fraction(int((value(flint) * 2**80).lower().floor().unique_fmpz()), 2**80)
