"""ibis expressions: people by names that nobody listed, in one query."""

from collections.abc import Callable
from typing import Any

import ibis
import numpy as np

from dampen.tables.engines import ibis_codes, ibis_days
from dampen.tables.engines.ibis_people import plain_key
from dampen.tables.engines.names import BETWEEN, LARGEST, NamedPeople, NamesAsk

Columns = Callable[[str], Any]


def name_of(column: Any) -> Any:
    """The name that a value is, null where it is none."""
    value = ibis_codes.as_written(column)
    kind = value.type()
    if kind.is_string():
        return ibis.cases((ibis_codes.is_absent(value), None), else_=value)
    if kind.is_integer():
        return value.cast("string")
    if kind.is_floating() or kind.is_decimal():
        held = (value.abs() < LARGEST).fill_null(False)
        if kind.is_floating():
            held &= ~ibis_codes.is_absent(value)
        number = ibis.cases((held, value), else_=None)  # before its floor is taken, which is a whole number in ibis
        return (
            ibis.cases(((number == number.floor()).fill_null(False), number), else_=None).cast("int64").cast("string")
        )
    return ibis.null("string")


def people_query(table: Any, column: Columns, ask: NamesAsk) -> Any:
    """A table ``(name, people)``."""
    name = name_of(column(ask.column))
    if ask.person is None:
        rows = table.select(name=plain_key(name))
        rows = rows.filter(rows.name.notnull())
        return rows.group_by("name").aggregate(people=rows.count())
    who = ibis_codes.as_written(column(ask.person))
    rows = table.select(
        person=plain_key(who), who=who.cast("string"), name=plain_key(name), text=name,
        gone=ibis_codes.is_absent(who),
    )  # fmt: skip
    rows = rows.filter(rows.name.notnull() & ~rows.gone)
    pairs = rows.group_by(["person", "name"]).aggregate(who=rows.who.min(), text=rows.text.min())
    words = ibis.literal(ask.key) + BETWEEN + pairs.who + BETWEEN + pairs.text
    pairs = pairs.mutate(order=ibis_days.call("md5", words, "string"))
    own = ibis.window(group_by=pairs.person, order_by=[pairs.order, pairs.name])
    pairs = pairs.mutate(place=ibis.row_number().over(own))
    kept = pairs.filter(pairs.place < ask.most)
    return kept.group_by("name").aggregate(people=kept.count())


def people_of(found: Any) -> NamedPeople:
    """What the query brought."""
    names = [name.decode() if isinstance(name, bytes) else name for name in found.column("name").to_pylist()]
    return NamedPeople(names, np.array(found.column("people").to_pylist(), dtype=np.int64))
