"""What a budget hands out: one charge that has been made, or a list of them made at once."""

import threading
from collections.abc import Sequence
from fractions import Fraction
from types import TracebackType
from typing import Any, Literal, NoReturn, Self

from dampen._validate import text
from dampen.accounting.composition import converted
from dampen.errors import BudgetError, BudgetExceeded, ParameterError
from dampen.privacy import Amount, PrivacyLoss
from dampen.process import this_process

LONGEST_NOTE = 500
"""Notes are for people; longer ones are refused."""

Outcome = Literal["done", "failed", "unused"]
"""How paid work ended. Nothing is given back for any of them."""


class Reservation:
    """A charge that has been made. As a context manager it marks where the paid work happens."""

    def __init__(self, loss: PrivacyLoss, note: str) -> None:
        self.loss = loss
        """What was charged, in the budget's own adjacency."""
        self.note = note

    def settle(self, outcome: Outcome) -> None:
        """Record how the paid work ended; a budget in memory records nothing."""

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Nothing is given back, whatever happened."""
        self.settle("done" if kind is None else "failed")


class Batch:
    """Losses that were reserved at once, to be used one by one: a budget whose every slot is paid for already.

    ``reserve`` takes the smallest unused slot that covers the loss and charges nothing more. What is left unused when
    the ``with`` block ends is not given back.
    """

    def __init__(self, slots: Sequence[Reservation], loss: PrivacyLoss) -> None:
        self.loss = loss
        """The price of the whole list."""
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
            fitting = [slot for slot in self._free if _covers(slot.loss, asked)]
            if not fitting:
                raise BudgetExceeded(f"no unused slot of this batch covers {Amount(asked.epsilon, asked.delta)}")
            slot = min(fitting, key=lambda slot: (slot.loss.epsilon, slot.loss.delta))
            self._free.remove(slot)
            self._used.append(slot.loss)
        return slot

    @property
    def limit(self) -> Amount:
        """The sum of all slots."""
        return Amount(self.loss.epsilon, self.loss.delta)

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

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        return self

    def __copy__(self) -> Self:
        return self

    def __reduce__(self) -> NoReturn:
        raise BudgetError("a batch cannot leave its process: a copy could be used twice")

    def __repr__(self) -> str:
        return f"Batch({len(self._free)} of {len(self._free) + len(self._used)} slots left)"


def _sum(losses: Sequence[PrivacyLoss]) -> Amount:
    zero = Fraction(0)
    return Amount(sum((loss.epsilon for loss in losses), zero), sum((loss.delta for loss in losses), zero))


def _covers(slot: PrivacyLoss, loss: PrivacyLoss) -> bool:
    """Whether the loss is no larger in any respect that the slot makes a claim about."""
    claims = ((loss.bounded_range, slot.bounded_range), (loss.rho, slot.rho))
    kept = all(claim is None or (cost is not None and cost <= claim) for cost, claim in claims)
    return loss.epsilon <= slot.epsilon and loss.delta <= slot.delta and kept
