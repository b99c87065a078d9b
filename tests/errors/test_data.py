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
    COLUMNS,
    GOOD_SCORES,
    QUESTIONS,
    ROWS,
    SECRET_NUMBER,
    SECRET_TEXT,
    good_columns,
)
from tests.errors.verdicts import ANSWERED, asked

READ = [(name, column) for name, question in QUESTIONS.items() for column in question.reads]
OF_TABLES = [name for name, question in QUESTIONS.items() if question.of_table]
IN_TABLES = [(name, column) for name, column in READ if QUESTIONS[name].of_table]
OF_SCORES = ["select", "top_k"]
FOR_DATA = (ANSWERED, "DataError", "EngineError")

Case = tuple[str, dict[str, Any]]


def judged(name: str, cases: Iterator[Case], allowed: tuple[str, ...] = FOR_DATA) -> None:
    found = []
    for what, arguments in cases:
        verdict = asked(QUESTIONS[name].ask, arguments)
        faults = [*verdict.faults, *([] if verdict.kind in allowed else ["is no error of the data"])]
        found += [f"{what}: {fault} [{verdict.kind}: {verdict.message}]" for fault in faults]
    assert not found, "\n".join(found)


def held(name: str, column: str, items: Any, **changed: Any) -> dict[str, Any]:
    """The arguments of a question with one column that is not as it should be."""
    return QUESTIONS[name].arguments({**good_columns(), column: items}, **changed)


@pytest.mark.parametrize(("name", "column"), READ)
def test_items_that_no_column_should_hold(name: str, column: str) -> None:
    def cases() -> Iterator[Case]:
        for number, (what, item) in enumerate(ITEMS.items()):
            for place, (holder, hold) in enumerate(HOLDERS.items()):
                if place == 0 or number % 3 == place - 1:
                    yield f"{what} ({holder})", held(name, column, hold(spoiled_items(column, item)))

    judged(name, cases())


REPLACED = {"adjacency": dampen.Adjacency.REPLACE}
REST = {"columns": COLUMNS | {"sex": dampen.Category("F", "M", "rest", other="rest", missing="other")}}
DROPPED = {
    "columns": COLUMNS
    | {
        "cost": dampen.Number(0, 100, missing="drop"),
        "ward": dampen.Category("a", "b", "c", missing="drop"),
        "sex": dampen.Category("F", "M", missing="drop"),
        "day": dampen.Date("2020-01-01", "2020-12-31", missing="drop"),
    }
}
OTHERWISE: list[tuple[str, dict[str, Any]]] = [
    ("percentile", {"method": "rank"}),
    ("percentile", {"method": "number"}),
    ("percentile", {"method": "label", "bounds": (0, 100), "step": None, **REPLACED}),
    ("mean", REPLACED),
    ("variance", REPLACED),
    ("release_group_members", {"method": "triode_h", "categories": ("F", "M", "other")}),
    ("Table.sum", DROPPED),
    ("Table.percentile", DROPPED),
    ("Table.most_common", DROPPED),
    ("Table.most_common", {"columns": COLUMNS | {"ward": dampen.Category("a", "b", other="b")}}),
    ("Table.release_group_members", {"method": "triode_h", **REST}),
    ("Table.by.count", {"consistent": True, **REPLACED}),
    ("Table.by.count", REST),
    ("Table.by.count", DROPPED),
    ("Table.by.mean", DROPPED | REPLACED),
    ("Table.by.median", REST | REPLACED),
    ("Table.by.most_common", DROPPED),
]


@pytest.mark.parametrize(("name", "changes"), OTHERWISE, ids=lambda value: value if isinstance(value, str) else "")
def test_items_in_questions_that_are_asked_otherwise(name: str, changes: dict[str, Any]) -> None:
    def cases() -> Iterator[Case]:
        yield "good", QUESTIONS[name].arguments(good_columns(), **changes)
        for column in QUESTIONS[name].reads:
            for what, item in ITEMS.items():
                yield f"{column} with {what}", held(name, column, spoiled_items(column, item), **changes)

    judged(name, cases())


PUBLIC = ("ill", "person")
"""The column of the filter; and the ids of people, which are public."""
FILTERED = [(name, column) for name, column in IN_TABLES if name.startswith("Table.") and column not in PUBLIC]


@pytest.mark.parametrize(("name", "column"), FILTERED)
def test_a_filter_does_not_decide_whether_data_are_refused(name: str, column: str) -> None:
    """An asker who chooses the filter would learn who has a missing or unreadable value."""
    columns, found = good_columns(), []
    for what, item in ITEMS.items():
        spoiled = [item() if ill else good for good, ill in zip(columns[column], columns["ill"], strict=True)]
        told = {}
        for ill in (True, False):
            where = {**QUESTIONS[name].public.get("where", {}), "ill": ill}
            told[ill] = asked(QUESTIONS[name].ask, held(name, column, spoiled, where=where))
        if told[True] != told[False]:
            found.append(f"{what}: {told[True]} | {told[False]}")
    assert not found, "\n".join(found)


@pytest.mark.parametrize(("name", "column"), READ)
def test_columns_of_strange_types(name: str, column: str) -> None:
    judged(name, ((what, held(name, column, make())) for what, make in TYPES.items()), NO_COLUMN)


