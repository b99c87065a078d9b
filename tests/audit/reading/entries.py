"""What an entry of the gate is: one function of dampen, the columns that it reads, and the question that it answers."""

from collections import Counter
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from datetime import date
from fractions import Fraction
from functools import cached_property
from typing import Any
from unittest.mock import patch

import numpy as np

from dampen.problem import CountsProblem, NumericProblem, SelectionProblem
from dampen.tables.day_grid import DayGrid, day_grid
from dampen.tables.engines import Source
from tests.audit.reading.check import Question, Vector
from tests.audit.reading.forms import Form, Held
from tests.audit.reading.oracle import MISSING, OTHER, No, Rule, number

VAST = 10**6
"""An epsilon at which no noise is drawn: one draw in e^100000 would differ."""
GRIDS: tuple[Any, ...] = (
    range(0, 9, 2),
    (-1.5, 0.0, 0.1, 0.3, 2.5),
    (-(2**60), 0, 1, 2**53, 2**53 + 1, 2**61),
    (0.0, 0.5, 2.0**53, 2.0**63, 2.0**64, 1e300),
)
BOUNDS: tuple[Any, ...] = ((0, 4), (-1, 2**60), (0, 1), ("-0.5", 3))
DAY_ENDS = (
    (date(1969, 12, 31), date(2024, 3, 31), "month"),
    (date(2024, 2, 28), date(2024, 3, 2), "day"),
    (date(1960, 2, 29), date(2024, 2, 29), "year"),
)
DAY_GRIDS: tuple[DayGrid, ...] = tuple(day_grid(*ends) for ends in DAY_ENDS)
SPANS: tuple[tuple[int | None, int | None], ...] = ((0, None), (None, 19782), (-1, -1), (19782, 19783), (None, None))
"""Days between which a filter leaves rows: 19782 is the 29th of February 2024."""


@dataclass(frozen=True, eq=False)
class Public:
    """Everything that is declared before the data is seen. ``wanted``: the value of a filter."""

    labels: tuple[Any, ...] = ("x", "other")
    choices: tuple[Any, ...] = (0, 1)
    wanted: Any = 1
    rest: Any = None
    missing: str = "drop"
    other: str = "drop"
    grid: Any = GRIDS[0]
    bounds: Any = BOUNDS[0]
    day_grid: DayGrid = DAY_GRIDS[0]
    span: tuple[int | None, int | None] = SPANS[0]

    def only(self, labels: Sequence[bool], choices: Sequence[bool]) -> "Public":
        """Without some labels and choices; the one that takes the rest stays."""
        kept = tuple(label for label, stays in zip(self.labels, labels, strict=False) if stays or label is self.rest)
        chosen = tuple(choice for choice, stays in zip(self.choices, choices, strict=False) if stays)
        return replace(self, labels=kept or self.labels[:1], choices=chosen or self.choices[:1])

    @cached_property
    def rule(self) -> Rule:
        """For the labels."""
        return Rule(self.labels)

    @cached_property
    def choice_rule(self) -> Rule:
        """For the choices."""
        return Rule(self.choices)

    @cached_property
    def filter_rule(self) -> Rule:
        """For the filter."""
        return Rule((self.wanted,))


@dataclass(frozen=True, eq=False)
class Entry:
    """A function in the gate. ``columns``: what each column of a record is read as; ``takes``: which containers."""

    name: str
    columns: Mapping[str, str]
    pose: Callable[[Public], Question]
    covers: tuple[str, ...] = ()
    takes: Callable[[Form], bool] = lambda form: not form.name.startswith("learn")
    settles: Callable[[Public], Public] = lambda public: public

    def __repr__(self) -> str:
        return self.name


def in_tables(form: Form) -> bool:
    """Containers that hold all columns."""
    return form.name not in ("columns", "series") and not form.name.startswith("learn")


def in_columns(form: Form) -> bool:
    """Columns in memory, each by itself."""
    return form.name in ("columns", "series")


