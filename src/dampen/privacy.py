"""The words of privacy: who counts as a neighbour, what a release costs, what a release is, and how it is paid."""

from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass
from enum import Enum
from fractions import Fraction
from typing import Any, Protocol, TypeVar

import numpy as np

from dampen import entropy
from dampen._validate import PANIC, Number, brief, no_warnings, non_negative, plain, positive, probability, render, text
from dampen.entropy import Entropy
from dampen.errors import ParameterError, ReleaseFailed

Drawn = TypeVar("Drawn")


class Adjacency(Enum):
    """Which data sets count as neighbours: how much one person can change."""

    ADD_REMOVE = "add_remove"
    """One record more or less."""
    REPLACE = "replace"
    """One record has another value; the number of records is public."""
    EDGE = "edge"
    """One edge of a graph more or less; the nodes are public."""

    def __repr__(self) -> str:
        return f"Adjacency.{self.name}"


def as_adjacency(value: object) -> Adjacency:
    """Accept an ``Adjacency`` and refuse everything else in one sentence."""
    if not isinstance(value, Adjacency):
        names = ", ".join(repr(member) for member in Adjacency)
        raise ParameterError(f"adjacency must be one of {names}; got {render(value)}")
    return value


def record_adjacency(adjacency: Adjacency) -> Adjacency:
    """``ADD_REMOVE`` or ``REPLACE``: how records of a table change."""
    if as_adjacency(adjacency) is Adjacency.EDGE:
        raise ParameterError("adjacency must be Adjacency.ADD_REMOVE or Adjacency.REPLACE; got Adjacency.EDGE")
    return adjacency


@dataclass(frozen=True)
class Amount:
    """An exact amount of privacy: what a budget allows, has spent or has left."""

    epsilon: Fraction
    delta: Fraction

    def __str__(self) -> str:
        return f"epsilon {brief(self.epsilon)}" + (f", delta {brief(self.delta)}" if self.delta else "")


@dataclass(frozen=True, init=False, repr=False)
class PrivacyLoss:
    """What one release costs at most, for every pair of neighbours.

    ``epsilon`` and ``delta`` are the usual two numbers. ``bounded_range`` is eta when the loss of every output lies in
    one interval [t - eta, t] whose place may depend on the neighbours but not on the output (Durfee-Rogers 2019), else
    ``None``. ``rho`` is the concentrated loss where a release knows a better one than epsilon implies. ``unit`` is
    what one neighbour step moves: a row, an edge, or a person named by a column.
    """

    epsilon: Fraction
    delta: Fraction
    adjacency: Adjacency
    unit: str
    bounded_range: Fraction | None
    rho: Fraction | None

    def __init__(
        self,
        epsilon: Number,
        delta: Number = 0,
        *,
        adjacency: Adjacency,
        unit: str = "",
        bounded_range: Number | None = None,
        rho: Number | None = None,
    ) -> None:
        fields = {
            "epsilon": non_negative(epsilon=epsilon),
            "delta": probability(delta=delta),
            "adjacency": as_adjacency(adjacency),
            "unit": default_unit(adjacency) if unit == "" else as_unit(unit),
            "bounded_range": None if bounded_range is None else positive(bounded_range=bounded_range),
            "rho": None if rho is None else non_negative(rho=rho),
        }
        for name, value in fields.items():
            object.__setattr__(self, name, value)

    def __str__(self) -> str:
        return f"{Amount(self.epsilon, self.delta)} per {self.unit} ({self.adjacency.name})"

    def __repr__(self) -> str:
        optional = {"bounded_range": self.bounded_range, "rho": self.rho}
        parts = [f"epsilon={plain(self.epsilon)}", *([f"delta={plain(self.delta)}"] if self.delta else [])]
        parts += [f"adjacency={self.adjacency!r}", f"unit={self.unit!r}"]
        parts += [f"{name}={plain(value)}" for name, value in optional.items() if value is not None]
        return f"PrivacyLoss({', '.join(parts)})"


def default_unit(adjacency: Adjacency) -> str:
    """What one neighbour step moves when nobody says otherwise."""
    return "edge" if adjacency is Adjacency.EDGE else "row"


def as_budget(budget: Any) -> "BudgetLike":
    """Accept whatever can be paid from, and refuse everything else in one sentence."""
    try:
        fit = callable(getattr(budget, "reserve", None)) and not isinstance(budget, type)
    except Exception:  # an object of the caller's own may raise anything
        fit = False
    if not fit:
        raise ParameterError(f"budget must be a dampen.Budget; got {type(budget).__name__}")
    payer: BudgetLike = budget
    return payer


def as_unit(unit: object) -> str:
    """Accept a name for what one neighbour step moves."""
    return text(unit=unit, longest=100)


@dataclass(frozen=True)
class Release:
    """A private answer: the value, what it cost, what drew it and the caller's note. Never the scores behind it."""

    value: Any
    loss: PrivacyLoss
    mechanism: str
    note: str = ""

    def __str__(self) -> str:
        note = f", note: {self.note}" if self.note else ""
        return f"{self.value} (by {self.mechanism}; {self.loss}{note})"


class NumericRelease(Release):
    """A private number, usable as one: ``float(release)``, ``int(release)``."""

    def __float__(self) -> float:
        return float(self.value)

    def __int__(self) -> int:
        return int(self.value)


class BudgetLike(Protocol):
    """What a mechanism needs of whoever pays."""

    def reserve(self, loss: PrivacyLoss, *, note: str = "") -> AbstractContextManager[object]:
        """Charge ``loss`` now, before anything is drawn, or refuse and change nothing."""
        ...


def paid(draw: Callable[[Entropy], Drawn], loss: PrivacyLoss, *, budget: BudgetLike, note: str = "") -> Drawn:
    """Reserve ``loss``, open the system's entropy, draw. The only way from private data to an answer.

    The charge stands whatever happens after it. What fails then is not told, and no warning leaves: both may know data.
    """
    with as_budget(budget).reserve(loss, note=note):
        drawn = _attempt(draw)
        if not drawn:
            raise ReleaseFailed("the draw failed after it was paid for; the charge stands")
    return drawn[0]


def _attempt(draw: Callable[[Entropy], Drawn]) -> tuple[Drawn, ...]:
    """What is drawn, or nothing: an error raised inside an ``except`` would carry the one that knows data."""
    try:
        with np.errstate(all="ignore"), no_warnings():
            return (draw(entropy.system_entropy()),)
    except BaseException as error:
        if not isinstance(error, Exception) and type(error).__name__ != PANIC:
            raise
        return ()
