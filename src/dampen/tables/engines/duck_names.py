"""SQL for DuckDB: people by names that nobody listed. Rows are grouped as they are; then the distinct ones are read."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from dampen.tables.engines.duck_people import Field, Fields
from dampen.tables.engines.duck_sql import REAL_TYPES, keys_of, kind_of
from dampen.tables.engines.names import BETWEEN, LARGEST, NamedPeople, NamesAsk
from dampen.tables.files import literal


def name_sql(value: str, sql_type: str) -> str:
    """The name that a value is, ``null`` where it is none."""
    kind, absent = kind_of(sql_type), keys_of(value, sql_type).missing
    if kind == "text":
        return f"case when not ({absent}) then cast({value} as varchar) end"
    if kind == "wholes":
        return f"cast({value} as varchar)"
    if kind in ("reals", "decimals"):
        finite = f"isfinite({value}) and " if sql_type in REAL_TYPES else ""
        whole = f"{finite}abs({value}) < {LARGEST} and {value} = trunc({value})"
        return f"case when {whole} then cast(cast({value} as bigint) as varchar) end"
    return "null::varchar"


def names_query(ask: NamesAsk, fields: Fields) -> str:
    """SQL behind the rows ``data``: rows ``(name, people)``. A name may stand in several rows, which add up."""
    column = fields[ask.column]
    name = name_sql("label", column.sql_type)
    if ask.person is None:
        read = f"select {column.key} as label, count(*) as people from data group by 1"
        return f"select {name} as name, people from ({read}) where name is not null"
    pairs = _pairs(fields[ask.person], column)
    many = f"select person from pairs group by person having count(*) > {ask.most}"
    words = [literal(ask.key), "cast(person as varchar)", "label"]
    order = f"md5({f' || {literal(BETWEEN)} || '.join(words)})"
    least = f"unnest(arg_min(label, {order}, {ask.most}))"
    few = "select label from pairs where person not in (select person from many)"
    cut = f"select {least} as label from pairs where person in (select person from many) group by person"
    return (
        f", pairs as materialized ({pairs}), many as materialized ({many}) "
        f"select label as name, count(*) as people from ({few} union all {cut}) group by 1"
    )


def _pairs(person: Field, column: Field) -> str:
    """Every person with every own name, once."""
    read = f"select distinct {person.key} as person, {column.key} as label from data"
    somebody = f"not ({keys_of('person', person.sql_type).missing})"
    named = f"select distinct person, {name_sql('label', column.sql_type)} as label from ({read}) where {somebody}"
    if kind_of(column.sql_type) in ("text", "wholes"):
        named = named.replace("distinct ", "", 1)  # distinct values of one of these types have distinct names
    return f"select * from ({named}) where label is not null"


def people_of(found: Mapping[str, Any]) -> NamedPeople:
    """What :func:`names_query` brought."""
    names, people = found["name"].tolist(), np.asarray(found["people"], dtype=np.int64)
    if len({*names}) == len(names):
        return NamedPeople(names, people)
    counts: dict[str, int] = {}
    for name, count in zip(names, people.tolist(), strict=True):
        counts[name] = counts.get(name, 0) + count
    return NamedPeople([*counts], np.array([*counts.values()], dtype=np.int64))
