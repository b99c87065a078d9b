"""``dampen describe`` and ``check``: a draft of what is publicly known of a file, and whether the file keeps to it."""

from pathlib import Path
from typing import Annotated

import typer

from dampen.cli.options import Reading, path_of
from dampen.cli.progress import progress
from dampen.cli.verbs import verb
from dampen.describe.description import Description
from dampen.describe.draft import draft
from dampen.describe.reading import PLAIN, FileReading
from dampen.describe.toml import toml_text
from dampen.errors import DataError
from dampen.front.checking import check as check_table
from dampen.front.opening import graph_of
from dampen.tables.declared import declared_columns
from dampen.tables.stdin import STDIN

FIRST_LINE = "note: the first line was read as the names of the columns; if it is a record, use --no-header."


@verb(2)
def describe(
    file: Annotated[str, typer.Argument(metavar="FILE", help="Data file, or quoted pattern; - for standard input.")],
    options: Reading,
) -> None:
    """Draft a description of a file from the names and declared types of its columns alone; fill it in.

    Example:
      dampen describe staff.csv > staff.toml
    """
    reading = options.of_file() or PLAIN
    with path_of(file) as path:
        columns = declared_columns(str(path), reading)
    typer.echo(draft(columns, data=None if file == STDIN else file) + _reading_table(reading), nl=False)
    if reading.header and all(declared is None for _, declared in columns):
        typer.echo(FIRST_LINE, err=True)


def _reading_table(reading: FileReading) -> str:
    """How the file is written, where it does not say so itself."""
    said = {name: getattr(reading, name) for name in reading.given()}
    return "\n" + toml_text({"reading": said}) if said else ""


@verb(4)
def check(
    file: Annotated[Path, typer.Argument(metavar="FILE", readable=False, help="Description (.toml).")],
) -> None:
    """Tell the curator which column breaks which rule of its description; not private, and nothing is spent.

    Example:
      dampen check staff.toml
    """
    found = Description.read(file)
    with progress():
        broken = check_table(found) if found.graph is None else _check_graph(found)
    for sentence in broken:
        typer.echo(sentence)
    if broken:
        raise typer.Exit(1)
    typer.echo("everything keeps to its description")


def _check_graph(found: Description) -> list[str]:
    try:
        graph_of(found)
    except DataError as error:
        return [str(error)]
    return []
