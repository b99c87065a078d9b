"""ibis expressions for the day that a value is or lies in, as :func:`dampen.tables.reading.read_day` has it."""

from typing import Any

import ibis

from dampen.tables.engines.ibis_codes import TRIMMED, as_written, divide, is_absent, whole
from dampen.tables.reading import DAY_TEXT, FIRST_DAY, LAST_DAY, MINUTES, MISSING, OTHER

MICROSECONDS = 24 * 60 * 60 * 10**6
COUNTED_BY = {"duckdb": "epoch_us", "pyspark": "unix_micros"}
"""What databases call the microseconds from 1970 on. Parts of a date follow the zone of the session."""
ISO = rf"\A({DAY_TEXT})\z"


def days(table: Any, column: Any, **beside: Any) -> Any:
    """Rows as :func:`ibis_codes.numbers` has them, of days instead of numbers."""
    value = as_written(column)
    text = value.type().is_string()
    # a text is looked at once, and then its parts
    rows = table.select(value=_plain(value) if text else value, absent=is_absent(value), **beside)
    rows = rows.select("absent", *beside, whole=_day_of_plain(rows.value) if text else day_of(rows.value))
    status = ibis.cases((rows.absent, MISSING), (rows.whole.isnull(), OTHER)).cast("int64")
    return rows.select("whole", *beside, real=ibis.null("float64"), status=status)


def day_of(column: Any) -> Any:
    """The number of a day, null where a value is none."""
    value = as_written(column)
    kind = value.type()
    if kind.is_string():
        return _day_of_plain(_plain(value))
    if kind.is_date():
        return _day_of_parts(value)
    if not kind.is_timestamp():
        return ibis.null("int64")
    home = value.get_backend().name
    if home == "duckdb":
        return _day_of_microseconds(_counted_by_duckdb(value))
    if kind.timezone is None:
        return _day_of_parts(value)
    if home in COUNTED_BY:
        return _day_of_microseconds(call(COUNTED_BY[home], value))
    return _day_of_microseconds(value.truncate("s").epoch_seconds().cast("int64") * 10**6)


def call(name: str, value: Any, returns: str = "int64") -> Any:
    """A function of the database that ibis has no name for."""

    def made(value: Any) -> Any: ...

    return ibis.udf.scalar.builtin(name=name, signature=((value.type(),), ibis.dtype(returns)))(made)(value)


def _counted_by_duckdb(value: Any) -> Any:
    """Seconds and milliseconds that it cannot count in microseconds have no day; nanoseconds are rounded down."""
    kind = value.type()
    last = {0: "9999-12-31 23:59:59", 3: "9999-12-31 23:59:59.999"}.get(kind.scale)
    if last is not None:
        ends = [ibis.literal(end).cast(kind) for end in ("0001-01-01 00:00:00", last)]
        value = ibis.cases(((value >= ends[0]) & (value <= ends[1]), value), else_=None)
    found = call(COUNTED_BY["duckdb"], value)
    if kind.scale != 9:
        return found
    return found - ibis.cases((call("epoch_ns", value) % 1000 < 0, 1), else_=0)


def _day_of_microseconds(count: Any) -> Any:
    first, end = FIRST_DAY * MICROSECONDS, (LAST_DAY + 1) * MICROSECONDS
    off = ibis.cases(((count >= whole(first)) & (count < whole(end)), count - whole(first)), else_=None).cast("int64")
    return divide(off, MICROSECONDS, LAST_DAY - FIRST_DAY + 1) + whole(FIRST_DAY)


def _day_of_parts(value: Any) -> Any:
    year = value.year().cast("int64")
    known = (year >= 1) & (year <= 9999)
    day = _calendar_day(year, value.month().cast("int64"), value.day().cast("int64"))
    return ibis.cases((known, day), else_=None).cast("int64")


def _calendar_day(year: Any, month: Any, day: Any) -> Any:
    """The number of a day of the calendar; years begin in March, so that leap days come last."""
    late = ibis.cases((month <= 2, 1), else_=0)
    years, months = year - late, month + late * 12 - 3
    before = years * 365 + _floor(years, 4) - _floor(years, 100) + _floor(years, 400) + _floor(months * 153 + 2, 5)
    return (before + day - 719469).cast("int64")


def _floor(number: Any, divisor: int) -> Any:
    """The quotient of numbers so small that floats do not err."""
    return (number.cast("float64") / divisor).floor().cast("int64")


def _plain(text: Any) -> Any:
    """A text that has the form of a day or a moment, without blanks around it; null in place of any other."""
    trimmed = text.re_replace(TRIMMED, "")
    return ibis.cases((trimmed.re_search(ISO), trimmed), else_=None)


def _day_of_plain(plain: Any) -> Any:
    year, month, day = (_digits(plain, start, size) for start, size in ((0, 4), (5, 2), (8, 2)))
    leap = (year % 4 == 0) & ((year % 100 != 0) | (year % 400 == 0))
    most = ibis.cases((month == 2, ibis.cases((leap, 29), else_=28)), (month.isin([4, 6, 9, 11]), 30), else_=31)
    known = (year >= 1) & (month >= 1) & (month <= 12) & (day >= 1) & (day <= most)
    sign = plain.substr(plain.length() - 6, 1)
    ahead = _digits(plain, plain.length() - 5, 2) * 60 + _digits(plain, plain.length() - 2, 2)
    clock = _digits(plain, 11, 2) * 60 + _digits(plain, 14, 2)
    moved = clock - ibis.cases((sign == "+", ahead), else_=-ahead)
    shift = ibis.cases((moved < 0, -1), (moved >= MINUTES, 1), else_=0)
    zoned = (plain.length() > 10) & sign.isin(["+", "-"])
    found = _calendar_day(year, month, day) + ibis.cases((zoned, shift), else_=0)
    return ibis.cases((known & (found >= FIRST_DAY) & (found <= LAST_DAY), found), else_=None).cast("int64")


def _digits(text: Any, start: Any, size: int) -> Any:
    return text.substr(start, size).try_cast("int64")
