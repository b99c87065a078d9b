"""What counts as the same value, a missing one and a number is one rule, whoever reads the data."""

from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from dampen.tables.engines import Bins, CodedTable, Labels, Source, open_engine
from dampen.tables.engines.arrays import ArrayEngine
from dampen.tables.files import header_of
from dampen.tables.grid import as_grid
from dampen.tables.reading import MISSING, OTHER

LARGE = 2**53
CLASSES = Labels((0, 1))


def held(table: pa.Table, path: Path) -> dict[str, Any]:
    """The same table in memory, in a file and inside DuckDB."""
    duckdb.from_arrow(table).write_parquet(str(path))
    return {
        "arrays": table,
        "loaded": Source(path, engine="arrays"),
        "parquet": path,
        "relation": duckdb.from_arrow(table),
    }


@pytest.mark.parametrize(
    ("values", "value", "rows"),
    [
        (np.array([0.1, 0.5], dtype=np.float32), 0.1, 0),
        (np.array([0.1, 0.5], dtype=np.float32), 0.5, 1),
        (np.array([LARGE, LARGE + 1]), float(LARGE), 1),
        (np.array([LARGE, LARGE + 2], dtype=float), LARGE + 1, 0),
        (np.array([1, 2], dtype=np.int8), 300, 0),
        (np.array([1, 2]), True, 1),
        (np.array([1, 2]), "2", 1),
        (np.array([True, False]), 0, 1),
        (np.array([True, False]), "True", 1),
        (np.array([True, False]), 2, 0),
    ],
    ids=["rounded", "float32", "whole as float", "between floats", "beyond", "truth", "text", "zero", "name", "two"],
)
def test_a_filter_does_not_round(values: Any, value: Any, rows: int, tmp_path: Path) -> None:
    forms = held(pa.table({"x": values}), tmp_path / "x.parquet") | {"numpy": {"x": values}}
    for form, data in forms.items():
        with open_engine(Source(data, {"x": value}), "x") as engine:
            assert engine.row_count() == rows, form


@pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame, pa.table], ids=["pandas", "polars", "pyarrow"])
def test_a_frame_without_rows_may_be_filtered(frame: Any) -> None:
    empty = frame({"x": np.array([], dtype=float), "sex": np.array([], dtype=str)})
    with open_engine(Source(empty, {"sex": "F"}), "x") as engine:
        assert engine.histogram("x", as_grid(range(3)))[1].sum() == 0


def test_whole_numbers_of_64_bits_without_a_sign_may_be_classes() -> None:
    columns = {"a": np.array([0, 1, 1], dtype=np.uint64), "y": np.array([0, 1, 0], dtype=np.uint64)}
    engine, table = ArrayEngine(columns), CodedTable({"a": CLASSES}, "y", CLASSES)
    assert engine.class_counts(table).tolist() == [[2, 1]]
    assert engine.contingency(table).tolist() == [[[1, 0], [1, 1]]]


def test_blanks_of_every_kind_are_missing(tmp_path: Path) -> None:
    table = pa.table({"g": ["", " \t", "\n", "\r\v\f", " NaN\n", "\xa0", "a"]})
    for form, data in held(table, tmp_path / "g.parquet").items():
        with open_engine(data, "g") as engine:
            assert engine.label_counts("g", ("a", "b")) == {0: 1, MISSING: 5, OTHER: 1}, form


@pytest.mark.parametrize(
    ("column", "labels"), [([1, 1], ("1", 1)), ([True, True], ("true", True)), ([0.5, 0.5], ("0.50", 0.5))]
)
def test_a_value_stands_for_the_label_that_it_equals(column: list[Any], labels: Any, tmp_path: Path) -> None:
    for form, data in held(pa.table({"g": column}), tmp_path / "g.parquet").items():
        with open_engine(data, "g") as engine:
            assert engine.label_counts("g", labels) == {1: 2}, form


@pytest.mark.parametrize("text", ["1_0", "\u0663", "5\xa0", "+-5", "5d", "0x5", "5\n", "\v5"])
def test_texts_that_only_some_read_as_numbers_are_none(text: str, tmp_path: Path) -> None:
    table = CodedTable({"x": Bins(0.0, 10.0, (2.0, 6.0))}, "y", CLASSES)
    for form, data in held(pa.table({"x": [text], "y": [0]}), tmp_path / "x.parquet").items():
        with open_engine(data, "x") as engine:
            assert engine.faults(table).columns == ("x",), form


@pytest.mark.parametrize("text", [" 5", "5\t", "+5", "5.", "5e0", "0005", "50E-1"])
def test_texts_that_all_read_as_numbers(text: str, tmp_path: Path) -> None:
    table = CodedTable({"x": Bins(0.0, 10.0, (2.0, 6.0))}, "y", CLASSES)
    for form, data in held(pa.table({"x": [text], "y": [0]}), tmp_path / "x.parquet").items():
        with open_engine(data, "x") as engine:
            assert engine.contingency(table)[0, :, 0].tolist() == [0, 1, 0], form


def test_long_whole_numbers_as_text_are_not_rounded(tmp_path: Path) -> None:
    ibis = pytest.importorskip("ibis")
    grid = as_grid(range(2**62 - 4, 2**62))
    table = pa.table({"x": [str(2**62 - 2), str(10**19), str(-(10**20))]})
    for form, data in (held(table, tmp_path / "x.parquet") | {"ibis": ibis.memtable(table)}).items():
        with open_engine(data, "x") as engine:
            places, counts = engine.histogram("x", grid)
        assert (places.tolist(), counts.tolist()) == ([0, 2, 3], [1, 1, 1]), form


@pytest.mark.parametrize("mark", [",", ";", "\t", "|"])
def test_names_of_a_header_may_all_be_quoted(mark: str, tmp_path: Path) -> None:
    path = tmp_path / "quoted.csv"
    path.write_text(f'"a b"{mark}"c"\n1{mark}2\n')
    assert header_of(path, "c") == (["a b", "c"], mark)
    with open_engine(path, "c") as engine:
        assert engine.label_counts("c", (2, 3)) == {0: 1}


@pytest.mark.parametrize("kind", ["float64", "float32"])
@pytest.mark.parametrize("grid", [as_grid(range(100)), as_grid(bounds=(0, 10), step="0.5")], ids=["whole", "halves"])
def test_nan_is_missing_where_a_file_tells_extremes_without_it(grid: Any, kind: str, tmp_path: Path) -> None:
    path = tmp_path / "x.parquet"
    values = np.array([np.nan, -3.0, 3.0], dtype=kind)
    pq.write_table(pa.table({"x": values}), path)
    assert pq.ParquetFile(path).metadata.row_group(0).column(0).statistics.max == 3.0
    expected = {MISSING: 1, 0: 1, int(3.0 / float(grid[1])): 1}
    for data in (path, Source(path, engine="arrays"), {"x": values}):
        with open_engine(data, "x") as engine:
            places, counts = engine.histogram("x", grid)
        assert dict(zip(places.tolist(), counts.tolist(), strict=True)) == expected
