"""Whether data are refused depends on all rows of the columns that take part, never on ``where`` or ``by``.

Whoever may choose the rows would otherwise learn for nothing who has a missing or an odd value. So one such value is
put into every cell of a small table in turn, and every question is asked of it with every filter and grouping: it is
refused if a column takes part that holds the value, wherever it stands, and answered if none does.
"""

import csv
from collections.abc import Callable, Iterable, Iterator
from itertools import product
from pathlib import Path
from typing import Any

import pytest

from dampen import Adjacency, Budget, Category, Date, Flag, Number, Release, Table, between
from dampen.errors import DataError
from dampen.tables.engines import sources
from tests.audit.joint import overheard

ROWS: dict[str, list[Any]] = {
    "v": [1, 4, 9],
    "g": ["a", "b", "a"],
    "f": ["true", "false", "false"],
    "d": ["2020-01-01", "2021-05-05", "2020-01-03"],
    "id": ["ann", "bob", "cid"],
}
STRICT: dict[str, Any] = {
    "v": Number(0, 10, step=1),
    "g": Category("a", "b"),
    "f": Flag(),
    "d": Date("2020-01-01", "2022-12-31", step="year"),
}
LENIENT: dict[str, Any] = {
    "v": Number(0, 10, step=1, missing="drop"),
    "g": Category("a", "b", "rest", other="rest", missing="other"),
    "f": Flag(missing="drop"),
    "d": Date("2020-01-01", "2022-12-31", step="year", missing="drop"),
}
"""Missing values are allowed everywhere, and odd ones among the groups."""
MISSING, ODD = None, "?"

Ask = Callable[[Any], Release]
ASKED: dict[str, tuple[Ask, str]] = {
    "count": (lambda table: table.count(epsilon=1), ""),
    "sum": (lambda table: table.sum("v", epsilon=1), "v"),
    "mean": (lambda table: table.mean("v", epsilon=1), "v"),
    "variance": (lambda table: table.variance("v", epsilon=1), "v"),
    "median": (lambda table: table.median("v", epsilon=1), "v"),
    "median of days": (lambda table: table.median("d", epsilon=1), "d"),
    "percentile": (lambda table: table.percentile("v", 90, epsilon=1, method="rank"), "v"),
    "percentile as a number": (lambda table: table.percentile("v", 90, epsilon=1, method="number"), "v"),
    "percentiles": (lambda table: table.percentiles("v", (25, 75), epsilon=1), "v"),
    "histogram": (lambda table: table.histogram("v", epsilon=1), "v"),
    "histogram of days": (lambda table: table.histogram("d", epsilon=1), "d"),
    "histogram of labels": (lambda table: table.histogram("g", epsilon=1), "g"),
    "most_common": (lambda table: table.most_common("f", epsilon=1), "f"),
    "top_categories": (lambda table: table.top_categories("g", 1, epsilon=1), "g"),
    "release_group_members": (
        lambda table: table.release_group_members("id", "g", public=["v", "f", "d"], epsilon=1),
        "g",
    ),
}
"""Every question, and the column that it is about."""
NOT_BY_GROUP = ("variance", "histogram of labels", "top_categories", "release_group_members")
FILTERS: dict[str, dict[str, Any]] = {
    "no filter": {},
    "a label": {"g": "a"},
    "the other label": {"g": "b"},
    "a set": {"g": {"a", "b"}},
    "a flag": {"f": True},
    "a range": {"v": between(3, 5)},
    "days": {"d": between("2020-01-01", "2020-12-31")},
    "two columns": {"g": "a", "v": between(None, 5)},
}
GROUPS: tuple[tuple[str, ...], ...] = ((), ("g",), ("f",), ("g", "f"))


def purse() -> Budget:
    """It takes the losses of both adjacencies."""
    return Budget(epsilon=10**9, adjacency=Adjacency.REPLACE)


def spoil(column: str, row: int, value: Any) -> dict[str, list[Any]]:
    rows = {name: list(cells) for name, cells in ROWS.items()}
    rows[column][row] = value
    return rows


def outcome(table: Table, ask: Ask, where: dict[str, Any], by: tuple[str, ...]) -> str:
    """What the error says; nothing where there is an answer."""
    asked = table.where(where) if where else table
    try:
        ask(asked.by(*by) if by else asked)
    except DataError as error:
        return str(error)
    return ""


