"""Rows that are asked for without a description of their columns: by how the condition is written."""

from collections.abc import Iterable, Mapping
from typing import Any

from dampen._validate import exact
from dampen.describe.columns import Column, Interval, as_day, day_number
from dampen.describe.conditions import Among, Between, Condition
from dampen.describe.where_text import conditions_from_texts, parse_condition
from dampen.errors import ParameterError


def conditions_of(columns: Mapping[str, Column], texts: Iterable[str]) -> tuple[Condition, ...]:
    """Conditions as they were typed: by the description of a column where it has one, else by how they are written."""
    found: list[Condition] = []
    for text in texts:
        name, wanted = parse_condition(text, columns)
        found += conditions_from_texts(columns, [text]) if name in columns else [_undescribed(name, wanted)]
    return tuple(found)


def _undescribed(name: str, wanted: Any) -> Condition:
    """Ends that are days make a range of days, others one of numbers."""
    if not isinstance(wanted, Interval):
        labels = tuple(dict.fromkeys(wanted)) if isinstance(wanted, list) else (wanted,)
        return Among(name, labels, frozenset(range(len(labels))))
    ends = [end for end in (wanted.lo, wanted.hi) if end is not None]
    days = all(map(_is_day, ends))
    low, high = (
        None if end is None else exact(where=day_number(as_day(where=end)) if days else end)
        for end in (wanted.lo, wanted.hi)
    )
    if low is not None and high is not None and low > high:
        raise ParameterError(f"where must leave a value: the first end above the last leaves none; got {wanted!r}")
    return Between(name, low, high, days)


def _is_day(text: str) -> bool:
    try:
        as_day(where=text)
    except ParameterError:
        return False
    return True
