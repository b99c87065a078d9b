"""The slow search that always ends: gradient steps of a public size in ball arithmetic, at growing precision.

All second derivatives lie between the diagonal matrices Lambda, of ridges, and Lambda + C, where C follows from the
weights. A step of the gradient times (Lambda + C)^-1 shrinks the distance to the minimum, in the norm of Lambda + C, by
a fixed factor, 1 - ridge / (ridge + C) for the least ridge; what rounding adds to each step goes to 0 as the precision
grows. So the certificate is reached whatever the data. Hardly ever needed: floats reach it unless there are very many
records, very large noise or ridges that are very far apart.
"""

from fractions import Fraction
from typing import Any

import numpy as np

from dampen.certified import arithmetic, ball
from dampen.mechanisms.regression.calibration import curvature_bound
from dampen.mechanisms.regression.certificate import Point
from dampen.mechanisms.regression.objective import Objective
from dampen.vectors import Floats

FIRST_BITS, MORE_BITS, EVERY = 64, 16, 16
"""Bits of coefficients at first, and how many more after how many steps."""


def approach(objective: Objective, start: Floats) -> Point:
    """A point whose gradient is certainly short enough, from any finite start."""
    point = Point([[int(entry * 2.0**FIRST_BITS) for entry in row] for row in start.tolist()], FIRST_BITS)
    records, steepest = _merge_records(objective), _steepest(objective)
    steps = 0
    while True:
        with arithmetic(_precision(objective, point)) as flint:
            gradient = _gradient(flint, objective, records, point)
            square = sum((entry * entry for row in gradient for entry in row), flint.arb(0))
            if square <= ball(flint, objective.numbers.solver_distance**2):
                return point
            scales = [flint.arb(1 << point.bits) / ball(flint, bound) for bound in steepest]
            moves = [
                [_whole(entry * scales[own]) for entry in row]
                for own, row in zip(objective.ridges.tolist(), gradient, strict=True)
            ]
        entries = [
            [old - move for old, move in zip(*pair, strict=True)] for pair in zip(point.entries, moves, strict=True)
        ]
        steps += 1
        more = 0 if steps % EVERY else MORE_BITS
        point = Point([[entry << more for entry in row] for row in entries], point.bits + more)


def _steepest(objective: Objective) -> list[Fraction]:
    """For each group, and the columns: its ridge, and for each record its curvature times its features."""
    frame, numbers = objective.problem.frame, objective.numbers
    weight = Fraction(int(objective.problem.weights.sum()), objective.problem.vote)
    squares = len(frame.groups) + Fraction(frame.columns, 4)
    losses = weight * squares * curvature_bound(frame.classes)
    return [ridge + losses for ridge in (*numbers.ridges, numbers.column_ridge)]


Merged = list[tuple[tuple[int, ...], int, int]]


def _merge_records(objective: Objective) -> Merged:
    """Places, class and weight, equal records as one."""
    found: dict[tuple[tuple[int, ...], int], int] = {}
    for places, target, weight in zip(
        objective.places.tolist(), objective.targets.tolist(), objective.problem.weights.tolist(), strict=True
    ):
        key = tuple(places), target
        found[key] = found.get(key, 0) + weight
    return [(places, target, weight) for (places, target), weight in found.items()]


def _gradient(flint: Any, objective: Objective, records: Merged, point: Point) -> list[list[Any]]:
    """The gradient in balls."""
    layout, kinds = objective.layout, objective.shape[1]
    table, constant = layout.double_values(np.array(point.entries, dtype=object))
    sums = np.array([[flint.arb(0)] * kinds for _ in range(layout.values)], dtype=object)
    whole = np.array([flint.arb(0)] * kinds, dtype=object)
    for places, target, weight in records:
        scores = [constant[k] + sum(table[place, k] for place in places) for k in range(kinds)]
        slopes = _slopes(flint, scores, -point.bits - 1, target)
        added = np.array([slope * weight for slope in slopes], dtype=object)
        whole += added
        for place in places:
            sums[place] += added
    doubled = layout.double_coefficients(sums, whole)
    step = ball(flint, objective.numbers.step)
    noise = np.array(objective.noise, dtype=object).reshape(objective.shape)
    return [
        [
            doubled[row, k] / (2 * objective.problem.vote)
            + ball(flint, objective.ridge_of(row)) * flint.arb((point.entries[row][k], -point.bits))
            + step * noise[row, k]
            for k in range(kinds)
        ]
        for row in range(objective.shape[0])
    ]


def _slopes(flint: Any, scores: list[int], exponent: int, target: int) -> list[Any]:
    """Slopes of the capped loss in all scores, which are whole numbers of a power of 2; no exponential exceeds 1."""
    if len(scores) == 1:
        sign = 1 if target == 1 else -1
        e = flint.arb((-abs(scores[0]), exponent)).exp()
        return [-sign * (e / (1 + e) if sign * scores[0] >= 0 else flint.arb(0.5))]
    top = max(scores)
    each = [flint.arb((score - top, exponent)).exp() for score in scores]
    others = sum((e for k, e in enumerate(each) if k != target), flint.arb(0))
    total = others + each[target].max(others)
    return [-others / total if k == target else e / total for k, e in enumerate(each)]


def _precision(objective: Objective, point: Point) -> int:
    """So many bits that the largest of all numbers still has more behind the point than coefficients have."""
    largest = max(max(map(abs, row)) for row in point.entries) | max(map(abs, objective.noise))
    return 2 * point.bits + largest.bit_length() + 128


def _whole(number: Any) -> int:
    """The nearest whole number of the middle of a ball."""
    mantissa, exponent = map(int, number.mid().man_exp())
    return mantissa << exponent if exponent >= 0 else (mantissa + (1 << -exponent - 1)) >> -exponent
