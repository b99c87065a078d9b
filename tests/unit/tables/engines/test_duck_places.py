"""Places of typed numbers on even grids, found in one step inside DuckDB: against fractions and floats of Python."""

from bisect import bisect_right
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pytest

from dampen.queries.units import unit_grid
from dampen.tables.engines.duck_files import open_files
from dampen.tables.engines.duck_places import is_direct, locate_rows, place_rows
from dampen.tables.engines.duckdb import DuckEngine
from dampen.tables.grid import EvenGrid, Grid, as_grid
from dampen.tables.reading import MISSING, OTHER
from dampen.tables.relative_grid import unbounded_grid

GRIDS: dict[str, Grid] = {
    "whole": as_grid(range(-7, 50, 3)),
    "halves": as_grid(bounds=(Fraction(-1, 2), Fraction(41, 2)), step=1),
    "quarters": as_grid(bounds=(Fraction(-11, 4), 9), step=Fraction(3, 4)),
    "thirds": as_grid(bounds=(Fraction(-10, 3), 20), step=Fraction(2, 3)),
    "hundredths": as_grid(bounds=(Fraction(-1, 200), Fraction(11, 2)), step=Fraction(1, 100)),
    "wide steps": as_grid(bounds=(Fraction(-15, 2), 60), step=7),
    "units": unit_grid((Fraction(-3), Fraction(30)), Fraction(1, 8)).grid,
    "one point": as_grid(bounds=(Fraction(1, 2), 1), step=1),
    "fine and far": EvenGrid(2**52 - 4001, 2, 2**21, 2000),
    "far": as_grid(range(2**61, 2**61 + 40, 3)),
}
WHOLES = [*range(-40, 90), *range(2**31 - 4, 2**31 + 3), *range(2**61 - 1, 2**61 + 45), -(2**63), 2**63 - 1]
CENTS = [Decimal(cents).scaleb(-2) for cents in (*range(-900, 2500, 7), *range(-10, 30), 10**12, -(10**12))]


def expected_places(numbers: list[Fraction], grid: Grid) -> list[int]:
    """The largest point not above each number, in exact comparisons; below all of them the first."""
    points = [Fraction(point) for point in grid]
    return [max(bisect_right(points, number) - 1, 0) for number in numbers]


def places_in_duckdb(values: list[Any], sql_type: str, grid: Grid) -> list[int]:
    """With the places that are left where rows without one are not wanted."""
    texts = np.array([None if value is None else str(value) for value in values], dtype=object)
    with duckdb.connect() as connection:
        connection.register("texts", {"spot": np.arange(len(values)), "v": texts})  # no type rounds a text
        connection.execute(f"create table data as select spot, v::{sql_type} as v from texts")
        query, _ = locate_rows("v", sql_type, grid, beside=", spot")
        found = connection.sql(f"select place::bigint + {OTHER} from ({query}) order by spot").fetchall()
        kept, _ = place_rows("v", sql_type, grid, beside=", spot", source="data", points="grid")
        left = connection.sql(f"select place::bigint + {OTHER} from ({kept}) order by spot").fetchall()
    assert left == [(place,) for (place,) in found if place >= 0]
    return [place for (place,) in found]


@pytest.mark.parametrize("name", GRIDS)
def test_whole_numbers_stand_where_their_fractions_do(name: str) -> None:
    grid = GRIDS[name]
    assert is_direct("v", "BIGINT", grid)
    near = [int(grid[place]) + k for place in (0, len(grid) // 2, len(grid) - 1) for k in (-1, 0, 1)]
    found = places_in_duckdb([*WHOLES, *near, None], "BIGINT", grid)
    assert found == [*expected_places([Fraction(n) for n in (*WHOLES, *near)], grid), MISSING]


@pytest.mark.parametrize("name", [name for name in GRIDS if "far" not in name])
@pytest.mark.parametrize("sql_type", ["DECIMAL(15,2)", "DECIMAL(14,3)"])
def test_decimals_stand_where_the_nearest_floats_do(name: str, sql_type: str) -> None:
    """As memory reads them: a whole one by itself, another as the nearest float."""
    grid = GRIDS[name]
    assert is_direct("v", sql_type, grid)
    found = places_in_duckdb([*CENTS, None], sql_type, grid)
    near = [Fraction(n) if n == int(n) else Fraction(float(n)) for n in CENTS]
    assert found == [*expected_places(near, grid), MISSING]


@pytest.mark.parametrize("name", [name for name in GRIDS if name != "far"])
def test_floats_stand_where_they_are(name: str) -> None:
    grid = GRIDS[name]
    points = [float(point) for point in (grid[0], grid[1 % len(grid)], grid[len(grid) // 2], grid[-1])]
    values = [near for point in points for near in (np.nextafter(point, -np.inf), point, np.nextafter(point, np.inf))]
    values += [0.49999999999999994, -0.5, 0.1 + 0.2, 1e300, -1e300, 5e-324, *np.linspace(-12, 40, 301)]
    values = [float(value) for value in values]
    assert is_direct("v", "DOUBLE", grid)
    found = places_in_duckdb([*values, float("nan"), float("inf"), None], "DOUBLE", grid)
    expected = expected_places([Fraction(value) for value in values], grid)
    assert found == [*expected, MISSING, len(grid) - 1, MISSING]


def test_what_could_round_takes_the_long_way() -> None:
    fine = EvenGrid(1, 2, 2**20, 2**49)
    assert is_direct("v", "BIGINT", fine)
    assert not is_direct("v", "DECIMAL(14,3)", fine)
    assert not is_direct("v", "DECIMAL(16,2)", GRIDS["halves"])
    assert not is_direct("v", "DOUBLE", GRIDS["far"])
    assert not is_direct("v", "VARCHAR", GRIDS["halves"])
    assert not is_direct("v", "BIGINT", as_grid([0.0, 1.0, 5.0]))


def test_numbers_of_a_text_file_are_not_held_against_every_point(tmp_path: Path) -> None:
    """DuckDB takes files of text for short and would: 100,000 rows took two minutes on 15,000 points."""
    (tmp_path / "t.csv").write_text("v\n" + "1.5\n" * 100)
    with open_files(tmp_path / "t.csv", ["v"]) as engine:
        assert isinstance(engine, DuckEngine)
        located, tables = locate_rows(engine.field("v"), engine.kind("v"), unbounded_grid("0.01"))
        query = f"explain with data as (select * from {engine.source}) select count(place) from ({located})"
        connection: Any = engine.connection
        for name, columns in tables.items():
            connection.register(name, dict(columns))
        [(_, plan)] = connection.execute(query).fetchall()
    assert "ASOF_JOIN" in plan
    assert "LOOP_JOIN" not in plan
