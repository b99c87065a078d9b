"""Sources: conditions in any number, and what columns must hold, in all rows whichever of them are meant."""

from collections.abc import Callable
from datetime import date
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Any

import duckdb
import polars as pl
import pytest

from dampen.describe.conditions import Among, Between
from dampen.errors import DataError, ParameterError
from dampen.tables import as_grid, count_categories, count_on_grid
from dampen.tables.counts import is_filtered, total
from dampen.tables.day_grid import day_grid
from dampen.tables.engines import Reading, Source, open_engine
from dampen.tables.engines.arrays import ArrayEngine
from dampen.tables.engines.base import Faulty
from dampen.tables.engines.duckdb import DuckEngine
from dampen.tables.groups import (
    GroupColumn,
    categories_by_groups,
    count_groups,
    grids_by_groups,
    rows_by_groups,
    total_by_group,
)

if TYPE_CHECKING:
    from tests.conftest import Refused

ROWS: dict[str, list[Any]] = {
    "age": [31, 35, 52, None],
    "team": ["a", "b", "a", "c"],
    "day": [date(2024, 1, 1), date(2024, 2, 2), date(2024, 3, 3), None],
    "word": ["1", "2", "cocoa", "3"],
    "year": [2023, 2023, 2024, 2024],
}
"""The rows of 2023 are without fault."""
CLEAN = Among("year", (2023, 2024), frozenset({0}))
TEAMS = ("a", "b")


def outside(where: Any = (CLEAN,), **readings: Reading) -> Source:
    return Source(ROWS, where, readings=readings)


def test_a_mapping_is_turned_into_conditions() -> None:
    inner = Source(ROWS, {"team": "a"}, column="age", readings={"age": Reading()})
    both = Source(inner, {"year": 2023}, readings={"team": Reading(("a",))})
    assert both.where == (Among("team", ("a",), frozenset({0})), Among("year", (2023,), frozenset({0})))
    assert [*both.readings] == ["age", "team"]
    assert (both.column, both.data) == ("age", ROWS)
    assert Source(inner, [CLEAN]).where == (inner.where[0], CLEAN)
    assert Source(Source(ROWS, {"team": "a"}), {"team": "b"}).where[1].column == "team"
    with open_engine(Source(Source(ROWS, {"team": "a"}), {"team": "b"})) as engine:
        assert engine.row_count() == 0
    assert is_filtered(both)
    assert not is_filtered(Source(ROWS, ()))


WRONG: list[tuple[Any, str]] = [
    ({}, "where must be columns and a value each"),
    ("", "where must be columns and a value each"),
    ([CLEAN, "team"], "where must be columns and a value each"),
    ({1: 2}, "where must be columns and a value each"),
    ({"team": None}, "where must give one value that is not missing; got None"),
    ({"team": ["a"]}, "where must give one value that is not missing; got a list"),
    ([Between("age", None, Fraction(2**62 + 1))], "the ends of a range must be below 2**62 in size; got "),
    ([Between("age", Fraction(-(2**63)), None)], "the ends of a range must be below 2**62 in size; got "),
]


@pytest.mark.parametrize(("where", "said"), WRONG, ids=lambda part: str(part)[:30])
def test_wrong_filters_are_refused(where: Any, said: str, refused: "Refused") -> None:
    with refused(ParameterError, said):
        Source(ROWS, where)


AGE, DAY, TEAM = Reading(), Reading(days=True), Reading(TEAMS)
FAULTS: list[tuple[str, Reading, str]] = [
    ("age", AGE, "column 'age' must have no missing values; leave them out with missing='drop' (--missing drop)"),
    ("day", DAY, "column 'day' must have no missing values"),
    ("day", AGE, "column 'day' must hold numbers"),
    ("word", AGE, "column 'word' must hold numbers"),
    ("word", DAY, "column 'word' must hold days or moments"),
    ("team", TEAM, "column 'team' must hold only the declared categories; the one named by other= takes the rest"),
]


@pytest.mark.parametrize(("name", "reading", "said"), FAULTS, ids=lambda part: str(part)[:40])
@pytest.mark.parametrize("where", [(CLEAN,), (), (CLEAN, Between("age", Fraction(0), None))], ids=["one", "no", "two"])
def test_whether_data_are_refused_depends_on_all_rows(
    name: str, reading: Reading, said: str, where: Any, refused: "Refused"
) -> None:
    """The same sentence, whatever is filtered, and nothing of the data in it."""
    with refused(DataError, said, hidden=("cocoa", "2024", "'c'")), open_engine(outside(where, **{name: reading})):
        pass


def test_what_is_allowed_is_no_fault() -> None:
    allowed = {
        "age": Reading(missing=True),
        "day": Reading(days=True, missing=True),
        "team": Reading(TEAMS, other=True),
        "word": Reading(other=True),
    }
    with open_engine(outside(**allowed)) as engine:
        assert engine.row_count() == 2


