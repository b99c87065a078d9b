"""What a column may hold, as far as it is publicly known: numbers, categories, days, truth values or texts.

A description is written by hand, or read from a file that somebody wrote. It never comes from the data: their smallest
value or rarest category may be one person's.
"""

import re
from dataclasses import dataclass
from datetime import date, datetime
from decimal import Decimal
from fractions import Fraction
from numbers import Real
from typing import Any, ClassVar, Final

import numpy as np

from dampen._validate import Number as NumberLike
from dampen._validate import exact, one_of, plain, positive, render, whole
from dampen.describe.labels import as_bounds, as_categories
from dampen.describe.shapes import Knots, Shape, as_shape
from dampen.errors import ParameterError

PRIVATE: Final = "private"
"""Said in place of bounds or groups that nobody knows."""
MOST_BINS = 2**16
"""A number is cut into at most so many intervals."""
NARROW = 10
"""On a range narrower than this, steps of 1 leave hardly anything to choose from."""
STEPS = ("day", "week", "month", "year")
"""How far the days that an answer may be lie apart."""

EPOCH = date(1970, 1, 1).toordinal()
DAY = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}", re.ASCII)


@dataclass(frozen=True, init=False, repr=False)
class Number:
    """A column of numbers between two public bounds: a value outside counts as the nearer one.

    Parameters
    ----------
    lo, hi
        The bounds. They are read exactly: a float means the decimal that it prints as. Without both, where nobody knows
        any, they are found privately, at a price: then ``unit`` must be said, and ``step`` must not.
    step
        How far the answers of percentiles and the bars of histograms lie apart. Without it as far as ``unit``.
    unit
        Sums are multiples of it, and variances are read to it; without it whole numbers. Means need none.
    bins
        Into how many intervals of equal width a classifier cuts the range.
    missing
        ``"refuse"`` or ``"drop"``: what happens to rows in which the number is missing.
    shape
        How values lie, as far as everybody may know: ``"uniform"``, or percentiles known from elsewhere, ``{10: 1400,
        50: 2600}``. It changes no answer: :func:`dampen.plan` tells errors of percentiles in values by it.

    >>> Number(0, 10_000, step=50), Number(unit="0.01")
    (Number(0, 10000, step=50), Number(unit=0.01))
    """

    lo: Fraction | None
    hi: Fraction | None
    step: Fraction | None
    unit: Fraction | None
    bins: int | None
    missing: str
    shape: Knots | None
    """Shares of people, and values that they do not exceed; empty where values lie evenly."""

    kind: ClassVar[str] = "number"

    def __init__(
        self,
        lo: NumberLike | None = None,
        hi: NumberLike | None = None,
        *,
        step: NumberLike | None = None,
        unit: NumberLike | None = None,
        bins: int | None = None,
        missing: str = "refuse",
        shape: Shape | None = None,
    ) -> None:
        low, high, width = _as_range(lo, hi, step, unit)
        _fill(self, lo=low, hi=high, step=width, unit=None if unit is None else positive(unit=unit))
        _fill(self, bins=None if bins is None else _as_bins(bins), missing=_as_missing(missing))
        if shape is not None and low is None:
            raise ParameterError(f"shape must be left out where no bounds are known; got {render(shape)}")
        _fill(self, shape=as_shape(shape))

    @property
    def bounded(self) -> bool:
        """Whether bounds are known."""
        return self.lo is not None

    @property
    def bounds(self) -> tuple[Fraction, Fraction]:
        """The lowest and the highest number, exactly; where none are known, what needs them is refused."""
        if self.lo is None or self.hi is None:
            raise ParameterError(
                "bounds must be known for this: describe lo and hi, public or ends that an earlier answer told"
            )
        return self.lo, self.hi

    @property
    def float_bounds(self) -> tuple[float, float]:
        """The lowest and the highest number as the nearest floats."""
        low, high = self.bounds
        return float(low), float(high)

    @property
    def sum_unit(self) -> Fraction:
        """What sums are multiples of."""
        return Fraction(1) if self.unit is None else self.unit

    @property
    def grid_step(self) -> Fraction:
        """How far answers lie apart where one of the numbers is the answer."""
        if self.step is not None:
            return self.step
        least, (low, high) = NARROW if self.unit is None else self.unit, self.bounds
        if high - low < least:
            raise ParameterError(
                f"a number between {plain(low)} and {plain(high)} needs a step for percentiles and histograms: "
                "say how far the answers may lie apart, for example step=0.01"
            )
        return self.sum_unit

    def __repr__(self) -> str:
        options = {"step": self.step, "unit": self.unit, "bins": self.bins}
        told = {name: _number_text(Fraction(found)) for name, found in options.items() if found is not None}
        ends = [_number_text(end) for end in (self.lo, self.hi) if end is not None]
        return _call("Number", ends, told | _told_missing(self.missing))


