"""How a caller's value is shown in a message: plain values as they print, everything else by its type."""

from collections import Counter, deque, namedtuple
from collections.abc import Callable
from datetime import date
from decimal import Decimal
from enum import Enum, IntEnum
from fractions import Fraction
from typing import Any

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from dampen import Adjacency, Frame
from dampen._validate import render
from dampen.mechanisms import LocalDampening, PermuteAndFlip

SECRET = "SECRETxyz"
Pair = namedtuple("Pair", "name cost")


class Colour(Enum):
    RED = SECRET


class Level(IntEnum):
    LOW = 7318269451


class Telling:
    def __repr__(self) -> str:
        return SECRET

    __str__ = __repr__

    def __len__(self) -> int:
        return 7318269451

    shape = (SECRET,)


class Raising:
    def __getattr__(self, name: str) -> Any:
        raise RuntimeError(SECRET)

    def __repr__(self) -> str:
        raise RuntimeError(SECRET)

    def __len__(self) -> int:
        raise RuntimeError(SECRET)

    def __eq__(self, other: object) -> bool:
        raise RuntimeError(SECRET)

    __hash__ = None  # type: ignore[assignment]


class RaisingList(list[Any]):
    def __len__(self) -> int:
        raise RuntimeError(SECRET)


class TellingText(str):
    def __repr__(self) -> str:
        return SECRET


class TellingNumber(int):
    def __repr__(self) -> str:
        return SECRET


class TellingFrame(pd.DataFrame):  # type: ignore[misc]
    shape = (SECRET, SECRET)


@pytest.mark.parametrize(
    "value",
    [
        None, True, 3, -2.5, 1j, float("nan"), Fraction(1, 3), Decimal("0.1"), "ward", b"ward", range(5),
        date(2024, 2, 29), np.float64(0.1), np.int8(3), np.bool_(True), np.str_("ward"), np.datetime64("2024-02-29"),
        object, Adjacency.REPLACE, Frame, PermuteAndFlip(1), LocalDampening("0.5", shift=3),
    ],
    ids=repr,
)  # fmt: skip
def test_plain_values_print_as_they_are(value: object) -> None:
    assert render(value) == repr(value)


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ([SECRET] * 3, "a list"),
        ((SECRET, 1), "a tuple"),
        (Pair(SECRET, 1), "a Pair"),
        ({SECRET: SECRET}, "a dict"),
        (Counter(SECRET), "a Counter"),
        ({SECRET}, "a set"),
        (np.array([SECRET] * 3), "a numpy array"),
        (np.zeros((3, 2)), "a numpy array of 2 dimensions"),
        (np.array(7318269451), "a numpy array of 0 dimensions"),
        (np.array([(1, 2)], dtype=[("a", int), ("b", int)])[0], "a numpy void"),
        (np.ma.array([1, 2]), "a numpy MaskedArray"),
        (pd.Series([SECRET] * 100), "a pandas Series"),
        (pd.Series([SECRET, None], dtype="category"), "a pandas Series"),
        (pd.Series([SECRET], name=SECRET), "a pandas Series"),
        (pd.DataFrame({"shape": [1] * 10, "b": 2}), "a pandas DataFrame of 2 columns"),
        (pd.Index([SECRET]), "a pandas Index"),
        (pd.NA, "NA"),
        (pd.NaT, "NaT"),
        (pl.Series([SECRET]), "a polars Series"),
        (pl.DataFrame({"a": range(10), "b": 1, "c": 2}), "a polars DataFrame of 3 columns"),
        (pl.LazyFrame({"a": [SECRET]}), "a polars LazyFrame"),
        (pa.array([1, None]), "a pyarrow Int64Array"),
        (pa.table({"a": [1, 2]}), "a pyarrow Table of 1 columns"),
        (duckdb.sql("select 7318269451 as a"), "a duckdb DuckDBPyRelation"),
        ((i for i in (1, 2)), "a generator"),
        (deque([SECRET]), "a deque"),
        (lambda: SECRET, "a function"),
        (Colour.RED, "Colour.RED"),
        (Level.LOW, "Level.LOW"),
        (TellingText("ward"), "'ward'"),
        (TellingNumber(3), "3"),
        (Telling(), "a Telling"),
        (Raising(), "a Raising"),
        (RaisingList([SECRET]), "a RaisingList"),
        (TellingFrame({"a": [1]}), "a value that cannot be printed"),
        (10**5000, "a value that cannot be printed"),
        (object(), "an object"),
        (f"cost\n{SECRET}\n", "a text of several lines"),
        (type("two\nlines", (), {})(), "a two lines"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_everything_else_is_told_by_its_type(value: object, expected: str) -> None:
    assert render(value) == expected


@pytest.mark.parametrize(
    "make", [lambda: "x" * 1000, lambda: "a\nb" * 100, lambda: type("x" * 99, (), {})(), lambda: 9**99]
)
def test_one_short_line(make: Callable[[], object]) -> None:
    told = render(make())
    assert len(told) <= 60
    assert told.splitlines() == [told]


def test_no_query_runs_and_nothing_is_counted() -> None:
    connection = duckdb.connect()
    bad = connection.sql("select cast(s as bigint) as v from (values ('SECRETxyz')) t(s)")
    assert render(bad) == "a duckdb DuckDBPyRelation"
    lazy = pl.LazyFrame({"a": ["SECRETxyz"]}).map_batches(lambda frame: frame.cast(pl.Int64))
    assert render(lazy) == "a polars LazyFrame"
