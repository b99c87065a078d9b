"""How losses add up: what a rule of composition must do, the plain sums, and what losses turn into."""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from math import ceil
from typing import Any, ClassVar

from dampen._validate import brief
from dampen.certified import arithmetic, ball
from dampen.concentrated import GRID, rho_of_pure, rho_of_range
from dampen.errors import BudgetError
from dampen.privacy import Adjacency, Amount, PrivacyLoss

NOTHING = Amount(Fraction(0), Fraction(0))
LONGEST_DENOMINATOR = 256
"""Sums whose denominator has more bits are kept from growing: what is added then is rounded up."""


OWN_BUDGET = "a budget of its own pays for that, such as"
BROKEN = "the limits of this ledger do not belong together; `dampen budget verify` says more"
"""Of a file that somebody changed."""
MOST_MORE = 10**6
"""So many more answers are told apart."""


class Composition(ABC):
    """A rule by which losses add up, a frozen value: an account keeps the sum, and asks the rule about it.

    Charges arrive in the account's adjacency with all they claim, ``bounded_range`` and ``rho`` included. A rule must
    be a filter: what fits may be granted although later losses are chosen after seeing earlier answers.
    docs/proofs/composition.md has the proofs, and tests/contracts/test_compositions.py holds every rule to them.
    """

    name: ClassVar[str]
    start: ClassVar[Amount] = NOTHING
    """The sum of nothing."""

    def price(self, loss: PrivacyLoss) -> PrivacyLoss:
        """What a loss is charged as, with all that the rule counts written down."""
        return loss

    def charges(self, losses: Sequence[PrivacyLoss], spent: Amount, limit: Amount) -> tuple[PrivacyLoss, ...]:
        """What losses are charged as where so much is spent already."""
        return tuple(map(self.price, losses))

    @abstractmethod
    def count(self, charge: PrivacyLoss) -> Amount:
        """The parts of a charge that the rule adds up."""

    def add(self, spent: Amount, charge: PrivacyLoss) -> Amount:
        """The sum after one more charge, never rounded down."""
        return add_amounts(spent, self.count(charge))

    @abstractmethod
    def fits(self, spent: Amount, limit: Amount) -> bool:
        """Whether a sum keeps the promise of a limit."""

    @abstractmethod
    def left(self, limit: Amount, spent: Amount) -> Amount:
        """What may still be added, in everything that is counted."""

    @abstractmethod
    def share(self, limit: Amount, spent: Amount) -> Fraction:
        """The part of a limit that is used up, between 0 and 1."""

    def room_for(self, charge: PrivacyLoss, spent: Amount, limit: Amount) -> int:
        """How many more charges like this one fit, if nothing else is asked; ``MOST_MORE`` where it is that many."""
        counted, low, high = self.count(charge), 0, MOST_MORE
        while low < high:
            middle = (low + high + 1) // 2
            fits = self.fits(add_amounts(spent, times(counted, middle)), limit)
            low, high = (middle, high) if fits else (low, middle - 1)
        return low

    def explain(self, asked: Amount, limit: Amount) -> str:
        """Why so much would not fit even if nothing were spent yet, where the numbers do not say it; else empty."""
        return ""

    def describe(self, spent: Amount, limit: Amount) -> str:
        """What is spent of what, in a few words."""
        parts = {name: (getattr(spent, name), getattr(limit, name)) for name in ("epsilon", "rho", "delta")}
        counted = {name: both for name, both in parts.items() if both[1]}
        return ", ".join(
            f"{name} {'beyond' if used is None else brief(used)} of {brief(allowed)}"
            for name, (used, allowed) in counted.items()
        )

    def keeps_promise(self, limit: Amount) -> bool:
        """Whether the numbers of a stored limit belong together."""
        return limit.epsilon is not None and limit.rho is None


@dataclass(frozen=True)
class BasicComposition(Composition):
    """Epsilons add and deltas add, in any adaptive order (Rogers, Roth, Ullman, Vadhan 2016)."""

    name = "basic"

    def count(self, charge: PrivacyLoss) -> Amount:
        """Epsilon and delta; a loss without epsilon is refused."""
        if charge.epsilon is None:
            own = f"{OWN_BUDGET} Budget(rho=...), or one of epsilon and delta"
            raise BudgetError(f"this release has a rho but no epsilon: {own}")
        return Amount(charge.epsilon, charge.delta)

    def fits(self, spent: Amount, limit: Amount) -> bool:
        """Whether both sums are within their limits."""
        return within(spent.epsilon, limit.epsilon) and spent.delta <= limit.delta

    def left(self, limit: Amount, spent: Amount) -> Amount:
        """The two differences."""
        return difference(limit, spent)

    def share(self, limit: Amount, spent: Amount) -> Fraction:
        """That of epsilon."""
        return share_of(spent.epsilon, limit.epsilon)


@dataclass(frozen=True)
class PureComposition(BasicComposition):
    """Epsilons add, and there is no delta: what was spent is a promise at every moment."""

    name = "pure"

    def explain(self, asked: Amount, limit: Amount) -> str:
        """That a delta never fits."""
        return "a budget of composition 'pure' pays for no delta" if asked.delta else ""

    def keeps_promise(self, limit: Amount) -> bool:
        """Whether there is an epsilon alone."""
        return super().keeps_promise(limit) and limit.delta == 0


