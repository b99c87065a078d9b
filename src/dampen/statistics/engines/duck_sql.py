"""SQL for DuckDB: numbers, places on a grid and places of declared values.

Places are decided by the same comparisons and IEEE operations as in memory.
"""

from typing import Any

import numpy as np

from dampen.statistics.engines.base import MISSING, OTHER, Coding, Edges, Labels, written
from dampen.statistics.engines.labels import BLANKS
from dampen.statistics.files import TEXT, literal
from dampen.statistics.grid import EvenGrid, Grid

WHOLE_TYPES = ("TINYINT", "SMALLINT", "INTEGER", "BIGINT", "UTINYINT", "USMALLINT", "UINTEGER")
WIDE_TYPES = ("UBIGINT", "HUGEINT")
REAL_TYPES = ("FLOAT", "DOUBLE")
WHOLE_TEXT = "[+-]?[0-9]{1,38}"
REAL_TEXT = r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)(e[+-]?[0-9]+)?|[+-]?(inf|infinity|nan)"


def is_number(kind: str) -> bool:
    """Whether a column of this SQL type may hold numbers; text may."""
    return kind in (TEXT, *WHOLE_TYPES, *WIDE_TYPES, *REAL_TYPES) or kind.startswith("DECIMAL")


def numbers_sql(value: str, kind: str, source: str) -> str:
    """Rows ``(whole, real, status)``: at most one of the first two is a number, and the last says why neither is."""
    whole, real, absent = "null::bigint", "null::double", "value is null"
    read = f"select {value} as value from {source}"
    if kind == TEXT:
        read = f"select trim({value}, ' \t') as value from {source}"
        absent = "value is null or value = ''"
        whole = f"try_cast(case when regexp_full_match(value, '{WHOLE_TEXT}') then value end as hugeint)"
        real = f"try_cast(case when regexp_full_match(lower(value), '{REAL_TEXT}') then value end as double)"
    elif kind in WHOLE_TYPES:
        whole = "cast(value as bigint)"
    elif kind in WIDE_TYPES:
        whole = "cast(value as hugeint)"
    elif kind in REAL_TYPES:
        real = "cast(value as double)"
    else:
        real = "cast(cast(value as varchar) as double)"
    parsed = f"select {whole} as whole, {real} as parsed, {absent} as absent from ({read})"
    status = f"case when absent or isnan(parsed) then {MISSING} when whole is null and parsed is null then {OTHER} end"
    return f"select whole, case when not isnan(parsed) then parsed end as real, {status} as status from ({parsed})"


def sort_of(kind: str) -> str:
    """How labels are found in a column of this SQL type: among texts, whole numbers, reals, truths or days."""
    if kind in (*WHOLE_TYPES, *WIDE_TYPES):
        return "wholes"
    if kind in REAL_TYPES or kind.startswith("DECIMAL"):
        return "reals"
    return {TEXT: "text", "BOOLEAN": "truths", "DATE": "days"}.get(kind, "else")


def printed(value: str, kind: str) -> tuple[str, str]:
    """SQL: a value as text, and a pattern for the number that such a text stands for."""
    text = f"cast(cast({value} as double) as varchar)" if kind in REAL_TYPES else f"cast({value} as varchar)"
    if kind != TEXT:
        return text, "try_cast({0} as double)"
    plain = REAL_TEXT.partition("|[+-]?(inf")[0].replace("{", "{{").replace("}", "}}")
    return text, f"try_cast(case when regexp_full_match(lower(trim({{0}}, ' \t')), '{plain}') then {{0}} end as double)"


def keyed_sql(numbers: str, grid: Grid) -> str:
    """Rows ``(status, key)``: numbers between the ends of the grid, of the type of its points."""
    return f"select status, {_key(grid)} as key from ({numbers})"


def _key(grid: Grid) -> str:
    """A number between the ends of the grid, of the type of its points, with the same points not above it."""
    if grid.whole:
        low, high, farthest = f"'{grid[0]}'::bigint", f"'{grid[-1]}'::bigint", f"{double(2**62)}"
        whole = f"cast(least(greatest(whole, {low}), {high}) as bigint)"
        floor = f"try_cast(least(greatest(floor(real), -{farthest}), {farthest}) as bigint)"
        return f"case when whole is null then least(greatest({floor}, {low}), {high}) else {whole} end"
    number = f"case when whole is null then real else {rounded_down()} end"
    return f"least(greatest({number}, {double(grid[0])}), {double(grid[-1])})"


def rounded_down() -> str:
    """The largest float not above a whole number; the cast gives it or the next."""
    near = "cast(whole as double)"
    above = f"coalesce(try_cast({near} as hugeint) > whole, {near} > 0)"
    return f"case when abs(whole::hugeint) > {2**53} and {above} then nextafter({near}, '-inf'::double) else {near} end"


def even_place(grid: EvenGrid) -> str:
    """Where a key stands on an even grid."""
    start, step, divisor = grid.terms
    if grid.whole:
        return f"(key - '{start}'::bigint) // '{step}'::bigint"
    first, width, scale = double(start), double(step), double(divisor)
    near = f"least(greatest(round((key * {scale} - {first}) / {width}), 0), {double(len(grid) - 1)})"
    below = f"key < ({first} + {near} * {width}) / {scale}"
    return f"cast({near} as bigint) - cast({below} as bigint)"


