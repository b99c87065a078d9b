"""Conditions as a command line writes them: ``pay>=1000``, ``team in lab,board``, ``pay between 1000 and 5000``."""

import csv
import re
from collections.abc import Iterable, Mapping
from typing import Any

from dampen._validate import render
from dampen.describe.columns import Column, between
from dampen.describe.conditions import Condition
from dampen.describe.where import conditions_of, intersect
from dampen.errors import ParameterError

OPERATION = re.compile(r"\s*(>=|<=|==?)\s*(.*)|\s+(in|between)\s+(.*)", re.DOTALL | re.IGNORECASE)
ENDS = re.compile(r"(.+?)\s+and\s+(.+)", re.DOTALL | re.IGNORECASE)
FORMS = "pay>=1000, pay<=5000, team=lab, team in lab,board or pay between 1000 and 5000"


def conditions_from_texts(columns: Mapping[str, Column], texts: Iterable[str]) -> tuple[Condition, ...]:
    """The conditions that texts ask for, each read by its column's description; those on one column intersect.

    >>> from dampen.describe.columns import Category
    >>> conditions_from_texts({"team": Category("lab", "board")}, ["team=lab"])
    (Among(column='team', labels=('lab', 'board'), places=frozenset({0})),)
    """
    wishes = [parse_condition(text, columns) for text in texts]
    for name, wanted in wishes:
        for each in wanted if isinstance(wanted, list) else []:
            conditions_of(columns, {name: each})  # each by itself: typed by hand, it may be shown
    return intersect(condition for name, wanted in wishes for condition in conditions_of(columns, {name: wanted}))


def parse_condition(text: str, columns: Iterable[str] = ()) -> tuple[str, Any]:
    """A column and what is wanted of it, as texts: ``conditions_of`` reads them by the column's kind.

    ``columns``: the names that are declared, so that one with blanks or signs in it is found.

    >>> parse_condition("pay>=1000")
    ('pay', between('1000', None))
    """
    name, found = _split(text, columns)
    sign, value = (found[1] or found[3]).lower(), (found[2] if found[1] else found[4]).strip()
    ends = ENDS.fullmatch(value)
    if not value or (sign == "between" and ends is None):
        raise _no_condition(text)
    if sign == "in":
        [listed] = csv.reader([value], skipinitialspace=True)
        return name, [each.strip() for each in listed]
    if sign == "between" and ends is not None:
        return name, between(ends[1], ends[2])
    if sign in (">=", "<="):
        return name, between(value, None) if sign == ">=" else between(None, value)
    return name, value


def _split(text: str, columns: Iterable[str]) -> tuple[str, re.Match[str]]:
    """The longest declared name before an operation; else what stands before the first."""
    if not isinstance(text, str) or len(text.splitlines()) != 1:
        raise _no_condition(text)
    plain = text.strip()
    for name in sorted(columns, key=len, reverse=True):
        found = OPERATION.fullmatch(plain, len(name)) if plain.startswith(name) else None
        if found is not None:
            return name, found
    for place in range(1, len(plain)):
        found = OPERATION.fullmatch(plain, place)
        if found is not None:
            return plain[:place], found
    raise _no_condition(text)


def _no_condition(text: Any) -> ParameterError:
    return ParameterError(f"where must be written as {FORMS}; got {render(text)}")
