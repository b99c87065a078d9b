"""Sheets of Excel workbooks, read cell by cell in Python and counted as arrays. Needs the extra ``xlsx``.

The type of a cell is the cell's own: a sheet has no columns with a type, and none is made up.
"""

from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from dampen.describe.reading import FileReading
from dampen.errors import DataError, MissingExtra
from dampen.tables.columns import Column
from dampen.tables.engines.arrays import ArrayEngine
from dampen.tables.file_formats import XLSX
from dampen.tables.files import column_error, names_by_place
from dampen.tables.unreadable import header_error, table_error

Row = tuple[Any, ...]


@dataclass(frozen=True, eq=False, repr=False)
class SheetEngine(ArrayEngine):
    """The columns of a sheet that are asked for, under the names of them all."""

    names: tuple[str, ...] = ()
    place: str = ""

    @property
    def location(self) -> str:  # type: ignore[override]
        """The name of the file."""
        return self.place

    def column(self, column: str | None) -> Column:
        """The cells of a column, each as it is."""
        if column is not None and self.names.count(column) != 1:
            raise column_error(self.names, column, self.place)
        return super().column(column)


def open_sheets(files: Sequence[Path], place: str, columns: Sequence[str], reading: FileReading) -> SheetEngine:
    """The first sheet of each workbook, as one table; only the columns that are asked for are kept.

    Without a header a row ends with its last cell, so how many columns there are is data: those that are asked for.
    """
    names, kept = tuple[str, ...](), dict[str, list[Any]]()
    for number, file in enumerate(files):
        rows = _rows(file)
        header = _header(file, next(rows, ())) if reading.header else tuple(names_by_place(0, columns))
        if not number:
            names = header
            asked = [name for name in names if name in columns and names.count(name) == 1]
            kept = {name: [] for name in asked or names[:1]}
        elif header != names:
            raise DataError(f"{place[-60:]} must have the same header line in every file")
        places = [(names.index(name), cells) for name, cells in kept.items()]
        for row in rows:
            if reading.header and any(cell is not None for cell in row[len(names) :]):
                raise DataError(f"{file.name[-60:]} must have no cell beyond its header: a row is longer")
            for spot, cells in places:
                cell = row[spot] if spot < len(row) else None
                cells.append(None if isinstance(cell, str) and cell in reading.na else cell)
    return SheetEngine(kept, names=names, place=place)


def _header(file: Path, first: Row) -> tuple[str, ...]:
    """The names in the first row, without the empty cells behind them."""
    width = max((place for place, cell in enumerate(first, 1) if cell is not None), default=0)
    if not width:
        raise header_error(file, XLSX)
    return tuple("" if cell is None else str(cell) for cell in first[:width])


def _rows(file: Path) -> Iterator[Row]:
    """The rows of the first sheet that have a cell. Formulas are the values that Excel kept of them."""
    try:
        from openpyxl import load_workbook
    except ImportError:
        raise MissingExtra("files that end in .xlsx need the extra: pip install 'dampen[xlsx]'") from None
    try:
        with closing(load_workbook(file, read_only=True, data_only=True)) as book:
            sheet = book.worksheets[0]
            sheet.reset_dimensions()  # some writers tell them wrong, and rows would be left out
            for row in sheet.iter_rows(values_only=True):
                if any(cell is not None for cell in row):
                    yield row
    except MemoryError:
        raise
    except Exception:
        raise table_error(file) from None
