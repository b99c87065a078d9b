"""What is wrong with a file that cannot be read: one sentence for the curator, without a value, a line or a number.

Errors of DuckDB quote the data. So a file that it refuses is read once more here, only to learn which rule it breaks.
"""

import csv
from collections.abc import Iterable, Sequence
from pathlib import Path

from dampen.describe.reading import FileReading
from dampen.errors import DataError
from dampen.tables.file_formats import PLAIN_TEXT, FileFormat, format_or_csv
from dampen.tables.text_files import DAMAGED, PIECE, open_text

RULES = {
    "CSV": "must be a CSV file with one kind of line end and no line above 2 MB",
    "TSV": "must be a TSV file with one kind of line end and no line above 2 MB",
    "JSON": "must be JSON: one array of objects, or one object in each line",
    "Parquet": "must be a Parquet file: it is none, or damaged",
    "Arrow": "must be an Arrow or Feather file with columns of types that DuckDB knows",
    "XLSX": "must be an Excel workbook: it is none, or damaged",
}
NAMED = "name its encoding, such as encoding='latin-1' (--encoding latin-1)"


def fault_of(files: Sequence[Path], reading: FileReading) -> DataError:
    """What is wrong with the first of these files that breaks a rule; the general rule where none is found to."""
    for file in files:
        form = format_or_csv(file)
        if form.is_text and (fault := _text_fault(file, form, reading)) is not None:
            return fault
    return table_error(files[0])


def table_error(file: Path) -> DataError:
    """The general rule of a format, where no closer reason is known."""
    return DataError(f"{file.name[-60:]} {RULES[format_or_csv(file).name]}")


def encoding_error(file: Path, form: FileFormat, reading: FileReading) -> DataError:
    """A byte that the encoding does not know."""
    assumed = f"UTF-8, and is not: {NAMED}" if reading.is_utf_8 else f"{reading.encoding}, as it is said to be"
    return DataError(f"{file.name[-60:]} must be a {form.name} file in {assumed}")


def header_error(file: Path, form: FileFormat) -> DataError:
    """A file without a first line, or with a blank one."""
    hint = "it is empty, or begins with a blank line; a file without names is read with header=False (--no-header)"
    return DataError(f"{file.name[-60:]} must be a {form.name} file with a header line: {hint}")


def damage_error(file: Path, form: FileFormat) -> DataError:
    """A file that cannot be unpacked, or is gone by now."""
    packed = f", compressed by {form.packing}: it is not, or is cut short" if form.packing != PLAIN_TEXT else ""
    return DataError(f"{file.name[-60:]} must be a {form.name} file that can be read{packed}")


def _text_fault(file: Path, form: FileFormat, reading: FileReading) -> DataError | None:
    try:
        with open_text(file, form, reading) as text:
            if form.has_lines:
                rule = _broken_rule(text, reading.delimiter or form.delimiters[0])
                return DataError(f"{file.name[-60:]} must be a {form.name} file {rule}") if rule else None
            while text.read(PIECE):
                pass
    except UnicodeDecodeError:
        return encoding_error(file, form, reading)
    except DAMAGED:
        return damage_error(file, form)
    return None


def _broken_rule(lines: Iterable[str], delimiter: str) -> str:
    rows = csv.reader(lines, delimiter=delimiter, strict=True)
    try:
        width = len(next(rows, []))
        if any(row and len(row) != width for row in rows):
            return "with as many fields in every line as in the first: a line has more, or fewer"
    except csv.Error:
        return "with double quotes around whole fields: one is never closed, or something follows it"
    return ""
