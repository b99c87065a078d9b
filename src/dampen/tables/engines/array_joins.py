"""Linked tables in memory: which row of another table each key names, by the values of keys alone."""

from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from typing import Any

import numpy as np

from dampen.describe.links import Field, Link, Way
from dampen.errors import DataError
from dampen.tables.columns import Column, Items, Typed, items_of
from dampen.tables.engines.array_persons import identity_of, person_codes
from dampen.tables.engines.arrays import ArrayEngine
from dampen.tables.engines.base import Engine, Faulty, Reading
from dampen.tables.engines.joined import Bases, Joined, kinds_error, require_ends, tables_of, twice_error
from dampen.tables.engines.sheets import open_sheets
from dampen.tables.files import table_files
from dampen.tables.reading import is_blank, is_missing
from dampen.vectors import Integers

NOWHERE = -1
BEYOND = 2.0**63
"""Floats from here on are no whole numbers of 64 bits."""
KINDS = ("text", "number", "day", "moment", "instant")
"""What keys may be: only those of one kind are compared."""


@dataclass(frozen=True, eq=False, repr=False)
class JoinedArrays(ArrayEngine):
    """Joined rows; what a column must hold is looked at in its own table."""

    bases: Bases | None = None

    def faulty(self, readings: Mapping[str, Reading]) -> Faulty:
        """Which columns hold what they must not."""
        assert self.bases is not None
        return self.bases.faulty(readings)


class JoinedColumns(Mapping[str, Any]):
    """The columns of joined rows, made when they are asked for. ``rows``: where a row of each table is found."""

    def __init__(
        self, fields: Mapping[str, Field], engines: Mapping[str, ArrayEngine], rows: Mapping[str, Integers | None]
    ) -> None:
        self._fields, self._engines, self._rows = fields, engines, rows

    def __getitem__(self, name: str) -> Any:
        field = self._fields[name]
        return _as_values(self._engines[field.table].column(field.column), self._rows[field.table])

    def __iter__(self) -> Iterator[str]:
        return iter(self._fields)

    def __len__(self) -> int:
        return len(self._fields)


def open_arrays(joined: Joined, steps: Way, fields: Mapping[str, Field]) -> AbstractContextManager[Engine]:
    """Data frames and mappings of columns."""
    engines = {table: ArrayEngine(joined.tables[table]) for table in tables_of(joined, steps)}
    return _join(joined, steps, fields, engines)


def open_workbooks(joined: Joined, steps: Way, fields: Mapping[str, Field]) -> AbstractContextManager[Engine]:
    """Sheets of workbooks, whose cells are read into memory."""
    asked = [*fields.values(), *(end for link in steps for end in (link.key, link.to))]
    engines = {}
    for table in tables_of(joined, steps):
        files, _ = table_files(joined.tables[table], joined.reading)
        engines[table] = open_sheets(files, table, [f.column for f in asked if f.table == table], joined.reading)
    return _join(joined, steps, fields, engines)


def _join(
    joined: Joined, steps: Way, fields: Mapping[str, Field], engines: Mapping[str, ArrayEngine]
) -> AbstractContextManager[Engine]:
    require_ends(engines, steps)
    _require_lengths(engines, [*fields.values(), *(end for link in steps for end in (link.key, link.to))])
    found = {link: _match(engines, link) for link in steps}
    rows: dict[str, Integers | None] = {joined.table: None}
    for link in steps:
        before = rows[link.key.table]
        rows[link.to.table] = found[link] if before is None else _follow(before, found[link])
    bases = Bases(joined, fields, engines, lambda link: bool((found[link] == NOWHERE).any()))
    bases.require_whole(steps)
    return nullcontext(JoinedArrays(JoinedColumns(fields, engines, rows), bases=bases))


def _require_lengths(engines: Mapping[str, ArrayEngine], fields: list[Field]) -> None:
    for table, engine in engines.items():
        lengths = {len(engine.column(field.column)) for field in fields if field.table == table}
        if len(lengths) > 1:
            raise DataError(f"all columns must have equally many rows ({table[:60]})")


