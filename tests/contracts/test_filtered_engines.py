"""Every engine filters, reads days and groups by several columns alike: held against rows that are read one by one."""

from collections import Counter
from collections.abc import Callable
from datetime import UTC, date, datetime, timedelta
from fractions import Fraction
from functools import cache
from math import isfinite, isnan
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

from dampen.describe.conditions import Among, Between, Condition
from dampen.tables import as_grid
from dampen.tables.day_grid import day_grid
from dampen.tables.engines import Reading, open_engine
from dampen.tables.reading import MISSING, OTHER
from tests.contracts.engines import EVERY, lying, table

ROWS = 400
EPOCH = datetime(1970, 1, 1)


def _frame() -> pl.DataFrame:
    """The rows of the other contracts, with days, moments and texts of both, many of them near 1970 and midnight."""
    rng = np.random.default_rng(20)
    near = rng.integers(-3 * 86_400, 3 * 86_400, ROWS) * 10**6 + rng.integers(-2, 3, ROWS)
    far = rng.integers(-10 * 365, 60 * 365, ROWS) * 86_400 * 10**6 + rng.integers(-2, 3, ROWS)
    counts = np.where(rng.random(ROWS) < 0.4, near, far).tolist()
    seen = [EPOCH + timedelta(microseconds=count) for count in counts]
    iso = [each.isoformat(rng.choice([" ", "T"])) + rng.choice(["", "Z", "+01:30", "-11:00"]) for each in seen]
    columns = {
        "hired": pl.Series([each.date() for each in seen], dtype=pl.Date),
        "seen": pl.Series(seen, dtype=pl.Datetime("us")),
        "left": pl.Series([each.replace(tzinfo=UTC) for each in seen], dtype=pl.Datetime("us", "UTC")),
        "iso": pl.Series([text[:10] if rng.random() < 0.3 else text for text in iso]),
    }
    return table(ROWS).with_columns(**columns)


FRAME = _frame()
RECORDS = FRAME.to_dicts()
DATES = ("hired", "seen", "left", "iso")


def in_csv(column: str) -> bool:
    """Whether a column is the same in a CSV file: polars writes zones in another way."""
    return column != "left"


def day_of(value: Any) -> int:
    """By Python's own clock."""
    moment = datetime.fromisoformat(value) if isinstance(value, str) else value
    if isinstance(moment, datetime) and moment.tzinfo is not None:
        moment = moment.astimezone(UTC)
    return (date(moment.year, moment.month, moment.day) - EPOCH.date()).days


