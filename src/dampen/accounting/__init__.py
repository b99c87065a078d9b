"""Who pays: rules by which losses add up, accounts, the budget in memory and the durable ledger."""

from dampen.accounting.budget import Budget
from dampen.accounting.composition import composed, converted
from dampen.accounting.ledger import Ledger
from dampen.accounting.loss_distributions import LossDistribution, loss_distribution

__all__ = ["Budget", "Ledger", "LossDistribution", "composed", "converted", "loss_distribution"]