@dataclass(frozen=True, init=False, repr=False)
class Category:
    """A column that holds one of a few declared values.

    Parameters
    ----------
    values
        All values that could have occurred, one by one or as one list.
    other
        The declared value that everything else counts as. Without it other values are refused.
    missing
        ``"refuse"`` or ``"drop"`` rows in which the value is missing, or ``"other"``: they count as ``other`` does.

    >>> Category("sales", "lab", "board") == Category(["sales", "lab", "board"])
    True
    """

    labels: tuple[Any, ...]
    other: Any
    missing: str

    kind: ClassVar[str] = "category"

    def __init__(self, *values: Any, other: Any = None, missing: str = "refuse") -> None:
        labels = as_categories(values[0] if len(values) == 1 and _is_collection(values[0]) else values, "values")
        if one_of(("refuse", "drop", "other"), missing=missing) == "other" and other is None:
            raise ParameterError("missing='other' needs a declared value that takes them: name it with other=")
        rest = None if other is None else _label_equal_to(other, labels)
        if other is not None and rest is None:
            raise ParameterError(f"other must be one of the declared values; got {render(other)}")
        _fill(self, labels=labels, other=rest, missing=missing)

    def __repr__(self) -> str:
        alone = len(self.labels) == 1 and _is_collection(self.labels[0])
        values = [repr([*self.labels])] if alone else [repr(label) for label in self.labels]
        told = {} if self.other is None else {"other": repr(self.other)}
        return _call("Category", values, told | _told_missing(self.missing))


class Listed(Category):
    """A text of which some values are public by now: rows with all others, or with none, are left out.

    >>> Listed(("flu", "gout"))
    Listed('flu', 'gout')
    """

    def __init__(self, labels: tuple[str, ...]) -> None:
        super().__init__(labels, missing="drop")

    def __repr__(self) -> str:
        return _call("Listed", [*map(repr, self.labels)], {})


@dataclass(frozen=True, init=False, repr=False)
class Date:
    """A column of days, or of moments that count as their days, between two public ones.

    Parameters
    ----------
    lo, hi
        The first and the last day: a ``date``, or a text such as ``"2000-01-31"``.
    step
        ``"day"``, ``"week"``, ``"month"`` or ``"year"``: how far the answers of percentiles lie apart.
    missing
        ``"refuse"`` or ``"drop"``: what happens to rows in which the day is missing.

    >>> Date("2000-01-01", "2030-12-31", step="month")
    Date('2000-01-01', '2030-12-31', step='month')
    """

    lo: date
    hi: date
    step: str
    missing: str

    kind: ClassVar[str] = "date"

    def __init__(self, lo: date | str, hi: date | str, *, step: str = "day", missing: str = "refuse") -> None:
        first, last = as_day(lo=lo), as_day(hi=hi)
        if first >= last:
            raise ParameterError(f"lo must be before hi; got {render(lo)} and {render(hi)}")
        _fill(self, lo=first, hi=last, step=one_of(STEPS, step=step), missing=_as_missing(missing))

    @property
    def days(self) -> tuple[int, int]:
        """The numbers of the first and the last day, counted from 1970-01-01."""
        return day_number(self.lo), day_number(self.hi)

    def __repr__(self) -> str:
        told = {} if self.step == "day" else {"step": repr(self.step)}
        ends = [repr(self.lo.isoformat()), repr(self.hi.isoformat())]
        return _call("Date", ends, told | _told_missing(self.missing))


@dataclass(frozen=True, init=False, repr=False)
class Flag:
    """A column of truth values. ``missing``: ``"refuse"`` or ``"drop"`` rows in which it is missing.

    >>> Flag().labels
    (False, True)
    """

    missing: str

    kind: ClassVar[str] = "flag"
    labels: ClassVar[tuple[bool, bool]] = (False, True)

    def __init__(self, missing: str = "refuse") -> None:
        _fill(self, missing=_as_missing(missing))

    def __repr__(self) -> str:
        return _call("Flag", [], _told_missing(self.missing))


@dataclass(frozen=True)
class Text:
    """A column whose values nobody listed, such as names, remarks, search terms.

    It is asked about only as groups that are not public, ``by(column, groups="private")``, and then as those of them
    that were shown.
    """

    kind: ClassVar[str] = "text"


Column = Number | Category | Date | Flag | Text

