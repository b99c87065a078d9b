"""Sums of groups are exact to the last bit: against fractions, on floats of every size."""

from fractions import Fraction
from math import inf, nextafter
from random import Random
from typing import Any

import duckdb
import numpy as np
import polars as pl
import pytest

from dampen.tables.engines import duck_stream, open_engine, running_sums
from dampen.tables.engines.array_codes import FEW
from dampen.tables.engines.digits import WIDE, wide_power
from dampen.tables.engines.duckdb import DuckEngine

BOUNDS: list[tuple[Any, Any]] = [
    (0, 1),
    (0, 10_000),
    (-1, 0),
    (-(2**62), 2**62),
    ("1/3", "2/3"),
    ("-0.1", "0.3"),
    (0, "1/1000000"),
    (-5, Fraction(2**52 + 1, 2**52)),
    (1, 2),
]


def numbers(rng: Random, size: int, far: bool) -> list[float]:
    """Floats at and beside whole numbers and powers of 2, of all sizes, of both signs."""

    def one() -> float:
        value = rng.choice(
            [rng.random(), rng.randrange(10_000) / 100, float(rng.randrange(5)), 2.0 ** rng.randint(-70, 62)]
        )
        if far:
            value = rng.choice(
                [value, 5e-324, 2.0**-1022, 1e-200, inf, 1e300, rng.random() * 2.0 ** rng.randint(-1074, 1000)]
            )
        value = rng.choice([value, nextafter(value, inf), nextafter(value, -inf), 0.0])
        return value if rng.random() < 0.5 else -value

    return [one() for _ in range(size)]


def expected(groups: list[int], values: list[Any], ends: tuple[Fraction, Fraction]) -> dict[tuple[int, ...], Any]:
    found: dict[tuple[int, ...], tuple[int, Fraction]] = {}
    for group, value in zip(groups, values, strict=True):
        held = ends[0] if value < ends[0] else ends[1] if value > ends[1] else Fraction(value)
        count, total = found.get((group,), (0, Fraction(0)))
        found[group,] = count + 1, total + held
    return found


def told(data: Any, ends: tuple[Fraction, Fraction]) -> dict[tuple[int, ...], Any]:
    with open_engine(data, "v", "g") as engine:
        sums = engine.sums_by_group("v", ends, [("g", (0, 1, 2))])
        assert not any(each.missing or each.other for each in sums.values())
        return {group: (each.count, each.sum) for group, each in sums.items()}


