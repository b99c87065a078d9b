"""Columns of every type: which awkward values each can hold, and what it really holds of one of them.

A column converts value by value. What it makes of a value is its own, public typing (a field of a CSV file is text, an
``Int64`` column holds whole numbers); the oracle is asked about the value that is held.
"""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import date, datetime
from decimal import Decimal
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa

from tests.audit.reading import pool


def itself(value: Any) -> Any:
    """A column that changes nothing."""
    return value


@dataclass(frozen=True, eq=False)
class Kind:
    """A type of column: how it is made of values that it can hold, and what it holds of each.

    ``arrow``, ``sql``: the same type in Arrow, and in DuckDB out of text, where there is one.
    """

    name: str
    make: Callable[[list[Any]], Any]
    values: tuple[Any, ...]
    held: Callable[[Any], Any] = itself
    arrow: Any = None
    sql: str = ""

    def __repr__(self) -> str:
        return self.name


def objects(values: list[Any]) -> Any:
    """An array of objects, whatever they are."""
    array = np.empty(len(values), dtype=object)
    for place, value in enumerate(values):
        array[place] = value
    return array


NONE = pool.NOTHING
SMALL = tuple(value for value in pool.WHOLES if -128 <= value < 128)
FITTING_U64 = tuple(value for value in (*pool.WHOLES, *pool.FAR_WHOLES) if 0 <= value < 2**64)
WIDE = tuple(value for value in (*pool.WHOLES, *pool.FAR_WHOLES) if abs(value) < 10**38)
FLOATS = (*pool.REALS, *pool.NO_REALS)
SINGLES = (0.0, -0.0, 1.0, 2.5, 0.1, float("nan"), float("inf"))
CENTS = tuple(Decimal(text) for text in ("1.00", "0.10", "2.50", "0.00", "-1.00", "0.30"))
FEW_TEXTS = ("x", "1", "true", "4", "other", "0.1", "", "nan", "2024-02-29", "é")


def _array(kind: Any, values: tuple[Any, ...]) -> Kind:
    def make(given: list[Any]) -> Any:
        return np.array(given, dtype=kind)

    return Kind(f"array of {np.dtype(kind)}", make, values, lambda value: make([value])[0])


def _masked(given: list[Any]) -> Any:
    filled = [0 if value is None else value for value in given]
    return np.ma.masked_array(np.array(filled, dtype=np.int64), mask=[value is None for value in given])


def _text_array(given: list[Any]) -> Any:
    return np.array(given, dtype=np.str_)


PYTHON: tuple[Kind, ...] = (
    Kind("list", list, pool.EVERY),
    Kind("tuple", tuple, pool.EVERY),
    Kind("array of objects", objects, pool.EVERY),
)
NUMPY: tuple[Kind, ...] = (
    _array(np.int64, pool.WHOLES),
    _array(np.int8, SMALL),
    _array(np.uint64, FITTING_U64),
    _array(np.float64, FLOATS),
    _array(np.float32, SINGLES),
    _array(np.longdouble, (0.0, 1.0, np.longdouble(2) ** 53 + 1, np.longdouble("0.1"), np.longdouble("nan"), 2.0)),
    _array(np.bool_, pool.TRUTHS),
    _array(np.complex128, (1.0, 0j, 2j)),
    _array("datetime64[D]", (*pool.DAYS, np.datetime64("NaT"))),
    _array("datetime64[s]", (*pool.MOMENTS[:2], np.datetime64("NaT"))),
    _array("datetime64[ns]", (*pool.MOMENTS, pool.FINE, np.datetime64("NaT"))),
    _array("timedelta64[s]", (*pool.SPANS, np.timedelta64("NaT"))),
    _array("S2", (b"y", b"z")),
    Kind("array of texts", _text_array, pool.TEXTS, lambda value: str(_text_array([value])[0])),
    Kind("array of StringDType", lambda given: np.array(given, dtype=np.dtypes.StringDType()), pool.TEXTS),
    Kind("masked array", _masked, (*pool.WHOLES, None)),
)


def _series(dtype: Any) -> Callable[[list[Any]], Any]:
    return lambda given: pd.Series(given, dtype=dtype)


def _nullable(dtype: Any) -> Callable[[list[Any]], Any]:
    """Whole numbers and a mask; out of a list pandas may take the way over floats."""

    def make(given: list[Any]) -> Any:
        numbers = np.array([0 if value is None else value for value in given], dtype=dtype)
        return pd.Series(pd.arrays.IntegerArray(numbers, np.array([value is None for value in given], dtype=np.bool_)))

    return make


def _categorical(dtype: Any) -> Callable[[list[Any]], Any]:
    return lambda given: pd.Series(given, dtype=dtype).astype("category")


PANDAS: tuple[Kind, ...] = (
    Kind("pandas object", lambda given: pd.Series(objects(given), dtype=object), pool.EVERY),
    Kind("pandas int64", _series("int64"), pool.WHOLES),
    Kind("pandas Int64", _nullable(np.int64), (*pool.WHOLES, None)),
    Kind("pandas UInt64", _nullable(np.uint64), (*FITTING_U64, None)),
    Kind("pandas float64", _series("float64"), FLOATS),
    Kind("pandas Float64", _series("Float64"), (*FLOATS, None)),
    Kind("pandas bool", _series("bool"), pool.TRUTHS),
    Kind("pandas boolean", _series("boolean"), (*pool.TRUTHS, None)),
    Kind("pandas str", _series("str"), (*pool.TEXTS, None)),
    Kind("pandas string", _series(pd.StringDtype("python", na_value=pd.NA)), (*pool.TEXTS, None)),
    Kind("pandas category of texts", _categorical(object), (*FEW_TEXTS, None)),
    Kind("pandas category of numbers", _categorical("Int64"), (*pool.WHOLES, None)),
    Kind("pandas datetime64[ns]", _series("datetime64[ns]"), (*pool.MOMENTS, pool.FINE, None)),
    Kind("pandas datetime64[us, Berlin]", _series("datetime64[us, Europe/Berlin]"), (*pool.ZONED, None)),
    Kind("pandas timedelta64", _series("timedelta64[us]"), (*pool.SPANS, None)),
)


