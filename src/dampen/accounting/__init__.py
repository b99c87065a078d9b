"""Who pays: composition as pure functions, and the budget that lives in memory."""

from dampen.accounting.budget import Budget
from dampen.accounting.compose import converted

__all__ = ["Budget", "converted"]
