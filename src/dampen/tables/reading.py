"""What a value is: read by itself alone, and never in the light of the values beside it.

The place of a value is a function of that value and of public things (labels, a grid, bounds, the declared type of a
column). So one record more moves one count by one, whatever stands in the other records. This file is the rule in
Python, and the judge of every engine that has to say the same in its own language.

A value is missing, a truth value, a number, a text, a day, a moment, or something else. Whole numbers are exact; other
numbers are the nearest float. A text may *read as* a number, as a truth value or as a day.
"""

import re
from datetime import UTC, date, datetime
from decimal import Decimal
from fractions import Fraction
from math import inf
from numbers import Integral, Real
from typing import Any

import numpy as np

from dampen.describe.labels import is_missing as is_missing

MISSING, OTHER = -1, -2
"""In place of a place: the value is missing, or is no number, or stands for none of the labels."""

NUMBER = re.compile(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)(e[+-]?[0-9]+)?|[+-]?(inf|infinity)", re.ASCII | re.IGNORECASE)
WHOLE = re.compile(r"[+-]?[0-9]{1,19}", re.ASCII)
TRUTHS = {"true": True, "false": False}
BLANKS = " \t\n\r\v\f"
"""What a text that is missing may consist of; a database is told, for its own idea of blanks may differ."""
AROUND = " \t"
"""What may stand around a text that reads as a number or a truth value."""
SMALLEST, LARGEST = -(2**63), 2**63 - 1
"""Texts and columns of whole numbers within 64 bits are exact."""
DIGITS = 38
"""Whole decimals, fractions and long doubles of so many digits are exact, as the widest decimals of databases are."""
DAYS = ("Y", "M", "W", "D")
"""Units of NumPy's dates that are no finer than days."""
DAY = re.compile("[0-9]{4}-[0-9]{2}-[0-9]{2}", re.ASCII)
MOMENT = re.compile(DAY.pattern + r"[ T][0-9]{2}:[0-9]{2}:[0-9]{2}(\.[0-9]{1,6})?(Z|[+-][0-9]{2}:[0-9]{2})?", re.ASCII)
CLOCK = r"([01][0-9]|2[0-3]):[0-5][0-9]"
"""Hours and minutes that a day has; how far a zone is from UTC, too."""
DAY_TEXT = rf"{DAY.pattern}([ T]{CLOCK}:[0-5][0-9](\.[0-9]{{1,6}})?(Z|[+-]{CLOCK})?)?"
"""A text that reads as a day, if the calendar has it."""
EPOCH = date(1970, 1, 1).toordinal()
FIRST_DAY, LAST_DAY = date.min.toordinal() - EPOCH, date.max.toordinal() - EPOCH
"""Days are counted from 1970-01-01; those outside of the years 1 to 9999 are none to any engine."""
MINUTES = 24 * 60
PER_DAY = {"h": 24, "m": MINUTES} | {
    unit: 60 * MINUTES * 10 ** (3 * place) for place, unit in enumerate(("s", "ms", "us", "ns", "ps", "fs", "as"))
}
"""How many of NumPy's finer units a day has."""

Moment = date | datetime


def is_blank(text: str) -> bool:
    """Whether a text, if it is no label, stands for a missing value."""
    if len(text) > 3 and text[0] > " " and text[-1] > " ":
        return False
    return text.strip(BLANKS).lower() in ("", "nan")


def is_truth(value: Any) -> bool:
    """Whether a value is a truth value, which is no number."""
    return isinstance(value, bool | np.bool_)


def read_number(value: Any) -> int | float | None:
    """The number that a value is, or that a text reads as; ``None`` where it is none. Not asked of missing values."""
    if isinstance(value, str):
        return read_text_number(value)
    if is_truth(value) or isinstance(value, np.timedelta64):
        return None
    try:
        if isinstance(value, Integral):
            return int(value)
        if isinstance(value, Decimal):
            return _decimal_number(value)
        exact = isinstance(value, np.longdouble) or (isinstance(value, Fraction) and value.denominator == 1)
        if exact and abs(value) < 10**DIGITS and value == int(value):
            return int(value)
        near = _nearest(value) if isinstance(value, Real) else None
        return near if near == near else None
    except (ArithmeticError, ValueError, TypeError):
        return None


