"""Linked tables of one backend of ibis, and data frames of one Spark session, joined there. Needs the extra."""

from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from typing import Any

import ibis

from dampen.describe.links import Field, Link, Way
from dampen.errors import ParameterError
from dampen.tables.engines import ibis_codes
from dampen.tables.engines.base import Faulty, Reading, known_column
from dampen.tables.engines.ibis import IbisEngine, open_table
from dampen.tables.engines.joined import Bases, Joined, kinds_error, require_ends, tables_of, twice_error
from dampen.tables.engines.spark import as_table, connect, tasks_done

BEYOND = 2.0**63
"""Floats from here on are no whole numbers of 64 bits."""

Engines = Mapping[str, IbisEngine]


@dataclass(frozen=True, eq=False, repr=False)
class JoinedIbis(IbisEngine):
    """Joined rows: what a column must hold is looked at in its own table. ``names``: the columns, in their order."""

    names: tuple[str, ...] = ()
    bases: Bases | None = None

    def faulty(self, readings: Mapping[str, Reading]) -> Faulty:
        """Which columns hold what they must not: one scan of each table, and no join."""
        assert self.bases is not None
        return self.bases.faulty(readings)

    def _column(self, column: str | None, argument: str = "column") -> Any:
        """By its place: a dot in a name is more than a dot to some backends."""
        return self.table[f"c{self.names.index(known_column(self.names, column, self, argument))}"]


@contextmanager
def open_tables(joined: Joined, steps: Way, fields: Mapping[str, Field]) -> Iterator[IbisEngine]:
    """Tables of ibis."""
    with ExitStack() as opened:
        engines = {
            table: replace(opened.enter_context(open_table(joined.tables[table])), location=table)
            for table in tables_of(joined, steps)
        }
        yield _join(joined, steps, fields, engines)


@contextmanager
def open_frames(joined: Joined, steps: Way, fields: Mapping[str, Field]) -> Iterator[IbisEngine]:
    """Data frames of Spark."""
    first = joined.tables[joined.table]
    backend = connect(first)
    with ExitStack() as opened:
        engines = {}
        for table in tables_of(joined, steps):
            found = opened.enter_context(as_table(joined.tables[table], backend))
            engines[table] = IbisEngine(found, table, "spark", tasks_done(first.sparkSession))
        yield _join(joined, steps, fields, engines)


def _join(joined: Joined, steps: Way, fields: Mapping[str, Field], engines: Engines) -> IbisEngine:
    require_ends(engines, steps)
    for link in steps:
        key, to = (engines[end.table].value(end.column) for end in (link.key, link.to))
        if _kind(key) is None or _kind(key) != _kind(to):
            raise kinds_error(link)
        if _holds_twice(engines[link.to.table], link.to.column):
            raise twice_error(link)
    bases = Bases(joined, fields, engines, lambda link: _is_lost(engines, link))
    bases.require_whole(steps)
    table = _join_tables(engines, joined.table, steps, [*fields.values()])
    first = engines[joined.table]
    return JoinedIbis(table, first.location, first.name, first.look, names=tuple(fields), bases=bases)


def _join_tables(engines: Engines, table: str, steps: Way, fields: list[Field]) -> Any:
    """The rows of a table, with columns ``c0``, ``c1``, ... of those that the links lead to."""

    def part(own: str) -> Any:
        engine = engines[own]
        columns = {f"c{spot}": engine.value(f.column) for spot, f in enumerate(fields) if f.table == own}
        for spot, link in enumerate(steps):
            key, to = (engines[end.table].value(end.column) for end in (link.key, link.to))
            columns |= {f"k{spot}": _key(key, to)} if link.key.table == own else {}
            columns |= {f"t{spot}": _key(to, key)} if link.to.table == own else {}
        return engine.table.select(**(columns or {"nothing": ibis_codes.whole(0)}))

    rows = part(table)
    try:
        for spot, link in enumerate(steps):
            other = part(link.to.table)
            rows = rows.left_join(other, rows[f"k{spot}"] == other[f"t{spot}"])
    except ibis.common.exceptions.IbisError:
        raise ParameterError("data must be tables of one backend of ibis; some are of another") from None
    names = [f"c{spot}" for spot in range(len(fields))]
    return rows.select(*names) if names else rows


def _is_lost(engines: Engines, link: Link) -> bool:
    """Whether a key is missing in some row, or names no row."""
    rows = _join_tables(engines, link.key.table, (link,), [link.to])
    lost = rows.aggregate(lost=rows.c0.isnull().cast("int64").sum().fill_null(0))
    return bool(engines[link.key.table].fetch(lost, ["lost"])["lost"][0])


def _holds_twice(engine: IbisEngine, column: str) -> bool:
    value = engine.value(column)
    every = engine.table.select(key=_key(value, value))
    keys = every.filter(every.key.notnull())
    grouped = keys.group_by("key").aggregate(rows=keys.count())
    twice = grouped.filter(grouped.rows > 1)
    return bool(engine.fetch(twice.aggregate(twice=twice.count()), ["twice"])["twice"][0])


def _kind(value: Any) -> str | None:
    """What keys may be: only those of one kind are compared."""
    kind = value.type()
    if kind.is_string() or kind.is_uuid():
        return "text"
    if kind.is_integer() or kind.is_floating() or kind.is_decimal():
        return "number"
    if kind.is_timestamp():
        return "moment" if kind.timezone is None else "instant"
    return "day" if kind.is_date() else None


def _key(value: Any, other: Any) -> Any:
    """What a key is compared by with another, null where it equals none: it is missing, for example.

    Numbers of different types are compared as whole numbers of 64 bits.
    """
    kind, beside = value.type(), other.type()
    if _kind(value) == "text":
        text = ibis_codes.as_written(value)
        return ibis.cases((ibis_codes.is_absent(text), None), else_=text)
    if kind.is_floating() and beside.is_floating():
        return ibis.cases((ibis_codes.is_absent(value), None), else_=value.cast("float64"))
    plain = kind.is_integer() and beside.is_integer() and kind.is_signed_integer() and beside.is_signed_integer()
    if _kind(value) != "number" or plain or kind.copy(nullable=True) == beside.copy(nullable=True):
        return value
    if kind.is_floating():
        real = value.cast("float64")
        held = (real.abs() < ibis_codes.real(BEYOND)).fill_null(False) & ~ibis_codes.is_absent(value)
        number = ibis.cases((held, real), else_=None)  # before its floor is taken, which is a whole number in ibis
        return ibis.cases(((number == number.floor()).fill_null(False), number), else_=None).cast("int64")
    return ibis_codes.number_parts(value)[0]
