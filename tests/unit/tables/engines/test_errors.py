"""What is wrong with a file or a table is one sentence that names column and file, and never shows a value."""

from datetime import UTC, datetime
from decimal import Decimal
from pathlib import Path
from threading import Event
from typing import TYPE_CHECKING, Any

import duckdb
import polars as pl
import pytest

import dampen
from dampen.errors import DataError, EngineError, ParameterError
from dampen.tables import count_on_grid
from dampen.tables.counts import total
from dampen.tables.engines import Source, open_engine
from tests.contracts.engines import lying

if TYPE_CHECKING:
    from tests.conftest import Refused, RunPython

HELD = ("parquet", "glob", "loaded", "relation", "ibis")


@pytest.mark.parametrize("form", HELD)
def test_wrong_columns_and_types(form: str, tmp_path: Path, refused: "Refused", untouched: dampen.Budget) -> None:
    zone = UTC
    frame = pl.DataFrame(
        {"v": [4711, None], "t": [datetime(2047, 1, 1, tzinfo=zone)] * 2, "b": [True, False], "s": ["4711", "secret"]}
    )
    data = lying(frame, form, tmp_path)
    ask: dict[str, Any] = {"bounds": range(5000), "epsilon": 1, "budget": untouched}
    place = {"relation": "", "ibis": "", "glob": "part*.parquet"}.get(form, "rows.parquet")
    with refused(ParameterError, "column must be a column of", "'nowhere'", place, hidden=("4711",)):
        dampen.median(Source(data, column="nowhere"), **ask)
    with refused(ParameterError, "where must be a column of", "'nowhere'", hidden=("4711",)):
        dampen.median(Source(data, {"nowhere": 3}, column="v"), **ask)
    for column in ("t", "b", "s"):
        with refused(DataError, f"column '{column}' must hold numbers", place, hidden=("4711", "2047", "secret")):
            dampen.median(Source(data, column=column), **ask)
    with refused(DataError, "column 'v' must have no missing values", place, hidden=("4711",)):
        dampen.sum(Source(data, column="v"), bounds=(0, 1), epsilon=1, budget=untouched)


@pytest.mark.parametrize("form", [*HELD, "csv"])
def test_decimals_are_numbers(form: str, tmp_path: Path) -> None:
    values = [Decimal("0.30"), Decimal("0.29"), Decimal("1.10")]
    frame = pl.DataFrame({"v": pl.Series(values, dtype=pl.Decimal(10, 2))})
    data = lying(frame, form, tmp_path)
    assert count_on_grid(data, [0.0, 0.3, 1.1], column="v").counts.tolist() == [1, 1, 1]
    assert total(data, (0, 1), column="v") == total([0.3, 0.29, 1.1], (0, 1))


def test_files_that_do_not_fit_together(tmp_path: Path, refused: "Refused") -> None:
    pl.DataFrame({"v": [1]}).write_parquet(tmp_path / "a.parquet")
    pl.DataFrame({"v": ["4711"]}).write_parquet(tmp_path / "b.parquet")
    with refused(DataError, "same columns of the same types in every file", hidden=("4711",)):
        count_on_grid(tmp_path / "*.parquet", range(3), column="v")
    (tmp_path / "a.csv").write_text("v\n4711\n")
    (tmp_path / "b.csv").write_text("w\n4711\n")
    with refused(DataError, "same header line", hidden=("4711",)):
        count_on_grid(str(tmp_path / "*.csv"), range(3), column="v")
    with refused(ParameterError, "files must all be of one format; got .csv and .parquet"):
        count_on_grid(str(tmp_path / "a.*"), range(3), column="v")
    with refused(ParameterError, "file must exist", "none"):
        count_on_grid(str(tmp_path / "none*.csv"), range(3), column="v")
    with refused(ParameterError, "engine must be one of", "'arrays', 'duckdb', 'spark'"):
        Source("a.csv", engine="magic")
    with refused(ParameterError, "engine is for files"):
        Source([1, 2], engine="duckdb")


def test_a_pattern_is_a_name_first(tmp_path: Path) -> None:
    (tmp_path / "v[1].csv").write_text("v\n1\n")
    (tmp_path / "v1.csv").write_text("v\n1\n1\n")
    assert count_on_grid(tmp_path / "v[1].csv", range(3), column="v").n == 1
    assert count_on_grid(tmp_path / "v?.csv", range(3), column="v").n == 2


def test_a_closed_connection(refused: "Refused", tmp_path: Path) -> None:
    connection = duckdb.connect()
    relation = connection.sql("select 4711 as v")
    assert count_on_grid(relation, range(3), column="v").n == 1
    assert connection.execute("select count(*) from duckdb_views() where not internal").fetchone() == (0,)
    connection.close()
    with refused(EngineError, "connection", "closed", hidden=("4711",)):
        count_on_grid(relation, range(3), column="v")
    ibis = pytest.importorskip("ibis")
    backend = ibis.duckdb.connect()
    backend.raw_sql("create table lies as select 4711 as v")
    lies = backend.table("lies")
    backend.con.close()
    with refused(EngineError, "ibis could not run the query", hidden=("4711",)):
        count_on_grid(lies, range(3), column="v")


