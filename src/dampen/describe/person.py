"""Whose a row is: the column that names the person, where one person may have many rows; or two columns, of two."""

from dataclasses import dataclass
from typing import Any

from dampen._validate import one_of, render, text
from dampen.errors import ParameterError

OTHER_UNITS = ("row", "edge", "node")
"""What losses are counted in where nobody is named; a budget could not tell a column of that name from it."""
LONGEST_NAME = 100
"""Of the unit of every loss, in characters: the column, or both with a word between them."""


@dataclass(frozen=True)
class Person:
    """The column that tells whose a row is, and what happens to rows in which it is missing.

    ``missing``: ``"drop"`` leaves such rows out, ``"refuse"`` refuses the data. They never count as persons of their
    own: many may be one person's. ``other``: the column of a second person, where a row has two, as a message has.
    """

    column: str
    missing: str = "drop"
    other: str | None = None

    @property
    def pair(self) -> tuple[str, str] | None:
        """Both columns, where a row has two persons."""
        return None if self.other is None else (self.column, self.other)

    @property
    def unit(self) -> str:
        """What losses are counted in."""
        return self.column if self.other is None else f"{self.column} or {self.other}"


def as_person(person: Any, missing: Any, persons: Any = None) -> Person | None:
    """The person of a table, or both, by the names of columns; ``None`` where a row is all that anybody has."""
    kept = one_of(("drop", "refuse"), person_missing=missing)
    if persons is not None:
        if person is not None:
            raise ParameterError("person must be left out beside persons, the columns of two persons in each row")
        return _as_pair(persons, kept)
    if person is None:
        if kept != "drop":
            raise ParameterError(
                "person_missing must come with person, the column that tells whose a row is, or with persons"
            )
        return None
    column = text(person=person, longest=LONGEST_NAME)
    if not column or column in OTHER_UNITS:
        raise ParameterError(f"person must name a column, and none that is called row, edge or node; got {column!r}")
    return Person(column, kept)


def _as_pair(persons: Any, missing: str) -> Person:
    rule = 'persons must name two columns, such as ("from", "to")'
    if type(persons) not in (list, tuple) or len(persons) != 2:
        listed = type(persons) in (list, tuple) and all(type(column) is str for column in persons)
        got = " and ".join(map(render, persons)) if listed and persons else render(persons)
        raise ParameterError(f"{rule}; got {got}")
    one, other = (text(persons=column, longest=LONGEST_NAME) for column in persons)
    found = Person(one, missing, other)
    if not one or not other or one == other:
        raise ParameterError(f"{rule}, one for each person; got {render(one)} and {render(other)}")
    if len(found.unit) > LONGEST_NAME:
        raise ParameterError(f"{rule}, of at most {LONGEST_NAME} characters together; got {render(persons)}")
    return found
