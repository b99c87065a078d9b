"""What may be granted: the one rule that the budget in memory and the durable ledger share."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

from dampen._validate import brief, render
from dampen.accounting.compose import converted, rounded_up
from dampen.errors import BudgetExceeded, ParameterError
from dampen.privacy import Adjacency, Amount, PrivacyLoss

NOTHING = Amount(Fraction(0), Fraction(0))
LONGEST_DENOMINATOR = 256
"""Sums whose denominator has more bits are kept from growing: what is added then is rounded up."""


@dataclass(frozen=True)
class Account:
    """A limit and what has been spent of it, under one adjacency and one unit once these are fixed.

    Charges are added as exact fractions (basic composition: epsilons add, deltas add, in any adaptive order). Grant iff
    both sums stay within the limit.
    """

    limit: Amount
    spent: Amount = NOTHING
    adjacency: Adjacency | None = None
    unit: str | None = None
    name: str = ""

    @property
    def remaining(self) -> Amount:
        """What is left."""
        return Amount(self.limit.epsilon - self.spent.epsilon, self.limit.delta - self.spent.delta)

    def priced(self, losses: Sequence[PrivacyLoss]) -> tuple[PrivacyLoss, ...]:
        """What each loss would be charged as, in this account's adjacency or in the one that the first loss fixes."""
        adjacency, unit = self.adjacency or losses[0].adjacency, self.unit or losses[0].unit
        return tuple(_written(converted(loss, adjacency, unit)) for loss in losses)

    def charged(self, charges: Iterable[PrivacyLoss]) -> "Account":
        """The account after these charges, all of them or none."""
        spent, adjacency, unit = self.spent, self.adjacency, self.unit
        for charge in charges:
            spent = added(spent, charge)
            adjacency, unit = charge.adjacency, charge.unit
        if spent.epsilon > self.limit.epsilon or spent.delta > self.limit.delta:
            asked = Amount(spent.epsilon - self.spent.epsilon, spent.delta - self.spent.delta)
            place = f" in {self.name[-80:]}" if self.name else ""
            raise BudgetExceeded(f"not enough budget{place}: asked {asked}; spent {self.spent}; limit {self.limit}")
        return replace(self, spent=spent, adjacency=adjacency, unit=unit)

    def __str__(self) -> str:
        delta = f", delta {brief(self.spent.delta)} of {brief(self.limit.delta)}" if self.limit.delta else ""
        return f"epsilon {brief(self.spent.epsilon)} of {brief(self.limit.epsilon)}{delta}"


def added(spent: Amount, charge: Amount | PrivacyLoss) -> Amount:
    """The exact sum; a charge is rounded up first where the sum would need a very large denominator."""
    return Amount(_sum(spent.epsilon, charge.epsilon), _sum(spent.delta, charge.delta))


def as_losses(losses: Iterable[PrivacyLoss]) -> tuple[PrivacyLoss, ...]:
    """The caller's losses, at least one."""
    listed = tuple(losses) if isinstance(losses, Iterable) else ()
    if not listed or not all(isinstance(loss, PrivacyLoss) for loss in listed):
        raise ParameterError(f"losses must be PrivacyLoss objects, at least one; got {render(losses)}")
    return listed


def _sum(spent: Fraction, charge: Fraction) -> Fraction:
    total = spent + charge
    return total if _is_short(total) else spent + rounded_up(charge)


def _written(loss: PrivacyLoss) -> PrivacyLoss:
    """The loss in numbers that can be written down: very large denominators are rounded away, upwards."""
    if all(part is None or _is_short(part) for part in (loss.epsilon, loss.delta, loss.bounded_range, loss.rho)):
        return loss
    return PrivacyLoss(
        _short(loss.epsilon),
        _short(loss.delta),
        adjacency=loss.adjacency,
        unit=loss.unit,
        bounded_range=None if loss.bounded_range is None else _short(loss.bounded_range),
        rho=None if loss.rho is None else _short(loss.rho),
    )


def _short(number: Fraction) -> Fraction:
    return number if _is_short(number) else rounded_up(number)


def _is_short(number: Fraction) -> bool:
    return number.denominator.bit_length() <= LONGEST_DENOMINATOR