def _match(engines: Mapping[str, ArrayEngine], link: Link) -> Integers:
    """The row that each key names, ``NOWHERE`` where there is none."""
    keys, held = (engines[end.table].column(end.column) for end in (link.key, link.to))
    if len(kinds := _kinds(keys) | _kinds(held)) > 1 or not kinds <= {*KINDS}:
        raise kinds_error(link)
    own = person_codes(held).codes
    if len(own := own[own >= 0]) and np.bincount(own).max() > 1:
        raise twice_error(link)
    both = person_codes(_concatenate(keys, held))
    asked, places = both.codes[: len(keys)], both.codes[len(keys) :]
    owners = np.full(both.size, NOWHERE, dtype=np.int64)
    owners[places[places >= 0]] = np.flatnonzero(places >= 0)
    return np.where(asked >= 0, owners[asked], NOWHERE) if both.size else np.full(len(keys), NOWHERE)


def _kinds(column: Column) -> set[str]:
    """What the values of a column are; nothing of a column without values."""
    if isinstance(column, Typed):
        return {"truth" if column.array.dtype.kind == "b" else "number"}
    if set(map(type, column.items)) <= {str, type(None)}:
        return {"text"} if any(item is not None and not is_blank(item) for item in column.items) else set()
    return {_kind_of(item) for item in column.items} - {""}


def _kind_of(item: Any) -> str:
    """The kind of one value; none where it is missing."""
    try:
        if is_missing(item) or (isinstance(item, str) and is_blank(item)):
            return ""
        found = identity_of(item)
    except Exception:  # values of the caller's own may raise anything
        return "nothing"
    return "nothing" if found is None else found[0]


def _concatenate(one: Column, two: Column) -> Column:
    """Two columns as one, such that equal values are equal in it."""
    if isinstance(one, Typed) and isinstance(two, Typed):
        kinds = {one.array.dtype.kind, two.array.dtype.kind}
        wide = np.uint64 in (one.array.dtype, two.array.dtype)
        if kinds == {"f"}:
            return _join_typed(one, two, np.float64)
        if kinds <= {"i", "u"} and (not wide or one.array.dtype == two.array.dtype):
            return _join_typed(one, two, np.uint64 if wide else np.int64)
        if not wide:
            return _join_typed(_as_wholes(one), _as_wholes(two), np.int64)
    return Items([*items_of(one), *items_of(two)])


def _join_typed(one: Typed, two: Typed, dtype: Any) -> Typed:
    absent = [np.zeros(len(each), dtype=np.bool_) if each.absent is None else each.absent for each in (one, two)]
    return Typed(np.concatenate([each.array.astype(dtype) for each in (one, two)]), np.concatenate(absent))


def _as_wholes(column: Typed) -> Typed:
    """Floats as the whole numbers that they are; all others are missing, for they equal none."""
    if column.array.dtype.kind != "f":
        return column
    whole = (np.abs(column.array) < BEYOND) & (np.trunc(column.array) == column.array)
    absent = ~whole if column.absent is None else ~whole | column.absent
    return Typed(np.where(absent, 0, column.array).astype(np.int64), absent)


def _follow(rows: Integers, onward: Integers) -> Integers:
    """Where rows lead to that lead to rows themselves."""
    if not len(onward):
        return np.full(len(rows), NOWHERE)
    return np.where(rows == NOWHERE, NOWHERE, onward[rows])


def _as_values(column: Column, rows: Integers | None) -> Any:
    """The values of a column at rows, missing where there is none: a list, or an array that knows what is missing."""
    if rows is None:
        return column.items if isinstance(column, Items) else _as_array(column)
    if isinstance(column, Items):
        return [None if row == NOWHERE else column.items[row] for row in rows.tolist()]
    if not len(column):
        return [None] * len(rows)
    lost = rows == NOWHERE
    absent = lost if column.absent is None else lost | column.absent[rows]
    return _as_array(Typed(column.array[rows], absent))


def _as_array(column: Typed) -> Any:
    return column.array if column.absent is None else np.ma.MaskedArray(column.array, column.absent)
