"""What may be granted: an account is a limit and what is spent of it, for the whole budget or for one scope of it.

What it grants is handed out as a reservation: one charge that has been made, or a list of them made at once.
"""

import threading
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from types import TracebackType
from typing import Any, Literal, NoReturn, Self

from dampen._validate import Number, probability, render, text
from dampen.accounting.composition import BROKEN, NOTHING, Composition, composed, converted, difference, shorten
from dampen.accounting.rules import BASIC, AskedLimit
from dampen.accounting.slots import SLOTS, find_slot
from dampen.entropy import this_process
from dampen.errors import BudgetError, BudgetExceeded, ParameterError
from dampen.privacy import Adjacency, Amount, PrivacyLoss, Receipt, as_adjacency, as_unit

LONGEST_NOTE = 500
"""Notes are for people; longer ones are refused."""

PAID = "dampen: this was interrupted after it was paid for; the charge stands"
"""Told with an interrupt."""

Outcome = Literal["done", "failed", "unused"]
"""How paid work ended. Nothing is given back for any of them."""


@dataclass(frozen=True)
class Account:
    """A limit and what has been spent of it, under one adjacency and one unit once these are fixed.

    The composition says how charges add up. Grant iff their sum fits the limit.
    """

    limit: Amount
    spent: Amount = NOTHING
    adjacency: Adjacency | None = None
    unit: str | None = None
    name: str = ""
    """The scope; empty for the whole budget."""
    composition: Composition = BASIC

    def __post_init__(self) -> None:
        # A rule that sums up more than an amount holds starts from a nothing of its own.
        if self.spent is NOTHING:
            object.__setattr__(self, "spent", self.composition.start)

    @property
    def remaining(self) -> Amount:
        """What is left."""
        return self.composition.left(self.limit, self.spent)

    @property
    def share(self) -> Fraction:
        """The part of the limit that is used up, between 0 and 1."""
        return self.composition.share(self.limit, self.spent)

    def price(self, losses: Sequence[PrivacyLoss]) -> tuple[PrivacyLoss, ...]:
        """What each loss would be charged as, in this account's adjacency or in the one that the first loss fixes."""
        adjacency, unit = self.adjacency or losses[0].adjacency, self.unit or losses[0].unit
        listed = [converted(loss, adjacency, unit) for loss in losses]
        return tuple(map(shorten, self.composition.charges(listed, self.spent, self.limit)))

    def quote(self, losses: Iterable[PrivacyLoss], delta: Number = 0) -> PrivacyLoss:
        """What a list would cost: the sums or, for ``delta`` more, the least epsilon that holds for a fixed list."""
        listed, extra = self.price(as_losses(losses)), probability(delta=delta)
        if not extra:
            return composed(listed)
        if self.composition is SLOTS:
            raise ParameterError(f"delta must be left out in a budget of slots, priced already; got {render(delta)}")
        if self.limit.epsilon is None:
            raise ParameterError(f"delta must be left out in a budget of rho, where lists add up; got {render(delta)}")
        from dampen.accounting.plans import price_of_list

        return price_of_list(listed, extra)

    def charge(self, charges: Iterable[PrivacyLoss]) -> "Account":
        """The account after these charges, all of them or none."""
        spent, adjacency, unit = self.spent, self.adjacency, self.unit
        for charge in charges:
            spent = self.composition.add(spent, charge)
            adjacency, unit = charge.adjacency, charge.unit
        if not self.composition.keeps_promise(self.limit):
            raise BudgetError(BROKEN)
        if not self.composition.fits(spent, self.limit):
            raise BudgetExceeded(self._refusal(difference(spent, self.spent)))
        return Account(self.limit, spent, adjacency, unit, self.name, self.composition)

    def room_for(self, charge: PrivacyLoss) -> int:
        """How many more charges like this one fit, if nothing else is asked; ``MOST_MORE`` where it is that many."""
        return self.composition.room_for(charge, self.spent, self.limit)

    def _refusal(self, asked: Amount) -> str:
        place = f" in {self.name[-80:]}" if self.name else ""
        why = self.composition.explain(asked, self.limit)
        told = f"asked {asked}; spent {self.spent}; limit {self.limit}"
        return f"not enough budget{place}: {told}{f'; {why}' if why else ''}"

    def __str__(self) -> str:
        return self.composition.describe(self.spent, self.limit)


def new_account(asked: AskedLimit, adjacency: Adjacency | None, unit: str | None) -> Account:
    """The account of a new budget. Slots fix its adjacency and unit where nobody says them."""
    fixed = None if adjacency is None else as_adjacency(adjacency)
    measured = None if unit is None else as_unit(unit)
    if asked.slots is not None:
        slots = as_losses(asked.slots, "slots")
        fixed, measured = fixed or slots[0].adjacency, measured or slots[0].unit
        asked = asked._replace(slots=[shorten(converted(slot, fixed, measured)) for slot in slots])
    limit, rule = asked.settle()
    return Account(limit, adjacency=fixed, unit=measured, composition=rule)


def as_losses(losses: Iterable[PrivacyLoss], name: str = "losses") -> tuple[PrivacyLoss, ...]:
    """The caller's losses, at least one."""
    listed = tuple(losses) if isinstance(losses, Iterable) else ()
    if not listed or not all(isinstance(loss, PrivacyLoss) for loss in listed):
        raise ParameterError(f"{name} must be PrivacyLoss objects, at least one; got {render(losses)}")
    return listed


