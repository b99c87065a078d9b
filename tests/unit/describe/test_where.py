"""Filters: the conditions they become, what is refused from the description alone, and how they read in words."""

from collections.abc import Callable, Iterator, Mapping
from datetime import date, datetime
from decimal import Decimal
from fractions import Fraction
from itertools import product
from typing import TYPE_CHECKING, Any
from uuid import UUID

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dampen import Category, Date, Flag, Number, Text, between
from dampen._validate import UNWRITABLE
from dampen.describe.columns import Column, day_number
from dampen.describe.conditions import Among, Between, Condition
from dampen.describe.where import conditions_of, find_column, intersect, label_place, words
from dampen.describe.where_text import conditions_from_texts, parse_condition
from dampen.errors import ParameterError
from dampen.tables.columns import column_of_values
from dampen.tables.engines.array_codes import label_places
from dampen.tables.engines.labels import Places
from tests.unit.describe.refusals import faults_of, refusal_of

if TYPE_CHECKING:
    from tests.conftest import Refused

STAFF: dict[str, Column] = {
    "pay": Number(0, 10_000, step=50),
    "team": Category("sales", "lab", "board"),
    "hired": Date("2000-01-01", "2030-12-31"),
    "smoker": Flag(),
    "ward": Category("onco", "cardio", "rest", other="rest"),
    "level": Category(1, 2, 3),
    "net pay in EUR": Number(0, 100),
    "name": Text(),
}
TEAM, LEVEL, TRUTHS = ("sales", "lab", "board"), (1, 2, 3), (False, True)


def day(text: str) -> Fraction:
    return Fraction(day_number(date.fromisoformat(text)))


@pytest.mark.parametrize(
    ("where", "expected"),
    [
        ({"team": "lab"}, Among("team", TEAM, frozenset({1}))),
        ({"team": {"lab", "board"}}, Among("team", TEAM, frozenset({1, 2}))),
        ({"team": ["lab", "lab"]}, Among("team", TEAM, frozenset({1}))),
        ({"team": ("sales",)}, Among("team", TEAM, frozenset({0}))),
        ({"team": frozenset(TEAM)}, Among("team", TEAM, frozenset({0, 1, 2}))),
        ({"team": np.str_("lab")}, Among("team", TEAM, frozenset({1}))),
        ({"level": 2}, Among("level", LEVEL, frozenset({1}))),
        ({"level": np.int64(2)}, Among("level", LEVEL, frozenset({1}))),
        ({"level": "3"}, Among("level", LEVEL, frozenset({2}))),
        ({"smoker": True}, Among("smoker", TRUTHS, frozenset({1}))),
        ({"smoker": np.bool_(False)}, Among("smoker", TRUTHS, frozenset({0}))),
        ({"smoker": "true"}, Among("smoker", TRUTHS, frozenset({1}))),
        ({"ward": "onco"}, Among("ward", ("onco", "cardio", "rest"), frozenset({0}))),
        ({"pay": 1000}, Between("pay", Fraction(1000), Fraction(1000))),
        ({"pay": 0.1}, Between("pay", Fraction(1, 10), Fraction(1, 10))),
        ({"pay": between(1000, 5000)}, Between("pay", Fraction(1000), Fraction(5000))),
        ({"pay": between(None, "5000.5")}, Between("pay", None, Fraction(10001, 2))),
        ({"pay": between(9000, 10**9)}, Between("pay", Fraction(9000), Fraction(10**9))),
        ({"hired": "2020-02-29"}, Between("hired", day("2020-02-29"), day("2020-02-29"), days=True)),
        ({"hired": between(date(2020, 1, 1), None)}, Between("hired", day("2020-01-01"), None, days=True)),
        (
            {"hired": between("1999-01-01", datetime(2020, 1, 1))},
            Between("hired", day("1999-01-01"), day("2020-01-01"), True),
        ),
    ],
)
def test_what_is_wanted_becomes_a_condition(where: Mapping[str, Any], expected: Condition) -> None:
    assert conditions_of(STAFF, where) == (expected,)


