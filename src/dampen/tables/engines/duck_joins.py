"""Linked tables inside DuckDB: files, tables of a database file, relations of one connection.

A join is one source in SQL that every query begins with, so DuckDB reads the columns that the query names, streams the
asked table, and holds of the others keys and what is asked for. Keys are compared as persons are: numbers as numbers,
texts letter by letter, and a missing value equals nothing.
"""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any

from dampen.describe.links import Field, Link, Way
from dampen.errors import EngineError, ParameterError
from dampen.tables.engines.base import Faulty, Reading
from dampen.tables.engines.duck_files import SETTINGS, open_together
from dampen.tables.engines.duck_sql import WHOLE_TYPES, keys_of, kind_of, plain_text
from dampen.tables.engines.duckdb import DuckEngine, engine_of_relation
from dampen.tables.engines.joined import Bases, Joined, kinds_error, require_ends, tables_of, twice_error
from dampen.tables.files import quote

KINDS = {"text": "text", "wholes": "number", "reals": "number", "decimals": "number", "days": "day"} | {
    "moments": "moment",
    "instants": "instant",
}
"""What keys may be, by the kind of their SQL type: only those of one kind are compared."""
LARGEST_REAL = 1e37
"""Floats beyond are no keys of whole numbers."""
FEWEST, DENSE, MOST_BITS = 2**20, 16, 10**9
"""Whole numbers in a range of up to ``FEWEST``, or ``DENSE`` for each row, are told apart by a bit each."""

Engines = Mapping[str, DuckEngine]


@dataclass(frozen=True, eq=False, repr=False)
class JoinedDuck(DuckEngine):
    """Joined rows; what a column must hold is looked at in its own table.

    ``of_persons``: the source without rows that the way to the person leads nowhere. DuckDB holds less of plain joins,
    and may choose their order.
    """

    bases: Bases | None = None
    of_persons: str = ""

    def faulty(self, readings: Mapping[str, Reading]) -> Faulty:
        """Which columns hold what they must not: one scan of each table, and no join."""
        assert self.bases is not None
        return self.bases.faulty(readings)

    def person_rows(self) -> DuckEngine:
        """Rows that may have a person."""
        return replace(self, source=self.of_persons or self.source)


@contextmanager
def open_files(joined: Joined, steps: Way, fields: Mapping[str, Field]) -> Iterator[DuckEngine]:
    """Tables in files, one or several for each."""
    patterns = {table: joined.tables[table] for table in tables_of(joined, steps)}
    asked = [*fields.values(), *(end for link in steps for end in (link.key, link.to))]
    columns = {table: [field.column for field in asked if field.table == table] for table in patterns}
    with open_together(patterns, columns, joined.reading) as engines:
        yield _join(joined, steps, fields, engines)


@contextmanager
def open_stored(joined: Joined, steps: Way, fields: Mapping[str, Field]) -> Iterator[DuckEngine]:
    """Tables of a database file; every question has a cursor of its own, so that threads may ask at once."""
    import duckdb

    try:
        with joined.tables[joined.table].connection.cursor() as cursor:
            cursor.execute(f"{SETTINGS}; set enable_progress_bar = false")
            engines = {}
            for table in tables_of(joined, steps):
                found = cursor.sql(f"select * from {quote(table)}")
                types = tuple(map(str, found.types))
                engines[table] = DuckEngine(quote(table), tuple(found.columns), types, table, cursor)
            engine = _join(joined, steps, fields, engines)
            kept = {name for (name,) in cursor.execute("select table_name from duckdb_tables()").fetchall()}
            joined.checked.update(link for link in steps if link.to.table in kept)  # what a view shows may change
            yield engine
    except duckdb.ConnectionException:
        raise EngineError("duckdb could not run the query: the database is closed; open it and ask again") from None


@contextmanager
def open_relations(joined: Joined, steps: Way, fields: Mapping[str, Field]) -> Iterator[DuckEngine]:
    """Relations of the caller's connection."""
    engines = {table: engine_of_relation(joined.tables[table]) for table in tables_of(joined, steps)}
    engines = {table: replace(engine, location=table) for table, engine in engines.items()}
    yield _join(joined, steps, fields, engines)


def _join(joined: Joined, steps: Way, fields: Mapping[str, Field], engines: Engines) -> DuckEngine:
    require_ends(engines, steps)
    for link in steps:
        if _kind(engines, link.key) is None or _kind(engines, link.key) != _kind(engines, link.to):
            raise kinds_error(link)
        if link not in joined.checked and _holds_twice(engines[link.to.table], link.to.column):
            raise twice_error(link)
    bases = Bases(joined, fields, engines, lambda link: _is_lost(engines, link))
    bases.require_whole(steps)
    return _join_tables(engines, joined.table, steps, fields, bases)


def _kind(engines: Engines, field: Field) -> str | None:
    return KINDS.get(kind_of(engines[field.table].kind(field.column)))


