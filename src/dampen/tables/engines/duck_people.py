"""SQL for DuckDB: persons grouped with all their rows, cut at caps and shared out over cells; all in one query.

Whether a person is missing is asked after rows are grouped: once for each, not once for each row; but for null.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from dampen.tables.engines.base import Amount, PersonAsk, PersonShares, PlaceCounts
from dampen.tables.engines.duck_few_cells import clamp_total, few_cells_sql, has_few_cells
from dampen.tables.engines.duck_groups import Tables, group_rows
from dampen.tables.engines.duck_places import place_rows
from dampen.tables.engines.duck_sql import keys_of
from dampen.tables.engines.shares import (
    BELOW,
    DIGIT,
    SHIFTS,
    Bucket,
    celled_shares,
    cut_shares,
    digits_of,
    scales_of,
)
from dampen.tables.grid import Grid
from dampen.tables.reading import OTHER


@dataclass(frozen=True)
class Field:
    """A column in SQL: itself, a value such that only equal ones are one group, and its type."""

    value: str
    key: str
    sql_type: str


Fields = Mapping[str, Field]
"""The columns that are asked about, by name."""


@dataclass(frozen=True, eq=False)
class Query:
    """SQL behind the rows ``data``, and the tables that it needs."""

    sql: str
    tables: Tables


def totals_query(ask: PersonAsk, fields: Fields) -> Query:
    """For each sign, and each number of caps below a total: how many persons have such, and what they add up to."""
    rows, tables = _rows(ask, fields)
    total = "1" if ask.once else "count(*)" if ask.amount is None else "sum(amount)"
    size, most = "abs(total)", ask.caps[-1] if ask.caps else 1
    sums = f"cast(sum(least({size}, {most})::bigint) as varchar)"
    persons = f"select person, {clamp_total(total)} as total from ({rows}) group by person"
    return Query(
        f"select sign(total)::bigint as side, {among(size, ask.caps, 0)} as bucket, count(*) as people, {sums} as sum "
        f"from ({persons}) where {_is_somebody(fields[ask.person])} group by all",
        tables,
    )


def totals_of(found: Mapping[str, Any], ask: PersonAsk) -> PersonShares:
    """What :func:`totals_query` brought."""
    columns = (found[name].tolist() for name in ("side", "bucket", "people", "sum"))
    buckets = [Bucket(side, bucket, people, int(total)) for side, bucket, people, total in zip(*columns, strict=True)]
    return cut_shares(buckets, ask)


def values_query(person: str, amount: Amount | None, how: str, fields: Fields) -> Query:
    """One whole number for each person, and how many have it."""
    rows, tables = _rows(PersonAsk(person, amount=amount), fields)
    made = {"count": "count(*)", "sum": clamp_total("sum(amount)"), "min": "min(amount)", "max": "max(amount)"}
    if how == "mean":
        total = clamp_total("sum(amount)")
        # integer division would round towards 0
        value = f"({total} - ({total} % count(*) + count(*)) % count(*)) // count(*)"
    else:
        value = made[how]
    persons = f"select person, {value} as value from ({rows}) group by person"
    return Query(
        f"select value::bigint as value, count(*) as people from ({persons}) where {_is_somebody(fields[person])} "
        "group by 1 order by 1",
        tables,
    )


def values_of(found: Mapping[str, Any]) -> PlaceCounts:
    """What :func:`values_query` brought."""
    return np.asarray(found["value"], dtype=np.int64), np.asarray(found["people"], dtype=np.int64)


def shares_query(ask: PersonAsk, fields: Fields) -> Query:
    """For each cell and cap what persons bring there; of each person the first cell tells whether it is above a cap.

    ``z`` is what a person has up to a cell and ``b`` before it, ``t`` in all; ``zs`` and ``ts`` are without the bits
    that are lost, and so on.
    """
    read, runs, tables = _runs(ask, fields)
    cells = ", ".join([*_names(ask), BELOW] if ask.signed else _names(ask))
    lost = " ".join(f"when t < {end} then {shift}" for end, shift in SHIFTS)
    runs = f"select *, case {lost} end as lost from ({runs})"
    runs = f"select *, t >> lost as ts, z >> lost as zs, b >> lost as bs from ({runs})"
    scales = scales_of(ask.caps, ask.bits)
    factors = sorted({scale.factor for scale in scales})
    for side in ("z", "b"):
        shares = [f"{_divide(side + 's', factor)} as {side}{spot}" for spot, factor in enumerate(factors)]
        runs = f"select *{''.join(f', {share}' for share in shares)} from ({runs})"
    listed = ["count_if(head) as people"]
    for spot, (cap, scale) in enumerate(zip(ask.caps, scales, strict=True)):
        now, before = (f"({side}{factors.index(scale.factor)} >> {scale.shift})" for side in ("z", "b"))
        # the smaller one in any case, so that nothing overflows where the other branch is meant
        weight = f"case when t <= {cap} then least(z - b, {cap}) << {ask.bits} else {now} - {before} end"
        listed.append(f"count_if(head and t > {cap}) as above{spot}, cast(sum({weight}) as varchar) as weight{spot}")
    return Query(f"{read} select {cells}, {', '.join(listed)} from ({runs}) group by all order by all", tables)


def shares_of(found: Mapping[str, Any], ask: PersonAsk) -> PersonShares:
    """What :func:`shares_query` brought."""
    weights = [[int(weight) for weight in found[f"weight{spot}"].tolist()] for spot in range(len(ask.caps))]
    return celled_shares(found, _names(ask), weights, ask)


def _names(ask: PersonAsk) -> list[str]:
    return [f"c{spot}" for spot in range(len(ask.cells))]


def _labelled(ask: PersonAsk) -> list[int]:
    """Which columns of cells have labels."""
    return [spot for spot, each in enumerate(ask.cells) if not isinstance(each.values, Grid)]


def _is_somebody(person: Field) -> str:
    """Whether a person is not missing, once the rows are grouped."""
    return f"not ({keys_of('person', person.sql_type).missing})"


def _rows(ask: PersonAsk, fields: Fields) -> tuple[str, Tables]:
    """Rows with a person, what labels are read from (``label0``, ...), places on grids (``c1``, ...) and an amount."""
    held = {"person": fields[ask.person].key}
    grids: list[tuple[str, str, Grid, int]] = []
    for spot, each in enumerate(ask.cells):
        field = fields[each.column]
        if isinstance(each.values, Grid):
            held[f"raw{spot}"] = field.value
            grids.append((f"raw{spot}", f"c{spot}", each.values, 0))
        else:
            held[f"label{_labelled(ask).index(spot)}"] = field.key
    if ask.amount is not None:
        held["raw"] = fields[ask.amount.column].value
        grids.append(("raw", "amount", ask.amount.grid, ask.amount.first))
    types = {f"raw{spot}": fields[each.column].sql_type for spot, each in enumerate(ask.cells)}
    if ask.amount is not None:
        types["raw"] = fields[ask.amount.column].sql_type
    listed = ", ".join(f"{sql} as {name}" for name, sql in held.items())
    # who is null is nobody: said before rows are grouped, it makes plain joins of those that lead to the person
    rows, tables = f"select {listed} from data where {fields[ask.person].value} is not null", Tables()
    for raw, name, grid, first in grids:
        del held[raw]
        beside = "".join(f", {other}" for other in held)
        placed, more = place_rows(raw, types[raw], grid, beside=beside, source=f"({rows})", points=f"grid_{name}")
        held[name], tables = name, tables | more
        shown = ", ".join(other for other in held if other != name)
        rows = f"select {shown}, place::bigint + {OTHER + first} as {name} from ({placed})"
    return rows, tables


def _runs(ask: PersonAsk, fields: Fields) -> tuple[str, str, Tables]:
    """Tables, and a row for each person and own cell: its ``head``, ``t``, ``z`` and ``b``."""
    types = [fields[each.column].sql_type for each in ask.cells]
    if has_few_cells(ask, types):
        rows, tables = _rows(ask, fields)
        return "", few_cells_sql(ask, types, rows, _is_somebody(fields[ask.person])), tables
    settled, tables = _settled(ask, fields)
    cells = ", ".join(_names(ask))
    told = f"{cells}, {BELOW}" if ask.signed else cells
    own = f"partition by person order by {cells} rows between unbounded preceding and"
    # the same order for both sums: rows are sorted once
    sums = "sum(y) over own as z, sum(y) over every as t, row_number() over own = 1 as head"
    runs = f"select *, {sums} from settled window own as ({own} current row), every as ({own} unbounded following)"
    ends = {"t": "t", "z": "z", "b": "z - y"}
    listed = ", ".join(f"{clamp_total(total)} as {name}" for name, total in ends.items())
    return settled, f"select {told}, head, {listed} from ({runs})", tables


def _settled(ask: PersonAsk, fields: Fields) -> tuple[str, Tables]:
    """The table ``settled``: what the rows of a person in a cell add up to, cell by cell.

    A cell that several labels lead to may stand there in several rows: their shares add up to that of one row, unless
    rows count once, or sums may be negative: ``y`` is their size then, and ``below`` tells the sign.
    """
    rows, tables = _rows(ask, fields)
    y = "count(*)" if ask.amount is None else "sum(amount)" if ask.signed else clamp_total("sum(amount)")
    spots = _labelled(ask)
    listed = [f"label{spots.index(spot)}" if spot in spots else f"c{spot}" for spot in range(len(ask.cells))]
    read = f"select person, {', '.join(listed)}, {y} as y from ({rows}) group by all"
    by = [(ask.cells[spot].column, tuple(ask.cells[spot].values)) for spot in spots]
    own = [fields[name] for name, _ in by]
    groups = group_rows([field.key for field in own], [field.sql_type for field in own], by)
    cells = ", ".join(_settle(ask, spot, spots) for spot in range(len(ask.cells)))
    placed = f"select person, {cells}, y from read{groups.joins} where {_is_somebody(fields[ask.person])}"
    inside = " and ".join(f"{name} is not null" for name in _names(ask))
    settled = f"select * from ({placed}) where {inside}"
    if ask.once:
        settled = f"select * replace (1::bigint as y) from ({settled}) group by all"
    if ask.signed:
        summed = f"select person, {', '.join(_names(ask))}, {clamp_total('sum(y)')} as y from ({settled}) group by all"
        settled = f"select * replace (abs(y) as y), y < 0 as {BELOW} from ({summed})"
    kept = "materialized" if spots else "not materialized"
    return f", read as {kept} ({read}){groups.parts}, settled as ({settled})", tables | groups.tables


def _settle(ask: PersonAsk, spot: int, labels: Sequence[int]) -> str:
    """The cell of a row; null where it has none."""
    each = ask.cells[spot]
    if spot not in labels:
        return f"c{spot}"
    owner = f"groups{labels.index(spot)}.owner"
    rest = "" if each.rest is None else f"when {owner} {'< 0' if each.keeps_missing else f'= {OTHER}'} then {each.rest}"
    return f"case when {owner} >= 0 then {owner} {rest} end as c{spot}"


def among(number: str, ends: Sequence[int], first: int) -> str:
    """How many of the increasing ends are below a number: binary search as nested cases."""
    if not ends:
        return f"{first}"
    middle = len(ends) // 2
    below, above = among(number, ends[:middle], first), among(number, ends[middle + 1 :], first + middle + 1)
    return f"case when {number} <= {ends[middle]} then {below} else {above} end"


def _divide(part: str, factor: int) -> str:
    """floor(factor part / ts), digit by digit."""
    number, quotient = "0", "0"
    for digit in digits_of(factor):
        grown = "0" if number == "0" else f"((({number}) % ts) << {DIGIT})"
        number = f"({grown} + {part} * {digit}::bigint)"
        quotient = f"(({quotient}) << {DIGIT}) + {number} // ts" if quotient != "0" else f"{number} // ts"
    return f"case when ts > 0 then {quotient} else 0 end"
