"""Only the statistic leaves an engine: rows that come out are counted, and never exceed its size."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import dampen
from dampen import Category, Flag, Number
from dampen.learn import PrivateClassifier, PrivateTreeClassifier, Schema
from dampen.tables import as_grid, count_categories, count_on_grid
from dampen.tables.counts import total
from dampen.tables.engines import Source, open_engine
from dampen.tables.engines.duck_stream import stream_pairs
from dampen.tables.engines.duckdb import DuckEngine
from dampen.tables.groups import GroupColumn, categories_by_groups, grids_by_groups, total_by_group
from dampen.tables.people import read_people
from tests.contracts.engines import SPARK, lying, table

FRAME = table(3000).with_columns(pl.col("pay").clip(-5, 5))
SCHEMA = Schema(
    {
        "city": Category(["Oslo", "Bonn", "Lima, Peru"]),
        "pay": Number(-5, 5, bins=4),
        "sick": Category([False, True]),
    },
    classes=["no", "perhaps", "yes"],
)
WIDTH, KINDS = 3 + 4 + 2, 3
HELD: list[Any] = ["parquet", "relation", "ibis", SPARK]


@pytest.fixture
def left(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[int]]:
    """How many rows each query let out."""
    counted: list[int] = []

    def watched(fetch: Callable[..., Any]) -> Callable[..., Any]:
        def watching(*arguments: Any, **tables: Any) -> Any:
            rows = fetch(*arguments, **tables)
            counted.append(max((len(column) for column in rows.values()), default=0))
            return rows

        return watching

    monkeypatch.setattr(DuckEngine, "fetch", watched(DuckEngine.fetch))

    def stream_watched(unfetched: Any) -> Any:
        batches = stream_pairs(unfetched)
        counted.append(sum(len(batch[0]) for batch in batches or ()))
        return batches

    monkeypatch.setattr("dampen.tables.engines.duckdb.stream_pairs", stream_watched)
    try:
        from dampen.tables.engines.ibis import IbisEngine
    except ImportError:
        pass
    else:
        monkeypatch.setattr(IbisEngine, "fetch", watched(IbisEngine.fetch))
        stream = IbisEngine._stream

        def watching(engine: Any, expression: Any) -> Any:
            batches = stream(engine, expression)
            counted.append(sum(len(batch[0]) for batch in batches))
            return batches

        monkeypatch.setattr(IbisEngine, "_stream", watching)
    yield counted
    assert counted, "nothing was counted by an engine"


@pytest.mark.parametrize("form", HELD)
def test_questions(form: str, left: list[int], tmp_path: Path) -> None:
    data = lying(FRAME, form, tmp_path)
    count_on_grid(data, range(-5, 6), column="pay")
    assert left.pop() <= 11
    total(data, ("0.001", 5), column="pay")
    assert left.pop() == 1
    count_categories(data, ["Oslo"], column="city", other="drop")
    assert left.pop() <= 3
    with open_engine(data) as engine:
        engine.row_count()
    assert left == [1]


TEAMS = GroupColumn("city", ("Oslo", "Bonn", "rest"), rest=2)


@pytest.mark.parametrize("form", HELD)
def test_all_groups_are_one_query(form: str, left: list[int], tmp_path: Path) -> None:
    data = Source(lying(FRAME, form, tmp_path), {"sick": True})
    grids_by_groups(data, as_grid(range(-5, 6)), [TEAMS], column="pay")
    assert len(left) == 1
    assert left.pop() <= 11 * len(FRAME["city"].unique())
    categories_by_groups(data, ("no", "perhaps", "yes"), [TEAMS], column="kind")
    assert len(left) == 1
    assert left.pop() <= KINDS * len(FRAME["city"].unique())
    total_by_group(data, ("0.001", 5), [TEAMS], column="pay")
    assert len(left) == 1
    assert left[0] <= len(FRAME["city"].unique())


COLUMNS: dict[str, Any] = {
    "pay": Number("0.25", 5, step="0.25"),  # floats of more digits than that take a second scan
    "kind": Category("no", "perhaps", "yes"),
    "city": Category("Oslo", "Bonn", "rest", other="rest"),
    "sick": Flag(),
}


@pytest.mark.parametrize("form", ["csv", "glob", "loaded", *HELD])
def test_answers_for_each_group_read_the_data_once(form: str, left: list[int], tmp_path: Path) -> None:
    """A filter takes a second scan: whether data are refused depends on all rows."""
    asked = dampen.Table(lying(FRAME, form, tmp_path), columns=COLUMNS, budget=dampen.Budget(epsilon=20))
    for part, scans in ((asked, 1), (asked.where(sick=True), 2)):
        groups: Any = part.by("city")
        for question, column in (("mean", "pay"), ("median", "pay"), ("most_common", "kind")):
            left.clear()
            getattr(groups, question)(column, epsilon=1)
            assert len(left) == scans
        left.clear()
        groups.count(epsilon=1)
        assert len(left) == scans


@pytest.mark.parametrize("form", HELD)
def test_graphs_and_people_are_rows_but_only_those_that_are_meant(form: str, left: list[int], tmp_path: Path) -> None:
    """Places of the two ends of every edge that a filter leaves; ids and groups of the people that it leaves."""
    rows = FRAME.with_row_index("id").with_columns(end=pl.col("id") // 2, id=pl.col("id").cast(pl.Int64))
    data, kept = lying(rows.with_columns(pl.col("end").cast(pl.Int64)), form, tmp_path), int(FRAME["sick"].sum())
    dampen.Graph.from_frame(Source(data, {"sick": True}), src="id", dst="end", nodes=3000)
    assert left == [kept]
    if form in ("parquet", "relation"):
        people = read_people(Source(data, {"sick": True}), ("Oslo", "Bonn"), id="id", by="city")
        assert left == [kept, kept]
        assert [len(column) for column in people] == [kept, kept]


@pytest.mark.parametrize("form", HELD)
def test_a_tree_is_one_grouped_query_a_level(form: str, left: list[int], tmp_path: Path) -> None:
    model = PrivateTreeClassifier(10**6, 3, schema=SCHEMA, budget=dampen.Budget(epsilon=10**6))
    model.fit(lying(FRAME, form, tmp_path), "kind")
    assert len(left) == 1 + 3
    assert left[0] <= KINDS
    for level, rows in enumerate(left[1:]):
        assert rows <= 4**level * WIDTH * KINDS
    here = PrivateTreeClassifier(10**6, 3, schema=SCHEMA, budget=dampen.Budget(epsilon=10**6)).fit(FRAME, "kind")
    assert model.model_ == here.model_


def test_a_tree_of_rows_in_memory(tmp_path: Path) -> None:
    """Numbers are read without edges by the scan that sees to the schema, and with them by the levels."""

    def fitted(data: Any) -> Any:
        budget = dampen.Budget(epsilon=10**6)
        return PrivateTreeClassifier(10**6, 3, schema=SCHEMA, budget=budget).fit(data, "kind").model_

    assert fitted(lying(FRAME, "loaded", tmp_path)) == fitted(FRAME)
    assert fitted(Source(FRAME, {"sick": True})) == fitted(FRAME.filter(pl.col("sick")))


def test_a_file_that_changes_after_it_was_seen_to(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A row without a place must not stand at another's: one such row would hide all rows there."""
    from dampen.errors import ReleaseFailed

    path, seen = tmp_path / "rows.parquet", DuckEngine.faults

    def faults(engine: DuckEngine, table: Any) -> Any:
        found = seen(engine, table)
        FRAME.with_columns(city=pl.lit("secret4711")).write_parquet(path)
        return found

    monkeypatch.setattr(DuckEngine, "faults", faults)
    FRAME.write_parquet(path)
    budget = dampen.Budget(epsilon=2)
    with pytest.raises(ReleaseFailed) as caught:
        PrivateTreeClassifier(1, 3, schema=SCHEMA, budget=budget).fit(path, "kind")
    assert "4711" not in str(caught.value)
    assert budget.spent.epsilon == 1


