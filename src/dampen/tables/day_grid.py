"""Public grids of days: what an answer about dates may be, and where a day stands among them."""

from calendar import monthrange
from datetime import date, datetime
from typing import Any

import numpy as np

from dampen._validate import one_of, render
from dampen.errors import ParameterError
from dampen.tables.grid import Grid, as_grid
from dampen.tables.reading import EPOCH
from dampen.vectors import Integers, Vector

STEPS = ("day", "week", "month", "year")


class DayGrid(Grid):
    """A strictly increasing public sequence of days. Made by :func:`day_grid`.

    ``numbers`` is the same as whole numbers of days from 1970-01-01, and what is counted on: values are read as days
    and rounded down to it, as numbers are.
    """

    whole = True

    def __init__(self, numbers: Grid) -> None:
        self.numbers = numbers

    def __len__(self) -> int:
        return len(self.numbers)

    def _point(self, place: int) -> date:
        return date.fromordinal(int(self.numbers[place]) + EPOCH)

    def points(self) -> Vector:
        """All days, as whole numbers from 1970-01-01 on."""
        return self.numbers.points()

    @property
    def daily(self) -> Grid:
        """All days from the first to the last: numbers without gaps, which are quicker to count on."""
        return as_grid(range(int(self.numbers[0]), int(self.numbers[-1]) + 1))

    def rounded(self, places: Integers) -> Integers:
        """Where the days at places of :attr:`daily` stand on this grid; ``MISSING`` and ``OTHER`` stay."""
        return np.where(places < 0, places, self.places(np.maximum(places, 0) + int(self.numbers[0])))

    def places(self, keys: Vector) -> Integers:
        """Where the largest day not above each key stands."""
        return self.numbers.places(keys)


def day_grid(lo: date, hi: date, step: str) -> DayGrid:
    """The days lo, lo + step, ... up to at most hi; a step is a ``"day"``, ``"week"``, ``"month"`` or ``"year"``.

    Months and years are those of the calendar: each day of the grid has the number of the first, or is the last of its
    month where the month is too short.

    >>> list(map(str, day_grid(date(2024, 1, 31), date(2024, 4, 30), "month")))
    ['2024-01-31', '2024-02-29', '2024-03-31', '2024-04-30']
    """
    first, last = _day(lo), _day(hi)
    one_of(STEPS, step=step)
    if first > last:
        raise ParameterError(f"days must not be reversed: (lo, hi) with lo <= hi; got {render((lo, hi))}")
    if step in ("day", "week"):
        return DayGrid(as_grid(range(first, last + 1, 1 if step == "day" else 7)))
    months = 1 if step == "month" else 12
    steps = (12 * (hi.year - lo.year) + hi.month - lo.month) // months
    days = [_months_later(lo, months * place) for place in range(steps + 1)]
    return DayGrid(as_grid([day for day in days if day <= last]))


def _day(day: Any) -> int:
    if not isinstance(day, date) or isinstance(day, datetime):
        raise ParameterError(f"lo and hi must be days, datetime.date; got {render(day)}")
    return day.toordinal() - EPOCH


def _months_later(day: date, months: int) -> int:
    years, month = divmod(day.month - 1 + months, 12)
    year = day.year + years
    return date(year, month + 1, min(day.day, monthrange(year, month + 1)[1])).toordinal() - EPOCH
