"""A fast search for the minimum, in floats: Newton's method with a line search. It promises nothing.

The loss is smooth but for a kink in its slope, so steps are those of a semismooth method, and few are needed. With one
score and few coefficients the equations are solved by a factorisation, else by conjugate gradients.
"""

from collections.abc import Iterator

import numpy as np

from dampen.mechanisms.regression.kernels import solve_positive
from dampen.mechanisms.regression.objective import Objective
from dampen.vectors import Floats

MOST_DENSE = 800
"""So many coefficients of one score have their equations factorised."""
MOST_STEPS, MOST_INNER = 100, 400
"""Where the fast search gives up, and the slow one goes on."""
ENOUGH, SHORTEST = 1e-4, 2.0**-30
FLAT = 1e-11
"""Below this share of the objective a change of it is rounding."""


def descend(objective: Objective) -> Iterator[tuple[Floats, float]]:
    """Better and better coefficients, each with the length of its gradient; ends where floats can do no more."""
    theta = np.zeros(objective.shape)
    value, gradient = objective.value(theta)
    yield theta, float(np.linalg.norm(gradient))
    for _ in range(MOST_STEPS):
        way = _direction(objective, theta, gradient)
        step = _line_search(objective, theta, value, gradient, way)
        if step is None:
            return
        theta, value, gradient = step
        yield theta, float(np.linalg.norm(gradient))


def _direction(objective: Objective, theta: Floats, gradient: Floats) -> Floats:
    if objective.binary and theta.size <= MOST_DENSE:
        return np.asarray(solve_positive(objective.curvatures(theta), -gradient[:, 0])[:, None])
    return _conjugate(objective, theta, gradient)


def _conjugate(objective: Objective, theta: Floats, gradient: Floats) -> Floats:
    """Conjugate gradients until the equations hold to a share that shrinks with the gradient."""
    length = float(np.linalg.norm(gradient))
    target = length * min(0.1, max(1e-6, length / max(1.0, float(np.abs(objective.problem.weights).sum()))))
    way, left = np.zeros_like(gradient), -gradient
    along, square = left, float((left * left).sum())
    for _ in range(MOST_INNER):
        product = objective.curve_along(theta, along)
        size = square / float((along * product).sum())
        way, left = way + size * along, left - size * product
        rest = float((left * left).sum())
        if not rest > target * target:
            break
        along, square = left + rest / square * along, rest
    return way


def _line_search(
    objective: Objective, theta: Floats, value: float, gradient: Floats, way: Floats
) -> tuple[Floats, float, Floats] | None:
    """The first of halved steps that lowers the objective, or the gradient where the objective is flat."""
    slope, length = float((gradient * way).sum()), float(np.linalg.norm(gradient))
    if not slope < 0:
        return None
    size = 1.0
    while size > SHORTEST:
        tried = theta + size * way
        found, steeper = objective.value(tried)
        if found <= value + ENOUGH * size * slope:
            return tried, found, steeper
        if abs(found - value) <= FLAT * abs(value) and float(np.linalg.norm(steeper)) < length:
            return tried, found, steeper
        size /= 2
    return None
