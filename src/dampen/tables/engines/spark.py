"""Spark, through ibis. Needs the extra ``spark`` and Java."""

import warnings
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, wait
from contextlib import contextmanager, suppress
from dataclasses import replace
from pathlib import Path
from threading import Thread
from typing import Any
from uuid import uuid4

from dampen._validate import render
from dampen.describe.reading import PLAIN, FileReading
from dampen.errors import DampenError, DataError, EngineError, MissingExtra, ParameterError
from dampen.tables.engines.duck_files import common_header
from dampen.tables.file_formats import PARQUET, FileFormat
from dampen.tables.files import MARKED, column_place, connect_files, csv_source, existing_files, table_files
from dampen.tables.unreadable import fault_of

UNREADABLE = "spark could not read the data frame: its columns must have different names, and a query must run on it"
STOPPED = "spark could not run the job: its session is stopped; start one and read the data again"
ORDERS, BETWEEN_ORDERS = 8, 0.1
"""A job is told so often to end, after so many seconds each: one that is about to start does not hear the first."""


@contextmanager
def as_table(frame: Any, backend: Any = None) -> Iterator[Any]:
    """A Spark data frame as an ibis table, for a while under a temporary name of its session.

    ``backend``: that of ibis for its session; tables are joined where they have one and the same.
    """
    name = f"dampen_{uuid4().hex}"
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            frame.createOrReplaceTempView(name)
            table = _with_zones((backend or connect(frame)).table(name), frame)
    except EngineError:
        raise
    except Exception as error:
        raise EngineError(STOPPED if is_stopped(error) or not _has_context(frame) else UNREADABLE) from None
    try:
        yield table
    finally:
        with suppress(Exception):
            frame.sparkSession.catalog.dropTempView(name)


def connect(frame: Any) -> Any:
    """The backend of ibis for the session of a data frame."""
    import ibis

    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return ibis.pyspark.connect(frame.sparkSession)
    except Exception:
        raise EngineError(STOPPED) from None


def _with_zones(table: Any, frame: Any) -> Any:
    """The same table, where ibis knows which moments have a zone: it takes Spark's two kinds of timestamps for one."""
    zoned = [name for name, kind in frame.dtypes if kind == "timestamp"]
    return table.mutate(**{name: table[name].cast("timestamp('UTC')") for name in zoned}) if zoned else table


def is_on_spark(expression: Any) -> bool:
    """Whether an expression of ibis is computed by Spark: from a data frame, or a table that the caller has of ibis."""
    return bool(expression.get_backend().name == "pyspark")


def stream_batches(expression: Any) -> Iterator[Any]:
    """What an expression returns, as batches of Arrow, each held once.

    ibis would make objects of Python and a frame of pandas of all rows first, some 400 bytes for two whole numbers.
    """
    backend = expression.get_backend()
    backend._run_pre_execute_hooks(expression)  # tables in memory and functions of the caller; ibis has no public name
    return iter(_collect(backend.raw_sql(backend.compile(expression))).to_batches())


def _collect(frame: Any) -> Any:
    """The rows of a data frame as a table of Arrow, made of the very batches that Spark sends as its tasks end.

    A thread of its own reads them to the end, whatever happens here: the scheduler of Spark writes them, and would wait
    for ever for a reader who heard Ctrl-C, deaf to the order to cancel the job.
    """
    from pyspark import inheritable_thread_target

    if not _has_context(frame):
        raise EngineError(STOPPED)
    tag, found = f"dampen_{uuid4().hex}", Future[Any]()
    add_tag, cancel = _tags(frame.sparkSession)

    @inheritable_thread_target(frame.sparkSession)  # type: ignore[untyped-decorator, unused-ignore]
    def read() -> Any:
        add_tag(tag)  # of this thread alone, and of what it starts
        return frame.toArrow()

    Thread(target=lambda: _settle(found, read), daemon=True).start()
    try:
        return found.result()
    except KeyboardInterrupt:
        for _ in range(ORDERS):
            with suppress(Exception):
                cancel(tag)
            if wait([found], BETWEEN_ORDERS).done:
                break
        raise


def _settle(found: "Future[Any]", work: Callable[[], Any]) -> None:
    try:
        found.set_result(work())
    except BaseException as error:
        found.set_exception(error)