COLUMNS: dict[str, type[Column]] = {each.kind: each for each in (Number, Category, Date, Flag, Text)}
"""Every description by its kind."""


@dataclass(frozen=True, repr=False)
class Interval:
    """What :func:`between` returns: numbers, days, or texts that a column's description says how to read."""

    lo: Any
    hi: Any

    def __repr__(self) -> str:
        ends = (_number_text(end) if isinstance(end, Fraction) else render(end) for end in (self.lo, self.hi))
        return f"between({', '.join(ends)})"


def between(lo: NumberLike | date | None, hi: NumberLike | date | None) -> Interval:
    """A condition for ``where``: at least ``lo`` and at most ``hi``, numbers or days; ``None`` leaves an end open.

    >>> between(1_000, 5_000), between("2020-01-01", None)
    (between(1000, 5000), between('2020-01-01', None))
    """
    if lo is None and hi is None:
        raise ParameterError("between must have an end: give lo, hi or both")
    return Interval(_as_end(lo=lo), _as_end(hi=hi))


def _as_end(**named: Any) -> Any:
    """An end as it was given; what is neither a number, a day nor a text that may be one is refused."""
    [(name, value)] = named.items()
    if value is None or isinstance(value, str):
        return value
    if isinstance(value, date | np.datetime64):
        return as_day(**named)
    if not isinstance(value, Real | Decimal):
        raise ParameterError(f"{name} must be a number, a day or None; got {render(value)}")
    return exact(**named)


def as_day(**named: Any) -> date:
    """Read one named day: a ``date``, a moment at midnight without a zone, or a text such as ``"2000-01-31"``."""
    [(name, value)] = named.items()
    found = value.item() if isinstance(value, np.datetime64) else value
    try:
        if isinstance(found, str) and DAY.fullmatch(found):
            found = date.fromisoformat(found)
        if isinstance(found, datetime) and found == datetime(found.year, found.month, found.day):
            found = date(found.year, found.month, found.day)
    except (ValueError, TypeError):  # a month 13, or the time that is none
        found = None
    if not isinstance(found, date) or isinstance(found, datetime):
        raise ParameterError(f"{name} must be a day, such as '2000-01-31'; got {render(value)}")
    return found


def day_number(day: date) -> int:
    """The number of a day, counted from 1970-01-01."""
    return day.toordinal() - EPOCH


def day_of(number: int) -> date:
    """The day with a number."""
    return date.fromordinal(number + EPOCH)


def _as_range(lo: Any, hi: Any, step: Any, unit: Any) -> tuple[Fraction | None, Fraction | None, Fraction | None]:
    """Bounds and a step that fits them; or nothing, where a unit is said in their place."""
    if lo is None and hi is None:
        if unit is None:
            raise ParameterError("unit must be said for a number without bounds, for example unit=0.01, or lo and hi")
        if step is not None:
            raise ParameterError(f"step must be left out for a number without bounds; got {render(step)}")
        return None, None, None
    low, high = exact(lo=lo), exact(hi=hi)
    if low >= high:
        raise ParameterError(f"lo must be below hi; got {render(lo)} and {render(hi)}")
    width = None if step is None else positive(step=step)
    if width is not None and width > high - low:
        raise ParameterError(f"step must be at most hi - lo; got {render(step)}")
    as_bounds((low, high))
    return low, high, width


def _as_bins(bins: int) -> int:
    if whole(bins=bins, least=1) > MOST_BINS:
        raise ParameterError(f"bins must be at most {MOST_BINS}; got {render(bins)}")
    return int(bins)


def _as_missing(missing: str) -> str:
    return one_of(("refuse", "drop"), missing=missing)


def _is_collection(value: Any) -> bool:
    return hasattr(type(value), "__iter__") and not isinstance(value, str | bytes)


def _label_equal_to(value: Any, labels: tuple[Any, ...]) -> Any:
    """The label itself; ``None`` if there is none, or if the value can be compared with nothing."""
    try:
        return next((label for label in labels if bool(label == value)), None)
    except Exception:  # an object of the caller's own may raise anything
        return None


def _fill(made: Column, **fields: Any) -> None:
    """The fields of a frozen object."""
    for name, value in fields.items():
        object.__setattr__(made, name, value)


def _number_text(number: Fraction) -> str:
    """An exact number as Python reads it back."""
    text = plain(number)
    return repr(text) if "/" in text else text


def _told_missing(missing: str) -> dict[str, str]:
    return {} if missing == "refuse" else {"missing": repr(missing)}


def _call(name: str, values: list[str], options: dict[str, str]) -> str:
    return f"{name}({', '.join([*values, *(f'{word}={text}' for word, text in options.items())])})"
