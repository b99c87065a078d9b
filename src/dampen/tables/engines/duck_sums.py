"""SQL for DuckDB: exact sums in one scan. Its sums of whole numbers have 128 bits, so wide digits do (:mod:`digits`).

``isnan`` is asked before a number is compared, and numbers between the ends before others: see
:func:`~dampen.tables.engines.duck_sql.direct_place`.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from math import ceil, floor

from dampen.tables.engines.base import Sums
from dampen.tables.engines.digits import FINE, RAISED, WIDE, inner_ends, power, wide_power
from dampen.tables.engines.duck_sql import REAL_TYPES, WHOLE_TYPES, double
from dampen.tables.reading import MISSING, OTHER

Ends = tuple[Fraction, Fraction]
WHOLE, TINY = 2**52, 2.0 ** (52 - WIDE)
SIDES = {"below": "count_if(side = -1)", "above": "count_if(side = 1)", "inside": "count_if(side = 0)"}


@dataclass(frozen=True)
class SumRows:
    """SQL: rows to be grouped, and what is added up of each group; what is not named is 0."""

    rows: str
    fields: Mapping[str, str] = field(default_factory=dict)


def sum_rows(value: str, sql_type: str, numbers: str, ends: Ends, beside: str) -> SumRows:
    """What is added up of a column. ``numbers``: its rows as :func:`duck_sql.numbers_sql` has them."""
    if sql_type in WHOLE_TYPES:
        return _typed_wholes(value, ends, beside)
    return _typed_reals(value, ends, beside) if sql_type in REAL_TYPES else _any_numbers(numbers, ends)


def _typed_wholes(value: str, ends: Ends, beside: str) -> SumRows:
    first, last = ceil(ends[0]), floor(ends[1])
    rows = f"select {value} as value{beside} from data"
    missing = "count(*) - count(value)"
    if first != ends[0] or last != ends[1]:
        inside = f"value between {first} and {last}"
        counts = {"below": f"count_if(value < {first})", "above": f"count_if(value > {last} and value >= {first})"}
        held = {"inside": f"count_if({inside})", "whole": f"sum(case when {inside} then value end)"}
        return SumRows(rows, {**held, **counts, "missing": missing})
    # least and greatest pass over null, so every missing value comes out as the first end
    clamped = f"sum(least(greatest(value, {first}), {last})) - ({missing}) * ({first})::hugeint"
    return SumRows(rows, {"inside": "count(value)", "whole": clamped, "missing": missing})


def _typed_reals(value: str, ends: Ends, beside: str) -> SumRows:
    low, high = inner_ends(ends)
    unit = 2.0 ** wide_power(ends)
    rules = [
        f"when isnan(value) then null when value between {double(low)} and {double(high)} then value * {double(unit)}"
    ]
    counts = {}
    if low == ends[0] and high == ends[1]:
        rules.append(f"when value > {double(high)} then {double(high * unit)}")
        rules.append(f"when value < {double(low)} then {double(low * unit)}")
    else:
        above = f"case when isnan(value) then false else value > {double(high)} end"
        counts = {"below": f"count_if(value < {double(low)})", "above": f"count_if({above})"}
    rows = f"select cast({value} as double) as value{beside} from data"
    rows = f"select *, case {' '.join(rules)} end as scaled from ({rows})"
    held = "count(scaled)" + "".join(f" + {count}" for count in counts.values())
    fields = {**_digits(), **counts, "inside": "count(scaled)", "missing": f"count(*) - ({held})"}
    return SumRows(_with_digits(rows, "value", ends), fields)


def _any_numbers(numbers: str, ends: Ends) -> SumRows:
    scaled = f"case when side = 0 and whole is null then real * {double(2.0 ** wide_power(ends))} end"
    rows = f"select *, {scaled} as scaled from ({_with_sides(numbers, ends)})"
    faults = {"missing": f"count_if(status = {MISSING})", "other": f"count_if(status = {OTHER})"}
    whole = {"whole": "sum(case when side = 0 then whole::bigint end)"}
    return SumRows(_with_digits(rows, "real", ends), {**_digits(), **SIDES, **faults, **whole})


def every_digit(numbers: str, ends: Ends) -> SumRows:
    """All digits of the floats among numbers, and on which side numbers are."""
    inside = "case when side = 0 and whole is null then real end"
    rows = f"select * replace ({inside} as real) from ({_with_sides(numbers, ends)})"
    rows = f"select *, abs(real) as r, case when real < 0 then -1 else 1 end as sign from ({rows})"
    raised = 0
    # SQL has no loops: every digit is a select around the one before, whose r is what is left to be cut
    for digit in range(FINE.stop):
        if digit == FINE.start:
            # the last digits would be scaled by 2**1082, which no float holds
            rows, raised = f"select * replace (r * {double(2.0**RAISED)} as r) from ({rows})", RAISED
        up, down = double(2.0 ** (-power(digit) - raised)), double(2.0 ** (power(digit) + raised))
        rows = f"select *, floor(r * {up}) as d{digit} from ({rows})"
        rows = f"select * replace (r - d{digit} * {down} as r) from ({rows})"
    # a sum of floats would be rounded, and depend on the order of rows
    sums = {f"d{digit}": f"sum((d{digit} * sign)::bigint)" for digit in range(FINE.stop)}
    return SumRows(rows, {**sums, **SIDES})


def _with_sides(numbers: str, ends: Ends) -> str:
    """``side``: whether a number is below, between or above the ends."""
    low, high = map(double, inner_ends(ends))
    first, last = f"'{ceil(ends[0])}'::hugeint", f"'{floor(ends[1])}'::hugeint"
    below = f"case when whole is not null then whole < {first} else real < {low} end"
    above = f"case when whole is not null then whole > {last} else real > {high} end"
    side = f"case when status is not null then null when {below} then -1 when {above} then 1 else 0 end"
    return f"select *, {side} as side from ({numbers})"


def _with_digits(rows: str, value: str, ends: Ends) -> str:
    """Two wide digits of ``scaled``, each rounded to the nearest; what is left of a difference is exact.

    From ``WHOLE`` on floats are whole numbers, so few have a second digit; below ``TINY`` two do not hold them.
    """
    # beside vast bounds a tiny value is scaled to 0; it is no 0, or what others are would tell whether it counts
    power = wide_power(ends)
    lost = f" and ({value} = 0 or abs({value}) > {double(2.0 ** (-1075 - power))})" if power < 0 else ""
    rows = f"select *, scaled::bigint as digit from ({rows})"
    left = f"((scaled - digit::double) * {double(2.0**WIDE)})::bigint"
    # whole numbers are compared first, which takes less, and zeros, of which there may be many, have nothing left
    small = f"when scaled = 0{lost} then 0 when abs(scaled) >= {double(TINY)} then {left}"
    held = f"case when digit <> 0 then {left} {small} end"
    return f"select *, case when digit between -{WHOLE} and {WHOLE} then {held} else 0 end as second from ({rows})"


def _digits() -> dict[str, str]:
    return {"digit": "sum(digit)", "second": "sum(second)", "rest": "count(*) - count(second)"}


def as_sums(found: Mapping[str, int], every: Mapping[str, int], ends: Ends) -> Sums:
    """The sums of a group out of what was added up; ``every``: all digits of its floats, where two did not do."""
    whole, below, above = (every.get(name, found.get(name, 0)) for name in ("whole", "below", "above"))
    if every:
        reals = sum((every[f"d{digit}"] * Fraction(2) ** power(digit) for digit in range(FINE.stop)), Fraction(0))
    else:
        wide = found.get("digit", 0) + Fraction(found.get("second", 0), 2**WIDE)
        reals = wide * Fraction(2) ** -wide_power(ends)
    count = below + above + every.get("inside", found["inside"])
    total = whole + reals + ends[0] * below + ends[1] * above
    return Sums(count, total, found["missing"], found.get("other", 0))