def test_errors_of_a_query_do_not_quote_rows(refused: "Refused") -> None:
    query = "select cast(s as bigint) as v from (values ('1'), ('4711secret')) t(s)"
    relation = duckdb.connect().sql(query)
    with refused(DataError, "the relation must be readable by duckdb", hidden=("4711",)):
        count_on_grid(relation, range(3), column="v")
    ibis = pytest.importorskip("ibis")
    backend = ibis.duckdb.connect()
    backend.raw_sql(f"create view lies as {query}")
    lies = backend.table("lies")
    with refused(EngineError, "ibis could not count the data", hidden=("4711",)):
        count_on_grid(lies, range(3), column="v")


def test_a_relation_leaves_its_connection_as_it_was(refused: "Refused") -> None:
    connection = duckdb.connect()
    connection.execute("create table dampen_rows as select 3 as v")
    assert count_on_grid(connection.table("dampen_rows"), range(5), column="v").n == 1
    bad = connection.sql("select cast(s as bigint) as v from (values ('4711secret')) t(s)")
    with refused(DataError, "the relation must be readable by duckdb", hidden=("4711",)):
        count_on_grid(bad, range(3), column="v")
    views = "select count(*) from duckdb_views() where not internal"
    assert connection.execute(views).fetchone() == (0,)
    assert connection.execute("select v from dampen_rows").fetchone() == (3,)


