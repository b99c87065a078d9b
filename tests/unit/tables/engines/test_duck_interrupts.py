"""Ctrl-C while DuckDB fills a batch or computes a caller's relation: heard within a second, and nothing is broken."""

import os
import signal
import time
from collections.abc import Iterator
from contextlib import contextmanager
from fractions import Fraction
from threading import Event, Timer
from typing import Any

import duckdb
import pytest

from dampen import Graph
from dampen.graphs.input import as_nodes
from dampen.tables.engines import duck_stream
from dampen.tables.engines.arrow_batches import stream_batches
from dampen.tables.engines.aside import Aside, open_aside
from dampen.tables.engines.duckdb import DuckEngine, engine_of_relation

pytestmark = pytest.mark.skipif(os.name != "posix", reason="signals are sent to this process")

SOON = 5
"""Seconds, on a machine that has more to do; the queries would take hours."""
FEW = "select range % 9 as a, 1.5::double as b from range(1000000000000) where hash(range) = 3 or range < 500000"
"""Enough rows come at once for a stream to begin, too few for a batch: filling that is the whole scan."""
GROUPED = "select range % 9 as a, max(hash(range)) % 9 as b from range(1000000000000) group by 1"
"""Nothing comes before all is computed."""


@contextmanager
def interrupted(after: float = 0.3) -> Iterator[None]:
    """The block hears an interrupt soon."""
    sender = Timer(after, os.kill, (os.getpid(), signal.SIGINT))
    sender.start()
    start = time.monotonic()
    with pytest.raises(KeyboardInterrupt):
        yield
    assert time.monotonic() - start < SOON
    sender.join()


@pytest.fixture
def connection() -> Iterator[Any]:
    with duckdb.connect() as opened:
        yield opened
        opened.interrupt()


def test_a_call_is_stopped_and_waited_for() -> None:
    told, ended = Event(), Event()

    def call() -> None:
        told.wait(60)
        ended.set()

    with open_aside(told.set) as aside:
        with interrupted():
            aside.run(call)
        assert ended.is_set()


def test_a_call_that_nothing_stops_is_left_alone_and_what_was_left_is_made_after_it() -> None:
    told, made = Event(), Event()
    with open_aside() as aside:
        with interrupted():
            aside.run(lambda: told.wait(60))
        aside.leave(made.set)
        skipped = Event()
        assert not aside.attempt(skipped.set, patience=0.01)
        assert not made.is_set()
        told.set()
        assert made.wait(60)
        assert aside.attempt(lambda: None, patience=60)
        assert not skipped.is_set()


def test_errors_of_a_call_are_told() -> None:
    with open_aside() as aside, pytest.raises(ZeroDivisionError):
        aside.run(lambda: 1 // 0)


@pytest.mark.parametrize("asked", ["edges", "sums"])
def test_a_batch_of_few_rows_out_of_many(asked: str, connection: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(duck_stream, "MANY_ROWS", 0)
    engine = DuckEngine(f"({FEW})", ("a", "b"), ("BIGINT", "DOUBLE"), "", connection=connection)
    streams = list[Any]()

    def note(relation: Any, aside: Aside) -> Any:
        streams.append(relation)
        return stream_batches(relation, aside)

    monkeypatch.setattr(duck_stream, "stream_batches", note)
    with interrupted():
        if asked == "edges":
            engine.edges("a", "b", as_nodes(9))
        else:
            engine.sums("b", (Fraction(0), Fraction(9)))
    assert len(streams) == 1
    connection.interrupt()  # as is done where files are read
    assert connection.sql("select 42").fetchall() == [(42,)]


@pytest.mark.parametrize("query", [FEW, GROUPED])
def test_a_relation_of_a_caller(query: str, connection: Any) -> None:
    """Only the caller's connection ends the query; the view that is left goes with the next question."""
    with interrupted():
        Graph.from_frame(connection.sql(query), src="a", dst="b", nodes=9)
    connection.interrupt()
    assert connection.sql("select 42").fetchall() == [(42,)]
    assert Graph.from_frame(connection.sql("select 1 as a, 2 as b"), src="a", dst="b", nodes=9).report.rows == 1
    assert connection.sql("show tables").fetchall() == []


def test_what_a_relation_returns_at_once_is_counted_aside_too(connection: Any) -> None:
    with interrupted():
        engine_of_relation(connection.sql(GROUPED)).row_count()
    connection.interrupt()
    assert engine_of_relation(connection.sql("select 1 as a")).row_count() == 1
    assert connection.sql("show tables").fetchall() == []
