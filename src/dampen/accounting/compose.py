"""How losses turn into one another and add up: pure functions of exact numbers."""

from collections.abc import Sequence
from fractions import Fraction
from math import ceil

from dampen.certified import arithmetic, ball
from dampen.errors import BudgetError
from dampen.privacy import Adjacency, PrivacyLoss

GRID = 2**80
"""Where a price must be rounded, it is rounded up to a multiple of 1 / GRID."""


def composed(losses: Sequence[PrivacyLoss]) -> PrivacyLoss:
    """What several releases cost together by basic composition: epsilons, deltas and rhos add, in any adaptive order.

    The losses share an adjacency and a unit. Ranges do not add under adaptive choice, so a sum has no bounded range.
    """
    first, rhos = losses[0], [loss.rho for loss in losses if loss.rho is not None]
    if len(losses) == 1:
        return first
    return PrivacyLoss(
        sum(loss.epsilon for loss in losses),
        sum(loss.delta for loss in losses),
        adjacency=first.adjacency,
        unit=first.unit,
        rho=sum(rhos) if len(rhos) == len(losses) else None,
    )


def rounded_up(number: Fraction) -> Fraction:
    """The least multiple of 1 / GRID that is not below ``number``."""
    return Fraction(ceil(number * GRID), GRID)


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
    with arithmetic(256) as flint:
        delta = (1 + ball(flint, loss.epsilon).exp()) * ball(flint, loss.delta)
        steps = int((delta * GRID).upper().ceil().unique_fmpz()) if delta < 1 else GRID
    if steps >= GRID:
        raise BudgetError("under REPLACE this loss would have delta of 1 or more, which promises nothing")
    return Fraction(steps, GRID)
