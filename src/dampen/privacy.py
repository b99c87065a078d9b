"""The words of privacy: who counts as a neighbour, what a release costs, what a release is, and how it is paid."""

import math
import numbers
import operator
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import asdict, dataclass, field, replace
from enum import Enum
from fractions import Fraction
from typing import Any, Protocol, TypeVar

import numpy as np

from dampen import entropy
from dampen._validate import (
    PANIC,
    SMALLEST,
    Number,
    brief,
    no_warnings,
    non_negative,
    plain,
    positive,
    probability,
    render,
    text,
)
from dampen.entropy import Entropy
from dampen.errors import ParameterError, ReleaseFailed
from dampen.meaning.certificate import Certificate, certify_release
from dampen.operators import ByValue
from dampen.writing import Error, as_json, html_table, percent, round_up

Drawn = TypeVar("Drawn")
CONFIDENCE = Fraction(19, 20)
"""Of a statement about an error, where nobody says another."""


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
    """An exact amount of privacy: what a budget allows, has spent or has left.

    ``epsilon`` is ``None`` where it is not counted: in a budget of rho, and in what was spent once a release had none.
    ``rho`` is ``None`` where only epsilon and delta are counted.
    """

    epsilon: Fraction | None
    delta: Fraction
    rho: Fraction | None = None

    def __str__(self) -> str:
        parts = {"epsilon": self.epsilon, "rho": self.rho, "delta": self.delta or None}
        return ", ".join(f"{name} {brief(part)}" for name, part in parts.items() if part is not None)


def amount_as_json(amount: Amount) -> dict[str, str]:
    """Its parts as text, exactly; what is not counted is left out."""
    parts = {"epsilon": amount.epsilon, "delta": amount.delta, "rho": amount.rho}
    return {name: plain(part) for name, part in parts.items() if part is not None}


@dataclass(frozen=True, init=False, repr=False)
class PrivacyLoss:
    """What one release costs at most, for every pair of neighbours.

    ``epsilon`` and ``delta`` are the usual two numbers. ``bounded_range`` is eta when the loss of every output lies in
    one interval [t - eta, t] whose place may depend on the neighbours but not on the output (Durfee-Rogers 2019), else
    ``None``. ``rho`` is the concentrated loss where a release knows a better one than epsilon and range imply. A
    release that has a rho but is epsilon-private for no epsilon, such as Gaussian noise, has ``epsilon`` of ``None``.
    ``unit`` is what one neighbour step moves: a row, an edge, or a person named by a column.
    """

    epsilon: Fraction | None
    delta: Fraction
    adjacency: Adjacency
    unit: str
    bounded_range: Fraction | None
    rho: Fraction | None

    def __init__(
        self,
        epsilon: Number | None,
        delta: Number = 0,
        *,
        adjacency: Adjacency,
        unit: str = "",
        bounded_range: Number | None = None,
        rho: Number | None = None,
    ) -> None:
        if epsilon is None and rho is None:
            raise ParameterError("epsilon must be given where rho is not; got None")
        fields = {
            "epsilon": None if epsilon is None else non_negative(epsilon=epsilon),
            "delta": probability(delta=delta),
            "adjacency": as_adjacency(adjacency),
            "unit": default_unit(adjacency) if unit == "" else as_unit(unit),
            "bounded_range": None if bounded_range is None else positive(bounded_range=bounded_range),
            "rho": None if rho is None else non_negative(rho=rho),
        }
        for name, value in fields.items():
            object.__setattr__(self, name, value)

    def __str__(self) -> str:
        return f"{self.amount} per {self.unit} ({self.adjacency.name})"

    @property
    def amount(self) -> Amount:
        """Epsilon and delta; rho alone where there is no epsilon."""
        return Amount(self.epsilon, self.delta, self.rho if self.epsilon is None else None)

    def __repr__(self) -> str:
        optional = {"bounded_range": self.bounded_range, "rho": self.rho}
        told = "None" if self.epsilon is None else plain(self.epsilon)
        parts = [f"epsilon={told}", *([f"delta={plain(self.delta)}"] if self.delta else [])]
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


