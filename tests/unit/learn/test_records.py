"""Tables through a schema: every kind of table reads alike, and what breaks a rule is refused without its value."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from dampen import Category, Number
from dampen.errors import DataError, ParameterError
from dampen.learn import Schema
from dampen.learn.records import UNKNOWN, as_records
from dampen.tables.engines import open_engine

SCHEMA = Schema({"age": Number(0, 50), "sex": Category(["F", "M"]), "kids": Category([0, 1, 2])}, ["no", "yes"])
COLUMNS: dict[str, list[Any]] = {
    "extra": [9, 9, 9],
    "kids": [2, 0, 1],
    "sex": ["M", "F", "M"],
    "age": [60, -3, 20],
    "y": ["no", "yes", "no"],
}


def csv(folder: Path) -> Path:
    pd.DataFrame(COLUMNS).to_csv(folder / "t.csv", index=False)
    return folder / "t.csv"


def parquet(folder: Path) -> str:
    pq.write_table(pa.table(COLUMNS), folder / "t.parquet")
    return str(folder / "t.parquet")


FORMS: dict[str, Callable[[Path], Any]] = {
    "mapping": lambda _: COLUMNS,
    "pandas": lambda _: pd.DataFrame(COLUMNS),
    "pandas categories": lambda _: pd.DataFrame(COLUMNS).astype({"sex": "category"}),
    "polars": lambda _: pl.DataFrame(COLUMNS),
    "polars lazy": lambda _: pl.LazyFrame(COLUMNS),
    "pyarrow": lambda _: pa.table(COLUMNS),
    "csv": csv,
    "parquet": parquet,
}


@pytest.mark.parametrize("form", FORMS)
def test_every_kind_of_table_reads_alike(form: str, tmp_path: Path) -> None:
    table = FORMS[form](tmp_path)
    records = as_records(table, SCHEMA)
    assert [column.tolist() for column in records.columns] == [[50, 0, 20], [1, 0, 1], [2, 0, 1]]
    assert records.rows == 3
    with open_engine(table, "y") as engine:
        assert engine.rows({"y": SCHEMA.classes})["y"].tolist() == [0, 1, 0]


def test_an_array_has_the_attributes_in_order() -> None:
    array = np.array([[60, "M", 2], [-3, "F", 0]], dtype=object)
    assert [c.tolist() for c in as_records(array, SCHEMA).columns] == [[50, 0], [1, 0], [2, 0]]
    with pytest.raises(ParameterError, match="must have 3 columns"):
        as_records(np.zeros((4, 2)), SCHEMA)


@pytest.mark.parametrize(
    ("changed", "rule"),
    [
        ({"age": [1, float("nan"), 2]}, "column 'age' must hold finite numbers"),
        ({"age": [1, None, 2]}, "column 'age' must hold finite numbers"),
        ({"age": ["1", "secret", "2"]}, "column 'age' must hold finite numbers"),
        ({"age": [1j, 2j, 3j]}, "column 'age' must hold finite numbers"),
        ({"kids": [0, 1]}, "equally many rows"),
    ],
)
def test_a_broken_rule_names_the_column_and_no_value(changed: dict[str, list[Any]], rule: str) -> None:
    with pytest.raises(DataError, match=rule) as refused:
        as_records(COLUMNS | changed, SCHEMA)
    assert "secret" not in str(refused.value)
    assert refused.value.__cause__ is None


def test_an_undeclared_value_is_the_other_one_or_unknown_at_predict_time() -> None:
    schema = Schema({"a": Category(["x", "rest"], other="rest"), "b": Category(["u", "v"])}, [0, 1])
    table = {"a": ["x", "new", None], "b": ["u", "new", None]}
    read = as_records(table, schema)
    assert [column.tolist() for column in read.columns] == [[0, 1, 1], [0, UNKNOWN, UNKNOWN]]


@pytest.mark.parametrize("kind", ["float64", "float32", "int8", "int64", "uint64", "object"])
def test_numbers_among_whole_labels_are_found_and_no_others(kind: str) -> None:
    labels, numbers = [3, -1, 7], np.array([3, 7, 0, 4, 8, 100, 2])
    column = numbers.astype(kind) if kind[0] == "u" else np.append(numbers, [-1, -2]).astype(kind)
    expected = [labels.index(number) if number in labels else UNKNOWN for number in column.tolist()]
    schema = Schema({"a": Category(labels)}, ["no", "yes"])
    assert as_records({"a": column}, schema).columns[0].tolist() == expected
    odd = np.array([2.9, 3.1, np.nan, np.inf, -np.inf, 1e30, -0.999])
    assert as_records({"a": odd}, schema).columns[0].tolist() == [UNKNOWN] * 7
    huge = np.array([2**64 - 1, 2**63 + 3], dtype=np.uint64)
    assert as_records({"a": huge}, schema).columns[0].tolist() == [UNKNOWN] * 2


def test_a_missing_column_is_named() -> None:
    with pytest.raises(ParameterError, match="column must be one of the columns"):
        as_records({"age": [1], "sex": ["F"]}, SCHEMA)


def test_truth_values_are_read_from_text_as_engines_read_them() -> None:
    """A CSV file has ``true`` where Python prints ``True``: training on an engine takes both, so predicting does."""
    schema = Schema({"sick": Category([False, True])}, classes=["a", "b"])
    read = as_records({"sick": ["true", "True", "false", "FALSE"]}, schema)
    assert read.columns[0].tolist() == [1, 1, 0, 0]
