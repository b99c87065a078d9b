"""Spark, through ibis. Needs the extra ``spark`` and Java."""

import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any
from uuid import uuid4

from dampen._validate import render
from dampen.errors import DampenError, DataError, EngineError, MissingExtra, ParameterError
from dampen.tables.files import (
    column_place,
    connect_files,
    csv_source,
    existing_files,
    header_of,
    is_parquet,
    table_error,
)

UNREADABLE = "spark could not read the data frame: its columns must have different names, and a query must run on it"
STOPPED = "spark could not run the job: its session is stopped; start one and read the data again"


@contextmanager
def as_table(frame: Any) -> Iterator[Any]:
    """A Spark data frame as an ibis table, for a while under a temporary name of its session."""
    import ibis

    name = f"dampen_{uuid4().hex}"
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            frame.createOrReplaceTempView(name)
            table = _with_zones(ibis.pyspark.connect(frame.sparkSession).table(name), frame)
    except Exception as error:
        raise EngineError(STOPPED if is_stopped(error) or not _has_context(frame) else UNREADABLE) from None
    try:
        yield table
    finally:
        with suppress(Exception):
            frame.sparkSession.catalog.dropTempView(name)


def _with_zones(table: Any, frame: Any) -> Any:
    """The same table, where ibis knows which moments have a zone: it takes Spark's two kinds of timestamps for one."""
    zoned = [name for name, kind in frame.dtypes if kind == "timestamp"]
    return table.mutate(**{name: table[name].cast("timestamp('UTC')") for name in zoned}) if zoned else table


def tasks_done(session: Any) -> Callable[[], float | None]:
    """What tells how many percent of the tasks of the running stages are done; None where Spark does not tell."""

    def look() -> float | None:
        try:
            tracker = session.sparkContext.statusTracker()
            stages = [tracker.getStageInfo(stage) for stage in tracker.getActiveStageIds()]
            tasks = sum(stage.numTasks for stage in stages)
            return 100 * sum(stage.numCompletedTasks for stage in stages) / tasks if tasks else None
        except Exception:
            return None

    return look


def is_stopped(error: Exception) -> bool:
    """Whether a job failed because its session is gone. What an error says of the data is not looked at."""
    gone = isinstance(error, AttributeError | TypeError) and "NoneType" in str(error)
    lost = type(error).__name__ in ("Py4JNetworkError", "ConnectionRefusedError")
    return gone or lost or "stopped SparkContext" in str(error)


def _has_context(frame: Any) -> bool:
    """Whether the session of a data frame still runs: a stopped one fails with errors that do not say so."""
    try:
        return frame.sparkSession.sparkContext._jsc is not None
    except Exception:
        return True


def read_files(pattern: str | Path, columns: Sequence[str]) -> Any:
    """CSV or Parquet files as a Spark data frame of the running session, or of a new local one."""
    files = existing_files(pattern)
    for file in files:
        if file.name.startswith(("_", ".")) or {*str(file.resolve())} & {*"[]{}*?\\"}:
            rule = "must not begin with _ or a dot, which it skips, nor hold []{}*? or \\"
            raise ParameterError(f"files for Spark {rule}; got {render(file.name)}")
    session = local_session()
    try:
        return _read(session, files, [str(file.resolve()) for file in files], columns)
    except DampenError:
        raise
    except Exception as error:
        raise (EngineError(STOPPED) if is_stopped(error) else table_error(files[0])) from None


def _read(session: Any, files: list[Path], names: list[str], columns: Sequence[str]) -> Any:
    if is_parquet(files[0]):
        kinds = {tuple(session.read.parquet(name).dtypes) for name in names}
        if len(kinds) > 1:
            raise DataError(f"{files[0].name[-60:]} and the other files must have the same columns of the same types")
        return session.read.parquet(*names)
    headers = {(tuple(header), mark) for header, mark in (header_of(file, *columns) for file in files)}
    if len(headers) > 1:
        raise DataError(f"{files[0].name[-60:]} and the other files must have the same header line")
    [(header, mark)] = headers
    rows = _strict_rows(files, len(header), mark)
    reader = session.read.option("header", True).option("sep", mark).option("quote", '"').option("escape", '"')
    reader = reader.option("unescapedQuoteHandling", "RAISE_ERROR").option("maxCharsPerColumn", -1)
    frame = reader.option("mode", "FAILFAST").option("multiLine", True).csv(names)
    if frame.count() != rows:
        raise table_error(files[0])
    return frame.na.fill("")


def _strict_rows(files: list[Path], width: int, mark: str) -> int:
    """How many rows DuckDB's strict scan finds, which refuses malformed lines: Spark would swallow or pad some of them.

    One line with a quote that is never closed could take all lines after it into one field.
    """
    with connect_files(*files) as (connection, names):
        found = connection.sql(f"select count(*) from {csv_source(names, width, mark)}").fetchone()
    return 0 if found is None else int(found[0])


def local_session() -> Any:
    """The running session, or a new one on this machine."""
    try:
        from pyspark.sql import SparkSession
    except ImportError:
        raise MissingExtra("engine 'spark' needs the extra: pip install 'dampen[spark]', and Java 17") from None
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return SparkSession.getActiveSession() or SparkSession.builder.appName("dampen").getOrCreate()
    except Exception:
        raise EngineError(
            "spark could not start: install Java 17 or later (on Debian: openjdk-17-jre-headless)"
        ) from None


def read_two_columns(pattern: str | Path, one: str, two: str) -> list[tuple[str, str]]:
    """Two columns of files as texts, read by Spark: for small tables such as scores."""
    frame = read_files(pattern, [one, two])
    for argument, column in (("label", one), ("score", two)):
        column_place(list(frame.columns), existing_files(pattern)[0], **{argument: column})
    chosen = frame.select(frame[one].cast("string"), frame[two].cast("string"))
    return [("" if row[0] is None else row[0], "" if row[1] is None else row[1]) for row in chosen.collect()]
