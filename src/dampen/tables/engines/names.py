"""Names of groups that nobody listed, and people counted by them: one rule for every engine.

A *name* is a text as it is written, letter by letter, or a whole number in its digits; a number of another type that is
whole and below 2**53 in size is one too. Blank texts and missing values name nothing, and such rows are in no group.
All else is no name (``OTHER``). So a value is read by itself alone, whatever else its column holds.

A person is counted once in each group, and in at most ``most`` of the own groups: in those with the least
:func:`order_of`, which depends on the person, the name and a key alone. The key is drawn before data are read; with it
which groups are kept is a function of the person's own rows.
"""

from dataclasses import dataclass
from decimal import Decimal
from hashlib import md5
from numbers import Integral, Real
from typing import Any
from uuid import UUID

import numpy as np

from dampen.tables.reading import MISSING, OTHER, is_blank, is_missing, is_truth
from dampen.vectors import Integers

LARGEST = 2**53
"""Whole numbers that are no integers by their type have names below this in size: every engine has them exactly."""
BETWEEN = " "
"""What stands between the key, the person and the name where they are hashed."""


@dataclass(frozen=True)
class NamesAsk:
    """What is counted: how many persons each name of a column has, or without persons how many rows.

    ``most``: in so many groups a person is counted. ``key``: hexadecimal digits, by which these are chosen.
    """

    column: str
    person: str | None = None
    most: int = 1
    key: str = ""


@dataclass(frozen=True, eq=False, repr=False)
class NamedPeople:
    """Private: the names that occur, each once and in no order that means anything, and how many people each has."""

    names: list[str]
    people: Integers


def read_name(value: Any) -> str | int:
    """The name that a value is, else ``MISSING`` or ``OTHER``.

    >>> read_name("flu"), read_name(7), read_name(7.0), read_name(" ") == MISSING, read_name(7.5) == OTHER
    ('flu', '7', '7', True, True)
    """
    try:
        if isinstance(value, str):
            return MISSING if is_blank(value) else str(value)
        if is_missing(value):
            return MISSING
        return _read_other(value)
    except Exception:  # values of the caller's own may raise anything
        return OTHER


def _read_other(value: Any) -> str | int:
    if isinstance(value, UUID):
        return str(value)
    if is_truth(value) or isinstance(value, np.timedelta64):
        return OTHER
    if isinstance(value, Integral):
        return str(int(value))
    if not isinstance(value, Real | Decimal):
        return OTHER
    number: Any = value
    return str(int(number)) if abs(number) < LARGEST and number == int(number) else OTHER


def order_of(key: str, person: str, name: str) -> str:
    """By what the groups of a person are ordered: databases have this function too."""
    return md5(BETWEEN.join((key, person, name)).encode("utf-8", "replace"), usedforsecurity=False).hexdigest()


def text_of_person(value: Any) -> str:
    """A person as most databases print one. It only orders the own groups: who is who is not decided by it."""
    try:
        return str(value).lower() if is_truth(value) else str(value)
    except Exception:  # values of the caller's own may raise anything
        return ""
