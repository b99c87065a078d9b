"""Days: one rule for every engine, at the ends of what each can hold."""

from collections.abc import Iterator
from contextlib import closing, contextmanager
from datetime import UTC, date, datetime, timedelta, timezone
from fractions import Fraction
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from dampen.describe.conditions import Between
from dampen.errors import DataError
from dampen.tables import count_on_grid
from dampen.tables.day_grid import day_grid
from dampen.tables.engines import Reading, Source, open_engine
from dampen.tables.reading import FIRST_DAY, LAST_DAY, MISSING, OTHER, read_day

NEVER: list[str] = ["infinity", "-infinity", "10000-01-01", "0001-12-31 (BC)", "0044-03-15 (BC)"]
"""What DuckDB takes for a date, and nobody else."""
MOMENTS: dict[str, int] = {
    "1970-01-01 00:00:00": 0,
    "1970-01-01 23:59:59": 0,
    "1969-12-31 23:59:59": -1,
    "1969-12-31 00:00:00": -1,
    "2024-02-29 12:30:00": 19782,
    "1900-03-01 00:00:00": -25508,
}
ENDS = {"0001-01-01 00:00:00": FIRST_DAY, "9999-12-31 23:59:59": LAST_DAY}
FINE = {"1969-12-31 23:59:59.999999": -1, "1970-01-01 00:00:00.000001": 0, "9999-12-31 23:59:59.999999": LAST_DAY}
FINEST = {"1969-12-31 23:59:59.999999999": -1, "1970-01-01 00:00:00.000000001": 0, "1677-09-22 00:00:00": -106751}
TYPES: dict[str, dict[str, int]] = {
    "DATE": {moment[:10]: day for moment, day in (MOMENTS | ENDS).items()} | dict.fromkeys(NEVER, OTHER),
    "TIMESTAMP": MOMENTS | ENDS | FINE | dict.fromkeys([*NEVER, "290000-01-01"], OTHER),
    "TIMESTAMP_S": MOMENTS | ENDS | dict.fromkeys([*NEVER, "290000-01-01"], OTHER),
    "TIMESTAMP_MS": MOMENTS | ENDS | {"9999-12-31 23:59:59.999": LAST_DAY} | dict.fromkeys(NEVER, OTHER),
    "TIMESTAMP_NS": MOMENTS | FINEST | dict.fromkeys(["infinity", "-infinity"], OTHER),
    "TIMESTAMPTZ": {f"{moment}+00": day for moment, day in (MOMENTS | ENDS | FINE).items()}
    | {"1970-01-01 08:59:59+09": -1, "9999-12-31 23:00:00-01": OTHER, "0001-01-01 00:59:59+01": OTHER}
    | dict.fromkeys(["infinity", "-infinity"], OTHER),
}
"""Values of DuckDB's types, and the day of each."""


@contextmanager
def table_of(sql_type: str, texts: list[str], form: str, folder: Path) -> Iterator[Any]:
    """A column of a type, in a session far from UTC."""
    rows = ", ".join(f"({place}, '{text}'::{sql_type})" for place, text in enumerate(texts))
    make = f"create table t as select * from (values {rows}, ({len(texts)}, null)) r(i, v)"
    if form == "ibis":
        backend = pytest.importorskip("ibis").duckdb.connect()
        backend.raw_sql("set timezone = 'Asia/Tokyo'")
        backend.raw_sql(make)
        yield backend.table("t")
        return
    with closing(duckdb.connect()) as connection:
        connection.execute("set timezone = 'Asia/Tokyo'")
        connection.execute(make)
        if form == "relation":
            yield connection.table("t")
            return
        connection.execute(f"copy t to '{folder / 't.parquet'}' (format parquet)")
    yield Source(folder / "t.parquet", engine="arrays" if form == "loaded" else None)


FORMS = [(kind, form) for kind in TYPES for form in ("relation", "ibis", "parquet", "loaded")]
IN_FILES = ("DATE", "TIMESTAMP", "TIMESTAMP_NS", "TIMESTAMPTZ")
"""Parquet files have no seconds, and DuckDB cannot write its infinite ones."""


@pytest.mark.parametrize(
    ("sql_type", "form"), [each for each in FORMS if each[0] in IN_FILES or each[1] in ("relation", "ibis")]
)
def test_every_moment_of_duckdb_has_its_day(sql_type: str, form: str, tmp_path: Path) -> None:
    """One by one: each alone, beside a null, on a grid that has the day before, the day and the day after."""
    days = TYPES[sql_type]
    with table_of(sql_type, [*days], form, tmp_path) as data, open_engine(data, "v") as engine:
        for place, (text, day) in enumerate(days.items()):
            low, high = (max(day - 1, FIRST_DAY), min(day + 1, LAST_DAY)) if day != OTHER else (FIRST_DAY, LAST_DAY)
            assert _places(engine, place, _day(low), _day(high)) == {OTHER if day == OTHER else day - low: 1}, text
        assert _places(engine, len(days), date(1, 1, 1), date(9999, 12, 31)) == {MISSING: 1}
        for first, last in ((None, None), (-1, 0), (0, None), (None, -1), (19782, 19782)):
            kept = [day for day in days.values() if day != OTHER and (first is None or day >= first)]
            kept = [day for day in kept if last is None or day <= last]
            assert engine.part(_between(first, last)).row_count() == len(kept), (first, last)
        faulty = engine.faulty({"v": Reading(days=True)})
        assert (*faulty.missing, *faulty.other) == ("v",) * (2 if OTHER in days.values() else 1)


