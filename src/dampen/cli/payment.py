"""Who pays on the command line: the options that every releasing verb shares."""

from abc import abstractmethod
from contextlib import AbstractContextManager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Annotated

import typer

from dampen.accounting import Budget, Ledger
from dampen.cli import interrupts
from dampen.cli.verbs import Options
from dampen.errors import BudgetError, ParameterError
from dampen.privacy import PrivacyLoss
from dampen.questions.record import Price

LONGEST_NOTE = 500

Paying = partial(typer.Option, rich_help_panel="Who pays")
OF_LEDGER = "Part of the ledger, e.g. analyst=ann; repeat it for a part of a part."


@dataclass(frozen=True, kw_only=True)
class Payment(Options):
    """Who pays for an answer; below it what may be spent."""

    budget: Annotated[str | None, Paying(help="Ledger to spend from; see `dampen budget`.")] = None
    scope: Annotated[list[str] | None, Paying(help=OF_LEDGER)] = None
    note: Annotated[
        str | None, Paying(help="What the answer is for; the ledger keeps it. Left out, what was asked.")
    ] = None

    def payer(self, ledger: str | None = None, *, delta: str = "0", of_pipe: bool = False) -> "Payer":
        """The ledger that was named, else that of a description, or a budget for this one answer."""
        named = ledger if self.budget is None else self.budget
        if named is not None:
            return Payer(open_scope(Budget.open(named), self.scope), of_pipe)
        if self.scope:
            raise ParameterError(f"scope must come with --budget; got {self.scope[0]!r} alone")
        # One answer has nothing to be added to, and may need all of delta.
        rule = "zcdp" if self.price.is_rho else "basic"
        return Payer(Budget(**self.price.words(), delta=delta, composition=rule), of_pipe)

    @property
    @abstractmethod
    def price(self) -> Price:
        """What may be spent."""

    def noted(self, asked: str) -> str:
        """What the ledger keeps: the note that was given, or else what was asked."""
        return asked[:LONGEST_NOTE] if self.note is None else self.note


@dataclass(frozen=True, kw_only=True)
class EpsilonPayment(Payment):
    """An epsilon, and who pays for it."""

    epsilon: Annotated[str, typer.Option(help="Privacy to spend in all, e.g. 0.5 or 1/100.")]

    @property
    def price(self) -> Price:
        """That epsilon."""
        return Price(self.epsilon)


@dataclass(frozen=True, kw_only=True)
class EitherPayment(Payment):
    """An epsilon or a rho, and who pays for it."""

    epsilon: Annotated[str | None, typer.Option(help="Privacy to spend in all, e.g. 0.5 or 1/100.")] = None
    rho: Annotated[str | None, typer.Option(help="In place of epsilon: concentrated loss, e.g. 1/1000.")] = None

    @property
    def price(self) -> Price:
        """The one that was typed."""
        if self.epsilon is None and self.rho is None:
            raise ParameterError("epsilon must be given with --epsilon, or rho in its place with --rho")
        return Price(self.epsilon, self.rho)


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


class Payer:
    """A budget that lets the command know of its charges, so that it can tell of them when it is interrupted.

    ``of_pipe``: for data from standard input. Another table may come from there the next time, under the same name, so
    no answer about it is kept. ``note``: what is kept of each charge, where the question itself says too little.
    """

    def __init__(self, budget: Budget | Ledger, of_pipe: bool = False) -> None:
        self._budget, self._of_pipe = budget, of_pipe
        self.note: str | None = None
        interrupts.fate = interrupts.UNPAID

    @property
    def composition(self) -> str:
        """The rule by which charges add up."""
        return self._budget.composition

    @property
    def remembers(self) -> bool:
        """Whether anything remembers the charges when the command has ended."""
        return isinstance(self._budget, Ledger)

    @property
    def file(self) -> Path | None:
        """The file of the ledger, if it is in one."""
        try:
            return self._budget.path if isinstance(self._budget, Ledger) else None
        except BudgetError:
            return None

    def reserve(self, loss: PrivacyLoss, *, note: str = "") -> AbstractContextManager[object]:
        """Charge the budget."""
        with interrupts.delayed():
            reservation = self._budget.reserve(loss, note=note if self.note is None else self.note)
            interrupts.fate = interrupts.PAID
        return reservation

    def recall(self, key: str) -> str | None:
        """The answer that the budget keeps for a question."""
        return None if self._of_pipe else self._budget.recall(key)

    def keep(self, key: str, answer: str) -> None:
        """Let the budget keep an answer."""
        if not self._of_pipe:
            self._budget.keep(key, answer)
