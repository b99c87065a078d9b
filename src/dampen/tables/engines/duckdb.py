"""DuckDB, in this process: files larger than memory, and relations of a caller's own connection."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import combinations_with_replacement
from math import prod
from pathlib import Path
from typing import TYPE_CHECKING, Any
from uuid import uuid4

import numpy as np
from numpy.typing import NDArray

from dampen.errors import DataError, EngineError
from dampen.tables.columns import Column
from dampen.tables.engines import digits, duck_columns, duck_routes, duck_sql
from dampen.tables.engines.array_codes import leave
from dampen.tables.engines.base import (
    NOT_HERE,
    Coded,
    Coding,
    Edges,
    Faults,
    Leaving,
    Placed,
    Reading,
    Route,
    Rows,
    Sums,
    as_classes,
    as_level,
    column_of,
    inside,
    packs_of,
    placed,
)
from dampen.tables.engines.labels import Places
from dampen.tables.engines.progress import is_watched, one_of_many, watched
from dampen.tables.engines.routed_levels import CountsByQuery
from dampen.tables.files import (
    TEXT,
    connected,
    csv_source,
    existing_files,
    header_of,
    is_parquet,
    literal,
    quoted,
)
from dampen.tables.grid import EvenGrid, Grid
from dampen.tables.reading import OTHER
from dampen.vectors import Integers

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection


MOST_CELLS = 2**16
"""So many joint counts are held in an array, without a hash table."""
ROW = "file_row_number"
"""What DuckDB calls the column that numbers the rows of a Parquet file."""
ROWS_AT_ONCE = 2**22
"""So many rows of a Parquet file, at most, are held as small numbers while they are grouped."""
TINY = 2**8
"""So many places fit in 8 bits."""
SMALL = 2**16 - 2
"""Fewer places fit in 16 bits, and are counted in an array too."""


@dataclass(frozen=True, eq=False, repr=False)
class DuckEngine(CountsByQuery):
    """A table inside DuckDB: ``source`` in SQL, its columns with their SQL types, and who runs queries on it.

    ``fields``: what SQL calls the columns, where it is not their names; SQL takes ``a`` and ``A`` for the same name.
    ``parquet``: the Parquet files, of which any rows can be read without the others.
    """

    source: str
    columns: tuple[str, ...]
    types: tuple[str, ...]
    place: str
    connection: "DuckDBPyConnection | None" = None
    relation: Any = None
    filters: tuple[str, ...] = ()
    fields: tuple[str, ...] = ()
    parquet: tuple[str, ...] = ()
    name = "duckdb"

    @classmethod
    def of_relation(cls, relation: Any) -> "DuckEngine":
        """A relation of the caller's connection: its settings, such as ``memory_limit``, hold."""
        import duckdb

        try:
            columns, types = tuple(relation.columns), tuple(map(str, relation.types))
            place = str(relation.alias)
        except duckdb.Error:
            raise closed() from None
        view = f"dampen_{uuid4().hex}"
        return cls(view, columns, types, "" if place.startswith(("unnamed", "parquet_")) else place, relation=relation)

    def fetch(self, query: str, **tables: Mapping[str, NDArray[Any]]) -> Rows:
        """The only way out of the database: what a query returns, column by column.

        It is run as a relation: what ``execute`` streams blocks for ever where many groupings are united.
        """
        import duckdb

        rows = f"data as not materialized (select * from {self.source}{self._filter()})"
        try:
            if self.connection is not None:
                for name, columns in tables.items():
                    self.connection.register(name, dict(columns))
                with _watched(self.connection):
                    return self.connection.sql(f"with {rows} {query}").fetchnumpy()
            listed = "".join(f"{name} as ({_listed(columns)}), " for name, columns in tables.items())
            return self._of_relation(f"with {listed}{rows} {query}")
        except duckdb.OutOfMemoryException:
            raise EngineError(
                f"duckdb ran out of memory{inside(self)}: raise memory_limit, or give it a temp_directory with room"
            ) from None
        except duckdb.InterruptException:
            raise EngineError(f"duckdb was interrupted{inside(self)}: the query was cancelled; ask again") from None
        except RuntimeError as error:
            if isinstance(error.__context__, KeyboardInterrupt):
                raise KeyboardInterrupt from None
            raise EngineError(f"duckdb could not run the query{inside(self)}: {type(error).__name__[:60]}") from None

    def _of_relation(self, query: str) -> Rows:
        """The relation is a view of its own connection while the query runs. Errors of DuckDB quote the data."""
        import duckdb

        try:
            try:
                with watched(lambda: None):
                    found: Rows = self.relation.query(self.source, query).fetchnumpy()
            finally:
                self.relation.query(self.source, f"drop view if exists {self.source}")
        except (duckdb.OutOfMemoryException, duckdb.InterruptException):
            raise
        except duckdb.ConnectionException:
            raise closed() from None
        except duckdb.Error:
            raise DataError(
                f"the relation must be readable by duckdb, with one type in each column{inside(self)}"
            ) from None
        return found

    def require(self, column: str) -> None:
        """Refuse a column that is not there."""
        column_of(self.columns, column, self)

    def part(self, column: str, labels: Sequence[Any], place: int) -> "DuckEngine":
        """Only the rows whose value stands for a label."""
        kept = duck_sql.stands_for(self.field(column, "where"), self.kind(column), Places.of(labels), place)
        return replace(self, filters=(*self.filters, kept))

    def row_count(self, column: str | None = None) -> int:
        """How many rows there are."""
        if column is not None:
            column_of(self.columns, column, self)
        return int(self.fetch("select count(*) as count from data")["count"][0])

    def histogram(self, column: str | None, grid: Grid) -> Placed:
        """How many values stand at each place of a grid: two neighbours are one group, of which the odd are counted.

        DuckDB then counts twice as large grids in an array.
        """
        located, tables = self._located(column, grid)
        half = "place >> 1"
        if len(grid) < 2 * SMALL:
            half = f"({half})::usmallint & {MOST_CELLS - 1}::usmallint"
        odd = "count_if((place & 1) = 1)::bigint"
        query = f"select {half} as half, count(*) as count, {odd} as odd from ({located}) group by 1 order by 1"
        rows = self.fetch(query, **tables)
        halves = np.asarray(rows["half"], dtype=np.int64)
        counts = np.column_stack([rows["count"] - rows["odd"], rows["odd"]]).ravel()
        places = np.column_stack([2 * halves, 2 * halves + 1]).ravel() + OTHER
        return places[counts > 0], counts[counts > 0]

    def _located(self, column: str | None, grid: Grid) -> tuple[str, dict[str, Mapping[str, NDArray[Any]]]]:
        """SQL: the place of every value, counted from ``OTHER`` on, and the tables that it needs."""
        keyed = duck_sql.keyed_sql(self.numbers(column), grid)
        name, kind = self.field(column), self.types[self.columns.index(str(column))]
        if (direct := duck_sql.direct_place(name, kind, grid)) is not None:
            return f"select {direct} as place from data", {}
        unsigned = f"- {OTHER})::{duck_sql.from_other(len(grid))}"
        if isinstance(grid, EvenGrid):
            place = f"(coalesce(status, {duck_sql.even_place(grid)}) {unsigned}"
            return f"select {place} as place from ({keyed})", {}
        points = grid.points()
        joined = f"({keyed}) asof left join grid on key >= point"
        return (
            f"select (coalesce(status, place) {unsigned} as place from {joined}",
            {"grid": {"point": points, "place": np.arange(len(points))}},
        )

    def sums(self, column: str | None, ends: tuple[Fraction, Fraction]) -> Sums:
        """The exact sum of a column, digit by digit."""
        numbers = self.numbers(column)
        rows = self.fetch(digits.duck_sql(numbers, ends, digits.COARSE))
        coarse = {name: int(values[0]) for name, values in _unmasked(rows).items()}
        fine = {}
        if coarse["rest"]:
            rows = self.fetch(digits.duck_sql(numbers, ends, digits.FINE))
            fine = {name: int(values[0]) for name, values in _unmasked(rows).items()}
        return digits.added(coarse, fine, ends)

    def group_counts(self, column: str | None, labels: Sequence[Any]) -> dict[int, int]:
        """The counts by label, joined and grouped inside DuckDB: no value leaves it, only places and counts."""
        found = duck_sql.place_by_join("value", self.kind(column), Places.of(labels), "a")
        rows = self.fetch(
            f"""
            , read as (select {self._grouped_by(column)} as value, count(*) as count from data group by 1)
            select {found.place} as place, cast(sum(count) as bigint) as count from read {found.joins} group by 1
            """,
            **found.tables,
        )
        return dict(zip(rows["place"].tolist(), rows["count"].tolist(), strict=True))

    def _grouped_by(self, column: str | None) -> str:
        """A value such that only equal ones are one group."""
        text = duck_sql.kind_of(self.kind(column)) == "text"
        return duck_sql.plain_text(self.field(column)) if text else self.field(column)

    def faults(self, table: Coded) -> Faults:
        """What in a table breaks its schema, and the counts of the classes: one scan."""
        names = [*table.attributes]
        wrong = [f"count_if({self._code(name, _within(coding))} is null)" for name, coding in table.attributes.items()]
        target = self._code(table.target, table.classes)
        listed = ", ".join(f"{count} as f{place}" for place, count in enumerate(wrong))
        kind = f"coalesce({target}, {table.classes.size})::integer"
        rows = self.fetch(f"select {kind} as class, count(*) as count, {listed} from data group by 1")
        classes = np.zeros(table.classes.size + 1, dtype=np.int64)
        classes[rows["class"]] = rows["count"]
        faulty = [name for place, name in enumerate(names) if rows[f"f{place}"].any()]
        return Faults(classes[:-1], (*faulty, *([table.target] if classes[-1] else [])))

    def class_counts(self, table: Coded) -> Integers:
        """Counts by node and class."""
        query = "select node, class, count(*) as count from coded group by all"
        return as_classes(self.fetch(f", {self._coded(table)} {query}"), table)

    def contingency(self, table: Coded) -> Integers:
        """Counts of a level: rows are grouped by a few attributes at a time, and the groups are taken apart again.

        In a tree the node of every row is found once, part by part, and rows are held as small numbers; without parts
        one scan groups by every attribute in hash tables.
        """
        if isinstance(table.route, int):
            return self._by_packs(table, "not materialized")
        if parts := self.parts():
            counts = np.zeros((table.nodes, sum(table.sizes), table.classes.size), dtype=np.int64)
            for number, part in enumerate(parts):
                with one_of_many(number, len(parts)):
                    counts += replace(self, source=part)._by_packs(table, "materialized")
            return counts
        places = range(len(table.sizes))
        starts = np.concatenate([[0], np.cumsum(table.sizes)])
        sets = ", ".join(f"(node, class, b{place})" for place in places)
        place = f"coalesce({', '.join(f'b{place}::integer + {starts[place]}' for place in places)})"
        query = f"select node, class, {place} as place, count(*) as count from coded group by grouping sets ({sets})"
        return as_level(self.fetch(f", {self._coded(table)} {query}"), table)

    def parts(self) -> list[str]:
        """The rows of Parquet files, ``ROWS_AT_ONCE`` at a time; none where a column has the name of their numbers."""
        if self.connection is None or not self.parquet or any(name.lower() == ROW for name in self.columns):
            return []
        listed = f"[{', '.join(map(literal, self.parquet))}]"
        found = self.connection.sql(f"select file_name, num_rows from parquet_file_metadata({listed})").fetchnumpy()
        return [
            f"(select * exclude ({ROW}) from read_parquet({literal(name)}, {ROW} = true) "
            f"where {ROW} between {first} and {first + ROWS_AT_ONCE - 1})"
            for name, count in zip(found["file_name"].tolist(), found["num_rows"].tolist(), strict=True)
            for first in range(0, max(count, 1), ROWS_AT_ONCE)
        ]

    def _by_packs(self, table: Coded, kept: str) -> Integers:
        """Node, class and attributes of a pack are one number, which DuckDB counts in an array if it has 16 bits.

        An array is used for numbers of unknown range only, hence the ``&``, of whose result DuckDB knows nothing.
        """
        starts, kinds = np.concatenate([[0], np.cumsum(table.sizes)]), table.classes.size
        grouped, parts = [], []
        for number, pack in enumerate(packs_of(table.sizes, table.nodes * kinds, MOST_CELLS)):
            sizes = [table.sizes[place] for place in pack]
            few = table.nodes * kinds * prod(sizes) <= MOST_CELLS
            key = f"(node::bigint * {kinds} + class)"
            for place, size in zip(pack, sizes, strict=True):
                key = f"({key} * {size} + b{place})"
            small = f"{key}::usmallint & {MOST_CELLS - 1}::usmallint" if few else key
            grouped.append(
                f"pack{number} as materialized (select {small} as key, count(*) as count from coded group by key)"
            )
            head = f"(key // {prod(sizes)})"
            for spot, place in enumerate(pack):
                code = f"(key // {prod(sizes[spot + 1 :])}) % {sizes[spot]} + {starts[place]}"
                parts.append(
                    f"select {head} // {kinds} as node, {head} % {kinds} as class, {code} as place, "
                    f"sum(count)::bigint as count from pack{number} group by all"
                )
        coded = self._coded(table, kept)
        return as_level(self.fetch(f", {coded}, {', '.join(grouped)} {' union all '.join(parts)}"), table)

    def pair_counts(self, table: Coded) -> Integers:
        """Joint counts of every two attributes: one grouping for each pair."""
        starts, kinds = np.concatenate([[0], np.cumsum(table.sizes)]), table.classes.size
        parts = [
            f"select node * {kinds} + class as node, b{one}::integer + {starts[one]} as one, "
            f"b{two}::integer + {starts[two]} as two, count(*) as count from coded group by all"
            for one, two in combinations_with_replacement(range(len(table.sizes)), 2)
        ]
        rows = self.fetch(f", {self._coded(table)} {' union all '.join(parts)}")
        return np.column_stack([placed(rows[name]) for name in ("node", "one", "two", "count")])

    def edges(self, src: str, dst: str, nodes: Any) -> tuple[Integers, Integers]:
        """Where the two ends of every edge stand among the nodes."""
        ends = [self.field(column, name) for name, column in (("src", src), ("dst", dst))]
        kinds = [self.types[self.columns.index(column)] for column in (src, dst)]
        tables, query = duck_sql.edge_query(nodes, kinds[0], kinds[1])
        rows = self.fetch(f", ends as (select {ends[0]} as src, {ends[1]} as dst from data) {query}", **tables)
        return np.asarray(rows["src"], dtype=np.int64), np.asarray(rows["dst"], dtype=np.int64)

    def _filter(self) -> str:
        return f" where {' and '.join(self.filters)}" if self.filters else ""

    def numbers(self, column: str | None) -> str:
        """SQL: the numbers of a column, as :func:`duck_sql.numbers_sql` has them."""
        return duck_sql.numbers_sql(self.field(column), self.kind(column), "data")

    def rows(self, readings: Mapping[str, Reading]) -> Rows:
        """Columns as they are, then read here: the few questions that need rows need them in order."""
        fields = [f"{self._leaving(name)} as f{spot}" for spot, name in enumerate(readings)]
        found = self.fetch(f"select {', '.join(fields)} from data")
        return {
            name: leave(duck_columns.as_column_of(found[f"f{spot}"], self._type_of(name, reading)), reading)
            for spot, (name, reading) in enumerate(readings.items())
        }

    def column(self, column: str | None) -> Column:
        """All values of a column, each as it is."""
        found = self.fetch(f"select {self._leaving(column)} as value from data")["value"]
        return duck_columns.as_column_of(found, self.kind(column))

    def _leaving(self, column: str | None) -> str:
        return duck_columns.leaving(self.field(column), self.kind(column))

    def _type_of(self, name: str, reading: Reading) -> str:
        """Values of a kind that is neither a number nor ever a label leave as the texts that they print."""
        strange = reading is Leaving.AS_IT_IS and duck_sql.kind_of(self.kind(name)) == "nothing"
        return TEXT if strange else self.kind(name)

    def batches(self, names: Sequence[str], rows: int) -> Iterator[dict[str, Column]]:
        """The same of several columns, so many rows at a time, in the order of files and rows."""
        assert self.connection is not None
        fields = ", ".join(map(self._leaving, names))
        self.connection.execute(f"with data as (select * from {self.source}{self._filter()}) select {fields} from data")
        while found := self.connection.fetchmany(rows):
            columns = map(list, zip(*found, strict=True))
            yield {
                name: duck_columns.as_column_of(each, self.kind(name))
                for name, each in zip(names, columns, strict=True)
            }

    def kind(self, column: str | None) -> str:
        """The SQL type of a column that is there."""
        return self.types[self.columns.index(column_of(self.columns, column, self))]

    def field(self, column: str | None, argument: str = "column") -> str:
        """What SQL calls a column that is there."""
        name = column_of(self.columns, column, self, argument)
        return self.fields[self.columns.index(name)] if self.fields else quoted(name)

    def _code(self, name: str, coding: Coding) -> str:
        return duck_sql.coded(self.field(name), self.kind(name), coding)

    def _coded(self, table: Coded, kept: str = "not materialized") -> str:
        """The table ``coded``: places of all attributes, node and class of every row that is in one."""
        codes = [self._code(name, coding) for name, coding in table.attributes.items()]
        kinds = ["utinyint" if size <= TINY else "usmallint" for size in table.sizes]
        places = ", ".join(f"({code})::{kinds[place]} as b{place}" for place, code in enumerate(codes))
        inner = f"select {places}, {self._code(table.target, table.classes)} as class from data"
        rows = duck_routes.routed(table.route, [f"b{place}" for place in range(len(codes))], inner)
        some = f" where node is distinct from {NOT_HERE}" if isinstance(table.route, Route) else ""
        return f"coded as {kept} (select * from ({rows}){some})"


