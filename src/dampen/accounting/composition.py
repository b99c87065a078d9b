"""How losses add up and turn into one another: the rule that an account follows, in exact numbers."""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import ceil
from typing import ClassVar

from dampen.certified import arithmetic, ball
from dampen.errors import BudgetError
from dampen.privacy import Adjacency, Amount, PrivacyLoss

NOTHING = Amount(Fraction(0), Fraction(0))
GRID = 2**80
"""Where a price must be rounded, it is rounded up to a multiple of 1 / GRID."""
LONGEST_DENOMINATOR = 256
"""Sums whose denominator has more bits are kept from growing: what is added then is rounded up."""


OWN_BUDGET = "a budget of its own pays for that, such as"


class Composition(ABC):
    """A rule by which losses add up, a frozen value: an account keeps the sum, and asks the rule about it.

    Charges arrive in the account's adjacency with all they claim, ``bounded_range`` and ``rho`` included. A rule that
    sums up more than epsilon and delta keeps it in a subclass of ``Amount``. It must be a filter: what fits may be
    granted although later losses are chosen after seeing earlier answers. tests/contracts/test_compositions.py holds
    every rule to this.
    """

    name: ClassVar[str]
    start: ClassVar[Amount] = NOTHING
    """The sum of nothing."""

    @abstractmethod
    def add(self, spent: Amount, charge: PrivacyLoss) -> Amount:
        """The sum after one more charge, never rounded down."""

    @abstractmethod
    def fits(self, spent: Amount, limit: Amount) -> bool:
        """Whether a sum keeps the promise of a limit."""

    @abstractmethod
    def left(self, *pairs: tuple[Amount, Amount]) -> Amount:
        """What may still be added where all of these hold: pairs of a limit and of what is spent of it."""

    @abstractmethod
    def compose(self, losses: Sequence[PrivacyLoss]) -> PrivacyLoss:
        """What a list that is fixed beforehand costs: never more than its parts, one by one."""


@dataclass(frozen=True)
class BasicComposition(Composition):
    """Epsilons add and deltas add, in any adaptive order (Rogers, Roth, Ullman, Vadhan 2016)."""

    name = "basic"

    def add(self, spent: Amount, charge: PrivacyLoss) -> Amount:
        """Both sums, exact; see ``add_amounts`` for very large denominators."""
        return add_amounts(spent, charge)

    def fits(self, spent: Amount, limit: Amount) -> bool:
        """Whether both sums are within their limits."""
        return spent.epsilon <= limit.epsilon and spent.delta <= limit.delta

    def left(self, *pairs: tuple[Amount, Amount]) -> Amount:
        """The smallest difference of each."""
        return Amount(
            min(limit.epsilon - spent.epsilon for limit, spent in pairs),
            min(limit.delta - spent.delta for limit, spent in pairs),
        )

    def compose(self, losses: Sequence[PrivacyLoss]) -> PrivacyLoss:
        """The sum of the parts."""
        return composed(losses)


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


def converted(loss: PrivacyLoss, adjacency: Adjacency, unit: str) -> PrivacyLoss:
    """The same loss seen under another adjacency, where that can be said.

    A replacement is one removal and one addition, so ``ADD_REMOVE`` (epsilon, delta) is ``REPLACE``
    (2 epsilon, (1 + e^epsilon) delta); bounded ranges double and rho grows fourfold. Nothing goes back, and edges
    convert to nothing.
    """
    if loss.unit != unit:
        own = f"{OWN_BUDGET} Budget.open(..., unit={loss.unit!r})"
        raise BudgetError(f"this budget counts in units of {unit!r}, the release in others: {own}")
    if loss.adjacency is adjacency:
        return loss
    if (loss.adjacency, adjacency) != (Adjacency.ADD_REMOVE, Adjacency.REPLACE):
        own = f"{OWN_BUDGET} Budget.open(..., adjacency={loss.adjacency!r}, unit={loss.unit!r})"
        raise BudgetError(
            f"this budget is kept under {adjacency.name}; a loss under {loss.adjacency.name} is not comparable: {own}"
        )
    return PrivacyLoss(
        2 * loss.epsilon,
        _delta_under_replace(loss),
        adjacency=adjacency,
        unit=unit,
        bounded_range=None if loss.bounded_range is None else 2 * loss.bounded_range,
        rho=None if loss.rho is None else 4 * loss.rho,
    )


def _delta_under_replace(loss: PrivacyLoss) -> Fraction:
    """(1 + e^epsilon) * delta, rounded up to the grid; refused where nothing would be promised any more."""
    if loss.delta == 0:
        return Fraction(0)
    with arithmetic(256) as flint:
        delta = (1 + ball(flint, loss.epsilon).exp()) * ball(flint, loss.delta)
        steps = int((delta * GRID).upper().ceil().unique_fmpz()) if delta < 1 else GRID
    if steps >= GRID:
        raise BudgetError("under REPLACE this loss would have delta of 1 or more, which promises nothing")
    return Fraction(steps, GRID)


# Exact sums of fractions with unrelated denominators would double in length with every charge, and fill a ledger. So a
# number beyond LONGEST_DENOMINATOR is rounded, always upwards: nobody gains by writing a price in an odd way.


def add_amounts(spent: Amount, charge: Amount | PrivacyLoss) -> Amount:
    """The exact sum; a charge is rounded up first where the sum would need a very large denominator."""
    return Amount(_add(spent.epsilon, charge.epsilon), _add(spent.delta, charge.delta))


def shorten(loss: PrivacyLoss) -> PrivacyLoss:
    """The loss in numbers that can be written down: very large denominators are rounded away, upwards."""
    if all(part is None or _is_short(part) for part in (loss.epsilon, loss.delta, loss.bounded_range, loss.rho)):
        return loss
    return PrivacyLoss(
        _shorten_number(loss.epsilon),
        _shorten_number(loss.delta),
        adjacency=loss.adjacency,
        unit=loss.unit,
        bounded_range=None if loss.bounded_range is None else _shorten_number(loss.bounded_range),
        rho=None if loss.rho is None else _shorten_number(loss.rho),
    )


def round_up(number: Fraction) -> Fraction:
    """The least multiple of 1 / GRID that is not below ``number``."""
    return Fraction(ceil(number * GRID), GRID)


def _add(spent: Fraction, charge: Fraction) -> Fraction:
    total = spent + charge
    return total if _is_short(total) else spent + round_up(charge)


def _shorten_number(number: Fraction) -> Fraction:
    return number if _is_short(number) else round_up(number)


def _is_short(number: Fraction) -> bool:
    return number.denominator.bit_length() <= LONGEST_DENOMINATOR