@pytest.mark.parametrize("form", HELD)
def test_a_decision_table(form: str, left: list[int], tmp_path: Path) -> None:
    def fitted(data: Any) -> PrivateClassifier:
        budget = dampen.Budget(epsilon=10**5)
        return PrivateClassifier(10**5, SCHEMA, budget, kind="table", expected_records=4 if form == "spark" else 1).fit(
            data, "kind"
        )

    model = fitted(lying(FRAME, form, tmp_path))
    tests, cells = 3 + 3 + 1, 2**6
    assert max(left) <= cells * KINDS * (WIDTH + 1) ** 2
    assert len(model.model_.tests) in (tests, 2, 4, 6)
    assert sum(map(sum, model.model_.counts)) == len(FRAME)


def test_a_forest_says_what_it_takes(tmp_path: Path) -> None:
    from dampen.errors import ParameterError
    from dampen.learn import PrivateForestClassifier

    forest = PrivateForestClassifier(1, 4, schema=SCHEMA, budget=dampen.Budget(epsilon=1))
    with pytest.raises(ParameterError, match="a forest draws a tree for every row here"):
        forest.fit(lying(FRAME, "relation", tmp_path), "kind")
    assert forest.fit(lying(FRAME, "parquet", tmp_path), "kind").predict(FRAME).shape == (3000,)


@pytest.mark.parametrize("form", ["csv", "parquet", "glob", "loaded", "relation", "ibis"])
def test_tables_that_break_the_schema_are_refused_before_payment(form: str, tmp_path: Path) -> None:
    from dampen.errors import DampenError

    budget = dampen.Budget(epsilon=1)
    data = lying(FRAME, form, tmp_path)
    narrow = Schema({**SCHEMA.attributes, "city": Category(["Oslo", "Bonn"])}, SCHEMA.classes)
    for schema, target, rule in (
        (narrow, "kind", "column 'city' must hold only the declared values"),
        (Schema(SCHEMA.attributes, ["no", "yes"]), "kind", "target must hold only the declared classes"),
        (Schema({"kind": Number(0, 1)}, ["no", "yes"]), "city", "column 'kind' must hold"),
        (SCHEMA, "nowhere", "'nowhere'"),
        (SCHEMA, "city", "the target must not be an attribute"),
        (Schema.any(0, 1, 2, classes="public"), "kind", "schema must name its attributes"),
    ):
        with pytest.raises(DampenError, match=rule):
            PrivateTreeClassifier(1, 2, schema=schema, budget=budget).fit(data, target)
    with pytest.raises(DampenError, match="y must be the name of the column"):
        PrivateTreeClassifier(1, 2, schema=SCHEMA, budget=budget).fit(data, FRAME["kind"].to_list())
    assert budget.spent.epsilon == 0