def questions(columns: Iterable[tuple[str, ...]] = GROUPS) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Every question with every grouping that it may have."""
    for (name, (_, column)), by in product(ASKED.items(), columns):
        if not by or (name not in NOT_BY_GROUP and column not in by):
            yield name, by


def involved(name: str, where: dict[str, Any], by: tuple[str, ...]) -> set[str]:
    return {ASKED[name][1], *where, *by} - {""}


every = pytest.mark.parametrize("step", [3, pytest.param(1, marks=pytest.mark.long)], ids=["some", "all"])
"""Every third pair of a question and a filter is asked by default: there are eight filters, so each meets many."""


@every
@pytest.mark.parametrize(("column", "value"), [*product("vgfd", (MISSING, ODD))], ids=str)
def test_refusals_in_memory_know_all_rows_and_nothing_else(column: str, value: Any, step: int) -> None:
    said: dict[Any, set[str]] = {}
    with overheard():
        for row in range(3):
            table = Table(spoil(column, row, value), columns=STRICT, budget=purse())
            for (name, by), (title, where) in [*product(questions(), FILTERS.items())][::step]:
                if name == "release_group_members" and "g" in where:
                    continue  # refused by the description alone
                told = outcome(table, ASKED[name][0], where, by)
                assert bool(told) is (column in involved(name, where, by)), (name, by, title, row, told)
                said.setdefault((name, by, title), set()).add(told)
    assert all(len(told) == 1 for told in said.values()), "nor does the error tell in which row it is"
    assert all(repr(column) in text for told in said.values() for text in told if text)


IN_FILES = ("count", "sum", "variance", "median of days", "most_common", "top_categories", "release_group_members")
"""One question for each way in which a file is read."""
OUTSIDE = [("v", MISSING), ("v", ODD), ("g", MISSING), ("g", ODD), ("f", ODD), ("d", MISSING)]


@pytest.mark.parametrize("step", [2, pytest.param(1, marks=pytest.mark.long)], ids=["some", "all"])
@pytest.mark.parametrize(("column", "value"), OUTSIDE, ids=str)
def test_refusals_in_files_know_all_rows_and_nothing_else(column: str, value: Any, step: int, tmp_path: Path) -> None:
    """The same through DuckDB, with fewer filters: each of them leaves one row alone."""
    with overheard():
        for row in (0, 1):
            path = tmp_path / f"rows{row}.csv"
            write(path, spoil(column, row, value))
            table = Table(str(path), columns=STRICT, budget=purse())
            asked = [(name, by) for name, by in questions([(), ("g",)]) if name in IN_FILES]
            for (name, by), title in [*product(asked, ("no filter", "the other label", "a range"))][row % step :: step]:
                where = FILTERS[title]
                if name == "release_group_members" and "g" in where:
                    continue
                told = outcome(table, ASKED[name][0], where, by)
                assert bool(told) is (column in involved(name, where, by)), (name, by, title, row, told)


def write(path: Path, rows: dict[str, list[Any]]) -> None:
    with path.open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(rows)
        writer.writerows(
            [["" if cell is None else cell for cell in record] for record in zip(*rows.values(), strict=True)]
        )


@every
@pytest.mark.parametrize("column", "vgfd")
@pytest.mark.parametrize("value", [MISSING, ODD], ids=str)
def test_what_a_description_allows_is_refused_nowhere(column: str, value: Any, step: int) -> None:
    refused = column != "g" and value is ODD
    with overheard():
        table = Table(spoil(column, 1, value), columns=LENIENT, budget=purse())
        for (name, by), where in [*product(questions(), FILTERS.values())][::step]:
            if name == "release_group_members":
                continue  # nobody can be left out of it
            told = outcome(table, ASKED[name][0], where, by)
            assert bool(told) is (refused and column in involved(name, where, by))


@pytest.mark.parametrize("by", [("g",), ("f", "g")], ids=str)
def test_a_row_that_is_in_no_group_is_looked_at_too(by: tuple[str, ...]) -> None:
    """Its group is missing and dropped; its number is odd."""
    columns = STRICT | {"g": Category("a", "b", missing="drop")}
    rows = spoil("g", 1, MISSING) | {"v": [1, ODD, 9]}
    table = Table(rows, columns=columns, budget=purse())
    with overheard():
        for name, (ask, column) in ASKED.items():
            if column == "v" and name not in NOT_BY_GROUP:
                told = {outcome(table, ask, where, by) for where in FILTERS.values()}
                assert len(told) == 1
                assert told.pop()


# A planted fault


def test_looking_at_the_meant_rows_alone_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sources, "_require_readings", lambda engine, readings: None)
    with pytest.raises(AssertionError):
        test_refusals_in_memory_know_all_rows_and_nothing_else("v", MISSING, 3)
