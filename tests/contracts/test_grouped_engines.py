"""Questions about groups, and graphs, of any kind of table: the same counts and the same people everywhere."""

from collections import Counter
from fractions import Fraction
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import dampen
from dampen import Category, Flag, Number
from dampen.errors import DataError
from dampen.learn import PrivateTreeClassifier, Schema
from dampen.tables import as_grid
from dampen.tables.engines import Source, open_engine
from dampen.tables.groups import GroupColumn, categories_by_groups, grids_by_groups, total_by_group
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


CITIES = ("Oslo", "Bonn", "Lima, Peru")


@pytest.mark.parametrize("form", EVERY)
def test_values_of_each_group(form: str, tmp_path: Path) -> None:
    data = lying(FRAME, form, tmp_path)
    for kept, rows in ((data, FRAME), (Source(data, {"sick": True}), FRAME.filter(pl.col("sick")))):
        for by in (GroupColumn("city", CITIES), GroupColumn("city", ("Bonn", "Turin", "rest"), rest=2)):
            found = grids_by_groups(kept, GRID, [by], column="pay")
            told = [dict(zip(each.places.tolist(), each.counts.tolist(), strict=True)) for each in found]
            assert told == by_hand(by.labels, rows), by
    kinds, sick = ("yes", "no", "perhaps"), GroupColumn("sick", (False, True))
    for group, counts in zip(sick.labels, categories_by_groups(data, kinds, [sick], column="kind"), strict=True):
        rows = FRAME.filter(pl.col("sick") == group)
        assert counts.tolist() == [rows["kind"].to_list().count(kind) for kind in kinds]


@pytest.mark.parametrize("least", [0, 2**17], ids=["streamed where it may be", "by query"])
@pytest.mark.parametrize("form", EVERY)
def test_sums_of_each_group(form: str, least: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """To the last bit: values beside points of a grid, beyond the bounds, infinite and tiny ones."""
    monkeypatch.setattr("dampen.tables.engines.duck_stream.MANY_ROWS", least)
    data, low, high = lying(FRAME, form, tmp_path), Fraction(-1, 3), Fraction(2)
    for kept, rows in ((data, FRAME), (Source(data, {"sick": True}), FRAME.filter(pl.col("sick")))):
        found = total_by_group(kept, (low, high), [GroupColumn("city", CITIES)], column="pay")
        for city, total in zip(CITIES, found, strict=True):
            pay = rows.filter(pl.col("city") == city)["pay"].to_list()
            held = [low if one < low else high if one > high else Fraction(one) for one in pay]
            assert (total.count, total.sum) == (len(held), sum(held))


COLUMNS: dict[str, Any] = {
    "pay": Number(-1, 2, step="0.1"),
    "age": Number(-50, 60),
    "kind": Category("yes", "no", "rest", other="rest"),
    "city": Category(*CITIES),
    "sick": Flag(),
}
SURE = 10**6


@pytest.mark.parametrize("form", EVERY)
def test_questions_about_groups(form: str, tmp_path: Path) -> None:
    purse = dampen.Budget(epsilon=100 * SURE)
    asked = dampen.Table(lying(FRAME, form, tmp_path), columns=COLUMNS, budget=purse).where(city="Oslo").by("kind")
    kept = FRAME.filter(pl.col("city") == "Oslo").with_columns(pl.col("age").clip(-50, 60))
    parts = {"rest": kept.filter(~pl.col("kind").is_in(["yes", "no"]))}
    parts |= {group: kept.filter(pl.col("kind") == group) for group in ("yes", "no")}
    medians = asked.median("age", epsilon=SURE)
    winners = asked.most_common("sick", epsilon=SURE)
    sums, sizes = asked.sum("age", epsilon=SURE).value, asked.count(epsilon=SURE).value
    means = asked.mean("age", epsilon=SURE).value
    for group, rows in parts.items():
        ages, sick = sorted(rows["age"].to_list()), rows["sick"].to_list()
        assert medians[group] == ages[len(ages) // 2]
        assert sick.count(winners[group].value) == max(map(sick.count, (True, False)))
        assert (sums[group], sizes[group]) == (sum(ages), len(ages))
        assert means[group] == pytest.approx(sum(ages) / len(ages), abs=0.1)


@pytest.mark.parametrize("form", EVERY)
def test_people_of_each_group(form: str, tmp_path: Path) -> None:
    columns: dict[str, Any] = {
        "team": Category("a", "b", "rest", other="rest", missing="other"),
        "year": Number(2000, 2030),
    }
    asked = dampen.Table(lying(PEOPLE, form, tmp_path), columns=columns, budget=dampen.Budget(epsilon=2 * SURE))
    told = asked.where(year=2024).release_group_members("who", "team", public=["year"], epsilon=SURE).value
    assert {group: names.tolist() for group, names in told.items()} == {
        "a": ["ann"],
        "b": ["bob", "fay"],
        "rest": ["dee", "eve"],
    }


@pytest.mark.parametrize("form", EVERY)
def test_predictions(form: str, tmp_path: Path) -> None:
    """Row by row, so in the order of the rows; of numbers, truth values and texts, of which one is not declared."""
    attributes: dict[str, Any] = {
        "pay": Number(-2, 2, bins=4),
        "sick": Category([False, True]),
        "city": Category(["Oslo", "Bonn"]),
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
    make: Any = dampen.Graph.from_file if isinstance(data, str | Path) else dampen.Graph.from_frame
    ends_of: dict[str, Any] = {"src": "a", "dst": "b", "nodes": 30}
    graph = make(data, **ends_of)
    part = dampen.Graph.from_frame(Source(data, {"kind": "other"}), **ends_of)
    price: dict[str, Any] = {"epsilon": 10**5, "budget": dampen.Budget(epsilon=10**6)}
    assert part.top_nodes(1, **price) == (3,)
    assert graph.count("edge", **price) == 37
    assert part.count("edge", **price) == 8
    if form != "spark":
        assert graph.top_nodes(1, **price) == (0,)


def test_rows_that_move_between_the_parts_of_a_listed_grid_are_noticed() -> None:
    """Ibis counts such a grid part by part; a row that is elsewhere by then would count twice."""
    import ibis

    connection = ibis.duckdb.connect()
    connection.raw_sql("create table moving as select i as v, 'a' as g from range(30) t(i)")
    listed = as_grid([*range(20), 21.5])
    with open_engine(connection.table("moving")) as engine, pytest.MonkeyPatch.context() as patch:
        patch.setattr("dampen.tables.engines.ibis.CHUNK", 8)
        assert engine.histogram("v", listed)[1].sum() == 30
        assert engine.counts_by_group("v", listed, [("g", ("a",))])[:, 2].sum() == 30
        kind: Any = type(engine)
        fetch, asked, by = kind.fetch, [], [("g", ("a",))]

        def add_a_row(self: Any, *asks: Any) -> Any:
            asked.append(connection.raw_sql("insert into moving values (1, 'a')"))
            return fetch(self, *asks)

        patch.setattr(kind, "fetch", add_a_row)
        for count in (lambda: engine.histogram("v", listed), lambda: engine.counts_by_group("v", listed, by)):
            with pytest.raises(DataError, match="must not change while it is counted"):
                count()
    assert len(asked) >= 4
