"""From what a caller wants of columns to conditions on rows, read by the description alone and never by the data."""

from collections.abc import Iterable, Mapping
from datetime import date
from fractions import Fraction
from typing import Any

import numpy as np

from dampen._validate import exact, plain, render
from dampen.describe.columns import Category, Column, Date, Flag, Interval, Number, Text, as_day, day_number, day_of
from dampen.describe.conditions import Among, Between, Condition
from dampen.describe.labels import as_named, is_missing
from dampen.describe.nearest import listing, nearest, quoted, unknown
from dampen.errors import ParameterError

SEVERAL = (set, frozenset, list, tuple)
"""What stands for several values."""


def conditions_of(columns: Mapping[str, Column], where: Mapping[str, Any]) -> tuple[Condition, ...]:
    """The conditions that a mapping ``{column: what its value is}`` asks for, one for each column.

    What is wanted of a column is one value; for a category or a flag also a set, list or tuple of values; for a number
    or a date also :func:`~dampen.describe.columns.between`. A text is read by the kind of its column.

    >>> from dampen.describe.columns import between
    >>> conditions_of({"pay": Number(0, 100)}, {"pay": between(10, None)})
    (Between(column='pay', low=Fraction(10, 1), high=None, days=False),)
    """
    wishes = as_named(where)
    if wishes is None:
        raise ParameterError(f"where must be columns and what their values are; got {render(where)}")
    return tuple(_condition(name, find_column(columns, name), wanted) for name, wanted in wishes.items())


def find_column(columns: Mapping[str, Column], name: Any) -> Column:
    """The description of a column; one that is not declared is refused with the nearest that is."""
    if not isinstance(name, str) or name not in columns:
        raise ParameterError(f"column must be one that is declared, not {unknown(name, columns)}")
    return columns[name]


def _condition(name: str, column: Column, wanted: Any) -> Condition:
    if isinstance(column, Text):
        raise ParameterError(f"where must leave out column {name!r}: it is a text, whose values are not public")
    if isinstance(column, Category | Flag):
        return _among(name, column, wanted)
    if isinstance(wanted, SEVERAL):
        rule = f"must be one value or between(lo, hi): it is a {column.kind}, not a category"
        raise ParameterError(f"{_title(name)} {rule}; got {render(wanted)}")
    return _between(name, column, wanted)


def _among(name: str, column: Category | Flag, wanted: Any) -> Among:
    if isinstance(wanted, Interval):
        rule = f"must be a value or a set of values: it is a {column.kind}, which has no order"
        raise ParameterError(f"{_title(name)} {rule}; got {wanted!r}")
    together = isinstance(wanted, SEVERAL)
    several = _listed(wanted) if together else [wanted]
    if not several:
        raise ParameterError(f"{_title(name)} must have at least one value; got {render(wanted)}")
    places = [_place_of(name, column, value, alone=not together) for value in several]
    return Among(name, column.labels, frozenset(places))


def _listed(wanted: Any) -> list[Any]:
    try:
        return list(wanted)
    except Exception:  # a list of the caller's own may raise anything
        return []


def _place_of(name: str, column: Category | Flag, value: Any, *, alone: bool) -> int:
    """``alone``: the value was given by itself, and may be shown; a list of values may be data."""
    place = label_place(column.labels, value)
    if place is None and not alone:
        near = nearest(value, column.labels)
        hint = "" if near is None else f": did you mean {quoted(near)}?"
        rule = f"must be declared values, and one of them is not{hint or '.'} Declared: {listing(column.labels)}"
        raise ParameterError(f"{_title(name)} {rule}")
    if place is None:
        raise ParameterError(f"{_title(name)} must be a declared value, not {unknown(value, column.labels)}")
    if isinstance(column, Category) and column.other is not None and column.labels[place] == column.other:
        rule = "stands for all undeclared values too, and no filter keeps those: filter by other values"
        raise ParameterError(f"{_title(name)} must not be {quoted(column.other)}, which {rule}")
    return place