class Accuracy(ABC):
    """What may be told of how far an answer is off: from public things and released numbers alone."""

    @property
    def unit(self) -> str:
        """What the error counts; empty where it is measured as the answer is."""
        return ""

    @abstractmethod
    def bound(self, confidence: Number = CONFIDENCE) -> float:
        """Whatever the data, the answer is further off with probability at most 1 - confidence."""

    def statement(self, confidence: Number = CONFIDENCE) -> str:
        """The same in words."""
        return f"off by at most {self.amount(confidence)} with probability {percent(confidence)}"

    def amount(self, confidence: Number) -> str:
        """The bound and its unit in words, rounded up."""
        bound = self.bound(confidence)
        return "any amount" if math.isinf(bound) else f"{round_up(bound)} {self.unit}".rstrip()


@dataclass(frozen=True)
class PrivateAccuracy(Accuracy):
    """How far the answer is off may not be told: ``reason`` says why, in one sentence."""

    reason: str

    def bound(self, confidence: Number = CONFIDENCE) -> float:
        """None: refused in that sentence."""
        raise ParameterError(self.reason)

    def statement(self, confidence: Number = CONFIDENCE) -> str:
        """That sentence."""
        return self.reason


@dataclass(frozen=True)
class GroupAccuracy(Accuracy):
    """The accuracy of every group by its label; of all of them together, that of the worst."""

    groups: Mapping[Any, Accuracy]

    @property
    def unit(self) -> str:
        """That of the groups."""
        return next(iter(self.groups.values())).unit

    def bound(self, confidence: Number = CONFIDENCE) -> float:
        """The largest of all groups; each by itself is off by more with probability at most 1 - confidence."""
        return max(each.bound(confidence) for each in self.groups.values())

    def statement(self, confidence: Number = CONFIDENCE) -> str:
        """The same in words: those of a group where all have the same, else of the worst."""
        each = {known.statement(confidence) for known in self.groups.values()}
        return f"each {next(iter(each)) if len(each) == 1 else super().statement(confidence)}"


def miss_chance(confidence: Number) -> Fraction:
    """1 - confidence, exactly."""
    chance = 1 - probability(confidence=confidence)
    if chance < SMALLEST:
        raise ParameterError(f"confidence must be at most 1 - 2**-512; got {render(confidence)}")
    return chance


class Ends(tuple[Any, Any]):
    """The ends (low, high) that were released: of values, or of totals where ``whose`` names a column of persons."""

    whose: str

    def __new__(cls, ends: Any, whose: str = "row") -> "Ends":  # noqa: D102
        made = super().__new__(cls, ends)
        made.whose = whose
        return made

    def __getnewargs__(self) -> Any:
        return tuple(self), self.whose


@dataclass(frozen=True)
class Receipt:
    """Where a charge stands in a ledger: the number of its entry, and the head of the ledger right after it.

    ``ledger.verify(head=receipt.head)`` tells whether a ledger still contains that entry and all before it unchanged.
    """

    entry: int
    head: str


