"""What every reproduction of a figure or table has: cells to compute, rows, a picture, claims and a verdict.

A module joins with one subclass of :class:`Reproduction` and one line in :mod:`experiments.registry`. Cells are
computed by themselves, so that a run can be interrupted and resumed; rows are what the CSV file holds, and everything
else (the picture, the verdict, the section of docs/papers.md) is made from rows that were read back from it.
"""

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from math import floor, log10
from typing import Any, ClassVar

Value = str | int | float | None
Row = dict[str, Value]
Cell = tuple[str | int | float, ...]
"""A part of the work, by its name: what :meth:`Reproduction.measure` is given."""


Losses = Mapping[str, float]
"""Exact losses or deltas by name, computed once and kept in the file beside the rows."""


class Verdict(Enum):
    """What came of a figure or table."""

    REPRODUCED = "reproduced"
    NOT_REPRODUCED = "not reproduced"
    NOT_PRIVATE = "not private"


@dataclass(frozen=True)
class Paper:
    """A paper: how files call it, and how it is cited."""

    key: str
    title: str
    citation: str


DAMPENING = Paper(
    "dampening",
    "Local dampening",
    "Farias et al., Local dampening: differential privacy for non-numeric queries via local sensitivity, "
    "VLDB Journal 2023",
)
SNM = Paper(
    "snm",
    "Smooth Noisy Max",
    "Chaves, Differentially private selection using smooth sensitivity, thesis, Universidade Federal do Ceará 2024",
)
GROUP_BY = Paper(
    "groupby",
    "Group-by",
    "Chaves and Machado, Differentially private group-by data releasing algorithm, SBBD 2019, p. 271-276",
)
LLS = Paper(
    "lls",
    "Largest local sensitivities",
    "Canard, Olivier and Quertier, Differentially private instance-based noise mechanisms in practice, PST 2017",
)


@dataclass(frozen=True)
class Claim:
    """What a paper says in our words, where, what is found, and whether they agree."""

    text: str
    where: str
    found: str
    holds: bool


@dataclass(frozen=True)
class Findings:
    """The five answers that every section gives beside its claims. Markdown, one line each."""

    published: str
    """What the published algorithm gives."""
    privacy: str
    """Whether it is private, by its exact loss."""
    sound: str
    """What our sound version gives."""
    default: str
    """What our best default gives at the same budget."""
    straw_man: str
    """What the simple baseline gives that the paper left out."""


class Reproduction(ABC):
    """One figure or table. ``needs`` names data sets; without them stand-ins of the same shape are made."""

    id: ClassVar[str]
    paper: ClassVar[Paper]
    title: ClassVar[str]
    """As the paper names it: ``Fig. 9``."""
    subject: ClassVar[str]
    needs: ClassVar[tuple[str, ...]] = ()
    parameters: ClassVar[Mapping[str, Any]]
    """Everything that decides the rows. A finished CSV file with the same parameters is kept."""

    @abstractmethod
    def cells(self) -> Sequence[Cell]:
        """The parts of the work, in the order of the rows."""

    @abstractmethod
    def measure(self, cell: Cell) -> list[Row]:
        """The rows of one cell: the same for the same cell, whatever ran before."""

    @abstractmethod
    def claims(self, rows: Sequence[Row]) -> list[Claim]:
        """The paper's claims beside what the rows say."""

    @abstractmethod
    def private(self, rows: Sequence[Row], losses: Losses) -> bool:
        """Whether the published algorithm keeps its promise, computed from an exact law."""

    @abstractmethod
    def findings(self, rows: Sequence[Row], losses: Losses) -> Findings:
        """The five answers."""

    def losses(self) -> dict[str, float]:
        """What the published algorithm loses, from exact laws; for modules whose rows do not tell."""
        return {}

    def details(self, rows: Sequence[Row], losses: Losses) -> str:
        """Tables and remarks that follow, as Markdown."""
        return ""

    def draw(self, rows: Sequence[Row], plt: Any) -> Any:
        """A matplotlib figure, or None for a table."""
        return None

    def verdict(self, rows: Sequence[Row], losses: Losses) -> Verdict:
        """Not private, if it is not; else whether all claims hold."""
        if not self.private(rows, losses):
            return Verdict.NOT_PRIVATE
        return Verdict.REPRODUCED if all(c.holds for c in self.claims(rows)) else Verdict.NOT_REPRODUCED


def rounded(value: float, digits: int = 6) -> float:
    """A number of so many significant digits, so that files do not hang on the last bits."""
    if value == 0 or value != value or abs(value) == float("inf"):
        return float(value)
    return round(float(value), digits - 1 - floor(log10(abs(value))))


def where(rows: Iterable[Row], **wanted: Value) -> list[Row]:
    """The rows that agree with all of these."""
    return [row for row in rows if all(row[name] == value for name, value in wanted.items())]


def one(rows: Iterable[Row], **wanted: Value) -> Row:
    """The only row that agrees with all of these."""
    [found] = where(rows, **wanted)
    return found


def number(row: Row, column: str) -> float:
    """An entry that is a number."""
    value = row[column]
    assert isinstance(value, int | float)
    return float(value)


def distinct(rows: Iterable[Row], column: str) -> list[Any]:
    """The entries of a column, each once, in the order of the rows."""
    return list(dict.fromkeys(row[column] for row in rows))


def markdown(head: Sequence[str], lines: Iterable[Sequence[str]], left: int = 1) -> str:
    """A table; the first ``left`` columns hold words, the others numbers."""
    marks = ["---" if place < left else "---:" for place in range(len(head))]
    return "\n".join(_line(line) for line in (head, marks, *lines))


def _line(entries: Sequence[str]) -> str:
    return "| " + " | ".join(entries) + " |"


def shown(value: Value, digits: int = 3) -> str:
    """A number for readers: so many significant digits, thousands with commas."""
    if not isinstance(value, int | float):
        return "-" if value is None else value
    if value == 0:
        return "0"
    if abs(value) >= 10 ** (digits - 1):
        return f"{value:,.0f}"
    text = f"{value:.{digits}g}"
    return f"{value:.0e}" if "e" in text and digits == 1 else text
