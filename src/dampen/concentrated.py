"""Concentrated losses: what rho an epsilon or a bounded range implies, and the way back to epsilon and delta.

A release is rho-concentrated (zCDP, Bun and Steinke 2016) if the Renyi divergence of every order a > 1 between the laws
of two neighbours is at most rho a. All results are certified and rounded to the safe side; docs/proofs/composition.md
has the proofs.
"""

from collections.abc import Callable
from fractions import Fraction
from functools import lru_cache
from math import exp, isqrt, log, log1p
from typing import Any

from dampen._validate import SMALLEST
from dampen.certified import PRECISION, arithmetic, ball

GRID = 2**80
"""Where a price must be rounded, it is rounded up to a multiple of 1 / GRID."""
ORDERS = range(-40, 401)
"""Logarithms of a - 1 where the search for the best order begins. Every order is valid: nothing hangs on it."""
KEPT = 60
"""So many bits of a limit, or of a root, are kept."""


@lru_cache(maxsize=4096)
def rho_of_pure(epsilon: Fraction) -> Fraction:
    """Epsilon tanh(epsilon / 2), the rho of every epsilon-private release: rounded up, never above epsilon^2 / 2.

    What would be too small to be written down is the smallest number that can be.
    """
    simple = epsilon**2 / 2
    if simple == 0:
        return simple
    with arithmetic(PRECISION) as flint:
        e = ball(flint, epsilon)
        steps = int((e * (e / 2).tanh() * GRID).upper().ceil().unique_fmpz())
    return max(min(simple, Fraction(steps, GRID)), SMALLEST)


def rho_of_range(bounded_range: Fraction) -> Fraction:
    """An eighth of the squared range; of a wide one less, since what has a bounded range has no larger epsilon."""
    return max(min(bounded_range**2 / 8, rho_of_pure(bounded_range)), SMALLEST)


def range_of_rho(rho: Fraction) -> Fraction:
    """The bounded range whose eighth of a square is rho: a root, exact where it is a fraction, else rounded down."""
    top, bottom = (8 * rho).as_integer_ratio()
    roots = isqrt(top), isqrt(bottom)
    if (roots[0] ** 2, roots[1] ** 2) == (top, bottom):
        return Fraction(*roots)
    shift = max(KEPT - (top.bit_length() - bottom.bit_length()) // 2, 0)
    return Fraction(isqrt((top << 2 * shift) // bottom), 1 << shift)


@lru_cache(maxsize=1024)
def largest_rho(epsilon: Fraction, delta: Fraction) -> Fraction:
    """A rho, nearly the largest one, such that rho-concentrated privacy implies (epsilon, delta); rounded down.

    For every order a > 1 it does if epsilon >= rho a + ln(1 - 1/a) - ln(delta a) / (a - 1). The search is for a alone.
    """

    def rho_at(flint: Any, excess: Any) -> Any:
        return (ball(flint, epsilon) - _offset(flint, excess, delta)) / (1 + excess)

    target = float(epsilon)
    place, precision = _best_place(lambda order, offset: (target - offset) / order, delta), PRECISION
    while True:
        with arithmetic(precision) as flint:
            low = rho_at(flint, ball(flint, place).exp()).lower()
            if low > 0:
                shift = KEPT - int((low.log() / flint.arb.const_log2()).lower().floor().unique_fmpz())
                return Fraction(int((low * flint.arb(2) ** shift).lower().floor().unique_fmpz())) / Fraction(2) ** shift
        precision *= 2


@lru_cache(maxsize=1024)
def least_epsilon(rho: Fraction, delta: Fraction) -> Fraction:
    """An epsilon, nearly the least one, such that rho-concentrated privacy implies (epsilon, delta); rounded up.

    It is the least of rho a + ln(1 - 1/a) - ln(delta a) / (a - 1) over the orders a > 1: each of them is valid.
    """

    def epsilon_at(flint: Any, excess: Any) -> Any:
        return ball(flint, rho) * (1 + excess) + _offset(flint, excess, delta)

    slope = -float(rho)
    place = _best_place(lambda order, offset: slope * order - offset, delta)
    with arithmetic(PRECISION) as flint:
        found = epsilon_at(flint, ball(flint, place).exp())
        return max(Fraction(int((found * GRID).upper().ceil().unique_fmpz()), GRID), Fraction(0))


def _offset(flint: Any, excess: Any, delta: Fraction) -> Any:
    """ln(1 - 1/a) - ln(delta a) / (a - 1) at the order a = 1 + excess."""
    return -(1 + 1 / excess).log() - (ball(flint, delta) * (1 + excess)).log() / excess


def _best_place(value: Callable[[float, float], float], delta: Fraction) -> Fraction:
    """Where a function of a = 1 + excess and of that offset is largest, as ln(a - 1): floats will do for the search."""
    log_delta = log(delta)

    def value_at(place: float) -> float:
        excess = exp(place)
        return value(1 + excess, -log1p(1 / excess) - (log_delta + log1p(excess)) / excess)

    place, step, places = 0.0, 1.0, list(map(float, ORDERS))
    for _ in range(9):
        place, step = max(places, key=value_at), step / 8
        places = [place + i * step for i in range(-8, 9)]
    return Fraction(place)
