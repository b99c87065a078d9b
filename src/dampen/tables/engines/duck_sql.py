"""SQL for DuckDB: numbers, places on a grid and places of declared values.

Places are decided by the same comparisons and IEEE operations as in memory; the rule is that of
:mod:`dampen.tables.reading`, value by value. A column's SQL type only says how its values are written.
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime
from decimal import Decimal
from math import gcd
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dampen.tables.columns import Column, Items, Strange, as_column
from dampen.tables.engines.base import NOWHERE, Bins, Coding, Labels
from dampen.tables.engines.labels import Places
from dampen.tables.files import TEXT, literal
from dampen.tables.grid import EvenGrid, Grid
from dampen.tables.reading import AROUND, BLANKS, DAY, DIGITS, MISSING, MOMENT, OTHER, read_text_number, read_truth

WHOLE_TYPES = ("TINYINT", "SMALLINT", "INTEGER", "BIGINT", "UTINYINT", "USMALLINT", "UINTEGER")
WIDE_TYPES = ("UBIGINT", "HUGEINT", "UHUGEINT")
REAL_TYPES = ("FLOAT", "DOUBLE")
MOST_DIGITS = 18
"""Decimals of so many digits have 64 bits in DuckDB; it multiplies wider ones slowly."""
WHOLE_TEXT = "[+-]?[0-9]{1,19}"
REAL_TEXT = r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)(e[+-]?[0-9]+)?|[+-]?(inf|infinity)"
PLAIN = ("wholes", "reals", "truths")
FINE = re.compile(DAY.pattern + r" [0-9:]{8}\.[0-9]{7,9}")
"""A moment with nanoseconds, as DuckDB prints it."""


def kind_of(sql_type: str) -> str:
    """What the values of an SQL type are: text, wholes, reals, decimals, truths, days, moments, instants or nothing."""
    if sql_type in (*WHOLE_TYPES, *WIDE_TYPES):
        return "wholes"
    if sql_type in REAL_TYPES:
        return "reals"
    if sql_type.startswith("DECIMAL"):
        return "decimals"
    if sql_type in (TEXT, "UUID") or sql_type.startswith("ENUM"):
        return "text"
    if sql_type.startswith("TIMESTAMP"):
        return "instants" if sql_type.endswith("TIME ZONE") else "moments"
    return {"BOOLEAN": "truths", "DATE": "days"}.get(sql_type, "nothing")


@dataclass(frozen=True)
class Keys:
    """SQL: what a value is found by, ``null`` where it has no such reading; and whether it is missing."""

    text: str | None = None
    whole: str | None = None
    real: str | None = None
    truth: str | None = None
    missing: str = "false"

    @property
    def inexact(self) -> str | None:
        """The float that a value is found by: a whole number is found by itself, not by a float near it."""
        if self.whole is None or self.real is None:
            return self.real
        return f"case when {self.whole} is null then {self.real} end"


def keys_of(value: str, sql_type: str) -> Keys:
    """The readings of a value of this SQL type."""
    kind, absent = kind_of(sql_type), f"{value} is null"
    if kind == "text":
        return _text_keys(plain_text(value))
    if kind == "wholes":
        return Keys(whole=f"try_cast({value} as hugeint)" if sql_type == "UHUGEINT" else value, missing=absent)
    if kind == "reals":
        number = f"cast({value} as double)"
        return Keys(real=number, missing=f"{absent} or isnan({number})")
    if kind == "decimals":
        whole = f"case when {value} = trunc({value}) then cast({value} as hugeint) end"
        return Keys(whole=whole, real=f"cast(cast({value} as varchar) as double)", missing=absent)
    if kind == "truths":
        return Keys(truth=value, missing=absent)
    return Keys(text=_print_time(value, kind), missing=absent)


def plain_text(value: str) -> str:
    """A text that equals itself alone: a column may declare that it takes ``a`` and ``A`` for the same."""
    return f'(cast({value} as varchar) collate "binary")'


def _text_keys(text: str) -> Keys:
    plain = f"trim({text}, {literal(AROUND)})"
    whole = f"try_cast(case when regexp_full_match({plain}, '{WHOLE_TEXT}') then {plain} end as bigint)"
    real = f"try_cast(case when regexp_full_match(lower({plain}), '{REAL_TEXT}') then {plain} end as double)"
    truth = f"case lower({plain}) when 'true' then true when 'false' then false end"
    return Keys(text, whole, real, truth, f"({text} is null or {_is_blank(text)})")


def _is_blank(text: str) -> str:
    """Whether a text is blank. Most are told by where they stand in the alphabet, and need not be trimmed.

    Blanks come before ``!``, and other texts that are blank begin with ``n`` or ``N``.
    """
    plain = f"{text} >= 'o' or ({text} >= '!' and {text} < 'N') or ({text} >= 'O' and {text} < 'n')"
    return f"case when {plain} then false else lower(trim({text}, {literal(BLANKS)})) in ('', 'nan') end"


def _print_time(value: str, kind: str) -> str | None:
    """A day or moment as DuckDB prints it, instants in UTC whatever the session's zone."""
    if kind == "nothing":
        return None
    inner = f"make_timestamp(epoch_us({value}))" if kind == "instants" else value
    return f"case when isfinite({value}) then cast({inner} as varchar) end"


