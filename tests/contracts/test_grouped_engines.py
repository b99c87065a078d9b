"""Questions about groups, and graphs, of any kind of table: the same counts and the same people everywhere."""

from collections import Counter
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import dampen
from dampen.errors import DataError
from dampen.learn import Categorical, Numeric, PrivateTreeClassifier, Schema
from dampen.tables import as_grid
from dampen.tables.engines import Source, open_engine
from dampen.tables.groups import categories_by_group, grids_by_group
from tests.contracts.engines import EVERY, lying, table

FRAME = table(400)
GRID = as_grid(bounds=(-1, 2), step="0.1")
POINTS = [float(point) for point in GRID]
PEOPLE = pl.DataFrame(
    {
        "who": ["ann", "bob", "cid", "dee", "eve", "fay"],
        "team": ["a", "b", "a", "x", None, "b"],
        "year": [2024, 2024, 2023, 2024, 2024, 2024],
    }
)


def place(value: float) -> int:
    """The last grid point not above a value, one by one."""
    return max((spot for spot, point in enumerate(POINTS) if point <= value), default=0)


def by_hand(groups: tuple[str, ...], frame: pl.DataFrame) -> list[dict[int, int]]:
    """The counts of each group, row by row; whoever is in none is in the last."""
    counts = [Counter[int]() for _ in groups]
    for city, pay in frame.select("city", "pay").iter_rows():
        counts[groups.index(city) if city in groups else len(groups) - 1][place(pay)] += 1
    return [dict(each) for each in counts]


@pytest.mark.parametrize("form", EVERY)
def test_values_of_each_group(form: str, tmp_path: Path) -> None:
    data = lying(FRAME, form, tmp_path)
    for kept, rows in ((data, FRAME), (Source(data, {"sick": True}), FRAME.filter(pl.col("sick")))):
        for labels in (("Oslo", "Bonn", "Lima, Peru"), ("Bonn", "Turin", "other")):
            found = grids_by_group(kept, GRID, labels, column="pay", by="city")
            told = [dict(zip(each.places.tolist(), each.counts.tolist(), strict=True)) for each in found]
            assert told == by_hand(labels, rows), labels
    kinds = ("yes", "no", "perhaps")
    for group, counts in zip((False, True), categories_by_group(data, kinds, (False, True), column="kind", by="sick"),
                             strict=True):  # fmt: skip
        rows = FRAME.filter(pl.col("sick") == group)
        assert counts.tolist() == [rows["kind"].to_list().count(kind) for kind in kinds]


@pytest.mark.parametrize("form", EVERY)
def test_questions_about_groups(form: str, tmp_path: Path) -> None:
    data, sure = lying(FRAME, form, tmp_path), {"epsilon": 10**6, "budget": dampen.Budget(epsilon=10**7)}
    kept = FRAME.filter(pl.col("city") == "Oslo")
    asked: dict[str, Any] = {"categories": ("yes", "no", "other"), "where": {"city": "Oslo"}, **sure}
    medians = dampen.group_percentiles(data, "kind", 50, column="age", grid=range(-50, 61), **asked)
    winners = dampen.group_most_common(data, "kind", column="sick", choices=(True, False), **asked)
    for group in ("yes", "no"):
        ages = sorted(kept.filter(pl.col("kind") == group)["age"].clip(-50, 60).to_list())
        assert medians[group] == ages[len(ages) // 2]
        sick = kept.filter(pl.col("kind") == group)["sick"].to_list()
        assert sick.count(winners[group]) == max(map(sick.count, (True, False)))


@pytest.mark.parametrize("form", EVERY)
def test_people_of_each_group(form: str, tmp_path: Path) -> None:
    told = dampen.group_by(
        lying(PEOPLE, form, tmp_path), "team", column="who", categories=("a", "b", "other"), where={"year": 2024},
        missing="other", epsilon=10**6, budget=dampen.Budget(epsilon=10**6),
    )  # fmt: skip
    assert {group: names.tolist() for group, names in told.items()} == {
        "a": ["ann"],
        "b": ["bob", "fay"],
        "other": ["dee", "eve"],
    }


@pytest.mark.parametrize("form", EVERY)
def test_predictions(form: str, tmp_path: Path) -> None:
    """Row by row, so in the order of the rows; of numbers, truth values and texts, of which one is not declared."""
    attributes: dict[str, Any] = {
        "pay": Numeric(-2, 2, bins=4),
        "sick": Categorical([False, True]),
        "city": Categorical(["Oslo", "Bonn"]),
    }
    schema, rows = Schema(attributes, classes=["no", "perhaps", "yes"]), FRAME.filter(pl.col("pay").is_finite())
    known = rows.filter(pl.col("city") != "Lima, Peru")
    model = PrivateTreeClassifier(10**6, 3, schema=schema, budget=dampen.Budget(epsilon=10**6)).fit(known, "kind")
    data = lying(rows, form, tmp_path)
    assert len({*model.predict(rows)}) > 1
    assert model.predict(data).tolist() == model.predict(rows).tolist()
    kept = model.predict(Source(data, {"sick": True})).tolist()
    assert kept == model.predict(rows.filter(pl.col("sick"))).tolist()


@pytest.mark.parametrize("form", EVERY)
def test_graphs(form: str, tmp_path: Path) -> None:
    """Two stars and a triangle, told apart by a public column."""
    ends = [(0, leaf, "star") for leaf in range(1, 30)] + [(3, leaf, "other") for leaf in range(4, 9)]
    ends += [(10, 11, "other"), (11, 12, "other"), (12, 10, "other")]
    data = lying(pl.DataFrame(ends, schema=["a", "b", "kind"], orient="row"), form, tmp_path)
    asked: dict[str, Any] = {
        "src": "a",
        "dst": "b",
        "nodes": 30,
        "epsilon": 10**5,
        "budget": dampen.Budget(epsilon=10**6),
    }
    assert dampen.top_nodes(data, 1, where={"kind": "other"}, **asked) == (3,)
    assert dampen.count_subgraphs(data, "edge", **asked).value == 37
    assert dampen.count_subgraphs(data, "edge", where={"kind": "other"}, **asked).value == 8
    if form != "spark":
        assert dampen.top_nodes(data, 1, **asked) == (0,)


def test_rows_that_move_between_the_parts_of_a_listed_grid_are_noticed() -> None:
    """Ibis counts such a grid part by part; a row that is elsewhere by then would count twice."""
    import ibis

    connection = ibis.duckdb.connect()
    connection.raw_sql("create table moving as select i as v, 'a' as g from range(3000) t(i)")
    listed = as_grid([*range(2000), 2001.5])
    with open_engine(connection.table("moving")) as engine:
        assert engine.histogram("v", listed)[1].sum() == 3000
        assert engine.counts_by_group("v", listed, "g", ("a",))[:, 2].sum() == 3000
        kind: Any = type(engine)
        fetch, asked = kind.fetch, []

        def add_a_row(self: Any, *asks: Any) -> Any:
            asked.append(connection.raw_sql("insert into moving values (1, 'a')"))
            return fetch(self, *asks)

        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(kind, "fetch", add_a_row)
            for count in (lambda: engine.histogram("v", listed), lambda: engine.counts_by_group("v", listed, "g", "a")):
                with pytest.raises(DataError, match="must not change while it is counted"):
                    count()
    assert len(asked) >= 4
