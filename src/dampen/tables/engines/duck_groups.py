"""SQL for DuckDB: rows grouped by the values of some columns as they are; then the few distinct ones read as labels."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from numpy.typing import NDArray

from dampen.tables.engines.base import Groups
from dampen.tables.engines.duck_sql import place_by_join
from dampen.tables.engines.labels import Places
from dampen.tables.files import literal

Tables = dict[str, Mapping[str, NDArray[Any]]]


@dataclass(frozen=True, eq=False)
class GroupedRows:
    """SQL around a table ``read``, which has a column ``label0``, ``label1``, ... for each that is grouped by.

    ``beside`` brings these along where rows are read; ``owners`` are the places of the labels, by name.
    """

    beside: str
    parts: str
    joins: str
    owners: tuple[str, ...]
    tables: Tables

    def query(self, read: str, fields: Mapping[str, str], joins: str = "") -> str:
        """All of it: ``read`` is held, its rows are given their places, and the ``fields`` of each group are found."""
        owners = [f"groups{spot}.owner as {name}" for spot, name in enumerate(self.owners)]
        listed = ", ".join([*owners, *(f"{field} as {name}" for name, field in fields.items())])
        return f", read as materialized ({read}){self.parts} select {listed} from read{self.joins} {joins} group by all"


def group_rows(keys: Sequence[str], types: Sequence[str], by: Groups) -> GroupedRows:
    """``keys``: SQL of the values to group by, such that only equal ones are one group; ``types``: their SQL types."""
    beside, parts, joins, tables = "", "", "", Tables()
    for spot, (key, sql_type, (_, labels)) in enumerate(zip(keys, types, by, strict=True)):
        found = place_by_join("label", sql_type, Places.of(labels), f"g{spot}", f"groups{spot}")
        distinct = f"select distinct label{spot} as label from read"
        beside += f", {key} as label{spot}"
        parts += f", groups{spot} as (select label, {found.place} as owner from ({distinct}) {found.joins})"
        joins += f" join groups{spot} on read.label{spot} is not distinct from groups{spot}.label"
        tables |= found.tables
    return GroupedRows(beside, parts, joins, tuple(f"owner{spot}" for spot in range(len(by))), tables)


def table_sql(columns: Mapping[str, NDArray[Any]]) -> str:
    """A small table as SQL."""
    fields = []
    for name, column in columns.items():
        kind = {"i": "bigint", "f": "double"}.get(column.dtype.kind, "varchar")
        entries = ", ".join(literal(str(entry)) for entry in column.tolist())
        fields.append(f"unnest([{entries}]::{kind}[]) as {name}")
    return f"select {', '.join(fields)}"
