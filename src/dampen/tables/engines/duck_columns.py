"""Columns that leave DuckDB: as plain types that neither DuckDB nor NumPy rounds, made values again here."""

from collections.abc import Callable
from datetime import UTC, date, datetime
from decimal import Decimal
from typing import Any

from numpy.typing import NDArray

from dampen.tables.columns import Column, Items, Strange, as_column
from dampen.tables.engines.duck_sql import WIDE_TYPES, keys_of, kind_of
from dampen.tables.engines.labels import MOMENT

PLAIN = ("wholes", "reals", "truths")


def leaving(value: str, sql_type: str) -> str:
    """SQL: a value as text, or as a number or truth value where those are exact."""
    kind = kind_of(sql_type)
    if kind in PLAIN and sql_type not in WIDE_TYPES:
        return value
    if kind in ("days", "moments", "instants"):
        return f"case when {value} is not null then coalesce({keys_of(value, sql_type).text}, '') end"
    return f"cast({value} as varchar)"


def as_column_of(found: NDArray[Any] | list[Any], sql_type: str) -> Column:
    """What :func:`leaving` brought, as values."""
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
    try:
        return datetime.fromisoformat(text).replace(tzinfo=zone) if MOMENT.fullmatch(text) else Strange()
    except ValueError:
        return Strange()