def print_moment(moment: datetime) -> str:
    """A moment as DuckDB prints it."""
    text = moment.replace(tzinfo=None).isoformat(sep=" ")
    return text.rstrip("0") if "." in text else text


def texts_for(kind: str, places: Places) -> dict[str, int]:
    """The places of labels by the text key of a kind of column."""
    if kind == "text":
        return places.texts
    if kind == "days":
        return {day.isoformat(): place for day, place in places.days.items()}
    found = {"moments": places.moments, "instants": places.instants}.get(kind, {})
    return {print_moment(moment): place for moment, place in found.items()}


def wholes_for(sql_type: str, places: Places) -> dict[int, int]:
    """The places of labels by whole number: texts have 64 bits, wide types more."""
    if kind_of(sql_type) == "text" or sql_type in WHOLE_TYPES:
        return places.wholes()
    return {int(n): place for n, place in places.numbers.items() if n == n // 1 and abs(n) < 10**DIGITS}


def place_case(value: str, sql_type: str, places: Places, other: str, type_: str) -> str:
    """The place of the label that a value stands for, or ``other``, also where it is missing: cases of constants."""
    keys, kind = keys_of(value, sql_type), kind_of(sql_type)
    parts = [_cases(keys.text, {literal(text): place for text, place in texts_for(kind, places).items()}, type_)]
    parts.append(_cases(keys.whole, wholes_for(sql_type, places), type_))
    parts.append(_cases(keys.inexact, {double(n): place for n, place in places.reals().items()}, type_))
    parts.append(_cases(keys.truth, {str(truth).lower(): place for truth, place in places.truths.items()}, type_))
    return f"coalesce({', '.join([*(part for part in parts if part), other])})"


def _cases(key: str | None, places: Mapping[Any, int], type_: str) -> str | None:
    if key is None or not places:
        return None
    return f"case {key} {' '.join(f'when {known} then {place}::{type_}' for known, place in places.items())} end"


@dataclass(frozen=True, eq=False)
class JoinedPlace:
    """SQL: the place of the label that a value stands for, the joins that find it, and the tables that they need.

    Labels are joined, not listed as cases, where there may be very many.
    """

    place: str
    joins: str
    tables: Mapping[str, Mapping[str, NDArray[Any]]]


def place_by_join(value: str, sql_type: str, places: Places, alias: str, labels: str = "labels") -> JoinedPlace:
    """``alias`` tells the joins of several values apart, ``labels`` the tables of several sets of labels."""
    keys, kind = keys_of(value, sql_type), kind_of(sql_type)
    wholes = {str(key): place for key, place in wholes_for(sql_type, places).items()}
    found: dict[str, tuple[str | None, Mapping[Any, int], Any]] = {
        # whole numbers as texts, since they may have more than 64 bits
        "texts": (keys.text, texts_for(kind, places), object),
        "wholes": (keys.whole and f"cast({keys.whole} as varchar)", wholes, object),
        "reals": (keys.inexact, places.reals(), np.float64),
    }
    used = {name: (key, known, dtype) for name, (key, known, dtype) in found.items() if key and known}
    wide = "" if kind == "text" or sql_type in WHOLE_TYPES else "_wide"  # knows labels that narrow types cannot hold
    home = {name: f"{labels}_{name}_{kind}{wide}" for name in used}
    joins = [f"left join {home[name]} {alias}_{name} on {key} = {alias}_{name}.key" for name, (key, *_) in used.items()]
    parts = {name: f"{alias}_{name}.place" for name in used}
    if keys.truth:
        told = [places.truths.get(truth, OTHER) for truth in (True, False)]
        parts["truths"] = f"case when {keys.truth} then {told[0]} when not {keys.truth} then {told[1]} end"
    order = [parts.pop("texts", ""), f"case when {keys.missing} then {MISSING} end", *parts.values(), str(OTHER)]
    tables = {
        home[name]: {"key": np.array([*known], dtype=dtype), "place": np.array([*known.values()], dtype=np.int64)}
        for name, (_, known, dtype) in used.items()
    }
    first = f"cast(coalesce({', '.join(part for part in order if part)}) as bigint)"
    return JoinedPlace(first, " ".join(joins), tables)


def stands_for(value: str, sql_type: str, places: Places, wanted: frozenset[int]) -> str:
    """Whether a value stands for a label at one of the places: what leads there is compared, and what would lead
    elsewhere.
    """
    keys, kind = keys_of(value, sql_type), kind_of(sql_type)
    texts = texts_for(kind, places)
    numbers = [
        _among_constants(keys.whole, [known for known, spot in wholes_for(sql_type, places).items() if spot in wanted]),
        _among_constants(keys.inexact, [double(known) for known, spot in places.reals().items() if spot in wanted]),
        _among_constants(keys.truth, [str(known).lower() for known, spot in places.truths.items() if spot in wanted]),
    ]
    as_number = " or ".join(rule for rule in numbers if rule)
    # a text that is a label itself stands for that one, even where it reads as the number of another
    taken = [literal(text) for text, spot in texts.items() if spot not in wanted and _may_lead(text, places, wanted)]
    if as_number and taken and kind == "text":
        as_number = f"({keys.text} not in ({', '.join(taken)}) and ({as_number}))"
    as_text = _among_constants(keys.text, [literal(text) for text, spot in texts.items() if spot in wanted])
    return f"coalesce({' or '.join(rule for rule in (as_text, as_number) if rule) or 'false'}, false)"


def _among_constants(key: str | None, known: list[Any]) -> str:
    """Null is none of them: a text that reads as no number must not make the whole rule unknown."""
    return f"coalesce({key} in ({', '.join(map(str, known))}), false)" if key is not None and known else ""


def _may_lead(text: str, places: Places, wanted: frozenset[int]) -> bool:
    """Whether a text that is a label itself reads as a number or truth value of one of others."""
    number, truth = read_text_number(text), read_truth(text)
    return (number is not None and places.numbers.get(number) in wanted) or (
        truth is not None and places.truths.get(truth) in wanted
    )


def numbers_sql(value: str, sql_type: str, source: str, beside: str = "") -> str:
    """Rows ``(whole, real, status)``: at most one of the first two is a number, and the last says why neither is.

    ``beside``: SQL of columns that go along, each after a comma.
    """
    keys = keys_of("value", sql_type)
    whole, real = keys.whole or "null::bigint", keys.real or "null::double"
    if sql_type in WHOLE_TYPES:
        whole = "cast(value as bigint)"
    elif sql_type in WIDE_TYPES:
        whole, real = "try_cast(value as hugeint)", "cast(value as double)"
    read = f"select {value} as value{beside} from {source}"
    parsed = f"select * exclude (value), {whole} as whole, {real} as parsed, {keys.missing} as absent from ({read})"
    status = f"case when absent then {MISSING} when whole is null and parsed is null then {OTHER} end"
    number = "case when whole is null and not absent then parsed end"
    return f"select * exclude (parsed, absent), {number} as real, {status} as status from ({parsed})"


def key_sql(numbers: str, grid: Grid) -> str:
    """Rows ``(status, key)``: numbers between the ends of the grid, of the type of its points; the rest goes along."""
    return f"select * exclude (whole, real), {_key(grid)} as key from ({numbers})"


def _key(grid: Grid) -> str:
    """A number between the ends of the grid, of the type of its points, with the same points not above it."""
    if grid.whole:
        low, high, farthest = f"'{grid[0]}'::bigint", f"'{grid[-1]}'::bigint", f"{double(2**62)}"
        whole = f"cast(least(greatest(whole, {low}), {high}) as bigint)"
        floor = f"try_cast(least(greatest(floor(real), -{farthest}), {farthest}) as bigint)"
        return f"case when whole is null then least(greatest({floor}, {low}), {high}) else {whole} end"
    number = f"case when whole is null then real else {round_down()} end"
    return f"least(greatest({number}, {double(grid[0])}), {double(grid[-1])})"


def round_down() -> str:
    """The largest float not above a whole number; the cast gives it or the next."""
    near = "cast(whole as double)"
    above = f"coalesce(try_cast({near} as hugeint) > whole, {near} > 0)"
    return f"case when abs(whole::hugeint) > {2**53} and {above} then nextafter({near}, '-inf'::double) else {near} end"


def even_place(grid: EvenGrid, key: str = "key", *, within: bool = False) -> str:
    """Where a key stands on an even grid. ``within``: it is below the last point, so that no place is out of reach."""
    start, step, _ = grid.terms
    if grid.whole:
        return f"({key} - '{start}'::bigint) // '{step}'::bigint"
    near = near_place(grid, key)
    near = near if within else f"least(greatest({near}, 0), {double(len(grid) - 1)})"
    return place_near(grid, key, near)


def near_place(grid: EvenGrid, key: str) -> str:
    """The place of a key on a grid of floats, or the one after it (:class:`EvenGrid` says why); a float."""
    start, step, divisor = map(double, grid.terms)
    return f"round(({key} * {divisor} - {start}) / {step})"


def place_near(grid: EvenGrid, key: str, near: str) -> str:
    """The place of a key that :func:`near_place` found, or the one before it."""
    start, step, divisor = map(double, grid.terms)
    below = f"{key} < ({start} + {near} * {step}) / {divisor}"
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
    if not isinstance(grid, EvenGrid):
        return None
    start, step, divisor = grid.terms
    last, digits = start + (len(grid) - 1) * step, digits_behind(kind)
    if digits is not None and max(abs(start), abs(last)) * 10**digits < 2 ** (52 if digits or divisor > 1 else 62):
        number = f"cast({value} * {10**digits} as bigint)" if digits else f"cast({value} as bigint)"
        unit = 10**digits
        place = _whole_place(number if digits else value, start * unit, step * unit, divisor, last * unit)
        first, end = (f"'{-(-numerator * unit // divisor)}'::bigint" for numerator in (start, last))
    elif kind in REAL_TYPES and not (grid.whole and max(abs(start), abs(last)) >= 2**53):
        number, first, end = f"cast({value} as double)", double(grid[0]), double(grid[-1])
        floor = _whole_place(f"floor({number})", start, step, divisor, last)
        place = floor if grid.whole else even_place(grid, number, within=True)
    else:
        return None
    unsigned = place_type(len(grid))
    missing = f"{MISSING - OTHER}::{unsigned}"
    return (
        f"case {f'when isnan({number}) then {missing} ' if kind in REAL_TYPES else ''}"
        f"when {number} >= {first} and {number} < {end} then ({place} - {OTHER})::{unsigned} "
        f"when {number} < {first} then {-OTHER}::{unsigned} when {number} is null then {missing} "
        f"else {len(grid) - 1 - OTHER}::{unsigned} end"
    )


def digits_behind(kind: str) -> int | None:
    """How many digits the numbers of a type have behind the point, where it can be left out in 64 bits.

    Such a number is w / 10**s with w whole, and a point N / Q of a grid is not above it where w Q >= N 10**s. The
    place of the nearest floats is the same: two such fractions differ by 1 / (Q 10**s) at least, and if N 10**s is
    below 2**52, rounding moves each by less than half of that.
    """
    if kind in WHOLE_TYPES:
        return 0
    found = re.fullmatch(r"DECIMAL\((\d+),(\d+)\)", kind)
    # the product with 10**s, of s + 1 digits, is as wide as both together
    return int(found[2]) if found is not None and int(found[1]) + int(found[2]) < MOST_DIGITS else None


def _whole_place(whole: str, start: int, step: int, divisor: int, last: int) -> str:
    """floor((w Q - A) / P) for a whole number w between the ends, without what P and Q have in common."""
    common = gcd(step, divisor)
    factor, ahead, width = divisor // common, -start // common, step // common
    sql_type = "integer" if max(abs(start), abs(last), step, divisor) < 2**29 else "bigint"
    place = f"cast({whole} as {sql_type})"
    place = f"{place} * '{factor}'::{sql_type}" if factor > 1 else place
    place = f"({place} + '{ahead}'::{sql_type})" if ahead else place
    return f"{place} // '{width}'::{sql_type}" if width > 1 else place


def place_type(places: int) -> str:
    """The type of a place that is counted from ``OTHER`` on."""
    return "uinteger" if places < 2**31 else "ubigint"


def float_of(value: str, sql_type: str) -> str:
    """A value as the nearest float, ``null`` where it is no number."""
    keys = keys_of(value, sql_type)
    if keys.real is None and keys.whole is None:
        return "null::double"
    return f"cast({value} as double)" if keys.real is None else keys.real


def place_sql(value: str, sql_type: str, coding: Coding) -> str:
    """The place of a value, ``null`` where it has none."""
    return _bin_sql(value, sql_type, coding) if isinstance(coding, Bins) else _label_sql(value, sql_type, coding)


def _bin_sql(value: str, sql_type: str, coding: Bins) -> str:
    """How many edges are not above a finite number."""
    number = float_of(value, sql_type)
    clamped = f"least(greatest({number}, {double(coding.low)}), {double(coding.high)})"
    return f"case when isfinite({number}) then {_among(clamped, coding.edges, 0)} end"


def _among(number: str, edges: tuple[float, ...], first: int) -> str:
    """Binary search as nested cases."""
    if not edges:
        return f"{first}::usmallint"
    middle = len(edges) // 2
    below, above = _among(number, edges[:middle], first), _among(number, edges[middle + 1 :], first + middle + 1)
    return f"case when {number} < {double(edges[middle])} then {below} else {above} end"


def _label_sql(value: str, sql_type: str, coding: Labels) -> str:
    """Labels that are whole numbers in a row are their own places, but for the first."""
    other, places = "null" if coding.other is None else f"{coding.other}::usmallint", Places.of(coding.values)
    wholes = wholes_for(sql_type, places) if sql_type in WHOLE_TYPES else {}
    start = min(wholes, default=0)
    # a shift instead of cases, which DuckDB would try one after another for every row
    if len(wholes) > 1 and wholes == {start + place: place for place in range(len(wholes))}:
        shifted = f"{value}" if start == 0 else f"({value}::bigint - {start})"
        found = f"{value} between {start} and {start + len(wholes) - 1}"
        return f"case when {found} then {shifted}::usmallint else {other} end"
    return place_case(value, sql_type, places, other, "usmallint")


def edge_query(nodes: Any, src_type: str, dst_type: str) -> tuple[dict[str, Mapping[str, NDArray[Any]]], str]:
    """SQL: where the two ends of every edge in ``ends`` stand among the nodes; and the tables that it needs.

    Places are 32-bit numbers, as rows of edges may be many.
    """
    types = {"src": src_type, "dst": dst_type}
    if nodes.known is None:
        fields = [f"{_node_number(end, sql_type, nodes.count)} as {end}" for end, sql_type in types.items()]
        return {}, f"select {', '.join(fields)} from ends"
    found = {end: place_by_join(f"ends.{end}", kind, nodes.known, end) for end, kind in types.items()}
    fields = [f"cast({joined.place} as integer) as {end}" for end, joined in found.items()]
    joins = " ".join(joined.joins for joined in found.values())
    tables = {name: table for joined in found.values() for name, table in joined.tables.items()}
    return tables, f"select {', '.join(fields)} from ends {joins}"


def _node_number(end: str, sql_type: str, count: int) -> str:
    """SQL: a whole number that may be a node's; texts that read as numbers count."""
    if sql_type in WHOLE_TYPES:
        return f"coalesce(try_cast({end} as integer), {NOWHERE})"
    number = float_of(end, sql_type)
    usable = f"{number} between 0 and {count} and floor({number}) = {number}"
    return f"case when {usable} then cast({number} as integer) else {NOWHERE} end"


def exact_sql(value: str, sql_type: str) -> str:
    """SQL: a value as text, or as a number or truth value where those are exact."""
    kind = kind_of(sql_type)
    if kind in PLAIN and sql_type not in WIDE_TYPES:
        return value
    if kind in ("days", "moments", "instants"):
        return f"case when {value} is not null then coalesce({keys_of(value, sql_type).text}, '') end"
    return f"cast({value} as varchar)"


def fetched_column(found: NDArray[Any] | list[Any], sql_type: str) -> Column:
    """What :func:`exact_sql` brought, as values."""
    kind = kind_of(sql_type)
    if kind in PLAIN and sql_type not in WIDE_TYPES:
        return as_column(found)
    makers: dict[str, Callable[[str], Any]] = {
        "wholes": int,
        "decimals": Decimal,
        "days": _day,
        "moments": _moment,
        "instants": lambda text: _moment(text, UTC),
        "nothing": lambda text: Strange(),
    }
    items = found if isinstance(found, list) else found.tolist()
    make = makers.get(kind)
    return Items(items if make is None else [None if item is None else make(item) for item in items])


def _day(text: str) -> Any:
    try:
        return date.fromisoformat(text)
    except ValueError:
        return Strange()


def _moment(text: str, zone: Any = None) -> Any:
    if FINE.fullmatch(text):
        return np.datetime64(text, "ns")  # stands for no label, but lies in a day
    try:
        return datetime.fromisoformat(text).replace(tzinfo=zone) if MOMENT.fullmatch(text) else Strange()
    except ValueError:
        return Strange()