def rho_of(loss: PrivacyLoss) -> Fraction:
    """What a loss costs in rho: the least of what it says itself, of what its range and of what its epsilon implies.

    A bounded range of eta is eta^2 / 8, an epsilon is epsilon tanh(epsilon / 2). With a delta these hold but for a part
    of that mass, and the delta is added up beside rho.
    """
    known = [] if loss.rho is None else [loss.rho]
    known += [] if loss.bounded_range is None else [rho_of_range(loss.bounded_range)]
    known += [] if loss.epsilon is None else [rho_of_pure(loss.epsilon)]
    return min(known)


def composed(losses: Sequence[PrivacyLoss]) -> PrivacyLoss:
    """What several releases cost together: epsilons, deltas and rhos add, in any adaptive order.

    The losses share an adjacency and a unit. Ranges do not add under adaptive choice, so a sum has no bounded range.
    """
    first, epsilons = losses[0], [loss.epsilon for loss in losses if loss.epsilon is not None]
    if len(losses) == 1:
        return first
    return PrivacyLoss(
        sum(epsilons) if len(epsilons) == len(losses) else None,
        sum(loss.delta for loss in losses),
        adjacency=first.adjacency,
        unit=first.unit,
        rho=sum(map(rho_of, losses)),
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
        None if loss.epsilon is None else 2 * loss.epsilon,
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
    if loss.epsilon is None:
        raise BudgetError("a loss with a delta and without epsilon has no price under REPLACE")
    with arithmetic(256) as flint:
        delta = (1 + ball(flint, loss.epsilon).exp()) * ball(flint, loss.delta)
        steps = int((delta * GRID).upper().ceil().unique_fmpz()) if delta < 1 else GRID
    if steps >= GRID:
        raise BudgetError("under REPLACE this loss would have delta of 1 or more, which promises nothing")
    return Fraction(steps, GRID)


# Amounts, part by part. A part that is None is not counted.


def within(spent: Fraction | None, limit: Fraction | None) -> bool:
    """Whether both are counted, and the limit holds."""
    return spent is not None and limit is not None and spent <= limit


def difference(limit: Amount, spent: Amount) -> Amount:
    """What is counted in both, subtracted."""
    return Amount(
        None if limit.epsilon is None or spent.epsilon is None else limit.epsilon - spent.epsilon,
        limit.delta - spent.delta,
        None if limit.rho is None or spent.rho is None else limit.rho - spent.rho,
    )


def times(amount: Amount, count: int) -> Amount:
    """So many times the same."""
    return Amount(
        None if amount.epsilon is None else count * amount.epsilon,
        count * amount.delta,
        None if amount.rho is None else count * amount.rho,
    )


def least(amounts: Sequence[Amount]) -> Amount:
    """The least of several in each part that any of them counts; where epsilon *or* rho must fit, one may be enough."""
    if len(amounts) == 1:
        return amounts[0]
    return Amount(
        min((each.epsilon for each in amounts if each.epsilon is not None), default=None),
        min(each.delta for each in amounts),
        min((each.rho for each in amounts if each.rho is not None), default=None),
    )


def share_of(spent: Fraction | None, limit: Fraction | None) -> Fraction:
    """The part of a limit that is spent; all of it where that is not counted."""
    return Fraction(1) if spent is None or not limit else min(spent / limit, Fraction(1))


# Exact sums of fractions with unrelated denominators would double in length with every charge, and fill a ledger. So a
# number beyond LONGEST_DENOMINATOR is rounded, always upwards: nobody gains by writing a price in an odd way.


def add_amounts(spent: Amount, charge: Amount) -> Amount:
    """The exact sum; a charge is rounded up first where the sum would need a very large denominator.

    A sum has an epsilon where all its parts have one, and a rho where the last one has.
    """
    return Amount(
        None if spent.epsilon is None or charge.epsilon is None else _add(spent.epsilon, charge.epsilon),
        _add(spent.delta, charge.delta),
        None if charge.rho is None else _add(spent.rho or Fraction(0), charge.rho),
    )


def shorten(loss: PrivacyLoss) -> PrivacyLoss:
    """The loss in numbers that can be written down: very large denominators are rounded away, upwards."""
    parts = {name: getattr(loss, name) for name in ("epsilon", "delta", "bounded_range", "rho")}
    if all(part is None or _is_short(part) for part in parts.values()):
        return loss
    shortened: dict[str, Any] = {name: part and shorten_number(part) for name, part in parts.items()}
    return replace(loss, **shortened)


def round_up(number: Fraction) -> Fraction:
    """The least multiple of 1 / GRID that is not below ``number``."""
    return Fraction(ceil(number * GRID), GRID)


def _add(spent: Fraction, charge: Fraction) -> Fraction:
    total = spent + charge
    return total if _is_short(total) else spent + round_up(charge)


def shorten_number(number: Fraction) -> Fraction:
    """A number that can be written down: the same, or a little more."""
    return number if _is_short(number) else round_up(number)


def _is_short(number: Fraction) -> bool:
    return number.denominator.bit_length() <= LONGEST_DENOMINATOR
