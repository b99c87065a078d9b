"""Exact sums of arrays, every value moved into bounds first."""

from fractions import Fraction
from math import ceil, floor

import numpy as np

from dampen.tables.engines.digits import inner_ends
from dampen.vectors import Floats, Integers

HALF = 27
"""Mantissas of 53 bits are added in two halves, so that sums of products with counts fit in 64 bits."""


def sum_of_wholes(values: Integers, ends: tuple[Fraction, Fraction], counts: Integers | None = None) -> Fraction:
    """Values below the first whole number inside count as lo, those above the last as hi."""
    weights = np.ones(len(values), dtype=np.int64) if counts is None else counts
    below, above = values < ceil(ends[0]), values > floor(ends[1])
    inside = ~(below | above)
    high, low = values[inside] >> 32, values[inside] & 0xFFFFFFFF
    inner = (_dot(high, weights[inside]) << 32) + _dot(low, weights[inside])
    return inner + ends[0] * int(weights[below].sum()) + ends[1] * int(weights[above].sum())


def sum_of_reals(values: Floats, ends: tuple[Fraction, Fraction], counts: Integers | None = None) -> Fraction:
    """The same for floats: mantissas are added as whole numbers, exponent by exponent."""
    weights = np.ones(len(values), dtype=np.int64) if counts is None else counts
    lowest, highest = inner_ends(ends)
    below, above = values < lowest, values > highest
    inside = ~(below | above)
    shares, powers = np.frexp(values[inside])
    mantissas, inner = np.ldexp(shares, 53).astype(np.int64), Fraction(0)
    for power in np.unique(powers).tolist():
        chosen, times = mantissas[powers == power], weights[inside][powers == power]
        added = (_dot(chosen >> HALF, times) << HALF) + _dot(chosen & (2**HALF - 1), times)
        inner += added * Fraction(2) ** (power - 53)
    return inner + ends[0] * int(weights[below].sum()) + ends[1] * int(weights[above].sum())


def _dot(values: Integers, weights: Integers) -> int:
    """The sum of products of numbers of at most 32 bits with counts, exactly."""
    fits = int(weights.sum()) < 2**30
    return int(np.dot(values, weights) if fits else np.dot(values.astype(object), weights.astype(object)))
