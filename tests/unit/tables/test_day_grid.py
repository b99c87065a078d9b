"""Grids of days: their points by the calendar, and where days stand on them."""

from calendar import monthrange
from datetime import date, datetime, timedelta
from itertools import pairwise
from random import Random
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from dampen.errors import ParameterError
from dampen.tables import as_grid, count_on_grid
from dampen.tables.day_grid import STEPS, DayGrid, day_grid

if TYPE_CHECKING:
    from tests.conftest import Refused

EPOCH = date(1970, 1, 1)


def is_point(day: date, lo: date, step: str) -> bool:
    """Whether a day is some steps after the first, told from the day alone."""
    if step in ("day", "week"):
        return (day - lo).days % (1 if step == "day" else 7) == 0
    right_month = step == "month" or day.month == lo.month
    return right_month and day.day == min(lo.day, monthrange(day.year, day.month)[1])


@pytest.mark.parametrize("step", STEPS)
def test_points_are_those_of_the_calendar(step: str) -> None:
    rng = Random(step)
    for _ in range(40):
        lo = date(2019, 1, 1) + timedelta(rng.randrange(1500))
        hi = lo + timedelta(rng.randrange(1500))
        days = [lo + timedelta(place) for place in range((hi - lo).days + 1)]
        assert list(day_grid(lo, hi, step)) == [day for day in days if is_point(day, lo, step)]


@pytest.mark.parametrize("step", STEPS)
def test_days_are_rounded_down(step: str) -> None:
    grid = day_grid(date(2024, 1, 31), date(2026, 1, 30), step)
    points = list(grid)
    for day in (date(2024, 1, 31) + timedelta(place) for place in range(-40, 800)):
        expected = max([place for place, point in enumerate(points) if point <= day], default=0)
        found = count_on_grid([day], grid)
        assert (found.places.tolist(), found.counts.tolist()) == ([expected], [1]), day


def test_a_grid_is_a_sequence_of_days() -> None:
    grid = day_grid(date(2024, 1, 31), date(2024, 12, 31), "month")
    assert len(grid) == 12
    assert (grid[0], grid[1], grid[-1]) == (date(2024, 1, 31), date(2024, 2, 29), date(2024, 12, 31))
    assert grid[:2] == (date(2024, 1, 31), date(2024, 2, 29))
    assert all(type(day) is date for day in grid)
    assert date(2024, 3, 31) in grid
    assert all(one < two for one, two in pairwise(grid))
    assert grid.points().tolist() == [(day - EPOCH).days for day in grid]
    assert np.asarray(grid).tolist() == grid.points().tolist()
    assert repr(grid) == "Grid(12 points from 2024-01-31 to 2024-12-31)"
    assert as_grid(grid) is grid
    assert isinstance(grid, DayGrid)


def test_grids_are_equal_if_their_days_are() -> None:
    daily = day_grid(date(2024, 1, 1), date(2024, 1, 1), "day")
    assert daily == day_grid(date(2024, 1, 1), date(2024, 1, 7), "week")
    assert hash(daily) == hash(day_grid(date(2024, 1, 1), date(2024, 1, 7), "week"))
    assert daily != day_grid(date(2024, 1, 1), date(2024, 1, 2), "day")
    assert daily != as_grid(daily.points().tolist())


def test_the_first_and_the_last_days_of_all() -> None:
    assert len(day_grid(date.min, date.max, "year")) == 9999
    assert len(day_grid(date.min, date.max, "month")) == 12 * 9999
    assert day_grid(date.min, date.max, "day")[-1] == date.max
    assert day_grid(date(2024, 2, 29), date(2028, 2, 29), "year")[:] == (
        date(2024, 2, 29), date(2025, 2, 28), date(2026, 2, 28), date(2027, 2, 28), date(2028, 2, 29),
    )  # fmt: skip


WRONG: list[tuple[tuple[Any, Any, Any], str]] = [
    ((date(2024, 1, 2), date(2024, 1, 1), "day"), "days must not be reversed: (lo, hi) with lo <= hi; got a tuple"),
    ((date(2024, 1, 1), date(2024, 1, 2), "hour"), "step must be one of 'day', 'week', 'month', 'year'; got 'hour'"),
    (("2024-01-01", date(2024, 1, 2), "day"), "lo and hi must be days, datetime.date; got '2024-01-01'"),
    ((date(2024, 1, 1), datetime(2024, 1, 2), "day"), "lo and hi must be days, datetime.date; got "),
]


@pytest.mark.parametrize(("given", "said"), WRONG, ids=lambda part: str(part)[:30])
def test_wrong_days_are_refused(given: tuple[Any, Any, Any], said: str, refused: "Refused") -> None:
    with refused(ParameterError, said):
        day_grid(*given)
