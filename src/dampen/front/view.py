"""Which rows of which data are meant, and what is publicly known of their columns: what a question is posed on."""

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from dampen._validate import UNWRITABLE, plain, render
from dampen.describe.columns import PRIVATE, Category, Column, Date, Flag, Number, Text
from dampen.describe.conditions import Among, Condition
from dampen.describe.labels import as_bounds
from dampen.describe.person import Person
from dampen.describe.where import find_column, intersect, words
from dampen.errors import ParameterError
from dampen.front.asking import Asking
from dampen.front.memory import options_exactly
from dampen.mechanisms import NumericMechanism
from dampen.questions.one_percentile import ON_A_GRID
from dampen.questions.private_bounds.sums import is_private, private_units, refuse_unless_private
from dampen.tables.described import grid_of, reading_of
from dampen.tables.engines import Source
from dampen.tables.engines.joined import Joined
from dampen.tables.relative_grid import unbounded_grid

Asked = Number | Category | Date | Flag
"""The columns that may be asked about."""
USUAL = (None, "distance", "auto", False)
"""Options that a note leaves out: those that everybody has who says nothing."""


@dataclass(frozen=True, eq=False, repr=False)
class View:
    """Data with their description. ``name``: what the data is called in notes; ``None`` where it has no public name.

    ``person``: whose a row is, where persons have several, or the two whose it is; ``None``: one step of the data is
    one row.
    """

    data: Source
    columns: dict[str, Column]
    name: str | None
    conditions: tuple[Condition, ...] = ()
    person: Person | None = None

    def restrict(self, conditions: Iterable[Condition]) -> "View":
        """Only the rows that meet these conditions too."""
        return replace(self, conditions=intersect((*self.conditions, *conditions)))

    def describe_anew(self, name: str, column: Column) -> "View":
        """The same data, of one column of which something else is known."""
        return replace(self, columns={**self.columns, name: column})

    def describe(self, column: str) -> Asked:
        """What is known of a column; one that is not described is refused, and the nearest name told.

        Of rows with two persons none is asked about: what one of both brings to an answer has no bound.
        """
        if self.person is not None and self.person.pair is not None:
            rule = "column must be left out: a table whose rows have two persons is asked for count alone"
            raise ParameterError(f"{rule}; got {render(column)}")
        found = find_column(self.columns, column)
        if isinstance(found, Text):
            raise ParameterError(
                f"column must not be a text, which is asked about by groups='private' alone; got {render(column)}"
            )
        return found

    def number(self, column: str) -> Number:
        """The description of a column that must be a number."""
        found = self.describe(column)
        if not isinstance(found, Number):
            raise ParameterError(f"column must be a number; {render(column)} is described as a {found.kind}")
        return found

    def category(self, column: str) -> Category | Flag:
        """The description of a column that must be a category or flag."""
        found = self.describe(column)
        if not isinstance(found, Category | Flag):
            raise ParameterError(
                f"column must be a category or a flag; {render(column)} is described as a {found.kind}"
            )
        return found

    def grid(self, column: str, method: Any = "distance") -> dict[str, Any]:
        """All possible answers about a column that must be a number or a date."""
        found = self.describe(column)
        if not isinstance(found, Number | Date):
            raise ParameterError(f"column must be a number or a date; {render(column)} is described as a {found.kind}")
        if isinstance(method, str) and method == "label":
            raise ParameterError("method 'label' tells a position in a list: ask dampen.percentile, not a table")
        if isinstance(method, NumericMechanism) or (isinstance(method, str) and method == "number"):
            if isinstance(found, Date):
                raise ParameterError(f"method must choose a day for a column of dates; got {render(method)}")
            return {"bounds": found.bounds, "step": found.grid_step}
        return {"bounds": grid_of(found)}

    def answers(self, column: str, leading_bits: Any = None, method: Any = "distance") -> dict[str, Any]:
        """All possible percentiles of a column; of a number without bounds those with so many leading bits."""
        found = self.describe(column)
        if not isinstance(found, Number) or found.bounded:
            refuse_unless_private(leading_bits=leading_bits)
            return self.grid(column, method)
        if isinstance(method, NumericMechanism) or (isinstance(method, str) and method not in ON_A_GRID):
            return self.grid(column, method)
        return {"bounds": unbounded_grid(found.sum_unit, leading_bits)}

    def bars(self, column: str) -> dict[str, Any]:
        """The bars of a column, or the step to which they are found privately."""
        found = self.describe(column)
        if isinstance(found, Number) and not found.bounded:
            return {"bounds": PRIVATE, "step": found.sum_unit}
        return self.grid(column)

    def range(self, column: str) -> dict[str, Any]:
        """The bounds of a column that must be a number, or the unit to which they are found privately."""
        found = self.number(column)
        return {"bounds": found.bounds} if found.bounded else {"bounds": PRIVATE, "unit": found.unit}

    def with_bounds(self, column: str, bounds: Any) -> "View":
        """The same data, where a column of numbers has these bounds: ``"private"``, two numbers or released ends.

        Without bounds numbers are read to the unit of the column, or else to its step: one must be described. Between
        others its step is kept; one that is wider than all of them leaves the two ends.
        """
        found = self.number(column)
        known: dict[str, Any] = {"bins": found.bins, "missing": found.missing}
        if is_private(bounds):
            made = Number(unit=private_units(found.unit or found.step).unit, **known)
        else:
            low, high = as_bounds(bounds)
            step = None if found.step is None else min(found.step, high - low)
            made = Number(low, high, step=step, unit=found.unit, **known)
        return replace(self, columns={**self.columns, column: made})

    def source(self, column: str | None, *others: str) -> Source:
        """The rows that are meant, the column asked about, and what all columns that take part must hold.

        Of a table with a person rows are never asked as if each were somebody's only one.
        """
        if self.person is not None:
            rule = "this has no answer by person, and a table with a person is never asked by row"
            raise ParameterError(f"{rule}; got person={render(self.person.unit)}")
        readings = {name: reading_of(self.columns[name]) for name in self._taking_part(column, others)}
        if column is None:
            return Source(self.data, self.conditions, readings=readings)
        found = self.describe(column)
        other = found.other if isinstance(found, Category) else None
        return Source(self.data, self.conditions, column=column, missing=found.missing, other=other, readings=readings)

    def person_source(self, *columns: str) -> Source:
        """The rows that are meant, and what these columns and those of the filter must hold, in all rows.

        Rows of two persons are never asked as if each were the one's alone.
        """
        if self.person is not None and self.person.pair is not None:
            rule = "a table whose rows have two persons must be asked for count alone"
            raise ParameterError(f"{rule}; got person={render(self.person.unit)}")
        return self._filtered(columns)

    def pair_source(self) -> Source:
        """The same of rows with two persons, which can only be counted."""
        return self._filtered(())

    def _filtered(self, columns: Sequence[str]) -> Source:
        readings = {name: reading_of(self.columns[name]) for name in self._taking_part(None, columns)}
        return Source(self.data, self.conditions, readings=readings)

    def _taking_part(self, column: str | None, others: Sequence[str]) -> list[str]:
        named = [column, *others, *(condition.column for condition in self.conditions)]
        return [name for name in dict.fromkeys(named) if name in self.columns]

    @property
    def title(self) -> str:
        """What the data is called: a path or pattern as it was given, else what kind of data it is."""
        data = self.data.data
        unnamed = data.table if isinstance(data, Joined) else type(data).__name__
        return unnamed if self.name is None else self.name

    def tell(self, asked: Asking) -> str:
        """A question in public words, for the note of a ledger."""
        unusual = {name: value for name, value in asked.options.items() if _is_unusual(value)}
        told = [asked.question, *(f"{name}={_words(value)}" for name, value in unusual.items())]
        if asked.column is not None:
            told.append(f"of {asked.column} as {self.columns[asked.column]!r}")
        if asked.by:
            told.append(f"by {', '.join(asked.by)}")
        if self.person is not None:
            told.append(f"per {self.person.unit}")
        if self.conditions:
            told.append(f"where {words(self.conditions)}")
        return UNWRITABLE.sub(" ", f"{' '.join(told)} in {self.title}")

    def key(self, asked: Asking) -> str | None:
        """All that makes a question but its price, in public words: two that differ in anything have different keys.

        ``None`` where the data have no public name, or an option has no exact words.
        """
        if self.name is None:
            return None
        described = {name: repr(self.columns[name]) for name in sorted(self._taking_part(asked.column, asked.by))}
        rows = [
            [each.column, [repr(each.labels[place]) for place in sorted(each.places)]]
            if isinstance(each, Among)
            else [each.column, *(None if end is None else plain(end) for end in (each.low, each.high)), each.days]
            for each in sorted(self.conditions, key=lambda each: each.column)
        ]
        said = options_exactly(asked.options)
        if said is None:
            return None
        whose = None if self.person is None else [self.person.column, self.person.missing, self.person.other]
        meant = [asked.question, asked.column, said, list(asked.by)]
        return json.dumps([*meant, rows, described, self._place(described), repr(self.data.reading), whose])

    def _place(self, columns: Iterable[str]) -> str | list[Any] | None:
        """Where the data lies, and how it is joined: a pattern seen from anywhere, or the name that it was given."""
        if isinstance(self.data.data, Joined):
            return self.data.data.told(columns)
        return str(Path(self.data.data).absolute()) if isinstance(self.data.data, str | Path) else self.name


def _is_unusual(value: Any) -> bool:
    return not any(value is usual or (isinstance(value, str) and value == usual) for usual in USUAL)


def _words(value: Any) -> str:
    """An option in words; numbers of a list are public, as all options are."""
    return ", ".join(map(_words, value)) if isinstance(value, tuple) else render(value)
