"""The place on a grid in SQL, decided by the same comparisons and IEEE operations as in memory."""

import numpy as np

from dampen.errors import DataError
from dampen.statistics.columns import titled
from dampen.statistics.files import TEXT, FileColumn
from dampen.statistics.grid import EvenGrid, Grid
from dampen.vectors import Integers

MISSING, NO_NUMBER = -1, -2
"""In place of a place: the value is missing, or is no number."""

WHOLE_TYPES = ("TINYINT", "SMALLINT", "INTEGER", "BIGINT", "UTINYINT", "USMALLINT", "UINTEGER")
WIDE_TYPES = ("UBIGINT", "HUGEINT")
REAL_TYPES = ("FLOAT", "DOUBLE")
WHOLE_TEXT = "[+-]?[0-9]{1,38}"
REAL_TEXT = r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)(e[+-]?[0-9]+)?|[+-]?(inf|infinity|nan)"


def places_in_file(source: FileColumn, grid: Grid, column: str | None) -> tuple[Integers, Integers]:
    """Occupied places and how many values each holds, counted inside DuckDB.

    The places ``MISSING`` and ``NO_NUMBER`` count what has no place on the grid.
    """
    keyed = f"select status, {_key(grid)} as key from ({numbers_sql(source.type, column)})"
    if isinstance(grid, EvenGrid):
        located = f"select coalesce(status, {_even_place(grid)}) as place from ({keyed})"
    else:
        points = grid.points()
        source.connection.register("grid", {"point": points, "place": np.arange(len(points))})
        located = f"select coalesce(status, place) as place from ({keyed}) asof left join grid on key >= point"
    query = f"select cast(place as bigint) as place, count(*) as count from ({located}) group by 1 order by 1"
    rows = source.fetch(query)
    return rows["place"], rows["count"]


def numbers_sql(kind: str, column: str | None) -> str:
    """Rows ``(whole, real, status)``: at most one of the first two is a number, and the last says why neither is."""
    whole, real, absent, source = "null::bigint", "null::double", "value is null", "data"
    if kind == TEXT:
        source = "(select trim(value, ' \t') as value from data)"
        absent = "value is null or value = ''"
        whole = f"try_cast(case when regexp_full_match(value, '{WHOLE_TEXT}') then value end as hugeint)"
        real = f"try_cast(case when regexp_full_match(lower(value), '{REAL_TEXT}') then value end as double)"
    elif kind in WHOLE_TYPES:
        whole = "cast(value as bigint)"
    elif kind in WIDE_TYPES:
        whole = "cast(value as hugeint)"
    elif kind in REAL_TYPES:
        real = "cast(value as double)"
    elif kind.startswith("DECIMAL"):
        real = "cast(cast(value as varchar) as double)"
    else:
        raise DataError(f"{titled(column)} must hold numbers")
    read = f"select {whole} as whole, {real} as parsed, {absent} as absent from {source}"
    status = (
        f"case when absent or isnan(parsed) then {MISSING} when whole is null and parsed is null then {NO_NUMBER} end"
    )
    return f"select whole, case when not isnan(parsed) then parsed end as real, {status} as status from ({read})"


def _key(grid: Grid) -> str:
    """A number between the ends of the grid, of the type of its points, with the same points not above it."""
    if grid.whole:
        low, high, farthest = f"'{grid[0]}'::bigint", f"'{grid[-1]}'::bigint", f"{_double(2**62)}"
        whole = f"cast(least(greatest(whole, {low}), {high}) as bigint)"
        floor = f"try_cast(least(greatest(floor(real), -{farthest}), {farthest}) as bigint)"
        return f"case when whole is null then least(greatest({floor}, {low}), {high}) else {whole} end"
    number = f"case when whole is null then real else {_rounded_down()} end"
    return f"least(greatest({number}, {_double(grid[0])}), {_double(grid[-1])})"


def _rounded_down() -> str:
    """The largest float not above a whole number; the cast gives it or the next."""
    near = "cast(whole as double)"
    above = f"coalesce(try_cast({near} as hugeint) > whole, {near} > 0)"
    return f"case when abs(whole::hugeint) > {2**53} and {above} then nextafter({near}, '-inf'::double) else {near} end"


def _even_place(grid: EvenGrid) -> str:
    start, step, divisor = grid.terms
    if grid.whole:
        return f"(key - '{start}'::bigint) // '{step}'::bigint"
    first, width, scale = _double(start), _double(step), _double(divisor)
    near = f"least(greatest(round((key * {scale} - {first}) / {width}), 0), {_double(len(grid) - 1)})"
    below = f"key < ({first} + {near} * {width}) / {scale}"
    return f"cast({near} as bigint) - cast({below} as bigint)"


def _double(number: float) -> str:
    """A float as SQL reads it without rounding; a bare literal would go through a decimal."""
    return f"'{float(number)!r}'::double"
