"""A charge that is on the disk, and how the work that it paid for ended."""

from dampen.accounting import store
from dampen.accounting.account import Outcome, Reservation
from dampen.accounting.chain import Entry, Head, outcome_entry
from dampen.accounting.store import Store
from dampen.errors import BudgetError
from dampen.privacy import Receipt


class LedgerReservation(Reservation):
    """A charge that is on the disk. Until its outcome is recorded it is listed as unfinished."""

    def __init__(self, store: Store, entry: Entry) -> None:
        super().__init__(entry.loss, entry.note, Receipt(entry.number, str(Head(entry.number, entry.hash))))
        self._store, self._entry = store, entry

    @property
    def number(self) -> int:
        """The number of the charge in the ledger."""
        return self._entry.number

    def settle(self, outcome: Outcome) -> None:
        """Record how the paid work ended, once.

        Where that cannot be written the charge stays listed as unfinished: an answer that was paid for is not withheld
        because of it.
        """
        store.reach("after the draw")
        store.reach("before the outcome")
        try:
            with self._store.transaction(durable=False) as transaction:
                if transaction.close_charge(self._entry):
                    transaction.append(outcome_entry(self._entry, outcome))
                store.reach("inside the outcome")
        except BudgetError:
            return
        store.reach("after the outcome")