def _within(coding: Coding) -> Coding:
    """Whether a number is finite does not depend on where the edges are."""
    return Edges(coding.low, coding.high, ()) if isinstance(coding, Edges) else coding


@contextmanager
def _watched(connection: "DuckDBPyConnection") -> Iterator[None]:
    """DuckDB tells how far a query is only while it thinks that it shows a bar."""
    if not is_watched():
        yield
        return
    connection.execute("set enable_progress_bar = true; set enable_progress_bar_print = false")
    try:
        with watched(lambda: max(0.0, float(connection.query_progress()))):
            yield
    finally:
        connection.execute("set enable_progress_bar = false")


def closed() -> EngineError:
    """What is raised when the caller's connection is gone."""
    return EngineError(
        "duckdb could not run the query: the connection of the relation is closed; open one and ask again"
    )


@contextmanager
def opened_files(pattern: str | Path, columns: Sequence[str]) -> Iterator[DuckEngine]:
    """CSV or Parquet files as one table inside DuckDB.

    A CSV file has double quotes and a header line, which alone tells whether fields end in a comma, semicolon, tab or
    bar. All its fields are text; nothing is guessed from the rows.
    """
    files = existing_files(pattern)
    place = files[0].name if len(files) == 1 else str(pattern)
    parquet = is_parquet(files[0])
    header, delimiter = ([], "") if parquet else _common_header(files, columns)
    listed: tuple[str, ...] = ()
    with connected(*files) as (connection, names):
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


def _unmasked(rows: Rows) -> Rows:
    """With 0 for the sum of no rows."""
    return {name: np.ma.filled(column, 0) for name, column in rows.items()}


def _listed(columns: Mapping[str, NDArray[Any]]) -> str:
    """A small table as SQL."""
    fields = []
    for name, column in columns.items():
        kind = {"i": "bigint", "f": "double"}.get(column.dtype.kind, "varchar")
        entries = ", ".join(literal(str(entry)) for entry in column.tolist())
        fields.append(f"unnest([{entries}]::{kind}[]) as {name}")
    return f"select {', '.join(fields)}"
