"""CSV and Parquet files as one table: inside DuckDB, or read into arrays where they fit in memory."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from dampen.errors import DataError
from dampen.tables.columns import Column
from dampen.tables.engines.arrays import ArrayEngine
from dampen.tables.engines.duckdb import DuckEngine
from dampen.tables.files import TEXT, connect_files, csv_source, existing_files, header_of, is_parquet, literal
from dampen.tables.grid import Grid
from dampen.vectors import Integers


@contextmanager
def open_files(pattern: str | Path, columns: Sequence[str]) -> Iterator[DuckEngine]:
    """CSV or Parquet files as one table inside DuckDB.

    A CSV file has double quotes and a header line, which alone tells whether fields end in a comma, semicolon, tab or
    bar. All its fields are text; nothing is guessed from the rows.
    """
    files = existing_files(pattern)
    place = files[0].name if len(files) == 1 else str(pattern)
    parquet = is_parquet(files[0])
    header, delimiter = ([], "") if parquet else _common_header(files, columns)
    listed: tuple[str, ...] = ()
    with connect_files(*files) as (connection, names):
        # groups with keys of up to so many bits are counted in an array instead of a hash table; DuckDB stops at 12
        connection.execute("set perfect_ht_threshold = 18")
        if parquet:
            found = [connection.read_parquet(name) for name in names]
            kinds = {tuple(zip(table.columns, map(str, table.types), strict=True)) for table in found}
            if len(kinds) > 1:
                raise DataError(f"{place[-60:]} must have the same columns of the same types in every file")
            header, types = list(found[0].columns), tuple(map(str, found[0].types))
            source, listed = f"read_parquet([{', '.join(map(literal, names))}])", tuple(names)
        else:
            types, source = (TEXT,) * len(header), csv_source(names, len(header), delimiter)
        fields = () if parquet else tuple(f"c{spot}" for spot in range(len(header)))
        yield DuckEngine(source, tuple(header), types, place, connection, fields=fields, parquet=listed)


def _common_header(files: list[Path], columns: Sequence[str]) -> tuple[list[str], str]:
    headers = {(tuple(names), mark) for names, mark in (header_of(file, *columns) for file in files)}
    if len(headers) > 1:
        raise DataError(f"{files[0].name[-60:]} and the other files must have the same header line")
    [(names, mark)] = headers
    return list(names), mark


@dataclass(frozen=True, eq=False, repr=False)
class LoadedEngine(ArrayEngine):
    """Columns are read by DuckDB when they are asked for, then counted as arrays."""

    files: DuckEngine = None  # type: ignore[assignment]

    @property
    def location(self) -> str:  # type: ignore[override]
        """The name of the file."""
        return self.files.location

    def column(self, column: str | None) -> Column:
        """All values of a column; not kept, since its places are."""
        return self.files.column(column)

    def require(self, column: str) -> None:
        """Refuse a column that is not there."""
        self.files.require(column)

    def part(self, column: str, labels: Sequence[Any], place: int) -> "LoadedEngine":
        """Only the rows whose value stands for a label are read."""
        return LoadedEngine(None, files=self.files.part(column, labels, place))

    def row_count(self, column: str | None = None) -> int:
        """How many rows there are."""
        return self.files.row_count(column)

    def counts_by_group(self, column: str, values: Grid | Sequence[Any], by: str, labels: Sequence[Any]) -> Integers:
        """Both columns are read in one scan."""
        return ArrayEngine(None, columns=self.files.read_columns(column, by)).counts_by_group(
            column, values, by, labels
        )

    def edges(self, src: str, dst: str, nodes: Any) -> tuple[Integers, Integers]:
        """Where the two ends of every edge stand among the nodes."""
        return self.files.edges(src, dst, nodes)


@contextmanager
def load_files(pattern: str | Path, columns: Sequence[str]) -> Iterator[LoadedEngine]:
    """CSV or Parquet files whose columns are read into memory."""
    with open_files(pattern, columns) as files:
        try:
            yield LoadedEngine(None, files=files)
        except MemoryError:
            raise DataError(f"{files.location[-60:]} must fit in memory for engine='arrays'; try 'duckdb'") from None
