"""What an engine counts of many small tables, by one query: its own plan, in which the table is one more group.

All rows lie in one table, with a column that tells which small table a row is of; persons of different tables have
different names. An engine of ibis makes its query of persons as ever. Before it runs, every grouping in it gets that
column as one more key, and every selection keeps it. So each small table has its own groups, and its own rows in the
result; what the engine makes of these is its own work again.
"""

from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import Any
from unittest.mock import patch

import numpy as np
from ibis.expr import operations as ops

from dampen.tables.engines.ibis import IbisEngine

TABLE = "table"
Rows = dict[str, Any]


def by_table(expression: Any) -> Any:
    """The same query with one more group. Other operations than those of these plans are refused."""

    def widen(node: Any, changed: dict[str, Any] | None) -> Any:
        found = node if changed is None else node.__recreate__(changed)
        if not isinstance(found, ops.Relation) or isinstance(found, ops.DatabaseTable | ops.Filter):
            return found
        own = {TABLE: ops.Field(found.parent, TABLE)}
        if isinstance(found, ops.Project):
            return ops.Project(found.parent, {**own, **found.values})
        if isinstance(found, ops.Aggregate):
            return ops.Aggregate(found.parent, {**own, **found.groups}, found.metrics)
        assert isinstance(found, ops.DropColumns), f"a plan has {type(found).__name__}, which is not known here"
        return found

    return expression.op().replace(widen).to_expr()


def count_each(engine: IbisEngine, count: Callable[[Any], Any], tables: int) -> list[Any]:
    """What an engine counts of each of so many tables; equal rows of results are looked at once."""
    run, fetched = IbisEngine.fetch, list[Rows]()

    def fetch_all(self: IbisEngine, expression: Any, names: Sequence[str]) -> Rows:
        found = run(self, by_table(expression), [TABLE, *names])
        fetched.append(dict(found))
        return {name: column[:0] for name, column in found.items() if name != TABLE}

    with patch.object(IbisEngine, "fetch", fetch_all):
        nothing = count(engine)
    [rows] = fetched
    order = np.lexsort((*rows.values(), rows[TABLE]))
    ends = np.searchsorted(rows[TABLE][order], np.arange(tables + 1))
    own = {name: column[order] for name, column in rows.items() if name != TABLE}
    known: dict[Any, Any] = {(): nothing}
    counted = []
    for start, end in pairwise(ends.tolist()):
        mine = {name: column[start:end] for name, column in own.items()}
        key = tuple(zip(*(column.tolist() for column in mine.values()), strict=True))
        if key not in known:
            with patch.object(IbisEngine, "fetch", lambda *_, mine=mine: mine):
                known[key] = count(engine)
        counted.append(known[key])
    return counted
