"""Answers made of several draws: paid once, before the first of them."""

from collections.abc import Callable
from typing import TypeVar

from dampen.errors import ReleaseFailed
from dampen.privacy import BudgetLike, PrivacyLoss, as_budget

Drawn = TypeVar("Drawn")


def paid(draw: Callable[[], Drawn], loss: PrivacyLoss, *, budget: BudgetLike, note: str) -> Drawn:
    """Charge ``loss``, then draw. What fails after the payment is not told: it may know data."""
    with as_budget(budget).reserve(loss, note=note):
        try:
            drawn = [draw()]
        except Exception:
            drawn = []
        if not drawn:
            raise ReleaseFailed("the draw failed after it was paid for; the charge stands")
    return drawn[0]
