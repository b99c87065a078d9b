"""Files as one table: inside DuckDB, or read into arrays where they fit in memory."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Any
from uuid import uuid4

from dampen._validate import render
from dampen.describe.conditions import Condition
from dampen.describe.reading import PLAIN, FileReading
from dampen.errors import DataError, MissingExtra, ParameterError
from dampen.tables.columns import Column
from dampen.tables.engines.arrays import ArrayEngine
from dampen.tables.engines.base import Engine, Faulty, Groups, Reading, Sums
from dampen.tables.engines.duck_json import JsonEngine, json_source
from dampen.tables.engines.duckdb import DuckEngine
from dampen.tables.engines.sheets import open_sheets
from dampen.tables.file_formats import ARROW, JSON, PARQUET, XLSX, FileFormat
from dampen.tables.files import TEXT, connect_files, csv_source, header_of, literal, table_files
from dampen.tables.grid import Grid
from dampen.tables.unreadable import table_error
from dampen.vectors import Integers

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

SETTINGS = "set perfect_ht_threshold = 18; set asof_loop_join_threshold = 0"
"""Groups with keys of up to so many bits are counted in an array instead of a hash table; DuckDB stops at 12.

And numbers are held against the points of a grid by sorting both: DuckDB would hold each against each where it takes a
table for short, as it does every file of text.
"""


@contextmanager
def open_files(pattern: str | Path, columns: Sequence[str], reading: FileReading = PLAIN) -> Iterator[Engine]:
    """The files of one format that a pattern names, as one table inside DuckDB; sheets of workbooks as arrays.

    ``columns``: all that will be asked for; the records of a JSON file have no others. The fields of a CSV file are
    text, and nothing is guessed from rows.
    """
    files, form = table_files(pattern, reading)
    place = files[0].name if len(files) == 1 else str(pattern)
    if form == XLSX:
        yield open_sheets(files, place, columns, reading)
        return
    if form.has_lines:
        reading = replace(reading, delimiter=common_header(files, columns, reading)[1])
    with connect_files(*files, reading=reading) as (connection, names):
        connection.execute(SETTINGS)
        yield _engine_of(connection, dict(zip(names, files, strict=True)), form, place, columns, reading)


@contextmanager
def open_together(
    patterns: Mapping[str, str | Path], columns: Mapping[str, Sequence[str]], reading: FileReading = PLAIN
) -> Iterator[dict[str, DuckEngine]]:
    """Several tables by name, each of files that a pattern names, in one DuckDB; ``columns``: those of each asked."""
    found = {table: table_files(pattern, reading) for table, pattern in patterns.items()}
    for files, form in found.values():
        if form == XLSX:
            raise ParameterError(f"tables that are linked must all be workbooks, or none; got {render(files[0].name)}")
    with connect_files(*(file for files, _ in found.values() for file in files), reading=reading) as (connection, all_):
        connection.execute(SETTINGS)
        names, engines = iter(all_), {}
        for table, (files, form) in found.items():
            own = {next(names): file for file in files}
            engines[table] = _engine_of(connection, own, form, table, columns[table], reading, joined=True)
        yield engines


def _engine_of(
    connection: "DuckDBPyConnection", files: Mapping[str, Path], form: FileFormat, place: str, columns: Sequence[str],
    reading: FileReading, *, joined: bool = False,
) -> DuckEngine:  # fmt: skip
    """The files of one table, by the names that DuckDB knows them by."""
    if form == PARQUET:
        return _parquet_engine(connection, [*files], place)
    if form == ARROW:
        return _arrow_engine(connection, [*files.values()], place, joined=joined)
    if form.name == JSON.name:
        return _json_engine(connection, files, form, place, columns, reading)
    header, mark = common_header([*files.values()], columns, reading)
    source = csv_source([*files], len(header), mark, reading, form.packing)
    return DuckEngine(source, tuple(header), (TEXT,) * len(header), place, connection, fields=_fields(header))


def common_header(files: Sequence[Path], columns: Sequence[str], reading: FileReading) -> tuple[list[str], str]:
    """The names of the columns and the delimiter of all files, which must be the same."""
    headers = {(tuple(names), mark) for names, mark in (header_of(file, *columns, reading=reading) for file in files)}
    if len(headers) > 1:
        raise DataError(f"{files[0].name[-60:]} and the other files must have the same header line")
    [(names, mark)] = headers
    return list(names), mark


def _fields(columns: Sequence[str]) -> tuple[str, ...]:
    return tuple(f"c{spot}" for spot in range(len(columns)))


def _parquet_engine(connection: "DuckDBPyConnection", names: list[str], place: str) -> DuckEngine:
    found = [connection.read_parquet(name) for name in names]
    kinds = {tuple(zip(table.columns, map(str, table.types), strict=True)) for table in found}
    if len(kinds) > 1:
        raise _unlike(place)
    source = f"read_parquet([{', '.join(map(literal, names))}])"
    types = tuple(map(str, found[0].types))
    return DuckEngine(source, tuple(found[0].columns), types, place, connection, parquet=tuple(names))


def _unlike(place: str) -> DataError:
    return DataError(f"{place[-60:]} must have the same columns of the same types in every file")


def _json_engine(
    connection: "DuckDBPyConnection", files: Mapping[str, Path], form: FileFormat, place: str, columns: Sequence[str],
    reading: FileReading,
) -> DuckEngine:  # fmt: skip
    """The columns are those that are asked for: which keys the records have is data."""
    asked = tuple(dict.fromkeys(columns))
    source = json_source(files, form, asked, reading)
    return JsonEngine(source, asked, (TEXT,) * len(asked), place, connection, fields=_fields(asked))


def _arrow_engine(connection: "DuckDBPyConnection", files: Sequence[Path], place: str, *, joined: bool) -> DuckEngine:
    """The tables are mapped, not read: DuckDB takes from them what a query needs.

    Where they are ``joined``, texts that polars wrote as views are copied: DuckDB would filter them, and cannot.
    """
    try:
        import pyarrow as pa
    except ImportError:
        raise MissingExtra("files that end in .arrow or .feather need pyarrow: pip install pyarrow") from None
    changes = {"halffloat": pa.float32(), **({"string_view": pa.large_string()} if joined else {})}
    tables = [_map_arrow(file, changes) for file in files]
    if any(table.schema.remove_metadata() != tables[0].schema.remove_metadata() for table in tables):
        raise _unlike(place)
    name = f"arrow_{uuid4().hex}"
    connection.register(name, pa.concat_tables(tables))
    found = connection.table(name)
    return DuckEngine(name, tuple(found.columns), tuple(map(str, found.types)), place, connection)


def _map_arrow(file: Path, changes: Mapping[str, Any]) -> Any:
    """A file or a stream of Arrow, columns of these types, by name, as others: DuckDB knows no floats of 16 bits."""
    import pyarrow as pa

    try:
        held = pa.memory_map(str(file))
        reader = pa.ipc.open_file(held) if held.read(6) == b"ARROW1" else pa.ipc.open_stream(pa.memory_map(str(file)))
        table = reader.read_all()
        schema = [field.with_type(changes.get(str(field.type), field.type)) for field in table.schema]
        return table.cast(pa.schema(schema))
    except (pa.ArrowException, OSError):
        raise table_error(file) from None


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

    def faulty(self, readings: Mapping[str, Reading]) -> Faulty:
        """Which columns hold what they must not; DuckDB looks at all of them in one scan."""
        return self.files.faulty(readings)

    def part(self, condition: Condition) -> "LoadedEngine":
        """Only the rows that meet a condition are read."""
        return LoadedEngine(None, files=self.files.part(condition))

    def row_count(self, column: str | None = None) -> int:
        """How many rows there are."""
        return self.files.row_count(column)

    def counts_by_group(self, column: str | None, values: Grid | Sequence[Any] | None, by: Groups) -> Integers:
        """All columns are read in one scan."""
        return self._loaded(column, by).counts_by_group(column, values, by)

    def sums_by_group(self, column: str, ends: tuple[Fraction, Fraction], by: Groups) -> dict[tuple[int, ...], Sums]:
        """All columns are read in one scan."""
        return self._loaded(column, by).sums_by_group(column, ends, by)

    def _loaded(self, column: str | None, by: Groups) -> ArrayEngine:
        names = [*([] if column is None else [column]), *(name for name, _ in by)]
        return ArrayEngine(None, columns=self.files.read_columns(*names))

    def edges(self, src: str, dst: str, nodes: Any) -> list[tuple[Integers, Integers]]:
        """Where the two ends of every edge stand among the nodes."""
        return self.files.edges(src, dst, nodes)


@contextmanager
def load_files(pattern: str | Path, columns: Sequence[str], reading: FileReading = PLAIN) -> Iterator[Engine]:
    """Files whose columns are read into memory."""
    with open_files(pattern, columns, reading) as files:
        try:
            yield LoadedEngine(None, files=files) if isinstance(files, DuckEngine) else files
        except MemoryError:
            raise DataError(f"{files.location[-60:]} must fit in memory for engine='arrays'; try 'duckdb'") from None
