"""Bad data: items that no column should hold, columns of strange types, tables that are none, and broken files."""

from collections.abc import Callable
from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any
from uuid import UUID

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa

from tests.errors import objects
from tests.errors.questions import BAD, ROWS, SECRET_NUMBER, SECRET_TEXT, Columns, good_columns

ITEMS: dict[str, Callable[[], Any]] = {
    "None": lambda: None,
    "nan": lambda: float("nan"),
    "inf": lambda: float("-inf"),
    "NA": lambda: pd.NA,
    "NaT": lambda: pd.NaT,
    "numpy NaT": lambda: np.datetime64("NaT"),
    "text": lambda: SECRET_TEXT,
    "blank": lambda: " \t",
    "text of a number": lambda: str(SECRET_NUMBER),
    "text of a huge number": lambda: "1e400",
    "NUL": lambda: f"{SECRET_TEXT}\0",
    "surrogate": lambda: f"{SECRET_TEXT}\udc80",
    "bytes": lambda: SECRET_TEXT.encode(),
    "True": lambda: True,
    "numpy True": lambda: np.bool_(True),
    "1j": lambda: 1j,
    "huge": lambda: SECRET_NUMBER**40,
    "huge below": lambda: -(10**5000),
    "half": lambda: 0.5,
    "fraction": lambda: Fraction(SECRET_NUMBER**40, 3),
    "decimal": lambda: Decimal(f"{SECRET_NUMBER}E+900000"),
    "sNaN": lambda: Decimal("sNaN"),
    "longdouble": lambda: np.longdouble("1e4000"),
    "half precision": lambda: np.float16(65504),
    "date": lambda: date(2047, 1, 1),
    "moment": lambda: datetime(2047, 1, 1, tzinfo=UTC),
    "time": lambda: time(7, 31),
    "timedelta": lambda: timedelta(SECRET_NUMBER % 9999),
    "UUID": lambda: UUID(int=SECRET_NUMBER),
    "list": lambda: [SECRET_NUMBER],
    "nested list": lambda: [[[SECRET_TEXT]], []],
    "tuple": lambda: (SECRET_TEXT, SECRET_NUMBER),
    "dict": lambda: {SECRET_TEXT: SECRET_NUMBER},
    "set": lambda: {SECRET_TEXT},
    "array": lambda: np.array([SECRET_NUMBER, 1]),
    "Series": lambda: pd.Series([SECRET_TEXT, 1]),
    "frame": lambda: pd.DataFrame({"cost": [SECRET_NUMBER]}),
    "enum": lambda: objects.TellingEnum.MEMBER,
    "object": object,
    "class": lambda: objects.Telling,
    "telling": objects.Telling,
    "telling text": lambda: objects.TellingText(SECRET_TEXT),
    "raising": objects.Raising,
    "raising equality": objects.RaisingEquality,
    "raising number": lambda: objects.RaisingNumber(5),
}
"""Items that stand in place of some of a column's."""

HOLDERS: dict[str, Callable[[list[Any]], Any]] = {
    "list": list,
    "array": lambda items: _objects(items),
    "Series": lambda items: pd.Series(_objects(items), dtype=object),
    "polars": lambda items: pl.Series(items, dtype=pl.Object),
}
"""Columns that hold any items."""


def _objects(items: list[Any]) -> Any:
    held = np.empty(len(items), dtype=object)
    for place, item in enumerate(items):
        held[place] = item
    return held


def spoiled_items(column: str, item: Callable[[], Any]) -> list[Any]:
    """A good column, the last of its items spoiled."""
    return [*good_columns()[column][: ROWS - BAD], *(item() for _ in range(BAD))]


def _numbers(dtype: Any = float) -> Any:
    return (np.arange(ROWS) % 20).astype(dtype)


