"""Edges leave DuckDB in a stream where its plan is one chain, and are the same pairs where it is not."""

import tracemalloc
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pytest

from dampen.graphs.building import build_rows
from dampen.graphs.input import as_nodes
from dampen.tables.engines import duck_stream, open_engine
from dampen.tables.engines import duckdb as duck_engine
from dampen.tables.engines.arrow_batches import StreamError
from dampen.tables.engines.aside import Aside

LABELS = [f"p{node}" for node in range(40)]
TABLES = {
    "wholes": ("select range % 40 as a, range * 7 % 41 as b from range(3000)", 40),
    "reals": ("select (range % 40)::double as a, range % 5 / 2 as b from range(3000)", 40),
    "missing": ("select case when range > 2 then range end as a, range as b from range(40)", 40),
    "texts": ("select 'p' || range % 40 as a, 'p' || range * 7 % 41 as b from range(3000)", LABELS),
    "few texts": ("select 'p1' as a, 'p2' as b", LABELS),
    "none": ("select 1 as a, 2 as b where false", 40),
}
OUT = -1
"""Where no node is: below 0, or from the number of nodes on."""
EXPECTED = {
    "wholes": [(row % 40, row * 7 % 41) for row in range(3000)],
    "reals": [(row % 40, OUT if row % 5 % 2 else row % 5 // 2) for row in range(3000)],
    "missing": [(row if row > 2 else OUT, row) for row in range(40)],
    "texts": [(row % 40, row * 7 % 41) for row in range(3000)],
    "few texts": [(1, 2)],
    "none": [],
}
Batches = list[tuple[Any, Any]]


def edges_of(data: Any, nodes: Any) -> Batches:
    with open_engine(data, "a", "b") as engine:
        return engine.edges("a", "b", as_nodes(nodes))


def as_place(end: int) -> int:
    return end if 0 <= end < 40 else OUT


def listed(batches: Batches) -> list[tuple[int, int]]:
    return sorted((int(a), int(b)) for tails, heads in batches for a, b in zip(tails, heads, strict=True))


@pytest.fixture
def ways(monkeypatch: pytest.MonkeyPatch) -> list[bool]:
    """Whether each question was streamed."""
    taken: list[bool] = []

    def watched(unfetched: Any) -> Batches | None:
        found = duck_stream.stream_pairs(unfetched)
        taken.append(found is not None)
        return found

    monkeypatch.setattr(duck_engine, "stream_pairs", watched)
    return taken


@pytest.mark.parametrize("table", TABLES)
def test_streamed_edges_are_those_that_are_fetched(
    table: str, ways: list[bool], monkeypatch: pytest.MonkeyPatch
) -> None:
    query, nodes = TABLES[table]
    with duckdb.connect() as connection:
        connection.execute(f"create table edges as {query}")
        asked = edges_of(connection.table("edges"), nodes)
        monkeypatch.setattr(duck_stream, "may_stream_pairs", lambda plan: False)
        fetched = edges_of(connection.table("edges"), nodes)
    expected = sorted((as_place(a), as_place(b)) for a, b in EXPECTED[table])
    for found in (asked, fetched):
        assert sorted((as_place(a), as_place(b)) for a, b in listed(found)) == expected
    assert ways[0] or table == "few texts"
    assert not ways[1]
    assert {array.dtype for batch in asked for array in batch} <= {np.dtype(np.int32)}


@pytest.mark.parametrize("together", [999_983, 2**24])
def test_many_rows_come_in_batches_that_outlive_the_stream(
    together: int, ways: list[bool], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(duck_stream, "PAIRS_TOGETHER", together)
    with duckdb.connect() as connection:
        found = edges_of(connection.sql("select range % 999 as a, range % 37 as b from range(2500000)"), 999)
    assert ways == [True]
    assert len(found) == -(-2_500_000 // together)
    tails, heads = (np.concatenate([batch[end] for batch in found]) for end in range(2))
    rows = np.arange(2_500_000)
    assert np.array_equal(np.bincount(tails * 37 + heads), np.bincount(rows % 999 * 37 + rows % 37))


@pytest.mark.parametrize("rows", [1, 2, 60_000])
def test_only_parquet_files_of_many_edges_are_streamed(
    rows: int, ways: list[bool], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "edges.parquet"
    query = f"select hash(range) % 99991 as a, hash(range + 1) % 99991 as b from range({rows})"
    duckdb.sql(f"copy ({query}) to '{file}' (format parquet)")
    assert (file.stat().st_size >= duck_engine.SMALL_FILES) is (rows > 2)
    usual = listed(edges_of(file, 99_991))
    assert ways == [True] * (rows > 2)
    monkeypatch.setattr(duck_engine, "SMALL_FILES", 0)
    assert listed(edges_of(file, 99_991)) == usual
    assert ways[-1]
    assert len(usual) == rows


def bytes_held(keep: bool) -> tuple[float, float]:
    """For each of a million pairs: once they are read, and at most while rows are built from them."""
    pairs, kept = 2**20, list[Any]()
    with duckdb.connect() as connection:
        query = "select (range * 7919 % 99991)::int as a, (range * 104729 % 100003)::int as b from range(?)"
        connection.execute(f"create table edges as {query}", [pairs])
        tracemalloc.start()
        try:
            batches = edges_of(connection.table("edges"), 100_003)
            held, _ = tracemalloc.get_traced_memory()
            if keep:
                kept.extend(batches)
            tracemalloc.reset_peak()
            assert len(build_rows(batches, 100_003).neighbours) > pairs
            _, most = tracemalloc.get_traced_memory()
        finally:
            tracemalloc.stop()
    return held / pairs, most / pairs


def test_edges_are_held_once_while_rows_are_built(ways: list[bool], monkeypatch: pytest.MonkeyPatch) -> None:
    """8 bytes a pair, and 16 while its two directions are sorted: 26.3 with the rest, also on a busy machine.

    Whoever keeps the pairs has 8 more; the limit is between the two.
    """
    monkeypatch.setattr(duck_stream, "PAIRS_TOGETHER", 2**16)
    bytes_held(keep=False)  # compiled code is warm
    held, most = bytes_held(keep=False)
    assert ways == [True, True]
    assert held < 8.5
    assert most < 30 < bytes_held(keep=True)[1]


def test_rows_of_several_branches_are_fetched(ways: list[bool]) -> None:
    """Where several branches fill one stream, DuckDB may wait for ever."""
    with duckdb.connect() as connection:
        both = connection.sql("select 1 as a, range as b from range(9) union all select 2, range from range(9)")
        assert len(listed(edges_of(both, 9))) == 18
    assert ways == [False]


JOINED = "(select range as a, range as c from range(9999)) x {} join (select range as b from range(9)) y on x.a = y.b"
NAMED = """
    select "FULL" as a, "RIGHT" as b from "UNION" left join (select range as "OUTER" from range(9)) on "FULL" = "OUTER"
    where t not in ('Join Type', 'UNION ALL') and "RIGHT" < 5000
"""


@pytest.mark.parametrize(
    ("query", "may"),
    [
        (f"select a, c from {JOINED.format('left')}", True),
        (f"select a, c from {JOINED.format('inner')}", True),
        (f"select a, b from {JOINED.format('full')}", False),
        (f"select b, b from {JOINED.format('right')} where b is null or a is null or c > b", None),
        ("select 1 as a, range as b from range(9) union all select 2, range from range(9)", False),
        (NAMED, True),
        (f"select * from ({NAMED}) union all select 1, 2", False),
    ],
)
def test_operators_and_joins_tell_of_branches_and_names_do_not(query: str, may: bool | None) -> None:
    with duckdb.connect() as connection:
        connection.execute(
            """create table "UNION" as select range as "FULL", range as "RIGHT", 'a' as t from range(9999)"""
        )
        plan = connection.sql(query).explain()
    if may is None:
        may = "Join Type: RIGHT" not in plan
    assert duck_stream.may_stream_pairs(plan) is may


@pytest.mark.parametrize("kind", ["RIGHT", "FULL", "OUTER", "RIGHT_ANTI", "LEFT", "SEMI"])
def test_types_of_joins_are_read_out_of_boxes_of_any_width(kind: str) -> None:
    wide = f"┌──────────────────────┐\n│      HASH_JOIN       │\n│{f'Join Type: {kind}':^22}│\n└──────────────────────┘"
    narrow = f"┌────────────┐\n│  HASH_JOIN │\n│ Join Type: │\n│{kind:^12}│\n└─────┬──────┘"
    for plan in (wide, narrow):
        assert duck_stream.may_stream_pairs(plan) is (kind in ("LEFT", "SEMI"))
    assert not duck_stream.may_stream_pairs("a plan without boxes")


def test_a_null_is_never_streamed_as_a_node() -> None:
    with duckdb.connect() as connection:
        for query in ("select nullif(range, 3)::integer, 1 from range(9)", "select 1, nullif(range, 3) from range(9)"):
            unfetched = duck_stream.Unfetched(connection.sql(query), Aside())
            assert duck_stream.stream_pairs(nullcontext(unfetched)) is None


def test_a_stream_that_breaks_off_is_fetched_instead(ways: list[bool], monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(relation: Any, aside: Any) -> Any:
        yield from ()
        raise StreamError

    monkeypatch.setattr(duck_stream, "stream_batches", broken)
    with duckdb.connect() as connection:
        assert listed(edges_of(connection.sql("select 1 as a, 2 as b"), 9)) == [(1, 2)]
    assert ways == [False]
