"""Tables in files: which files and columns are meant, and DuckDB on them. Nothing here says what a file holds."""

import csv
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from glob import glob
from pathlib import Path
from typing import TYPE_CHECKING
from uuid import uuid4

from dampen._validate import render
from dampen.describe.nearest import nearest
from dampen.describe.reading import PLAIN, FileReading
from dampen.errors import ParameterError
from dampen.tables.file_formats import (
    PARQUET,
    PLAIN_TEXT,
    FileFormat,
    format_of,
    format_or_csv,
    known_format,
    require_options,
)
from dampen.tables.reading import read_text_number
from dampen.tables.spill import spill_folder
from dampen.tables.text_files import DAMAGED, copy_text, first_record, needs_copy, open_text, read_through
from dampen.tables.unreadable import damage_error, encoding_error, fault_of, header_error

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

TEXT = "VARCHAR"
MARKED = r"[ \t]*[+-]?([0-9]+[.,]?[0-9]*|[.,][0-9]+)([eE][+-]?[0-9]+)?[ \t]*"
"""A number, whichever its decimal mark."""
NO_LETTERS = 0xF0000
"""Where Unicode's characters for private use begin, of four bytes each."""


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
    """The files that a path or a pattern with ``*``, ``?`` or ``[...]`` names, sorted; all of them may be read."""
    shown, folder = render(str(pattern), longest=200), False
    try:
        found = [Path(pattern)] if Path(pattern).is_file() else sorted(map(Path, glob(str(pattern), recursive=True)))
        files, folder = [file for file in found if file.is_file()], Path(pattern).is_dir()
    except (OSError, ValueError):
        files = []
    if folder:
        raise ParameterError(f"file must be a file, or a pattern such as 'pay/*.csv', and no folder; got {shown}")
    if not files:
        raise ParameterError(f"file must exist; got {shown}")
    try:
        for file in files:
            file.open("rb").close()
    except PermissionError:
        raise ParameterError(f"file must be one that you may read: permission is denied; got {shown}") from None
    except OSError:
        raise ParameterError(f"file must be one that can be opened; got {shown}") from None
    return files


def table_files(pattern: str | Path, reading: FileReading = PLAIN) -> tuple[list[Path], FileFormat]:
    """The files of one table, and their format, which is one."""
    files = existing_files(pattern)
    forms = {format_of(file, reading): file.suffix for file in files}
    if len(forms) > 1:
        both = " and ".join(sorted(forms.values())[:2])
        raise ParameterError(f"files must all be of one format; got {both} for {render(str(pattern), longest=150)}")
    [form] = forms
    require_options(form, reading)
    return files, form


def is_parquet(file: Path) -> bool:
    """Whether a file is Parquet by its ending."""
    return known_format(file) == PARQUET


def column_place(columns: list[str], file: Path, **named: str) -> int:
    """Where the column that an argument names stands among the columns of a file."""
    [(argument, column)] = named.items()
    if columns.count(column) != 1:
        raise column_error(columns, column, file.name, argument)
    return columns.index(column)


def column_error(columns: Sequence[str], column: str, location: str, argument: str = "column") -> ParameterError:
    """What is raised where a table has no such column, or several: names are public, so they are told.

    But the first line of a text or a sheet may be a record instead: its names are told only if one is much like the
    name that was given, and none is blank or reads as a number.
    """
    where = f"of {location[-60:]}" if location else "of the data"
    said = f"{argument} must be a column {where}, and one alone; got {render(column)}"
    if column in columns or not columns:
        return ParameterError(said)
    near, form = nearest(column, columns), known_format(Path(location))
    if location and (form is None or "header" in form.options) and not _are_names(columns, near):
        hint = "" if form is None else "; a file without a header line is read with header=False (--no-header)"
        return ParameterError(said + hint)
    said += f", did you mean {render(near, longest=40)}?" if near is not None else ""
    return ParameterError(f"{said} (columns: {_listed(columns, 280 - len(said))})")


def _are_names(columns: Sequence[str], near: str | None) -> bool:
    if list(columns) == names_by_place(len(columns), ()):
        return True
    return near is not None and all(name.strip() and read_text_number(name) is None for name in columns)


def _listed(names: Sequence[str], room: int) -> str:
    """As many names as there is room for."""
    told = ""
    for place, name in enumerate(names):
        more = f"{', ' if told else ''}{render(name, longest=40)}"
        if len(told) + len(more) > room - 5 * (place + 1 < len(names)):
            return f"{told}, ..." if told else "..."
        told += more
    return told


def quote(name: str) -> str:
    """A name as SQL takes it."""
    return '"' + name.replace('"', '""') + '"'


def literal(text: str) -> str:
    """A text as SQL takes it; NUL, which may stand in no query, by its number."""
    parts = ["'" + part.replace("'", "''") + "'" for part in text.split("\0")]
    return parts[0] if len(parts) == 1 else f"({' || chr(0) || '.join(parts)})"


