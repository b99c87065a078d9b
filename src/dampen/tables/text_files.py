"""Text in files: how it is decoded, its first record, and a copy in UTF-8 for DuckDB, which reads nothing else."""

import gzip
import zlib
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from io import TextIOWrapper
from pathlib import Path
from shutil import copyfileobj
from typing import IO, cast

from dampen.describe.reading import FileReading
from dampen.tables.file_formats import GZIP, PLAIN_TEXT, FileFormat

DAMAGED = (OSError, EOFError, zlib.error)
"""What Python raises where a file cannot be opened or unpacked."""
PIECE = 2**20
MARK = b"\xef\xbb\xbf"
"""The byte order mark of UTF-8."""


@contextmanager
def open_text(file: Path, form: FileFormat, reading: FileReading) -> Iterator[TextIOWrapper]:
    """The text of a file, line ends as they are."""
    encoding = "utf-8-sig" if reading.is_utf_8 else reading.encoding
    with open_bytes(file, form.packing) as held, TextIOWrapper(held, encoding, newline="") as text:
        yield text


def open_bytes(file: Path, packing: str) -> IO[bytes]:
    """What a file holds, unpacked."""
    return cast(IO[bytes], gzip.GzipFile(file)) if packing == GZIP else file.open("rb")


def first_record(lines: Iterable[str], header: bool) -> list[str]:
    """The lines of the first record: a quoted field may go over several. Without a header blank lines are skipped."""
    start: list[str] = []
    for line in lines:
        if not start and not header and not line.strip("\r\n"):
            continue
        start.append(line)
        if sum(part.count('"') for part in start) % 2 == 0:
            break
    return start


def needs_copy(file: Path, form: FileFormat, reading: FileReading) -> bool:
    """Whether DuckDB cannot read a text as it is: in another encoding, or JSON behind a byte order mark."""
    if not form.is_text:
        return False
    if not reading.is_utf_8 or form.has_lines or form.packing != PLAIN_TEXT:
        return not reading.is_utf_8
    with file.open("rb") as start:
        return start.read(len(MARK)) == MARK


def copy_text(file: Path, copy: Path, form: FileFormat, reading: FileReading) -> None:
    """Write a text anew, unpacked and in UTF-8."""
    with open_text(file, form, reading) as text, copy.open("x", encoding="utf-8", newline="") as target:
        copyfileobj(text, target, PIECE)


def read_through(file: Path, form: FileFormat) -> None:
    """Unpack a file for nothing: DuckDB does not notice that one is cut short, and would leave out its last rows."""
    with open_bytes(file, form.packing) as held:
        while held.read(PIECE):
            pass
