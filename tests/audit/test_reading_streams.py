"""Floats that leave DuckDB in a stream: one record more moves the sum and counts of its own group, and nothing else.

The coupling gate draws its columns from all types, and few are floats alone. Here every float is added to every table
of two others (by default to some), and held against the rule of reading.
"""

from fractions import Fraction
from itertools import combinations_with_replacement
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from dampen.tables.engines import duck_stream, open_engine
from dampen.tables.engines.duckdb import DuckEngine
from dampen.tables.reading import MISSING, OTHER
from tests.audit.reading.oracle import No, number
from tests.audit.reading.pool import NO_REALS, REALS

VALUES: tuple[Any, ...] = (*REALS, *NO_REALS, -2.5, -1e300, None)
LOW, HIGH = Fraction(-1, 3), Fraction(9, 4)
LABELS = {"texts": ("a", "b"), "wholes": (7, 2)}
GROUPS: dict[str, tuple[pa.DataType, tuple[Any, ...]]] = {
    "texts": (pa.string(), ("a", "b", " a", None)),
    "wholes": (pa.int32(), (7, 2, 5, None)),
}
Told = dict[tuple[int, ...], tuple[int, int, Fraction]]


def told_by_stream(records: list[tuple[Any, Any]], by: str, path: Path) -> Told:
    """By group: how many numbers, how many are missing, and their sum."""
    columns = list(zip(*records, strict=True)) if records else [(), ()]
    table = pa.table({"v": pa.array(columns[0], pa.float64()), "g": pa.array(columns[1], GROUPS[by][0])})
    pq.write_table(table, path)
    with open_engine(path, "v", "g") as engine:
        found = engine.sums_by_group("v", (LOW, HIGH), [("g", LABELS[by])])
    assert all(each.other == 0 for each in found.values())
    return {group: (each.count, each.missing, each.sum) for group, each in found.items()}


def move(told: Told, record: tuple[Any, Any], by: str) -> Told:
    """What one record more has to make of it, by the rule of reading."""
    value, group = record
    labels, found = LABELS[by], number(value)
    place = labels.index(group) if group in labels else MISSING if group is None else OTHER
    count, missing, total = told.get((place,), (0, 0, Fraction(0)))
    if isinstance(found, No) and found is No.MISSING:
        return told | {(place,): (count, missing + 1, total)}
    reached = LOW if value == float("-inf") else HIGH if value == float("inf") else Fraction(found)  # type: ignore[arg-type]
    return told | {(place,): (count + 1, missing, total + min(max(reached, LOW), HIGH))}


@pytest.mark.parametrize("every", [24, pytest.param(1, marks=pytest.mark.long)])
@pytest.mark.parametrize("by", GROUPS)
def test_one_record_more_moves_its_own_group_alone(
    by: str, every: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(duck_stream, "MANY_ROWS", 0)
    monkeypatch.setattr(DuckEngine, "fetch", None)  # nobody asks SQL
    kinds = GROUPS[by][1]
    bases = list(combinations_with_replacement(range(len(VALUES)), 2))[::every]
    for first, second in bases:
        base = [(VALUES[first], kinds[first % len(kinds)]), (VALUES[second], kinds[second % 2])]
        before = told_by_stream(base, by, tmp_path / "base.parquet")
        for place, value in enumerate(VALUES):
            record = value, kinds[(first + place) % len(kinds)]
            after = told_by_stream([*base, record], by, tmp_path / "more.parquet")
            assert after == move(before, record, by), (base, record)


@pytest.mark.parametrize("power", [70, 130, 900])
@pytest.mark.parametrize("least", [0, 2**60], ids=["streamed", "by query"])
def test_a_record_of_many_digits_does_not_change_how_tiny_ones_are_read(
    power: int, least: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Beside vast bounds tiny values are scaled to 0: they counted only where another record had many digits."""
    monkeypatch.setattr(duck_stream, "MANY_ROWS", least)
    tiny, ends = [5e-324] * 5 + [1e-320] * 3, (Fraction(0), Fraction(2) ** power)
    for more in ([], [1.0], [2.0**69 + 0.1]):
        table = pa.table({"v": pa.array([*tiny, *more], pa.float64())})
        pq.write_table(table, tmp_path / "rows.parquet")
        for data in (table, tmp_path / "rows.parquet"):
            with open_engine(data, "v") as engine:
                assert engine.sums("v", ends).sum == sum(map(Fraction, [*tiny, *more]))
