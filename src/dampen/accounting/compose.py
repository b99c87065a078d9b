"""How losses turn into one another and add up: pure functions of exact numbers."""

from fractions import Fraction

from dampen.errors import BudgetError
from dampen.privacy import Adjacency, PrivacyLoss
from dampen.sampling.exact import ball, certified

DELTA_GRID = 2**80
"""Converted deltas are rounded up to multiples of 1 / DELTA_GRID."""


def converted(loss: PrivacyLoss, adjacency: Adjacency, unit: str) -> PrivacyLoss:
    """The same loss seen under another adjacency, where that can be said.

    A replacement is one removal and one addition, so ``ADD_REMOVE`` (epsilon, delta) is ``REPLACE``
    (2 epsilon, (1 + e^epsilon) delta); bounded ranges double and rho grows fourfold. Nothing goes back, and edges
    convert to nothing.
    """
    if loss.unit != unit:
        raise BudgetError(f"this budget counts in units of {unit!r}; the release counts in {loss.unit!r}")
    if loss.adjacency is adjacency:
        return loss
    if (loss.adjacency, adjacency) != (Adjacency.ADD_REMOVE, Adjacency.REPLACE):
        raise BudgetError(
            f"this budget is kept under {adjacency.name}; a loss under {loss.adjacency.name} is not comparable"
        )
    return PrivacyLoss(
        2 * loss.epsilon,
        _replaced_delta(loss),
        adjacency=adjacency,
        unit=unit,
        bounded_range=None if loss.bounded_range is None else 2 * loss.bounded_range,
        rho=None if loss.rho is None else 4 * loss.rho,
    )


def _replaced_delta(loss: PrivacyLoss) -> Fraction:
    """(1 + e^epsilon) * delta, rounded up to the grid; refused where nothing would be promised any more."""
    if loss.delta == 0:
        return Fraction(0)
    with certified(256) as flint:
        delta = (1 + ball(flint, loss.epsilon).exp()) * ball(flint, loss.delta)
        steps = int((delta * DELTA_GRID).upper().ceil().unique_fmpz()) if delta < 1 else DELTA_GRID
    if steps >= DELTA_GRID:
        raise BudgetError("under REPLACE this loss would have delta of 1 or more, which promises nothing")
    return Fraction(steps, DELTA_GRID)
