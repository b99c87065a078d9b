"""Counts by category, in memory and in files."""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, Any

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from dampen.errors import DataError, ParameterError
from dampen.tables import count_categories
from tests.unit.tables.test_grid_counts import Spy

if TYPE_CHECKING:
    from tests.conftest import Refused, RunPython

DRINKS = ["tea", "coffee", "tea"]


def csv(folder: Path, fields: list[str], header: str = "v,w") -> Path:
    path = folder / "values.csv"
    path.write_text(header + "\n" + "".join(f"{field},0\n" for field in fields))
    return path


@pytest.mark.parametrize(
    "values",
    [
        DRINKS,
        tuple(DRINKS),
        np.array(DRINKS),
        np.array(DRINKS, dtype=object),
        pd.Series(DRINKS),
        pd.Series(DRINKS, dtype="category"),
        pl.Series(DRINKS),
        pl.Series(DRINKS, dtype=pl.Categorical),
        pl.Series(DRINKS, dtype=pl.Enum(["tea", "coffee"])),
    ],
    ids=lambda values: f"{type(values).__module__}-{getattr(values, 'dtype', '')}",
)
def test_columns_of_many_types(values: Any) -> None:
    counts = count_categories(values, ["coffee", "water", "tea"])
    assert counts.tolist() == [1, 0, 2]
    assert counts.dtype == np.int64


@pytest.mark.parametrize("make", [pd.DataFrame, pl.DataFrame, pl.LazyFrame, dict])
def test_columns_of_frames(make: Any) -> None:
    assert count_categories(make({"v": DRINKS}), ("coffee", "tea"), column="v").tolist() == [1, 2]