def test_a_query_that_is_interrupted(refused: "Refused", monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """A cancelled job is told as such, not as a fault of the data; Ctrl-C stays one."""
    from dampen.tables.engines.duckdb import DuckEngine

    def interrupted(*_: Any) -> None:
        raise duckdb.InterruptException("INTERRUPT Error: Interrupted!")

    def stopped(*_: Any) -> None:
        try:
            raise KeyboardInterrupt
        except KeyboardInterrupt:
            raise RuntimeError("Query interrupted") from None

    relation = duckdb.sql("select 1 as v")
    monkeypatch.setattr(DuckEngine, "_query_relation", interrupted)
    with refused(EngineError, "duckdb was interrupted"):
        count_on_grid(relation, range(3), column="v")
    monkeypatch.setattr(DuckEngine, "_query_relation", stopped)
    with pytest.raises(KeyboardInterrupt):
        count_on_grid(relation, range(3), column="v")


@pytest.mark.parametrize("engine", ["duckdb", "arrays"])
def test_columns_whose_names_differ_by_case(engine: str, tmp_path: Path) -> None:
    (tmp_path / "v.csv").write_text("pay,PAY,b\n1,3,x\n2,4,y\n")
    data = Source(tmp_path / "v.csv", engine=engine)
    assert count_on_grid(data, range(9), column="pay").places.tolist() == [1, 2]
    assert count_on_grid(data, range(9), column="PAY").places.tolist() == [3, 4]
    assert count_on_grid(Source(data, {"PAY": 4}), range(9), column="pay").places.tolist() == [2]


@pytest.mark.long
def test_a_stopped_session_of_spark(run_python: "RunPython", tmp_path: Path) -> None:
    """A session of its own in a process of its own, asked, stopped, and its JVM killed; files open a new one."""
    pytest.importorskip("pyspark")
    pl.DataFrame({"v": [4711]}).write_parquet(tmp_path / "rows.parquet")
    done = run_python(STOPPED, str(tmp_path / "rows.parquet"))
    if "Skipped" in done.stderr:
        pytest.skip("Spark needs Java")
    rule = "EngineError: spark could not run the job: its session is stopped; start one and read the data again"
    assert done.stdout.splitlines() == ["1", "1", rule, rule, rule, "1", "1", rule], done.stderr


@pytest.mark.long
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning", "ignore::ResourceWarning")
def test_files_read_by_spark(refused: "Refused", tmp_path: Path) -> None:
    from tests.contracts.engines import spark_session

    session = spark_session()

    def asked(name: str, column: str = "v") -> Any:
        return count_on_grid(Source(str(tmp_path / name), engine="spark"), range(9), column=column, missing="drop")

    (tmp_path / "ragged.csv").write_text("v,w\n1,4711\n2,3,4711\n")
    with refused(DataError, "must be a CSV file", "as many fields in every line", "ragged.csv", hidden=("4711",)):
        asked("ragged.csv")
    (tmp_path / "[1].csv").write_text("v,w\n1,4711\n")
    with refused(ParameterError, "files for Spark", "nor hold", "[1].csv"):
        asked("[1].csv")
    (tmp_path / "_a.csv").write_text("v,w\n1,4711\n")
    with refused(ParameterError, "must not begin with _", "_a.csv"):
        asked("?a.csv")
    pl.DataFrame({"v": [1]}).write_parquet(tmp_path / "a.parquet")
    pl.DataFrame({"w": [4711]}).write_parquet(tmp_path / "b.parquet")
    with refused(DataError, "the same columns of the same types", hidden=("4711",)):
        asked("*.parquet")
    assert not session.sql("show views like 'dampen_*'").collect()


STOPPED = """
    import sys

    import ibis
    from pyspark import SparkContext
    from pyspark.sql import SparkSession

    from dampen.errors import DampenError
    from dampen.tables import count_on_grid
    from dampen.tables.engines import Source
    from tests.contracts.engines import spark_session

    def ask(data):
        try:
            print(count_on_grid(data, range(5000), column="v").n)
        except DampenError as refusal:
            print(f"{type(refusal).__name__}: {refusal}")

    session = spark_session()
    made, read = session.createDataFrame([(4711,)], "v int"), session.read.parquet(sys.argv[1])
    table = ibis.pyspark.connect(session).read_parquet(sys.argv[1])
    ask(made)
    ask(table)
    session.stop()
    for data in (made, read, table, Source(sys.argv[1], engine="spark")):
        ask(data)
    again = SparkSession.builder.getOrCreate().read.parquet(sys.argv[1])
    ask(again)
    SparkContext._gateway.proc.kill()
    SparkContext._gateway.proc.wait()
    ask(again)
"""


@pytest.mark.parametrize(
    ("leaves_out", "rule"),
    [
        ({"where": {"city": "Oslo"}}, "where must be left out under REPLACE"),
        ({"missing": "drop"}, "missing must be 'refuse'"),
    ],
    ids=["where", "missing"],
)
def test_nothing_is_left_out_where_the_number_of_values_is_public(
    leaves_out: dict[str, Any], rule: str, refused: "Refused", untouched: dampen.Budget
) -> None:
    data = Source({"v": [1, 2], "city": ["Oslo", "Bonn"]}, column="v", **leaves_out)
    common: dict[str, Any] = {"adjacency": dampen.Adjacency.REPLACE, "epsilon": 1, "budget": untouched}
    with refused(ParameterError, rule):
        dampen.percentile(data, 50, bounds=range(5), **common)
    with refused(ParameterError, rule):
        dampen.percentile(data, 50, bounds=range(5), method="rank", **common)
    with refused(ParameterError, rule):
        dampen.percentiles(data, [50], bounds=range(5), **common)
    if "where" in leaves_out:
        with refused(ParameterError, rule):
            dampen.percentile(data, 50, bounds=(0, 5), method="number", **common)
    with refused(ParameterError, rule):
        dampen.mean(data, bounds=(0, 5), **common)
    with refused(ParameterError, rule):
        dampen.variance(data, bounds=(0, 5), **common)


def test_a_filtered_sum_may_lose_a_whole_value_under_replace() -> None:
    from dampen.queries import sum_problem

    data = Source({"v": [9, 9], "city": ["Oslo", "Bonn"]}, {"city": "Oslo"})
    problem = sum_problem(data, bounds=(8, 10), adjacency=dampen.Adjacency.REPLACE, column="v")
    assert int(problem.value) == 9
    assert problem.frame.bound == 10


def test_progress_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    from dampen.tables.engines import progress

    monkeypatch.setattr(progress, "EVERY", 0.001)
    shares = list[float | None]()

    def scan(share: float | None) -> None:
        looked = Event()

        def look() -> float | None:
            looked.set()
            return share

        with progress.watch(look):
            assert looked.wait(60)

    with progress.tell_progress(shares.append):
        with progress.share_progress(1, 4):
            scan(20.0)
        scan(None)
    assert {*shares} == {30.0, 50.0, None, 100.0}
    assert shares[-1] == 100.0
    with progress.watch(lambda: 1.0):
        pass
    assert 1.0 not in shares


def test_scans_of_files_relations_and_ibis_are_told_of(tmp_path: Path) -> None:
    import ibis

    from dampen.tables.engines import progress

    path, connection = tmp_path / "v.parquet", duckdb.connect()
    connection.sql("select i % 7 as v from range(1000) t(i)").write_parquet(str(path))
    for data in (path, connection.read_parquet(str(path)), ibis.duckdb.connect().read_parquet(path)):
        shares = list[float | None]()
        with progress.tell_progress(shares.append), open_engine(data, "v") as engine:
            engine.row_count()
        assert shares[-1] == 100.0


def test_a_source_shows_nothing() -> None:
    assert repr(Source({"v": [4711]}, {"v": 4711})) == "Source()"
    with open_engine({"v": [4711]}) as engine:
        assert "4711" not in repr(engine)
