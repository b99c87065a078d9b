"""A million rows: arrays, DuckDB, ibis and Spark give equal counts, and so equal laws and equal models."""

from fractions import Fraction
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import dampen
from dampen.mechanisms import PermuteAndFlip
from dampen.queries import count_problem, percentile_value_problem
from dampen.tables import as_grid, count_categories, count_on_grid
from dampen.tables.counts import total
from dampen.tables.engines import Bins, CodedTable, Labels, Route, open_engine
from tests.contracts.engines import SPARK, lying, table

ROWS = 10**6
CITIES = ("Oslo", "Bonn", "Lima, Peru")
ENGINES: list[Any] = ["parquet", "glob", "ibis", SPARK]
CODED = CodedTable(
    {
        "city": Labels(CITIES),
        "sick": Labels((False, True)),
        "age": Bins(-50.0, 60.0, tuple(float(edge) for edge in range(-40, 60, 9))),
    },
    "kind",
    Labels(("no", "perhaps", "yes")),
    Route(0, (Route(1, (0, 1)), 2, -1)),
    3,
)


@cache
def rows() -> pl.DataFrame:
    return table(ROWS)


def laws(data: Any) -> list[Any]:
    """The exact laws of a median and of the most frequent city."""
    around: dict[str, Any] = {"adjacency": dampen.Adjacency.ADD_REMOVE}
    median = percentile_value_problem(data, 50, grid=range(-50, 60), column="age", **around)
    city = count_problem(data, categories=CITIES, column="city", **around)
    mechanism = PermuteAndFlip(Fraction(1, 10**5))
    return [np.asarray(mechanism.log_probabilities(problem.as_public())) for problem in (median, city)]


@pytest.mark.long
@pytest.mark.parametrize("form", ENGINES)
def test_a_million_rows_are_the_same_everywhere(form: str, tmp_path: Path) -> None:
    judge, data = rows(), lying(rows(), form, tmp_path)
    for column, grid in (("pay", as_grid(bounds=(-1, 2), step="0.1")), ("age", as_grid(range(-31, 40, 4)))):
        assert count_on_grid(data, grid, column=column) == count_on_grid(judge, grid, column=column)
    assert total(data, ("-2.5", 700), column="pay") == total(judge, ("-2.5", 700), column="pay")
    counted, expected = (count_categories(where, CITIES, column="city").tolist() for where in (data, judge))
    assert counted == expected == [int((judge["city"] == city).sum()) for city in CITIES]
    columns = (*CODED.attributes, "kind")
    with open_engine(data, *columns) as engine, open_engine(judge, *columns) as arrays:
        assert engine.row_count() == ROWS
        assert (engine.contingency(CODED) == arrays.contingency(CODED)).all()
        assert (engine.class_counts(CODED) == arrays.class_counts(CODED)).all()
    for found, law in zip(laws(data), laws(judge), strict=True):
        assert np.array_equal(found, law)
