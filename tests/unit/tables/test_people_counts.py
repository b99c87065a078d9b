"""What the persons of a table bring: what is refused, what is left out, and totals that are very large."""

import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

import duckdb
import numpy as np
import polars as pl
import pytest

from dampen.errors import DataError, ParameterError
from dampen.tables import as_grid
from dampen.tables.engines import Reading, Source, open_engine
from dampen.tables.engines.base import LARGEST_TOTAL, Amount, CellColumn, PersonAsk
from dampen.tables.people_counts import person_shares, person_values
from tests.contracts.engines import lying
from tests.contracts.people_by_hand import Row, shares_by_hand, told

if TYPE_CHECKING:
    from tests.conftest import Refused

FORMS = ("arrays", "parquet", "ibis")
VISITS = pl.DataFrame(
    {
        "who": ["ann", "bob", None, "ann", " "],
        "ward": ["a", "x", "a", None, "a"],
        "cost": [3, None, 5, 1, 2],
        "day": ["mon"] * 5,
    }
)
WARD = CellColumn("ward", ("a", "b"))
COST = Amount("cost", as_grid(range(9)))


def ibis_table(columns: dict[str, list[Any]]) -> Any:
    return pytest.importorskip("ibis").memtable(pl.DataFrame(columns).to_arrow())


@pytest.mark.parametrize("form", FORMS)
def test_what_a_column_must_hold_is_looked_at_first(form: str, tmp_path: Path, refused: "Refused") -> None:
    data = lying(VISITS, form, tmp_path)
    assert person_shares(data, PersonAsk("who")).people == 2
    for ask, missing, rule in (
        (PersonAsk("who"), "refuse", "column 'who' must have no missing values"),
        (PersonAsk("who", (WARD,)), "drop", "column 'ward' must hold only the declared categories"),
        (PersonAsk("who", amount=COST), "drop", "column 'cost' must have no missing values"),
        (PersonAsk("who", amount=Amount("day", as_grid(range(9)))), "drop", "column 'day' must hold numbers"),
    ):
        with refused(DataError, rule):
            person_shares(data, ask, missing=missing)
    with refused(DataError, "column 'cost' must have no missing values"):
        person_values(data, "who", COST, how="max")


@pytest.mark.parametrize("form", FORMS)
def test_a_source_says_what_is_left_out(form: str, tmp_path: Path) -> None:
    readings = {"cost": Reading(missing=True), "ward": Reading(labels=("a", "b"), missing=True, other=True)}
    data = Source(lying(VISITS, form, tmp_path), readings=readings)
    found = person_shares(data, PersonAsk("who", (WARD,), COST, caps=(2, 8)))
    assert (found.people, found.above, found.cells.tolist(), found.weights.tolist()) == (1, (1, 0), [[0]], [[2, 3]])
    values, people = person_values(data, "who", COST, how="sum")
    assert (values.tolist(), people.tolist()) == ([4], [1])


def test_persons_that_cannot_be_told_apart(refused: "Refused") -> None:
    database = duckdb.connect()
    rule = "column 'who' must hold numbers, texts or days, by which persons are told apart"
    lists = database.sql("select [1, 2] as who, 1 as cost union all select null, 2")
    for data in ({"who": [[1, 2], "ann"]}, {"who": [object()]}, lists):
        with refused(DataError, rule):
            person_shares(data, PersonAsk("who"))
    ids = database.sql("select encode('a') as who union all select encode('b') union all select encode('a')")
    for held in (ids, {"who": [b"a", b"b", b"a"]}):
        assert person_shares(held, PersonAsk("who")).people == 2


def test_texts_are_told_apart_letter_by_letter() -> None:
    """Even where a column says that it takes a and A for the same."""
    ibis = pytest.importorskip("ibis")
    names = "('a'), ('A'), ('a'), ('\u00e4'), ('b'), ('')"
    for connection in (ibis.duckdb.connect(), None):
        home = duckdb.connect() if connection is None else connection.con
        home.execute(f"create table visits (who varchar collate nocase); insert into visits values {names}")
        data = home.table("visits") if connection is None else connection.table("visits")
        found = person_shares(data, PersonAsk("who", caps=(1, 2)))
        assert (found.people, found.above, found.totals) == (4, (1, 0), (4, 5))


def test_whole_numbers_beyond_floats() -> None:
    ids = [2**62, 2**62 + 1, 2**62, None]
    for data in ({"who": ids}, duckdb.from_arrow(pl.DataFrame({"who": ids}).to_arrow())):
        assert person_shares(data, PersonAsk("who")).people == 2


