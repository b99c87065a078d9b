"""The certificate of a whole ledger: computed from its entries, as everybody can who has them."""

from collections.abc import Iterable, Iterator
from typing import Any

from dampen.accounting.chain import Entry, Unreadable
from dampen.accounting.composition import NOTHING
from dampen.accounting.rules import promise_of
from dampen.accounting.store import View
from dampen.accounting.verify import Books, verify_entries
from dampen.meaning.amounts import explain_amount
from dampen.meaning.certificate import Certificate, guarantee, library, surroundings
from dampen.privacy import Amount, amount_as_json

MECHANISMS = "a ledger keeps what was paid for what; the certificate of a release names its mechanism and its proof"


def certify_ledger(view: View, name: str) -> Certificate:
    """What was paid from it for what, what it promises, whether it is intact, and its head: all from one moment."""
    report = verify_entries(view, None, None)
    books, entries = Books(), list(_readable_entries(view))
    for entry in entries:
        books.enter(entry)
    root = books.accounts.get("")
    promise = largest_limit("", entries)
    adjacency, unit = (None, None) if root is None else (root.adjacency, root.unit)
    explained = explain_amount(
        promise, subject="everything ever paid from this budget", told=str(promise), adjacency=adjacency, unit=unit
    )
    spent = NOTHING if root is None else root.spent
    sections: dict[str, Any] = {
        "data_release": [
            {
                "what": each.note or "(no note)",
                "by": each.scope or "all",
                "charges": each.charges,
                "spent": str(each.amount),
            }
            for each in books.purposes.values()
        ],
        "privacy_guarantee": guarantee(explained, amount_as_json(promise)),
        "privacy_budget": {
            "ledger": name,
            "promise": str(promise),
            "spent": str(spent),
            "composition": books.rule.name,
            "proof": "docs/proofs/composition.md",
        },
        "mechanism": MECHANISMS,
        "verification": {"intact": bool(report), "found": str(report), "head": report.head, **library()},
        **surroundings(),
        "entries": [entry._asdict() for entry in entries],
    }
    return Certificate(f"Certificate of the privacy budget {name}", sections)


def _readable_entries(view: View) -> Iterator[Entry]:
    """All entries up to where the ledger is damaged; the report says whether it is."""
    try:
        yield from view.entries()
    except Unreadable:
        return
    except view.damage:
        return


def largest_limit(scope: str, entries: Iterable[Entry]) -> Amount:
    """The promise of a scope: of each part the largest ever set. What was lowered may have been spent before."""
    limits = [promise_of(entry.amount) for entry in entries if entry.kind == "limit" and entry.scope == scope]
    if not limits:
        return NOTHING
    parts = {
        name: max((part for each in limits if (part := getattr(each, name)) is not None), default=None)
        for name in ("epsilon", "delta", "rho")
    }
    return Amount(parts["epsilon"], parts["delta"] or NOTHING.delta, parts["rho"])