Ask = Callable[[Source], Any]
GRID, DAYS = as_grid(range(121)), day_grid(date(2024, 1, 1), date(2024, 12, 31), "month")
BY_YEAR = [GroupColumn("year", (2023, 2024))]
ASKS: dict[str, tuple[Ask, str, Reading, str]] = {
    "grid": (lambda data: count_on_grid(data, GRID, column="age"), "age", AGE, "no missing"),
    "days": (lambda data: count_on_grid(data, DAYS, column="day"), "day", DAY, "no missing"),
    "no number": (lambda data: count_on_grid(data, GRID, column="word"), "word", AGE, "hold numbers"),
    "no day": (lambda data: count_on_grid(data, DAYS, column="word"), "word", DAY, "hold days"),
    "sum": (lambda data: total(data, (0, 9), column="word"), "word", AGE, "hold numbers"),
    "sum of some": (lambda data: total(data, (0, 9), column="age"), "age", AGE, "no missing"),
    "categories": (lambda data: count_categories(data, TEAMS, column="team"), "team", TEAM, "declared categories"),
    "groups": (lambda data: count_groups(data, TEAMS, column="team"), "team", TEAM, "declared categories"),
    "grids of groups": (lambda data: grids_by_groups(data, GRID, BY_YEAR, column="age"), "age", AGE, "no missing"),
    "choices of groups": (
        lambda data: categories_by_groups(data, TEAMS, BY_YEAR, column="team"), "team", TEAM, "declared categories",
    ),
    "sums of groups": (lambda data: total_by_group(data, (0, 9), BY_YEAR, column="word"), "word", AGE, "hold numbers"),
    "groups themselves": (
        lambda data: rows_by_groups(data, [GroupColumn("team", TEAMS)]), "team", TEAM, "declared categories",
    ),
    "groups of grids": (
        lambda data: grids_by_groups(data, GRID, [GroupColumn("team", TEAMS)], column="year"), "team", TEAM,
        "declared categories",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", ASKS)
def test_a_fault_that_was_not_there_means_that_the_data_changed(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A filter that lets all rows through, and a first scan that saw nothing."""
    ask, column, reading, said = ASKS[name]
    whole = Among("year", (2023, 2024), frozenset({0, 1}))
    with pytest.raises(DataError, match=said):
        ask(outside((), **{column: reading}))
    with pytest.raises(DataError, match=said):
        ask(Source(ROWS, (whole,)))
    with pytest.raises(DataError, match=said):
        ask(outside((whole,), **{column: reading}))
    monkeypatch.setattr(ArrayEngine, "faulty", lambda self, readings: Faulty(frozenset(), frozenset()))
    with pytest.raises(DataError, match="the data must not change while it is counted"):
        ask(outside((whole,), **{column: reading}))
    allowed = Reading(reading.labels, reading.days, missing=True, other=True)
    with pytest.raises(DataError, match=said):
        ask(outside((whole,), **{column: allowed}))


@pytest.mark.parametrize("kind", [ArrayEngine, DuckEngine])
def test_no_scan_of_its_own_where_the_counting_sees_all_rows(
    kind: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    frame = pl.DataFrame({"age": [1, 2], "team": ["a", "b"]})
    data: Any = frame
    if kind is DuckEngine:
        data = tmp_path / "t.parquet"
        frame.write_parquet(data)
    asked, faulty = [], kind.faulty

    def look(self: Any, readings: Any) -> Any:
        asked.append([*readings])
        return faulty(self, readings)

    monkeypatch.setattr(kind, "faulty", look)
    readings = {"age": Reading(), "team": Reading(("a", "b"))}
    by = [GroupColumn("team", ("a", "b"))]
    assert count_on_grid(Source(data, readings={"age": Reading()}), range(3), column="age").n == 2
    assert [each.count for each in total_by_group(Source(data, readings=readings), (0, 9), by, column="age")] == [1, 1]
    assert asked == []
    assert count_on_grid(Source(data, readings=readings), range(3), column="age").n == 2
    assert asked == [["team"]]
    assert count_on_grid(Source(data, {"team": "a"}, readings=readings), range(3), column="age").n == 1
    assert asked == [["team"], ["age", "team"]]


def test_one_scan_looks_at_all_columns_of_a_relation() -> None:
    with duckdb.connect() as connection:
        data = connection.sql("select i as a, 'x' as b, null::date as c from range(5) t(i)")
        readings = {"a": Reading(), "b": Reading(("x",)), "c": Reading(days=True, missing=True)}
        asked = []
        fetch = DuckEngine.fetch

        def look(self: Any, query: str, **tables: Any) -> Any:
            asked.append(query)
            return fetch(self, query, **tables)

        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(DuckEngine, "fetch", look)
            with open_engine(Source(data, {"b": "x"}, readings=readings)) as engine:
                assert len(asked) == 1
                assert engine.row_count() == 5
