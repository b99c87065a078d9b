"""Edges leave DuckDB in a stream where its plan is one chain, and are the same pairs where it is not."""

from typing import Any

import duckdb
import numpy as np
import pytest

from dampen.graphs.input import as_nodes
from dampen.tables.engines import duck_stream, open_engine
from dampen.tables.engines import duckdb as duck_engine
from dampen.tables.engines.arrow_batches import StreamError

LABELS = [f"p{node}" for node in range(40)]
TABLES = {
    "wholes": ("select range % 40 as a, range * 7 % 41 as b from range(3000)", 40),
    "reals": ("select (range % 40)::double as a, range % 5 / 2 as b from range(3000)", 40),
    "missing": ("select case when range > 2 then range end as a, range as b from range(40)", 40),
    "texts": ("select 'p' || range % 40 as a, 'p' || range * 7 % 41 as b from range(3000)", LABELS),
    "few texts": ("select 'p1' as a, 'p2' as b", LABELS),
    "none": ("select 1 as a, 2 as b where false", 40),
}
Batches = list[tuple[Any, Any]]


def edges_of(data: Any, nodes: Any) -> Batches:
    with open_engine(data, "a", "b") as engine:
        return engine.edges("a", "b", as_nodes(nodes))


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
    assert listed(asked) == listed(fetched)
    assert ways[0] or table == "few texts"
    assert not ways[1]
    assert {array.dtype for batch in asked for array in batch} <= {np.dtype(np.int32)}


def test_many_rows_come_in_batches_that_outlive_the_stream(ways: list[bool]) -> None:
    with duckdb.connect() as connection:
        found = edges_of(connection.sql("select range % 999 as a, range % 37 as b from range(2500000)"), 999)
    assert ways == [True]
    assert len(found) > 1
    tails, heads = (np.concatenate([batch[end] for batch in found]) for end in range(2))
    rows = np.arange(2_500_000)
    assert np.array_equal(np.bincount(tails * 37 + heads), np.bincount(rows % 999 * 37 + rows % 37))


def test_rows_of_several_branches_are_fetched(ways: list[bool]) -> None:
    """Where several branches fill one stream, DuckDB may wait for ever."""
    with duckdb.connect() as connection:
        both = connection.sql("select 1 as a, range as b from range(9) union all select 2, range from range(9)")
        assert len(listed(edges_of(both, 9))) == 18
    assert ways == [False]
    assert not duck_stream.may_stream_pairs("HASH_JOIN\nJoin Type: RIGHT")
    assert duck_stream.may_stream_pairs("HASH_JOIN\nJoin Type: LEFT")


def test_a_stream_that_breaks_off_is_fetched_instead(ways: list[bool], monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(relation: Any) -> Any:
        yield from ()
        raise StreamError

    monkeypatch.setattr(duck_stream, "stream_batches", broken)
    with duckdb.connect() as connection:
        assert listed(edges_of(connection.sql("select 1 as a, 2 as b"), 9)) == [(1, 2)]
    assert ways == [False]
