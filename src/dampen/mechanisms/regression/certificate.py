"""Whether coefficients are certainly close to the minimum: the gradient in whole numbers, with a bound of its error.

Coefficients are whole numbers of 2^-bits, so scores are exact sums of 64 bits. An exponential is a table entry times a
polynomial, in IEEE operations alone: no library's ``exp``. With u = 2^-53, exp(-x) = E(i) (1 - t + ... - t^7/7!) for
x = i/64 + t has a relative error of at most 5u: 2u for the entry, 1.2u for the polynomial (the rest of the series is
below 2^-63), u for the product. With K classes a slope e_k / (T + max(e_y, T)) is then within (2K + 9)u of itself, and
slopes are at most 1/2; exponentials below 2^-69 count as 0. As a whole number of 2^-52 a slope is off by at most
(K + 6)u in all. Sums of these whole numbers, in three parts of 18 bits, are exact.
"""

from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from math import isfinite, ldexp
from typing import Any

import numpy as np
from numba import njit

from dampen.certified import arithmetic
from dampen.mechanisms.regression.calibration import round_root_up
from dampen.mechanisms.regression.objective import Objective
from dampen.vectors import Floats, Integers

SLOPE_BITS = 52
PART = 18
"""Bits of one part of a slope: times all weights together, at most 2^43, it fits 64 bits."""
FARTHEST = 48
"""Exponentials of less than -48 count as 0; they are below 2^-69."""
CELL_BITS = 6
"""Entries of the table are 1/64 apart."""
MOST_BITS, LONGEST = 56, 60
"""Coefficients have so many bits behind the point, and sums so many in all, at most."""


@dataclass(frozen=True, eq=False, repr=False)
class Point:
    """Coefficients as whole numbers of 2^-bits, one row for each feature."""

    entries: list[list[int]]
    bits: int


def point_of(theta: Floats, attributes: int) -> Point | None:
    """Coefficients as whole numbers that can be added up in 64 bits, or nothing where they are too large."""
    largest = float(np.abs(theta).max())
    if not isfinite(largest):
        return None
    # Twice each coefficient is added up, over all attributes and the constant.
    bits = min(MOST_BITS, LONGEST - int(np.ceil(2 * largest * (attributes + 1))).bit_length())
    if bits < CELL_BITS + 2:
        return None
    return Point(np.rint(theta * 2.0**bits).astype(np.int64).tolist(), bits)


def is_close(objective: Objective, point: Point) -> bool:
    """Whether the gradient at a point is certainly no longer than the calibration allows. Not private."""
    frame, vote = objective.problem.frame, objective.problem.vote
    weight = Fraction(int(objective.problem.weights.sum()), vote)
    features = round_root_up((4 * len(frame.groups) + frame.columns) * frame.scores)
    off = weight * features / 2 * (frame.classes + 6) / 2**53
    allowed = objective.numbers.solver_distance - off
    if allowed <= 0:
        return False
    entries, unit = _gradient(objective, point)
    bound = allowed / unit
    return sum(entry * entry for entry in entries) * bound.denominator**2 <= bound.numerator**2


def _gradient(objective: Objective, point: Point) -> tuple[list[int], Fraction]:
    """The gradient but for the error of slopes, in whole numbers of a unit."""
    numbers, vote = objective.numbers, objective.problem.vote
    slopes = _slope_sums(objective, np.array(point.entries, dtype=np.int64), point.bits)
    ridges = (*numbers.ridges, numbers.column_ridge)
    deepest = max(ridge.denominator for ridge in ridges)
    shift = max(SLOPE_BITS + 1, point.bits + deepest.bit_length() - 1, numbers.step.denominator.bit_length() - 1)
    whole = 1 << shift
    pulls = [int(ridge * vote * (whole >> point.bits)) for ridge in ridges]
    push, steep = int(numbers.step * vote * whole), whole >> (SLOPE_BITS + 1)
    flat = [entry for row in point.entries for entry in row]
    owner = np.repeat(objective.ridges, objective.shape[1]).tolist()
    entries = [
        slope * steep + pulls[own] * entry + push * noise
        for slope, own, entry, noise in zip(slopes, owner, flat, objective.noise, strict=True)
    ]
    return entries, Fraction(1, vote * whole)


