"""Persons with many rows: every engine counts what loops and fractions do, of random tables with odd values."""

from collections.abc import Iterable
from datetime import date, timedelta
from fractions import Fraction
from math import floor
from pathlib import Path
from random import Random
from typing import Any

import polars as pl
import pytest

from dampen.describe.conditions import Among
from dampen.tables import as_grid
from dampen.tables.day_grid import day_grid
from dampen.tables.engines import Source, open_engine
from dampen.tables.engines.base import Amount, CellColumn, PersonAsk, PersonShares
from dampen.tables.grid import Grid
from tests.contracts.engines import EVERY, FORMS, lying
from tests.contracts.people_by_hand import (
    Row,
    shares_by_hand,
    signed_by_hand,
    signed_cells_by_hand,
    told,
    values_by_hand,
)

WARDS = ("a", "b", "rest")
DAYS = day_grid(date(2024, 1, 31), date(2025, 1, 31), "month")
POINTS = as_grid([-3, 0, 1.5, 2, 7, 40])
ODD_NAMES = ["ann", "Ann", " ann", "ANN", "\u00e9", "e\u0301", "1", "01", "1.0", "true", "None", "\u00df", "ss"]
NOBODY = [None, "", " ", "NaN"]
CAPS = tuple(2**power for power in range(21))


