"""A budget that is a list of losses, fixed when it is made: every release takes an unused slot of it.

The list is priced once, as a whole. What holds for it holds in whatever order its slots are taken, each after seeing
the answers before it, and also where a slot is used for less than it is worth (docs/proofs/composition.md).
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import lru_cache

from dampen.accounting.composition import BROKEN, Composition, rho_of, shorten_number, within
from dampen.errors import BudgetError, BudgetExceeded, ParameterError
from dampen.privacy import Amount, PrivacyLoss

ZERO = Fraction(0)
MOST_SLOTS, MOST_KINDS = 10_000, 100
"""So many slots a budget has at most, of so many kinds: whoever opens one reads all kinds, and prices all slots."""

Kinds = tuple[tuple[PrivacyLoss, int], ...]
"""Losses and how many slots each has, the smallest first."""


@dataclass(frozen=True)
class SlotAmount(Amount):
    """An amount that lies in slots. Of a limit it is what is promised of all of them together, else their plain sum."""

    kinds: Kinds = ()

    @property
    def count(self) -> int:
        """How many slots there are."""
        return sum(count for _, count in self.kinds)

    def __str__(self) -> str:
        return f"{super().__str__()} in {self.count} {'slot' if self.count == 1 else 'slots'}"


@dataclass(frozen=True)
class SlotComposition(Composition):
    """Every charge is one slot of the list that is the limit. What is counted is which slots are used."""

    name = "slots"
    start = SlotAmount(ZERO, ZERO)

    def charges(self, losses: Sequence[PrivacyLoss], spent: Amount, limit: Amount) -> tuple[PrivacyLoss, ...]:
        """For each loss the smallest unused slot that covers it."""
        if not self.keeps_promise(limit):
            raise BudgetError(BROKEN)
        free, taken = [slot for slot, count in _free(limit, spent) for _ in range(min(count, len(losses)))], []
        for loss in losses:
            taken.append(free.pop(find_slot(free, loss, "budget")))
        return tuple(taken)

    def count(self, charge: PrivacyLoss) -> Amount:
        """All three."""
        return Amount(charge.epsilon, charge.delta, rho_of(charge))

    def add(self, spent: Amount, charge: PrivacyLoss) -> Amount:
        """The slots that are used then."""
        return amount_of(kinds_of(_counter(spent) + Counter([charge])))

    def fits(self, spent: Amount, limit: Amount) -> bool:
        """Whether there are so many slots of each kind."""
        return _counter(spent) <= _counter(limit)

    def left(self, limit: Amount, spent: Amount) -> Amount:
        """The slots that are not used."""
        return amount_of(_free(limit, spent))

    def share(self, limit: Amount, spent: Amount) -> Fraction:
        """That of the slots."""
        allowed = _counter(limit).total()
        return min(Fraction(_counter(spent).total(), allowed), Fraction(1)) if allowed else Fraction(1)

    def room_for(self, charge: PrivacyLoss, spent: Amount, limit: Amount) -> int:
        """How many unused slots cover it."""
        return sum(count for slot, count in _free(limit, spent) if covers(slot, charge))

    def describe(self, spent: Amount, limit: Amount) -> str:
        """How many slots are used."""
        return f"{_counter(spent).total()} of {_counter(limit).total()} slots"

    def keeps_promise(self, limit: Amount) -> bool:
        """Whether all slots together cost no more than epsilon and delta."""
        if not isinstance(limit, SlotAmount) or limit.epsilon is None or limit.rho is not None:
            return False
        if not limit.kinds or len({(slot.adjacency, slot.unit) for slot, _ in limit.kinds}) > 1:
            return False
        price = price_of_slots(limit.kinds, limit.delta)
        return within(price.epsilon, limit.epsilon) and price.delta <= limit.delta


SLOTS = SlotComposition()


def limit_of_slots(slots: Sequence[PrivacyLoss], epsilon: Fraction, delta: Fraction) -> SlotAmount:
    """The limit of a budget of these slots; refused where they cost more than epsilon and delta together."""
    kinds = kinds_of(Counter(slots))
    if len(slots) > MOST_SLOTS or len(kinds) > MOST_KINDS:
        least = f"at most {MOST_SLOTS} losses, of at most {MOST_KINDS} kinds"
        raise ParameterError(f"slots must be {least}; got {len(slots)} of {len(kinds)} kinds")
    limit = SlotAmount(epsilon, delta, kinds=kinds)
    if not SLOTS.keeps_promise(limit):
        price = price_of_slots(kinds, delta).amount
        raise ParameterError(f"slots must cost at most {Amount(epsilon, delta)} together; got {price}")
    return limit


@lru_cache(maxsize=64)
def price_of_slots(kinds: Kinds, delta: Fraction) -> PrivacyLoss:
    """What all slots cost together, with all of delta that they do not need for themselves."""
    from dampen.accounting.plans import price_of_list

    needed = sum((count * slot.delta for slot, count in kinds), ZERO)
    return price_of_list([slot for slot, count in kinds for _ in range(count)], max(delta - needed, ZERO))


def kinds_of(counted: Counter[PrivacyLoss]) -> Kinds:
    """The slots by their kinds, in the one order in which they are written down."""
    return tuple((slot, counted[slot]) for slot in sorted(counted, key=_place_of) if counted[slot])


def amount_of(kinds: Kinds) -> SlotAmount:
    """The plain sum of slots; in rho where one of them has no epsilon."""
    delta = sum((count * slot.delta for slot, count in kinds), ZERO)
    epsilons = [count * slot.epsilon for slot, count in kinds if slot.epsilon is not None]
    if len(epsilons) == len(kinds):
        return SlotAmount(shorten_number(sum(epsilons, ZERO)), shorten_number(delta), kinds=kinds)
    rho = sum((count * rho_of(slot) for slot, count in kinds), ZERO)
    return SlotAmount(None, shorten_number(delta), shorten_number(rho), kinds)


def use_of_slots(limit: Amount, spent: Amount) -> list[tuple[PrivacyLoss, int, int]]:
    """The kinds of slots in their order: how many are used, and how many there are."""
    used = _counter(spent)
    return [(slot, used[slot], count) for slot, count in limit.kinds] if isinstance(limit, SlotAmount) else []


# One slot


def find_slot(slots: Sequence[PrivacyLoss], asked: PrivacyLoss, owner: str) -> int:
    """The place of the smallest slot that covers a loss."""
    fitting = [place for place, slot in enumerate(slots) if covers(slot, asked)]
    if fitting:
        return min(fitting, key=lambda place: _size_of(slots[place]))
    pure = [slot for slot in slots if slot.epsilon is not None]
    claims = any(covers(replace(slot, bounded_range=None, rho=None), asked) for slot in pure)
    why = ": those that are large enough claim a bounded range or a rho that it has not" if claims else ""
    raise BudgetExceeded(f"no unused slot of this {owner} covers {asked.amount}{why}")


def covers(slot: PrivacyLoss, loss: PrivacyLoss) -> bool:
    """Whether the loss is no larger in any respect that the slot makes a claim about."""
    alike = (slot.adjacency, slot.unit) == (loss.adjacency, loss.unit)
    ranged = slot.bounded_range is None or within(loss.bounded_range, slot.bounded_range)
    concentrated = slot.rho is None or rho_of(loss) <= slot.rho
    pure = slot.epsilon is None or within(loss.epsilon, slot.epsilon)
    return alike and pure and loss.delta <= slot.delta and ranged and concentrated


def _size_of(slot: PrivacyLoss) -> tuple[bool, Fraction, Fraction, Fraction]:
    """By which slots are compared. Those without epsilon come last: some releases fit no other.

    Of two that are else equal, the one that claims more is the smaller.
    """
    rho = rho_of(slot)
    return slot.epsilon is None, rho if slot.epsilon is None else slot.epsilon, slot.delta, rho


def _place_of(slot: PrivacyLoss) -> tuple[object, ...]:
    """Where a kind stands among others: by size, then by all that tells it from the rest."""
    parts = (slot.bounded_range, slot.rho)
    return (*_size_of(slot), *((part is None, part or ZERO) for part in parts), slot.adjacency.value, slot.unit)


def _counter(amount: Amount) -> Counter[PrivacyLoss]:
    return Counter(dict(amount.kinds)) if isinstance(amount, SlotAmount) else Counter()


def _free(limit: Amount, spent: Amount) -> Kinds:
    return kinds_of(_counter(limit) - _counter(spent))
