"""Sums over records of the capped loss, its slopes and its second derivatives. None of this is private.

A record has one place for each attribute in a *value table*: a row of points for every value of every attribute, the
last row for values that count nothing. Its scores are the points of the constant and of its places, added up. Slopes
and second derivatives are summed by value in the same way; :mod:`layout` turns values into features and back.

Capped loss, with e_k the exponential of score k, y the class and T the sum of the others' e_k: as long as e_y >= T it
is ln((e_y + T) / e_y); beyond, its straight continuation (ln T - ln e_y) / 2 + ln 2. Either way the slope of score k is
e_k / (T + max(e_y, T)), and that of y is minus the sum of these. Two classes have the score 0 and one more.
"""

from math import exp, log, log1p

import numpy as np
from numba import njit

LOG_2 = log(2.0)


@njit(cache=True, error_model="numpy")
def binary_sums(places, signs, weights, table, constant, slopes):  # type: ignore[no-untyped-def]
    """The loss, and the slope of the constant; slopes by value are added to ``slopes``. For one score."""
    loss, whole = 0.0, 0.0
    for i in range(places.shape[0]):
        z = constant
        for place in places[i]:
            z += table[place]
        z *= signs[i]
        if z >= 0:
            e = exp(-z)
            loss += weights[i] * log1p(e)
            slope = -weights[i] * signs[i] * (e / (1 + e))
        else:
            loss += weights[i] * (LOG_2 - z / 2)
            slope = -weights[i] * signs[i] * 0.5
        whole += slope
        for place in places[i]:
            slopes[place] += slope
    return loss, whole


@njit(cache=True, error_model="numpy")
def binary_curvatures(places, signs, weights, table, constant, curved):  # type: ignore[no-untyped-def]
    """Second derivatives by pair of values, the first not above the second: the sum for the constant is returned."""
    whole = 0.0
    for i in range(places.shape[0]):
        z = constant
        for place in places[i]:
            z += table[place]
        z *= signs[i]
        if z >= 0:
            e = exp(-z)
            v = weights[i] * e / ((1 + e) * (1 + e))
            whole += v
            for one in range(places.shape[1]):
                row = curved[places[i, one]]
                for two in range(one, places.shape[1]):
                    row[places[i, two]] += v
    return whole


@njit(cache=True, error_model="numpy")
def binary_curve_along(places, signs, weights, table, constant, way, along, product):  # type: ignore[no-untyped-def]
    """Second derivatives times a direction (``way``, ``along`` for the constant); the constant's is returned."""
    whole = 0.0
    for i in range(places.shape[0]):
        z, d = constant, along
        for place in places[i]:
            z += table[place]
            d += way[place]
        z *= signs[i]
        if z >= 0:
            e = exp(-z)
            v = weights[i] * e / ((1 + e) * (1 + e)) * d
            whole += v
            for place in places[i]:
                product[place] += v
    return whole


@njit(cache=True, error_model="numpy")
def _exponentials(z, e):  # type: ignore[no-untyped-def]
    """Exponentials of scores less the largest one, which is returned."""
    top = z[0]
    for k in range(1, len(z)):
        top = max(top, z[k])
    for k in range(len(z)):
        e[k] = exp(z[k] - top)
    return top


@njit(cache=True, error_model="numpy")
def _add_scores(places, table, constant, z):  # type: ignore[no-untyped-def]
    for k in range(len(z)):
        z[k] = constant[k]
    for place in places:
        for k in range(len(z)):
            z[k] += table[place, k]


@njit(cache=True, error_model="numpy")
def class_sums(places, targets, weights, table, constant, slopes, whole):  # type: ignore[no-untyped-def]
    """The loss; slopes by value and of the constant are added to ``slopes`` and ``whole``. For a score each."""
    kinds, loss = table.shape[1], 0.0
    z, e = np.empty(kinds), np.empty(kinds)
    for i in range(places.shape[0]):
        y, w = targets[i], weights[i]
        _add_scores(places[i], table, constant, z)
        top = _exponentials(z, e)
        others = 0.0
        for k in range(kinds):
            if k != y:
                others += e[k]
        if e[y] >= others:
            loss += w * (log(e[y] + others) + top - z[y])
        else:
            loss += w * ((log(others) + top - z[y]) / 2 + LOG_2)
        share = w / (others + max(e[y], others))
        for k in range(kinds):
            e[k] = -others * share if k == y else e[k] * share
            whole[k] += e[k]
        for place in places[i]:
            for k in range(kinds):
                slopes[place, k] += e[k]
    return loss


@njit(cache=True, error_model="numpy")
def class_curve_along(places, targets, weights, table, constant, way, along, product, whole):  # type: ignore[no-untyped-def]
    """Second derivatives times a direction, added to ``product`` and ``whole``.

    Below the cap they are diag(p) - p p' for the probabilities p of all classes, beyond it half of the same for the
    others alone.
    """
    kinds = table.shape[1]
    z, e, d = np.empty(kinds), np.empty(kinds), np.empty(kinds)
    for i in range(places.shape[0]):
        y, w = targets[i], weights[i]
        _add_scores(places[i], table, constant, z)
        _add_scores(places[i], way, along, d)
        _exponentials(z, e)
        others = 0.0
        for k in range(kinds):
            if k != y:
                others += e[k]
        if e[y] >= others:
            total = e[y] + others
        else:
            total, e[y], w = others, 0.0, w / 2
        mean = 0.0
        for k in range(kinds):
            e[k] /= total
            mean += e[k] * d[k]
        for k in range(kinds):
            e[k] *= w * (d[k] - mean)
            whole[k] += e[k]
        for place in places[i]:
            for k in range(kinds):
                product[place, k] += e[k]


@njit(cache=True, error_model="numpy")
def solve_positive(matrix, right):  # type: ignore[no-untyped-def]
    """The solution of symmetric equations by a factorisation in place; not finite where they are not positive.

    Systems are small, and the threads of a linear algebra library wait for one another on a busy machine.
    """
    size = len(right)
    for k in range(size):
        pivot = matrix[k, k]
        for i in range(k + 1, size):
            factor = matrix[k, i] / pivot
            for j in range(i, size):
                matrix[i, j] -= factor * matrix[k, j]
            right[i] -= factor * right[k]
    for k in range(size - 1, -1, -1):
        for j in range(k + 1, size):
            right[k] -= matrix[k, j] * right[j]
        right[k] /= matrix[k, k]
    return right