def test_no_wish_is_no_condition_and_several_keep_their_order() -> None:
    assert conditions_of(STAFF, {}) == ()
    assert [each.column for each in conditions_of(STAFF, {"pay": 3, "team": "lab"})] == ["pay", "team"]


@pytest.mark.parametrize(
    ("where", "rules"),
    [
        ({"ward": "onko"}, ['"onko": did you mean "onco"?', "where of column 'ward' must be a declared value"]),
        ({"team": "Lab"}, ['"Lab": did you mean "lab"?']),
        (
            {"team": ["lab", "bord"]},
            ['must be declared values, and one of them is not: did you mean "board"? Declared'],
        ),
        ({"team": "xyz"}, ['not "xyz". Declared: "sales", "lab", "board"']),
        ({"team": None}, ["must be a declared value, not None."]),
        ({"team": float("nan")}, ["must be a declared value, not nan."]),
        ({"team": []}, ["must have at least one value; got a list"]),
        ({"team": ["lab", ["board"]]}, ["and one of them is not. Declared: "]),
        ({"team": pd.Series(["lab"])}, ["must be a declared value, not a pandas Series."]),
        ({"team": between("a", "b")}, ["which has no order; got between('a', 'b')"]),
        ({"ward": "rest"}, ["""must not be "rest", which stands for all undeclared values too"""]),
        ({"ward": ["onco", "rest"]}, ["""must not be "rest", which stands"""]),
        ({"level": True}, ["must be a declared value, not True"]),
        ({"level": 4}, ["not 4. Declared: 1, 2, 3"]),
        ({"smoker": 1}, ["must be a declared value, not 1"]),
        ({"smoker": "yes"}, ["Declared: False, True"]),
        ({"smoker": between(0, 1)}, ["it is a flag, which has no order"]),
        ({"pay": {1000, 2000}}, ["it is a number, not a category; got a set", "one value or between(lo, hi)"]),
        ({"hired": ["2020-01-01"]}, ["it is a date, not a category; got a list"]),
        ({"pay": "lots"}, ["where of column 'pay' must be a finite number", "got 'lots'"]),
        ({"pay": date(2020, 1, 1)}, ["must be a number; got datetime.date(2020, 1, 1)"]),
        ({"pay": True}, ["must be a finite number"]),
        ({"pay": 10_001}, ["must lie between its bounds 0 and 10000; got 10001"]),
        ({"pay": between(None, -1)}, ["must lie between its bounds 0 and 10000; got between(None, -1)"]),
        ({"pay": between(5, 4)}, ["must be between(lo, hi) with lo <= hi; got between(5, 4)"]),
        ({"hired": between("2031-01-01", None)}, ["must lie between its bounds 2000-01-01 and 2030-12-31"]),
        ({"hired": 2020}, ["must be a day, such as '2000-01-31'; got 2020"]),
        ({"hired": between(0, 1)}, ["must be a day"]),
        ({"name": "Ada"}, ["it is a text, whose values are not public"]),
        ({"tema": "lab"}, ['column must be one that is declared, not "tema": did you mean "team"? Declared: "pay", ']),
        ({3: "lab"}, ["where must be columns and what their values are; got a dict"]),
        (["team"], ["where must be columns and what their values are; got a list"]),
    ],
)
def test_what_the_description_does_not_have_is_refused(where: Any, rules: list[str], refused: "Refused") -> None:
    with refused(ParameterError, *rules):
        conditions_of(STAFF, where)


def test_long_names_and_many_values_stay_on_one_short_line(refused: "Refused") -> None:
    many = {"x" * 100 + str(place): Category([f"{'y' * 60}{other}" for other in range(500)]) for place in range(50)}
    for where in ({"x" * 100: 3}, {next(iter(many)): "y" * 60}, {next(iter(many)): "two\nlines"}):
        with refused(ParameterError, "declared"):
            conditions_of(many, where)


@pytest.mark.parametrize("name", STAFF)
def test_spoiled_wishes_are_told_without_what_they_hold(name: str) -> None:
    assert list(faults_of(lambda spoiled: conditions_of(STAFF, {name: spoiled}))) == []
    assert list(faults_of(lambda spoiled: conditions_of(STAFF, {name: [spoiled]}))) == []


