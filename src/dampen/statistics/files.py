"""Tables in files: which column is meant, and DuckDB on it. Nothing here says what a file holds."""

import csv
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

from numpy.typing import NDArray

from dampen.errors import DataError, ParameterError

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

DELIMITERS = ",;\t|"
TEXT = "VARCHAR"


def existing(path: str | Path) -> Path:
    """The path of a file that is there."""
    file = Path(path)
    try:
        found = file.is_file()
    except (OSError, ValueError):
        found = False
    if not found:
        raise ParameterError(f"file must exist; got {str(path)[-200:]!r}")
    return file


def is_parquet(file: Path) -> bool:
    """Whether a file is Parquet by its ending; every other file is CSV."""
    return file.suffix.lower() == ".parquet"


def not_a_table(file: Path) -> DataError:
    """What is raised, without a reason, when a file cannot be read: reasons quote the data."""
    rule = "with a header line, as many fields in every line and one kind of line end"
    return DataError(f"{file.name[-60:]} must be a CSV file in UTF-8 {rule}, or a Parquet file")


def opened_csv(lines: list[str], wanted: set[str]) -> tuple[Iterator[list[str]], list[str], str]:
    """Rows after the header, header and delimiter: the first delimiter under which the header holds what is wanted."""
    for delimiter in (*DELIMITERS, ","):
        rows = csv.reader(lines, delimiter=delimiter, strict=True)
        header = next(rows, [])
        if wanted <= set(header):
            break
    return rows, header, delimiter


def place_of(columns: list[str], file: Path, **named: str) -> int:
    """Where the column that an argument names stands among the columns of a file."""
    [(argument, column)] = named.items()
    if columns.count(column) != 1:
        raise ParameterError(f"{argument} must be a column of {file.name[-60:]}, and one alone; got {column[:60]!r}")
    return columns.index(column)


def quoted(name: str) -> str:
    """A name as SQL takes it."""
    return '"' + name.replace('"', '""') + '"'


def literal(text: str) -> str:
    """A text as SQL takes it."""
    return "'" + text.replace("'", "''") + "'"


@dataclass(frozen=True, eq=False)
class FileColumn:
    """One column of a file as the view ``data (value)`` of a database in memory, and its SQL type."""

    connection: "DuckDBPyConnection"
    type: str

    def fetch(self, query: str) -> dict[str, NDArray[Any]]:
        """The only way out of the database: what a query returns, column by column."""
        return self.connection.execute(query).fetchnumpy()


@contextmanager
def connected(file: Path) -> Iterator[tuple["DuckDBPyConnection", str]]:
    """A database in memory and a name of the file that no SQL and no file pattern can misread.

    What the database must spill goes into a folder that is removed. Its errors quote the data, so they are replaced.
    """
    import duckdb

    with TemporaryDirectory() as folder:
        link = Path(folder) / ("table.parquet" if is_parquet(file) else "table.csv")
        link.symlink_to(file.resolve())
        with duckdb.connect(config={"temp_directory": str(Path(folder) / "spill")}) as connection:
            try:
                yield connection, str(link)
            except duckdb.Error:
                raise not_a_table(file) from None


@contextmanager
def opened_column(path: str | Path, column: str | None) -> Iterator[FileColumn]:
    """One column of a CSV or Parquet file inside DuckDB.

    A CSV file has double quotes and a header line, which alone tells whether fields end in a comma, semicolon, tab or
    bar. All its fields are text; nothing is guessed from the rows.
    """
    file = existing(path)
    if not isinstance(column, str):
        raise ParameterError(f"column must name the column of {file.name[-60:]} that holds the values")
    header, delimiter = ([], "") if is_parquet(file) else header_of(file, column)
    place = 0 if is_parquet(file) else place_of(header, file, column=column)
    with connected(file) as (connection, name):
        if is_parquet(file):
            table = connection.read_parquet(name)
            kind = str(table.types[place_of(list(table.columns), file, column=column)])
            source, value = f"read_parquet({literal(name)})", quoted(column)
        else:
            kind, source, value = TEXT, csv_source(name, len(header), delimiter), f"c{place}"
        connection.execute(f"create temp view data as select {value} as value from {source}")
        yield FileColumn(connection, kind)


def first_column(path: str | Path) -> str:
    """The name of the first column of a file; of a CSV file, under the delimiter that finds the most names."""
    file = existing(path)
    if is_parquet(file):
        with connected(file) as (connection, name):
            return str(connection.read_parquet(name).columns[0])
    try:
        start = _header_lines(file)
        headers = [next(csv.reader(start, delimiter=delimiter, strict=True), []) for delimiter in DELIMITERS]
    except (csv.Error, UnicodeDecodeError, OSError):
        raise not_a_table(file) from None
    longest = max(headers, key=len)
    if not longest:
        raise not_a_table(file)
    return longest[0]


def csv_source(name: str, width: int, delimiter: str) -> str:
    """SQL: the rows of a CSV file after its header, every field as text."""
    fields = ", ".join(f"'c{place}': 'VARCHAR'" for place in range(width))
    return (
        f"read_csv({literal(name)}, auto_detect=false, header=true, delim='{delimiter}', quote='\"', escape='\"', "
        f"columns={{{fields}}}, nullstr='\x01', strict_mode=true, null_padding=false, ignore_errors=false)"
    )


def header_of(file: Path, column: str) -> tuple[list[str], str]:
    """The names of the columns and the delimiter, from the header alone; a quoted name may go over several lines."""
    try:
        _, header, delimiter = opened_csv(_header_lines(file), {column})
    except (csv.Error, UnicodeDecodeError, OSError):
        raise not_a_table(file) from None
    return header, delimiter


def _header_lines(file: Path) -> list[str]:
    start: list[str] = []
    with file.open(encoding="utf-8-sig", newline="") as lines:
        for line in lines:
            start.append(line)
            if sum(part.count('"') for part in start) % 2 == 0:
                break
    return start
