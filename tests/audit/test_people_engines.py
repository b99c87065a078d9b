"""Every question of tables with a person, through every engine: the same counts on all small tables.

The joint law of an answer is a function of what an engine counts (``PersonShares``, or one number for each person) and
of public things: nothing after that knows which engine it was. ``test_people.py`` audits that law exactly, through
arrays. So it is enough that all other engines count the same as arrays on all tables of those audits: at most three
persons with at most three rows each. What is asked for is overheard from the questions themselves.

DuckDB, and ibis on it, are asked table by table (the latter about two persons with two rows each). ibis on DuckDB and
Spark are asked about all tables by one query for each question, in which the table is one more group
(``many_tables.py``).
"""

import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any
from unittest.mock import patch

import duckdb
import numpy as np
import polars as pl
import pytest

from dampen import Adjacency, Budget, Release, Table
from dampen.audit import multisets
from dampen.front import people, per_person
from dampen.tables.engines import Source, ibis_people, open_engine
from dampen.tables.engines.base import PersonAsk
from dampen.tables.engines.ibis import IbisEngine
from dampen.tables.engines.shares import celled_shares
from dampen.tables.people_counts import person_shares, person_values
from tests.audit.many_tables import count_each
from tests.audit.people import People, PeopleAudit, few_limits, persons
from tests.audit.test_people import CHOSEN, COLUMNS, EXACT, KINDS, TOTALS
from tests.contracts.engines import lying

QUESTIONS: dict[str, Callable[[Table], Release]] = {
    **EXACT,
    **CHOSEN,
    **TOTALS,
    "signed group sums": lambda table: table.by("g").sum("s", epsilon=1),
}
SIGNED = {("a", 0): -1, ("a", 2): 2, ("b", 2): 0}
"""The signed number of each kind of row."""
NAMES = ("g", "v", "s")
pytestmark = pytest.mark.filterwarnings("ignore::dampen.errors.CutOffWarning")
Count = Callable[[Any], Any]
"""An engine in, what it counts out, as plain numbers."""


@dataclass(frozen=True)
class Counting:
    """What a question counts, and of which rows."""

    count: Count
    where: tuple[Any, ...] = ()

    def __call__(self, data: Any) -> Any:
        with open_engine(Source(data, self.where)) as engine:
            return self.count(engine)

    def each(self, data: Any, tables: int) -> list[Any]:
        """Of each table, by one query."""
        with open_engine(Source(data, self.where)) as engine:
            assert isinstance(engine, IbisEngine)
            return count_each(engine, self.count, tables)


def overheard_counting() -> dict[str, Counting]:
    """What all questions ask engines for, each once."""
    found: dict[str, Counting] = {}
    asked: list[Any] = []
    shares, values = person_shares, person_values

    def hear_shares(data: Any, ask: PersonAsk, **more: Any) -> Any:
        _note(found, asked, name, ("shares", ask, data.where), lambda engine: plainly(engine.person_shares(ask)))
        return shares(data, ask, **more)

    def hear_values(data: Any, person: str, amount: Any, *, how: str, **more: Any) -> Any:
        asking = ("values", amount, how)
        _note(found, asked, name, asking, lambda engine: _listed(engine.person_values(person, amount, how)))
        return values(data, person, amount, how=how, **more)

    with (
        few_limits(),
        patch.object(people, "person_shares", hear_shares),
        patch.object(per_person, "person_values", hear_values),
        warnings.catch_warnings(action="ignore"),
    ):
        for name in QUESTIONS:
            audit = PeopleAudit(QUESTIONS[name], NAMES, COLUMNS, Adjacency.ADD_REMOVE)
            QUESTIONS[name](audit.table((), Budget(epsilon=1)))
    return found


def _note(found: dict[str, Counting], asked: list[Any], name: str, asking: Any, count: Count) -> None:
    if asking not in asked:
        asked.append(asking)
        found[name] = Counting(count, tuple(asking[2]) if asking[0] == "shares" else ())


def plainly(found: Any) -> Any:
    """All that was counted of persons, as plain numbers."""
    below = None if found.negative is None else plainly(found.negative)
    return found.people, found.above, found.cells.tolist(), found.weights.tolist(), below


def _listed(found: Any) -> Any:
    return [part.tolist() for part in found]


def all_tables(people: int, rows: int) -> list[People]:
    return list(multisets(persons(KINDS, rows), largest=people))


def rows_of(tables: Sequence[People]) -> pl.DataFrame:
    """The rows of all tables, and which table each is of; persons of different tables have different names."""
    listed = [
        (number, f"p{place} of {number}", *row, SIGNED[row])
        for number, table in enumerate(tables)
        for place, person in enumerate(table)
        for row in person
    ]
    kinds = {"table": pl.Int64, "who": pl.String, "g": pl.String, "v": pl.Int64, "s": pl.Int64}
    return pl.DataFrame(listed, schema=kinds, orient="row")


def tables_by_engine(form: str, everything: pl.DataFrame) -> Callable[[int], Any]:
    """A table by its number, where an engine finds it."""
    if form == "duckdb":
        connection = duckdb.connect()
        connection.register("everything", everything.to_arrow())
        connection.execute("create table held as from everything")
        return lambda number: connection.sql(f'select * from held where "table" = {number}')
    connection = pytest.importorskip("ibis").duckdb.connect()
    held = connection.create_table("held", everything.to_arrow())
    return lambda number: held.filter(held["table"] == number)


