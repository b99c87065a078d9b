"""Descriptions of columns: what they hold, what is refused, and that they print as they are written."""

import datetime
import pickle
from collections.abc import Callable
from datetime import UTC, date
from decimal import Decimal
from fractions import Fraction
from math import inf
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given

from dampen import Category, Date, Flag, Number, Text, between
from dampen.describe.columns import COLUMNS, Column, as_day, day_number, day_of
from dampen.errors import ParameterError
from tests.unit.describe.refusals import faults_of
from tests.unit.describe.strategies import columns

if TYPE_CHECKING:
    from tests.conftest import Refused

NAMES = {each.__name__: each for each in (Number, Category, Date, Flag, Text)} | {"datetime": datetime, "inf": inf}


@pytest.mark.parametrize(
    ("column", "written"),
    [
        (Number(0, 10_000, step=50), "Number(0, 10000, step=50)"),
        (Number(0.1, "1/3", unit="0.01"), "Number(0.1, '1/3', unit=0.01)"),
        (Number(Decimal("-1.5"), 2, bins=4, missing="drop"), "Number(-1.5, 2, bins=4, missing='drop')"),
        (Category("sales", "lab"), "Category('sales', 'lab')"),
        (Category([1, 2, 9], other=9, missing="other"), "Category(1, 2, 9, other=9, missing='other')"),
        (Category([(1, 2)]), "Category([(1, 2)])"),
        (Category((1, 2), (3,)), "Category((1, 2), (3,))"),
        (Date("2000-01-01", date(2030, 12, 31), step="month"), "Date('2000-01-01', '2030-12-31', step='month')"),
        (Flag(), "Flag()"),
        (Flag(missing="drop"), "Flag(missing='drop')"),
        (Text(), "Text()"),
    ],
)
def test_a_description_prints_short_as_python(column: Column, written: str) -> None:
    assert repr(column) == written
    assert eval(written, dict(NAMES)) == column


@given(columns)
def test_every_description_is_read_back_from_its_print(column: Column) -> None:
    again = eval(repr(column), dict(NAMES))
    assert again == column
    assert hash(again) == hash(column)
    assert repr(again) == repr(column)
    assert pickle.loads(pickle.dumps(column)) == column


def test_every_kind_is_listed() -> None:
    assert list(COLUMNS) == ["number", "category", "date", "flag", "text"]
    assert [each.kind for each in (Number(0, 1), Category("a"), Date("2000-01-01", "2001-01-01"), Flag(), Text())] == [
        *COLUMNS
    ]


def test_descriptions_are_frozen() -> None:
    for column in (Number(0, 1), Category("a"), Date("2000-01-01", "2001-01-01"), Flag()):
        with pytest.raises(AttributeError):
            column.missing = "drop"  # type: ignore[misc]


def test_numbers_are_exact_and_floats_mean_the_decimals_that_they_print_as() -> None:
    found = Number(0.1, np.float64(0.5), step=Decimal("0.1"), unit="1/100")
    assert found.bounds == (Fraction(1, 10), Fraction(1, 2))
    assert (found.step, found.unit) == (Fraction(1, 10), Fraction(1, 100))
    assert found.float_bounds == (0.1, 0.5)


@pytest.mark.parametrize(
    ("column", "step", "unit"),
    [
        (Number(0, 10), 1, 1),
        (Number(0, 1, step=0.25), Fraction(1, 4), 1),
        (Number(0, 1, unit=0.25), Fraction(1, 4), Fraction(1, 4)),
        (Number(0, 100, step=5, unit=0.5), 5, Fraction(1, 2)),
        (Number(0, 100, unit=2), 2, 2),
    ],
)
def test_the_grid_has_the_step_or_the_unit_and_sums_the_unit(column: Number, step: Fraction, unit: Fraction) -> None:
    assert (column.grid_step, column.sum_unit) == (step, unit)


@pytest.mark.parametrize("column", [Number(0, 9.99), Number(0.2, 0.8), Number(0, 5, unit=6)])
def test_a_narrow_number_needs_a_step_for_percentiles_alone(column: Number, refused: "Refused") -> None:
    with refused(ParameterError, "needs a step for percentiles", "step=0.01"):
        column.grid_step  # noqa: B018


def test_values_are_given_one_by_one_or_as_one_list() -> None:
    expected = Category("a", "b")
    for given_as in (["a", "b"], ("a", "b"), np.array(["a", "b"]), pd.Series(["a", "b"]), pd.Index(["a", "b"])):
        assert Category(given_as) == expected
    assert Category(range(3)).labels == Category(0, 1, 2).labels == (0, 1, 2)
    assert Category("abc").labels == Category(["abc"]).labels == ("abc",)
    assert Category(date(2020, 1, 1)).labels == (date(2020, 1, 1),)
    assert type(Category(np.int64(1)).labels[0]) is int


def test_the_rest_is_a_declared_value_in_its_own_type() -> None:
    assert Category(0, 1, other=np.int64(1)).other == 1
    assert type(Category(0, 1, other=True).other) is int
    assert Category(False, True, other=False).other is False