TYPES: dict[str, Callable[[], Any]] = {
    "complex": lambda: _numbers(complex),
    "bytes": lambda: np.array([SECRET_TEXT.encode()] * ROWS),
    "unicode": lambda: np.array([SECRET_TEXT] * ROWS),
    "nanoseconds": lambda: _numbers("datetime64[ns]"),
    "days": lambda: _numbers("datetime64[D]"),
    "durations": lambda: _numbers("timedelta64[s]"),
    "rows": lambda: np.zeros(ROWS, dtype=[("cost", int), ("ward", "U9")]),
    "two dimensions": lambda: np.full((ROWS, 2), SECRET_NUMBER),
    "no dimension": lambda: np.array(SECRET_NUMBER),
    "masked": lambda: np.ma.array(_numbers(), mask=np.arange(ROWS) < BAD),
    "masked objects": lambda: np.ma.array(_objects([SECRET_TEXT] * ROWS), mask=np.arange(ROWS) < BAD),
    "longdouble": lambda: np.full(ROWS, np.longdouble("1e4000")),
    "uint64": lambda: np.full(ROWS, 2**64 - 1, dtype=np.uint64),
    "float16": lambda: _numbers(np.float16),
    "truths": lambda: _numbers(bool),
    "big endian": lambda: _numbers(">f8"),
    "nulls of pandas": lambda: pd.Series([SECRET_NUMBER] * (ROWS - BAD) + [None] * BAD, dtype="Int64"),
    "booleans of pandas": lambda: pd.Series([True] * (ROWS - BAD) + [None] * BAD, dtype="boolean"),
    "texts of pandas": lambda: pd.Series([SECRET_TEXT] * (ROWS - BAD) + [None] * BAD, dtype="string"),
    "categories": lambda: pd.Series([SECRET_TEXT] * (ROWS - BAD) + [None] * BAD, dtype="category"),
    "categories of numbers": lambda: pd.Series([SECRET_NUMBER] * ROWS, dtype="category"),
    "zone": lambda: pd.Series(pd.date_range("2047", periods=ROWS, tz="UTC")),
    "periods": lambda: pd.Series(pd.period_range("2047", periods=ROWS, freq="D")),
    "intervals": lambda: pd.Series(pd.interval_range(0, ROWS)),
    "sparse": lambda: pd.Series(pd.arrays.SparseArray([SECRET_NUMBER] * ROWS)),
    "arrow of pandas": lambda: pd.Series([SECRET_NUMBER] * (ROWS - BAD) + [None] * BAD, dtype="int64[pyarrow]"),
    "lists of polars": lambda: pl.Series([[SECRET_NUMBER]] * ROWS),
    "structs of polars": lambda: pl.Series([{SECRET_TEXT: 1}] * ROWS),
    "binary of polars": lambda: pl.Series([SECRET_TEXT.encode()] * ROWS),
    "categories of polars": lambda: pl.Series([SECRET_TEXT, None] * ROWS, dtype=pl.Categorical)[:ROWS],
    "decimals of polars": lambda: pl.Series([Decimal("0.1")] * ROWS, dtype=pl.Decimal(38, 2)),
    "durations of polars": lambda: pl.Series([timedelta(1)] * ROWS),
    "times of polars": lambda: pl.Series([time(1)] * ROWS),
    "nulls of polars": lambda: pl.Series([None] * ROWS, dtype=pl.Null),
    "objects of polars": lambda: pl.Series([objects.Raising() for _ in range(ROWS)], dtype=pl.Object),
    "Int128": lambda: pl.Series([2**100] * ROWS, dtype=pl.Int128),
    "dictionary": lambda: pa.array([SECRET_TEXT, None] * ROWS).dictionary_encode()[:ROWS],
    "lists of arrow": lambda: pa.array([[SECRET_NUMBER]] * ROWS),
    "structs of arrow": lambda: pa.array([{SECRET_TEXT: 1}] * ROWS),
    "binary of arrow": lambda: pa.array([SECRET_TEXT.encode()] * ROWS),
    "nulls of arrow": lambda: pa.nulls(ROWS),
    "months of arrow": lambda: pa.array([(1, 2, 3)] * ROWS, pa.month_day_nano_interval()),
    "decimals of arrow": lambda: pa.array([Decimal(10) ** 60] * ROWS, pa.decimal256(70, 2)),
    "unions of arrow": lambda: pa.UnionArray.from_sparse(
        pa.array([0] * ROWS, pa.int8()), [pa.array([SECRET_NUMBER] * ROWS), pa.array([SECRET_TEXT] * ROWS)]
    ),
    "too short": lambda: [1, 2, 3],
    "empty": list,
    "a number": lambda: SECRET_NUMBER,
    "a text": lambda: "nowhere",
    "None itself": lambda: None,
    "a dict": lambda: {SECRET_TEXT: SECRET_NUMBER},
    "a set": lambda: {SECRET_TEXT, "a", 5},
    "a generator": lambda: (SECRET_NUMBER for _ in range(ROWS)),
    "a frame": lambda: pd.DataFrame({"cost": [SECRET_NUMBER] * ROWS}),
    "a raising list": objects.RaisingList,
    "a raising object": objects.Raising,
}
"""Whole columns: of types that hold no numbers or labels, or that are no columns."""