@pytest.mark.parametrize("form", FORMS)
def test_totals_beyond_floats(form: str, tmp_path: Path) -> None:
    """Persons with more than 2**53, and of 2**43 and 2**32 each a little more and less."""
    big = 2**40 - 1
    costs = {
        "far": [big] * 12_000 + [7],
        "near": [big] * 8 + [7],
        "at": [big] * 8 + [8],
        "low": [2**32 - 1],
        "up": [2**32],
    }
    rows = [(who, "ab"[spot % 3 == 0], cost) for who, own in costs.items() for spot, cost in enumerate(own)]
    rows += [(who, "b", 1) for who in costs]
    frame = pl.DataFrame(rows, schema=["who", "ward", "cost"], orient="row")
    data, caps = lying(frame, form, tmp_path), (1, 5, 2**20, 2**33, 2**40)
    ask = PersonAsk("who", (WARD,), Amount("cost", as_grid(range(2**40))), caps=caps, bits=20)
    by_hand: list[Row] = [(who, ("ab".index(ward),), cost) for who, ward, cost in rows]
    assert told(person_shares(data, ask)) == shares_by_hand(by_hand, caps, 20)


def test_sums_stop_at_the_largest() -> None:
    """In SQL and in expressions of ibis, of numbers that stand for those of very many rows."""
    from dampen.tables.engines import duck_few_cells, ibis_people

    wide = ", ".join(f"'{number}'::hugeint" for number in (2**80, -(2**80), 5))
    found = duckdb.sql(f"select {duck_few_cells.clamp_total('x')} from (select unnest([{wide}]) as x)")
    assert [row[0] for row in found.fetchall()] == [LARGEST_TOTAL, -LARGEST_TOTAL, 5]
    parts = ibis_table({"high": [2**43, -(2**43), 2**42 - 1, -(2**42), 3], "low": [5, 5, 2**20 - 1, 0, 2**21 + 1]})
    joined = parts.select(x=ibis_people._join(parts.high, parts.low)).to_pyarrow()["x"].to_pylist()
    assert joined == [LARGEST_TOTAL, -LARGEST_TOTAL, LARGEST_TOTAL, -LARGEST_TOTAL, 3 * 2**20 + 2**21 + 1]


def test_a_listed_grid_of_too_many_points(refused: "Refused") -> None:
    listed = as_grid([*range(5000), 6000.5])
    data = ibis_table({"who": ["ann"], "cost": [3]})
    with refused(ParameterError, "a grid for persons must have even steps, or at most 4096 points"):
        person_shares(data, PersonAsk("who", (CellColumn("cost", listed),)))
    assert person_shares(
        {"who": ["ann"], "cost": [3]}, PersonAsk("who", (CellColumn("cost", listed),), caps=(1,))
    ).totals == (1,)


def test_asks_that_are_none(refused: "Refused") -> None:
    wide = Amount("cost", as_grid(range(2**40 - 1)))
    makers: list[tuple[Any, str]] = [
        (lambda: PersonAsk("who", caps=(2, 1)), "caps must be whole numbers from 1 to 2**40, in increasing order"),
        (lambda: PersonAsk("who", caps=(0,)), "caps must be whole numbers"),
        (lambda: PersonAsk("who", caps=(2**40 + 1,)), "caps must be whole numbers"),
        (lambda: PersonAsk("who", bits=21), "bits must be a whole number from 0 to 20; got 21"),
        (lambda: PersonAsk("who", amount=wide, once=True), "amounts must be left out where rows count once"),
        (lambda: Amount("cost", as_grid(range(2**40 + 1))), "amounts must be below 2**40 in size"),
        (lambda: Amount("cost", as_grid(range(3)), -(2**40)), "amounts must be below 2**40 in size"),
        (lambda: person_values({"who": [1]}, "who", how="sum"), "how must be 'count' without amounts; got 'sum'"),
        (lambda: person_values({"who": [1]}, "who", how="mode"), "how must be one of"),
        (lambda: person_shares({"who": [1]}, PersonAsk("who"), missing="other"), "missing must be one of"),
    ]
    for make, rule in makers:
        with refused(ParameterError, rule):
            make()
    many = CellColumn("cost", as_grid(range(2**40)))
    with refused(ParameterError, "cells must be fewer than 2**62 together"):
        PersonAsk("who", (many, many))


def test_what_was_counted_is_not_shown() -> None:
    found = person_shares({"who": [1, 1, 2]}, PersonAsk("who", caps=(1,)))
    assert not re.search("[0-9]", re.sub("0x[0-9a-f]+", "", repr(found)))


def test_columns_of_other_lengths(refused: "Refused") -> None:
    with refused(DataError, "all columns must have equally many rows"):
        person_shares({"who": [1, 2], "cost": [1]}, PersonAsk("who", amount=COST))
    with open_engine({"who": np.array([1, 2]), "ward": ["a"]}) as engine, pytest.raises(DataError):
        engine.person_shares(PersonAsk("who", (WARD,)))