def test_what_is_no_filter_is_told_without_what_it_holds() -> None:
    assert list(faults_of(lambda spoiled: conditions_of(STAFF, spoiled))) == []
    assert list(faults_of(lambda spoiled: find_column(STAFF, spoiled))) == []
    assert list(faults_of(lambda spoiled: parse_condition(spoiled, STAFF))) == []


def test_a_column_is_found_or_the_nearest_named(refused: "Refused") -> None:
    assert find_column(STAFF, "pay") is STAFF["pay"]
    with refused(ParameterError, '"hierd": did you mean "hired"?', 'Declared: "pay", "team"'):
        find_column(STAFF, "hierd")
    with refused(ParameterError, "Declared: nothing"):
        find_column({}, "pay")


AWKWARD: tuple[tuple[Any, ...], ...] = (
    ("1", 1),
    ("01", 1, "x"),
    (1, 2.5, -3),
    (False, True),
    ("True", "no"),
    ("true", 0),
    (date(2020, 1, 1), "2020-01-02"),
    (Decimal("1.5"), "1.50"),
    (2**70, "a"),
    (UUID(int=5), "b"),
    (datetime(2020, 1, 1, 12), "z"),
    (0.1, "0.2"),
    ("", "a"),
)


@pytest.mark.parametrize("labels", AWKWARD, ids=str)
def test_a_wish_stands_for_the_label_that_engines_read_it_as(labels: tuple[Any, ...]) -> None:
    """A label itself and its print are found, and every row with that very value is one that the filter keeps."""
    for place, label in enumerate(labels):
        assert label_place(labels, label) == place
        found = label_place(labels, str(label))
        assert found is not None
        read = label_places(column_of_values([label, str(label)], None), Places.of(labels))
        assert read.tolist() == [place, found]


def holds(condition: Condition, value: Any) -> bool:
    """A condition on one value that is read already, as its docstring says it."""
    if isinstance(condition, Among):
        return condition.labels.index(value) in condition.places
    number = day_number(value) if condition.days else value
    return (condition.low is None or condition.low <= number) and (condition.high is None or number <= condition.high)


SMALL: dict[str, Column] = {
    "n": Number(0, 3),
    "c": Category("a", "b", "c"),
    "d": Date("2020-01-01", "2020-01-04"),
    "f": Flag(),
}
ALL: dict[str, list[Any]] = {
    "n": [0, 1, 2, 3],
    "c": ["a", "b", "c"],
    "d": [date(2020, 1, 1 + place) for place in range(4)],
    "f": [False, True],
}
SIGNS: dict[str, Callable[[Any, Any], bool]] = {
    "=": lambda value, end: bool(value == end),
    ">=": lambda value, end: bool(value >= end),
    "<=": lambda value, end: bool(value <= end),
}


def written() -> Iterator[tuple[str, str, Callable[[Any], bool]]]:
    """Every condition on the small columns as a command writes it, its column, and whether a value meets it."""
    for name, values in ALL.items():
        for end in values:
            for sign, rule in SIGNS.items():
                if sign == "=" or name in "nd":
                    yield f"{name}{sign}{end}", name, lambda value, rule=rule, end=end: rule(value, end)  # type: ignore[misc]
        for one, two in product(values, repeat=2):
            if name in "nd" and one <= two:
                text = f"{name} between {one} and {two}"
                yield text, name, lambda value, one=one, two=two: bool(one <= value <= two)  # type: ignore[misc]
            elif name in "cf":
                yield f"{name} in {one}, {two}", name, lambda value, one=one, two=two: value in (one, two)  # type: ignore[misc]


WRITTEN = list(written())


