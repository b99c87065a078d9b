"""Narrow whole numbers with nulls, collations and other types that a review found: no record moves another."""

from collections.abc import Callable
from typing import Any

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import dampen
from dampen import Category
from dampen._validate import no_warnings
from dampen.describe.conditions import Among
from dampen.errors import DataError
from dampen.graphs.graph import Graph
from dampen.learn import PrivateTreeClassifier, Schema
from dampen.tables import count_categories
from dampen.tables.engines import open_engine
from dampen.tables.groups import find_groups
from dampen.tables.reading import MISSING, OTHER

WHOLES = ("Int8", "Int16", "Int32", "Int64", "UInt8", "UInt16", "UInt32", "UInt64")
MAKERS: dict[str, Callable[[list[Any], str], Any]] = {
    "polars": lambda values, kind: pl.Series(values, dtype=getattr(pl, kind)),
    "pandas": lambda values, kind: pd.Series(values, dtype=kind),
    "pyarrow": lambda values, kind: pa.array(values, type=getattr(pa, kind.lower())()),
    "masked": lambda values, kind: np.ma.array(
        [0 if value is None else value for value in values],
        mask=[value is None for value in values],
        dtype=kind.lower(),
    ),
}


@pytest.mark.parametrize("kind", WHOLES)
@pytest.mark.parametrize("maker", MAKERS)
def test_a_null_is_missing_whatever_stands_beside_it(maker: str, kind: str) -> None:
    most = 120 if kind == "Int8" else 250
    labels = tuple(range(256))
    for beside in ([], [0], [most], [0, 1, 2]):
        column = MAKERS[maker]([None] * 9 + beside, kind)
        with open_engine({"v": column}, "v") as engine:
            assert engine.label_counts("v", labels) == {MISSING: 9} | dict.fromkeys(beside, 1)
            assert engine.label_counts("v", (0, 1, 2)) == {
                place: count for place, count in {MISSING: 9, OTHER: beside.count(most)}.items() if count
            } | {value: 1 for value in beside if value < 3}
        assert find_groups(column, labels).tolist() == [MISSING] * 9 + beside


@pytest.mark.parametrize("kind", WHOLES)
@pytest.mark.parametrize("maker", ["polars", "pandas", "pyarrow"])
def test_one_odd_record_does_not_move_the_nulls_of_a_tree(maker: str, kind: str) -> None:
    def counts(extra: list[int]) -> list[tuple[int, ...]]:
        values = [None] * 40 + [0, 1] * 10 + extra
        schema = Schema({"a": Category([0, 1, 2], other=2, missing="other")}, classes=["n", "p"])
        budget = dampen.Budget(epsilon=10**6)
        tree = PrivateTreeClassifier(10**5, 1, schema=schema, budget=budget)
        model = tree.fit({"a": MAKERS[maker](values, kind)}, (["n", "p"] * len(values))[: len(values)]).model_
        assert tree.predict({"a": MAKERS[maker]([None, 1], kind)}).shape == (2,)
        return [child.counts for child in model.children]

    assert counts([]) == [(10, 0), (0, 10), (20, 20)]
    assert counts([7]) == [(10, 0), (0, 10), (21, 20)]


def test_a_null_is_no_node() -> None:
    with pytest.raises(DataError):
        Graph.from_edges(pl.Series([0, None], dtype=pl.UInt8), [1, 1], nodes=[*range(256), "x"])


@pytest.mark.parametrize("make", ["varchar collate nocase", "varchar collate noaccent", "varchar"])
def test_a_collation_does_not_count_a_record_twice(make: str) -> None:
    with duckdb.connect() as connection:
        connection.execute(f"create table t (s {make})")
        connection.execute("insert into t values ('a'), ('a'), ('A'), ('\u00e1')")
        with open_engine(connection.table("t"), "s") as engine:
            assert engine.label_counts("s", ("A", "a")) == {0: 1, 1: 2, OTHER: 1}
            assert engine.part(Among("s", ("a",), frozenset({0}))).row_count() == 2


def test_labels_may_be_dates_of_numpy() -> None:
    days = np.array(["2020-01-01", "2020-01-02", "NaT"], dtype="M8[D]")
    assert count_categories(days, [np.datetime64("2020-01-02"), "x"], missing="drop", other="drop").tolist() == [1, 0]


DAYS = [0, 10**7, None]


@pytest.mark.parametrize(
    "days", [pl.Series(DAYS).cast(pl.Date), pa.array(DAYS, pa.int32()).cast(pa.date32())], ids=["polars", "pyarrow"]
)
def test_dates_beyond_those_of_python_stand_for_nothing(days: Any) -> None:
    assert count_categories(days, ["1970-01-01"], missing="drop", other="drop").tolist() == [1]


def test_silence_ends_when_the_last_thread_leaves() -> None:
    import warnings

    before = list(warnings.filters)
    outer, inner = no_warnings(), no_warnings()
    outer.__enter__()
    inner.__enter__()
    outer.__exit__(None, None, None)
    inner.__exit__(None, None, None)
    assert list(warnings.filters) == before


def test_every_text_of_a_file_is_itself(tmp_path: Any) -> None:
    (tmp_path / "t.csv").write_text('v\n"\x01"\n\x01\n""\na\n')
    labels = ("\x01", "", "a")
    assert count_categories(tmp_path / "t.csv", labels, column="v").tolist() == [2, 1, 1]