def label_place(labels: tuple[Any, ...], value: Any) -> int | None:
    """Where a value stands among labels: at the one that it equals, else at the first that prints as it does."""
    found = value.item() if isinstance(value, np.generic) and not isinstance(value, np.datetime64) else value
    truth = isinstance(found, bool)
    try:
        if is_missing(found):
            return None
        equal = (place for place, label in enumerate(labels) if isinstance(label, bool) == truth and label == found)
        printed = (place for place, label in enumerate(labels) if isinstance(found, str) and _prints_as(label, found))
        place = next(equal, None)
        return next(printed, None) if place is None else place
    except Exception:  # an object of the caller's own may raise anything
        return None


def _prints_as(label: Any, text: str) -> bool:
    return text == str(label) or (isinstance(label, bool) and text.lower() == str(label).lower())


def _between(name: str, column: Number | Date, wanted: Any) -> Between:
    if isinstance(wanted, Interval):
        low, high = (None if end is None else _read(name, column, end) for end in (wanted.lo, wanted.hi))
        if low is not None and high is not None and low > high:
            raise ParameterError(f"{_title(name)} must be between(lo, hi) with lo <= hi; got {wanted!r}")
    else:
        low = high = _read(name, column, wanted)
    days = isinstance(column, Date)
    if isinstance(column, Number) and not column.bounded:
        return Between(name, low, high, days)
    first, last = (Fraction(day) for day in column.days) if isinstance(column, Date) else column.bounds
    if (low is not None and low > last) or (high is not None and high < first):
        ends = f"{_value_text(first, days)} and {_value_text(last, days)}"
        got = repr(wanted) if isinstance(wanted, Interval) else render(wanted)
        raise ParameterError(f"{_title(name)} must lie between its bounds {ends}; got {got}")
    return Between(name, low, high, days)


def _read(name: str, column: Number | Date, value: Any) -> Fraction:
    if isinstance(column, Date):
        return Fraction(day_number(as_day(**{_title(name): value})))
    if isinstance(value, date):
        raise ParameterError(f"{_title(name)} must be a number; got {render(value)}")
    return exact(**{_title(name): value})


def _title(name: str) -> str:
    return f"where of column {name[:40]!r}"


def intersect(conditions: Iterable[Condition]) -> tuple[Condition, ...]:
    """The same rows by one condition for each column; conditions that together leave no value are refused.

    >>> intersect([Between("pay", Fraction(1), None), Between("pay", None, Fraction(5))])
    (Between(column='pay', low=Fraction(1, 1), high=Fraction(5, 1), days=False),)
    """
    kept: dict[str, Condition] = {}
    for condition in conditions:
        before = kept.get(condition.column)
        kept[condition.column] = condition if before is None else _both(before, condition)
    return tuple(kept.values())


def _both(one: Condition, two: Condition) -> Condition:
    if isinstance(one, Among) and isinstance(two, Among) and one.labels == two.labels:
        if places := one.places & two.places:
            return Among(one.column, one.labels, places)
    elif isinstance(one, Between) and isinstance(two, Between) and one.days == two.days:
        low = max((end for end in (one.low, two.low) if end is not None), default=None)
        high = min((end for end in (one.high, two.high) if end is not None), default=None)
        if low is None or high is None or low <= high:
            return Between(one.column, low, high, one.days)
    else:
        raise ParameterError(f"{_title(one.column)} must be by one description of the column")
    raise ParameterError(f"{_title(one.column)} must leave a value: no value meets both conditions")


def words(conditions: Iterable[Condition]) -> str:
    """The filter in public words, for notes.

    >>> words([Among("team", ("sales", "lab"), frozenset({1})), Between("pay", Fraction(1000), Fraction(5000))])
    "team = 'lab' and pay between 1000 and 5000"
    """
    return " and ".join(map(_words, conditions))


def _words(condition: Condition) -> str:
    name = condition.column if condition.column.isidentifier() else repr(condition.column)
    if isinstance(condition, Among):
        labels = [repr(condition.labels[place]) for place in sorted(condition.places)]
        return f"{name} = {labels[0]}" if len(labels) == 1 else f"{name} in {', '.join(labels)}"
    low, high = (None if end is None else _value_text(end, condition.days) for end in (condition.low, condition.high))
    if low is None:
        return f"{name} <= {high}"
    if high is None:
        return f"{name} >= {low}"
    return f"{name} = {low}" if low == high else f"{name} between {low} and {high}"


def _value_text(value: Fraction, days: bool) -> str:
    return day_of(int(value)).isoformat() if days else plain(value)
