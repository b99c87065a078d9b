"""Random trees of tests on engines: every row is walked by hand, however the tree is written and the rows are cut."""

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import duckdb
import numpy as np
import pytest

from dampen.errors import DataError
from dampen.tables.engines import CodedTable, Labels, Route, Source, duck_routes, open_engine
from dampen.tables.engines import duckdb as duck
from dampen.tables.engines.base import NOT_HERE
from dampen.tables.engines.duck_files import open_files
from dampen.vectors import Integers

if TYPE_CHECKING:
    from tests.conftest import RunPython

SIZES, KINDS, ROWS = (2, 5, 3, 1, 7, 4), 3, 3000
RNG = np.random.default_rng(5)
COLUMNS = {f"a{place}": RNG.integers(0, size, ROWS).astype(np.uint8) for place, size in enumerate(SIZES)}
COLUMNS["y"] = RNG.integers(0, KINDS, ROWS).astype(np.uint8)


def drawn(depth: int, rng: np.random.Generator, nodes: Iterator[int]) -> Route | int:
    """A tree whose branches may end early, in a node or nowhere."""
    end = rng.random()
    if depth == 0 or end < 0.2:
        return next(nodes) if end > 0.05 else NOT_HERE
    attribute = int(rng.integers(len(SIZES)))
    return Route(attribute, tuple(drawn(depth - 1, rng, nodes) for _ in range(SIZES[attribute])))


def tree(seed: int) -> tuple[Route, int]:
    rng, nodes = np.random.default_rng(seed), iter(range(10**6))
    branches = tuple(drawn(4, rng, nodes) for _ in range(SIZES[4]))
    return Route(4, branches), next(nodes)


def coded(route: Route | int, nodes: int) -> CodedTable:
    attributes = {f"a{place}": Labels(tuple(range(size))) for place, size in enumerate(SIZES)}
    return CodedTable(attributes, "y", Labels(tuple(range(KINDS))), route, nodes)


def by_hand(route: Route, nodes: int) -> Integers:
    counts = np.zeros((nodes, sum(SIZES), KINDS), dtype=np.int64)
    starts = np.concatenate([[0], np.cumsum(SIZES)])
    for row in range(ROWS):
        here: Route | int = route
        while isinstance(here, Route):
            here = here.branches[COLUMNS[f"a{here.attribute}"][row]]
        if here != NOT_HERE:
            for place in range(len(SIZES)):
                counts[here, starts[place] + COLUMNS[f"a{place}"][row], COLUMNS["y"][row]] += 1
    return counts


@pytest.fixture(scope="module")
def lies(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, Any]]:
    folder = tmp_path_factory.mktemp("rows")
    with duckdb.connect() as connection:
        connection.register("rows", COLUMNS)
        for number in range(2):
            part = f"select * from (select *, row_number() over () as n from rows) where n % 2 = {number}"
            connection.execute(f"copy (select * exclude n from ({part})) to '{folder}/{number}.parquet'")
        connection.execute(f"copy rows to '{folder}/rows.csv' (header)")
        files = str(folder / "*.parquet")
        yield {
            "arrays": COLUMNS,
            "loaded": Source(files, engine="arrays"),
            "parquet": files,
            "csv": folder / "rows.csv",
            "relation": connection.table("rows"),
        }


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("form", ["arrays", "loaded", "parquet", "csv", "relation"])
def test_rows_reach_their_nodes(form: str, seed: int, lies: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> None:
    """Even seeds: few rows at a time, short lists, hardly any cases."""
    if seed % 2 == 0:
        monkeypatch.setattr(duck, "ROWS_AT_ONCE", 400)
        monkeypatch.setattr(duck_routes, "LONGEST_LIST", 20)
        monkeypatch.setattr(duck_routes, "MOST_CASES", 2)
        monkeypatch.setattr(duck, "MOST_CELLS", 2**6)
    route, nodes = tree(seed)
    expected = by_hand(route, nodes)
    with open_engine(lies[form], "y") as engine:
        assert (engine.contingency(coded(route, nodes)) == expected).all()
        assert (engine.class_counts(coded(route, nodes)) == expected[:, : SIZES[0]].sum(axis=1)).all()
        assert engine.contingency(coded(0, 1)).sum() == ROWS * len(SIZES)


def test_parts_hold_every_row_once(lies: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(duck, "ROWS_AT_ONCE", 400)
    with open_files(lies["parquet"], []) as engine:
        assert isinstance(engine, duck.DuckEngine)
        assert engine.connection is not None
        parts = engine.parts()
        rows = [engine.connection.sql(f"select count(*) from {part}").fetchall()[0][0] for part in parts]
        assert rows == [400, 400, 400, 300] * 2


def test_a_column_with_the_name_of_row_numbers(tmp_path: Path) -> None:
    path = tmp_path / "odd.parquet"
    duckdb.sql("select 1 as File_Row_Number, 0 as a0, 1 as y").write_parquet(str(path))
    table = CodedTable({"a0": Labels((0, 1))}, "y", Labels((0, 1)), Route(0, (0, 1)), 2)
    with open_files(path, []) as engine:
        assert isinstance(engine, duck.DuckEngine)
        assert engine.parts() == []
        assert engine.contingency(table).tolist() == [[[0, 1], [0, 0]], [[0, 0], [0, 0]]]


@pytest.mark.parametrize("column", ["a4", "a0", "y"])
def test_a_row_that_breaks_the_schema_after_it_was_checked_is_not_left_out(column: str, tmp_path: Path) -> None:
    path = tmp_path / "changed.parquet"
    fields = ", ".join(f"{9 if name == column else 0} as {name}" for name in COLUMNS)
    duckdb.sql(f"select {fields}").write_parquet(str(path))
    route, nodes = tree(1)
    with open_files(path, []) as engine, pytest.raises(DataError, match="must not change while it is counted"):
        engine.contingency(coded(route, nodes))


UNITED = """
    import sys
    from dampen.tables.engines.duck_files import open_files
    with open_files(sys.argv[1], []) as engine:
        parts = (f"select a + {shift} as a, count(*) as count from data group by all" for shift in range(24))
        print(engine.fetch(" union all ".join(parts))["count"].sum())
"""


def test_many_groupings_united_do_not_block(tmp_path: Path, run_python: "RunPython") -> None:
    """A streamed answer blocked for ever from about sixteen groupings of thirty thousand groups on."""
    path = tmp_path / "rows.parquet"
    duckdb.sql("select hash(i) % 30000 as a from range(1000000) t(i)").write_parquet(str(path))
    assert run_python(UNITED, str(path)).stdout.strip() == str(24 * 10**6)
