"""What may be granted: an account is a limit and what is spent of it, for the whole budget or for one scope of it."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from dampen._validate import brief, render, text
from dampen.accounting.composition import NOTHING, BasicComposition, Composition, converted, shorten
from dampen.errors import BudgetExceeded, ParameterError
from dampen.privacy import Adjacency, Amount, PrivacyLoss

COMPOSITIONS: dict[str, Composition] = {each.name: each for each in (BasicComposition(),)}
"""The rules by which losses may add up, by name. A new one is entered here."""


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
    composition: Composition = COMPOSITIONS["basic"]

    def __post_init__(self) -> None:
        # A rule that sums up more than an amount holds starts from a nothing of its own.
        if self.spent is NOTHING:
            object.__setattr__(self, "spent", self.composition.start)

    @property
    def remaining(self) -> Amount:
        """What is left."""
        return self.composition.left((self.limit, self.spent))

    def price(self, losses: Sequence[PrivacyLoss]) -> tuple[PrivacyLoss, ...]:
        """What each loss would be charged as, in this account's adjacency or in the one that the first loss fixes."""
        adjacency, unit = self.adjacency or losses[0].adjacency, self.unit or losses[0].unit
        return tuple(shorten(converted(loss, adjacency, unit)) for loss in losses)

    def quote(self, losses: Iterable[PrivacyLoss]) -> PrivacyLoss:
        """What a list would cost."""
        return self.composition.compose(self.price(as_losses(losses)))

    def charge(self, charges: Iterable[PrivacyLoss]) -> "Account":
        """The account after these charges, all of them or none."""
        spent, adjacency, unit = self.spent, self.adjacency, self.unit
        for charge in charges:
            spent = self.composition.add(spent, charge)
            adjacency, unit = charge.adjacency, charge.unit
        if not self.composition.fits(spent, self.limit):
            asked = self.composition.left((spent, self.spent))
            place = f" in {self.name[-80:]}" if self.name else ""
            raise BudgetExceeded(f"not enough budget{place}: asked {asked}; spent {self.spent}; limit {self.limit}")
        return Account(self.limit, spent, adjacency, unit, self.name, self.composition)

    def __str__(self) -> str:
        delta = f", delta {brief(self.spent.delta)} of {brief(self.limit.delta)}" if self.limit.delta else ""
        return f"epsilon {brief(self.spent.epsilon)} of {brief(self.limit.epsilon)}{delta}"


def as_losses(losses: Iterable[PrivacyLoss]) -> tuple[PrivacyLoss, ...]:
    """The caller's losses, at least one."""
    listed = tuple(losses) if isinstance(losses, Iterable) else ()
    if not listed or not all(isinstance(loss, PrivacyLoss) for loss in listed):
        raise ParameterError(f"losses must be PrivacyLoss objects, at least one; got {render(losses)}")
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
