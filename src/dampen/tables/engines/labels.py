"""Which label a value stands for: one rule for every engine, here in Python and as dictionaries that databases look up.

A value has *readings*, tried in order: a text is itself, else the number or the truth value that it reads as; a number
is itself, and 0 and 1 are truth values too; a truth value is itself, else 0 or 1; a day is itself, else its midnight; a
moment is itself, and at midnight, without a zone, its day. A label has readings as well: itself first, then how it
prints, then what a text label reads as. Where two labels share a reading, the one that has it more directly wins, then
the first. So every value stands for one label, for none (``OTHER``), or is missing.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from functools import lru_cache
from typing import Any
from uuid import UUID

from dampen.tables.reading import (
    DAY,
    LARGEST,
    MISSING,
    MOMENT,
    OTHER,
    SMALLEST,
    Moment,
    is_blank,
    is_missing,
    is_truth,
    read_moment,
    read_number,
    read_text_number,
    read_truth,
)

FEW = 100
"""The places of so many labels are kept."""
PLAIN = {str, int, bool}
"""Types whose equal values are the same label."""
LabelReading = tuple[str, Any]
"""What a label is found by: the kind of reading, and the reading."""


def readings_of(label: Any) -> Iterator[tuple[int, LabelReading]]:
    """The readings of a label, each with its rank: 0 itself, 1 how it prints, 2 what a text reads as."""
    if isinstance(label, str | UUID):
        yield 0, ("text", str(label))
        yield from ((2, reading) for reading in _read_as(str(label)))
    elif is_truth(label):
        yield 0, ("truth", bool(label))
        yield from ((1, ("text", text)) for text in (str(bool(label)), str(bool(label)).lower()))
    elif (number := read_number(label)) is not None:
        yield 0, ("number", number)
        yield 1, ("text", str(label))
    elif (moment := read_moment(label)) is not None:
        yield 0, (_kind(moment), moment)
        yield from ((1, ("text", text)) for text in {str(label), _iso(label, moment)})
    else:
        yield 0, ("object", (type(label), label))
        yield 1, ("text", str(label))


def _read_as(text: str) -> Iterator[LabelReading]:
    if (number := read_text_number(text)) is not None:
        yield "number", number
    if (truth := read_truth(text)) is not None:
        yield "truth", truth
    try:
        if DAY.fullmatch(text):
            yield "day", date.fromisoformat(text)
        elif MOMENT.fullmatch(text) and (moment := read_moment(datetime.fromisoformat(text))) is not None:
            yield _kind(moment), moment
    except ValueError:
        return


def _iso(label: Any, moment: Moment) -> str:
    """In the label's own zone; dates of NumPy have no such method."""
    return str(label.isoformat() if hasattr(label, "isoformat") else moment.isoformat())


def _kind(moment: Moment) -> str:
    if not isinstance(moment, datetime):
        return "day"
    return "moment" if moment.tzinfo is None else "instant"


@dataclass(frozen=True, eq=False, repr=False)
class Places:
    """The place of the label that each reading stands for, the fallbacks of a value's readings included."""

    texts: dict[str, int]
    numbers: dict[int | float, int]
    truths: dict[bool, int]
    days: dict[date, int]
    moments: dict[datetime, int]
    instants: dict[datetime, int]
    objects: dict[tuple[type, Any], int]

    @classmethod
    def of(cls, labels: Sequence[Any]) -> "Places":
        """The places of these labels, in their order."""
        kinds = tuple(map(type, labels))
        if len(kinds) <= FEW and {*kinds} <= PLAIN:
            return _places_of_plain(tuple(labels), kinds)
        return cls._found(labels)

    @classmethod
    def _found(cls, labels: Sequence[Any]) -> "Places":
        best: dict[LabelReading, tuple[int, int]] = {}
        for place, label in enumerate(labels):
            for rank, reading in readings_of(label):
                best[reading] = min(best.get(reading, (rank, place)), (rank, place))
        kinds = ("text", "number", "truth", "day", "moment", "instant", "object")
        found: list[dict[Any, int]] = [
            {value: place for (each, value), (_, place) in best.items() if each == kind} for kind in kinds
        ]
        numbers, truths, days, moments = found[1:5]
        found[1] = {int(truth): place for truth, place in truths.items()} | numbers
        found[2] = {bool(number): place for number, place in numbers.items() if number in (0, 1)} | truths
        found[3] = {moment.date(): place for moment, place in moments.items() if moment == _midnight(moment)} | days
        found[4] = {_midnight(day): place for day, place in days.items()} | moments
        return cls(*found)

    def place(self, value: Any) -> int:
        """The place of the label that a value stands for, ``MISSING`` or ``OTHER``."""
        if isinstance(value, str):
            return self.place_of_text(value)
        if is_missing(value):
            return MISSING
        if is_truth(value):
            return self.truths.get(bool(value), OTHER)
        if (number := read_number(value)) is not None:
            return self.numbers.get(number, OTHER)
        if isinstance(value, UUID):
            return self.place_of_text(str(value))
        if (moment := read_moment(value)) is not None:
            return self._moment_place(moment)
        return self._object_place(value)

    def place_of_text(self, text: str) -> int:
        """The same for a text."""
        if text in self.texts:
            return self.texts[text]
        if is_blank(text):
            return MISSING
        if (number := read_text_number(text)) is not None:
            return self.numbers.get(number, OTHER)
        truth = read_truth(text)
        return OTHER if truth is None else self.truths.get(truth, OTHER)

    def _moment_place(self, moment: Moment) -> int:
        if not isinstance(moment, datetime):
            return self.days.get(moment, OTHER)
        return (self.moments if moment.tzinfo is None else self.instants).get(moment, OTHER)

    def _object_place(self, value: Any) -> int:
        """Equal labels of the very same type; what cannot be compared equals none."""
        try:
            return self.objects.get((type(value), value), OTHER) if self.objects else OTHER
        except Exception:
            return OTHER

    def wholes(self) -> dict[int, int]:
        """The numbers that 64 bits hold, signed."""
        return {int(n): place for n, place in self.numbers.items() if n == n // 1 and SMALLEST <= n <= LARGEST}

    def reals(self) -> dict[float, int]:
        """The numbers that a float holds exactly."""
        return {float(n): place for n, place in self.numbers.items() if _is_float(n)}


@lru_cache(maxsize=256)
def _places_of_plain(labels: tuple[Any, ...], kinds: tuple[type, ...]) -> Places:
    """Those of a few plain labels, kept: every column of a table has some. ``kinds`` tells 1 and ``True`` apart."""
    return Places._found(labels)


def _midnight(day: date) -> datetime:
    return datetime(day.year, day.month, day.day)


def _is_float(number: int | float) -> bool:
    try:
        return float(number) == number
    except OverflowError:
        return False