NO_COLUMN = (*FOR_DATA, "ParameterError")
"""What is no column at all is an argument of the wrong type."""


@pytest.mark.parametrize("name", OF_TABLES)
def test_what_is_no_table(name: str) -> None:
    judged(name, ((what, QUESTIONS[name].arguments(make())) for what, make in NO_TABLES.items()), NO_COLUMN)


@pytest.mark.parametrize("name", OF_TABLES)
def test_frames(name: str) -> None:
    """Data frames of every library, whose columns hold nulls, or anything."""

    def cases() -> Iterator[Case]:
        for column in QUESTIONS[name].reads:
            missing = pl.when(pl.int_range(pl.len()) < BAD).then(None).otherwise(pl.col(column)).alias(column)
            frame = frame_of(good_columns()).with_columns(missing)
            for holder in (frame, frame.lazy(), frame.to_pandas(), frame.to_arrow()):
                yield f"{column} with nulls in {type(holder)}", QUESTIONS[name].arguments(holder)
            for what in ("raising", "list", "huge"):
                items = pd.Series(HOLDERS["array"](spoiled_items(column, ITEMS[what])), dtype=object)
                spoiled = pd.DataFrame(good_columns()).assign(**{column: items})
                yield f"{column} with {what}", QUESTIONS[name].arguments(spoiled)

    judged(name, cases())


@pytest.mark.parametrize("name", OF_TABLES)
def test_files(name: str, tmp_path: Path) -> None:
    def cases() -> Iterator[Case]:
        for how in list(CSV)[list(QUESTIONS).index(name) % 2 :: 2]:
            yield f"{how} (CSV)", QUESTIONS[name].arguments(spoiled_csv(tmp_path / "rows.csv", how))
        for how in ("cut", "text", "empty", "overwritten"):
            yield f"{how} (Parquet)", QUESTIONS[name].arguments(spoiled_parquet(tmp_path / "rows.parquet", how))

    judged(name, cases())


def relation(connection: duckdb.DuckDBPyConnection, column: str, what: str, folder: Path) -> duckdb.DuckDBPyRelation:
    path = folder / "good.parquet"
    if not path.exists():
        frame_of(good_columns()).with_row_index("n").write_parquet(path)
    return connection.read_parquet(str(path)).project(f"* replace ({SQL[what]} as {column})")


@pytest.mark.parametrize(("name", "column"), IN_TABLES)
def test_relations(name: str, column: str, tmp_path: Path) -> None:
    def cases() -> Iterator[Case]:
        with duckdb.connect() as connection:
            for what in SQL:
                yield what, QUESTIONS[name].arguments(relation(connection, column, what, tmp_path))
            closed = relation(connection, column, "text", tmp_path)
        yield "closed", QUESTIONS[name].arguments(closed)

    judged(name, cases())


@pytest.mark.parametrize(("name", "column"), IN_TABLES)
def test_tables_of_ibis(name: str, column: str, tmp_path: Path) -> None:
    ibis = pytest.importorskip("ibis")

    def cases() -> Iterator[Case]:
        backend = ibis.duckdb.connect()
        frame_of(good_columns()).with_row_index("n").write_parquet(tmp_path / "good.parquet")
        for what in ("lists", "failing late"):
            select = f"select * replace ({SQL[what]} as {column}) from read_parquet('{tmp_path}/good.parquet')"
            backend.raw_sql(f"create or replace view spoiled as {select}")
            yield what, QUESTIONS[name].arguments(backend.table("spoiled"))

    judged(name, cases())


@pytest.mark.parametrize("name", OF_SCORES)
def test_scores(name: str) -> None:
    def cases() -> Iterator[Case]:
        for what, item in ITEMS.items():
            yield f"{what} among wholes", QUESTIONS[name].arguments({**GOOD_SCORES, "a": item()})
            yield f"{what} among floats", QUESTIONS[name].arguments({"a": item(), "b": 0.5, "c": 1.5})
            candidates = {"candidates": ("a", "b", "c", "d")}
            yield f"{what} among candidates", QUESTIONS[name].arguments({**GOOD_SCORES, "a": item()}, **candidates)
            labels = HOLDERS["array"](["b", "c", item()])
            pairs = pd.Series([SECRET_NUMBER, 31, 0], index=pd.Index(labels, dtype=object))
            yield f"{what} as a label", QUESTIONS[name].arguments(pairs)
            yield f"{what} as a label, of candidates", QUESTIONS[name].arguments(pairs, **candidates)
        twice = pd.Series([SECRET_NUMBER, 1], index=[SECRET_TEXT, SECRET_TEXT])
        yield "a label twice", QUESTIONS[name].arguments(twice)

    judged(name, cases())


@pytest.mark.parametrize("name", OF_SCORES)
def test_what_holds_no_scores(name: str) -> None:
    everything = {**NO_TABLES, **TYPES}
    judged(name, ((what, QUESTIONS[name].arguments(make())) for what, make in everything.items()), NO_COLUMN)


def test_the_spoiled_columns_are_as_long_as_the_good_ones() -> None:
    assert len(spoiled_items("cost", ITEMS["None"])) == ROWS
