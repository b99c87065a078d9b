"""What every verb that reads records shares: which file, column, rows and categories, which neighbours, who counts."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import typer

from dampen._validate import render
from dampen.cli.verbs import add_members
from dampen.errors import ParameterError
from dampen.privacy import Adjacency
from dampen.tables import read_labels
from dampen.tables.engines import Source
from dampen.tables.engines.progress import tell_progress
from dampen.tables.engines.registry import file_engines


class EngineName(StrEnum):
    """The engines that read files, by their names on the command line."""

    add_members(vars(), file_engines())


class AdjacencyName(StrEnum):
    """The adjacencies of tables by their names on the command line."""

    ADD_REMOVE = "add-remove"
    REPLACE = "replace"

    @property
    def member(self) -> Adjacency:
        """The adjacency itself."""
        return Adjacency[self.name]


DEFAULT_ENGINE = EngineName("duckdb")
Neighbours = Annotated[AdjacencyName, typer.Option(help="What a neighbour is.")]
Categories = Annotated[str, typer.Option(help="All possible values: F,M or the path of a file with one per line.")]

File = Annotated[
    str, typer.Argument(help="CSV (with a header line) or Parquet file, one row per record; or a quoted pattern.")
]
Column = Annotated[str, typer.Option(help="Column to read.")]
Where = Annotated[
    list[str] | None, typer.Option(help="Only rows with this value, as it is written: city=Paris; repeat it for more.")
]
Engine = Annotated[EngineName, typer.Option(help="Who counts: this process, DuckDB, or a local Spark session.")]
DropMissing = Annotated[bool, typer.Option("--drop-missing", help="Leave out missing values instead of refusing them.")]


def drop_rule(drop: bool) -> str:
    """What happens to values that are missing, or no category."""
    return "drop" if drop else "refuse"


def source(file: str, engine: EngineName, where: list[str] | None = None) -> Source:
    """The rows that are meant, read by the engine that is meant."""
    return Source(file, dict(map(_filter, where)) if where else None, engine.value)


def read_categories(given: str) -> tuple[Any, ...]:
    """The labels: what has a comma is a list, anything else the path of a file."""
    if "," in given:
        labels = tuple(label.strip() for label in given.split(","))
        if not all(labels):
            raise ParameterError(f"categories must have no empty label, as between two commas; got {render(given)}")
        return labels
    if not Path(given).is_file():
        raise ParameterError(f"categories must be a list such as F,M or a file that exists; got {render(given)}")
    return tuple(read_labels(Path(given)))


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
