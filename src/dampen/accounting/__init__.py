"""Who pays: composition as pure functions, the budget in memory and the ledger on the disk."""

from dampen.accounting.budget import Budget
from dampen.accounting.compose import composed, converted
from dampen.accounting.ledger import Ledger

__all__ = ["Budget", "Ledger", "composed", "converted"]
