"""Floats that leave DuckDB batch by batch are read as SQL and as arrays read them, and when they leave is public."""

import threading
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Any

import duckdb
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from dampen.errors import EngineError
from dampen.tables.engines import duck_stream, open_engine, running_sums
from dampen.tables.engines.arrow_batches import StreamError, stream_batches
from dampen.tables.engines.aside import Aside
from dampen.tables.engines.base import Sums
from dampen.tables.engines.duckdb import DuckEngine

if TYPE_CHECKING:
    from tests.conftest import RunPython

ENDS = (Fraction(-1, 3), Fraction(9))
FLOATS = [0.0, -0.0, 0.5, 2.5, -7.0, 1e300, 5e-324, 2.0**53 + 2, float("inf"), -float("inf"), float("nan"), None]
GROUPS: dict[str, tuple[pa.DataType, list[Any], tuple[Any, ...]]] = {
    "texts": (pa.string(), ["a", "b", " 7", "7", "A", "", "nan", "true", None, "x"], ("a", 7, "b", True)),
    "wholes": (pa.int16(), [0, 1, 2, -300, None, 30_000], (2, 0, -300)),
    "from far on": (pa.uint8(), [250, 7, 0, None], (7, -5, 250)),
    "reals": (pa.float32(), [0.5, 1.0, float("nan"), None, -0.0], (0, 0.5, "1")),
    "truths": (pa.bool_(), [True, False, None], (False, 1)),
}


@pytest.fixture
def streamed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(duck_stream, "MANY_ROWS", 0)


def rows(width: Any, *groups: str) -> pa.Table:
    """Every float in every group, so many times that a bit for each row is not one of whole bytes."""
    found: list[tuple[Any, ...]] = [()]
    for values in [FLOATS, *(GROUPS[name][1] for name in groups)]:
        found = [(*row, value) for row in found for value in values]
    columns = zip(*(found * 3)[:-1], strict=True)
    types = [width, *(GROUPS[name][0] for name in groups)]
    return pa.table(
        {f"c{place}": pa.array(column, kind) for place, (column, kind) in enumerate(zip(columns, types, strict=True))}
    )


def sums_of(data: Any, *groups: str) -> dict[tuple[int, ...], Any]:
    by = [(f"c{place}", GROUPS[name][2]) for place, name in enumerate(groups, 1)]
    with open_engine(data, "c0", *(name for name, _ in by)) as engine:
        return engine.sums_by_group("c0", ENDS, by)


