"""ibis expressions: how large numbers are, by sign and by how many powers of 2 are below, in one grouped query."""

from typing import Any

import ibis

from dampen.tables.engines import ibis_codes
from dampen.tables.engines.ibis_codes import real, whole
from dampen.tables.engines.ibis_people import Fetch, among, part_names, parts, whole_sums
from dampen.tables.engines.unit_sizes import POWERS, UnitSizes, as_sizes
from dampen.tables.unit_reading import FARTHEST, SMOOTH, Units

MOST = 2**63 - 1


def sizes(table: Any, column: Any, units: Units, fetch: Fetch) -> UnitSizes:
    """Numbers in units by sign and size."""
    rows = _read(ibis_codes.numbers(table, column), units)
    side = ibis.cases((rows.read > 0, 1), (rows.read < 0, -1), else_=0).cast("int64")
    rows = rows.select("status", side=side, size=rows.read.abs())
    rows = rows.mutate(bucket=among(rows.size, POWERS, 0))
    keys = ["status", "side", "bucket"]
    found = rows.group_by(keys).aggregate(count=rows.count(), **parts("sum", rows.size, MOST))
    names = [*keys, "count", *part_names("sum", MOST)]
    told = fetch(found.select(**{name: found[name].cast("int64") for name in names}), names)
    return as_sizes(*(told[name].tolist() for name in (*keys, "count")), whole_sums(told, "sum", MOST))


def _read(rows: Any, units: Units) -> Any:
    """The steps of :class:`~dampen.tables.unit_reading.Units`; what is no number is 0."""
    low, high = whole(-FARTHEST), whole(FARTHEST)
    inner = ibis.cases((rows.whole < low, low), (rows.whole > high, high), else_=rows.whole).cast("int64")
    rows = rows.select(status=rows.status.fill_null(0), whole=inner, real=_clamp(rows.real))
    number = rows.real if units.unit == 1 else ibis.coalesce(rows.whole.cast("float64"), rows.real)
    up, down = units.terms
    rows = rows.mutate(near=_clamp(number * real(up) / real(down)))
    rounded = ibis.cases((rows.near.abs() < real(SMOOTH), (rows.near + real(0.5)).floor()), else_=rows.near)
    read = rounded.cast("int64")
    read = ibis.coalesce(rows.whole, read) if units.unit == 1 else read
    return rows.select("status", read=ibis.cases((rows.status == 0, read - whole(units.centre)), else_=whole(0)))


def _clamp(number: Any) -> Any:
    low, high = real(-FARTHEST), real(FARTHEST)
    return ibis.cases((number < low, low), (number > high, high), else_=number)
