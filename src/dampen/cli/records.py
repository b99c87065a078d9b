"""What every verb that reads records shares: which file, which column, which rows, and who counts."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from enum import StrEnum
from typing import Annotated

import typer

from dampen.errors import ParameterError
from dampen.tables.engines import Source
from dampen.tables.engines.progress import tell_progress
from dampen.tables.engines.registry import file_engines

EngineName = StrEnum("EngineName", {name.upper(): name for name in file_engines()})  # type: ignore[misc]
"""The engines that read files, by their names on the command line."""
DEFAULT_ENGINE = EngineName("duckdb")
File = Annotated[
    str, typer.Argument(help="CSV (with a header line) or Parquet file, one row per record; or a quoted pattern.")
]
Column = Annotated[str, typer.Option(help="Column to read.")]
Where = Annotated[
    list[str] | None, typer.Option(help="Only rows with this value, as it is written: city=Paris; repeat it for more.")
]
Engine = Annotated[EngineName, typer.Option(help="Who counts: this process, DuckDB, or a local Spark session.")]
DropMissing = Annotated[bool, typer.Option("--drop-missing", help="Leave out missing values instead of refusing them.")]


def missing_rule(drop: bool) -> str:
    """What happens to missing values."""
    return "drop" if drop else "refuse"


def source(file: str, engine: EngineName, where: list[str] | None = None) -> Source:
    """The rows that are meant, read by the engine that is meant."""
    return Source(file, dict(map(_filter, where)) if where else None, engine.value)


@contextmanager
def progress() -> Iterator[None]:
    """A bar on standard error while a scan takes long, if somebody watches."""
    if not sys.stderr.isatty():
        yield
        return
    from rich.console import Console
    from rich.progress import Progress

    with Progress(console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("counting", total=None)
        with tell_progress(lambda share: bar.update(task, completed=share, total=None if share is None else 100.0)):
            yield


def _filter(where: str) -> tuple[str, str]:
    """``city=Paris`` as a column and its value."""
    column, equals, value = where.partition("=")
    if not (column and equals and value):
        raise ParameterError(f"where must be written column=value, e.g. city=Paris; got {where[:60]!r}")
    return column, value