def _arrow(kind: Any, values: tuple[Any, ...], held: Callable[[Any], Any] = itself) -> Kind:
    return Kind(f"arrow {kind}", lambda given: pa.array(given, type=kind), (*values, None), held, arrow=kind)


def _single(value: Any) -> Any:
    return None if value is None else np.float32(value)


ARROW: tuple[Kind, ...] = (
    _arrow(pa.int64(), pool.WHOLES),
    _arrow(pa.int8(), SMALL),
    _arrow(pa.uint64(), FITTING_U64),
    _arrow(pa.float64(), FLOATS),
    _arrow(pa.float32(), SINGLES, _single),
    _arrow(pa.bool_(), pool.TRUTHS),
    _arrow(pa.string(), pool.TEXTS),
    _arrow(pa.date32(), pool.DAYS),
    _arrow(pa.timestamp("us"), pool.MOMENTS),
    _arrow(pa.timestamp("ns"), (*pool.MOMENTS, pd.Timestamp(pool.FINE))),
    _arrow(pa.timestamp("us", "Europe/Berlin"), pool.ZONED),
    _arrow(pa.decimal128(20, 2), CENTS),
    _arrow(pa.decimal128(38, 0), tuple(Decimal(value) for value in WIDE)),
    _arrow(pa.duration("us"), pool.SPANS),
    _arrow(pa.binary(), (b"1", b"x")),
)
DICTIONARIES: tuple[Kind, ...] = (
    _arrow(pa.dictionary(pa.int32(), pa.string()), FEW_TEXTS),
    _arrow(pa.dictionary(pa.int8(), pa.int64()), pool.WHOLES),
    _arrow(pa.null(), ()),
    _arrow(pa.large_string(), FEW_TEXTS),
)


def _polars(dtype: Any, values: tuple[Any, ...], held: Callable[[Any], Any] = itself) -> Kind:
    return Kind(f"polars {dtype}", lambda given: pl.Series(given, dtype=dtype), (*values, None), held)


def _from_arrow(kind: Kind) -> Kind:
    return Kind(f"polars from {kind.name}", lambda given: pl.from_arrow(kind.make(given)), kind.values, kind.held)


POLARS: tuple[Kind, ...] = (
    *(_from_arrow(kind) for kind in (*ARROW, *DICTIONARIES[:1])),
    _polars(pl.Int128, WIDE),
    _polars(pl.Categorical, FEW_TEXTS),
    _polars(pl.Enum(FEW_TEXTS), FEW_TEXTS),
    _polars(pl.Null, ()),
    Kind(
        "polars Object", lambda given: pl.Series(given, dtype=pl.Object), (*pool.TRUTHS, 1, 1.0, "1", "x", Decimal(1))
    ),
)


def _sql(kind: str, values: tuple[Any, ...]) -> Kind:
    return Kind(f"duckdb {kind[:12]}", list, (*values, None), sql=kind)


DUCK: tuple[Kind, ...] = (
    _sql("HUGEINT", WIDE),
    _sql("UUID", pool.NAMES),
    _sql(f"ENUM ({', '.join(repr(text) for text in FEW_TEXTS)})", FEW_TEXTS),
    _sql("TIME", pool.LABELLED[3:4]),
    _sql("INTERVAL", pool.SPANS),
    _sql("TIMESTAMP_S", pool.MOMENTS[:2]),
)
CSV = Kind("csv", list, tuple(text for text in pool.TEXTS if "\0" not in text))
"""All fields are text. Python writes a line end and a NUL into a field as it is; a NUL is no CSV to some readers."""


def _from_json(value: Any) -> Any:
    """Numbers beyond 64 bits are the nearest float, as texts of them are."""
    return float(value) if type(value) is int and not -(2**63) <= value < 2**63 else value


JSON = Kind(
    "json",
    list,
    (*pool.TRUTHS, *pool.WHOLES, *pool.FAR_WHOLES, *FLOATS, *pool.TEXTS, None, [1], {"a": 1}, {}),
    _from_json,
)
"""A value of any type that JSON has, beside any other."""


def _from_cell(value: Any) -> Any:
    """A workbook has no days, only moments."""
    return datetime(value.year, value.month, value.day) if type(value) is date else value


CELLS = (*(whole for whole in pool.WHOLES if abs(whole) <= 2**53), *pool.REALS, *pool.DAYS[:2], *pool.MOMENTS[:2])
CELL_TEXTS = tuple(text for text in pool.TEXTS if text and "\0" not in text)
XLSX = Kind("xlsx", list, (*pool.TRUTHS, *CELLS, *CELL_TEXTS, None), _from_cell)
"""A cell of any type. Its numbers are floats, an empty text is an empty cell."""


def as_text(value: Any) -> str | None:
    """A value as DuckDB casts it from text."""
    if value is None or isinstance(value, str):
        return value
    seconds = value.total_seconds() if hasattr(value, "total_seconds") else None
    return str(value) if seconds is None else f"{int(seconds)} seconds"
