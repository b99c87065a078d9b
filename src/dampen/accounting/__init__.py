"""Who pays: rules by which losses add up, accounts, the budget in memory and the durable ledger."""

from typing import TYPE_CHECKING, Any

from dampen.accounting.budget import Budget
from dampen.accounting.composition import composed, converted
from dampen.accounting.ledger import Ledger
from dampen.accounting.loss_distributions import LossDistribution

if TYPE_CHECKING:
    from dampen.accounting.worst_pairs import loss_distribution

__all__ = ["Budget", "Ledger", "LossDistribution", "composed", "converted", "loss_distribution"]


def __getattr__(name: str) -> Any:
    if name != "loss_distribution":
        raise AttributeError(f"module 'dampen.accounting' has no attribute {name!r}")
    # Budgets alone need no mechanism, so none is loaded before it is asked for.
    from dampen.accounting.worst_pairs import loss_distribution

    return loss_distribution


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
