"""Rows of a table as a schema reads them: codes of categories and clamped numbers, and nothing else of the data."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dampen.errors import DataError, ParameterError
from dampen.learn.schema import Attribute, Numeric, Schema
from dampen.statistics.columns import in_memory
from dampen.statistics.contingency import as_columns, look_up
from dampen.statistics.engines import Source, stays
from dampen.statistics.engines.base import written
from dampen.statistics.engines.labels import as_floats
from dampen.statistics.file_tables import read_columns
from dampen.vectors import Floats, Integers

UNKNOWN = -1
"""In place of the code of a category: the value is none of those declared."""

MOST_LOOKED_UP = 2**16
"""Whole labels below this are found in a table."""

Column = NDArray[Any]


@dataclass(frozen=True, eq=False, repr=False)
class Records:
    """One column for each attribute: whole codes of categories, clamped numbers."""

    columns: tuple[Column, ...]
    rows: int


def as_records(table: Any, schema: Schema, *, training: bool) -> Records:
    """Read the attributes of a schema from an array, a data frame, a mapping of columns, a file or a table elsewhere.

    In training a value that is not declared is refused unless the attribute names an ``other``; in prediction it is
    ``UNKNOWN``.
    """
    found = _columns(table, schema)
    pairs = zip(schema.attributes.items(), found, strict=True)
    columns = tuple(_read(column, name, attribute, training) for (name, attribute), column in pairs)
    lengths = {len(column) for column in columns}
    if len(lengths) != 1:
        raise DataError("all columns must have equally many rows")
    return Records(columns, lengths.pop())


def as_classes(target: Any, classes: Sequence[Any]) -> Integers:
    """The place of each record's class among the declared ones; any other class is refused."""
    codes = _codes(_plain(target), tuple(classes))
    if codes.min(initial=0) == UNKNOWN:
        raise DataError("target must hold only the declared classes")
    return codes.astype(np.int64)


def target_of(table: Any, target: str) -> NDArray[Any]:
    """The column of a file or data frame that holds the class."""
    if isinstance(table, str | Path):
        return read_columns(table, [target])[target]
    return _plain(in_memory(table, target))


def _columns(table: Any, schema: Schema) -> list[NDArray[Any]]:
    names = list(schema.attributes)
    if isinstance(table, Source) or stays(table):
        read = read_columns(table, names)
        return [_plain(read[name]) for name in names]
    array = _listed(table) if isinstance(table, list | tuple) else table
    if isinstance(array, np.ndarray):
        if array.ndim != 2 or array.shape[1] != len(names):
            got = f"{array.shape[1]} columns" if array.ndim == 2 else f"{array.ndim} dimensions"
            raise ParameterError(f"table must have {len(names)} columns, one per attribute; got {got}")
        if isinstance(array, np.ma.MaskedArray):
            return [_plain(array[:, place]) for place in range(len(names))]
        return list(as_columns(array) if array.dtype == np.float64 else np.ascontiguousarray(array.T))
    return [_plain(in_memory(table, name)) for name in names]


def _listed(rows: Sequence[Any]) -> NDArray[Any]:
    try:
        return np.asarray(rows)
    except ValueError:
        raise DataError("all rows must have equally many columns") from None


def _plain(found: Any) -> NDArray[Any]:
    """A column as an array; masked entries become missing values."""
    if isinstance(found, np.ma.MaskedArray):
        return np.array(found.tolist(), dtype=object)
    if isinstance(found, np.ndarray):
        return found
    listed = getattr(found, "to_numpy", None)
    return np.asarray(found if listed is None else listed())


def _read(column: NDArray[Any], name: str, attribute: Attribute, training: bool) -> Column:
    title = f"column {name[:60]!r}"
    if isinstance(attribute, Numeric):
        return _clamped(column, attribute, title)
    codes = _codes(column, attribute.values)
    if attribute.other is not None:
        codes[codes == UNKNOWN] = attribute.values.index(attribute.other)
    elif training and codes.min(initial=0) == UNKNOWN:
        raise DataError(f"{title} must hold only the declared values; declare other=... for the rest")
    return codes


def _clamped(column: NDArray[Any], attribute: Numeric, title: str) -> Floats:
    """Finite numbers, moved to the nearer end where they are outside."""
    try:
        numbers = as_floats(column)
    except (TypeError, ValueError, OverflowError):
        raise DataError(f"{title} must hold numbers, and no missing values") from None
    ends = numbers.min(initial=attribute.hi), numbers.max(initial=attribute.lo)
    if column.dtype.kind == "c" or column.ndim != 1 or not np.isfinite(ends).all():
        raise DataError(f"{title} must hold finite numbers, and no missing values (NaN)")
    inside = attribute.lo <= ends[0] and ends[1] <= attribute.hi
    return numbers if inside else np.clip(numbers, attribute.lo, attribute.hi)


def _codes(column: NDArray[Any], labels: tuple[Any, ...]) -> NDArray[np.int32]:
    """The place of each value among the labels; in a column of texts a label stands as it prints."""
    if column.ndim != 1:
        raise DataError("a column must be one-dimensional")
    places = {label: place for place, label in enumerate(labels)}
    if column.dtype.kind in "OU":
        places = {text: place for place, label in enumerate(labels) for text in written(label)} | places
        try:
            return np.fromiter((places.get(item, UNKNOWN) for item in column.tolist()), np.int32, len(column))
        except TypeError:
            raise DataError("a column must hold single labels") from None
    if column.dtype.kind in "iuf" and all(type(label) is int and abs(label) < MOST_LOOKED_UP for label in labels):
        return _looked_up(column, labels)
    distinct, inverse = np.unique(column, return_inverse=True)
    return np.array([places.get(item, UNKNOWN) for item in distinct.tolist()], dtype=np.int32)[inverse]


def _looked_up(column: NDArray[Any], labels: tuple[int, ...]) -> NDArray[np.int32]:
    """The same for numbers and small whole labels: a table instead of a sort."""
    low, high = min(labels), max(labels)
    table = np.full(high - low + 2, UNKNOWN, dtype=np.int32)
    table[np.array(labels) - low] = np.arange(len(labels))
    return look_up(column.astype(np.float64, copy=False), low, table)