def _is_lost(engines: Engines, link: Link) -> bool:
    """Whether a key is missing in some row, or names no row."""
    alone = _join_tables(engines, link.key.table, (link,), {"key": link.to})
    return bool(alone.fetch(f"select count_if({alone.field('key')} is null) as lost from data")["lost"][0])


def _join_tables(
    engines: Engines, table: str, steps: Way, fields: Mapping[str, Field], bases: Bases | None = None
) -> JoinedDuck:
    """The rows of a table, with columns of those that the links lead to: as SQL, or as a relation."""
    wanted = dict.fromkeys([*fields.values(), *(end for link in steps for end in (link.key, link.to))])
    names = {field: f"k{spot}" for spot, field in enumerate(wanted)}

    def inner(own: str) -> str:
        listed = [f"{engines[own].field(f.column)} as {name}" for f, name in names.items() if f.table == own]
        return ", ".join(listed) or "0 as nothing"

    conditions = [_condition(engines, names, link) for link in steps]
    outer = ", ".join(f"{names[field]} as c{spot}" for spot, field in enumerate(fields.values())) or "0 as nothing"
    first, source, of_persons, relation = engines[table], "", "", None
    if first.connection is not None:
        parts = [f"(select {inner(own)} from {engines[own].source})" for own in (table, *(s.to.table for s in steps))]
        joins = [f"join {part} on {rule}" for part, rule in zip(parts[1:], conditions, strict=True)]
        way = [bases is not None and link.to.table in bases.joined.way for link in steps]
        plain = [join if on_way else f"left {join}" for join, on_way in zip(joins, way, strict=True)]
        source, of_persons = (
            f"(select {outer} from {' '.join([parts[0], *listed])})" for listed in ([f"left {j}" for j in joins], plain)
        )
    else:
        relation = _project(first, inner(table))
        for link, rule in zip(steps, conditions, strict=True):
            relation = _join_relations(relation, _project(engines[link.to.table], inner(link.to.table)), rule)
        relation = relation.project(outer)
    return JoinedDuck(
        source or first.source, tuple(fields), tuple(engines[f.table].kind(f.column) for f in fields.values()),
        table, first.connection, relation, fields=tuple(f"c{spot}" for spot in range(len(fields))), bases=bases,
        of_persons=of_persons,
    )  # fmt: skip


def _project(engine: DuckEngine, listed: str) -> Any:
    return engine.relation.project(listed)


def _join_relations(one: Any, two: Any, rule: str) -> Any:
    import duckdb

    try:
        return one.set_alias("one").join(two.set_alias("two"), rule, how="left")
    except duckdb.InvalidInputException:
        raise ParameterError("data must be relations of one connection; some are of another") from None


def _condition(engines: Engines, names: Mapping[Field, str], link: Link) -> str:
    types = [engines[end.table].kind(end.column) for end in (link.key, link.to)]
    one, two = key_sql(names[link.key], *types), key_sql(names[link.to], *reversed(types))
    return f"{one} = {two}"


def key_sql(value: str, sql_type: str, other_type: str) -> str:
    """What a key is compared by with one of another type, ``null`` where it equals none: it is missing, for example.

    Numbers of different types are compared as whole numbers, exactly.
    """
    kinds = {kind_of(sql_type), kind_of(other_type)}
    if kinds == {"text"}:
        return f"case when not {keys_of(value, sql_type).missing} then {plain_text(value)} end"
    if kinds == {"reals"}:
        return f"case when not isnan({value}) then cast({value} as double) end"
    if sql_type == other_type or not {sql_type, other_type, *kinds} & {"reals", "decimals", "UHUGEINT"}:
        return value
    if kind_of(sql_type) == "reals":
        rule = f"abs({value}) < {LARGEST_REAL} and {value} = trunc({value})"
        return f"case when {rule} then cast({value} as hugeint) end"
    return f"cast({keys_of(value, sql_type).whole} as hugeint)"


def _holds_twice(engine: DuckEngine, column: str) -> bool:
    """Whether a column holds a value in two rows. A bit for each whole number is faster than a hash table by far."""
    sql_type = engine.kind(column)
    keys = f"(select {key_sql(engine.field(column), sql_type, sql_type)} as k from data)"
    if sql_type in WHOLE_TYPES:
        rows = engine.fetch(
            f"select count(k) as n, coalesce(min(k), 0)::bigint as low, coalesce(max(k), 0)::bigint as high from {keys}"
        )
        count, low, high = (int(rows[name][0]) for name in ("n", "low", "high"))
        span = high - low + 1
        if count > span:
            return True
        if span <= min(max(FEWEST, DENSE * count), MOST_BITS):
            bits = f"bitstring_agg(k::bigint, {low}::bigint, {high}::bigint)"
            found = engine.fetch(f"select coalesce(bit_count({bits}), 0)::bigint as bits from {keys}")
            return int(found["bits"][0]) < count
    twice = f"select k from {keys} where k is not null group by k having count(*) > 1 limit 1"
    return bool(engine.fetch(f"select count(*) as twice from ({twice})")["twice"][0])