def mismatches(form: str, tables: Sequence[People], counted: dict[str, Counting]) -> Iterator[tuple[str, People]]:
    everything = rows_of(tables)
    table_of = tables_by_engine(form, everything)
    parts = everything.partition_by("table", as_dict=True)
    for number, table in enumerate(tables):
        own = parts.get((number,), everything.clear())
        here = {name: own[name].to_list() for name in own.columns}
        for name, count in counted.items():
            if count(table_of(number)) != count(here):
                yield name, table


COUNTED = overheard_counting()


def test_questions_ask_for_many_different_counts() -> None:
    assert len(COUNTED) >= 12


@pytest.mark.parametrize("name", ["group histograms", "signed sum", "group sums", "maximum"])
@pytest.mark.parametrize("form", ["duckdb", "ibis"])
def test_a_few_tables(form: str, name: str) -> None:
    few = [table for table in all_tables(2, 2) if len(table) == 2][5:35:15]
    assert [*mismatches(form, few, {name: COUNTED[name]})] == []


@pytest.mark.long
@pytest.mark.parametrize("name", COUNTED)
def test_all_tables_of_three_persons_with_three_rows_each_through_duckdb(name: str) -> None:
    tables = all_tables(3, 3)
    assert len(tables) == 1540
    assert [*mismatches("duckdb", tables, {name: COUNTED[name]})] == []


@pytest.mark.long
@pytest.mark.parametrize("name", COUNTED)
def test_all_tables_of_two_persons_with_two_rows_each_through_ibis(name: str) -> None:
    assert [*mismatches("ibis", all_tables(2, 2), {name: COUNTED[name]})] == []


def arrays_of(tables: Sequence[People]) -> Iterator[dict[str, list[Any]]]:
    """Table by table, in memory."""
    everything = rows_of(tables)
    parts = everything.partition_by("table", as_dict=True)
    for number in range(len(tables)):
        own = parts.get((number,), everything.clear())
        yield {name: own[name].to_list() for name in own.columns}


def together(form: str, tables: Sequence[People], folder: Path) -> Any:
    """All tables in one, where an engine finds it."""
    if form == "spark":
        return lying(rows_of(tables), form, folder)
    return pytest.importorskip("ibis").duckdb.connect().create_table("held", rows_of(tables).to_arrow())


def mismatches_together(form: str, tables: Sequence[People], names: Iterable[str], folder: Path) -> list[Any]:
    """Of all these counts of all tables, those which are not the ones of arrays."""
    data, alone = together(form, tables, folder), [*arrays_of(tables)]
    return [
        (name, table)
        for name in names
        for table, own, found in zip(tables, alone, COUNTED[name].each(data, len(tables)), strict=True)
        if found != COUNTED[name](own)
    ]


@pytest.mark.parametrize("name", ["signed sum", "maximum", "filtered", "signed group sums"])
def test_tables_of_two_persons_together(name: str, tmp_path: Path) -> None:
    """Spark is asked in ``contracts/test_people_engines.py``, where it has a session in every run."""
    assert mismatches_together("ibis", all_tables(2, 2), [name], tmp_path) == []


@pytest.mark.long
@pytest.mark.parametrize("name", COUNTED)
@pytest.mark.parametrize("form", ["ibis", "spark"])
def test_all_tables_of_three_persons_together(form: str, name: str, tmp_path: Path) -> None:
    assert mismatches_together(form, all_tables(3, 3), [name], tmp_path) == []


def test_persons_of_one_name_in_two_tables_are_told_apart() -> None:
    """The table is a group of its own: it does not follow from the name of a person."""
    rows = [(number, "ann", "a", 2, 0) for number in (0, 0, 2)]
    frame = pl.DataFrame(rows, schema=["table", "who", "g", "v", "s"], orient="row")
    held = pytest.importorskip("ibis").duckdb.connect().create_table("held", frame.to_arrow())
    assert [people for people, *_ in COUNTED["count"].each(held, 3)] == [1, 0, 1]
    assert [row for *_, [row], _ in COUNTED["count"].each(held, 3)] == [[1, 2, 2], [0, 0, 0], [1, 1, 1]]


def test_one_row_too_many_in_one_table_is_found(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    def lenient(found: Any, cells: Any, weights: Any, ask: PersonAsk) -> Any:
        return celled_shares(found, cells, [[weight + (weight == 6) for weight in column] for column in weights], ask)

    monkeypatch.setattr(ibis_people, "celled_shares", lenient)
    few = all_tables(2, 2)[20:40]
    assert 0 < len(mismatches_together("ibis", few, ["group histograms"], tmp_path)) < len(few)


def test_an_engine_that_counts_one_row_too_many_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    from dampen.tables.engines import duckdb as engine_module

    counted = engine_module.DuckEngine.person_shares

    def lenient(self: Any, ask: PersonAsk) -> Any:
        found = counted(self, ask)
        return replace(found, weights=np.where(found.weights > 1, found.weights + 1, found.weights))

    monkeypatch.setattr(engine_module.DuckEngine, "person_shares", lenient)
    few = all_tables(1, 2)
    assert [*mismatches("duckdb", few, {"group histograms": COUNTED["group histograms"]})] != []
