"""Exact sums of floats in DuckDB: rows leave it batch by batch, in this process, and the kernels of arrays add them up.

DuckDB has no whole number of 64 bits out of a float in less than what a plain grouped query takes for all, so its own
exact sums of floats take more than twice that. It runs embedded, so a batch of the columns that are asked for, filter
applied, goes to the kernel as it lies in memory; neither side ever holds all rows.
"""

import re
from collections.abc import Sequence
from contextlib import AbstractContextManager, closing
from dataclasses import dataclass
from fractions import Fraction
from math import prod
from typing import Any

import numpy as np

from dampen.tables.columns import Typed
from dampen.tables.engines.array_codes import Codes, label_places
from dampen.tables.engines.array_groups import group_codes
from dampen.tables.engines.arrow_batches import StreamError, stream_batches
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
ESTIMATE = re.compile(r"~([0-9,]+) rows?", re.IGNORECASE)


@dataclass(frozen=True, eq=False)
class StreamField:
    """A column that rows are grouped by: what SQL lets out, and which label it then stands for.

    ``spots``: the place of each number that SQL has found for a text; other columns leave as they are.
    """

    sql: str
    labels: Sequence[Any]
    spots: Integers | None = None

    def places(self, column: Typed) -> Codes:
        """The place of the label that each value stands for."""
        return label_places(column, Places.of(self.labels)) if self.spots is None else self.spots.take(column.array)


def group_field(value: str, sql_type: str, labels: Sequence[Any]) -> StreamField | None:
    """How a column to group by leaves; nothing where its type or the number of its labels is not one that may."""
    if sql_type in (*WHOLE_TYPES, *REAL_TYPES, "BOOLEAN"):
        return StreamField(value, labels)
    places = Places.of(labels)
    if sql_type != TEXT or not 0 < len(places.texts) <= MOST_TEXTS:
        return None
    keys = keys_of(value, sql_type)
    listed = ", ".join(map(literal, places.texts))
    first = len(places.texts) + 1 - OTHER
    none = f"case when {keys.missing} then {MISSING} else {OTHER} end"
    rest = place_case(value, sql_type, places, none, "integer")
    # DuckDB looks once for each text in the dictionary of a file; the rest is asked of few rows
    found = f"coalesce(list_position([{listed}], {keys.text}), {rest} + {first})::integer"
    spots = [OTHER, *places.texts.values(), *range(OTHER, len(labels))]
    return StreamField(found, labels, np.array(spots, dtype=np.int32))


def may_stream(plan: str, fields: Sequence[StreamField]) -> bool:
    """Whether a query that DuckDB explains so is one chain of many rows, texts out of files with dictionaries.

    Where several branches fill one stream DuckDB may wait for ever. Which way is taken changes no answer.
    """
    chain = all(line.count("┌") <= 1 for line in plan.splitlines())
    rows = max((int(found.replace(",", "")) for found in ESTIMATE.findall(plan)), default=0)
    texts = any(field.spots is not None for field in fields)
    return chain and rows >= MANY_ROWS and (not texts or "PARQUET" in plan)


def stream_sums(
    opened: AbstractContextManager[Any], fields: Sequence[StreamField], ends: tuple[Fraction, Fraction]
) -> dict[tuple[int, ...], Sums] | None:
    """The exact sums of groups out of a query whose first column is added up, the others grouped by.

    Nothing where it cannot be streamed, or where DuckDB fails: SQL then says why.
    """
    import duckdb

    sizes = tuple(len(field.labels) - OTHER for field in fields)
    if prod(sizes) >= MOST_GROUPS:
        return None
    try:
        with opened as relation:
            return _add_batches(relation, fields, ends) if may_stream(relation.explain(), fields) else None
    except (StreamError, duckdb.Error):
        return None


def _add_batches(
    relation: Any, fields: Sequence[StreamField], ends: tuple[Fraction, Fraction]
) -> dict[tuple[int, ...], Sums]:
    from dampen.tables.engines.running_sums import RunningSums, by_places

    labels = [field.labels for field in fields]
    empty = group_codes([np.empty(0, dtype=np.int32) for _ in fields], labels, 0)
    running = RunningSums(empty.count, ends)
    with closing(stream_batches(relation)) as batches:
        for values, *columns in batches:
            places = [field.places(column) for field, column in zip(fields, columns, strict=True)]
            running.add(group_codes(places, labels, len(values)).codes, values)
    return by_places(running, empty, np.arange(empty.count, dtype=np.int64))
