"""Whose a row is: the column that names the person, where one person may have many rows."""

from dataclasses import dataclass
from typing import Any

from dampen._validate import one_of, text
from dampen.errors import ParameterError

OTHER_UNITS = ("row", "edge", "node")
"""What losses are counted in where nobody is named; a budget could not tell a column of that name from it."""
LONGEST_NAME = 100
"""Of the column, in characters: it is the unit of every loss."""


@dataclass(frozen=True)
class Person:
    """The column that tells whose a row is, and what happens to rows in which it is missing.

    ``missing``: ``"drop"`` leaves such rows out, ``"refuse"`` refuses the data. They never count as persons of their
    own: many may be one person's.
    """

    column: str
    missing: str = "drop"


def as_person(person: Any, missing: Any) -> Person | None:
    """The person of a table, by the name of the column; ``None`` where a row is all that anybody has."""
    kept = one_of(("drop", "refuse"), person_missing=missing)
    if person is None:
        if kept != "drop":
            raise ParameterError("person_missing must come with person, the column that tells whose a row is")
        return None
    column = text(person=person, longest=LONGEST_NAME)
    if not column or column in OTHER_UNITS:
        raise ParameterError(f"person must name a column, and none that is called row, edge or node; got {column!r}")
    return Person(column, kept)
