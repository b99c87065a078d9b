"""SQL for DuckDB: rows with the place of a value on a grid, whatever else goes along."""

import numpy as np

from dampen.tables.columns import counted_on
from dampen.tables.day_grid import DayGrid
from dampen.tables.engines import duck_days, duck_sql
from dampen.tables.engines.duck_groups import Tables
from dampen.tables.grid import EvenGrid, Grid
from dampen.tables.reading import OTHER


def locate_rows(
    value: str, sql_type: str, grid: Grid, *, beside: str = "", source: str = "data", points: str = "grid"
) -> tuple[str, Tables]:
    """SQL: the ``place`` of every value, counted from ``OTHER`` on, and what stands beside; and the tables for it.

    ``points``: what the table of the points of a listed grid is called.
    """
    days, counted = isinstance(grid, DayGrid), counted_on(grid)
    if is_direct(value, sql_type, grid):
        return f"select {duck_sql.direct_place(value, sql_type, grid)} as place{beside} from {source}", {}
    numbers = (duck_days.days_sql if days else duck_sql.numbers_sql)(value, sql_type, source, beside)
    keyed = duck_sql.key_sql(numbers, counted)
    unsigned = f"- {OTHER})::{duck_sql.place_type(len(grid))}"
    if isinstance(counted, EvenGrid):
        place = f"(coalesce(status, {duck_sql.even_place(counted)}) {unsigned}"
        return f"select * exclude (status, key), {place} as place from ({keyed})", {}
    listed = counted.points()
    joined = f"({keyed}) keyed asof left join {points} on key >= point"
    return (
        f"select keyed.* exclude (status, key), (coalesce(status, place) {unsigned} as place from {joined}",
        {points: {"point": listed, "place": np.arange(len(listed))}},
    )


def place_rows(value: str, sql_type: str, grid: Grid, *, beside: str, source: str, points: str) -> tuple[str, Tables]:
    """As :func:`locate_rows`, without the rows of which the value has no place on the grid.

    A number that is not missing has one. That is asked of the value: a rule about its place would have DuckDB find
    every place twice.
    """
    if not is_direct(value, sql_type, grid):
        located, tables = locate_rows(value, sql_type, grid, beside=beside, source=source, points=points)
        return f"select * from ({located}) where place >= {-OTHER}", tables
    known = f"where not ({duck_sql.keys_of(value, sql_type).missing})"
    if sql_type in duck_sql.REAL_TYPES and isinstance(grid, EvenGrid) and not grid.whole:
        return _place_floats(f"select cast({value} as double) as v{beside} from {source} {known}", grid), {}
    return f"select {duck_sql.direct_place(value, sql_type, grid)} as place{beside} from {source} {known}", {}


def _place_floats(rows: str, grid: EvenGrid) -> str:
    """The places of floats ``v`` that are numbers: those beyond an end first become that end.

    Each step is a select of its own: DuckDB would find what stands twice in a ``case`` twice.
    """
    first, last = map(duck_sql.double, (grid[0], grid[-1]))
    inside = f"case when v < {first} then {first} when v > {last} then {last} else v end"
    rows = f"select * replace ({inside} as v) from ({rows})"
    rows = f"select *, {duck_sql.near_place(grid, 'v')} as near from ({rows})"
    place = f"{duck_sql.place_near(grid, 'v', 'near')} + {-OTHER}"
    return f"select * exclude (v, near), {place} as place from ({rows})"


def is_direct(value: str, sql_type: str, grid: Grid) -> bool:
    """Whether a place is found in one step, from a number of a type that holds nothing else."""
    return not isinstance(grid, DayGrid) and duck_sql.direct_place(value, sql_type, grid) is not None