def _slope_sums(objective: Objective, coefficients: Integers, bits: int) -> list[int]:
    """Twice the weighted slopes of all records by coefficient, in whole numbers of 2^-52."""
    layout = objective.layout
    table, constant = layout.double_values(coefficients)
    kinds = table.shape[1]
    sums = np.zeros((3, layout.values, kinds), dtype=np.int64)
    whole = np.zeros((3, kinds), dtype=np.int64)
    weights = objective.problem.weights.astype(np.int64)
    kernel = _add_binary_slopes if objective.binary else _add_class_slopes
    unit = ldexp(1.0, -bits - 1)
    kernel(objective.places, objective.targets, weights, table, constant, bits + 1, unit, _exponentials(), sums, whole)
    parts = [layout.double_coefficients(sums[part], whole[part]).ravel().tolist() for part in range(3)]
    return [low + (middle << PART) + (high << 2 * PART) for low, middle, high in zip(*parts, strict=True)]


@cache
def _exponentials() -> Any:
    """Exp(-i/64), each within 2^-52 of itself."""
    with arithmetic(128) as flint:
        return np.array([float((-flint.arb(i) / 64).exp()) for i in range(FARTHEST * 64 + 1)])


@njit(cache=True, error_model="numpy")
def _exponential(x, bits, unit, entries):  # type: ignore[no-untyped-def]
    """Exp(-x unit) for a whole number x >= 0, where unit is 2^-bits."""
    cell = x >> (bits - CELL_BITS)
    if cell >= FARTHEST * 64:
        return 0.0
    t = float(x - (cell << (bits - CELL_BITS))) * unit
    rest = 1 - t / 7
    for k in (6.0, 5.0, 4.0, 3.0, 2.0):
        rest = 1 - t / k * rest
    return entries[cell] * (1 - t * rest)


@njit(cache=True, error_model="numpy")
def _add_slope(slope, weight, parts):  # type: ignore[no-untyped-def]
    """A slope >= 0 as a whole number of 2^-52, in three parts, times a whole weight of either sign."""
    whole = np.int64(np.rint(slope * 2.0**SLOPE_BITS))
    mask = (1 << PART) - 1
    parts[0] = weight * (whole & mask)
    parts[1] = weight * ((whole >> PART) & mask)
    parts[2] = weight * (whole >> (2 * PART))


@njit(cache=True, error_model="numpy")
def _add_binary_slopes(places, targets, weights, table, constant, bits, unit, entries, sums, whole):  # type: ignore[no-untyped-def]
    parts = np.empty(3, dtype=np.int64)
    for i in range(places.shape[0]):
        z = constant[0]
        for place in places[i]:
            z += table[place, 0]
        sign = 1 if targets[i] == 1 else -1
        z *= sign
        slope = 0.5
        if z > 0:
            e = _exponential(z, bits, unit, entries)
            slope = e / (1 + e)
        _add_slope(slope, -sign * weights[i], parts)
        for part in range(3):
            whole[part, 0] += parts[part]
            for place in places[i]:
                sums[part, place, 0] += parts[part]


@njit(cache=True, error_model="numpy")
def _add_class_slopes(places, targets, weights, table, constant, bits, unit, entries, sums, whole):  # type: ignore[no-untyped-def]
    kinds = table.shape[1]
    z, e = np.empty(kinds, dtype=np.int64), np.empty(kinds)
    parts = np.empty(3, dtype=np.int64)
    for i in range(places.shape[0]):
        y = targets[i]
        for k in range(kinds):
            z[k] = constant[k]
            for place in places[i]:
                z[k] += table[place, k]
        top = z.max()
        others = 0.0
        for k in range(kinds):
            e[k] = _exponential(top - z[k], bits, unit, entries)
            if k != y:
                others += e[k]
        total = others + max(e[y], others)
        for k in range(kinds):
            if k == y:
                _add_slope(others / total, -weights[i], parts)
            else:
                _add_slope(e[k] / total, weights[i], parts)
            for part in range(3):
                whole[part, k] += parts[part]
                for place in places[i]:
                    sums[part, place, k] += parts[part]
