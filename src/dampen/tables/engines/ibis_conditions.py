"""ibis expressions: whether a row meets a condition, and whether a column holds what it must not."""

from typing import Any

import ibis

from dampen.describe.conditions import Among, Condition
from dampen.tables.engines.base import Reading
from dampen.tables.engines.ibis_codes import as_written, is_absent, number_parts, place_of, real, whole
from dampen.tables.engines.ibis_days import day_of
from dampen.tables.engines.ibis_names import name_of
from dampen.tables.engines.labels import Places
from dampen.tables.engines.ranges import real_ends, whole_ends
from dampen.tables.reading import MISSING, OTHER


def meets(column: Any, condition: Condition) -> Any:
    """Whether a value meets a condition, never null."""
    if isinstance(condition, Among):
        return place_of(column, Places.of(condition.labels)).isin(sorted(condition.places))
    ends = [None if end is None else whole(end) for end in whole_ends(condition)]
    if condition.days:
        return _within(day_of(column), *ends).fill_null(False)
    wholes, reals, absent = number_parts(column)
    near = [None if end is None else real(end) for end in real_ends(condition)]
    by_number = ibis.cases((wholes.notnull(), _within(wholes, *ends)), else_=_within(reals, *near))
    return ibis.cases((absent, False), else_=by_number).fill_null(False)


def _within(number: Any, low: Any, high: Any) -> Any:
    here = number.notnull()
    if low is not None:
        here &= number >= low
    if high is not None:
        here &= number <= high
    return here


def is_comparable(kind: Any) -> bool:
    """Whether persons may be told apart by values of a type."""
    plain = kind.is_numeric() or kind.is_boolean() or kind.is_date() or kind.is_timestamp()
    return bool(plain or kind.is_string() or kind.is_uuid() or kind.is_binary())


def fault_rules(column: Any, reading: Reading) -> dict[str, Any]:
    """Whether a value is missing, and whether it is not what its column must hold."""
    if reading.labels is not None:
        place = place_of(column, Places.of(reading.labels))
        return {"missing": place == MISSING, "other": place == OTHER}
    absent = is_absent(as_written(column))
    if reading.person:
        none = ibis.literal(not is_comparable(column.type()))
        return ({} if reading.missing else {"missing": absent}) | {"other": ~absent & none}
    if reading.name:
        return ({} if reading.missing else {"missing": absent}) | {"other": ~absent & name_of(column).isnull()}
    if reading.days:
        none = day_of(column).isnull()
    else:
        wholes, reals, _ = number_parts(column)
        none = wholes.isnull() & reals.isnull()
    return {"missing": absent, "other": ~absent & none}
