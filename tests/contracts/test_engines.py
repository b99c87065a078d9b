"""Every engine counts the same: integers equal on the same rows, at and one ulp beside grid points too."""

from datetime import date
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import dampen
from dampen.describe.conditions import Among
from dampen.graphs.graph import Graph
from dampen.mechanisms import PermuteAndFlip
from dampen.queries import percentile_value_problem
from dampen.tables import GridCounts, as_grid, count_categories, count_on_grid
from dampen.tables.counts import total
from dampen.tables.engines import Bins, Bits, CodedTable, Labels, Route, Source, open_engine
from dampen.tables.pair_counts import Block
from tests.contracts.engines import EVERY, lying, table

ROWS = 1200
FRAME = table(ROWS)
GRIDS: dict[str, Any] = {
    "tenths": as_grid(bounds=(-1, 2), step="0.1"),
    "sevenths": as_grid(bounds=(0, 10), bins=7),
    "whole": as_grid(range(-31, 40, 4)),
    "very many": as_grid(range(-(10**15), 10**15, 7)),
    "listed reals": as_grid([-1e300, -(2.0**53), -0.5, 0.1, 0.3, 2.0**53, 2.0**62, 1e300]),
    "listed wholes": as_grid([-(2**60), -3, 0, 1, 2, 2**53, 2**53 + 1]),
}
SPARK_GRIDS = ("tenths", "very many", "listed reals")
"""A job of Spark takes its time, so it gets one grid of each kind."""
CODED = CodedTable(
    {
        "city": Labels(("Oslo", "Bonn"), other=1),
        "pay": Bins(-100.0, 1.5, (-0.5, 0.1, 0.3, 1.2)),
        "sick": Labels((False, True)),
        "age": Bins(-50.0, 60.0, tuple(float(edge) for edge in range(-40, 60, 9))),
    },
    "kind",
    Labels(("no", "perhaps", "yes")),
)
TREE = Route(0, (Route(1, (0, 1, -1, 1, 2)), Route(2, (-1, 3))))
BITS = Bits(((1, (0, 1, 2)), (0, (1,)), (2, (1,))))