@dataclass(frozen=True, eq=False)
class Release(ByValue):
    """A private answer: the value, what it cost, what drew it, the caller's note and how far it may be off.

    It is compared, hashed, formatted and calculated with as its value is. Never the scores behind it.

    Where something was cut, ``cap``: nobody counted for more, or the two ends (low, high) between which all values or
    totals were moved. ``at_stake``: the people who may have more, with a probability of 95 %, times the cap.
    ``receipt``: where the charge for it stands, if a ledger paid.
    """

    value: Any
    loss: PrivacyLoss
    mechanism: str
    note: str = ""
    accuracy: Accuracy | None = None
    cap: Any = None
    at_stake: float = 0.0
    receipt: Receipt | None = field(default=None, repr=False)

    @property
    def doubtful(self) -> bool:
        """Whether so much may have been cut off that it exceeds the answer: told by released things alone."""
        return self.at_stake > 0 and self.at_stake > self._size()

    @property
    def ends(self) -> Ends:
        """The two ends that were released, for further questions, at no cost of their own: ``bounds=release.ends``."""
        if not isinstance(self.cap, tuple):
            raise ParameterError("this answer has no two ends: values were not moved between any that were released")
        return Ends(self.cap, self.loss.unit)

    def _size(self) -> float:
        """What the answer amounts to, where something may have been cut off from it."""
        return math.inf

    def error(self, confidence: Number = CONFIDENCE) -> Error:
        """How far the answer is off at most, with this confidence. Printed, it says what that means."""
        if self.accuracy is None:
            raise ParameterError("this answer has no error to tell: it was put together without an accuracy")
        share = 1 - miss_chance(confidence)
        return Error(self.accuracy.bound(share), self.accuracy.unit, share, self.accuracy.statement(share))

    def as_dict(self) -> dict[str, Any]:
        """All of it, ready for JSON: exact numbers as text, dates as in ISO 8601, the error at 95 %."""
        loss: dict[str, Any] = amount_as_json(self.loss.amount)
        loss |= {"adjacency": self.loss.adjacency.value, "unit": self.loss.unit}
        told = {"value": self._value_for_json(), "error": self._error_for_json(), "loss": loss}
        cut = {} if self.cap is None else {"cap": as_json(self.cap), "doubtful": self.doubtful}
        return told | {"mechanism": self.mechanism, "note": self.note} | cut

    def certificate(self) -> Certificate:
        """A page for whoever answers for data protection, as JSON and HTML: what was promised, and what was not."""
        return certify_release(self.as_dict(), self.loss, None if self.receipt is None else asdict(self.receipt))

    def _value_for_json(self) -> Any:
        return as_json(self.value)

    def _error_for_json(self) -> dict[str, Any] | None:
        if self.accuracy is None:
            return None
        private = isinstance(self.accuracy, PrivateAccuracy)
        return {"statement": self.accuracy.statement()} if private else self.error().as_dict()

    def __str__(self) -> str:
        return f"{self.value} ({'; '.join([*self._words(), str(self.loss)])})"

    def _words(self) -> list[str]:
        """What may be said of the error, if anything."""
        return [] if self.accuracy is None else [self.accuracy.statement()]

    def _repr_html_(self) -> str:
        return html_table([("value", self.value), *(("error", words) for words in self._words()), *self._last_rows()])

    def _last_rows(self) -> list[tuple[str, Any]]:
        note = [("note", self.note)] if self.note else []
        cut = [] if self.cap is None else [("cap", self.cap)]
        return [*cut, ("loss", self.loss), ("mechanism", self.mechanism), *note]


class NumericRelease(Release):
    """A private number, usable as one: ``2 * release``, ``float(release)``, ``np.asarray(release)``."""

    def _size(self) -> float:
        return abs(float(self.value))

    def __float__(self) -> float:
        return float(self.value)

    def __int__(self) -> int:
        return int(self.value)

    def __index__(self) -> int:
        return operator.index(self.value)

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Any:
        return np.asarray(self.value, dtype=dtype)

    def __round__(self, digits: int | None = None) -> Any:
        return round(self.value, digits)

    def __trunc__(self) -> Any:
        return math.trunc(self.value)

    def __floor__(self) -> Any:
        return math.floor(self.value)

    def __ceil__(self) -> Any:
        return math.ceil(self.value)

    def __neg__(self) -> Any:
        return -self.value

    def __pos__(self) -> Any:
        return +self.value

    def __abs__(self) -> Any:
        return abs(self.value)


class ListRelease(Release, Sequence[Any]):
    """Private answers in order, usable as the tuple that they are: ``first, *others = release``."""

    def __getitem__(self, place: Any) -> Any:
        return self.value[place]

    def __len__(self) -> int:
        return len(self.value)