NO_TABLES: dict[str, Callable[[], Any]] = {
    "None": lambda: None,
    "number": lambda: SECRET_NUMBER,
    "no file": lambda: "nowhere.csv",
    "text of a file": lambda: f"cost,ward\n{SECRET_NUMBER},{SECRET_TEXT}\n" * 20,
    "bytes of a file": lambda: f"cost,ward\n{SECRET_NUMBER},{SECRET_TEXT}\n".encode() * 20,
    "set": lambda: {SECRET_TEXT},
    "generator": lambda: (SECRET_NUMBER for _ in range(ROWS)),
    "records": lambda: [{"cost": SECRET_NUMBER, "ward": SECRET_TEXT}] * ROWS,
    "array": lambda: np.full((ROWS, 2), SECRET_NUMBER),
    "rows": lambda: np.zeros(ROWS, dtype=[("cost", int), ("ward", "U9")]),
    "empty mapping": dict,
    "mapping of numbers": lambda: {1: SECRET_NUMBER},
    "raising mapping": lambda: objects.RaisingItems(cost=[SECRET_NUMBER]),
    "raising": objects.Raising,
    "telling": objects.Telling,
    "class": lambda: pd.DataFrame,
    "expression": lambda: pl.col("cost"),
    "group by": lambda: pd.DataFrame({"cost": [SECRET_NUMBER]}).groupby("cost"),
    "several levels": lambda: pd.DataFrame({("cost", "a"): [SECRET_NUMBER], ("cost", "b"): [1]}),
    "same name twice": lambda: pd.DataFrame([[SECRET_NUMBER] * 7] * ROWS, columns=["cost"] * 3 + ["ward", "sex"] * 2),
}
"""What is handed over in place of a table."""

CSV: dict[str, Callable[[str], bytes]] = {
    "open quote": lambda text: (text + f'"{SECRET_TEXT}').encode(),
    "short line": lambda text: (text + f"{SECRET_NUMBER}\n").encode(),
    "long line": lambda text: (text + ",".join([SECRET_TEXT] * 20) + "\n").encode(),
    "line ends": lambda text: text.replace("\n", "\r\n", 3).encode(),
    "latin-1": lambda text: (text + f"é{SECRET_TEXT}\n").encode("latin-1"),
    "UTF-16": lambda text: text.encode("utf-16"),
    "NUL": lambda text: text.encode() + b"\0" * 100,
    "empty": lambda text: b"",
    "blank": lambda text: b"\n\n",
    "one line": lambda text: text.partition("\n")[0].encode(),
    "header twice": lambda text: (text.partition("\n")[0] + "\n" + text).encode(),
    "texts": lambda text: text.replace("\n", f"{SECRET_TEXT}\n").replace(f"extra{SECRET_TEXT}", "extra", 1).encode(),
}
"""A CSV file, made worse."""


def frame_of(columns: Columns) -> pl.DataFrame:
    """Good columns as a data frame."""
    return pl.DataFrame(columns)


def spoiled_csv(path: Path, how: str) -> Path:
    """A good table in a CSV file, made worse."""
    path.write_bytes(CSV[how](frame_of(good_columns()).write_csv()))
    return path


def spoiled_parquet(path: Path, how: str) -> Path:
    """A Parquet file, cut, or none at all, or with pages that were overwritten."""
    frame_of(good_columns()).write_parquet(path, compression="uncompressed")
    whole = path.read_bytes()
    spoil: dict[str, Callable[[], bytes]] = {
        "cut": lambda: whole[: len(whole) // 2],
        "text": lambda: SECRET_TEXT.encode() * 100,
        "empty": lambda: b"",
        "overwritten": lambda: whole[:40] + bytes(len(whole) // 2) + whole[40 + len(whole) // 2 :],
    }
    path.write_bytes(spoil[how]())
    return path


SQL = {
    "lists": f"[{SECRET_NUMBER}]",
    "structs": f"{{'a': '{SECRET_TEXT}'}}",
    "maps": f"map([{SECRET_NUMBER}], ['{SECRET_TEXT}'])",
    "blobs": f"'{SECRET_TEXT}'::blob",
    "hugeint": "170141183460469231731687303715884105727::hugeint",
    "uuid": "uuid()",
    "interval": "interval 3 day",
    "time": "time '07:31:00'",
    "zone": "timestamptz '2047-01-01 00:00:00+00'",
    "bits": "'0101'::bit",
    "union": f"union_value(num := {SECRET_NUMBER})",
    "null": "null",
    "truth": "true",
    "text": f"'{SECRET_TEXT}'",
    "nan": "'nan'::double",
    "decimal": "7318269451.318::decimal(38, 3)",
    "failing": f"cast('{SECRET_TEXT}' || n as bigint)",
    "failing late": f"case when n < {ROWS - BAD} then 1 else error('{SECRET_TEXT}') end",
}
"""Columns of a relation of DuckDB."""