def _day(number: int) -> date:
    return date.fromordinal(date(1970, 1, 1).toordinal() + number)


def _between(low: int | None, high: int | None) -> Between:
    ends = [None if end is None else Fraction(end) for end in (low, high)]
    return Between("v", ends[0], ends[1], days=True)


def _places(engine: Any, place: int, low: date, high: date) -> dict[int, int]:
    """Where one row stands on a grid of days."""
    row = Between("i", Fraction(place), Fraction(place))
    places, counts = engine.part(row).histogram("v", day_grid(low, high, "day"))
    return dict(zip(places.tolist(), counts.tolist(), strict=True))


FAR: dict[str, Any] = {
    "numpy seconds": np.array([0, 10**15, -(10**15)], dtype="datetime64[s]"),
    "numpy years": np.array([0, 10**9, -(10**4)], dtype="datetime64[Y]"),
    "polars days": pl.Series([0, 10**7, -(10**6)]).cast(pl.Date),
    "polars moments": pl.Series([0, 10**18, -(10**17)]).cast(pl.Datetime("us")),
    "arrow days": pa.array([0, 10**7, -(10**6)], pa.int32()).cast(pa.date32()),
    "arrow moments": pa.array([0, 10**15, -(10**15)], pa.timestamp("s")),
    "pandas moments": pd.Series(np.array([0, 10**15, -(10**15)], dtype="datetime64[s]")),
}


@pytest.mark.parametrize("name", FAR)
def test_days_beyond_those_of_python_are_none(name: str) -> None:
    with open_engine({"v": FAR[name]}, "v") as engine:
        places, counts = engine.histogram("v", day_grid(date(1970, 1, 1), date(1970, 1, 2), "day"))
    assert dict(zip(places.tolist(), counts.tolist(), strict=True)) == {OTHER: 2, 0: 1}


def test_seconds_that_duckdb_cannot_count_are_no_days() -> None:
    import ibis

    far = pa.table({"v": pa.array([10**15, -(10**15), 0], pa.timestamp("s"))})
    backend = ibis.duckdb.connect()
    backend.con.register("held", far)
    backend.con.execute("create table far as select * from held")
    with closing(duckdb.connect()) as connection:
        connection.register("far", far)
        for data in (connection.sql("select * from far"), backend.table("far")):
            with open_engine(data, "v") as engine:
                places, counts = engine.histogram("v", day_grid(date(1970, 1, 1), date(1970, 1, 2), "day"))
                assert dict(zip(places.tolist(), counts.tolist(), strict=True)) == {OTHER: 2, 0: 1}


DAYS: list[tuple[Any, int | None]] = [
    (date(1970, 1, 1), 0),
    (date(1, 1, 1), FIRST_DAY),
    (date(9999, 12, 31), LAST_DAY),
    (datetime(1969, 12, 31, 23, 59, 59, 999999), -1),
    (datetime(1970, 1, 1, 8, 59, tzinfo=timezone(timedelta(hours=9))), -1),
    (datetime(9999, 12, 31, 23, tzinfo=timezone(timedelta(hours=-1))), None),
    (datetime(1, 1, 1, 0, tzinfo=timezone(timedelta(hours=1))), None),
    (datetime(2024, 2, 29, tzinfo=UTC), 19782),
    (pd.Timestamp("1969-12-31 23:59:59.999999999"), -1),
    (np.datetime64(-1, "ns"), -1),
    (np.datetime64(-1, "as"), -1),
    (np.array([-1], dtype="datetime64[3h]")[0], -1),
    (np.array([9], dtype="datetime64[3h]")[0], 1),
    (np.datetime64("2024", "Y"), 19723),
    (np.datetime64(10**18, "M"), None),
    (np.datetime64(10**18, "h"), None),
    ("2024-02-29", 19782),
    (" 2024-02-29\t", 19782),
    ("2024-02-29\n", None),
    ("2024-02-30", None),
    ("0000-12-31T23:30:00-01:00", None),
    ("2024-02-29T23:30:00-00:30", 19783),
    ("2024-02-29T23:30:00-00:29", 19782),
    ("2024-02-29 00:29:59.999999+00:30", 19781),
    ("2024-02-29 12:30:00Z", 19782),
    ("2024-02-29 12:30:00z", None),
    ("2024-02-29 24:00:00", None),
    ("2024-02-29 12:30:60", None),
    ("2024-02-29 12:30:00+01:60", None),
    ("2024-02-29 12:30:00+24:00", None),
    ("2024-02-29 12:30", None),
    ("2024-2-29", None),
    ("12024-02-29", None),
    ("19782", None),
    (19782, None),
    (19782.0, None),
    (True, None),
    (timedelta(1), None),
    (b"2024-02-29", None),
]


@pytest.mark.parametrize(("value", "day"), DAYS, ids=repr)
def test_the_day_of_a_value(value: Any, day: int | None) -> None:
    assert read_day(value) == day


def test_numbers_are_no_days_and_days_no_numbers() -> None:
    grid = day_grid(date(2024, 1, 1), date(2024, 1, 3), "day")
    for values in ([1, 2], [1.5, float("inf")], [True], ["tea"], [19723]):
        with pytest.raises(DataError, match=r"values must hold days or moments"):
            count_on_grid(values, grid)
    with pytest.raises(DataError, match="values must hold numbers"):
        count_on_grid([date(2024, 1, 1)], range(9))
    assert count_on_grid([float("nan"), None, "", " nan"], grid, missing="drop").n == 0
    with pytest.raises(DataError, match="values must have no missing values"):
        count_on_grid([date(2024, 1, 1), None], grid)
