"""A column's description as a plain table of words and values, the same in TOML and in JSON."""

from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Any

from dampen._validate import plain as plain_text
from dampen._validate import render
from dampen.describe.columns import COLUMNS, Category, Column, Date, Flag, Number, Text
from dampen.describe.labels import as_named
from dampen.describe.nearest import unknown
from dampen.describe.shapes import UNIFORM
from dampen.errors import ParameterError

WORDS = {
    "number": ("bounds", "step", "unit", "bins", "missing", "shape"),
    "category": ("values", "other", "missing"),
    "date": ("bounds", "step", "missing"),
    "flag": ("missing",),
    "text": (),
}
"""What a table of each kind may say beside its kind."""
NEEDED = {
    "number": "bounds = [lo, hi], or a unit where nobody knows any",
    "category": "values = [...]",
    "date": "bounds = [first day, last day]",
}
"""What it must say, and how that is written."""


def column_as_plain(column: Column) -> dict[str, Any]:
    """The table of a column. Numbers are whole, or floats that mean them exactly, or else texts such as ``"1/3"``.

    >>> column_as_plain(Number(0, 100, step="0.5"))
    {'kind': 'number', 'bounds': [0, 100], 'step': 0.5}
    """
    said: dict[str, Any] = {}
    if isinstance(column, Number):
        options = {"step": column.step, "unit": column.unit, "bins": column.bins}
        numbers = {word: number_as_plain(Fraction(found)) for word, found in options.items() if found is not None}
        said = {**({"bounds": [*map(number_as_plain, column.bounds)]} if column.bounded else {}), **numbers}
        if column.shape is not None:
            known = {plain_text(100 * share): number_as_plain(value) for share, value in column.shape}
            said["shape"] = known or UNIFORM
    elif isinstance(column, Category):
        said = {"values": list(column.labels), **({} if column.other is None else {"other": column.other})}
    elif isinstance(column, Date):
        said = {"bounds": [column.lo, column.hi], **({} if column.step == "day" else {"step": column.step})}
    if not isinstance(column, Text) and column.missing != "refuse":
        said["missing"] = column.missing
    return {"kind": column.kind, **said}


def number_as_plain(number: Fraction) -> int | float | str:
    """An exact number in a form that is read back exactly."""
    text = plain_text(number)
    return text if "/" in text else int(number) if number.denominator == 1 else float(text)


def column_from_plain(said: Any, title: str) -> Column:
    """The column that a table describes. ``title``: how a message names the table."""
    table = as_named(said)
    if table is None:
        raise ParameterError(f"{title} must be a table with a kind; got {render(said)}")
    kinds = ", ".join(map(repr, COLUMNS))
    if "kind" not in table:
        raise ParameterError(f"{title} still needs its kind: one of {kinds}")
    kind = table["kind"]
    if not isinstance(kind, str) or kind not in COLUMNS:
        raise ParameterError(f"{title} must have a known kind, not {unknown(kind, COLUMNS, 'Allowed')}")
    require_known_words(table, ("kind", *WORDS[kind]), title)
    if kind in NEEDED and WORDS[kind][0] not in table and not (kind == "number" and "unit" in table):
        raise ParameterError(f"{title} is a {kind} and still needs {NEEDED[kind]}")
    given = {word: value for word, value in table.items() if word != "kind"}
    try:
        return _READ[kind](given)
    except ParameterError as error:
        raise ParameterError(f"{title}: {error}") from None


def require_known_words(table: Mapping[str, Any], allowed: tuple[str, ...], title: str) -> None:
    """Refuse a word that a table does not know, with the nearest that it does."""
    for word in table:
        if word not in allowed:
            raise ParameterError(f"{title} knows no key {unknown(word, allowed, 'Allowed')}")


def _read_number(given: dict[str, Any]) -> Number:
    low, high = _two_ends(given.pop("bounds")) if "bounds" in given else (None, None)
    return Number(low, high, **given)


def _read_category(given: dict[str, Any]) -> Category:
    values = given.pop("values")
    if not isinstance(values, list | tuple):
        raise ParameterError(f"values must be a list; got {render(values)}")
    return Category(list(values), **given)


def _read_date(given: dict[str, Any]) -> Date:
    first, last = _two_ends(given.pop("bounds"))
    return Date(first, last, **given)


def _two_ends(bounds: Any) -> tuple[Any, Any]:
    if not isinstance(bounds, list | tuple) or len(bounds) != 2:
        raise ParameterError(f"bounds must be two values [lo, hi]; got {render(bounds)}")
    return bounds[0], bounds[1]


_READ: dict[str, Callable[[dict[str, Any]], Column]] = {
    "number": _read_number,
    "category": _read_category,
    "date": _read_date,
    "flag": lambda given: Flag(**given),
    "text": lambda given: Text(),
}
