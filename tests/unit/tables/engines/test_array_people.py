"""Persons in memory: random rows against loops and fractions, on every path; large sums; and who is one person."""

from datetime import UTC, date, datetime, timedelta, timezone
from decimal import Decimal
from fractions import Fraction
from random import Random
from typing import Any
from uuid import UUID

import numpy as np
import pandas as pd
import pytest

from dampen.tables import as_grid
from dampen.tables.columns import Strange, as_column
from dampen.tables.engines import array_people, array_persons
from dampen.tables.engines.array_persons import person_codes
from dampen.tables.engines.arrays import ArrayEngine
from dampen.tables.engines.base import Amount, CellColumn, PersonAsk
from dampen.tables.engines.shares import scales_of
from dampen.tables.reading import MISSING, OTHER
from tests.contracts.people_by_hand import Row, shares_by_hand, signed_by_hand, told, values_by_hand

CAPS = (1, 2, 3, 4, 7, 8, 64, 2**10, 2**20, 2**40)
WARDS, GRID = ("a", "b", "c"), as_grid(range(0, 50, 5))


def random_rows(rng: Random, most: int, rows: int = 40) -> list[tuple[int, str, int, int]]:
    """Person, ward, a number and an amount; few persons have most rows."""
    people = rng.randint(1, 12)
    return [
        (
            int(people * rng.random() ** 3),
            rng.choice(WARDS),
            rng.randint(-5, 60),
            min(most, int(2 ** rng.uniform(0, 41))),
        )
        for _ in range(rng.randint(0, rows))
    ]


def engine_of(rows: list[tuple[int, str, int, int]], ids: Any) -> ArrayEngine:
    who, wards, ages, costs = map(list, zip(*rows, strict=True)) if rows else ([], [], [], [])
    return ArrayEngine(
        {
            "who": np.array([ids[each] for each in who], dtype=np.int64),
            "ward": wards,
            "age": np.array(ages, dtype=np.int64),
            "cost": np.array(costs, dtype=np.int64),
        }
    )


