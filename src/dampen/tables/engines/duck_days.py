"""SQL for DuckDB: the day that a value is or lies in, as :func:`dampen.tables.reading.read_day` has it."""

from dampen.tables.engines.duck_sql import keys_of, kind_of, plain_text
from dampen.tables.files import literal
from dampen.tables.reading import AROUND, DAY_TEXT, FIRST_DAY, LAST_DAY, MINUTES, MISSING, OTHER

EPOCH = "date '1970-01-01'"
SECONDS = 24 * 60 * 60
LAST_MOMENTS = {"TIMESTAMP_S": "9999-12-31 23:59:59", "TIMESTAMP_MS": "9999-12-31 23:59:59.999"}
"""Types that go beyond what DuckDB can count in microseconds, and the last moment of theirs that has a day."""


def day_sql(value: str, sql_type: str) -> str:
    """The number of a day, ``null`` where a value is none; one from ``FIRST_DAY`` to ``LAST_DAY`` counts."""
    kind = kind_of(sql_type)
    if kind == "days":
        return f"case when isfinite({value}) then {value} - {EPOCH} end"
    if kind in ("moments", "instants"):
        return _day_of_moment(value, sql_type)
    return _day_of_text(plain_text(value)) if kind == "text" else "null::bigint"


def days_sql(value: str, sql_type: str, source: str, beside: str = "") -> str:
    """Rows as :func:`duck_sql.numbers_sql` has them, of days instead of numbers."""
    absent = keys_of("value", sql_type).missing
    read = f"select {value} as value{beside} from {source}"
    found = f"select * exclude (value), {day_sql('value', sql_type)} as day, {absent} as absent from ({read})"
    status = f"case when absent then {MISSING} when day is null or not {is_known('day')} then {OTHER} end"
    whole = f"case when {is_known('day')} then day end"
    return f"select * exclude (day, absent), {whole} as whole, null::double as real, {status} as status from ({found})"


def is_known(day: str) -> str:
    """Whether a number is that of a day in the years 1 to 9999."""
    return f"({day} between {FIRST_DAY} and {LAST_DAY})"


def _day_of_moment(value: str, sql_type: str) -> str:
    """Casts would round moments before 1970 up, and those with a zone follow the session's: what is counted is not."""
    known = f"isfinite({value})"
    if sql_type in LAST_MOMENTS:  # isfinite would count them
        known = f"{value} between '0001-01-01'::{sql_type} and '{LAST_MOMENTS[sql_type]}'::{sql_type}"
    fine = sql_type == "TIMESTAMP_NS"
    count, unit = f"epoch_{'ns' if fine else 'us'}({value})", (10**9 if fine else 10**6) * SECONDS
    return f"case when {known} then {count} // {unit} - case when {count} % {unit} < 0 then 1 else 0 end end"


def _day_of_text(text: str) -> str:
    plain = f"trim({text}, {literal(AROUND)})"
    day = f"try_cast(substr({plain}, 1, 10) as date) - {EPOCH}"
    sign, ahead = f"substr({plain}, -6, 1)", _minutes(f"substr({plain}, -5)")
    clock = _minutes(f"substr({plain}, 12, 5)")
    moved = f"{clock} - case {sign} when '+' then {ahead} else -{ahead} end"
    zoned = f"length({plain}) > 10 and {sign} in ('+', '-')"
    shift = (
        f"case when {zoned} then case when {moved} < 0 then -1 when {moved} >= {MINUTES} then 1 else 0 end else 0 end"
    )
    known = f"regexp_full_match({plain}, '{DAY_TEXT}') and substr({plain}, 1, 4) <> '0000'"
    return f"case when {known} then {day} + {shift} end"


def _minutes(clock: str) -> str:
    return f"(60 * try_cast(substr({clock}, 1, 2) as integer) + try_cast(substr({clock}, 4, 2) as integer))"
