"""Which label a value stands for: one rule for every engine, here in Python and as dictionaries that databases look up.

A text stands for a label if it is what the label prints, or else if both are the same number. A number stands for a
label that is this number, or a text that reads as it; a truth value for itself, 1, 0 and its name; a day for itself and
as it prints. A text that is empty or ``nan``, and no label, is missing. Decimals are read as the nearest float.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from decimal import Decimal
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dampen._validate import shown
from dampen.errors import ParameterError
from dampen.statistics.engines.base import MISSING, OTHER, absent, written

NUMBER = re.compile(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)(e[+-]?[0-9]+)?", re.ASCII | re.IGNORECASE)
WHOLE = re.compile(r"[+-]?[0-9]+", re.ASCII)
TRUTHS = {"true": True, "false": False}
LONGEST = 400
"""Whole numbers of so many digits are no floats."""
BLANKS = " \t\n\r\v\f"
"""What may stand around a text that is missing; a database is told, for its own idea of blanks may differ."""
EXACT = 2**53
"""Texts that read as a smaller number than this are compared by number, larger ones only as they are written."""


def read_number(text: str) -> int | float | None:
    """The number that a text reads as, with blanks around it or not."""
    plain = text.strip(" \t")
    if WHOLE.fullmatch(plain) and len(plain) < LONGEST:
        return int(plain)
    return float(plain) if NUMBER.fullmatch(plain) else None


def is_blank(text: str) -> bool:
    """Whether a text, if it is no label, stands for a missing value."""
    return text.strip(BLANKS).lower() in ("", "nan")


def as_floats(column: NDArray[Any]) -> NDArray[np.float64]:
    """A column as floats; texts as every engine reads them: Python alone takes ``1_0`` and digits of any script."""
    texts = (item for item in column.tolist() if isinstance(item, str)) if column.dtype.kind in "OUT" else ()
    if not all(NUMBER.fullmatch(text.strip(BLANKS)) for text in texts):
        raise ValueError
    return (column.real if column.dtype.kind == "c" else column).astype(np.float64, copy=False)


def as_number(label: Any) -> int | float | None:
    """A label that is a number; a truth value is none."""
    if isinstance(label, bool | np.bool_) or not isinstance(label, int | float | np.integer | np.floating | Decimal):
        return None
    number = int(label) if isinstance(label, int | np.integer) else float(label)
    return int(number) if isinstance(number, float) and number.is_integer() else number


def native_numbers(label: Any) -> Iterator[int | float]:
    """The numbers that stand for a label in a column of numbers."""
    number = as_number(int(label)) if isinstance(label, bool | np.bool_) else as_number(label)
    number = as_number(read_number(label)) if isinstance(label, str) else number
    if number is not None:
        yield number


def native_truths(label: Any) -> Iterator[bool]:
    """The truth values that stand for a label in a column of them."""
    if isinstance(label, str):
        yield from [TRUTHS[label.lower()]] if label.lower() in TRUTHS else []
    elif as_number(label) in (0, 1) or isinstance(label, bool | np.bool_):
        yield bool(label)


def native_days(label: Any) -> Iterator[date]:
    """The days that stand for a label in a column of days."""
    if isinstance(label, date) and not isinstance(label, datetime):
        yield label
    elif isinstance(label, str) and re.fullmatch("[0-9]{4}-[0-9]{2}-[0-9]{2}", label):
        try:
            yield date.fromisoformat(label)
        except ValueError:
            return


def label_texts(labels: Sequence[Any]) -> dict[str, int]:
    """How each label may be written."""
    texts: dict[str, int] = {}
    for place, label in enumerate(labels):
        for text in written(label):
            if texts.setdefault(text, place) != place:
                raise ParameterError(f"categories must differ as text to be found in a file; got {shown(labels)}")
    return texts


def text_numbers(labels: Sequence[Any]) -> dict[float, int]:
    """The labels that are numbers, where a float holds them exactly: texts are compared with them."""
    numbers: dict[float, int] = {}
    for place, label in enumerate(labels):
        number = as_number(label)
        if number is not None and -EXACT < number < EXACT:
            numbers.setdefault(float(number), place)
    return numbers


def gathered(labels: Sequence[Any], natives: Any) -> dict[Any, int]:
    """Values of one type, and the place of the label that each stands for: the one that equals it, else the first."""
    found: dict[Any, int] = {}
    for place, label in enumerate(labels):
        for value in natives(label):
            found[value] = place if value == label else found.get(value, place)
    return found


def is_float(number: int | float) -> bool:
    """Whether a float is exactly this number."""
    try:
        return float(number) == number
    except OverflowError:
        return False


def sql_keys(labels: Sequence[Any], kind: str) -> tuple[dict[str, int], dict[float, int]]:
    """For a column of texts, whole numbers, reals, truths or days as SQL prints it: texts and numbers of the labels."""
    if kind == "text" or kind == "else":
        return label_texts(labels), text_numbers(labels) if kind == "text" else {}
    if kind == "reals":
        return {}, {float(n): place for n, place in gathered(labels, native_numbers).items() if is_float(n)}
    natives = {"wholes": native_numbers, "truths": native_truths, "days": native_days}[kind]
    return {str(value).lower(): place for value, place in gathered(labels, natives).items()}, {}


@dataclass(frozen=True, eq=False, repr=False)
class Places:
    """The places of labels, to look up values of any type in this process."""

    exact: dict[Any, int]
    texts: dict[str, int]
    read: dict[float, int]
    numbers: dict[Any, int]
    truths: dict[bool, int]
    days: dict[date, int]

    @classmethod
    def of(cls, labels: Sequence[Any]) -> "Places":
        """The places of these labels, in their order."""
        exact = {label: place for place, label in enumerate(labels)}
        texts: dict[str, int] = {}
        for place, label in enumerate(labels):
            for text in written(label):
                texts.setdefault(text, place)
        natives = (gathered(labels, each) for each in (native_numbers, native_truths, native_days))
        return cls(exact, texts, text_numbers(labels), *natives)

    def place(self, value: Any) -> int:
        """The place of the label that a value stands for, ``MISSING`` or ``OTHER``."""
        if absent(value):
            return MISSING
        if value in self.exact:
            return self.exact[value]
        if isinstance(value, str):
            return self._of_text(value)
        if isinstance(value, bool | np.bool_):
            return self.truths.get(bool(value), OTHER)
        if (number := as_number(value)) is not None:
            return self.numbers.get(number, OTHER)
        return self.days.get(value, OTHER) if isinstance(value, date) else OTHER

    def _of_text(self, text: str) -> int:
        if text in self.texts:
            return self.texts[text]
        if is_blank(text):
            return MISSING
        number = read_number(text)
        return OTHER if number is None else self.read.get(number, OTHER)