def random_table(seed: str, rows: int = 150) -> pl.DataFrame:
    """Persons of several types, some of them missing; wards, numbers, days; few persons have most rows."""
    rng = Random(seed)
    names, spread = [*ODD_NAMES, *NOBODY], [rng.choice((0.2, 1, 3)) for _ in range(17)]
    who = rng.choices(range(17), spread, k=rows)
    return pl.DataFrame(
        {
            "name": pl.Series([names[each] for each in who], dtype=pl.String),
            "number": pl.Series(
                [None if each > 13 else (each - 5) * 2**40 + each // 3 for each in who], dtype=pl.Int64
            ),
            "real": pl.Series(
                [None if each > 14 else [0.0, -0.0, float("nan"), 0.1, 1e300, float("inf")][each % 6] for each in who],
                dtype=pl.Float64,
            ),
            "born": pl.Series([None if each > 15 else date(1999, 1, 1) + timedelta(each // 2) for each in who]),
            "ward": pl.Series(rng.choices(["a", "b", "c", None, ""], k=rows), dtype=pl.String),
            "cost": pl.Series([rng.choice((rng.randint(-9, 60), None)) for _ in range(rows)], dtype=pl.Int64),
            "pay": pl.Series([rng.choice((rng.uniform(-9, 50), float("nan"))) for _ in range(rows)], dtype=pl.Float64),
            "huge": pl.Series([int(2 ** rng.uniform(0, 40)) - 1 for _ in range(rows)], dtype=pl.Int64),
            "day": pl.Series([date(2024, 1, 1) + timedelta(rng.randint(0, 450)) for _ in range(rows)]),
        }
    )


def person_of(value: Any) -> Any:
    """Nobody, or a value that equals only itself."""
    gone = value is None or value != value or (isinstance(value, str) and value.strip().lower() in ("", "nan"))
    return None if gone else value


def place_of(value: Any, cell: CellColumn) -> int | None:
    """The place of a value, one by one: the last point that is not above it, or that of its label."""
    gone = value is None or value != value or value == ""
    if not isinstance(cell.values, Grid):
        rest, labels = cell.rest if not gone or cell.keeps_missing else None, [*map(str, cell.values)]
        return labels.index(str(value)) if str(value) in labels else rest
    return None if gone else max((spot for spot, point in enumerate(cell.values) if point <= value), default=0)


def rows_by_hand(frame: pl.DataFrame, ask: PersonAsk) -> list[Row]:
    """The rows that the judge reads."""
    found: list[Row] = []
    for row in frame.iter_rows(named=True):
        amount: int | None = 1
        if ask.amount is not None:
            grid, value = ask.amount.grid, row[ask.amount.column]
            gone = value is None or value != value
            amount = None if gone else ask.amount.first + min(max(floor(value - grid[0]), 0), len(grid) - 1)
        found.append(
            (person_of(row[ask.person]), tuple(place_of(row[each.column], each) for each in ask.cells), amount)
        )
    return found


WARD = CellColumn("ward", WARDS, rest=2)
ALL_WARDS = CellColumn("ward", WARDS, rest=2, keeps_missing=True)
FEW_WARDS = CellColumn("ward", ("b", "a"))
FEW_COSTS = CellColumn("cost", (7, "-3"))
COST = CellColumn("cost", as_grid(range(-5, 50, 3)))
PAY = CellColumn("pay", POINTS)
HUGE = Amount("huge", as_grid(range(2**40 - 1)))
SIGNED_HUGE = Amount("huge", as_grid(range(2**40 - 1)), -(2**39))
SIGNED_COST = Amount("cost", as_grid(range(-9, 50)), -9)
BALANCED_COST = Amount("cost", as_grid(range(-9, 50)), -30)
"""About as many below 0 as above, so that rows of several labels of one cell often cancel."""
DAY = CellColumn("day", DAYS)
ASKS: dict[str, PersonAsk] = {
    "count": PersonAsk("name", caps=CAPS),
    "persons": PersonAsk("name"),
    "of numbers": PersonAsk("number", caps=(1, 5, 9)),
    "of reals": PersonAsk("real", caps=CAPS),
    "of days": PersonAsk("born", caps=CAPS),
    "sum": PersonAsk("name", amount=Amount("cost", as_grid(range(51))), caps=CAPS),
    "sum of reals": PersonAsk("number", amount=Amount("pay", as_grid(range(-3, 30)), 2), caps=(10, 100, 1000), bits=3),
    "signed sum": PersonAsk("name", amount=SIGNED_COST, caps=CAPS),
    "huge sum": PersonAsk("name", amount=HUGE, caps=(2**20, 2**33, 2**40), bits=20),
    "wards": PersonAsk("name", (WARD,), caps=CAPS, bits=20),
    "all wards": PersonAsk("number", (ALL_WARDS,), caps=(1, 3), bits=5),
    "few wards, once": PersonAsk("name", (FEW_WARDS,), once=True, caps=(1, 2), bits=20),
    "few wards": PersonAsk("number", (FEW_WARDS,), caps=CAPS, bits=20),
    "sum by few wards": PersonAsk("name", (FEW_WARDS,), Amount("cost", as_grid(range(51))), caps=CAPS, bits=20),
    "few wards and costs": PersonAsk("name", (FEW_WARDS, FEW_COSTS), HUGE, caps=(1, 2**30, 2**38), bits=20),
    "few costs": PersonAsk("real", (FEW_COSTS,), caps=(1, 2), bits=3),
    "sum of halves": PersonAsk("name", amount=Amount("pay", as_grid(bounds=(Fraction(-1, 2), 20), step=1)), caps=CAPS),
    "all wards, once": PersonAsk("number", (ALL_WARDS,), once=True, caps=(1, 2), bits=20),
    "grid": PersonAsk("name", (COST,), caps=(1,), bits=20),
    "listed grid": PersonAsk("real", (PAY,), caps=CAPS, bits=20),
    "days by ward": PersonAsk("name", (WARD, DAY), caps=(1, 2, 64), bits=20),
    "days, once": PersonAsk("name", (DAY,), once=True, caps=(1, 4), bits=2),
    "two grids": PersonAsk("number", (COST, WARD, PAY), caps=(1, 8), bits=20),
    "sum by ward": PersonAsk("name", (WARD,), Amount("cost", as_grid(range(51))), caps=CAPS, bits=20),
    "few huge by ward": PersonAsk("name", (WARD,), HUGE, caps=(1, 2**30), bits=20),
    "signed sum by ward": PersonAsk("name", (WARD,), SIGNED_COST, caps=CAPS, bits=15),
    "signed sum by few wards": PersonAsk("number", (FEW_WARDS,), SIGNED_COST, caps=(1, 7, 64), bits=3),
    "signed sum by all wards": PersonAsk("name", (ALL_WARDS,), BALANCED_COST, caps=(1, 7, 64), bits=3),
    "signed sum by day and ward": PersonAsk("name", (DAY, ALL_WARDS), SIGNED_COST, caps=CAPS, bits=15),
    "signed huge by ward": PersonAsk("name", (ALL_WARDS,), SIGNED_HUGE, caps=(1, 1000, 2**20, 2**38), bits=20),
    "signed huge by few wards": PersonAsk("name", (FEW_WARDS,), SIGNED_HUGE, caps=(3, 2**38), bits=20),
    "huge by ward": PersonAsk("name", (ALL_WARDS,), HUGE, caps=(1, 1000, 2**20, 2**38), bits=20),
}
VALUES: dict[str, tuple[str, Amount | None]] = {
    "rows": ("name", None),
    "cost": ("name", Amount("cost", as_grid(range(-9, 50)), -9)),
    "huge": ("number", Amount("huge", as_grid(range(2**40 - 1)), -(2**39))),
}


HOWS = ("count", "sum", "mean", "min", "max")


FEW = ("count", "signed sum", "huge by ward", "two grids", "few wards and costs", "signed sum by all wards")
"""Of forms that are counted as others are."""
SOME = {"ibis": (*FEW[1:], "of reals", "huge sum", "days, once", "sum of halves"), "spark": ("few huge by ward",)}


def asked_of(form: str) -> list[str]:
    """All questions in memory and of files, some elsewhere. In a CSV file 0.0 and -0.0 are two texts."""
    names = ASKS if form in ("arrays", "parquet") else SOME.get(form, FEW)
    return [name for name in names if form != "csv" or ASKS[name].person != "real"]


def engines_agree(data: Any, frame: pl.DataFrame, names: Iterable[str]) -> None:
    """Judged outside: an engine hides what fails."""
    with open_engine(data) as engine:
        found = {name: engine.person_shares(ASKS[name]) for name in names}
    for name, shares in found.items():
        judge_shares(shares, ASKS[name], frame, name)


def values_agree(data: Any, frame: pl.DataFrame, names: Iterable[str] = VALUES, hows: tuple[str, ...] = HOWS) -> None:
    with open_engine(data) as engine:
        found = {
            (name, how): engine.person_values(*VALUES[name], how)
            for name in names
            for how in (hows if VALUES[name][1] else HOWS[:1])
        }
    for (name, how), (numbers, people) in found.items():
        person, amount = VALUES[name]
        expected = values_by_hand(rows_by_hand(frame, PersonAsk(person, amount=amount)), how)
        assert numbers.tolist() == sorted(expected), (name, how)
        assert dict(zip(numbers.tolist(), people.tolist(), strict=True)) == expected, (name, how)


def judge_shares(found: PersonShares, ask: PersonAsk, frame: pl.DataFrame, name: str) -> None:
    rows = rows_by_hand(frame, ask)
    if ask.signed:
        by_hand = signed_cells_by_hand if ask.cells else signed_by_hand
        assert (told(found), told(found.negative)) == by_hand(rows, ask.caps, ask.bits), name
    else:
        assert found.negative is None
        assert told(found) == shares_by_hand(rows, ask.caps, ask.bits, once=ask.once), name


@pytest.mark.parametrize("form", EVERY)
def test_persons_of_random_tables(form: str, tmp_path: Path) -> None:
    frame = random_table(form)
    data = lying(frame, form, tmp_path)
    engines_agree(data, frame, asked_of(form))
    values_agree(data, frame, ["huge"] if form in SOME else VALUES, HOWS if form != "spark" else ("mean",))


@pytest.mark.parametrize("form", EVERY)
def test_persons_of_some_rows(form: str, tmp_path: Path) -> None:
    frame = random_table(f"{form} filtered")
    data = Source(lying(frame, form, tmp_path), [Among("ward", ("a", "b"), frozenset({0, 1}))])
    kept = frame.filter(pl.col("ward").is_in(["a", "b"]))
    engines_agree(data, kept, ["sum by ward"])
    values_agree(data, kept, ["rows"])


def test_spark_in_one_session(tmp_path: Path) -> None:
    from tests.audit.test_people_engines import all_tables, mismatches_together

    test_persons_of_random_tables("spark", tmp_path)
    assert mismatches_together("spark", all_tables(2, 2), ["signed group sums"], tmp_path) == []


@pytest.mark.long
@pytest.mark.parametrize("form", FORMS)
def test_persons_at_length(form: str, tmp_path: Path) -> None:
    """Every question of every form, of several tables."""
    for seed in range(1 if form == "spark" else 4):
        frame, folder = random_table(f"{form} {seed}", 60 + 150 * seed), tmp_path / str(seed)
        folder.mkdir()
        data = lying(frame, form, folder)
        engines_agree(data, frame, [name for name in ASKS if form != "csv" or ASKS[name].person != "real"])
        values_agree(data, frame)


@pytest.mark.parametrize("form", ["arrays", "parquet", "relation", "ibis"])
def test_no_persons(form: str, tmp_path: Path) -> None:
    frame = random_table("none", 8).with_columns(name=pl.lit(None, dtype=pl.String))
    for rows in (frame, frame[:0]) if form != "ibis" else (frame,):
        with open_engine(lying(rows, form, tmp_path)) as engine:
            found = engine.person_shares(ASKS["signed sum"])
            assert (found.people, {*found.above}, {*found.totals}, found.cells.shape) == (0, {0}, {0}, (1, 0))
            assert found.negative is not None
            assert {*found.negative.totals} == {0}
            celled = engine.person_shares(ASKS["days by ward"])
            assert (celled.people, celled.above, celled.cells.shape, celled.weights.shape) == (
                0,
                (0, 0, 0),
                (0, 2),
                (0, 3),
            )
            assert celled.totals == (0, 0, 0)
            assert engine.person_values("name", None, "count")[0].tolist() == []