def place(age: int) -> int:
    return min(max(age // 5, 0), 9)


@pytest.mark.parametrize("path", ["as it is", "no arrays of all pairs", "large sums"])
def test_random_rows(path: str, monkeypatch: pytest.MonkeyPatch) -> None:
    if path != "as it is":
        for module in (array_people, array_persons):
            monkeypatch.setattr(module, "FEWEST", 1)
            monkeypatch.setattr(module, "DENSE", 0)
    if path == "large sums":
        monkeypatch.setattr(array_people, "_fits", lambda reach, rows: False)
    rng = Random(path)
    for _ in range(60):
        most = rng.choice((1, 5, 2**12, 2**39))
        rows, ids = random_rows(rng, most), [rng.randint(-(2**63), 2**63 - 1) for _ in range(12)]
        engine, bits = engine_of(rows, ids), rng.choice((0, 1, 20))
        caps = tuple(sorted(rng.sample(CAPS, rng.randint(1, len(CAPS)))))
        cost = Amount("cost", as_grid(range(most + 1)))
        by = (CellColumn("ward", WARDS), CellColumn("age", GRID))
        counted: list[Row] = [(who, (), 1) for who, *_ in rows]
        spent: list[Row] = [(who, (), cost) for who, _, _, cost in rows]
        celled: list[Row] = [(who, (WARDS.index(ward), place(age)), cost) for who, ward, age, cost in rows]
        plain: list[Row] = [(who, cell, 1) for who, cell, _ in celled]
        ask: dict[str, Any] = {"caps": caps, "bits": bits}
        assert told(engine.person_shares(PersonAsk("who", **ask))) == shares_by_hand(counted, caps, bits)
        assert told(engine.person_shares(PersonAsk("who", amount=cost, **ask))) == shares_by_hand(spent, caps, bits)
        for once in (False, True):
            found = told(engine.person_shares(PersonAsk("who", by, once=once, **ask)))
            found_one = told(engine.person_shares(PersonAsk("who", by[:1], once=once, **ask)))
            assert found == shares_by_hand(plain, caps, bits, once=once)
            assert found_one == shares_by_hand([(w, c[:1], 1) for w, c, _ in plain], caps, bits, once=once)
        assert told(engine.person_shares(PersonAsk("who", by, cost, **ask))) == shares_by_hand(celled, caps, bits)
        signed = Amount("cost", as_grid(range(most + 1)), -(most // 2))
        moved: list[Row] = [(who, (), amount - most // 2) for who, _, amount in spent]  # type: ignore[operator]
        up, down = signed_by_hand(moved, caps, bits)
        both = engine.person_shares(PersonAsk("who", amount=signed, **ask))
        if signed.first < 0:
            assert (told(both), told(both.negative)) == (up, down)
        for how in ("count", "sum", "mean", "min", "max"):
            values, people = engine.person_values("who", signed, how)
            assert dict(zip(values.tolist(), people.tolist(), strict=True)) == values_by_hand(moved, how)
            assert values.tolist() == sorted(values.tolist())


def test_totals_stop_at_the_largest() -> None:
    """A person with more than 2**23 rows of the largest amount, in three numbers that stand for so many rows."""
    high, low = np.array([2**43, -(2**43), 3]), np.array([5, 5, 2**21 + 1])
    assert array_people._join(high, low).tolist() == [2**62 - 1, -(2**62) + 1, 3 * 2**20 + 2**21 + 1]


def test_a_total_at_the_largest_is_shared_out() -> None:
    runs = np.array([0, 0]), np.array([0, 1]), np.array([2**62 - 1, 2**62 - 1])
    ask = PersonAsk("who", (CellColumn("ward", WARDS),), caps=(1, 2**40), bits=20)
    lanes, above = np.zeros((2, 3, 2), dtype=np.int64), np.zeros(2, dtype=np.int64)
    table = array_people._as_table(ask, scales_of(ask.caps, ask.bits))
    assert array_people._share_runs(*runs, table, ask.bits, lanes, above) == 1
    found = (lanes[0].astype(object) << array_people.HALF) + lanes[1]
    assert found.tolist() == [[2**20, 2**60], [0, 0], [0, 0]]


ZONE = timezone(timedelta(hours=5))
ALIKE: list[list[Any]] = [
    [1, 1.0, Decimal(1), Fraction(1), np.int64(1), np.float32(1)],
    [2**60 + 1, np.uint64(2**60 + 1)],
    [2.0**60, 2**60],
    [Decimal("0.1"), Fraction(1, 10)],
    [0.1, np.float64(0.1)],
    [True, np.bool_(True)],
    ["1"],
    ["ann", np.str_("ann")],
    ["Ann"],
    ["ann "],
    ["\u00e9"],
    ["e\u0301"],
    ["12345678-1234-5678-1234-567812345678", UUID("12345678-1234-5678-1234-567812345678")],
    [date(2024, 1, 2), np.datetime64("2024-01-02")],
    [datetime(2024, 1, 2), np.datetime64("2024-01-02T00:00:00")],
    [datetime(2024, 1, 2, 5, tzinfo=ZONE), datetime(2024, 1, 2, tzinfo=UTC)],
    [b"1", np.bytes_(b"1")],
    [float("inf")],
]
GONE = [None, float("nan"), np.nan, pd.NA, pd.NaT, Decimal("nan"), "", " ", "NaN", np.datetime64("NaT")]
STRANGE = [object(), Strange(), Strange(), [1], {"a": 1}, np.array([1]), (1, 2), 1j, np.timedelta64(1, "D")]
STRANGE += [timedelta(1), pd.Timestamp("2024-01-02T00:00:00.000000001")]


def test_who_is_one_person() -> None:
    values = [value for alike in ALIKE for value in alike]
    Random(1).shuffle(values)
    codes = person_codes(as_column([*values, *GONE, *STRANGE]))
    assert codes.codes[len(values) :].tolist() == [MISSING] * len(GONE) + [OTHER] * len(STRANGE)
    by_id = {id(value): code for value, code in zip(values, codes.codes.tolist(), strict=False)}
    told_apart = [{by_id[id(value)] for value in alike} for alike in ALIKE]
    assert all(len(each) == 1 for each in told_apart)
    assert len(set[int]().union(*told_apart)) == len(ALIKE) == codes.size


@pytest.mark.parametrize(
    ("array", "people"),
    [
        (np.array([0.0, -0.0, np.nan, np.inf, -np.inf, np.inf]), 3),
        (np.array([0, 2**64 - 1, 2**63, 0], dtype=np.uint64), 3),
        (np.array([-(2**63), 2**63 - 1, -(2**63)]), 2),
        (np.array([True, False, True]), 2),
        (np.ma.array([1, 2, 1], mask=[False, False, True]), 2),
        (np.array([], dtype=np.int64), 0),
        (np.array([3, 3, 5], dtype=np.int8), 2),
    ],
    ids=lambda part: str(part)[:30],
)
def test_persons_of_arrays(array: Any, people: int) -> None:
    assert ArrayEngine({"who": array}).person_shares(PersonAsk("who")).people == people


def test_many_persons_outgrow_the_first_table(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(array_persons, "SLOTS", 2)
    ids = np.random.default_rng(1).integers(-(2**62), 2**62, 3000)
    rows = np.concatenate([ids, ids[:1000], ids[:10]])
    found = ArrayEngine({"who": rows}).person_shares(PersonAsk("who", caps=(1, 2)))
    assert (found.people, found.above, found.totals) == (3000, (1000, 10), (3000, 4000))


def test_factors_of_caps() -> None:
    """The powers of 2 share one long division."""
    for cap, scale in zip(CAPS, scales_of(CAPS, 20), strict=True):
        for reached, total in ((1, 3), (5, 7), (2**31, 2**32 - 1)):
            assert (scale.factor * reached // total) >> scale.shift == (cap << 20) * reached // total