@contextmanager
def connect_files(*files: Path, reading: FileReading = PLAIN) -> Iterator[tuple["DuckDBPyConnection", list[str]]]:
    """A database in memory and names of the files that no SQL and no file pattern can misread.

    What the database must spill goes into a folder of its own that is removed, and so do copies of texts that it
    cannot read as they are. Its errors quote the data, so they are replaced; it tells an interrupt from the keyboard as
    an error of its own.
    """
    import duckdb

    with spill_folder() as folder:
        names = [_place_file(file, folder / f"table{place}", reading) for place, file in enumerate(files)]
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
                raise (fault_of(files, reading) if isinstance(error, duckdb.Error) else error) from None


def _place_file(file: Path, place: Path, reading: FileReading) -> str:
    """A link to the file, or its text in UTF-8."""
    form = format_or_csv(file)
    try:
        if needs_copy(file, form, reading):
            copy_text(file, place, form, reading)
            return str(place)
        if form.packing != PLAIN_TEXT:
            read_through(file, form)
    except UnicodeDecodeError:
        raise encoding_error(file, form, reading) from None
    except DAMAGED:
        raise damage_error(file, form) from None
    link = place.with_suffix(".parquet" if is_parquet(file) else ".csv")
    link.symlink_to(file.resolve())
    return str(link)


def csv_source(
    names: Sequence[str], width: int, delimiter: str, reading: FileReading = PLAIN, packing: str = PLAIN_TEXT
) -> str:
    """SQL: the rows of CSV files without their headers, every field as text; null where it stands for a missing value.

    What stands for null besides is drawn anew, so that no field does. It begins with a character of no language: DuckDB
    takes a field too many for a missing one, and lets the line pass, where the null begins with that field.
    """
    drawn = uuid4()
    null = chr(NO_LETTERS + drawn.int % 2**15) + drawn.hex
    columns = [f"c{place}" for place in range(width)]
    types = ", ".join(f"'{column}': 'VARCHAR'" for column in columns)
    rows = (
        f"read_csv([{', '.join(map(literal, names))}], auto_detect=false, header={str(reading.header).lower()}, "
        f"delim={literal(delimiter)}, quote='\"', escape='\"', columns={{{types}}}, nullstr='{null}', "
        f"strict_mode=true, null_padding=false, ignore_errors=false, compression='{packing_of(reading, packing)}')"
    )
    if reading.decimal == "." and not reading.na:
        return rows
    return f"(select {', '.join(f'{_field_sql(column, reading)} as {column}' for column in columns)} from {rows})"


def packing_of(reading: FileReading, packing: str) -> str:
    """How the files that DuckDB reads are compressed: copies in UTF-8 are not."""
    return packing if reading.is_utf_8 else PLAIN_TEXT


def _field_sql(field: str, reading: FileReading) -> str:
    """A field; comma and point change places in numbers where the comma is the mark, so ``1.5`` is no number then."""
    text = field
    if reading.decimal == ",":
        text = f"case when regexp_full_match({field}, '{MARKED}') then translate({field}, '.,', ',.') else {field} end"
    return without_na(field, text, reading)


def without_na(field: str, text: str, reading: FileReading) -> str:
    """SQL: ``text``, or null where the field stands for a missing value."""
    return f"case when {field} not in ({', '.join(map(literal, reading.na))}) then {text} end" if reading.na else text


def header_of(file: Path, *columns: str, reading: FileReading = PLAIN) -> tuple[list[str], str]:
    """The names of the columns and the delimiter, from the header alone; a quoted name may go over several lines.

    Unless it is given, the delimiter is the first under which the header holds most of these columns; without any, most
    names. A file without a header is a file of records, which must not tell how they are read: its delimiter is the
    format's, and its first record tells only how many columns there are.
    """
    form = format_or_csv(file)
    start = _first_lines(file, form, reading)
    if not reading.header:
        mark = reading.delimiter or form.delimiters[0]
        return names_by_place(len(_fields(start, mark)), columns), mark
    headers = {mark: _fields(start, mark) for mark in reading.delimiter or form.delimiters}
    delimiter = max(headers, key=lambda mark: len({*columns} & {*headers[mark]} if columns else headers[mark]))
    if not headers[delimiter]:
        raise header_error(file, form)
    return headers[delimiter], delimiter


def names_by_place(width: int, columns: Sequence[str]) -> list[str]:
    """Names of the columns of a file without a header. Without a record it has those that are asked for."""
    places = [int(column[1:]) for column in columns if re.fullmatch("c[0-9]{1,4}", column, re.ASCII)]
    return [f"c{place}" for place in range(width or 1 + max(places, default=0))]


def _fields(start: list[str], delimiter: str) -> list[str]:
    """The fields of a first record under a delimiter; none where a quoted field ends before another mark."""
    try:
        return next(csv.reader(start, delimiter=delimiter, strict=True), [])
    except csv.Error:
        return []


def _first_lines(file: Path, form: FileFormat, reading: FileReading) -> list[str]:
    try:
        with open_text(file, form, reading) as lines:
            return first_record(lines, reading.header)
    except UnicodeDecodeError:
        raise encoding_error(file, form, reading) from None
    except DAMAGED:
        raise damage_error(file, form) from None
