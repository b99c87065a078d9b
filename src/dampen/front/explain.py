"""What a release, a loss or a budget means for one person: ``dampen.explain``."""

from collections.abc import Iterable
from typing import Any

from dampen._validate import Number
from dampen.accounting.budget import Budget
from dampen.accounting.ledger import Ledger
from dampen.accounting.rules import promise_of
from dampen.errors import ParameterError
from dampen.meaning import Explanation, explain_amount
from dampen.privacy import Amount, PrivacyLoss, Release

MOST_PARTS = 10
"""Of a ledger so many purposes are told, the largest."""


def explain(what: Release | PrivacyLoss | Budget | Ledger, *, delta: Number | None = None) -> Explanation:
    """What a loss means for one person, in words, in numbers and as a picture.

    Of a release or a loss, what it tells at most; of a budget, what all releases together may ever tell, which is its
    limit. ``delta``: for a loss of rho without an epsilon, the delta at which epsilon is told; one in a million, if
    left out. Nothing is paid, and nothing but public and released numbers is read.

    >>> import dampen
    >>> loss = dampen.PrivacyLoss(1, adjacency=dampen.Adjacency.ADD_REMOVE)
    >>> even = dampen.explain(loss).belief("1/2")
    >>> round(float(even.least), 4), round(float(even.most), 4)
    (0.2689, 0.7311)
    """
    if isinstance(what, Release):
        subject = f"the release {what.note!r}" if what.note else "this release"
        return _explain_loss(what.loss, subject, delta)
    if isinstance(what, PrivacyLoss):
        return _explain_loss(what, "a release with this loss", delta)
    if isinstance(what, Ledger):
        return _explain_ledger(what, delta)
    if isinstance(what, Budget):
        return _explain_budget(what, promise_of(what.limit), delta)
    raise ParameterError(f"what must be a Release, a PrivacyLoss, a Budget or a ledger; got {type(what).__name__}")


def _explain_loss(loss: PrivacyLoss, subject: str, delta: Number | None) -> Explanation:
    return explain_amount(loss, subject=subject, told=str(loss), adjacency=loss.adjacency, unit=loss.unit, delta=delta)


def _explain_ledger(ledger: Ledger, delta: Number | None) -> Explanation:
    parts = [
        (f"{each.note or '(no note)'}{f', {each.scope}' if each.scope else ''}, {each.charges} times", each.amount)
        for each in ledger.summary(MOST_PARTS).purposes
    ]
    return _explain_budget(ledger, ledger.promise, delta, parts)


def _explain_budget(
    budget: Any, promise: Amount, delta: Number | None, parts: Iterable[tuple[str, Amount]] = ()
) -> Explanation:
    per = "" if budget.unit is None else f" per {budget.unit} ({budget.adjacency.name})"
    return explain_amount(
        promise,
        subject="everything that may ever be paid from this budget",
        told=f"{promise}{per}",
        adjacency=budget.adjacency,
        unit=budget.unit,
        delta=delta,
        parts=parts,
    )
