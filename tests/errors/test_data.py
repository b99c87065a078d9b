"""Whatever the data holds, it is counted or refused in a sentence that names a rule, and no argument is blamed."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import duckdb
import pandas as pd
import polars as pl
import pytest

import dampen
from tests.errors.data import (
    CSV,
    HOLDERS,
    ITEMS,
    NO_TABLES,
    SQL,
    TYPES,
    frame_of,
    spoiled_csv,
    spoiled_items,
    spoiled_parquet,
)
from tests.errors.questions import (
    BAD,
    GOOD_SCORES,
    QUESTIONS,
    ROWS,
    SECRET_NUMBER,
    SECRET_TEXT,
    arguments_of_columns,
    arguments_of_table,
    columns_read,
    functions,
    good_columns,
)
from tests.errors.verdicts import ANSWERED, asked

READ = [(name, column) for name in QUESTIONS for column in columns_read(name)]
OF_TABLES = [name for name, question in QUESTIONS.items() if question.data != "scores"]
OF_SCORES = [name for name, question in QUESTIONS.items() if question.data == "scores"]
FOR_DATA = (ANSWERED, "DataError", "EngineError")

Case = tuple[str, dict[str, Any]]


def judged(name: str, cases: Iterator[Case], allowed: tuple[str, ...] = FOR_DATA) -> None:
    found = []
    for what, arguments in cases:
        verdict = asked(functions()[name], arguments)
        faults = [*verdict.faults, *([] if verdict.kind in allowed else ["is no error of the data"])]
        found += [f"{what}: {fault} [{verdict.kind}: {verdict.message}]" for fault in faults]
    assert not found, "\n".join(found)


def held(name: str, column: str, items: Any, what: str) -> Iterator[Case]:
    """A column in a mapping, and as it is."""
    question, columns = QUESTIONS[name], {**good_columns(), column: items}
    if column in question.in_table:
        yield f"{what}, in a table", arguments_of_table(name, columns)
    if column in question.plain.values():
        yield f"{what}, as it is", arguments_of_columns(name, columns)


@pytest.mark.parametrize(("name", "column"), READ)
def test_items_that_no_column_should_hold(name: str, column: str) -> None:
    def cases() -> Iterator[Case]:
        for number, (what, item) in enumerate(ITEMS.items()):
            for place, (holder, hold) in enumerate(HOLDERS.items()):
                if place == 0 or number % 3 == place - 1:
                    yield from held(name, column, hold(spoiled_items(column, item)), f"{what} ({holder})")

    judged(name, cases())


REPLACED = {"adjacency": dampen.Adjacency.REPLACE}
OTHERWISE: list[tuple[str, dict[str, Any]]] = [
    ("percentile", {"method": "rank"}),
    ("percentile", {"method": "label", "bounds": (0, 100), "step": None, **REPLACED}),
    ("mean", REPLACED),
    ("total", {"missing": "drop"}),
    ("most_common", {"missing": "drop", "other": "drop"}),
    ("group_counts", {"consistent": True, **REPLACED}),
    ("group_counts", {"categories": ("a", "b", "other"), "missing": "other"}),
    ("group_by", {"method": "triode_h", "categories": ("F", "M", "other"), "missing": "other"}),
    ("group_percentiles", {"categories": ("F", "other"), "missing": "other", **REPLACED}),
]


@pytest.mark.parametrize(("name", "changes"), OTHERWISE, ids=lambda value: value if isinstance(value, str) else "")
def test_items_in_questions_that_are_asked_otherwise(name: str, changes: dict[str, Any]) -> None:
    def cases() -> Iterator[Case]:
        yield "good", arguments_of_columns(name, good_columns()) | changes
        for column in QUESTIONS[name].plain.values():
            for what, item in ITEMS.items():
                columns = {**good_columns(), column: spoiled_items(column, item)}
                yield what, arguments_of_columns(name, columns) | changes

    judged(name, cases())


@pytest.mark.parametrize(("name", "column"), READ)
def test_columns_of_strange_types(name: str, column: str) -> None:
    judged(name, (case for what, make in TYPES.items() for case in held(name, column, make(), what)), NO_COLUMN)


NO_COLUMN = (*FOR_DATA, "ParameterError")
"""What is no column at all is an argument of the wrong type."""


@pytest.mark.parametrize("name", OF_TABLES)
def test_what_is_no_table(name: str) -> None:
    judged(name, ((what, arguments_of_table(name, make())) for what, make in NO_TABLES.items()), NO_COLUMN)


@pytest.mark.parametrize("name", OF_TABLES)
def test_frames(name: str) -> None:
    """Data frames of every library, whose columns hold nulls, or anything."""

    def cases() -> Iterator[Case]:
        for column in columns_read(name):
            missing = pl.when(pl.int_range(pl.len()) < BAD).then(None).otherwise(pl.col(column)).alias(column)
            frame = frame_of(good_columns()).with_columns(missing)
            for holder in (frame, frame.lazy(), frame.to_pandas(), frame.to_arrow()):
                yield f"{column} with nulls in {type(holder)}", arguments_of_table(name, holder)
            for what in ("raising", "list", "huge"):
                items = pd.Series(HOLDERS["array"](spoiled_items(column, ITEMS[what])), dtype=object)
                spoiled = pd.DataFrame(good_columns()).assign(**{column: items})
                yield f"{column} with {what}", arguments_of_table(name, spoiled)

    judged(name, cases())


@pytest.mark.parametrize("name", OF_TABLES)
def test_files(name: str, tmp_path: Path) -> None:
    def cases() -> Iterator[Case]:
        for how in list(CSV)[list(QUESTIONS).index(name) % 2 :: 2]:
            yield f"{how} (CSV)", arguments_of_table(name, spoiled_csv(tmp_path / "rows.csv", how))
        for how in ("cut", "text", "empty", "overwritten"):
            yield f"{how} (Parquet)", arguments_of_table(name, spoiled_parquet(tmp_path / "rows.parquet", how))

    judged(name, cases())


def relation(connection: duckdb.DuckDBPyConnection, column: str, what: str, folder: Path) -> duckdb.DuckDBPyRelation:
    path = folder / "good.parquet"
    if not path.exists():
        frame_of(good_columns()).with_row_index("n").write_parquet(path)
    return connection.read_parquet(str(path)).project(f"* replace ({SQL[what]} as {column})")


@pytest.mark.parametrize(("name", "column"), READ)
def test_relations(name: str, column: str, tmp_path: Path) -> None:
    def cases() -> Iterator[Case]:
        with duckdb.connect() as connection:
            for what in SQL:
                yield what, arguments_of_table(name, relation(connection, column, what, tmp_path))
            closed = relation(connection, column, "text", tmp_path)
        yield "closed", arguments_of_table(name, closed)

    if column in QUESTIONS[name].in_table:
        judged(name, cases())


@pytest.mark.parametrize(("name", "column"), READ)
def test_tables_of_ibis(name: str, column: str, tmp_path: Path) -> None:
    ibis = pytest.importorskip("ibis")

    def cases() -> Iterator[Case]:
        backend = ibis.duckdb.connect()
        frame_of(good_columns()).with_row_index("n").write_parquet(tmp_path / "good.parquet")
        for what in ("lists", "failing late"):
            select = f"select * replace ({SQL[what]} as {column}) from read_parquet('{tmp_path}/good.parquet')"
            backend.raw_sql(f"create or replace view spoiled as {select}")
            yield what, arguments_of_table(name, backend.table("spoiled"))

    if column in QUESTIONS[name].in_table:
        judged(name, cases())


@pytest.mark.parametrize("name", OF_SCORES)
def test_scores(name: str) -> None:
    def cases() -> Iterator[Case]:
        for what, item in ITEMS.items():
            yield f"{what} among wholes", arguments_of_table(name, {**GOOD_SCORES, "a": item()})
            yield f"{what} among floats", arguments_of_table(name, {"a": item(), "b": 0.5, "c": 1.5})
            candidates = {"candidates": ("a", "b", "c", "d")}
            yield f"{what} among candidates", arguments_of_table(name, {**GOOD_SCORES, "a": item()}) | candidates
            labels = HOLDERS["array"](["b", "c", item()])
            pairs = pd.Series([SECRET_NUMBER, 31, 0], index=pd.Index(labels, dtype=object))
            yield f"{what} as a label", arguments_of_table(name, pairs)
            yield f"{what} as a label, of candidates", arguments_of_table(name, pairs) | candidates
        twice = pd.Series([SECRET_NUMBER, 1], index=[SECRET_TEXT, SECRET_TEXT])
        yield "a label twice", arguments_of_table(name, twice)

    judged(name, cases())


@pytest.mark.parametrize("name", OF_SCORES)
def test_what_holds_no_scores(name: str) -> None:
    judged(name, ((what, arguments_of_table(name, make())) for what, make in {**NO_TABLES, **TYPES}.items()), NO_COLUMN)


def test_the_spoiled_columns_are_as_long_as_the_good_ones() -> None:
    assert len(spoiled_items("cost", ITEMS["None"])) == ROWS
