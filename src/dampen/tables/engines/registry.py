"""The engines that there are: which data each counts, how it is opened, and how it is tried out.

Nothing is imported for an engine before it is opened. A new engine is one more entry here; the names that ``engine=``
and ``--engine`` take and the lines of ``dampen doctor`` follow from it.
"""

import shutil
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from dampen.errors import MissingExtra
from dampen.tables.engines.base import Engine

Opened = AbstractContextManager[Engine]
ROWS = {"value": [1.5, 2.5, 2.5]}
"""What an engine counts to show that it works: see ``sample``."""
ROWS_SQL = "select unnest([1.5, 2.5, 2.5]::double[]) as value"


@dataclass(frozen=True)
class EngineEntry:
    """One engine.

    ``owns``: whether data of this type is its own, told by names so that nothing is imported. ``open``: the engine of
    such data. ``open_files``: the engine of the files that a pattern names, with the columns that will be asked for;
    None where it reads no files. ``sample``: :data:`ROWS` as its own data. ``packages``: whose versions are told, and
    ``is_extra`` whether dampen does not install them itself. ``lacks``: what else is missing, as a sentence.
    ``session``: what is told instead of a trial, where one would start a session.
    """

    owns: Callable[[Any], bool]
    open: Callable[[Any], Opened]
    sample: Callable[[], Any]
    open_files: Callable[[str | Path, Sequence[str]], Opened] | None = None
    packages: tuple[str, ...] = ()
    is_extra: bool = False
    lacks: Callable[[], str] = lambda: ""
    session: str = ""


def engine_of(data: Any) -> str:
    """The name of the engine that counts data of this type; arrays take what no other engine owns."""
    return next((name for name, entry in ENGINES.items() if entry.owns(data)), "arrays")


def file_engines() -> tuple[str, ...]:
    """The engines that read files, by name."""
    return tuple(name for name, entry in ENGINES.items() if entry.open_files is not None)


def _is_type(data: Any, homes: tuple[str, ...], name: str | None = None) -> bool:
    kind = type(data)
    return kind.__module__.partition(".")[0] in homes and name in (None, kind.__name__)


def _open_arrays(data: Any) -> Opened:
    from dampen.tables.engines.arrays import ArrayEngine

    return nullcontext(ArrayEngine(data))


def _load_files(pattern: str | Path, columns: Sequence[str]) -> Opened:
    from dampen.tables.engines.duck_files import load_files

    return load_files(pattern, columns)


def _open_relation(data: Any) -> Opened:
    from dampen.tables.engines.duckdb import DuckEngine

    return nullcontext(DuckEngine.of_relation(data))


def _open_files(pattern: str | Path, columns: Sequence[str]) -> Opened:
    from dampen.tables.engines.duck_files import open_files

    return open_files(pattern, columns)


def _relation() -> Any:
    import duckdb

    return duckdb.connect().sql(ROWS_SQL)


def _open_ibis(data: Any, location: str = "") -> Opened:
    try:
        from dampen.tables.engines.ibis import open_table
    except ImportError:
        raise MissingExtra(
            "tables of ibis and Spark need the extra: pip install 'dampen[ibis]' or 'dampen[spark]'"
        ) from None
    return open_table(data, location)


def _ibis_table() -> Any:
    import ibis

    return ibis.duckdb.connect().sql(ROWS_SQL)


def _open_spark_files(pattern: str | Path, columns: Sequence[str]) -> Opened:
    from dampen.tables.engines.spark import read_files

    return _open_ibis(read_files(pattern, columns), Path(pattern).name)


def _spark_frame() -> Any:
    from dampen.tables.engines.spark import local_session

    return local_session().createDataFrame([(value,) for value in ROWS["value"]], "value double")


def _missing_java() -> str:
    return "" if shutil.which("java") else "Java is missing: apt-get install openjdk-17-jre-headless"


ENGINES: dict[str, EngineEntry] = {
    "arrays": EngineEntry(
        lambda data: False, _open_arrays, lambda: ROWS, _load_files, packages=("numpy", "numba", "narwhals")
    ),
    "duckdb": EngineEntry(
        lambda data: _is_type(data, ("duckdb", "_duckdb"), "DuckDBPyRelation"),
        _open_relation,
        _relation,
        _open_files,
        packages=("duckdb",),
    ),
    "ibis": EngineEntry(
        lambda data: _is_type(data, ("ibis",)),
        _open_ibis,
        _ibis_table,
        packages=("ibis-framework", "sqlglot"),
        is_extra=True,
    ),
    "spark": EngineEntry(
        lambda data: _is_type(data, ("pyspark",), "DataFrame"),
        _open_ibis,
        _spark_frame,
        _open_spark_files,
        packages=("pyspark", "ibis-framework"),
        is_extra=True,
        lacks=_missing_java,
        session="Java found (not started; see --start-spark)",
    ),
}
