"""Names in memory: a number for each, and how many people each has."""

from itertools import pairwise
from typing import Any

import numpy as np

from dampen.errors import DataError
from dampen.tables.columns import Column, Items, Typed
from dampen.tables.engines.array_persons import PersonCodes
from dampen.tables.engines.names import NamedPeople, NamesAsk, order_of, read_name, text_of_person
from dampen.tables.reading import MISSING
from dampen.vectors import Integers


class _Names(dict[Any, int]):
    """The number of a name by a text that is one, found when it is first met."""

    def __init__(self) -> None:
        super().__init__()
        self.names: dict[str, int] = {}

    def __missing__(self, value: str) -> int:
        self[value] = number = self.number(value)
        return number

    def number(self, value: Any) -> int:
        name = read_name(value)
        return name if isinstance(name, int) else self.names.setdefault(name, len(self.names))


def name_codes(column: Column) -> tuple[Integers, list[str]]:
    """The number of the name of each value, ``MISSING`` or ``OTHER``; and the names."""
    if isinstance(column, Typed):
        return _codes_of_array(column)
    return _codes_of_items(column)


def _codes_of_items(column: Items) -> tuple[Integers, list[str]]:
    known = _Names()
    codes = (known[item] if type(item) is str else known.number(item) for item in column.items)
    found = np.fromiter(codes, np.int64, len(column.items))
    return found, [*known.names]


def _codes_of_array(column: Typed) -> tuple[Integers, list[str]]:
    """Each distinct number is read once."""
    values, codes = np.unique(column.array, return_inverse=True)
    known = _Names()
    numbers = np.fromiter(map(known.number, values.tolist()), np.int64, len(values))
    found = numbers[codes] if len(values) else np.empty(0, dtype=np.int64)
    return found if column.absent is None else np.where(column.absent, MISSING, found), [*known.names]


def count_people(
    ask: NamesAsk, names: tuple[Integers, list[str]], persons: PersonCodes | None, column: Column | None = None
) -> NamedPeople:
    """How many people each name has. ``column``: that of the persons."""
    codes, listed = names
    if persons is None or column is None:
        counts = np.bincount(codes[codes >= 0], minlength=len(listed))
        return _held(listed, counts)
    if len(persons.codes) != len(codes):
        raise DataError("all columns must have equally many rows")
    here = (codes >= 0) & (persons.codes >= 0)
    size = max(len(listed), 1)
    pairs, rows = np.unique(persons.codes[here] * size + codes[here], return_index=True)
    own, groups = pairs // size, pairs % size
    kept = np.ones(len(pairs), dtype=np.bool_)
    starts = np.flatnonzero(np.diff(own, prepend=-1)) if len(own) else np.empty(0, dtype=np.int64)
    places = np.flatnonzero(here)
    for start, end in pairwise([*starts.tolist(), len(own)]):
        if end - start > ask.most:
            # 7 and 7.0 are one person: the text must not depend on which group others made the first
            who = min(text_of_person(_value_at(column, int(places[row]))) for row in rows[start:end])
            order = sorted(range(start, end), key=lambda spot: order_of(ask.key, who, listed[groups[spot]]))
            kept[order[ask.most :]] = False
    return _held(listed, np.bincount(groups[kept], minlength=len(listed)))


def _value_at(column: Column, row: int) -> Any:
    return column.array[row].item() if isinstance(column, Typed) else column.items[row]


def _held(names: list[str], counts: Integers) -> NamedPeople:
    """Only names that occur."""
    held = np.flatnonzero(counts)
    return NamedPeople([names[spot] for spot in held.tolist()], counts[held].astype(np.int64))
