"""Edges leave Spark as the batches of Arrow that it sends: no rows of Python, no frame of pandas are made of them."""

import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from typing import Any

import numpy as np
import pytest

from dampen.errors import EngineError
from dampen.graphs.input import as_nodes
from dampen.tables.engines import open_engine
from tests.conftest import Refused
from tests.contracts.engines import spark_session

pytestmark = [
    pytest.mark.long,
    pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning", "ignore::ResourceWarning"),
    pytest.mark.filterwarnings("ignore::DeprecationWarning"),  # what ibis calls of pandas, where a test calls ibis
]
EDGES, NODES, VIEW = 50_000, 100, "edges_of_a_test"
ROWS_OF_PYTHON = ("collect", "toPandas", "toLocalIterator", "take")


def frame_of_edges(session: Any) -> Any:
    return session.range(0, EDGES, 1, 2).selectExpr(f"id % {NODES} as a", f"id * 7 % {NODES} as b")


def table_of_edges(session: Any) -> Any:
    """A table that the caller has of ibis, joined with one in the memory of this process."""
    ibis = pytest.importorskip("ibis")
    return _view_of_edges(session).join(ibis.memtable({"a": range(NODES)}), "a")


def _view_of_edges(session: Any) -> Any:
    frame_of_edges(session).createOrReplaceTempView(VIEW)
    return pytest.importorskip("ibis").pyspark.connect(session).table(VIEW)


def edges_of(data: Any) -> list[tuple[Any, Any]]:
    with open_engine(data, "a", "b") as engine:
        return engine.edges("a", "b", as_nodes(NODES))


@pytest.fixture
def session() -> Iterator[Any]:
    """The session of all tests, which must be left as it was."""
    running = spark_session()
    pytest.importorskip("ibis").pyspark.connect(running)  # sets the zone and another setting of the session
    settings = dict(running.conf.getAll)
    yield running
    running.catalog.dropTempView(VIEW)
    assert dict(running.conf.getAll) == settings
    assert not running.sql("show views like 'dampen_*'").collect()
    assert not {*running.getTags(), *running.sparkContext.getJobTags()}


@pytest.fixture
def made(session: Any, monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """How many rows each call made into objects of Python or a frame of pandas."""
    sizes: list[int] = []
    frames = type(session.range(1))

    def watched(leave: Callable[..., Any]) -> Callable[..., Any]:
        def watching(*arguments: Any, **options: Any) -> Any:
            rows = leave(*arguments, **options)
            sizes.append(len(rows) if hasattr(rows, "__len__") else EDGES)
            return rows

        return watching

    for name in ROWS_OF_PYTHON:
        monkeypatch.setattr(frames, name, watched(getattr(frames, name)))
    return sizes


@pytest.mark.parametrize("data_of", [frame_of_edges, table_of_edges])
def test_edges_are_the_batches_that_spark_sends(data_of: Callable[[Any], Any], session: Any, made: list[int]) -> None:
    data = data_of(session)
    made.clear()
    batches = edges_of(data)
    assert max(made, default=0) <= NODES
    assert len(batches) > 2
    ends = [end for batch in batches for end in batch]
    assert {end.dtype for end in ends} == {np.dtype(np.int32)}
    assert not any(end.flags.owndata for end in ends)
    pairs = np.concatenate([np.column_stack(batch) for batch in batches])
    asked = np.arange(EDGES)
    wanted = np.column_stack([asked % NODES, asked * 7 % NODES])
    assert sorted(pairs.tolist()) == sorted(wanted.tolist())


def test_rows_made_in_python_would_be_seen(session: Any, made: list[int]) -> None:
    _view_of_edges(session).to_pyarrow()
    assert max(made) == EDGES


def test_no_edges(session: Any) -> None:
    assert sum(len(tails) for tails, _ in edges_of(frame_of_edges(session).where("a < 0"))) == 0


def test_a_job_that_fails(session: Any, refused: Refused) -> None:
    frame = frame_of_edges(session).selectExpr("if(a = 3, cast(raise_error('secret4711') as int), a) as a", "b")
    with refused(EngineError, "spark could not count the data", "the job failed", hidden=("4711",)):
        edges_of(frame)


def test_ctrl_c_cancels_the_job(session: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """Interrupted when its tasks run, by nothing that cancels them: Spark's own handler of signals is not called."""
    tracker = session.sparkContext.statusTracker()

    class Interrupted(Future[Any]):
        def result(self, timeout: float | None = None) -> Any:
            while not tracker.getActiveStageIds():
                time.sleep(0.01)
            raise KeyboardInterrupt

    monkeypatch.setattr("dampen.tables.engines.spark.Future", Interrupted)
    endless = session.range(0, 10**15, 1, 2).where("hash(id) = 4711").selectExpr("id as a", "id as b")
    with pytest.raises(KeyboardInterrupt):
        edges_of(endless)
    until = time.monotonic() + 60
    while tracker.getActiveStageIds() and time.monotonic() < until:
        time.sleep(0.01)
    assert not tracker.getActiveStageIds()