def read_text_number(text: str) -> int | float | None:
    """The number that a text reads as: exact if it is whole and has 64 bits."""
    plain = text.strip(AROUND)
    if WHOLE.fullmatch(plain) and SMALLEST <= int(plain) <= LARGEST:
        return int(plain)
    return float(plain) if NUMBER.fullmatch(plain) else None


def read_truth(text: str) -> bool | None:
    """The truth value that a text reads as."""
    return TRUTHS.get(text.strip(AROUND).lower())


def _decimal_number(value: Decimal) -> int | float:
    whole = value.is_finite() and value.adjusted() < DIGITS and value == value.to_integral_value()
    return int(value) if whole else _nearest(value)


def _nearest(number: Any) -> float:
    try:
        return float(number)
    except OverflowError:
        return inf if number > 0 else -inf


def read_moment(value: Any) -> Moment | None:
    """The day or moment that a value is, without a zone or in UTC; ``None`` if it is none, or finer than microseconds.

    A day is a ``date`` and a moment a ``datetime``. Moments with a zone never equal those without one.
    """
    if isinstance(value, np.datetime64):
        return _numpy_moment(value)
    if isinstance(value, datetime):
        try:
            return None if getattr(value, "nanosecond", 0) else _plain_datetime(value)
        except (OverflowError, ValueError, TypeError):
            return None
    return value if isinstance(value, date) else None


def _plain_datetime(value: datetime) -> datetime:
    """Without a zone or in UTC; what is finer than microseconds is cut off."""
    plain = datetime(
        value.year, value.month, value.day, value.hour, value.minute, value.second, value.microsecond, value.tzinfo,
        fold=value.fold,
    )  # fmt: skip
    return plain.replace(tzinfo=None, fold=0) if plain.utcoffset() is None else plain.astimezone(UTC)


def _numpy_moment(value: np.datetime64) -> Moment | None:
    unit = "D" if np.datetime_data(value.dtype)[0] in DAYS else "us"
    near = value.astype(f"datetime64[{unit}]")
    found = near.item() if near.astype(value.dtype) == value else None
    return found if isinstance(found, date) else None


def read_day(value: Any) -> int | None:
    """The day that a value is or lies in, counted from 1970-01-01; ``None`` where it is none. Not asked of missing
    values.

    A moment with a zone lies in the day of UTC. A text reads as a day if it is one in ISO form, or a moment.

    >>> read_day(date(1970, 1, 2)), read_day("1970-01-01T23:30:00-01:00"), read_day("1970-02-30"), read_day(1)
    (1, 1, None, None)
    """
    if isinstance(value, str):
        return _text_day(value.strip(AROUND))
    try:
        if isinstance(value, np.datetime64):
            return _numpy_day(value)
        if isinstance(value, datetime):
            return _plain_datetime(value).toordinal() - EPOCH
    except (OverflowError, ValueError, TypeError):
        return None
    return value.toordinal() - EPOCH if isinstance(value, date) else None


def _text_day(text: str) -> int | None:
    if re.fullmatch(DAY_TEXT, text, re.ASCII) is None:
        return None
    try:
        day = date(int(text[:4]), int(text[5:7]), int(text[8:10])).toordinal() - EPOCH
    except ValueError:
        return None
    if text[-6] in "+-" and len(text) > len("0000-00-00"):
        ahead = _minutes(text[-5:]) * (1 if text[-6] == "+" else -1)
        day += (_minutes(text[11:16]) - ahead) // MINUTES
    return day if FIRST_DAY <= day <= LAST_DAY else None


def _minutes(clock: str) -> int:
    return 60 * int(clock[:2]) + int(clock[3:])


def _numpy_day(value: np.datetime64) -> int | None:
    """Rounded down, in whole numbers of any size: NumPy does not go from its finest units to days."""
    unit, multiple = np.datetime_data(value.dtype)
    if unit in DAYS:
        near = value.astype("datetime64[D]")
        day = int(near.astype(np.int64)) if near.astype(value.dtype) == value else LAST_DAY + 1
    else:
        day = int(value.astype(np.int64)) * multiple // PER_DAY[unit]
    return day if FIRST_DAY <= day <= LAST_DAY else None
