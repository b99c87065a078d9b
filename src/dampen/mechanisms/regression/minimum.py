"""The minimum of an objective, certified: floats first, and where they do not get there the slow search."""

import numpy as np

from dampen.mechanisms.regression.certificate import Point, is_close, point_of
from dampen.mechanisms.regression.last_resort import approach
from dampen.mechanisms.regression.objective import Objective
from dampen.mechanisms.regression.search import descend
from dampen.vectors import Floats


def find_minimum(objective: Objective) -> Point:
    """A point whose gradient is certainly no longer than the calibration allows. Ends for every data set. Not private.

    Which way it was found depends on the data; how far it is from the true minimum at most does not.
    """
    with np.errstate(all="ignore"):
        found, best = _try_floats(objective)
    return approach(objective, best) if found is None else found


def _try_floats(objective: Objective) -> tuple[Point | None, Floats]:
    """A certified point, or nothing, and where the gradient was shortest."""
    enough, best, shortest = float(objective.numbers.solver_distance), np.zeros(objective.shape), np.inf
    for theta, length in descend(objective):
        if length < shortest:
            best, shortest = theta, length
        if length < enough:
            point = point_of(theta, objective.places.shape[1])
            if point is not None and is_close(objective, point):
                return point, best
            if length < enough / 2:
                break
    return None, best