@pytest.mark.parametrize("far", [False, True], ids=["near", "far"])
@pytest.mark.parametrize("bounds", BOUNDS, ids=str)
def test_floats(bounds: tuple[Any, Any], far: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    ends = (Fraction(bounds[0]), Fraction(bounds[1]))
    rng = Random(f"{bounds} {far}")
    for size in (1, 200):
        groups, values = [rng.randrange(3) for _ in range(size)], numbers(rng, size, far)
        frame = pl.DataFrame({"g": groups, "v": values}, schema={"g": pl.Int64, "v": pl.Float64})
        right = expected(groups, values, ends)
        assert told(frame, ends) == right
        with duckdb.connect() as connection:
            assert told(connection.sql("select * from frame"), ends) == right
            assert told(connection.sql("select g, v::varchar as v from frame"), ends) == right
            with monkeypatch.context() as patch:
                patch.setattr(duck_stream, "MANY_ROWS", 0)
                patch.setattr(DuckEngine, "fetch", None)
                assert told(connection.sql("select * from frame"), ends) == right


@pytest.mark.parametrize(
    "kind", ["TINYINT", "UTINYINT", "SMALLINT", "INTEGER", "UINTEGER", "BIGINT", "UBIGINT", "HUGEINT"]
)
@pytest.mark.parametrize("bounds", BOUNDS, ids=str)
def test_whole_numbers_of_every_width(kind: str, bounds: tuple[Any, Any]) -> None:
    ends = (Fraction(bounds[0]), Fraction(bounds[1]))
    bits = {"TINYINT": 7, "UTINYINT": 8, "SMALLINT": 15, "INTEGER": 31, "UINTEGER": 32, "BIGINT": 63, "UBIGINT": 64}
    top = 2 ** bits.get(kind, 126)
    low = 0 if kind.startswith("U") else -top
    rng = Random(f"{kind} {bounds}")
    values = [
        low,
        top - 1,
        0,
        1,
        2,
        *(rng.randrange(low, top) for _ in range(20)),
        *(rng.randrange(100) for _ in range(9)),
    ]
    groups = [rng.randrange(3) for _ in values]
    rows = ", ".join(f"({group}, '{value}'::{kind})" for group, value in zip(groups, values, strict=True))
    with duckdb.connect() as connection:
        right = expected(groups, values, ends)
        assert told(connection.sql(f"select * from (values {rows}) t(g, v)"), ends) == right
    assert told({"g": groups, "v": values}, ends) == right


def test_missing_values_of_a_whole_column_add_nothing() -> None:
    """DuckDB's least and greatest pass over null."""
    for bounds in ((5, 9), (-9, -5), ("1/2", 9)):
        ends = (Fraction(bounds[0]), Fraction(bounds[1]))
        with duckdb.connect() as connection:
            data = connection.sql("select 0 as g, v from (values (1), (null), (7), (null)) t(v)")
            with open_engine(data) as engine:
                [sums] = engine.sums_by_group("v", ends, [("g", (0,))]).values()
        right = [min(max(Fraction(value), ends[0]), ends[1]) for value in (1, 7)]
        assert (sums.count, sums.sum, sums.missing, sums.other) == (2, sum(right), 2, 0)


def test_a_digit_is_below_its_size() -> None:
    for bounds in BOUNDS:
        ends = (Fraction(bounds[0]), Fraction(bounds[1]))
        largest = max(map(abs, ends))
        assert largest * Fraction(2) ** wide_power(ends) <= 2**WIDE


NEAR_TINY = {
    "nothing": (0.0, 1),
    "half of a first digit": (2.0**-61, 1),
    "below half of it": (nextafter(2.0**-61, 0), 1),
    "the smallest of two digits": (2.0**-68, 1),
    "a digit more": (nextafter(2.0**-68, 0), 2),
    "a tenth": (0.1, 1),
    "the smallest of one digit": (2.0**-8, 1),
}


@pytest.mark.parametrize(("value", "scans"), NEAR_TINY.values(), ids=NEAR_TINY.keys())
@pytest.mark.parametrize("kind", ["double", "varchar"])
def test_only_tiny_floats_are_scanned_twice(
    value: float, scans: int, kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    ends, asked, fetch = (Fraction(-1), Fraction(1)), list[str](), DuckEngine.fetch

    def note(engine: DuckEngine, query: str, **tables: Any) -> Any:
        asked.append(query)
        return fetch(engine, query, **tables)

    monkeypatch.setattr(DuckEngine, "fetch", note)
    values = [value, -value, 0.0, 0.5, -2.0, value]
    frame = pl.DataFrame({"g": [0, 1, 0, 1, 2, 2], "v": values})
    with duckdb.connect() as connection:
        found = told(connection.sql(f"select g, v::{kind} as v from frame"), ends)
    assert found == expected(frame["g"].to_list(), values, ends)
    assert len(asked) == scans


def test_very_many_groups_are_numbered_as_they_occur(monkeypatch: pytest.MonkeyPatch) -> None:
    data = {"v": np.arange(6.0), "g": np.array([2, 0, 2, 1, 0, 2])}
    ends = (Fraction(0), Fraction(4))
    usual = told(data, ends)
    monkeypatch.setattr(running_sums, "MANY", 1)
    assert told(data, ends) == usual == expected([2, 0, 2, 1, 0, 2], [0, 1, 2, 3, 4, 5], ends)


@pytest.mark.parametrize("dtype", [np.int8, np.int32, np.uint32, np.int64, np.uint64, np.float32])
@pytest.mark.parametrize("ends", [(-3, 100), (0, 2**31 - 1), (-(2**32) + 1, 2**32 - 1), (-(2**40), 2**40), ("1/2", 9)])
def test_many_rows_of_every_type_are_added_in_threads_as_one_by_one(
    dtype: Any, ends: tuple[Any, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(running_sums, "PER_THREAD", FEW)
    rng = np.random.default_rng(11)
    limits = np.iinfo(dtype) if dtype is not np.float32 else np.iinfo(np.int16)
    values = rng.integers(limits.min, limits.max, 3 * FEW // 2, dtype=limits.dtype, endpoint=True).astype(dtype)
    groups = rng.integers(0, 3, len(values))
    low, high = Fraction(ends[0]), Fraction(ends[1])
    first, last = int(2 * low), int(2 * high)
    for group, found in told({"g": groups, "v": values}, (low, high)).items():
        halves = (2 * int(one) for one in values[groups == group[0]].tolist())
        held = [min(max(one, first), last) for one in halves]
        assert found == (len(held), Fraction(sum(held), 2))