def double(number: float) -> str:
    """A float as SQL reads it without rounding; a bare literal would go through a decimal."""
    return f"'{float(number)!r}'::double"


def direct_place(value: str, kind: str, grid: Grid) -> str | None:
    """The place of a typed number on an even grid in one step, where no rounding comes in between; else nothing.

    It is counted from ``OTHER`` on and has no sign. Numbers between the ends, which most are, are asked for before
    others, but NaN before all: the extremes that a Parquet file tells of its columns leave it out, and DuckDB takes a
    comparison that holds for them to hold for every row.
    """
    real = kind in REAL_TYPES
    if not isinstance(grid, EvenGrid) or not (real or (kind in WHOLE_TYPES and grid.whole)):
        return None
    start, step, _ = grid.terms
    number = f"cast({value} as double)" if real else f"cast({value} as bigint)"
    first, last = (double(end) if real else f"'{end}'::bigint" for end in (grid[0], grid[-1]))
    if real and grid.whole and max(abs(grid[0]), abs(grid[-1])) >= 2**53:
        return None
    if grid.whole:
        width = "integer" if max(abs(grid[0]), abs(grid[-1]), step) < 2**30 else "bigint"
        steps = f"cast({f'floor({number})' if real else number} as {width})"
        steps = f"({steps} - '{start}'::{width})" if start else steps
        place = f"{steps} // '{step}'::{width}" if step > 1 else steps
    else:
        place = even_place(grid).replace("key", number)
    unsigned = from_other(len(grid))
    missing = f"{MISSING - OTHER}::{unsigned}"
    return (
        f"case {f'when isnan({number}) then {missing} ' if real else ''}"
        f"when {number} >= {first} and {number} < {last} then ({place} - {OTHER})::{unsigned} "
        f"when {number} < {first} then {-OTHER}::{unsigned} when {number} is null then {missing} "
        f"else {len(grid) - 1 - OTHER}::{unsigned} end"
    )


def from_other(places: int) -> str:
    """The type of a place that is counted from ``OTHER`` on."""
    return "uinteger" if places < 2**31 else "ubigint"


def coded(value: str, kind: str, coding: Coding) -> str:
    """The place of a value, ``null`` where it has none."""
    return _edges(value, kind, coding) if isinstance(coding, Edges) else _labels(value, kind, coding)


def _edges(value: str, kind: str, coding: Edges) -> str:
    """How many edges are not above a finite number."""
    number = f"cast({value} as double)"
    if kind == TEXT:
        plain = f"trim({value}, {literal(BLANKS)})"
        number = f"try_cast(case when regexp_full_match(lower({plain}), '{REAL_TEXT}') then {plain} end as double)"
    elif kind.startswith("DECIMAL"):
        number = f"cast(cast({value} as varchar) as double)"
    clamped = f"least(greatest({number}, {double(coding.low)}), {double(coding.high)})"
    return f"case when isfinite({number}) then {_among(clamped, coding.edges, 0)} end"


def _among(number: str, edges: tuple[float, ...], first: int) -> str:
    """Binary search as nested cases."""
    if not edges:
        return f"{first}::usmallint"
    middle = len(edges) // 2
    below, above = _among(number, edges[:middle], first), _among(number, edges[middle + 1 :], first + middle + 1)
    return f"case when {number} < {double(edges[middle])} then {below} else {above} end"


def _labels(value: str, kind: str, coding: Labels) -> str:
    other = "null" if coding.other is None else f"{coding.other}::usmallint"
    natives = {place: natives_sql(label, kind) for place, label in enumerate(coding.values)}
    numbers = [found[0] if found else "" for found in natives.values()]
    start = int(numbers[0]) if kind in WHOLE_TYPES and numbers[0] else 0
    if kind in WHOLE_TYPES and len(numbers) > 1 and numbers == [str(start + place) for place in range(len(numbers))]:
        shifted = f"{value}" if start == 0 else f"({value}::bigint - {start})"
        found = f"{value} between {start} and {start + len(numbers) - 1}"
        return f"case when {found} then {shifted}::usmallint else {other} end"
    cases = [f"when {text} then {place}::usmallint" for place, found in natives.items() for text in found]
    return f"case {value} {' '.join(cases)} else {other} end" if cases else f"{other}::usmallint"


def natives_sql(label: Any, kind: str) -> list[str]:
    """A label as the type of a column has it: texts as they print, numbers by their value; else nothing equals it."""
    if kind == TEXT:
        return [literal(text) for text in written(label)]
    if isinstance(label, str) or not isinstance(label, int | float | np.integer | np.floating | np.bool_):
        return []
    if kind == "BOOLEAN":
        return ["true" if label else "false"] if label in (0, 1) else []
    number = float(label)
    if kind in (*WHOLE_TYPES, *WIDE_TYPES):
        return [str(int(label))] if number.is_integer() and abs(number) < 2**63 else []
    return [double(number)] if is_number(kind) else []
