"""The rule of reading once more, in plain Python and without dampen: what one value is, and for which label it stands.

Written from the rule alone. A value is first sorted (:func:`sort`) into missing, truth, number, text, day, moment or
something else; then its readings are tried in order on what the labels read as. Nothing here sees two values at once.
"""

import re
from collections.abc import Iterator, Sequence
from datetime import UTC, date, datetime
from decimal import Decimal
from enum import Enum
from fractions import Fraction
from math import inf, isfinite, isinf, isnan
from typing import Any
from uuid import UUID

import numpy as np
import pandas as pd

MISSING, OTHER = -1, -2
BLANKS = " \t\n\r\v\f"
LONGEST_DECIMAL = 38
MOST_WHOLE = 2**63
NUMBER = re.compile(r"[+-]?([0-9]+(\.[0-9]*)?|\.[0-9]+)(e[+-]?[0-9]+)?", re.ASCII | re.IGNORECASE)
INFINITE = re.compile(r"[+-]?(inf|infinity)", re.ASCII | re.IGNORECASE)
WHOLE = re.compile(r"[+-]?[0-9]+", re.ASCII)
DAY = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}", re.ASCII)
MOMENT = re.compile(DAY.pattern + r"[ T][0-9]{2}:[0-9]{2}:[0-9]{2}(\.[0-9]{1,6})?(Z|[+-][0-9]{2}:[0-9]{2})?", re.ASCII)

Reading = tuple[str, Any]
"""A sort of value and the value, such that equal ones are equal: ``("number", Fraction(1))``, ``("text", "1")``."""
NOTHING: Reading = ("missing", None)


class Rule:
    """Which of some labels values stand for."""

    def __init__(self, labels: Sequence[Any]) -> None:
        self._known = _ranked(labels)

    def place(self, value: Any) -> int:
        """The place of the label that a value stands for, ``MISSING`` or ``OTHER``."""
        own = sort(value)
        if own == NOTHING:
            return MISSING
        for reading in _readings(own):
            if reading == NOTHING:
                return MISSING
            if reading in self._known:
                return self._known[reading]
        return OTHER


def place(value: Any, labels: Sequence[Any]) -> int:
    """The place of the label that a value stands for, ``MISSING`` or ``OTHER``."""
    return Rule(labels).place(value)


class No(Enum):
    """In place of a number or a day."""

    MISSING = "missing"
    NUMBER = "no number"
    DAY = "no day"


def number(value: Any) -> Fraction | float | No:
    """The number that a value is, exact or an infinity; or why it is none."""
    kind, content = sort(value)
    if kind == "number":
        return content  # type: ignore[no-any-return]
    if kind == "text":
        found = read_number(content)
        return No.MISSING if is_blank(content) else No.NUMBER if found is None else found
    return No.MISSING if kind == "missing" else No.NUMBER