@pytest.fixture(scope="module")
def lies(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """The rows in every form, made when they are first asked for."""
    return {"folder": tmp_path_factory.mktemp("filtered")}


def rows_in(form: str, lies: dict[str, Any]) -> Any:
    if form not in lies:
        folder = lies["folder"] / form
        folder.mkdir()
        lies[form] = lying(FRAME, form, folder)
    return lies[form]


CITIES = ("Oslo", "Bonn", "Lima, Peru", "Turin")
Judge = Callable[[Any], bool]
ASKED: list[tuple[Condition, Judge]] = [
    (Among("city", CITIES, frozenset({0, 2})), lambda value: value in ("Oslo", "Lima, Peru")),
    (Among("city", CITIES, frozenset({3})), lambda value: False),
    (Among("city", CITIES, frozenset()), lambda value: False),
    (Among("city", ("Bonn",), frozenset({0})), lambda value: value == "Bonn"),
    (Among("sick", (False, True), frozenset({1})), lambda value: value),
    (Among("age", tuple(range(-50, 60)), frozenset(range(40, 60))), lambda value: -10 <= value < 10),
    (Between("age", Fraction(-10), Fraction(20)), lambda value: -10 <= value <= 20),
    (Between("age", Fraction(-21, 2), Fraction(41, 2)), lambda value: -10 <= value <= 20),
    (Between("age", Fraction(1, 3), Fraction(2, 3)), lambda value: False),
    (Between("age", Fraction(2**53 + 1), None), lambda value: value >= 2**53 + 1),
    (Between("age", None, Fraction(-(2**53) - 1)), lambda value: value <= -(2**53) - 1),
    (Between("age", None, None), lambda value: True),
    (Between("pay", Fraction("0.1"), Fraction("0.3")), lambda value: isfinite(value) and _tenths(value)),
    (Between("pay", Fraction(0.1), Fraction(0.3)), lambda value: 0.1 <= value <= 0.3),
    (Between("pay", Fraction(1, 10**9), None), lambda value: value > 1e-9),
    (Between("pay", None, Fraction(0)), lambda value: value <= 0),
    (Between("pay", None, None), lambda value: True),
    (Between("city", None, None), lambda value: False),
    (Between("sick", None, None), lambda value: False),
    (Between("pay", None, None, days=True), lambda value: False),
    (Between("hired", None, None), lambda value: False),
    *((Between(name, Fraction(-1), Fraction(0), days=True), lambda value: -1 <= day_of(value) <= 0) for name in DATES),
    *((Between(name, Fraction(1, 2), None, days=True), lambda value: day_of(value) >= 1) for name in DATES),
    *((Between(name, None, Fraction(-1), days=True), lambda value: day_of(value) < 0) for name in DATES),
    *((Between(name, None, None, days=True), lambda value: True) for name in DATES),
]
"""Conditions, and what each means for one value."""


def _tenths(value: float) -> bool:
    """As fractions: the float 0.1 is above one tenth, and the float 0.3 below three."""
    return Fraction(1, 10) <= Fraction(value) <= Fraction(3, 10)


FEW = (0, 12, 21, 23, 28)
"""A job of Spark takes its time, so it gets one condition of each kind."""


@pytest.mark.parametrize("form", EVERY)
def test_conditions(form: str, lies: dict[str, Any]) -> None:
    asked = [ASKED[place] for place in FEW] if form == "spark" else ASKED
    with open_engine(rows_in(form, lies), "city") as engine:
        for condition, judge in asked:
            if form == "csv" and not in_csv(condition.column):
                continue
            kept = [record for record in RECORDS if judge(record[condition.column])]
            part = engine.part(condition)
            assert part.row_count() == len(kept), condition
            if form not in ("ibis", "spark") and kept and len(kept) < ROWS:
                both = part.part(ASKED[0][0]).part(ASKED[6][0])
                assert both.row_count() == sum(_in_both(record) for record in kept), condition
        assert engine.row_count() == ROWS


def _in_both(record: dict[str, Any]) -> bool:
    return all(judge(record[condition.column]) for condition, judge in (ASKED[0], ASKED[6]))


GRIDS = {step: day_grid(date(1969, 6, 30), date(2024, 2, 29), step) for step in ("day", "week", "month", "year")}


def place_of(value: Any, points: list[int]) -> int:
    """The last point not above a value, one by one."""
    return max((spot for spot, point in enumerate(points) if point <= value), default=0)


@cache
def expected_days(name: str, step: str) -> Counter[int]:
    points = [day_of(day) for day in GRIDS[step]]
    return Counter(place_of(day_of(record[name]), points) for record in RECORDS)


@pytest.mark.parametrize("form", EVERY)
def test_days_on_grids(form: str, lies: dict[str, Any]) -> None:
    steps = {"ibis": ("week", "month"), "spark": ("month",)}.get(form, (*GRIDS,))
    names = [name for name in DATES if form != "csv" or in_csv(name)]
    with open_engine(rows_in(form, lies), *names) as engine:
        told = {(name, step): engine.histogram(name, GRIDS[step]) for name in names for step in steps}
    for (name, step), (places, counts) in told.items():
        assert dict(zip(places.tolist(), counts.tolist(), strict=True)) == expected_days(name, step), (step, name)


BY: list[tuple[str, tuple[Any, ...]]] = [("city", ("Bonn", "Oslo")), ("sick", (True, False)), ("kind", ("yes", "no"))]
WAYS: list[tuple[str | None, Any]] = [
    (None, None),
    ("pay", as_grid(bounds=(-1, 2), step="0.1")),
    ("pay", as_grid([-1e300, -0.5, 0.1, 0.3, 2.0**53])),
    ("age", (7, 8, -3)),
    ("seen", GRIDS["month"]),
]


def group_of(record: dict[str, Any], by: list[tuple[str, tuple[Any, ...]]]) -> tuple[int, ...]:
    """The place of a record in each column."""
    return tuple(labels.index(record[name]) if record[name] in labels else OTHER for name, labels in by)


def expected_groups(column: str | None, values: Any, by: list[tuple[str, tuple[Any, ...]]]) -> Counter[Any]:
    """Group by group and place by place, one record after another."""
    points = [] if values is None or isinstance(values, tuple) else values.points().tolist()
    found: Counter[Any] = Counter()
    for record in RECORDS:
        group = group_of(record, by)
        if column is None:
            place = 0
        elif isinstance(values, tuple):
            place = values.index(record[column]) if record[column] in values else OTHER
        elif values == GRIDS["month"]:
            place = place_of(day_of(record[column]), points)
        else:
            place = place_of(record[column], points)
        found[*group, place] += 1
    return found


@pytest.mark.parametrize("form", EVERY)
def test_groups_of_several_columns(form: str, lies: dict[str, Any]) -> None:
    with open_engine(rows_in(form, lies), "city") as engine:
        for spot, (column, values) in enumerate(WAYS if form != "spark" else WAYS[::4]):
            for by in (BY[:1], BY[:2], BY) if form not in ("ibis", "spark") else (BY[:2],):
                rows = engine.counts_by_group(column, values, by)
                told = {tuple(row[:-1]): row[-1] for row in rows.tolist()}
                assert len(told) == len(rows)
                assert told == expected_groups(column, values, by), (spot, by)


def test_groups_on_a_grid_that_is_never_written_out(lies: dict[str, Any]) -> None:
    vast = as_grid(range(-(10**15), 10**15, 7))
    for form in ("arrays", "parquet", "ibis"):
        with open_engine(rows_in(form, lies), "city") as engine:
            rows = engine.counts_by_group("age", vast, BY[:2]).tolist()
        clamped = [min(max((record["age"] + 10**15) // 7, 0), len(vast) - 1) for record in RECORDS]
        expected = Counter((*group_of(r, BY[:2]), place) for r, place in zip(RECORDS, clamped, strict=True))
        assert {tuple(row[:-1]): row[-1] for row in rows} == expected, form


ENDS: list[tuple[str, Fraction, Fraction]] = [
    ("age", Fraction(-20), Fraction(40)),
    ("age", Fraction(-41, 2), Fraction(1, 3)),
    ("age", Fraction(1, 3), Fraction(2, 3)),
    ("age", Fraction(-(2**61)), Fraction(2**61)),
    ("pay", Fraction(0), Fraction(1)),
    ("pay", Fraction("-2.5"), Fraction(700)),
    ("pay", Fraction("0.1"), Fraction("0.3")),
    ("pay", Fraction(1, 1000), Fraction(2**62)),
]


@pytest.mark.parametrize("form", EVERY)
def test_sums_of_groups(form: str, lies: dict[str, Any]) -> None:
    few = {"ibis": ENDS[1:7:2], "spark": ENDS[6:7]}
    asked, ways = few.get(form, ENDS), (BY[:2],) if form in few else (BY[:1], BY[:2])
    with open_engine(rows_in(form, lies), "city") as engine:
        told = [engine.sums_by_group(column, ends, by) for column, *ends in asked for by in ways]  # type: ignore[arg-type]
    for found, (column, low, high, by) in zip(told, [(*each, by) for each in asked for by in ways], strict=True):
        counts, sums = Counter[Any](), dict[Any, Fraction]()
        for record in RECORDS:
            group = group_of(record, by)
            counts[group] += 1
            sums[group] = sums.get(group, Fraction(0)) + Fraction(min(max(record[column], low), high))
        assert {group: each.count for group, each in found.items()} == counts, (column, low, by)
        assert {group: each.sum for group, each in found.items()} == sums, (column, low, by)
        assert not any(each.missing or each.other for each in found.values())


FAULTY = pl.DataFrame(
    {
        "city": ["Oslo", None, "Oslo", "Rome", "Bonn", "Bonn", "Oslo"],
        "text": ["1", "2", "x", "", "1e3", "inf", " 4"],
        "real": [0.5, None, float("nan"), 1e300, -0.0, 5e-324, 2.0],
        "whole": [1, 2, 3, None, 2**62, -5, 0],
        "day": [date(2024, 2, 29), None, date(1969, 12, 31), *[date(2000, 1, 1)] * 4],
        "when": ["2024-02-29", "2024-02-30", "", *["2024-02-29T23:30:00-01:00"] * 4],
        "fine": [1] * 7,
    }
)
READINGS: dict[str, tuple[Reading, set[int]]] = {
    "city": (Reading(("Oslo", "Bonn")), {MISSING, OTHER}),
    "text": (Reading(), {MISSING, OTHER}),
    "real": (Reading(), {MISSING}),
    "whole": (Reading(), {MISSING}),
    "day": (Reading(days=True), {MISSING}),
    "when": (Reading(days=True), {MISSING, OTHER}),
    "fine": (Reading((1, 2)), set()),
}
ODD: list[tuple[str, Reading, set[int]]] = [
    ("city", Reading(("Oslo", "Bonn", "Rome")), {MISSING}),
    ("city", Reading(), {MISSING, OTHER}),
    ("text", Reading(("", 1, 2, "x", 1000, "inf", 4)), set()),
    ("text", Reading(days=True), {MISSING, OTHER}),
    ("whole", Reading(days=True), {MISSING, OTHER}),
    ("day", Reading(), {MISSING, OTHER}),
    ("fine", Reading((2,)), {OTHER}),
]


@pytest.mark.parametrize("form", EVERY)
def test_faults_are_found_in_one_scan(form: str, tmp_path: Path) -> None:
    with open_engine(lying(FAULTY, form, tmp_path), *FAULTY.columns) as engine:
        found = engine.faulty({name: reading for name, (reading, _) in READINGS.items()})
        expected = {fault: {name for name, (_, own) in READINGS.items() if fault in own} for fault in (MISSING, OTHER)}
        assert found == type(found)(frozenset(expected[MISSING]), frozenset(expected[OTHER]))
        for name, reading, faults in ODD if form != "spark" else ():
            single = engine.faulty({name: reading})
            told = {fault for fault, names in ((MISSING, single.missing), (OTHER, single.other)) if names == {name}}
            assert told == faults, (name, reading)
        assert engine.faulty({}) == type(found)(frozenset(), frozenset())


@pytest.mark.parametrize("form", EVERY)
def test_sums_of_groups_with_faults(form: str, tmp_path: Path) -> None:
    """Missing values and such as are no numbers are counted in their groups, and add nothing."""
    by = [("city", ("Oslo", "Bonn"))]
    with open_engine(lying(FAULTY, form, tmp_path), *FAULTY.columns) as engine:
        texts = engine.sums_by_group("text", (Fraction(0), Fraction(100)), by)
        reals = engine.sums_by_group("real", (Fraction(-1), Fraction(100)), by)
        wholes = engine.sums_by_group("whole", (Fraction(2), Fraction(100)), by)
    told: dict[Any, Any] = {group: (each.count, each.sum, each.missing, each.other) for group, each in texts.items()}
    assert told == {(0,): (2, 5, 0, 1), (1,): (2, 200, 0, 0), (MISSING,): (1, 2, 0, 0), (OTHER,): (0, 0, 1, 0)}
    tiny = Fraction(5e-324)
    told = {group: (each.count, each.sum, each.missing, each.other) for group, each in reals.items()}
    assert told == {
        (0,): (2, Fraction(5, 2), 1, 0), (1,): (2, tiny, 0, 0), (MISSING,): (0, 0, 1, 0), (OTHER,): (1, 100, 0, 0),
    }  # fmt: skip
    told = {group: (each.count, each.sum, each.missing, each.other) for group, each in wholes.items()}
    assert told == {(0,): (3, 7, 0, 0), (1,): (2, 102, 0, 0), (MISSING,): (1, 2, 0, 0), (OTHER,): (0, 0, 1, 0)}


def test_spark_in_one_session(lies: dict[str, Any], tmp_path: Path) -> None:
    """All questions of this file, asked of Spark in one process, so that a test run starts one session."""
    for ask in (test_conditions, test_days_on_grids, test_groups_of_several_columns, test_sums_of_groups):
        ask("spark", lies)
    test_faults_are_found_in_one_scan("spark", tmp_path)


def test_the_rows_are_worth_asking_about() -> None:
    assert not any(isnan(record["pay"]) for record in RECORDS)
    for condition, judge in ASKED[6:17]:
        kept = sum(judge(record[condition.column]) for record in RECORDS)
        assert kept == 0 or condition.low is condition.high or 0 < kept < ROWS  # type: ignore[union-attr]
    for name in DATES:
        days = [day_of(record[name]) for record in RECORDS]
        assert {-1, 0} <= {*days}
        assert len({*days}) > ROWS // 3
