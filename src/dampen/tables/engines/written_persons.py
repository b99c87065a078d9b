"""Persons of one column or of another, as one writes them: equal texts are one person, whatever the types of columns.

How a person is written is a matter of that value alone. What :func:`~dampen.tables.engines.array_persons.identity_of`
takes for the same is written alike; and so are a whole number and the text of its digits, or a day and its midnight, of
which one column may hold the one and the other the other. A missing value is nobody.
"""

from datetime import date
from decimal import Decimal
from fractions import Fraction
from math import inf, isfinite
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dampen.tables.columns import Column, Typed
from dampen.tables.engines.array_persons import identity_of
from dampen.tables.reading import is_blank, is_missing

PLAIN_BYTES = {*range(0x20, 0x7F)} - {*b"\"'\\"}
"""Bytes that are written as the characters they stand for; all others by two digits, as DuckDB writes them."""
FAR = 10_000
"""Decimals with more places than this, before or after the point, are written with an exponent."""


LARGEST_FLOAT = 2**1023


def write_persons(column: Column) -> NDArray[Any]:
    """The person of each row as a text; ``None`` where there is nobody."""
    if isinstance(column, Typed):
        distinct, own = np.unique(column.array, return_inverse=True)
        found = _as_array([write_person(value) for value in distinct.tolist()])[own]
        if column.absent is not None:
            found[column.absent] = None
        return found
    texts = _Texts()
    return _as_array([texts[item] if type(item) is str else write_person(item) for item in column.items])


def _as_array(items: list[Any]) -> NDArray[Any]:
    found = np.empty(len(items), dtype=object)
    found[:] = items
    return found


class _Texts(dict[str, str | None]):
    """A text is written as it is, once for all its rows; a blank one is nobody."""

    def __missing__(self, text: str) -> str | None:
        self[text] = found = None if is_blank(text) else text
        return found


def write_person(value: Any) -> str | None:
    """The person that a value is.

    >>> [write_person(value) for value in (7, 7.0, Decimal("7.00"), "7", "07", date(2024, 2, 1), True, " ", None)]
    ['7', '7', '7', '7', '07', '2024-02-01', 'true', None, None]
    """
    try:
        if type(value) is int:
            return str(value)
        if is_missing(value) or (isinstance(value, str) and is_blank(value)):
            return None
        found = identity_of(value)
        return None if found is None else _write(*found)
    except Exception:  # values of the caller's own may raise anything
        return None


def _write(kind: str, value: Any) -> str | None:
    if kind == "text":
        return str(value)
    if kind == "bytes":
        return "".join(chr(byte) if byte in PLAIN_BYTES else f"\\x{byte:02X}" for byte in value)
    if kind == "truth":
        return "true" if value else "false"
    if kind == "day":
        return date.fromordinal(value).isoformat()
    if kind in ("moment", "instant"):
        return str(value.isoformat()).replace("T", " ", 1).removesuffix(" 00:00:00")
    return None if value is None else _write_number(value)


def _write_number(number: Any) -> str:
    """The same for all numbers that are equal: a float as Python writes it, and so a decimal that equals one."""
    if isinstance(number, Decimal):
        if not number.is_finite():
            return str(float(number))
        sign, digits, exponent = number.as_tuple()
        assert isinstance(exponent, int)
        if abs(exponent) > FAR:
            return f"{sign} {''.join(map(str, digits))} {exponent}"
    if isinstance(number, float) and not isfinite(number):
        return str(number)
    exact = Fraction(number)
    if exact.denominator == 1:
        return str(exact.numerator)
    near = exact.numerator / exact.denominator if abs(exact) < LARGEST_FLOAT else inf
    if isfinite(near) and Fraction(near) == exact:
        return repr(near)
    return _as_decimal(exact) or str(exact)


def _as_decimal(number: Fraction) -> str | None:
    """All digits of a fraction, where they end."""
    twos = (number.denominator & -number.denominator).bit_length() - 1
    fives, rest = 0, number.denominator >> twos
    while rest % 5 == 0:
        fives, rest = fives + 1, rest // 5
    if rest != 1:
        return None
    places = max(twos, fives)
    digits = str(abs(number.numerator) * 10**places // number.denominator).rjust(places + 1, "0")
    return f"{'-' if number < 0 else ''}{digits[:-places]}.{digits[-places:]}"
