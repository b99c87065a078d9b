"""JSON inside DuckDB: of each record the values of the columns that are asked for, each read by itself.

Which keys there are and of which type their values are is data, so neither is looked for: the caller names the
columns, and a key that a record does not have is missing there. A column may hold values of any type, but DuckDB has
one type for it. So all are texts: a text is itself, every other value is what it prints behind ``BEFORE``. Such a text
is no label, but reads as the number or the truth value that it was, so every rule of :mod:`dampen.tables.reading` takes
it for just that.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from io import SEEK_END
from pathlib import Path
from typing import Any

from dampen.describe.reading import FileReading
from dampen.tables.columns import Column, Items, Strange, items_of
from dampen.tables.engines.array_codes import row_values
from dampen.tables.engines.base import RowReading, Rows
from dampen.tables.engines.duckdb import DuckEngine
from dampen.tables.file_formats import JSON, PLAIN_TEXT, FileFormat
from dampen.tables.files import literal, packing_of, without_na
from dampen.tables.reading import AROUND, read_text_number, read_truth
from dampen.tables.text_files import DAMAGED, PIECE, open_bytes
from dampen.tables.unreadable import table_error

BEFORE = "\t \t\t  \t"
"""Blanks that may stand around a number or a truth value, in an order that nobody writes."""
BLANK = " \t\r\n"
"""What JSON takes for blank."""


@dataclass(frozen=True, eq=False, repr=False)
class JsonEngine(DuckEngine):
    """Values that leave DuckDB are what they were in the file again."""

    def read_columns(self, *names: str | None) -> dict[str | None, Column]:
        """All values of some columns, each as it is, in one scan."""
        return {name: _as_values(column) for name, column in super().read_columns(*names).items()}

    def rows(self, readings: Mapping[str, RowReading]) -> Rows:
        """Columns as they are, then read here."""
        columns = self.read_columns(*readings)
        return {name: row_values(columns[name], reading) for name, reading in readings.items()}

    def batches(self, names: Sequence[str], rows: int) -> Iterator[dict[str, Column]]:
        """The same, so many rows at a time."""
        for columns in super().batches(names, rows):
            yield {name: _as_values(column) for name, column in columns.items()}


def _as_values(column: Column) -> Column:
    return Items([item if item is None else as_value(item) for item in items_of(column)])


def as_value(text: str) -> Any:
    """The value that a text from :func:`json_source` stands for; objects and lists are neither numbers nor labels."""
    if not text.startswith(BEFORE):
        return text
    printed = text.strip(AROUND)
    truth, number = read_truth(printed), read_text_number(printed)
    if printed == "NaN":
        return None
    return truth if truth is not None else Strange() if number is None else number


def json_source(files: Mapping[str, Path], form: FileFormat, columns: Sequence[str], reading: FileReading) -> str:
    """SQL: the values of some columns of every record, as texts. ``files``: by the names that DuckDB knows them by."""
    packing = packing_of(reading, form.packing)
    told = form.endings == JSON.endings
    arrays = [name for name, file in files.items() if told and _is_array(file, Path(name), packing)]
    kinds = {"array": arrays, "newline_delimited": [name for name in files if name not in arrays]}
    records = " union all ".join(
        f"select json from read_json_objects([{', '.join(map(literal, names))}], format='{kind}', "
        f"compression='{packing}')"
        for kind, names in kinds.items()
        if names
    )
    fields = [f"{_value_sql(column, reading)} as c{place}" for place, column in enumerate(columns)]
    objects = f"case when starts_with(ltrim(json, {literal(BLANK)}), '{{') then true else error('no object') end"
    return f"(select {', '.join(fields) or 'json'} from ({records}) where {objects})"


def _value_sql(column: str, reading: FileReading) -> str:
    """A key that is not there has no type, and null behind ``BEFORE`` is null."""
    path = literal("/" + column.replace("~", "~0").replace("/", "~1"))
    text = f"json_extract_string(json, {path})"
    kinds = f"when 'VARCHAR' then {without_na(text, text, reading)} when 'NULL' then null"
    return f"case json_type(json, {path}) {kinds} else {literal(BEFORE)} || {text} end"


def _is_array(file: Path, path: Path, packing: str) -> bool:
    """Whether a file holds one array rather than lines: its first character tells.

    DuckDB does not see that an array was cut off behind a comma, so the last one must be there too.
    """
    try:
        with open_bytes(path, packing) as held:
            end = held.read(PIECE).strip(BLANK.encode())
            if not end.startswith(b"["):
                return False
            if packing == PLAIN_TEXT and held.tell() == PIECE:
                held.seek(-PIECE, SEEK_END)
            while piece := held.read(PIECE):
                end = piece.rstrip(BLANK.encode()) or end
    except DAMAGED:
        raise table_error(file) from None
    if not end.endswith(b"]"):
        raise table_error(file)
    return True