# Scopes: ``analyst=ann/project=census`` lies in ``analyst=ann`` lies in the whole, whose name is empty.


def child_of(parent: str, kind: object, name: object) -> str:
    """The name of a part of ``parent``."""
    step = f"{_word(kind=kind)}={_word(name=name)}"
    return f"{parent}/{step}" if parent else step


def branch_of(scope: str) -> tuple[str, ...]:
    """The scope and all its parents, the whole budget first."""
    words = scope.split("/") if scope else []
    return tuple("/".join(words[:depth]) for depth in range(len(words) + 1))


def _word(**named: object) -> str:
    [(argument, value)] = named.items()
    word = text(longest=100, **named)
    if word != word.strip() or not word or set(word) & set("=/"):
        raise ParameterError(f"{argument} must be a word without '=' and '/'; got {render(value)}")
    return word


class Reservation:
    """A charge that has been made. As a context manager it marks where the paid work happens."""

    def __init__(self, loss: PrivacyLoss, note: str, receipt: Receipt | None = None) -> None:
        self.loss = loss
        """What was charged, in the budget's own adjacency."""
        self.note = note
        self.receipt = receipt
        """Where the charge stands, if a ledger keeps it."""

    def settle(self, outcome: Outcome) -> None:
        """Record how the paid work ended; a budget in memory records nothing."""

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Nothing is given back, whatever happened; who interrupted the work is told so."""
        tell_of_charge(error)
        self.settle("done" if kind is None else "failed")


def tell_of_charge(error: BaseException | None) -> None:
    """Let an interrupt (Ctrl-C, an exit) say that what it ended has been paid for. Other errors say so themselves."""
    if error is not None and not isinstance(error, Exception) and PAID not in getattr(error, "__notes__", ()):
        error.add_note(PAID)


class Batch:
    """Losses that were reserved at once, to be used one by one: a budget whose every slot is paid for already.

    ``reserve`` takes the smallest unused slot that covers the loss and charges nothing more. What is left unused when
    the ``with`` block ends is not given back. ``item``: the one charge for all slots, where they were not charged each.
    """

    def __init__(
        self,
        slots: Sequence[Reservation],
        loss: PrivacyLoss,
        item: Reservation | None = None,
        *,
        composition: str = BASIC.name,
    ) -> None:
        self.loss = loss
        """The price of the whole list."""
        self.composition = composition
        """The name of the rule of the budget that paid: questions choose their mechanism by it."""
        self._item = item
        self._free = list(slots)
        self._used: list[PrivacyLoss] = []
        self._lock = threading.Lock()
        self._process = this_process()

    def reserve(self, loss: PrivacyLoss, *, note: str = "") -> Reservation:
        """Take a slot, or raise and change nothing. The slot keeps the note that the batch was reserved with."""
        if not isinstance(loss, PrivacyLoss):
            raise ParameterError(f"loss must be a PrivacyLoss; got {type(loss).__name__}")
        text(note=note, longest=LONGEST_NOTE)
        if this_process() != self._process:
            raise BudgetError("a batch lives in the process that reserved it; a forked child cannot use it")
        asked = converted(loss, self.loss.adjacency, self.loss.unit)
        with self._lock:
            slot = self._free.pop(find_slot([slot.loss for slot in self._free], asked, "batch"))
            self._used.append(slot.loss)
        return slot

    @property
    def limit(self) -> Amount:
        """The sum of all slots."""
        return _sum([*self._used, *(slot.loss for slot in self._free)])

    @property
    def spent(self) -> Amount:
        """The sum of the slots in use."""
        return _sum(self._used)

    @property
    def remaining(self) -> Amount:
        """The sum of the slots not yet used."""
        return _sum([slot.loss for slot in self._free])

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Close the batch: its unused slots are lost."""
        with self._lock:
            unused, self._free = self._free, []
        for slot in unused:
            slot.settle("unused")
        if self._item is not None:
            self._item.settle("done" if self._used else "unused")

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        return self

    def __copy__(self) -> Self:
        return self

    def __reduce__(self) -> NoReturn:
        raise BudgetError("a batch cannot leave its process: a copy could be used twice")

    def __repr__(self) -> str:
        return f"Batch({len(self._free)} of {len(self._free) + len(self._used)} slots left)"


Grant = Callable[[tuple[PrivacyLoss, ...], str], tuple[Sequence[Reservation], PrivacyLoss]]
"""Charges a list, all of it or nothing: the reservations, and what they cost together."""


def reserve_list(account: Account, grant: Grant, losses: Iterable[PrivacyLoss], delta: Number, note: str) -> Batch:
    """A batch of slots, each charged by itself or, with a ``delta``, all of them as one loss."""
    listed, rule = as_losses(losses), account.composition.name
    if not probability(delta=delta):
        return Batch(*grant(listed, note), composition=rule)
    [item], price = grant((account.quote(listed, delta),), note)
    slots = [Reservation(charge, note, item.receipt) for charge in account.price(listed)]
    return Batch(slots, price, item, composition=rule)


def _sum(losses: Sequence[PrivacyLoss]) -> Amount:
    return composed(losses).amount if losses else NOTHING