@given(st.lists(st.sampled_from(WRITTEN), max_size=4))
def test_texts_keep_the_rows_that_meet_all_of_them(chosen: list[tuple[str, str, Callable[[Any], bool]]]) -> None:
    """Brute force over all rows of small columns: one condition for each column, and their intersection."""
    rows = [dict(zip(ALL, row, strict=True)) for row in product(*ALL.values())]
    kept = [row for row in rows if all(rule(row[name]) for _, name, rule in chosen)]
    listed = [text for text, _, _ in chosen]
    refused = refusal_of(lambda: conditions_from_texts(SMALL, listed))
    if refused is not None:
        assert "no value meets both conditions" in str(refused)
        assert kept == []
        return
    conditions = conditions_from_texts(SMALL, listed)
    assert len({each.column for each in conditions}) == len(conditions)
    assert [row for row in rows if all(holds(each, row[each.column]) for each in conditions)] == kept


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("pay>=1000", ("pay", between("1000", None))),
        ("pay <= 5000", ("pay", between(None, "5000"))),
        ("team=lab", ("team", "lab")),
        ("team == lab", ("team", "lab")),
        (" team = the lab ", ("team", "the lab")),
        ("team=a=b", ("team", "a=b")),
        ("team in lab,board", ("team", ["lab", "board"])),
        ('team IN "Lima, Peru", Oslo', ("team", ["Lima, Peru", "Oslo"])),
        ("pay between 1000 and 5000", ("pay", between("1000", "5000"))),
        ("net pay in EUR>=5", ("net pay in EUR", between("5", None))),
        ("net pay in EUR between 1 and 2", ("net pay in EUR", between("1", "2"))),
    ],
)
def test_conditions_are_written_in_five_ways(text: str, expected: tuple[str, Any]) -> None:
    assert parse_condition(text, STAFF) == expected


@pytest.mark.parametrize("text", ["", "pay", "pay>5", "=5", "pay=", "pay between 5", "team in", "pay=1\n2", 5])
def test_what_is_no_condition_is_refused_with_the_five_ways(text: Any, refused: "Refused") -> None:
    with refused(ParameterError, "where must be written as pay>=1000", "got"):
        parse_condition(text, STAFF)


def test_texts_are_refused_as_values_are(refused: "Refused") -> None:
    with refused(ParameterError, '"pay!": did you mean "pay"?'):
        conditions_from_texts(STAFF, ["pay!=5"])
    with refused(ParameterError, '"tema": did you mean "team"?'):
        conditions_from_texts(STAFF, ["tema=lab"])
    with refused(ParameterError, '"onko": did you mean "onco"?'):
        conditions_from_texts(STAFF, ["ward in cardio,onko"])
    with refused(ParameterError, "where of column 'team' must leave a value"):
        conditions_from_texts(STAFF, ["team=lab", "team=board"])
    with refused(ParameterError, "where of column 'pay' must leave a value"):
        conditions_from_texts(STAFF, ["pay>=5", "pay<=4"])


def test_conditions_by_different_descriptions_are_not_mixed(refused: "Refused") -> None:
    lab, number = Among("x", ("lab",), frozenset({0})), Between("x", None, Fraction(1))
    for pair in (
        [lab, number],
        [lab, Among("x", ("lab", "b"), frozenset({0}))],
        [number, Between("x", None, Fraction(1), days=True)],
    ):
        with refused(ParameterError, "one description"):
            intersect(pair)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("where", "told"),
    [
        ({}, ""),
        ({"team": "lab", "pay": between(1000, 5000)}, "team = 'lab' and pay between 1000 and 5000"),
        ({"team": ["board", "lab"]}, "team in 'lab', 'board'"),
        ({"level": 1}, "level = 1"),
        ({"smoker": True}, "smoker = True"),
        ({"pay": 5}, "pay = 5"),
        ({"pay": between("0.5", None)}, "pay >= 0.5"),
        ({"pay": between(None, "1/3")}, "pay <= 1/3"),
        ({"hired": between("2020-01-01", None)}, "hired >= 2020-01-01"),
        ({"hired": "2020-01-01"}, "hired = 2020-01-01"),
        ({"net pay in EUR": 5}, "'net pay in EUR' = 5"),
    ],
)
def test_words_tell_the_filter(where: Mapping[str, Any], told: str) -> None:
    assert words(conditions_of(STAFF, where)) == told


def test_words_stay_on_one_line_whatever_the_labels() -> None:
    odd = "a\nb\u2028\x85\x1b"
    assert not UNWRITABLE.search(words(conditions_of({odd: Category(odd, "b")}, {odd: odd})))