def test_days_come_as_dates_texts_and_moments_at_midnight() -> None:
    expected = Date("2000-01-31", "2001-02-01")
    assert Date(date(2000, 1, 31), np.datetime64("2001-02-01")) == expected  # type: ignore[arg-type]
    assert Date(pd.Timestamp("2000-01-31"), datetime.datetime(2001, 2, 1)) == expected
    assert type(Date(pd.Timestamp("2000-01-31"), "2001-02-01").lo) is date
    assert Date("1970-01-01", "1970-01-11").days == (0, 10)
    assert day_of(day_number(date(1, 1, 1))) == date(1, 1, 1)


@pytest.mark.parametrize(
    ("make", "rule"),
    [
        (lambda: Number(1, 1), "lo must be below hi; got 1 and 1"),
        (lambda: Number(2, 1), "lo must be below hi; got 2 and 1"),
        (lambda: Number(0, float("nan")), "hi must be a finite number"),
        (lambda: Number("x", 1), "lo must be a finite number or a string such as '1/100'; got 'x'"),
        (lambda: Number(0, 2**62), "bounds must be below 2**62 in size"),
        (lambda: Number(0, 1, step=0), "step must be positive; got 0"),
        (lambda: Number(0, 1, step=2), "step must be at most hi - lo; got 2"),
        (lambda: Number(0, 1, unit=-1), "unit must be positive; got -1"),
        (lambda: Number(0, 1, bins=0), "bins must be a whole number of at least 1; got 0"),
        (lambda: Number(0, 1, bins=2**16 + 1), "bins must be at most 65536; got 65537"),
        (lambda: Number(0, 1, missing="other"), "missing must be one of 'refuse', 'drop'; got 'other'"),
        (lambda: Category(), "values must not be empty"),
        (lambda: Category([]), "values must not be empty"),
        (lambda: Category({"a"}), "values must be an ordered sequence of distinct hashable labels"),
        (lambda: Category("a", "a"), "distinct"),
        (lambda: Category("a", None), "none of them missing"),
        (lambda: Category("a", other="b"), "other must be one of the declared values; got 'b'"),
        (lambda: Category("a", other=["a"]), "other must be one of the declared values; got a list"),
        (lambda: Category("a", missing="other"), "missing='other' needs a declared value"),
        (lambda: Category("a", missing="keep"), "missing must be one of 'refuse', 'drop', 'other'; got 'keep'"),
        (lambda: Date("2000-01-01", "2000-01-01"), "lo must be before hi"),
        (lambda: Date("2000-02-30", "2001-01-01"), "lo must be a day, such as '2000-01-31'; got '2000-02-30'"),
        (lambda: Date("20000101", "2001-01-01"), "lo must be a day"),
        (lambda: Date("2000-01-01", datetime.datetime(2001, 1, 1, 12)), "hi must be a day"),
        (lambda: Date("2000-01-01", datetime.datetime(2001, 1, 1, tzinfo=UTC)), "hi must be a day"),
        (lambda: Date("2000-01-01", pd.NaT), "hi must be a day"),
        (lambda: Date("2000-01-01", "2001-01-01", step="hour"), "step must be one of 'day', 'week', 'month', 'year'"),
        (lambda: Flag(missing="other"), "missing must be one of"),
        (lambda: between(None, None), "between must have an end"),
        (lambda: between([1], 2), "lo must be a number, a day or None; got a list"),  # type: ignore[arg-type]
        (lambda: between(1, True), "hi must be a finite number"),
        (lambda: between(float("nan"), 1), "lo must be a finite number"),
    ],
)
def test_what_is_no_description_is_refused_in_one_sentence(
    make: Callable[[], Any], rule: str, refused: "Refused"
) -> None:
    with refused(ParameterError, rule):
        make()


MAKERS: dict[str, Callable[[Any], Any]] = {
    "lo": lambda value: Number(value, 10),
    "step": lambda value: Number(0, 10, step=value),
    "unit": lambda value: Number(0, 10, unit=value),
    "bins": lambda value: Number(0, 10, bins=value),
    "missing": lambda value: Category("a", missing=value),
    "values": lambda value: Category(value),
    "second value": lambda value: Category("b", value),
    "other": lambda value: Category("a", "b", other=value),
    "day": lambda value: Date(value, "2030-01-01"),
    "grain": lambda value: Date("2000-01-01", "2030-01-01", step=value),
    "end": lambda value: between(value, 10),
}


@pytest.mark.parametrize("name", MAKERS)
def test_spoiled_arguments_are_told_without_what_they_hold(name: str) -> None:
    assert list(faults_of(MAKERS[name])) == []


def test_as_day_names_its_argument(refused: "Refused") -> None:
    with refused(ParameterError, "first day must be a day"):
        as_day(**{"first day": 3})


def test_intervals_print_as_they_are_written() -> None:
    for written in ("between(1, 5)", "between(0.5, None)", "between('2020-01-01', None)", "between('1/3', 2)"):
        assert repr(eval(written, {"between": between})) == written
    assert between(1, 5) == between(1.0, Decimal(5))