class GroupRelease(Release, Mapping[Any, Release]):
    """One private answer for each group, all of them for one loss: ``release["F"]`` is a release with its own error.

    ``value`` is a plain dictionary. The loss of one group's release is that of all groups together.
    """

    def __getitem__(self, label: Any) -> Release:
        told = self.accuracy
        known = told.groups[label] if isinstance(told, GroupAccuracy) else told
        parts = self.loss, self.mechanism, self.note, known, self.cap
        return release_of(self.value[label], *parts, receipt=self.receipt)

    def _size(self) -> float:
        """The larger of what groups above 0 and those below add up to: sums of both signs do not cancel."""
        return float(max(sum(max(sign * value, 0) for value in self.value.values()) for sign in (1, -1)))

    def __iter__(self) -> Iterator[Any]:
        return iter(self.value)

    def __len__(self) -> int:
        return len(self.value)

    def __str__(self) -> str:
        lines = (f"{label}: {'; '.join([str(each.value), *each._words()])}" for label, each in self.items())
        return "\n".join([*lines, f"({self.loss})"])

    def _value_for_json(self) -> Any:
        groups = ((label, each.as_dict()) for label, each in self.items())
        return [{"group": as_json(label), "value": told["value"], "error": told["error"]} for label, told in groups]

    def _repr_html_(self) -> str:
        rows = [(label, each.value, *each._words()) for label, each in self.items()]
        return html_table([*rows, *self._last_rows()])


def release_of(
    value: Any,
    loss: PrivacyLoss,
    mechanism: str,
    note: str = "",
    accuracy: Accuracy | None = None,
    cap: Any = None,
    at_stake: float = 0.0,
    receipt: Receipt | None = None,
) -> Release:
    """A release of the class that fits the value: a number, a tuple, a mapping of groups, or any other."""
    kinds: dict[type, type[Release]] = {bool: Release, numbers.Number: NumericRelease}
    kinds |= {tuple: ListRelease, list: ListRelease, Mapping: GroupRelease}
    chosen = next((found for kind, found in kinds.items() if isinstance(value, kind)), Release)
    return chosen(value, loss, mechanism, note, accuracy, cap, at_stake, receipt)


class BudgetLike(Protocol):
    """What a mechanism needs of whoever pays."""

    def reserve(self, loss: PrivacyLoss, *, note: str = "") -> AbstractContextManager[object]:
        """Charge ``loss`` now, before anything is drawn, or refuse and change nothing.

        What is entered may have a ``receipt``, a :class:`Receipt`, which the release then carries.
        """
        ...


def paid(draw: Callable[[Entropy], Drawn], loss: PrivacyLoss, *, budget: BudgetLike, note: str = "") -> Drawn:
    """Reserve ``loss``, open the system's entropy, draw. The only way from private data to an answer.

    The charge stands whatever happens after it. What fails then is not told, and no warning leaves: both may know data.
    """
    with as_budget(budget).reserve(loss, note=note) as reservation:
        receipt = _receipt_of(reservation)
        drawn = _attempt(lambda source: _with_receipt(draw(source), receipt))
        if not drawn:
            raise ReleaseFailed("the draw failed after it was paid for; the charge stands")
    return drawn[0]


def _receipt_of(reservation: object) -> Receipt | None:
    """The receipt that came with a charge, if any: a budget of the caller's own may enter anything."""
    try:
        receipt = getattr(reservation, "receipt", None)
    except Exception:  # the charge stands, and the answer that it paid for is not withheld
        return None
    return receipt if type(receipt) is Receipt else None


def _with_receipt(drawn: Drawn, receipt: Receipt | None) -> Drawn:
    """A release with its receipt; whatever else was drawn as it is."""
    return drawn if receipt is None or not isinstance(drawn, Release) else replace(drawn, receipt=receipt)


def _attempt(draw: Callable[[Entropy], Drawn]) -> tuple[Drawn, ...]:
    """What is drawn, or nothing: an error raised inside an ``except`` would carry the one that knows data."""
    try:
        with np.errstate(all="ignore"), no_warnings():
            return (draw(entropy.system_entropy()),)
    except BaseException as error:
        if not isinstance(error, Exception) and type(error).__name__ != PANIC:
            raise
        return ()