def strict(public: Public) -> Public:
    """Values that stand by themselves have no description: what is missing or undeclared is refused."""
    return replace(public, rest=None, missing="refuse", other="refuse")


def source_of(held: Held, name: str, missing: str, where: Any = None, other: Any = None) -> Any:
    """What a question about one column is asked of: values as they are, or the table that has the column."""
    if held.bare:
        assert (missing, where, other) == ("refuse", None, None), "values alone have no description"
        return held.columns[name]
    return Source(held.table, where, column=name, missing=missing, other=other)


def in_both(
    name: str,
    columns: Mapping[str, str],
    pose: Callable[[Public], Question],
    covers: tuple[str, ...],
    settles: Callable[[Public], Public] = lambda public: public,
) -> tuple[Entry, Entry]:
    """A question of the record: of a column of a table, and of values alone."""
    alone = Entry(f"{name} of values", columns, pose, covers, in_columns, lambda public: strict(settles(public)))
    return Entry(name, columns, pose, covers, in_tables, settles), alone


def counts(places: Sequence[Hashable]) -> Vector:
    """How often each place occurs."""
    return Counter(places)


def numbered(entries: Any) -> Vector:
    """Entries of an array by their place."""
    return {place: int(entry) for place, entry in enumerate(np.asarray(entries).ravel().tolist())}


def rest_place(public: Public) -> int | None:
    """Where values go that are no label."""
    found = [place for place, label in enumerate(public.labels) if label is public.rest]
    return found[0] if found and public.rest is not None else None


def placed_in_groups(value: Any, public: Public, missing: str) -> int | None:
    """The place of a value among groups; ``None`` if it is refused, ``MISSING`` if it is left out."""
    rest, found = rest_place(public), public.rule.place(value)
    if found == OTHER:
        return rest
    if found == MISSING:
        return {"drop": MISSING, "other": rest, "refuse": None}[missing]
    return found


def place_on(grid: Sequence[Any], value: Fraction | float) -> int:
    """The place of the largest point not above a number, or of the first."""
    return max(0, sum(value >= Fraction(point) for point in grid) - 1)


def numbers_of(values: Sequence[Any], missing: str) -> list[Fraction | float] | None:
    """The numbers of a column; ``None`` if it is refused."""
    found = [number(value) for value in values]
    if No.NUMBER in found or (No.MISSING in found and missing == "refuse"):
        return None
    return [value for value in found if not isinstance(value, No)]


class Paid(Exception):
    """The moment of payment: all that a draw reads has been read."""


@dataclass(frozen=True)
class Till:
    """A budget that stops whoever pays."""

    paid: list[Any] = field(default_factory=list)

    @contextmanager
    def reserve(self, loss: Any, *, note: str = "") -> Iterator[None]:
        """Stop."""
        raise Paid
        yield


def posed(ask: Callable[..., Any]) -> list[Any]:
    """The problems that a question poses until it pays; the last ones are of the data, others may try its arguments."""
    found: list[Any] = []

    def recorded(kind: Any) -> Any:
        original = kind.__init__

        def init(self: Any, *args: Any, **kwargs: Any) -> None:
            original(self, *args, **kwargs)
            found.append(self)

        return patch.object(kind, "__init__", init)

    with recorded(SelectionProblem), recorded(NumericProblem), recorded(CountsProblem):
        try:
            ask(Till())
        except Paid:
            return found
    raise AssertionError("an answer that nobody paid for")


def utilities(problem: Any) -> Vector:
    """What a problem knows of the data."""
    if isinstance(problem, NumericProblem):
        return {"value": problem.value}
    return numbered(problem.counts if isinstance(problem, CountsProblem) else problem.utilities)


def joined(problems: Sequence[Any]) -> Vector:
    """What several problems know together."""
    return {(place, key): count for place, each in enumerate(problems) for key, count in utilities(each).items()}
