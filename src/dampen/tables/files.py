"""Tables in files: which column is meant, and DuckDB on it. Nothing here says what a file holds."""

import csv
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from glob import glob
from pathlib import Path
from typing import TYPE_CHECKING
from uuid import uuid4

from dampen._validate import render
from dampen.errors import DataError, ParameterError
from dampen.tables.spill import spill_folder

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

DELIMITERS = ",;\t|"
TEXT = "VARCHAR"


def existing_file(path: str | Path) -> Path:
    """The path of a file that is there."""
    file = Path(path)
    try:
        found = file.is_file()
    except (OSError, ValueError):
        found = False
    if not found:
        raise ParameterError(f"file must exist; got {render(str(path), longest=200)}")
    return file


def existing_files(pattern: str | Path) -> list[Path]:
    """The files that a path or a pattern with ``*``, ``?`` or ``[...]`` names, sorted: all Parquet, or all CSV."""
    try:
        found = [Path(pattern)] if Path(pattern).is_file() else sorted(map(Path, glob(str(pattern), recursive=True)))
        files = [file for file in found if file.is_file()]
    except (OSError, ValueError):
        files = []
    if not files:
        raise ParameterError(f"file must exist; got {render(str(pattern), longest=200)}")
    if len({is_parquet(file) for file in files}) > 1:
        raise ParameterError(f"files must be all Parquet or all CSV; got both for {render(str(pattern), longest=200)}")
    return files


def is_parquet(file: Path) -> bool:
    """Whether a file is Parquet by its ending; every other file is CSV."""
    return file.suffix.lower() == ".parquet"


def table_error(file: Path) -> DataError:
    """What is raised, without a reason, when a file cannot be read: reasons quote the data."""
    rule = "with a header line, as many fields in every line and one kind of line end"
    return DataError(f"{file.name[-60:]} must be a CSV file in UTF-8 {rule}, or a Parquet file")


def column_place(columns: list[str], file: Path, **named: str) -> int:
    """Where the column that an argument names stands among the columns of a file."""
    [(argument, column)] = named.items()
    if columns.count(column) != 1:
        raise ParameterError(f"{argument} must be a column of {file.name[-60:]}, and one alone; got {render(column)}")
    return columns.index(column)


def quote(name: str) -> str:
    """A name as SQL takes it."""
    return '"' + name.replace('"', '""') + '"'


def literal(text: str) -> str:
    """A text as SQL takes it; NUL, which may stand in no query, by its number."""
    parts = ["'" + part.replace("'", "''") + "'" for part in text.split("\0")]
    return parts[0] if len(parts) == 1 else f"({' || chr(0) || '.join(parts)})"


@contextmanager
def connect_files(*files: Path) -> Iterator[tuple["DuckDBPyConnection", list[str]]]:
    """A database in memory and names of the files that no SQL and no file pattern can misread.

    What the database must spill goes into a folder of its own that is removed. Its errors quote the data, so they are
    replaced; it tells an interrupt from the keyboard as an error of its own.
    """
    import duckdb

    with spill_folder() as folder:
        names = []
        for place, file in enumerate(files):
            link = folder / f"table{place}.{'parquet' if is_parquet(file) else 'csv'}"
            link.symlink_to(file.resolve())
            names.append(str(link))
        with duckdb.connect(config={"temp_directory": str(folder / "spill")}) as connection:
            connection.execute("set enable_progress_bar = false")
            try:
                yield connection, names
            except BaseException as error:
                connection.interrupt()  # closing would wait until the query that was left has read everything
                if not isinstance(error, duckdb.Error | RuntimeError):
                    raise
                if isinstance(error.__context__, KeyboardInterrupt) or str(error).startswith("KeyboardInterrupt"):
                    raise KeyboardInterrupt from None
                raise (table_error(files[0]) if isinstance(error, duckdb.Error) else error) from None


def csv_source(names: Sequence[str], width: int, delimiter: str) -> str:
    """SQL: the rows of CSV files after their headers, every field as text.

    What stands for null is drawn anew, so that no field does.
    """
    fields = ", ".join(f"'c{place}': 'VARCHAR'" for place in range(width))
    listed = ", ".join(map(literal, names))
    return (
        f"read_csv([{listed}], auto_detect=false, header=true, delim='{delimiter}', quote='\"', escape='\"', "
        f"columns={{{fields}}}, nullstr='{uuid4().hex}', strict_mode=true, null_padding=false, ignore_errors=false)"
    )


def header_of(file: Path, *columns: str) -> tuple[list[str], str]:
    """The names of the columns and the delimiter, from the header alone; a quoted name may go over several lines.

    The delimiter is the first under which the header holds most of these columns; without any, most names.
    """
    try:
        start = _header_lines(file)
        headers = {mark: _fields(start, mark) for mark in DELIMITERS}
        delimiter = max(DELIMITERS, key=lambda mark: len({*columns} & {*headers[mark]} if columns else headers[mark]))
        header = headers[delimiter]
    except (UnicodeDecodeError, OSError):
        raise table_error(file) from None
    if not header:
        raise table_error(file)
    return header, delimiter


def _fields(start: list[str], delimiter: str) -> list[str]:
    """The names of a header under a delimiter; none where a quoted name ends before another mark."""
    try:
        return next(csv.reader(start, delimiter=delimiter, strict=True), [])
    except csv.Error:
        return []


def _header_lines(file: Path) -> list[str]:
    start: list[str] = []
    with file.open(encoding="utf-8-sig", newline="") as lines:
        for line in lines:
            start.append(line)
            if sum(part.count('"') for part in start) % 2 == 0:
                break
    return start
