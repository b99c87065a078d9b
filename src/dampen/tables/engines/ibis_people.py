"""ibis expressions: persons grouped with all their rows, cut at caps and shared out over cells; all in one query.

Divisions are those of :mod:`shares`, so small that they are exact even as floats. Sums that may have more than 64 bits
are added in two parts.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import ibis
import numpy as np

from dampen.errors import ParameterError
from dampen.tables.columns import counted_on
from dampen.tables.day_grid import DayGrid
from dampen.tables.engines import ibis_codes, ibis_days
from dampen.tables.engines.base import LARGEST_TOTAL, Amount, PersonAsk, PersonShares, PlaceCounts
from dampen.tables.engines.ibis_codes import whole
from dampen.tables.engines.labels import Places
from dampen.tables.engines.shares import (
    BELOW,
    DIGIT,
    SHIFTS,
    Bucket,
    celled_shares,
    cut_shares,
    digits_of,
    scales_of,
)
from dampen.tables.grid import EvenGrid, Grid
from dampen.tables.reading import OTHER
from dampen.vectors import Integers

PART = 20
"""Bits of the lower part of an amount, where sums may have more than 64."""
HALF = 30
"""The same of weights."""
SAFE = 2**31
"""Sums of numbers up to this size fit in 64 bits, of however many persons."""
MOST_POINTS = 4096
"""A listed grid has at most so many points: they stand in the query one by one."""

Fetch = Callable[[Any, Sequence[str]], Mapping[str, Integers]]
"""Runs a query, and brings whole numbers by name."""
Columns = Callable[[str], Any]


def totals(table: Any, column: Columns, ask: PersonAsk, fetch: Fetch) -> PersonShares:
    """Totals cut at each cap: counted by sign, and by how many caps are below."""
    rows = _rows(table, column, ask)
    persons = rows.group_by("person").aggregate(**_totals(rows, ask.amount))
    total = whole(1) if ask.once else _joined(persons, ask.amount)
    persons = persons.select(total=total)
    most = ask.caps[-1] if ask.caps else 1
    side = ibis.cases((persons.total > 0, 1), (persons.total < 0, -1), else_=0).cast("int64")
    persons = persons.select(side=side, size=persons.total.abs())
    persons = persons.mutate(bucket=among(persons.size, ask.caps, 0), cut=_least(persons.size, most))
    found = persons.group_by(["side", "bucket"]).aggregate(people=persons.count(), **parts("cut", persons.cut, most))
    told = fetch(found, ["side", "bucket", "people", *part_names("cut", most)])
    sums = whole_sums(told, "cut", most)
    listed = zip(*(told[name].tolist() for name in ("side", "bucket", "people")), sums, strict=True)
    return cut_shares([Bucket(*each) for each in listed], ask)


def values(table: Any, column: Columns, person: str, amount: Amount | None, how: str, fetch: Fetch) -> PlaceCounts:
    """One whole number for each person, and how many have it."""
    rows = _rows(table, column, PersonAsk(person, amount=amount))
    if how in ("min", "max"):
        persons = rows.group_by("person").aggregate(value=getattr(rows.amount, how)())
    else:
        sums = _totals(rows, amount) if how != "count" else {}
        persons = rows.group_by("person").aggregate(rows=rows.count(), **sums)
        persons = persons.select("rows", value=persons.rows if how == "count" else _joined(persons, amount))
        if how == "mean":
            persons = persons.select(value=_mean(persons.value, persons.rows))
    persons = persons.select(value=persons.value.cast("int64"))
    found = fetch(persons.group_by("value").aggregate(people=persons.count()), ["value", "people"])
    order = np.argsort(found["value"])
    return found["value"][order], found["people"][order]


def _mean(total: Any, rows: Any) -> Any:
    """Rounded down: the quotient of floats, which is below 2**41 in size, is off by 1 at most."""
    near = (total.cast("float64") / rows.cast("float64")).floor().cast("int64")
    left = total - near * rows
    return near + ibis.cases((left < 0, -1), (left >= rows, 1), else_=0)


def shares(table: Any, column: Columns, ask: PersonAsk, fetch: Fetch) -> PersonShares:
    """For each cell and cap what persons bring there; of each person the first cell tells whether it is above a cap."""
    cells = [f"c{spot}" for spot in range(len(ask.cells))]
    rows = _rows(table, column, ask)
    settled = rows.group_by(["person", *cells]).aggregate(**_totals(rows, ask.amount))
    settled = settled.select("person", *cells, y=whole(1) if ask.once else _joined(settled, ask.amount))
    told = cells
    if ask.signed:
        below = ibis.cases((settled.y < 0, whole(1)), else_=whole(0))
        settled, told = settled.select("person", *cells, y=settled.y.abs(), **{BELOW: below}), [*cells, BELOW]
    runs = _runs(settled, cells, told)
    scales = scales_of(ask.caps, ask.bits)
    factors = sorted({scale.factor for scale in scales})
    for side in ("z", "b"):
        runs = runs.mutate(**{f"{side}{spot}": _divide(runs, side, factor) for spot, factor in enumerate(factors)})
    sums = {"people": runs.begins.sum()}
    for spot, (cap, scale) in enumerate(zip(ask.caps, scales, strict=True)):
        now, before = (runs[f"{side}{factors.index(scale.factor)}"] >> scale.shift for side in ("z", "b"))
        # the smaller one in any case, so that nothing overflows where the other branch is meant
        plain = _least(runs.z - runs.b, cap) * whole(2**ask.bits)
        weight = ibis.cases((runs.t <= whole(cap), plain), else_=now - before)
        sums[f"above{spot}"] = ibis.cases((runs.t > whole(cap), runs.begins), else_=whole(0)).sum()
        sums |= parts(f"weight{spot}", weight, cap << ask.bits)
    names = [*told, *sums]
    found = runs.group_by(told).aggregate(**sums)
    return _as_shares(fetch(found.select(**{name: found[name].cast("int64") for name in names}), names), cells, ask)


def _runs(settled: Any, cells: list[str], told: list[str]) -> Any:
    """What a person has up to a cell, ``z``, and before it, ``b``, and in all, ``t``; and the same without the bits
    that are lost. ``told``: the cells, and whether sums there are below 0.
    """
    own: dict[str, Any] = {"group_by": settled.person, "order_by": [settled[name] for name in cells]}
    upto, every = ibis.window(**own, preceding=None, following=0), ibis.window(**own, preceding=None, following=None)
    high, low = settled.y >> PART, settled.y & (2**PART - 1)
    runs = settled.select(
        *told,
        "y",
        **{f"{name}{side}": part.sum().over(window) for name, window in (("z", upto), ("t", every))
           for side, part in (("high", high), ("low", low))},
        place=ibis.row_number().over(ibis.window(**own)),
    )  # fmt: skip
    runs = runs.mutate(
        blow=runs.zlow - (runs.y & (2**PART - 1)), bhigh=runs.zhigh - (runs.y >> PART),
        begins=ibis.cases((runs.place == 0, 1), else_=0).cast("int64"),
    )  # fmt: skip
    runs = runs.select(*told, "begins", **{name: _join(runs[f"{name}high"], runs[f"{name}low"]) for name in "ztb"})
    runs = runs.mutate(lost=ibis.cases(*((runs.t < whole(end), whole(shift)) for end, shift in SHIFTS)).cast("int64"))
    return runs.mutate(**{f"{name}s": _shift(runs[name], runs.lost) for name in "ztb"})


def _shift(number: Any, lost: Any) -> Any:
    """Shifts by constants alone: not every database shifts by a column."""
    return ibis.cases(*((lost == shift, number >> shift) for _, shift in SHIFTS if shift), else_=number)


def _divide(runs: Any, side: str, factor: int) -> Any:
    """floor(factor part / total), digit by digit; where nothing is there to divide, 0."""
    part, total = runs[f"{side}s"], ibis.cases((runs.ts > 0, runs.ts), else_=whole(1))
    left, quotient = whole(0), whole(0)
    for digit in digits_of(factor):
        number = left * whole(2**DIGIT) + part * whole(digit)
        more = (number.cast("float64") / total.cast("float64")).floor().cast("int64")
        quotient, left = quotient * whole(2**DIGIT) + more, number - more * total
    return quotient


def _as_shares(found: Mapping[str, Integers], cells: list[str], ask: PersonAsk) -> PersonShares:
    weights = [whole_sums(found, f"weight{spot}", cap << ask.bits) for spot, cap in enumerate(ask.caps)]
    return celled_shares(found, cells, weights, ask)


def _rows(table: Any, column: Columns, ask: PersonAsk) -> Any:
    """Rows with a person, the places of cells (``c0``, ...) and an amount; those that lack one are left out."""
    who = column(ask.person)
    held = {"person": plain_key(who), "gone": ibis_codes.is_absent(ibis_codes.as_written(who))}
    grids: list[tuple[str, Any, Grid]] = []
    for spot, each in enumerate(ask.cells):
        if isinstance(each.values, Grid):
            grids.append((f"c{spot}", column(each.column), each.values))
        else:
            place = ibis_codes.place_of(column(each.column), Places.of(each.values))
            held[f"c{spot}"] = _settle(place, each.rest, each.keeps_missing)
    if ask.amount is not None:
        grids.append(("amount", column(ask.amount.column), ask.amount.grid))
    held |= {f"raw_{name}": value for name, value, _ in grids}
    rows = table.select(**held)
    for name, _, grid in grids:
        beside = {other: rows[other] for other in rows.columns if other != f"raw_{name}"}
        rows = _locate(rows, rows[f"raw_{name}"], grid, beside).rename(**{name: "place"})
    inside = ~rows.gone
    for name in rows.columns:
        if name not in ("person", "gone"):
            inside &= rows[name] >= 0
    rows = rows.filter(inside.fill_null(False))
    if ask.amount is not None:
        rows = rows.mutate(amount=rows.amount.cast("int64") + whole(ask.amount.first))
    return rows.drop("gone")


def plain_key(person: Any) -> Any:
    """A value such that only equal ones are one group: DuckDB may be told to take ``a`` and ``A`` for the same."""
    value = ibis_codes.as_written(person)
    if value.type().is_string() and person.get_backend().name == "duckdb":
        return ibis_days.call("encode", value, "binary")
    return value


def _settle(place: Any, rest: int | None, keeps_missing: bool) -> Any:
    if rest is None:
        return place
    taken = place < 0 if keeps_missing else place == OTHER
    return ibis.cases((taken, whole(rest)), else_=place)


def _locate(rows: Any, value: Any, grid: Grid, beside: Mapping[str, Any]) -> Any:
    """Rows with the place of a value. A listed grid stands in the query point by point, so that one is enough."""
    days, counted = isinstance(grid, DayGrid), counted_on(grid)
    if not isinstance(counted, EvenGrid) and len(counted) > MOST_POINTS:
        rule = f"a grid for persons must have even steps, or at most {MOST_POINTS} points, in tables of ibis and Spark"
        raise ParameterError(f"{rule}: without bounds ask with leading_bits=5 (--leading-bits 5), or fewer")
    read = ibis_days.days if days else ibis_codes.numbers
    [located] = ibis_codes.grid_places(read(rows, value, **beside), counted, MOST_POINTS, *beside)
    return located


def _totals(rows: Any, amount: Amount | None) -> dict[str, Any]:
    """What the rows of a group add up to, in two parts where amounts are large."""
    if amount is None:
        return {"total": rows.count()}
    if max(-amount.first, amount.last) < 2**PART:
        return {"total": rows.amount.sum().cast("int64")}
    return {"high": (rows.amount >> PART).sum().cast("int64"), "low": (rows.amount & (2**PART - 1)).sum().cast("int64")}


def _joined(groups: Any, amount: Amount | None) -> Any:
    return groups.total.cast("int64") if "total" in groups.columns else _join(groups.high, groups.low)


def _join(high: Any, low: Any) -> Any:
    """A sum of two parts, moved to ``LARGEST_TOTAL`` where it is beyond in size."""
    high, low = high.cast("int64") + (low.cast("int64") >> PART), low.cast("int64") & (2**PART - 1)
    most = (LARGEST_TOTAL + 1) >> PART
    inside = ibis.cases((high >= most, whole(0)), (high < -most, whole(0)), else_=high) * whole(2**PART) + low
    found = ibis.cases((high >= most, whole(LARGEST_TOTAL)), (high < -most, whole(-LARGEST_TOTAL)), else_=inside)
    return ibis.cases((found < whole(-LARGEST_TOTAL), whole(-LARGEST_TOTAL)), else_=found)


def _least(number: Any, most: int) -> Any:
    return ibis.cases((number > whole(most), whole(most)), else_=number)


def among(number: Any, ends: Sequence[int], first: int) -> Any:
    """How many of the increasing ends are below a number: binary search as nested cases."""
    if not ends:
        return whole(first)
    middle = len(ends) // 2
    below, above = among(number, ends[:middle], first), among(number, ends[middle + 1 :], first + middle + 1)
    return ibis.cases((number <= whole(ends[middle]), below), else_=above)


def part_names(name: str, most: int) -> list[str]:
    """What :func:`parts` are called."""
    return [name] if most <= SAFE else [f"{name}_high", f"{name}_low"]


def parts(name: str, number: Any, most: int) -> dict[str, Any]:
    """The sum of numbers up to ``most``, in two parts where it may be large."""
    if most <= SAFE:
        return {name: number.sum().cast("int64")}
    return {
        f"{name}_high": (number >> HALF).sum().cast("int64"),
        f"{name}_low": (number & (2**HALF - 1)).sum().cast("int64"),
    }


def whole_sums(found: Mapping[str, Integers], name: str, most: int) -> list[int]:
    """The sums out of their parts."""
    if most <= SAFE:
        return [int(each) for each in found[name].tolist()]
    pairs = zip(*(found[part].tolist() for part in part_names(name, most)), strict=True)
    return [(high << HALF) + low for high, low in pairs]
