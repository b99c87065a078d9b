"""Groups of several columns: every combination of labels, rows in one group at most, refusals by all rows."""

from datetime import date
from fractions import Fraction
from random import Random
from typing import TYPE_CHECKING, Any

import pytest

from dampen.errors import DataError, ParameterError
from dampen.tables import as_grid
from dampen.tables.day_grid import day_grid
from dampen.tables.engines import Source
from dampen.tables.groups import (
    GroupColumn,
    categories_by_groups,
    count_of_groups,
    grids_by_groups,
    rows_by_groups,
    total_by_group,
)

if TYPE_CHECKING:
    from tests.conftest import Refused

TEAM = GroupColumn("team", ("a", "b", "rest"), 2, "other")
SITE = GroupColumn("site", (1, 2), None, "drop")
SHIFT = GroupColumn("shift", (False, True))
BY = [TEAM, SITE, SHIFT]


def records(rng: Random, size: int) -> list[dict[str, Any]]:
    return [
        {
            "team": rng.choice(["a", "b", "x", "rest", None]),
            "site": rng.choice([1, 2, None]),
            "shift": rng.choice([True, False]),
            "pay": rng.choice([1.5, -3.0, 10**6, 0.1, None]),
            "drink": rng.choice(["tea", "milk", "rum", None]),
            "day": rng.choice([date(2024, 1, 31), date(2023, 12, 1), date(2025, 1, 1), None]),
        }
        for _ in range(size)
    ]


def group_of(record: dict[str, Any]) -> int | None:
    """Worked out by hand: the first column slowest."""
    if record["site"] is None:
        return None
    team = {"a": 0, "b": 1}.get(record["team"], 2)
    return (team * 2 + int(record["site"]) - 1) * 2 + int(record["shift"])


def as_table(rows: list[dict[str, Any]]) -> dict[str, list[Any]]:
    return {name: [row[name] for row in rows] for name in ("team", "site", "shift", "pay", "drink", "day")}


@pytest.mark.parametrize("seed", range(8))
def test_every_row_counts_once_at_most(seed: int) -> None:
    rows = records(Random(seed), 60)
    table, groups = as_table(rows), [(group_of(row), row) for row in rows]
    found = rows_by_groups(table, BY)
    assert found.tolist() == [sum(own == group for own, _ in groups) for group in range(12)]
    totals = total_by_group(table, (0, 100), BY, column="pay", missing="drop")
    grids = grids_by_groups(table, as_grid([0.0, 0.25, 2.0]), BY, column="pay", missing="drop")
    months = day_grid(date(2024, 1, 1), date(2024, 12, 31), "month")
    days = grids_by_groups(table, months, BY, column="day", missing="drop")
    drinks = categories_by_groups(table, ("tea", "milk", "?"), BY, column="drink", missing="drop", rest=2)
    for group in range(12):
        own = [row for place, row in groups if place == group]
        pays = [Fraction(min(max(row["pay"], 0), 100)) for row in own if row["pay"] is not None]
        assert (totals[group].count, totals[group].sum) == (len(pays), sum(pays))
        places = [sum(pay >= point for point in (0.25, 2)) for pay in pays]
        told = dict(zip(grids[group].places.tolist(), grids[group].counts.tolist(), strict=True))
        assert told == {place: places.count(place) for place in {*places}}
        months_of = [{2024: 0, 2023: 0, 2025: 11}[row["day"].year] for row in own if row["day"] is not None]
        told = dict(zip(days[group].places.tolist(), days[group].counts.tolist(), strict=True))
        assert told == {place: months_of.count(place) for place in {*months_of}}
        kinds = [row["drink"] for row in own if row["drink"] is not None]
        assert drinks[group].tolist() == [kinds.count("tea"), kinds.count("milk"), kinds.count("rum")]


def test_missing_choices_may_go_to_the_rest() -> None:
    table = {"v": ["tea", None, "rum"], "g": [1, 1, 2]}
    by = [GroupColumn("g", (1, 2))]
    found = categories_by_groups(table, ("tea", "?"), by, column="v", missing="other", rest=1)
    assert [each.tolist() for each in found] == [[1, 1], [0, 1]]