@settings(max_examples=15, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(values=st.lists(st.sampled_from([*"abc", "ä 'b'", 'the "best"', "a,b", "01", " x"]), max_size=40))
def test_files_agree_with_lists(values: list[str], tmp_path: Path) -> None:
    categories = ['the "best"', "b", "01", "c", "ä 'b'", "a,b", "a", " x", "1"]
    frame = pl.DataFrame({"id": range(len(values)), "v": pl.Series(values, dtype=pl.String)})
    frame.write_csv(tmp_path / "values.csv")
    frame.write_parquet(tmp_path / "values.parquet")
    expected = [values.count(category) for category in categories]
    assert count_categories(values, categories).tolist() == expected
    assert count_categories(tmp_path / "values.csv", categories, column="v").tolist() == expected
    assert count_categories(tmp_path / "values.parquet", categories, column="v").tolist() == expected


def test_numbers_count_however_they_are_written(tmp_path: Path) -> None:
    path = csv(tmp_path, ["1", "1.0", "01", "2", "2e0", " 3"])
    assert count_categories(path, [1, 2, 3], column="v").tolist() == [3, 2, 1]
    assert count_categories(path, [3.0, 2.0, 1.0], column="v").tolist() == [1, 2, 3]
    assert count_categories(path, np.array([1, 2, 3]), column="v").tolist() == [3, 2, 1]
    assert count_categories(path, ["1", "01", "2"], column="v", other="drop").tolist() == [2, 1, 2]
    assert count_categories(csv(tmp_path, [str(2**60)]), [2**60 + 1, 2**60], column="v").tolist() == [0, 1]
    assert count_categories(csv(tmp_path, [str(2**60)]), [2**60 + 1], column="v", other="drop").tolist() == [0]


@pytest.mark.parametrize(
    ("values", "categories"),
    [
        ([1, 2, 2], [2, 1]),
        ([1, 2, 2], ["2", "1"]),
        ([0.5, 1.0, 1.0], [1, 0.5]),
        ([True, False, False], [False, True]),
        ([date(2020, 1, 2), date(2021, 1, 1), date(2021, 1, 1)], [date(2021, 1, 1), date(2020, 1, 2)]),
        (["x", "y", "y"], ["y", "x"]),
        ([2**62, 2**62 + 1, 2**62 + 1], [2**62 + 1, 2**62]),
    ],
)
def test_parquet_columns_of_many_types(values: list[Any], categories: list[Any], tmp_path: Path) -> None:
    pl.DataFrame({"v": values}).write_parquet(tmp_path / "values.parquet")
    assert count_categories(tmp_path / "values.parquet", categories, column="v").tolist() == [2, 1]
    if not isinstance(categories[0], str) or isinstance(values[0], str):
        assert count_categories(values, categories).tolist() == [2, 1]


def test_booleans_in_text(tmp_path: Path) -> None:
    assert count_categories(csv(tmp_path, ["True", "true", "False"]), [False, True], column="v").tolist() == [1, 2]


@pytest.mark.parametrize(
    "values",
    [
        ["a", None],
        ["a", float("nan")],
        np.array(["a", None], dtype=object),
        np.ma.masked_array(["a", "b"], mask=[False, True]),
        pd.Series(["a", None]),
        pd.Series(["a", pd.NA], dtype="string"),
        pl.Series(["a", None]),
    ],
    ids=lambda values: f"{type(values).__module__}-{getattr(values, 'dtype', values)}",
)
def test_missing_values(values: Any, refused: "Refused") -> None:
    with refused(DataError, "values must have no missing values"):
        count_categories(values, ["a"])
    assert count_categories(values, ["a"], missing="drop").tolist() == [1]


@pytest.mark.parametrize("kind", ["csv", "text", "number"])
def test_missing_values_in_files(kind: str, tmp_path: Path, refused: "Refused") -> None:
    path = csv(tmp_path, ["1", "", '""', " "]) if kind == "csv" else tmp_path / "values.parquet"
    if kind != "csv":
        pl.DataFrame({"v": ["1", None, ""] if kind == "text" else [1.0, None, float("nan")]}).write_parquet(path)
    with refused(DataError, "column 'v' must have no missing values"):
        count_categories(path, [1], column="v")
    assert count_categories(path, [1], column="v", missing="drop").tolist() == [1]


def test_a_declared_category_is_not_missing(tmp_path: Path) -> None:
    assert count_categories(csv(tmp_path, ["nan", ""]), ["", "nan"], column="v").tolist() == [1, 1]


@pytest.mark.parametrize("kind", ["list", "csv", "parquet"])
def test_values_outside_the_categories(kind: str, tmp_path: Path, refused: "Refused") -> None:
    values: Any = ["a", "secret"]
    column = None if kind == "list" else "v"
    if kind == "csv":
        values = csv(tmp_path, values)
    elif kind == "parquet":
        pl.DataFrame({"v": values}).write_parquet(tmp_path / "values.parquet")
        values = tmp_path / "values.parquet"
    with refused(DataError, "only the declared categories", "other='drop'", hidden=("secret",)):
        count_categories(values, ["a", "b"], column=column)
    assert count_categories(values, ["a", "b"], column=column, other="drop").tolist() == [1, 0]


@pytest.mark.parametrize(
    "categories", [[], ["a", "a"], [1, True], "ab", {"a"}, {"a": 1}, [["a"]], 5, ["a", None], [float("nan")]]
)
def test_wrong_categories(categories: Any, refused: "Refused") -> None:
    with refused(ParameterError, "categories must"):
        count_categories(["a"], categories)


def test_categories_that_look_alike(tmp_path: Path) -> None:
    """A value counts for the label that it is, else for the one that prints so, else for one that reads so."""
    assert count_categories(csv(tmp_path, ["1", "1.0"]), [1, "1"], column="v").tolist() == [1, 1]
    assert count_categories([1, "1", "1"], [1, "1"]).tolist() == [1, 2]
    assert count_categories([True, "true", "TRUE", 1], [True, "true"]).tolist() == [3, 1]


def test_wrong_arguments(refused: "Refused") -> None:
    with refused(ParameterError, "other", "'keep'"):
        count_categories(["a"], ["a"], other="keep")
    with refused(ParameterError, "missing", "'keep'"):
        count_categories(["a"], ["a"], missing="keep")
    with refused(DataError, "only the declared categories"):
        count_categories([["a"]], ["a"])


def test_only_places_and_counts_leave_duckdb(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    rows: list[dict[str, Any]] = []
    connect = duckdb.connect

    @contextmanager
    def spied(**arguments: Any) -> Iterator[Spy]:
        with connect(**arguments) as connection:
            yield Spy(connection, rows)

    monkeypatch.setattr(duckdb, "connect", spied)
    count_categories(
        csv(tmp_path, [*"aab", "secret", "secret 2", ""]), ["a", "b"], column="v", missing="drop", other="drop"
    )
    [left] = rows
    assert {name: sorted(column.tolist()) for name, column in left.items()} == {
        "place": [-2, -1, 0, 1],
        "count": [1, 1, 2, 2],
    }


def test_files_need_no_data_frame_library(run_python: "RunPython", tmp_path: Path) -> None:
    code = """
        import sys
        sys.modules.update(dict.fromkeys(("pandas", "polars", "pyarrow")))
        from dampen.tables import count_categories
        for path, categories in zip(sys.argv[1:], (["a", "b"], [1, 2.5])):
            print(count_categories(path, categories, column="v"))
    """
    (tmp_path / "numbers").mkdir()
    done = run_python(code, str(csv(tmp_path, ["b", "a", "b"])), str(csv(tmp_path / "numbers", ["1", "2.5", "2.50"])))
    assert (done.stdout, done.stderr) == ("[1 2]\n[1 2]\n", "")
