"""Roots of many numbers less their places, where the two are nearly equal: pairs of floats hold what one rounds off."""

from fractions import Fraction

import numpy as np

from dampen.vectors import Floats

LARGEST = 2**400
"""No product on the way overflows for numbers up to this size."""
_SPLIT = 2.0**27 + 1
_ERROR = 2.0**-44
"""Of 1 and the difference. A power of floats is off by less than 2^-44 of the root, one step of Newton's method by some
30 times the square of that, the pairs by less; and places are below 2^27, so a large root is a large difference."""


def fits_floats(alpha: Fraction, largest: int) -> bool:
    """Whether roots up to the largest may be taken here: alpha in floats, and nothing overflows. Public."""
    return max(alpha.as_integer_ratio()) < 2**53 and largest * alpha.denominator < LARGEST


def roots_less(sizes: Floats, alpha: Fraction, order: int, places: Floats) -> tuple[Floats, Floats]:
    """(size / alpha)^(1 / order) - place for all of them, and how far off these may be at most.

    One step of Newton's method from the root that a float has, with a residual alpha root^order - size in pairs of
    floats, whose sum is exact where that of two floats would be lost (Dekker 1971).
    """
    top, bottom = (float(part) for part in alpha.as_integer_ratio())
    near = (sizes * (bottom / top)) ** (1 / order)
    power = near, np.zeros_like(near)
    for _ in range(order - 1):
        power = _times(power, near)
    reached, wanted = _times(power, top), _times((sizes, np.zeros_like(sizes)), bottom)
    slope = np.maximum(order * top * near ** (order - 1), 1e-300)  # a size of 0 has the root 0
    lacking = ((wanted[0] - reached[0]) + (wanted[1] - reached[1])) / slope
    terms: Floats = (near - places) + lacking
    return terms, _ERROR * (1 + np.abs(terms))


def _times(pair: tuple[Floats, Floats], factor: Floats | float) -> tuple[Floats, Floats]:
    """A pair of floats times a float, as a pair."""
    high, low = pair
    product = high * factor
    (a, b), (c, d) = _halves(high), _halves(factor)
    rest = ((a * c - product) + a * d + b * c) + b * d + low * factor
    total = product + rest
    return total, rest - (total - product)


def _halves(number: Floats | float) -> tuple[Floats | float, Floats | float]:
    """Two floats of half the digits each, which add up to this one."""
    shifted = _SPLIT * number
    high = shifted - (shifted - number)
    return high, number - high
