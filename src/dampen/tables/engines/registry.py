"""The engines that there are: which data each counts, how it is opened, and how it is tried out.

Nothing is imported for an engine before it is opened. A new engine is one more entry here; the names that ``engine=``
and ``--engine`` take and the lines of ``dampen doctor`` follow from it.
"""

import shutil
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any

from dampen.describe.reading import FileReading
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
    such data. ``open_files``: the engine of the files that a pattern names, with the columns that will be asked for
    and how they are written; None where it reads no files. ``sample``: :data:`ROWS` as its own data. ``packages``:
    whose versions are told, and ``is_extra`` whether dampen does not install them itself. ``lacks``: what else is
    missing, as a sentence.
    ``session``: what is told instead of a trial, where one would start a session.
    """

    owns: Callable[[Any], bool]
    open: Callable[[Any], Opened]
    sample: Callable[[], Any]
    open_files: Callable[[str | Path, Sequence[str], FileReading], Opened] | None = None
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


def _later(module: str, name: str) -> Callable[..., Any]:
    """A function or class of a module beside this one, imported when it is called."""
    return lambda *given: getattr(import_module(f"dampen.tables.engines.{module}"), name)(*given)


def _open_ibis(data: Any, location: str = "") -> Opened:
    try:
        from dampen.tables.engines.ibis import open_table
    except ImportError:
        raise MissingExtra(
            "tables of ibis and Spark need the extra: pip install 'dampen[ibis]' or 'dampen[spark]'"
        ) from None
    return open_table(data, location)


ENGINES: dict[str, EngineEntry] = {
    "arrays": EngineEntry(
        owns=lambda data: False,
        open=lambda data: nullcontext(_later("arrays", "ArrayEngine")(data)),
        open_files=_later("duck_files", "load_files"),
        sample=lambda: ROWS,
        packages=("numpy", "numba", "narwhals"),
    ),
    "duckdb": EngineEntry(
        owns=lambda data: _is_type(data, ("duckdb", "_duckdb"), "DuckDBPyRelation"),
        open=lambda data: nullcontext(_later("duckdb", "engine_of_relation")(data)),
        open_files=_later("duck_files", "open_files"),
        sample=lambda: import_module("duckdb").connect().sql(ROWS_SQL),
        packages=("duckdb",),
    ),
    "ibis": EngineEntry(
        owns=lambda data: _is_type(data, ("ibis",)),
        open=_open_ibis,
        sample=lambda: import_module("ibis").duckdb.connect().sql(ROWS_SQL),
        packages=("ibis-framework", "sqlglot"),
        is_extra=True,
    ),
    "spark": EngineEntry(
        owns=lambda data: _is_type(data, ("pyspark",), "DataFrame"),
        open=_open_ibis,
        open_files=lambda pattern, columns, reading: _open_ibis(
            _later("spark", "read_files")(pattern, columns, reading), Path(pattern).name
        ),
        sample=lambda: _later("spark", "local_session")().createDataFrame([*zip(ROWS["value"])], "value double"),
        packages=("pyspark", "ibis-framework"),
        is_extra=True,
        lacks=lambda: "" if shutil.which("java") else "Java is missing: apt-get install openjdk-17-jre-headless",
        session="Java found (not started; see --start-spark)",
    ),
}