@pytest.mark.usefixtures("streamed")
@pytest.mark.parametrize("width", [pa.float32(), pa.float64()], ids=str)
@pytest.mark.parametrize("groups", [(), *((name,) for name in GROUPS), ("texts", "wholes"), ("texts", "texts")])
def test_a_stream_is_read_as_sql_and_arrays_are(
    groups: tuple[str, ...], width: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    frame, path = rows(width, *groups), tmp_path / "rows.parquet"
    pq.write_table(frame, path)
    by_arrays = sums_of(frame, *groups)
    with monkeypatch.context() as patch:
        patch.setattr(duck_stream, "MANY_ROWS", 2**60)
        by_sql = sums_of(path, *groups)
    monkeypatch.setattr(DuckEngine, "fetch", None)  # nobody asks SQL
    assert sums_of(path, *groups) == by_sql == by_arrays
    if "texts" not in groups:
        with duckdb.connect() as connection:
            connection.execute("create table held as select * from frame")
            assert sums_of(connection.table("held"), *groups) == by_sql
            assert connection.sql("show tables").fetchall() == [("held",)]


@pytest.mark.usefixtures("streamed")
def test_a_stream_without_rows_has_a_sum(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whether a filter leaves any rows is private: an error would tell."""
    monkeypatch.setattr(DuckEngine, "fetch", None)  # nobody asks SQL
    with duckdb.connect() as connection:
        for left in (0, 1):
            data = connection.sql(f"select 0.5::double as c0 from range(9) t(i) where (i * i) % 64 = 1 and i <= {left}")
            with open_engine(data, "c0") as engine:
                assert engine.sums("c0", ENDS) == Sums(left, Fraction(left, 2), 0, 0)


def test_rows_are_held_batch_by_batch(streamed: None, monkeypatch: pytest.MonkeyPatch) -> None:
    taken, add = list[int](), running_sums.RunningSums.add

    def note(sums: Any, codes: Any, column: Any) -> None:
        taken.append(len(column))
        add(sums, codes, column)

    monkeypatch.setattr(running_sums.RunningSums, "add", note)
    monkeypatch.setattr(running_sums, "ROWS_AT_ONCE", 2**20)
    with duckdb.connect() as connection:
        data = connection.sql("select (i % 4)::double / 4 as c0 from range(2500000) t(i)")
        [sums] = sums_of(data).values()
    assert (sums.count, sums.sum) == (2_500_000, Fraction(3, 8) * 2_500_000)
    assert len(taken) > 1
    assert max(taken) <= 2**20


def test_few_rows_and_plans_with_branches_are_left_to_sql(monkeypatch: pytest.MonkeyPatch) -> None:
    """A stream that several branches fill may block for ever inside DuckDB."""

    def refuse(relation: Any, aside: Any) -> Any:
        raise AssertionError("streamed")

    monkeypatch.setattr(duck_stream, "stream_batches", refuse)
    with duckdb.connect() as connection:
        assert sums_of(connection.sql("select 0.5::double as c0"))[()].count == 1
        monkeypatch.setattr(duck_stream, "MANY_ROWS", 0)
        one = "select random() as c0 from range(9)"
        assert sums_of(connection.sql(f"{one} union all {one}"))[()].count == 18
        with pytest.raises(AssertionError, match="streamed"):
            duck_stream.stream_sums(lambda _: _entered(connection.sql(one)), "c0", [], ENDS)


def _entered(relation: Any) -> Any:
    from contextlib import nullcontext

    return nullcontext(duck_stream.Unfetched(relation, Aside()))


@pytest.mark.usefixtures("streamed")
@pytest.mark.parametrize("lacking", ["stream", "pyarrow"])
def test_without_a_stream_sql_adds(lacking: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(relation: Any, aside: Any) -> Any:
        raise StreamError
        yield

    class Old:
        def __arrow_c_stream__(self) -> Any:
            raise ModuleNotFoundError("pyarrow")

    def stream_old(relation: Any, aside: Aside) -> Any:
        return stream_batches(Old(), aside)

    monkeypatch.setattr(duck_stream, "stream_batches", fail if lacking == "stream" else stream_old)
    with duckdb.connect() as connection:
        assert sums_of(connection.sql("select 0.5::double as c0"))[()].sum == Fraction(1, 2)


@pytest.mark.usefixtures("streamed")
def test_a_stream_that_is_cancelled_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    with duckdb.connect() as connection:
        add = running_sums.RunningSums.add

        def cancel(sums: Any, codes: Any, column: Any) -> None:
            add(sums, codes, column)
            caller = threading.Thread(target=connection.interrupt)
            caller.start()
            caller.join()

        monkeypatch.setattr(running_sums.RunningSums, "add", cancel)
        data = connection.sql("select i::double as c0 from range(60000000) t(i)")
        with pytest.raises(EngineError, match="interrupted"):
            sums_of(data)


@pytest.mark.usefixtures("streamed")
def test_an_interrupt_is_heard_between_batches(monkeypatch: pytest.MonkeyPatch) -> None:
    def stop(sums: Any, codes: Any, column: Any) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(running_sums.RunningSums, "add", stop)
    with duckdb.connect() as connection:
        with pytest.raises(KeyboardInterrupt):
            sums_of(connection.sql("select i::double as c0 from range(3000000) t(i)"))
        assert connection.sql("select 1").fetchall() == [(1,)]
        assert connection.sql("show tables").fetchall() == []


def test_small_tables_load_no_compiled_code(tmp_path: Path, run_python: "RunPython") -> None:
    path = tmp_path / "few.parquet"
    pq.write_table(pa.table({"v": np.arange(1000.0), "g": np.arange(1000) % 5}), path)
    code = (
        "import sys; from dampen.tables.groups import GroupColumn, total_by_group;"
        f"found = total_by_group({str(path)!r}, (0, 9), [GroupColumn('g', tuple(range(5)))], column='v');"
        "print(sum(each.count for each in found), 'numba' in sys.modules)"
    )
    assert run_python(code).stdout == "1000 False\n"
