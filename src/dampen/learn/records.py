"""Rows of a table as a schema reads them: codes of categories and clamped numbers, and nothing else of the data.

A table in memory is taken apart into named columns here; what a value is, is read by an engine, as everywhere.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dampen._validate import only_own_errors
from dampen.describe.columns import Number
from dampen.errors import DataError, ParameterError
from dampen.learn.schema import Attribute, Schema, ends_of, other_place
from dampen.tables.columns import raw_values
from dampen.tables.contingency import as_columns
from dampen.tables.engines import Source, is_outside, open_engine
from dampen.tables.engines.base import RowForm, RowReading, Rows

UNKNOWN = -1
"""In place of the code of a category: the value is none of those declared."""

Column = NDArray[Any]


@dataclass(frozen=True, eq=False, repr=False)
class Records:
    """One column for each attribute: whole codes of categories, clamped numbers."""

    columns: tuple[Column, ...]
    rows: int


def as_table(table: Any, schema: Schema) -> Any:
    """What an engine takes: named columns of what lies in memory, and any other table as it is.

    A row of a list must have a value for each attribute; so must an array have a column.
    """
    if isinstance(table, Source) or is_outside(table):
        return table
    names = list(schema.attributes)
    if isinstance(table, list | tuple):
        return dict(zip(names, _columns_of(table, len(names)), strict=True))
    if not isinstance(table, np.ndarray):
        return {name: raw_values(table, name) for name in names}
    if table.ndim != 2 or table.shape[1] != len(names):
        got = f"{table.shape[1]} columns" if table.ndim == 2 else f"{table.ndim} dimensions"
        raise ParameterError(f"table must have {len(names)} columns, one per attribute; got {got}")
    plain = table.dtype == np.float64 and not isinstance(table, np.ma.MaskedArray)
    return dict(zip(names, as_columns(table) if plain else list(table.T), strict=True))


def _columns_of(rows: Sequence[Any], width: int) -> list[list[Any]]:
    """The columns of rows; an array of all rows would read each value in the light of all others."""
    listed = [row.tolist() if isinstance(row, np.ndarray) else row for row in rows]
    if not all(isinstance(row, list | tuple) and len(row) == width for row in listed):
        raise DataError("all rows must have as many values as the schema has attributes")
    return [[row[place] for row in listed] for place in range(width)]


def as_records(table: Any, schema: Schema) -> Records:
    """Read the attributes of a schema from an array, a data frame, a mapping of columns, a file or a table elsewhere.

    A value that is not declared is ``UNKNOWN``, unless the attribute names an ``other``.
    """
    with only_own_errors():
        data = as_table(table, schema)
    with open_engine(data, *schema.attributes) as engine:
        return records_from_rows(engine.rows(readings_of(schema)), schema)


def readings_of(schema: Schema) -> Mapping[str, RowReading]:
    """How rows of a schema's attributes leave an engine."""
    return {
        name: RowForm.FLOATS if isinstance(attribute, Number) else attribute.labels
        for name, attribute in schema.attributes.items()
    }


def records_from_rows(rows: Rows, schema: Schema) -> Records:
    """Records out of what an engine handed out."""
    columns = tuple(_read_column(rows[name], name, attribute) for name, attribute in schema.attributes.items())
    lengths = {len(column) for column in columns} or {0}
    if len(lengths) != 1:
        raise DataError("all columns must have equally many rows")
    return Records(columns, lengths.pop())


def _read_column(column: Column, name: str, attribute: Attribute) -> Column:
    if not isinstance(attribute, Number):
        other = other_place(attribute)
        return np.where(column < 0, UNKNOWN if other is None else other, column)
    low, high = ends_of(attribute)
    ends = column.min(initial=high), column.max(initial=low)
    if not np.isfinite(ends).all():
        raise DataError(f"column {name[:60]!r} must hold finite numbers, and no missing values (NaN)")
    inside = low <= ends[0] and ends[1] <= high
    # A copy of every column would cost more than looking at its two ends.
    return column if inside else np.clip(column, low, high)
