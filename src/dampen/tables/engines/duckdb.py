"""DuckDB, in this process: files larger than memory, and relations of a caller's own connection."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from itertools import combinations_with_replacement
from math import prod
from os.path import getsize
from typing import TYPE_CHECKING, Any
from uuid import uuid4

import numpy as np
from numpy.typing import NDArray

from dampen.describe.conditions import Condition
from dampen.errors import DataError, EngineError
from dampen.tables.columns import Column
from dampen.tables.engines import duck_days, duck_groups, duck_names, duck_people, duck_routes, duck_sql
from dampen.tables.engines.array_codes import row_values
from dampen.tables.engines.aside import open_aside
from dampen.tables.engines.base import (
    NOT_HERE,
    Amount,
    Bins,
    Cells,
    CodedTable,
    Coding,
    Faults,
    Faulty,
    Groups,
    PersonAsk,
    PersonShares,
    PlaceCounts,
    Reading,
    Route,
    RowForm,
    RowReading,
    Rows,
    known_column,
    location_note,
)
from dampen.tables.engines.by_query import CountsByQuery, as_cells, as_classes, as_level, as_places, packs_of
from dampen.tables.engines.duck_conditions import condition_sql, faults_query
from dampen.tables.engines.duck_group_sums import SumsByEngine
from dampen.tables.engines.duck_places import locate_rows
from dampen.tables.engines.duck_relations import closed_error, view_of
from dampen.tables.engines.duck_sizes import SizesByQuery
from dampen.tables.engines.duck_stream import Unfetched, stream_pairs
from dampen.tables.engines.labels import Places
from dampen.tables.engines.names import NamedPeople, NamesAsk
from dampen.tables.engines.progress import is_watched, share_progress, watch
from dampen.tables.files import TEXT, literal, quote
from dampen.tables.grid import Grid
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
SMALL_FILES = 2**18
"""Bytes of Parquet files whose edges are fetched at once."""
SMALL = 2**16 - 2
"""Fewer places fit in 16 bits, and are counted in an array too."""


@dataclass(frozen=True, eq=False, repr=False)
class DuckEngine(CountsByQuery, SizesByQuery, SumsByEngine):
    """A table inside DuckDB: ``source`` in SQL, its columns with their SQL types, and who runs queries on it.

    ``fields``: what SQL calls the columns, where it is not their names; SQL takes ``a`` and ``A`` for the same name.
    ``parquet``: the Parquet files, of which any rows can be read without the others.
    """

    source: str
    columns: tuple[str, ...]
    types: tuple[str, ...]
    location: str
    connection: "DuckDBPyConnection | None" = None
    relation: Any = None
    filters: tuple[str, ...] = ()
    fields: tuple[str, ...] = ()
    parquet: tuple[str, ...] = ()
    name = "duckdb"

    def fetch(self, query: str, **tables: Mapping[str, NDArray[Any]]) -> Rows:
        """What a query returns, column by column: the way out of the database for all but long floats and edges.

        It is run as a relation: what ``execute`` streams blocks for ever where many groupings are united.
        """
        with self._refuse_failures():
            whole = self._whole(query, tables)
            if self.connection is None:
                return self._query_relation(whole)
            with _watch_query(self.connection):
                return self.connection.sql(whole).fetchnumpy()

    def _whole(self, query: str, tables: Mapping[str, Mapping[str, NDArray[Any]]]) -> str:
        """The query with what it begins with; its tables are in it where the connection is the caller's."""
        if self.connection is None:
            listed = "".join(f"{name} as ({duck_groups.table_sql(columns)}), " for name, columns in tables.items())
            return f"with {listed}{self._data()} {query}"
        for name, columns in tables.items():
            self.connection.register(name, dict(columns))
        return f"with {self._data()} {query}"

    @contextmanager
    def _refuse_failures(self) -> Iterator[None]:
        import duckdb

        try:
            yield
        except duckdb.OutOfMemoryException:
            advice = "raise memory_limit, or give it a temp_directory with room"
            raise EngineError(f"duckdb ran out of memory{location_note(self)}: {advice}") from None
        except duckdb.InterruptException:
            reason = "the query was cancelled; ask again"
            raise EngineError(f"duckdb was interrupted{location_note(self)}: {reason}") from None
        except RuntimeError as error:
            if isinstance(error.__context__, KeyboardInterrupt):
                raise KeyboardInterrupt from None
            kind = type(error).__name__[:60]
            raise EngineError(f"duckdb could not run the query{location_note(self)}: {kind}") from None

    def _data(self) -> str:
        # materialized, all columns of all rows would be held where a query names data twice
        return f"data as not materialized (select * from {self.source}{self._filter()})"

    @contextmanager
    def unfetched(self, query: str, **tables: Mapping[str, NDArray[Any]]) -> Iterator[Unfetched]:
        """A query that nobody has run yet."""
        with self._refuse_failures():
            whole = self._whole(query, tables)
            if self.connection is None:
                with view_of(self.relation, self.source) as aside, watch(lambda: None):
                    yield Unfetched(self.relation.query(self.source, whole), aside)
                return
            with open_aside(self.connection.interrupt) as aside, _watch_query(self.connection):
                yield Unfetched(self.connection.sql(whole), aside)

    def _query_relation(self, query: str) -> Rows:
        """What a query of the caller's relation returns. Errors of DuckDB quote the data."""
        import duckdb

        try:
            with view_of(self.relation, self.source), watch(lambda: None):
                found: Rows = self.relation.query(self.source, query).fetchnumpy()
        except (duckdb.OutOfMemoryException, duckdb.InterruptException):
            raise
        except duckdb.ConnectionException:
            raise closed_error() from None
        except duckdb.Error:
            raise DataError(
                f"the relation must be readable by duckdb, with one type in each column{location_note(self)}"
            ) from None
        return found

    def require(self, column: str) -> None:
        """Refuse a column that is not there."""
        known_column(self.columns, column, self)

    def faulty(self, readings: Mapping[str, Reading]) -> Faulty:
        """Which columns hold what they must not: one scan."""
        columns = [(self.field(name), self.kind(name), reading) for name, reading in readings.items()]
        query = faults_query(columns)
        rows = {} if query is None else self.fetch(query)
        missing, other = (
            frozenset(name for spot, name in enumerate(readings) if rows.get(f"f{spot}_{side}", [0])[0])
            for side in (0, 1)
        )
        return Faulty(missing, other)

    def part(self, condition: Condition) -> "DuckEngine":
        """Only the rows that meet a condition."""
        name = condition.column
        return replace(
            self, filters=(*self.filters, condition_sql(self.field(name, "where"), self.kind(name), condition))
        )

    def row_count(self, column: str | None = None) -> int:
        """How many rows there are."""
        if column is not None:
            known_column(self.columns, column, self)
        return int(self.fetch("select count(*) as count from data")["count"][0])

    def histogram(self, column: str | None, grid: Grid) -> PlaceCounts:
        """How many values stand at each place of a grid: two neighbours are one group, of which the odd are counted.

        DuckDB then counts twice as large grids in an array.
        """
        located, tables = self._locate(column, grid)
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

    def _locate(self, column: str | None, grid: Grid, beside: str = "") -> tuple[str, duck_groups.Tables]:
        """SQL: the place of every value, counted from ``OTHER`` on, and what stands beside; and the tables for it."""
        return locate_rows(self.field(column), self.kind(column), grid, beside=beside)

    def group_rows(self, by: Groups) -> duck_groups.GroupedRows:
        """SQL: rows grouped by the values of columns as they are."""
        names = [name for name, _ in by]
        return duck_groups.group_rows([*map(self._group_key, names)], [*map(self.kind, names)], by)

    def label_counts(self, column: str | None, labels: Sequence[Any]) -> dict[int, int]:
        """The counts by label, joined and grouped inside DuckDB: no value leaves it, only places and counts."""
        found = duck_sql.place_by_join("value", self.kind(column), Places.of(labels), "a")
        rows = self.fetch(
            f"""
            , read as (select {self._group_key(column)} as value, count(*) as count from data group by 1)
            select {found.place} as place, cast(sum(count) as bigint) as count from read {found.joins} group by 1
            """,
            **found.tables,
        )
        return dict(zip(rows["place"].tolist(), rows["count"].tolist(), strict=True))

    def counts_by_group(self, column: str | None, values: Grid | Sequence[Any] | None, by: Groups) -> Integers:
        """Counted by the values in ``by`` as they are; then the few distinct ones are read as labels."""
        groups = self.group_rows(by)
        labels = "".join(f"label{spot}, " for spot in range(len(by)))
        place, joins, tables = "0", "", duck_groups.Tables()
        if column is None or values is None:
            read = f"select count(*) as count{groups.beside} from data group by all"
        elif isinstance(values, Grid):
            located, tables = self._locate(column, values, groups.beside)
            read = f"select {labels}place as value, count(*) as count from ({located}) group by all"
            place = f"read.value::bigint + {OTHER}"
        else:
            found = duck_sql.place_by_join("value", self.kind(column), Places.of(values), "v", "choices")
            read = f"select {self._group_key(column)} as value, count(*) as count{groups.beside} from data group by all"
            place, joins, tables = found.place, found.joins, {**found.tables}
        query = groups.query(read, {"place": place, "count": "cast(sum(count) as bigint)"}, joins)
        rows = self.fetch(query, **tables, **groups.tables)
        return np.column_stack([np.asarray(rows[name], dtype=np.int64) for name in (*groups.owners, "place", "count")])

    def person_shares(self, ask: PersonAsk) -> PersonShares:
        """Rows are grouped by person, and by cell where there are any; only what persons add up to leaves."""
        names = [each.column for each in ask.cells] + ([] if ask.amount is None else [ask.amount.column])
        fields = self._person_fields(ask.person, *names)
        make, read = (
            (duck_people.shares_query, duck_people.shares_of)
            if ask.cells
            else (duck_people.totals_query, duck_people.totals_of)
        )
        query = make(ask, fields)
        return read(self.person_rows().fetch(query.sql, **query.tables), ask)

    def person_values(self, person: str, amount: Amount | None, how: str) -> PlaceCounts:
        """One whole number for each person; the distinct ones leave."""
        fields = self._person_fields(person, *([] if amount is None else [amount.column]))
        query = duck_people.values_query(person, amount, how, fields)
        return duck_people.values_of(self.person_rows().fetch(query.sql, **query.tables))

    def person_rows(self) -> "DuckEngine":
        """All rows that may have a person."""
        return self

    def named_people(self, ask: NamesAsk) -> NamedPeople:
        """Rows are grouped by name, or by person and name; names and counts leave."""
        fields = self._person_fields(ask.column, *([] if ask.person is None else [ask.person]))
        return duck_names.people_of(self.fetch(duck_names.names_query(ask, fields)))

    def _person_fields(self, *names: str) -> duck_people.Fields:
        return {name: duck_people.Field(self.field(name), self._group_key(name), self.kind(name)) for name in names}

    def _group_key(self, column: str | None) -> str:
        """A value such that only equal ones are one group."""
        text = duck_sql.kind_of(self.kind(column)) == "text"
        return duck_sql.plain_text(self.field(column)) if text else self.field(column)

    def faults(self, table: CodedTable) -> Faults:
        """What in a table breaks its schema, and the counts of the classes: one scan."""
        names = [*table.attributes]
        codes = [self._place_sql(name, _without_edges(coding)) for name, coding in table.attributes.items()]
        target = self._place_sql(table.target, table.classes)
        listed = ", ".join(f"count_if({code} is null) as f{place}" for place, code in enumerate(codes))
        kind = f"coalesce({target}, {table.classes.size})::integer"
        rows = self.fetch(f"select {kind} as class, count(*) as count, {listed} from data group by 1")
        classes = np.zeros(table.classes.size + 1, dtype=np.int64)
        classes[rows["class"]] = rows["count"]
        faulty = [name for place, name in enumerate(names) if rows[f"f{place}"].any()]
        return Faults(classes[:-1], (*faulty, *([table.target] if classes[-1] else [])))

    def class_counts(self, table: CodedTable) -> Integers:
        """Counts by node and class."""
        query = "select node, class, count(*) as count from coded group by all"
        return as_classes(self.fetch(f", {self._code_rows(table)} {query}"), table)

    def contingency(self, table: CodedTable) -> Integers:
        """Counts of a level: rows are grouped by a few attributes at a time, and the groups are taken apart again.

        In a tree the node of every row is found once, part by part, and rows are held as small numbers; without parts
        one scan groups by every attribute in hash tables.
        """
        if isinstance(table.route, int):
            return self._count_packs(table, "not materialized")
        if parts := self.parts():
            counts = np.zeros((table.nodes, sum(table.sizes), table.classes.size), dtype=np.int64)
            for number, part in enumerate(parts):
                with share_progress(number, len(parts)):
                    counts += replace(self, source=part)._count_packs(table, "materialized")
            return counts
        places = range(len(table.sizes))
        starts = np.concatenate([[0], np.cumsum(table.sizes)])
        sets = ", ".join(f"(node, class, b{place})" for place in places)
        place = f"coalesce({', '.join(f'b{place}::integer + {starts[place]}' for place in places)})"
        query = f"select node, class, {place} as place, count(*) as count from coded group by grouping sets ({sets})"
        return as_level(self.fetch(f", {self._code_rows(table)} {query}"), table)

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

    def _count_packs(self, table: CodedTable, kept: str) -> Integers:
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
        coded = self._code_rows(table, kept)
        return as_level(self.fetch(f", {coded}, {', '.join(grouped)} {' union all '.join(parts)}"), table)

    def cells(self, table: CodedTable) -> Cells:
        """Equal rows together: one grouping."""
        names = [*(f"b{place}" for place in range(len(table.sizes))), "class"]
        query = f"select {', '.join(names)}, count(*) as count from coded group by all"
        return as_cells(self.fetch(f", {self._code_rows(table)} {query}"), names)

    def pair_counts(self, table: CodedTable) -> Integers:
        """Joint counts of every two attributes: one grouping for each pair."""
        starts, kinds = np.concatenate([[0], np.cumsum(table.sizes)]), table.classes.size
        parts = [
            f"select node * {kinds} + class as node, b{one}::integer + {starts[one]} as one, "
            f"b{two}::integer + {starts[two]} as two, count(*) as count from coded group by all"
            for one, two in combinations_with_replacement(range(len(table.sizes)), 2)
        ]
        rows = self.fetch(f", {self._code_rows(table)} {' union all '.join(parts)}")
        return np.column_stack([as_places(rows[name]) for name in ("node", "one", "two", "count")])

    def edges(self, src: str, dst: str, nodes: Any) -> list[tuple[Integers, Integers]]:
        """Where the two ends of every edge stand among the nodes."""
        ends = [self.field(column, name) for name, column in (("src", src), ("dst", dst))]
        kinds = [self.types[self.columns.index(column)] for column in (src, dst)]
        tables, query = duck_sql.edge_query(nodes, kinds[0], kinds[1])
        query = f", ends as (select {ends[0]} as src, {ends[1]} as dst from data) {query}"
        streamed = None if self._is_small() else stream_pairs(self.unfetched(query, **tables))
        if streamed is not None:
            return streamed
        rows = self.fetch(query, **tables)
        return [(np.asarray(rows["src"]), np.asarray(rows["dst"]))]

    def _is_small(self) -> bool:
        """Whether it takes longer to ask for a stream than to fetch all rows; which way is taken changes no answer."""
        with suppress(OSError):  # a file that is gone is for the query to tell
            return bool(self.parquet) and sum(map(getsize, self.parquet)) < SMALL_FILES
        return False

    def _filter(self) -> str:
        return f" where {' and '.join(self.filters)}" if self.filters else ""

    def numbers(self, column: str | None, beside: str = "", *, days: bool = False) -> str:
        """SQL: the numbers of a column, or its days, as :func:`duck_sql.numbers_sql` has them."""
        make = duck_days.days_sql if days else duck_sql.numbers_sql
        return make(self.field(column), self.kind(column), "data", beside)

    def rows(self, readings: Mapping[str, RowReading]) -> Rows:
        """Columns as they are, then read here: the few questions that need rows need them in order."""
        found = self._fetch_fields(readings)
        return {
            name: row_values(duck_sql.fetched_column(each, self._type_of(name, reading)), reading)
            for (name, reading), each in zip(readings.items(), found, strict=True)
        }

    def _fetch_fields(self, names: Iterable[str | None]) -> list[NDArray[Any]]:
        fields = [f"{self._exact_field(name)} as f{spot}" for spot, name in enumerate(names)]
        return [*self.fetch(f"select {', '.join(fields)} from data").values()]

    def read_columns(self, *names: str | None) -> dict[str | None, Column]:
        """All values of some columns, each as it is, in one scan."""
        found = zip(names, self._fetch_fields(names), strict=True)
        return {name: duck_sql.fetched_column(each, self.kind(name)) for name, each in found}

    def column(self, column: str | None) -> Column:
        """All values of a column, each as it is."""
        return self.read_columns(column)[column]

    def _exact_field(self, column: str | None) -> str:
        return duck_sql.exact_sql(self.field(column), self.kind(column))

    def _type_of(self, name: str, reading: RowReading) -> str:
        """Values of a kind that is neither a number nor ever a label leave as the texts that they print."""
        strange = reading in (RowForm.AS_IT_IS, RowForm.PERSONS) and duck_sql.kind_of(self.kind(name)) == "nothing"
        return TEXT if strange else self.kind(name)

    def batches(self, names: Sequence[str], rows: int) -> Iterator[dict[str, Column]]:
        """The same of several columns, so many rows at a time, in the order of files and rows."""
        assert self.connection is not None
        fields = ", ".join(map(self._exact_field, names))
        self.connection.execute(f"with data as (select * from {self.source}{self._filter()}) select {fields} from data")
        while found := self.connection.fetchmany(rows):
            columns = map(list, zip(*found, strict=True))
            yield {
                name: duck_sql.fetched_column(each, self.kind(name)) for name, each in zip(names, columns, strict=True)
            }

    def kind(self, column: str | None) -> str:
        """The SQL type of a column that is there."""
        return self.types[self.columns.index(known_column(self.columns, column, self))]

    def field(self, column: str | None, argument: str = "column") -> str:
        """What SQL calls a column that is there."""
        name = known_column(self.columns, column, self, argument)
        return self.fields[self.columns.index(name)] if self.fields else quote(name)

    def _place_sql(self, name: str, coding: Coding) -> str:
        return duck_sql.place_sql(self.field(name), self.kind(name), coding)

    def _code_rows(self, table: CodedTable, kept: str = "not materialized") -> str:
        """The table ``coded``: places of all attributes, node and class of every row that is in one."""
        codes = [self._place_sql(name, coding) for name, coding in table.attributes.items()]
        kinds = ["utinyint" if size <= TINY else "usmallint" for size in table.sizes]
        places = ", ".join(f"({code})::{kinds[place]} as b{place}" for place, code in enumerate(codes))
        inner = f"select {places}, {self._place_sql(table.target, table.classes)} as class from data"
        rows = duck_routes.route_sql(table.route, [f"b{place}" for place in range(len(codes))], inner)
        some = f" where node is distinct from {NOT_HERE}" if isinstance(table.route, Route) else ""
        return f"coded as {kept} (select * from ({rows}){some})"


def engine_of_relation(relation: Any) -> DuckEngine:
    """A relation of the caller's connection: its settings, such as ``memory_limit``, hold."""
    import duckdb

    try:
        columns, types = tuple(relation.columns), tuple(map(str, relation.types))
        alias = str(relation.alias)
    except duckdb.Error:
        raise closed_error() from None
    location = "" if alias.startswith(("unnamed", "parquet_")) else alias
    return DuckEngine(f"dampen_{uuid4().hex}", columns, types, location, relation=relation)


def _without_edges(coding: Coding) -> Coding:
    """Whether a number is finite does not depend on where the edges are."""
    return Bins(coding.low, coding.high, ()) if isinstance(coding, Bins) else coding


@contextmanager
def _watch_query(connection: "DuckDBPyConnection") -> Iterator[None]:
    """DuckDB tells how far a query is only while it thinks that it shows a bar."""
    if not is_watched():
        yield
        return
    connection.execute("set enable_progress_bar = true; set enable_progress_bar_print = false")
    try:
        with watch(lambda: max(0.0, float(connection.query_progress()))):
            yield
    finally:
        connection.execute("set enable_progress_bar = false")