def test_a_source_may_name_the_column() -> None:
    source = Source({"v": [1, None, 3], "g": ["a", "a", "b"]}, column="v", missing="drop")
    found = total_by_group(source, (0, 9), [GroupColumn("g", ("a", "b"))])
    assert [(each.count, int(each.sum)) for each in found] == [(1, 1), (1, 3)]


def test_no_rows_and_no_groups_that_occur() -> None:
    table: dict[str, list[Any]] = {"v": [], "g": []}
    by = [GroupColumn("g", ("a", "b"))]
    assert rows_by_groups(table, by).tolist() == [0, 0]
    assert [each.count for each in total_by_group(table, (0, 9), by, column="v")] == [0, 0]
    assert [each.n for each in grids_by_groups(table, as_grid(range(9)), by, column="v")] == [0, 0]


FAULTS: list[tuple[dict[str, list[Any]], str]] = [
    ({"v": [1, 2], "g": ["a", "c"], "f": [1, 1]}, "column 'g' must hold only the declared categories"),
    ({"v": [1, 2], "g": ["a", None], "f": [1, 1]}, "column 'g' must have no missing values"),
    ({"v": [1, "x"], "g": ["a", "a"], "f": [1, 1]}, "column 'v' must hold numbers"),
    ({"v": [1, None], "g": ["a", "a"], "f": [1, 1]}, "column 'v' must have no missing values"),
    ({"v": [1, "x"], "g": ["a", "a"], "f": [1, None]}, "column 'v' must hold numbers"),
    ({"v": [1, None], "g": ["a", "a"], "f": [1, None]}, "column 'v' must have no missing values"),
    ({"v": [1, 2], "g": ["a", "c"], "f": [1, None]}, "column 'g' must hold only the declared categories"),
]


@pytest.mark.parametrize(("table", "said"), FAULTS, ids=lambda part: str(part)[-40:])
def test_rows_in_no_group_are_refused_too(table: dict[str, list[Any]], said: str, refused: "Refused") -> None:
    by = [GroupColumn("g", ("a", "b")), GroupColumn("f", (1,), missing="drop")]
    with refused(DataError, said, hidden=("x", "'c'")):
        total_by_group(table, (0, 9), by, column="v")
    with refused(DataError, said, hidden=("x", "'c'")):
        grids_by_groups(table, as_grid(range(9)), by, column="v")


def test_a_column_that_holds_no_days(refused: "Refused") -> None:
    days = day_grid(date(2024, 1, 1), date(2024, 1, 2), "day")
    with refused(DataError, "column 'v' must hold days or moments"):
        grids_by_groups({"v": [1], "g": ["a"]}, days, [GroupColumn("g", ("a",))], column="v")


def test_wrong_groups_are_refused(refused: "Refused") -> None:
    table = {"v": [1], "g": ["a"]}
    by = GroupColumn("g", ("a",))
    for wrong in ([], [by, by]):
        with refused(ParameterError, "groups must be given by at least one column, and by each one once"):
            rows_by_groups(table, wrong)
    with refused(ParameterError, "column must be another one than those of the groups; got 'g'"):
        total_by_group(table, (0, 1), [by], column="g")
    with refused(ParameterError, "column must be another one than those of the groups; got None"):
        total_by_group(table, (0, 1), [by])
    with refused(ParameterError, "column must be one of the columns of the data; got 'h'"):
        rows_by_groups(table, [GroupColumn("h", ("a",))])
    with refused(ParameterError, "missing must be one of 'refuse', 'drop', 'other'; got 'keep'"):
        GroupColumn("g", ("a",), missing="keep")
    with refused(ParameterError, "missing='other' needs a category that takes them"):
        GroupColumn("g", ("a",), missing="other")
    many = [GroupColumn(name, tuple(range(1001))) for name in "gv"]
    assert count_of_groups(many) == 1001**2
    with refused(ParameterError, "groups must be at most 1000000 together; got 1002001"):
        rows_by_groups(table, many)


def test_columns_of_unequal_length_are_refused(refused: "Refused") -> None:
    by = [GroupColumn("g", ("a",))]
    with refused(DataError, "all columns must have equally many rows"):
        total_by_group({"v": [1, 2], "g": ["a"]}, (0, 1), by, column="v")
    with refused(DataError, "all columns must have equally many rows"):
        rows_by_groups({"f": [1, 1], "g": ["a"]}, [*by, GroupColumn("f", (1,))])
