"""What leaves DuckDB batch by batch, in this process: floats that the kernels of arrays add up exactly, and edges.

DuckDB has no whole number of 64 bits out of a float in less than what a plain grouped query takes for all, so its own
exact sums of floats take more than twice that. It runs embedded, so a batch of the columns that are asked for, filter
applied, goes to the kernel as it lies in memory; neither side ever holds all rows.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, closing
from dataclasses import dataclass
from fractions import Fraction
from math import prod
from typing import Any, NamedTuple

import numpy as np

from dampen.tables.columns import Typed
from dampen.tables.engines.array_codes import Codes, label_places
from dampen.tables.engines.arrow_batches import StreamError, stream_batches
from dampen.tables.engines.aside import Aside
from dampen.tables.engines.base import Sums
from dampen.tables.engines.duck_sql import REAL_TYPES, WHOLE_TYPES, keys_of, place_case
from dampen.tables.engines.labels import Places
from dampen.tables.files import TEXT, literal
from dampen.tables.reading import MISSING, OTHER
from dampen.vectors import Integers

MANY_ROWS = 2**17
"""Fewer rows are added up by SQL: compiled code takes longer to load than they take."""
MOST_TEXTS = 64
"""So many texts are looked for one after another."""
MOST_GROUPS = 2**20
"""So many groups are added up in an array."""
PAIRS_TOGETHER = 2**24
"""So many pairs are held in one place: the C library keeps what arrays below 32 MB took, even when they are gone."""
ESTIMATE = re.compile(r"~([0-9,]+) rows?", re.IGNORECASE)
BORDER, JOIN_TYPE = re.compile("┌[─┴]+┐"), re.compile("JoinType:([A-Z_]*)")
BRANCHES = "UNION", "RIGHT", "FULL", "OUTER"
"""Operators and types of joins whose rows come in several branches have one of these in their names."""


class Unfetched(NamedTuple):
    """A query as a relation that nobody has run yet, and a thread for what hears no signals."""

    relation: Any
    aside: Aside


@dataclass(frozen=True, eq=False)
class StreamField:
    """A column that rows are grouped by: what SQL lets out, and which label it then stands for.

    Texts leave as numbers: ``spots`` are the places of these, ``sql`` has one only where a text is a label as it
    stands, ``every`` for all texts. Other columns leave as they are.
    """

    sql: str
    labels: Sequence[Any]
    every: str = ""
    spots: Integers | None = None

    @property
    def size(self) -> int:
        """How many numbers :meth:`codes` tells apart."""
        return len(self.labels) - OTHER if self.spots is None else len(self.spots)

    def codes(self, column: Typed) -> Codes:
        """A number for each value. Several may stand for one label: to look that up for every row takes longer."""
        if self.spots is not None:
            return column.array
        return np.asarray(label_places(column, Places.of(self.labels)) - np.int32(OTHER))

    def place(self, code: int) -> int:
        """The place of the label that a number stands for."""
        return code + OTHER if self.spots is None else int(self.spots[code])


def group_field(value: str, sql_type: str, labels: Sequence[Any]) -> StreamField | None:
    """How a column to group by leaves; nothing where its type or the number of its labels is not one that may."""
    if sql_type in (*WHOLE_TYPES, *REAL_TYPES, "BOOLEAN"):
        return StreamField(value, labels)
    places = Places.of(labels)
    if sql_type != TEXT or not 0 < len(places.texts) <= MOST_TEXTS:
        return None
    keys = keys_of(value, sql_type)
    # DuckDB looks once for each text in the dictionary of a file
    found = f"list_position([{', '.join(map(literal, places.texts))}], {keys.text})"
    none = f"case when {keys.missing} then {MISSING} else {OTHER} end"
    rest = f"{place_case(value, sql_type, places, none, 'integer')} + {len(places.texts) + 1 - OTHER}"
    spots = [OTHER, *places.texts.values(), *range(OTHER, len(labels))]
    return StreamField(found, labels, f"coalesce({found}, {rest})::integer", np.array(spots, dtype=np.int32))


def may_stream(plan: str, fields: Sequence[StreamField]) -> bool:
    """Whether a query that DuckDB explains so is one chain of many rows, texts out of files with dictionaries.

    Where several branches fill one stream DuckDB may wait for ever. Which way is taken changes no answer.
    """
    chain = all(line.count("┌") <= 1 for line in plan.splitlines())
    rows = max((int(found.replace(",", "")) for found in ESTIMATE.findall(plan)), default=0)
    texts = any(field.every for field in fields)
    return chain and rows >= MANY_ROWS and (not texts or "PARQUET" in plan)


def may_stream_pairs(plan: str) -> bool:
    """The same of two whole numbers of every row, which labels may be joined to: what is joined to rows is read first.

    Rows that nothing was joined to come in a branch of their own, unless all are those of the one side. Columns and
    tables may have any names, and are not looked at.
    """
    boxes = list(_boxes(plan))
    names = [name for name, _ in boxes]
    joins = [join for _, box in boxes for join in JOIN_TYPE.findall(box)]
    return bool(boxes) and not any(word in part for word in BRANCHES for part in names + joins)


def _boxes(plan: str) -> Iterator[tuple[str, str]]:
    """The operators of a plan, each in a box: its name, and all that the box says, without the blanks between."""
    lines = plan.splitlines()
    for top, line in enumerate(lines, start=1):
        for border in BORDER.finditer(line):
            start, end = border.span()
            below = [row[start:end] for row in lines[top:]]
            height = next((height for height, row in enumerate(below) if row.startswith("└")), len(below))
            rows = [row[1:-1] for row in below[:height]]
            yield "".join(rows[:1]).strip(), "".join("".join(rows).split())


def stream_pairs(asked: AbstractContextManager[Unfetched]) -> list[tuple[Integers, Integers]] | None:
    """Two columns of whole numbers of a query that nobody has run yet, batch by batch: they are held once.

    Nothing where it cannot be streamed, or where DuckDB fails: SQL then says why.
    """
    import duckdb

    try:
        with asked as query:
            if not may_stream_pairs(query.relation.explain()):
                return None
            with closing(stream_batches(query.relation, query.aside)) as batches:
                return _collect(batches)
    except (StreamError, duckdb.Error):
        return None


def _collect(batches: Iterable[list[Typed]]) -> list[tuple[Integers, Integers]]:
    """The rows of all batches, so many together that their memory goes back when they are given up."""
    found: list[tuple[Integers, Integers]] = []
    room = 0
    for first, second in batches:
        if first.absent is not None or second.absent is not None:
            raise StreamError  # what lies in memory for a null may be the place of a node
        src, dst = first.array, second.array
        while len(src):
            if not room:
                found.append((np.empty(PAIRS_TOGETHER, src.dtype), np.empty(PAIRS_TOGETHER, dst.dtype)))
                room = PAIRS_TOGETHER
            size, spot = min(room, len(src)), PAIRS_TOGETHER - room
            found[-1][0][spot : spot + size], found[-1][1][spot : spot + size] = src[:size], dst[:size]
            src, dst, room = src[size:], dst[size:], room - size
    if found:
        found[-1] = (found[-1][0][: PAIRS_TOGETHER - room], found[-1][1][: PAIRS_TOGETHER - room])
    return found


def stream_sums(
    ask: Callable[[str], AbstractContextManager[Unfetched]],
    value: str,
    fields: Sequence[StreamField],
    ends: tuple[Fraction, Fraction],
) -> dict[tuple[int, ...], Sums] | None:
    """The exact sums of groups. ``ask``: a query of the rows in ``data`` that nobody has run yet.

    Nothing where it cannot be streamed, or where DuckDB fails: SQL then says why.
    """
    import duckdb

    if prod(field.size for field in fields) >= MOST_GROUPS:
        return None
    try:
        with ask(_select(value, [field.sql for field in fields])) as query:
            if not may_stream(query.relation.explain(), fields):
                return None
            sums = _Sums(fields, ends)
            complete = sums.add(query)
        if not complete:
            unknown = " or ".join(f"{field.sql} is null" for field in fields if field.every)
            with ask(f"{_select(value, [field.every or field.sql for field in fields])} where {unknown}") as query:
                sums.add(query)
        return sums.by_places()
    except (StreamError, duckdb.Error):
        return None


def _select(value: str, fields: Sequence[str]) -> str:
    return f"select {', '.join(f'{sql} as f{spot}' for spot, sql in enumerate([value, *fields]))} from data"


class _Sums:
    """What streams have brought so far."""

    def __init__(self, fields: Sequence[StreamField], ends: tuple[Fraction, Fraction]) -> None:
        from dampen.tables.engines.running_sums import RunningSums

        self._fields, self._sizes = fields, tuple(field.size for field in fields)
        self._running = RunningSums(prod(self._sizes), ends)

    def add(self, query: Unfetched) -> bool:
        """Add rows whose texts were all found; whether there are no others."""
        complete = True
        with closing(stream_batches(query.relation, query.aside)) as batches:
            for batch in batches:
                gone = [column.absent for field, column in zip(self._fields, batch[1:], strict=True) if field.every]
                lost = [absent for absent in gone if absent is not None]
                if lost:
                    complete, kept = False, ~np.logical_or.reduce(lost)
                    batch = [column.take(kept) for column in batch]
                self._add_batch(*batch)
        return complete

    def _add_batch(self, values: Typed, *columns: Typed) -> None:
        codes: Codes = np.zeros(len(values), dtype=np.int32) if not columns else self._fields[0].codes(columns[0])
        for field, column in zip(self._fields[1:], columns[1:], strict=True):
            codes = codes * np.int32(field.size) + field.codes(column)
        self._running.add(codes, values)

    def by_places(self) -> dict[tuple[int, ...], Sums]:
        """The sums by the places of their groups."""
        found: dict[tuple[int, ...], Sums] = {}
        for code, sums in self._running.by_code().items():
            each = np.unravel_index(code, self._sizes) if self._sizes else ()
            place = tuple(field.place(int(one)) for field, one in zip(self._fields, each, strict=True))
            found[place] = _add_up(found[place], sums) if place in found else sums
        return found


def _add_up(one: Sums, other: Sums) -> Sums:
    return Sums(one.count + other.count, one.sum + other.sum, one.missing + other.missing, one.other + other.other)
