"""A ledger taken to another place, such as from a file to a server: every entry as it is, and the same head."""

import json
import os
from pathlib import Path

from dampen.accounting.chain import Head
from dampen.accounting.rules import BASIC
from dampen.accounting.slots import SLOTS
from dampen.accounting.store import Store, Transaction, View
from dampen.accounting.verify import LedgerReport, Progress, verify_entries
from dampen.errors import BudgetError


def copy_ledger(source: Store, target: Store, known: Head | None, progress: Progress | None) -> Head:
    """Write a new ledger with the entries, sums and answers of another; the head of both.

    Nobody writes to the first meanwhile. What is not intact, or lacks the ``known`` head, is not copied.
    """
    if target.exists():
        raise BudgetError(f"{target.name[-60:]} is taken; a ledger is copied to a new place")
    with source.transaction(durable=False) as original:
        _require_intact(source, verify_entries(original, known, progress))
        head = original.head()
        target.create(lambda transaction: _fill(transaction, original))
    # Not inside: a server sends away who has a transaction open and asks nothing of it.
    with target.view() as copy:
        _require_intact(target, verify_entries(copy, head, None))
        if copy.head() != head:
            raise BudgetError(f"{target.name[-60:]} was used by others before it was complete; look at both")
    return head


def export_ledger(store: Store, file: Path) -> Head:
    """Write all entries as lines of JSON after a first line with the head."""
    try:
        with file.open("x", encoding="utf-8") as out, store.view() as view:
            head = view.head()
            first = {"ledger": store.name, "entries": head.number, "head": str(head)}
            out.write(json.dumps(first) + "\n")
            out.writelines(json.dumps(entry._asdict()) + "\n" for entry in view.entries())
            out.flush()
            os.fsync(out.fileno())
    except OSError:
        raise BudgetError(f"{file.name[-60:]} could not be written; it must be a new file in a folder") from None
    store.synchronise()
    return head


def _require_intact(store: Store, report: LedgerReport) -> None:
    if not report:
        raise BudgetError(f"{store.name[-60:]} is not intact, and no copy can be trusted: {report.faults[0]}")


def _fill(copy: Transaction, original: View) -> None:
    for entry in original.entries():
        copy.insert(entry)
    accounts = original.accounts("")
    if any(account.composition is not BASIC for account in accounts):
        copy.make_room_for_rules()
    if any(account.composition is SLOTS for account in accounts):
        copy.make_room_for_slots()
    for account in accounts:
        copy.save_account(account)
    for purpose in original.purposes("", -1):
        copy.save_purpose(purpose)
    for charge in original.unfinished("", -1):
        copy.open_charge(charge)
    if original.remembers():
        copy.make_memory()
        for answer in original.answers():
            copy.save_answer(answer)