def day(value: Any) -> int | No:
    """The day that a value is or lies in, from 1970-01-01 on; or why it is none."""
    if isinstance(value, np.datetime64) and not np.isnat(value):
        unit, count = np.datetime_data(value.dtype)[0], int(value.astype(np.int64))
        shares = {
            "D": 1,
            "h": 24,
            "m": 24 * 60,
            "s": 86400,
            "ms": 86400 * 10**3,
            "us": 86400 * 10**6,
            "ns": 86400 * 10**9,
        }
        return _known_day(count // shares[unit])
    if isinstance(value, pd.Timestamp) and value is not pd.NaT:
        value = value.floor("s").to_pydatetime()
    kind, content = sort(value)
    if kind == "text":
        return No.MISSING if is_blank(content) else _day_of_text(content.strip(" \t"))
    if kind in ("day", "moment", "instant"):
        return _known_day((date(content.year, content.month, content.day) - date(1970, 1, 1)).days)
    return No.MISSING if kind == "missing" else No.DAY


def _day_of_text(text: str) -> int | No:
    """By the clock of Python, which knows no zone that is as far from UTC as a day, nor minutes beyond an hour."""
    if not DAY.fullmatch(text) and not MOMENT.fullmatch(text):
        return No.DAY
    if text[11:13] == "24" or (len(text) > 20 and text[-3] == ":" and text[-2:] > "59"):
        return No.DAY
    try:
        return day(datetime.fromisoformat(text))
    except (ValueError, OverflowError):
        return No.DAY


def _known_day(number: int) -> int | No:
    return number if -719162 <= number <= 2932896 else No.DAY


def sort(value: Any) -> Reading:
    """What a value is, by itself."""
    if isinstance(value, np.generic) and not isinstance(value, np.datetime64 | np.timedelta64):
        return _numpy_scalar(value)
    if _is_missing(value):
        return NOTHING
    if isinstance(value, bool):
        return "truth", value
    if isinstance(value, int | float | Decimal | Fraction):
        return "number", exact(value)
    if isinstance(value, str | UUID):
        return "text", str(value)
    if isinstance(value, np.datetime64 | datetime):
        return _time(value)
    return ("day", value) if isinstance(value, date) else ("else", _same(value))


def exact(value: Any) -> Fraction | float:
    """A number as a fraction; whole ones as they are, others at the nearest float; infinities as floats."""
    if isinstance(value, float):
        return value if isinf(value) else Fraction(value)
    if isinstance(value, int):
        return Fraction(value)
    if isinstance(value, Decimal) and value.is_infinite():
        return float(value)
    whole = Fraction(value) if isinstance(value, Fraction) or abs(value.adjusted()) < 400 else None
    if whole is not None and whole.denominator == 1 and len(str(abs(whole.numerator))) <= LONGEST_DECIMAL:
        return whole
    return exact(_nearest(value))


def read_number(text: str) -> Fraction | float | None:
    """The number that a text reads as."""
    plain = text.strip(" \t")
    if WHOLE.fullmatch(plain) and len(plain) < 25 and -MOST_WHOLE <= int(plain) < MOST_WHOLE:
        return Fraction(int(plain))
    return exact(float(plain)) if NUMBER.fullmatch(plain) or INFINITE.fullmatch(plain) else None


def read_truth(text: str) -> bool | None:
    """The truth value that a text reads as."""
    return {"true": True, "false": False}.get(text.strip(" \t").lower())


def is_blank(text: str) -> bool:
    """Whether a text that is no label stands for nothing."""
    return text.strip(BLANKS).lower() in ("", "nan")


def _numpy_scalar(value: Any) -> Reading:
    if isinstance(value, np.bool_):
        return "truth", bool(value)
    if isinstance(value, np.integer):
        return "number", Fraction(int(value))
    if isinstance(value, np.floating):
        if np.isnan(value):
            return NOTHING
        wide = np.isfinite(value) and value == np.floor(value)
        return "number", Fraction(int(value)) if wide else exact(float(value))
    return ("text", str(value)) if isinstance(value, np.str_) else ("else", _same(value))


def _is_missing(value: Any) -> bool:
    if value is None or value is pd.NA or value is pd.NaT or value is np.ma.masked:
        return True
    if isinstance(value, np.datetime64 | np.timedelta64):
        return bool(np.isnat(value))
    if isinstance(value, float):
        return isnan(value)
    return isinstance(value, Decimal) and value.is_nan()


def _time(value: Any) -> Reading:
    """A day, or a moment: its instant, or its clock where it has no zone; finer than microseconds it equals nothing."""
    if isinstance(value, np.datetime64):
        if np.datetime_data(value.dtype)[0] == "D":
            return "day", value.astype(object)
        value = pd.Timestamp(value.astype("datetime64[ns]"))
    fine = isinstance(value, pd.Timestamp) and value.nanosecond != 0
    plain = value.to_pydatetime(warn=False) if isinstance(value, pd.Timestamp) else value
    if fine:
        return "else", ("nanoseconds", str(value))
    return ("moment", plain) if plain.tzinfo is None else ("instant", plain.astimezone(UTC))


def _same(value: Any) -> Any:
    """A key that only an equal object of the same type has."""
    try:
        hash(value)
    except TypeError:
        return type(value).__name__, id(value)
    return type(value), value


def _nearest(value: Any) -> float:
    try:
        return float(value)
    except OverflowError:
        return inf if value > 0 else -inf


def readings(value: Any) -> set[Reading]:
    """All that a value may be read as."""
    return {*_readings(sort(value))}


def _readings(own: Reading) -> Iterator[Reading]:
    """What a value may be read as, in order."""
    kind, content = own
    if kind != "text":
        yield from _other_readings(own)
        return
    yield own
    if is_blank(content):
        yield NOTHING
        return
    found = read_number(content)
    if found is not None:
        yield from _other_readings(("number", found))
        return
    truth = read_truth(content)
    if truth is not None:
        yield from _other_readings(("truth", truth))


def _other_readings(own: Reading) -> Iterator[Reading]:
    """What a value that is no text may be read as."""
    yield own
    kind, content = own
    if kind == "number" and content in (0, 1):
        yield "truth", content == 1
    elif kind == "truth":
        yield "number", Fraction(int(content))
    elif kind == "day":
        yield "moment", datetime(content.year, content.month, content.day)
    elif kind == "moment" and content == datetime(content.year, content.month, content.day):
        yield "day", content.date()


def _ranked(labels: Sequence[Any]) -> dict[Reading, int]:
    """Which label has a reading: the lowest rank, then the first."""
    best: dict[Reading, tuple[int, int]] = {}
    for spot, label in enumerate(labels):
        for rank, reading in _label_readings(label):
            best[reading] = min(best.get(reading, (9, 0)), (rank, spot))
    return {reading: spot for reading, (_, spot) in best.items()}


def _label_readings(label: Any) -> Iterator[tuple[int, Reading]]:
    own = sort(label)
    yield 0, own
    kind, content = own
    if kind == "text":
        yield from ((2, reading) for reading in _text_readings(content))
        return
    yield 1, ("text", str(label))
    if kind == "truth":
        yield 1, ("text", str(label).lower())
    if kind in ("moment", "instant"):
        yield 1, ("text", label.isoformat())


def _text_readings(text: str) -> Iterator[Reading]:
    """What a text label reads as besides."""
    found, truth = read_number(text), read_truth(text)
    if found is not None:
        yield "number", found
    if truth is not None:
        yield "truth", truth
    try:
        if DAY.fullmatch(text):
            yield "day", date.fromisoformat(text)
        if MOMENT.fullmatch(text):
            yield _time(datetime.fromisoformat(text))
    except ValueError:
        return


def finite(value: Any) -> bool:
    """Whether a value is a number and no infinity."""
    found = number(value)
    return not isinstance(found, No) and isfinite(found)