@pytest.fixture(scope="module")
def lies(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """The rows in every form, made when they are first asked for."""
    return {"folder": tmp_path_factory.mktemp("engines")}


def rows_in(form: str, lies: dict[str, Any]) -> Any:
    if form not in lies:
        folder = lies["folder"] / form
        folder.mkdir()
        lies[form] = lying(FRAME, form, folder)
    return lies[form]


def expected_counts(column: str, grid: str) -> GridCounts:
    return count_on_grid(FRAME[column].to_list(), GRIDS[grid])


@pytest.mark.parametrize("column", ["pay", "age"])
@pytest.mark.parametrize("form", EVERY)
def test_histograms(form: str, column: str, lies: dict[str, Any]) -> None:
    data = rows_in(form, lies)
    for grid in SPARK_GRIDS if form == "spark" else GRIDS:
        assert count_on_grid(data, GRIDS[grid], column=column) == expected_counts(column, grid), grid


@pytest.mark.parametrize("form", EVERY)
def test_sums_and_categories_and_rows(form: str, lies: dict[str, Any]) -> None:
    data = rows_in(form, lies)
    bounds = ("0.001", 700) if form == "spark" else ("-2.5", 700)
    assert total(data, bounds, column="pay") == total(FRAME["pay"].to_list(), bounds)
    assert total(data, (-(2**61), 2**61), column="age") == total(FRAME["age"].to_list(), (-(2**61), 2**61))
    cities = ("Lima, Peru", "Oslo")
    counted = count_categories(data, cities, column="city", other="drop")
    assert counted.tolist() == [FRAME["city"].to_list().count(city) for city in cities]
    with open_engine(data) as engine:
        assert engine.row_count() == ROWS


@pytest.mark.parametrize("form", EVERY)
def test_public_filters(form: str, lies: dict[str, Any]) -> None:
    kept = FRAME.filter((pl.col("city") == "Oslo") & pl.col("sick"))
    data = Source(rows_in(form, lies), {"city": "Oslo", "sick": True})
    assert count_on_grid(data, GRIDS["tenths"], column="pay") == count_on_grid(kept["pay"].to_list(), GRIDS["tenths"])
    seven = Source(rows_in(form, lies), {"age": 7})
    with open_engine(seven, "age") as engine:
        assert engine.row_count() == int((FRAME["age"] == 7).sum())


@pytest.mark.parametrize("form", EVERY)
def test_tables_of_attributes_and_classes(form: str, lies: dict[str, Any]) -> None:
    tree, cells = CODED.with_route(TREE, 4), CODED.with_route(BITS, 8)
    with open_engine(FRAME) as judge, open_engine(rows_in(form, lies), *CODED.attributes, "kind") as engine:
        found, expected = engine.faults(CODED), judge.faults(CODED)
        assert found.columns == expected.columns == ("pay",)
        assert found.classes.tolist() == expected.classes.tolist()
        assert (engine.contingency(_finite(tree)) == by_hand(TREE, 4)).all()
        assert (engine.class_counts(_finite(tree)) == by_hand(TREE, 4)[:, :2].sum(axis=1)).all()
        assert (engine.class_counts(_finite(cells)) == by_hand(BITS, 8)[:, :2].sum(axis=1)).all()
        pairs = [_joints(each, _finite(cells)) for each in (engine, judge)]
        assert (pairs[0] == pairs[1]).all()


def _finite(coded: CodedTable) -> CodedTable:
    """Without the attribute that two rows break."""
    kept = {name: coding for name, coding in coded.attributes.items() if name != "pay"}
    moved = {0: 0, 2: 1}
    if isinstance(coded.route, Bits):
        tests = tuple((moved[one], places) for one, places in coded.route.tests if one in moved)
        return CodedTable(kept, coded.target, coded.classes, Bits(tests), 2 ** len(tests))
    return CodedTable(kept, coded.target, coded.classes, Route(0, (0, Route(1, (-1, 3)))), 4)


def by_hand(route: Any, nodes: int) -> Any:
    """Counts by node, place and class, row by row."""
    sizes, kinds = (2, 2, 13), ("no", "perhaps", "yes")
    counts = np.zeros((4, sum(sizes), 3), dtype=np.int64)
    for city, sick, age, kind in FRAME.select("city", "sick", "age", "kind").iter_rows():
        place = 0 if city == "Oslo" else 1
        clamped = min(max(age, -50), 60)
        bin_ = sum(edge <= clamped for edge in CODED.attributes["age"].edges)  # type: ignore[union-attr]
        in_tree = 0 if place == 0 else 3 if sick else -1
        node = 2 * int(place == 1) + int(sick) if isinstance(route, Bits) else in_tree
        if node >= 0:
            for spot in (place, 2 + int(sick), 4 + bin_):
                counts[node, spot, kinds.index(kind)] += 1
    return counts


def _joints(engine: Any, coded: CodedTable) -> Any:
    """Joint counts of all places as tests of their own, those of numbers taken for nested."""
    blocks = (Block(0, 2, False), Block(2, 4, False), Block(4, sum(coded.sizes), True))
    groups = np.arange(coded.nodes * coded.classes.size)
    return np.stack([np.triu(each) for each in engine.joints(coded, np.arange(sum(coded.sizes)), blocks, groups)])


@pytest.mark.parametrize("form", [form for form in EVERY if form not in ("pandas", "pyarrow", "glob")])
def test_edges(form: str, tmp_path: Path) -> None:
    rng = np.random.default_rng(4)
    ends = pl.DataFrame({"a": rng.integers(0, 30, 80), "b": rng.integers(0, 30, 80)})
    judge = Graph.from_edges(ends["a"].to_list(), ends["b"].to_list(), nodes=30)
    data = lying(ends, form, tmp_path)
    if form in ("csv", "parquet", "loaded"):
        graph = Graph.from_file(data, src="a", dst="b", nodes=30)
    else:
        graph = Graph.from_frame(data, src="a", dst="b", nodes=30)
    assert graph.neighbours.tolist() == judge.neighbours.tolist()
    if form != "spark":
        named = ends.select(pl.all().cast(pl.String))
        folder = tmp_path / "named"
        folder.mkdir()
        again = lying(named, form, folder)
        labels = [str(node) for node in range(30)]
        make = Graph.from_file if form in ("csv", "parquet", "loaded") else Graph.from_frame
        assert make(again, src="a", dst="b", nodes=labels).neighbours.tolist() == judge.neighbours.tolist()


@pytest.mark.parametrize("form", EVERY)
def test_equal_statistics_give_equal_laws(form: str, lies: dict[str, Any]) -> None:
    def law(data: Any, column: str | None) -> Any:
        public = dampen.Adjacency.ADD_REMOVE
        problem = percentile_value_problem(data, 50, grid=range(-20, 30), adjacency=public, column=column)
        return PermuteAndFlip(Fraction(1, 10)).log_probabilities(problem.as_public())

    assert np.array_equal(np.asarray(law(rows_in(form, lies), "age")), np.asarray(law(FRAME["age"].to_list(), None)))


def test_spark_in_one_session(lies: dict[str, Any]) -> None:
    """Questions of this file, asked of Spark in one process, so that a test run starts one session."""
    test_histograms("spark", "age", lies)
    for ask in (test_sums_and_categories_and_rows, test_public_filters):
        ask("spark", lies)


@pytest.mark.long
def test_spark_in_one_session_about_all_else(lies: dict[str, Any], tmp_path: Path) -> None:
    test_histograms("spark", "pay", lies)
    for ask in (test_tables_of_attributes_and_classes, test_equal_statistics_give_equal_laws):
        ask("spark", lies)
    for ask_in in (test_edges, test_labels_of_any_type):
        folder = tmp_path / ask_in.__name__
        folder.mkdir()
        ask_in("spark", folder)


def test_a_listed_grid_of_many_points_takes_scans(lies: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("ibis")
    from dampen.tables.engines import ibis

    monkeypatch.setattr(ibis, "CHUNK", 3)
    for name in ("listed reals", "listed wholes"):
        for column in ("pay", "age"):
            assert count_on_grid(rows_in("ibis", lies), GRIDS[name], column=column) == expected_counts(column, name)


MIXED = pl.DataFrame(
    {
        "text": ["a", " a", "'x", 'q"q', "l\nl", "NA", "1", "1.0", "01", "1_0", "1d", "true", "é", "\\", "", "nan"],
        "whole": [1, 2, 2**53, 2**53 + 1, -(2**63), 2**63 - 1, *range(5, 14), None],
        "real": [0.1, -0.0, 0.0, 1.0, 1e22, 5e-324, 2.0**53, *map(float, range(3, 11)), None],
        "truth": [True, False] * 7 + [True, None],
        "day": [date(2024, 2, 29), date(2024, 3, 1)] * 7 + [date(2023, 1, 1), None],
        "cents": pl.Series([Decimal("0.10"), Decimal("0.30")] * 7 + [Decimal("1.00"), None], dtype=pl.Decimal(20, 2)),
        "far": pl.Series([2**64 - 1, 2**63, 2**63 - 1, 2**63 + 2**11 - 1, *range(12)], dtype=pl.UInt64),
    }
)
ASKED: list[tuple[str, tuple[Any, ...], dict[int, int]]] = [
    ("text", ("a", "'x", 'q"q', "l\nl", "NA", "\\", "é", "x' or '1'='1"), {-2: 7, -1: 2} | dict.fromkeys(range(7), 1)),
    ("text", (1, True, ""), {-2: 10, -1: 1, 0: 3, 1: 1, 2: 1}),
    ("whole", (2**53 + 1, 2.0**53, "1", "2.0", 2.5, True + 4), {-2: 10, -1: 1, 0: 1, 1: 1, 2: 1, 3: 1, 5: 1}),
    ("real", (0.1, 0, "1", 1e22, 2**53 + 1), {-2: 10, -1: 1, 0: 1, 1: 2, 2: 1, 3: 1}),
    ("truth", ("True", 0), {0: 8, 1: 7, -1: 1}),
    ("day", ("2024-02-29", date(2024, 3, 1)), {0: 7, 1: 7, -2: 1, -1: 1}),
    ("cents", (0.1, Decimal("0.3"), "1"), {0: 7, 1: 7, 2: 1, -1: 1}),
]
"""Labels of another type than their column, and what each of them counts everywhere."""


@pytest.mark.parametrize("form", [form for form in EVERY if form not in ("pandas", "csv", "glob")])
def test_labels_of_any_type(form: str, tmp_path: Path) -> None:
    frame = MIXED.drop("far") if form == "spark" else MIXED
    data = lying(frame, form, tmp_path)
    for column, labels, expected in ASKED:
        with open_engine(data, column) as engine:
            assert engine.label_counts(column, labels) == expected, (column, labels)
        for place in (0, len(labels) - 1) if form != "spark" else (1,):
            with open_engine(data, column) as engine:
                part = engine.part(Among(column, labels, frozenset({place})))
                assert part.row_count() == expected.get(place, 0), (column, place)
    if form != "spark":
        grid = as_grid([0.0, 8.0, 2.0**62, 2.0**63, 2.0**63 + 2**11, 2.0**64])
        assert count_on_grid(data, grid, column="far").counts.tolist() == [8, 4, 1, 2, 1]
