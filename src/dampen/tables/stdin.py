"""Standard input as a file: a command reads a table as often as it likes, a pipe only once."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from shutil import copyfileobj
from typing import BinaryIO

from dampen.errors import ParameterError
from dampen.tables.spill import spill_folder

STDIN = "-"
"""What a command is given in place of a path."""


@contextmanager
def spool_stdin(stream: BinaryIO | None = None) -> Iterator[Path]:
    """What comes from standard input, as a CSV file in a folder for this user alone that is removed at the end."""
    source = stream or getattr(sys.stdin, "buffer", None)
    if source is None or source.isatty():
        raise ParameterError("file must come from a pipe where it is '-', standard input: dampen ... - < pay.csv")
    with spill_folder() as folder:
        path = folder / "stdin.csv"
        with path.open("xb") as file:
            copyfileobj(source, file)
        yield path
