"""What verbs that read files share: which rows of which file are meant, how it is written, who reads it."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from enum import StrEnum
from functools import partial
from pathlib import Path
from typing import Annotated

import typer

from dampen.cli.lists import split_lists
from dampen.cli.verbs import Options, add_members
from dampen.cli.where import conditions_of
from dampen.describe.reading import PLAIN, FileReading
from dampen.privacy import Adjacency
from dampen.tables.engines import Source
from dampen.tables.engines.registry import file_engines
from dampen.tables.stdin import STDIN, spool_stdin


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


ADD_REMOVE = AdjacencyName("add-remove")
Neighbours = Annotated[AdjacencyName, typer.Option(help="What a neighbour is.")]
Engine = Annotated[EngineName | None, typer.Option(help="Who counts: duckdb, if left out.")]


Written = partial(typer.Option, rich_help_panel="How a text file is written")


@dataclass(frozen=True, kw_only=True)
class Reading(Options):
    """How a text file is written, where it does not say so itself."""

    delimiter: Annotated[str | None, Written(help="What stands between the fields of a CSV file.")] = None
    decimal: Annotated[str, Written(help="The decimal mark of numbers in text.")] = PLAIN.decimal
    na: Annotated[list[str] | None, Written(help="Texts that stand for a missing value: NA,-")] = None
    encoding: Annotated[str, Written(help="How a CSV file is encoded.")] = PLAIN.encoding
    no_header: Annotated[bool, Written("--no-header", help="The first line is a record; columns are c0, c1, ...")] = (
        False
    )

    def of_file(self) -> FileReading | None:
        """The same for the library; ``None`` where nothing was typed."""
        found = FileReading(
            delimiter=self.delimiter, decimal=self.decimal, na=split_lists(self.na, "na"), encoding=self.encoding,
            header=not self.no_header,
        )  # fmt: skip
        return None if found == PLAIN else found


@dataclass(frozen=True, kw_only=True)
class Rows(Options):
    """Rows of a file."""

    where: Annotated[
        list[str] | None,
        typer.Option(help="Only these rows: 'team=lab', 'team in lab,board', 'pay>=1000'; repeat it for more."),
    ] = None
    engine: Engine = None
    reading: Reading

    @contextmanager
    def open(self, file: str) -> Iterator[Source]:
        """The rows of a file; what is no column of it is read by how its condition is written."""
        with path_of(file) as path:
            yield Source(
                path, conditions_of({}, self.where or ()), name_of(self.engine), reading=self.reading.of_file()
            )


@contextmanager
def path_of(file: str) -> Iterator[str | Path]:
    """A path or pattern as it was typed; for ``-`` that of what comes from standard input."""
    if file != STDIN:
        yield file
        return
    with spool_stdin() as path:
        yield path


def name_of(chosen: StrEnum | None) -> str | None:
    """What was chosen, as the library spells it."""
    return None if chosen is None else chosen.value.replace("-", "_")
