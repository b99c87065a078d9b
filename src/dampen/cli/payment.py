"""Who pays on the command line: the options that every releasing verb shares."""

from contextlib import AbstractContextManager
from pathlib import Path
from typing import Annotated

import typer

from dampen.accounting import Budget, Ledger
from dampen.cli import interrupts
from dampen.errors import ParameterError
from dampen.privacy import BudgetLike, PrivacyLoss

NOTHING_REMEMBERS = "note: nothing remembers this spending; asking again spends again. See --budget."

Epsilon = Annotated[str, typer.Option(help="Privacy to spend in all, e.g. 0.5 or 1/100.")]
LedgerFile = Annotated[Path | None, typer.Option("--budget", help="Ledger to spend from; see `dampen budget`.")]
Note = Annotated[str | None, typer.Option(help="What the answer is for; the ledger remembers it.")]
Scope = Annotated[
    list[str] | None,
    typer.Option(help="Part of the ledger, e.g. analyst=ann; repeat it for a part of a part."),
]


def payer(ledger: Path | None, scope: list[str] | None, *, epsilon: str, delta: str = "0") -> BudgetLike:
    """The ledger that was named, or a budget for this one answer."""
    if ledger is not None:
        return _AnnouncingPayer(open_scope(Budget.open(ledger), scope))
    if scope:
        raise ParameterError(f"scope must come with --budget; got {scope[0]!r} alone")
    return _AnnouncingPayer(Budget(epsilon=epsilon, delta=delta))


def open_scope(ledger: Ledger, scope: list[str] | None) -> Ledger:
    """The part of the ledger that ``kind=name`` words lead to."""
    for word in scope or []:
        ledger = ledger.scope(*scope_words(word))
    return ledger


def scope_words(word: str) -> tuple[str, str]:
    """``analyst=ann`` as two words."""
    kind, equals, name = word.partition("=")
    if not (kind and equals and name):
        raise ParameterError(f"scope must be written kind=name, e.g. analyst=ann; got {word[:60]!r}")
    return kind, name


class _AnnouncingPayer:
    """A payer that lets the command know of its charges, so that it can tell of them when it is interrupted."""

    def __init__(self, payer: Budget | Ledger) -> None:
        self._payer = payer
        interrupts.fate = interrupts.UNPAID

    def reserve(self, loss: PrivacyLoss, *, note: str = "") -> AbstractContextManager[object]:
        with interrupts.delayed():
            reservation = self._payer.reserve(loss, note=note)
            interrupts.fate = interrupts.PAID
        return reservation

    def recall(self, key: str) -> str | None:
        return self._payer.recall(key)

    def keep(self, key: str, answer: str) -> None:
        self._payer.keep(key, answer)
