"""The public numbers of objective perturbation: who gets which part of epsilon, and how fine everything is.

All of it follows from the frame, epsilon and public constants, in exact fractions; what is irrational is rounded to the
safe side. Proof: docs/proofs/objective_perturbation.md.
"""

from dataclasses import dataclass
from fractions import Fraction
from math import isqrt
from typing import Any

from dampen.certified import ball, round_down
from dampen.errors import ParameterError
from dampen.privacy import Adjacency
from dampen.problem import LogisticFrame

INEXACT_SHARE = Fraction(1, 100)
"""Of epsilon, for the noise that hides how far the minimum that was found is from the true one."""
LAST_NOISE = Fraction(1, 2**12)
"""The scale of that noise, in units of a coefficient."""
LEAST_RIDGE = Fraction(1, 64)
"""Ridges are at least this, at however vast an epsilon: flatter objectives have no minimum that floats find."""
FARTHEST = Fraction(1, 2**13)
"""The minimum found is no further than this from the true one, where a vast epsilon would allow more."""
RIDGE_BITS = 30
"""Leading bits of a ridge."""


@dataclass(frozen=True)
class Calibration:
    """Ridges, rates and precisions.

    ``rate``: e1, of the noise in the gradient. ``for_curvature``: a bound of e2 from above, for the determinants.
    ``for_inexact``: e3. ``ridges``: of each group, and ``column_ridge`` of the columns. ``distance``: a, how far the
    minimum found may be from the true one. ``noise_distance`` and ``solver_distance``: how far the noise drawn may be
    from its exact law, and how long the gradient may be at the minimum found. ``grid``: the lattice of answers, a power
    of 2, and ``step`` that of the noise in the gradient. ``last_rate``: of the noise on coefficients, in steps of the
    grid. All lengths are Euclidean.
    """

    epsilon: Fraction
    rate: Fraction
    for_curvature: Fraction
    for_inexact: Fraction
    ridges: tuple[Fraction, ...]
    column_ridge: Fraction
    distance: Fraction
    noise_distance: Fraction
    solver_distance: Fraction
    grid: Fraction
    step: Fraction
    last_rate: Fraction


def calibrate(
    frame: LogisticFrame,
    epsilon: Fraction,
    ridge: Fraction,
    inexact_share: Fraction = INEXACT_SHARE,
    last_noise: Fraction = LAST_NOISE,
) -> Calibration:
    """The numbers under which a release costs ``epsilon``; a replaced record is one taken and one added.

    ``ridge``: how many times the ridge of a group exceeds u W / (w epsilon).
    """
    price = epsilon / 2 if frame.adjacency is Adjacency.REPLACE else epsilon
    unit = ridge * frame.reach * frame.total_weight / price
    unit = max(unit, LEAST_RIDGE * max((Fraction(1), *frame.weights)))
    ridges, column_ridge = tuple(_round_up(unit / weight) for weight in frame.weights), _round_up(unit)
    most = sum((1 / each for each in ridges), Fraction(frame.columns, 4) / column_ridge)
    for_inexact = price * inexact_share
    kept = round_down(
        lambda flint: ball(flint, 1 - inexact_share) - _curvature(flint, frame, most) / ball(flint, price)
    )
    if kept <= 0:
        raise ParameterError("ridge must be larger: the curvature of one record's loss costs all of epsilon")
    if max([*ridges, column_ridge]) > 2**900:  # what floats hold, with room for sums
        raise ParameterError("ridge, the spread of the frame's weights and 1 / epsilon must be below 2**900 together")
    root = round_root_up(frame.size)
    distance = min(last_noise * for_inexact / (2 * root), max(FARTHEST, last_noise / 4))
    length = min(*ridges, column_ridge) * distance / 4 if ridges else column_ridge * distance / 4
    grid = power_of_two_below(distance / root)
    last_rate = for_inexact * grid / (2 * distance * root)
    for_curvature = price * (1 - inexact_share - kept)
    step = power_of_two_below(length / (2 * root))
    return Calibration(
        price, price * kept, for_curvature, for_inexact, ridges, column_ridge, distance, length, length, grid, step,
        last_rate,
    )  # fmt: skip


def curvature_bound(classes: int) -> Fraction:
    """The largest trace of the second derivatives of a record's loss in its scores."""
    return Fraction(1, 4) if classes == 2 else Fraction(3, 4)


def _curvature(flint: Any, frame: LogisticFrame, most: Fraction) -> Any:
    """e2, as a ball: what one record may change the logarithm of the determinant by.

    With one score a record adds a matrix of rank one; a person with several records, or several scores, may add more.
    """
    trace = ball(flint, curvature_bound(frame.classes) * most)
    return trace.log1p() if frame.classes == 2 and not frame.spread else trace


def round_root_up(number: int) -> int:
    """The square root, rounded up to a whole number."""
    return isqrt(number - 1) + 1 if number > 0 else 0


def power_of_two_below(number: Fraction) -> Fraction:
    """The largest power of 2 that is not above a positive number."""
    exponent = number.numerator.bit_length() - number.denominator.bit_length()
    found = Fraction(1 << max(exponent, 0), 1 << max(-exponent, 0))
    return found if found <= number else found / 2


def _round_up(number: Fraction) -> Fraction:
    """Up to RIDGE_BITS leading bits: sums with few digits are faster."""
    step = power_of_two_below(number) / (1 << RIDGE_BITS)
    steps: int = -(-number // step)
    return step * steps
