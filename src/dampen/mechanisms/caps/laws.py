"""Certified laws of few candidates with exact exponents: for audits and public problems, never for a release.

Both are sums of polynomials in which nothing is rounded but by certified arithmetic, so that they are known to more
than 30 digits whatever the exponents.
"""

from collections.abc import Sequence
from fractions import Fraction
from itertools import accumulate
from math import ceil
from operator import mul
from typing import Any

from dampen.certified import ball

PRECISION = 256
"""Bits that are left after the terms of a polynomial have cancelled."""
Balls = list[Any]
"""Certified probabilities, one for each candidate."""


def needed_bits(size: int) -> int:
    """The coefficients of a product of ``size`` factors 1 - p z add up to 2^size at most."""
    return PRECISION + 2 * size


def flip_law(flint: Any, exponents: Sequence[Fraction]) -> Balls:
    """Permute-and-flip: P_j = p_j times the integral over [0, 1] of the product over s != j of 1 - p_s z."""
    least = min(exponents)
    heads = [(-ball(flint, x - least)).exp() for x in exponents]
    factors = [flint.arb_poly([1, -p]) for p in heads]
    one = flint.arb_poly([1])
    before = list(accumulate(factors, mul, initial=one))
    after = list(accumulate(reversed(factors), mul, initial=one))[::-1]
    return [p * (before[j] * after[j + 1]).integral()(flint.arb(1)) for j, p in enumerate(heads)]


def scan_law(flint: Any, distances: Sequence[Fraction], start: Fraction, rate: Fraction) -> Balls:
    """The first head of coins exp(-rate max(0, d_j + G)), with P(G = g) proportional to exp(-start g), g >= 0.

    The last entry is the chance that there is none. Once d_j + g >= 0 for all j the chance of each head is a power of
    exp(-rate g), and that of a first head a polynomial in it: what all further g add up to is a geometric series.
    """
    q, step, size = (-ball(flint, start)).exp(), (-ball(flint, rate)).exp(), len(distances)
    first = max(0, ceil(-min(distances, default=Fraction(0))))
    law, left = [flint.arb(0)] * (size + 1), flint.arb(1)
    for g in range(first):
        chance, left, missed = left * (1 - q), left * q, flint.arb(1)
        for j, d in enumerate(distances):
            head = (-ball(flint, rate * max(Fraction(0), d + g))).exp()
            law[j] += chance * missed * head
            missed *= 1 - head
        law[size] += chance * missed
    power = (-ball(flint, rate * first)).exp()
    missed = flint.arb_poly([1])
    for j, d in enumerate(distances):
        head = flint.arb_poly([0, (-ball(flint, rate * d)).exp()])
        law[j] += left * _series(missed * head, q, step, power)
        missed *= 1 - head
    law[size] += left * _series(missed, q, step, power)
    return law


def _series(polynomial: Any, q: Any, step: Any, power: Any) -> Any:
    """The sum over g >= 0 of (1 - q) q^g times the polynomial at power step^g."""
    terms = polynomial.coeffs()
    return sum(c * power**k * (1 - q) / (1 - q * step**k) for k, c in enumerate(terms))