def _tags(session: Any) -> tuple[Callable[[str], None], Callable[[str], Any]]:
    """What gives a tag to the jobs of this thread, and what cancels those that have it: here, or on a server."""
    from pyspark.sql import is_remote

    if is_remote():
        return session.addTag, session.interruptTag
    return session.sparkContext.addJobTag, session.sparkContext.cancelJobsWithTag


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


def read_files(pattern: str | Path, columns: Sequence[str], reading: FileReading = PLAIN) -> Any:
    """CSV, TSV or Parquet files as a Spark data frame of the running session, or of a new local one."""
    files, form = table_files(pattern, reading)
    _require_readable(files, form, reading)
    session = local_session()
    try:
        return _read(session, files, form, columns, reading)
    except DampenError:
        raise
    except Exception as error:
        raise (EngineError(STOPPED) if is_stopped(error) else fault_of(files, reading)) from None


def _require_readable(files: list[Path], form: FileFormat, reading: FileReading) -> None:
    if not (form.has_lines or form == PARQUET):
        raise ParameterError(
            f"engine 'spark' reads .csv, .csv.gz, .tsv, .tsv.gz and .parquet; give others to 'duckdb'; "
            f"got {render(files[0].name)}"
        )
    if not reading.is_utf_8:
        raise ParameterError(f"encoding must be UTF-8 for Spark; give others to 'duckdb'; got {reading.encoding!r}")
    for file in files:
        if file.name.startswith(("_", ".")) or {*str(file.resolve())} & {*"[]{}*?\\"}:
            rule = "must not begin with _ or a dot, which it skips, nor hold []{}*? or \\"
            raise ParameterError(f"files for Spark {rule}; got {render(file.name)}")


def _read(session: Any, files: list[Path], form: FileFormat, columns: Sequence[str], reading: FileReading) -> Any:
    names = [str(file.resolve()) for file in files]
    if form == PARQUET:
        kinds = {tuple(session.read.parquet(name).dtypes) for name in names}
        if len(kinds) > 1:
            raise DataError(f"{files[0].name[-60:]} and the other files must have the same columns of the same types")
        return session.read.parquet(*names)
    header, mark = common_header(files, columns, reading)
    known = replace(reading, delimiter=mark)
    rows = _strict_rows(files, len(header), form, known)
    reader = session.read.option("sep", mark).option("quote", '"').option("escape", '"').option("maxCharsPerColumn", -1)
    reader = reader.option("header", reading.header).option("unescapedQuoteHandling", "RAISE_ERROR")
    frame = reader.option("mode", "FAILFAST").option("multiLine", True).csv(names)
    if frame.count() != rows:
        raise fault_of(files, known)
    frame = frame.na.fill("")
    return _read_fields(frame if reading.header else frame.toDF(*header), reading)


def _read_fields(frame: Any, reading: FileReading) -> Any:
    """Fields that stand for a missing value are null; numbers have the decimal mark that is said."""
    if reading.decimal == "." and not reading.na:
        return frame
    from pyspark.sql import functions

    columns = []
    for name in frame.columns:
        field = text = frame["`" + name.replace("`", "``") + "`"]
        if reading.decimal == ",":
            other = functions.translate(field, ".,", ",.")
            text = functions.when(field.rlike(rf"\A(?:{MARKED})\z"), other).otherwise(field)
        columns.append((functions.when(~field.isin(*reading.na), text) if reading.na else text).alias(name))
    return frame.select(*columns)


def _strict_rows(files: list[Path], width: int, form: FileFormat, reading: FileReading) -> int:
    """How many rows DuckDB's strict scan finds, which refuses malformed lines: Spark would swallow or pad some of them.

    One line with a quote that is never closed could take all lines after it into one field.
    """
    with connect_files(*files, reading=reading) as (connection, names):
        source = csv_source(names, width, str(reading.delimiter), reading, form.packing)
        found = connection.sql(f"select count(*) from {source}").fetchone()
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


def read_two_columns(pattern: str | Path, one: str, two: str, reading: FileReading = PLAIN) -> list[tuple[str, str]]:
    """Two columns of files as texts, read by Spark: for small tables such as scores."""
    frame = read_files(pattern, [one, two], reading)
    for argument, column in (("label", one), ("score", two)):
        column_place(list(frame.columns), existing_files(pattern)[0], **{argument: column})
    chosen = frame.select(frame[one].cast("string"), frame[two].cast("string"))
    return [("" if row[0] is None else row[0], "" if row[1] is None else row[1]) for row in chosen.collect()]
