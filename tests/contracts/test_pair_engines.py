"""Rows of two persons: every engine hands out the same persons, written the same, of random tables with odd values."""

from datetime import date, timedelta
from pathlib import Path
from random import Random
from typing import Any

import polars as pl
import pytest

from dampen import Budget, Category, Table
from dampen.describe.conditions import Among
from dampen.questions.people.rows_of_two import kept_under
from dampen.tables.engines import Source
from dampen.tables.person_pairs import person_pairs
from tests.contracts.engines import EVERY, lying
from tests.unit.graphs import judges
from tests.unit.tables.test_person_pairs import public_place

ODD_NAMES = ["ann", "Ann", " ann", "\u00e9", "e\u0301", "1", "01", "1.0", "true", "None", None, "", " ", "NaN"]
REALS = [0.0, -0.0, float("nan"), 0.1, 1e300, float("inf"), 7.0, None]
CAPS = (1, 2, 4, 8)
COLUMNS = {
    "name": [("name", "name2")],
    "number": [("number", "number2"), ("number", "real2"), ("text", "number2")],
    "real": [("real", "real2")],
    "born": [("born", "born2")],
}


def random_table(seed: str, rows: int = 120) -> pl.DataFrame:
    """Two columns of each type."""
    rng = Random(seed)
    found: dict[str, pl.Series] = {"kind": pl.Series(rng.choices(["a", "b"], k=rows))}
    for twice in ("", "2"):
        numbers = rng.choices([*range(-3, 9), 2**40, 2**62, None], k=rows)
        found |= {
            f"name{twice}": pl.Series(rng.choices(ODD_NAMES, k=rows), dtype=pl.String),
            f"number{twice}": pl.Series(numbers, dtype=pl.Int64),
            f"text{twice}": pl.Series([None if each is None else str(each) for each in numbers], dtype=pl.String),
            f"real{twice}": pl.Series(rng.choices(REALS, k=rows), dtype=pl.Float64),
            f"born{twice}": pl.Series([date(1999, 12, 25) + timedelta(rng.randrange(12)) for _ in range(rows)]),
            f"bytes{twice}": pl.Series(rng.choices([b"ann", b"\x00'", b"bob", None], k=rows), dtype=pl.Binary),
        }
    return pl.DataFrame(found)


def written(value: Any) -> str | None:
    """A person by hand; a float that is no whole number as Python writes it."""
    if value is None or value != value or (isinstance(value, str) and value.strip().lower() in ("", "nan")):
        return None
    if isinstance(value, float) and abs(value) != float("inf"):
        return str(int(value)) if value == int(value) else repr(value)
    return {b"ann": "ann", b"bob": "bob", b"\x00'": "\\x00\\x27"}[value] if isinstance(value, bytes) else str(value)


def kept_by_hand(frame: pl.DataFrame, columns: tuple[str, str]) -> tuple[int, ...]:
    """Row by row in the public order."""
    ends = [[written(value) for value in frame[name].to_list()] for name in columns]
    rows = [(one, other) for one, other in zip(*ends, strict=True) if one is not None and other is not None]
    number = {name: place for place, name in enumerate({name for row in rows for name in row})}
    ordered = [(number[one], number[other]) for one, other in sorted(rows, key=public_place)]
    return tuple(judges.rows_kept(ordered, cap) for cap in CAPS)


def asked_of(form: str) -> list[tuple[str, str]]:
    """In a CSV file all persons are texts, 7.0 and 0.1 too; it holds no bytes, and arrays read none from files."""
    if form == "spark":
        return [("number", "real2"), ("bytes", "name2")]
    every = [pair for listed in COLUMNS.values() for pair in listed]
    texts = [pair for pair in every if not any(name.startswith("real") for name in pair)]
    held = [] if form == "loaded" else [("bytes", "bytes2"), ("bytes", "name2")]
    return texts if form == "csv" else [*every, *held]


@pytest.mark.parametrize("form", EVERY)
def test_rows_of_two_persons(form: str, tmp_path: Path) -> None:
    frame = random_table(form)
    data = lying(frame.drop("bytes", "bytes2") if form == "csv" else frame, form, tmp_path)
    for columns in asked_of(form):
        assert kept_under(person_pairs(data, columns), CAPS) == kept_by_hand(frame, columns), columns
    part = Source(data, [Among("kind", ("a",), frozenset({0}))])
    expected = kept_by_hand(frame.filter(pl.col("kind") == "a"), ("name", "name2"))
    assert kept_under(person_pairs(part, ("name", "name2")), CAPS) == expected


def test_spark_in_one_session(tmp_path: Path) -> None:
    test_rows_of_two_persons("spark", tmp_path)


@pytest.mark.parametrize("form", ["arrays", "polars", "csv", "parquet", "relation", "ibis"])
def test_a_table_of_each_form_is_asked(form: str, tmp_path: Path) -> None:
    frame = random_table("asked")
    data = lying(frame.drop("bytes", "bytes2"), form, tmp_path)
    table = Table(
        data.data if isinstance(data, Source) else data,
        columns={"kind": Category("a", "b")},
        budget=Budget(epsilon=10**7),
        persons=("name", "name2"),
    )
    for cap, kept in zip(CAPS, kept_by_hand(frame, ("name", "name2")), strict=True):
        assert table.count(cap=cap, epsilon=10**4) == kept
