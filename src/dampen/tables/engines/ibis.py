"""Tables of ibis, wherever they lie: DuckDB, PostgreSQL, BigQuery, Snowflake, Spark. Needs the extra ``ibis``.

Expressions use only comparisons, IEEE arithmetic on 64-bit floats, floors, casts and grouped counts, which all of these
have; floats are written as texts to be cast, since some databases read bare ones as decimals.
"""

import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import combinations_with_replacement
from typing import Any

import ibis
import numpy as np

from dampen.describe.conditions import Condition
from dampen.errors import DataError, EngineError, ParameterError
from dampen.tables.columns import column_of_values, counted_on
from dampen.tables.day_grid import DayGrid
from dampen.tables.engines import digits, ibis_codes, ibis_days, ibis_names, ibis_people, ibis_sizes
from dampen.tables.engines.array_codes import row_values
from dampen.tables.engines.base import (
    NOT_HERE,
    Amount,
    Cells,
    CodedTable,
    Faults,
    Faulty,
    Groups,
    PersonAsk,
    PersonShares,
    PlaceCounts,
    Reading,
    Route,
    RowReading,
    Rows,
    Sums,
    change_error,
    known_column,
    location_note,
)
from dampen.tables.engines.by_query import CountsByQuery, as_cells, as_classes, as_level, packs_of
from dampen.tables.engines.ibis_conditions import fault_rules, meets
from dampen.tables.engines.labels import Places
from dampen.tables.engines.names import NamedPeople, NamesAsk
from dampen.tables.engines.progress import Share, watch
from dampen.tables.engines.spark import STOPPED, is_on_spark, is_stopped, stream_batches
from dampen.tables.engines.unit_sizes import UnitSizes
from dampen.tables.grid import Grid, add_counts
from dampen.tables.unit_reading import Units
from dampen.vectors import Integers

MOST_CELLS = 2**12
"""So many joint counts, at most, are grouped at once."""
ROWS_IN_BATCH = 2**20
"""Rows that leave the database come so many at a time."""
CHUNK = 1024
"""Listed grids are looked up so many points at a time, with a scan for each part."""


@dataclass(frozen=True, eq=False, repr=False)
class IbisEngine(CountsByQuery):
    """An ibis table and the backend that knows it."""

    table: Any
    location: str
    name: str
    look: Callable[[], Share] = lambda: None
    """Tells how far a query is, if the backend knows."""

    def fetch(self, expression: Any, names: Sequence[str]) -> Rows:
        """What an expression returns, column by column: whole numbers."""
        found = self._run(expression)
        return {name: np.array(found.column(name).to_pylist(), dtype=np.int64) for name in names}

    def _run(self, expression: Any) -> Any:
        """The way out of the database, beside :meth:`_stream`: a table of pyarrow."""
        with self._watch_job():
            return expression.to_pyarrow()

    @contextmanager
    def _watch_job(self) -> Iterator[None]:
        """Look after a query that runs; its errors quote the data."""
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                with watch(self.look):
                    yield
        except (KeyboardInterrupt, EngineError):
            raise
        except Exception as error:
            raise job_error(error, self) from None

    def _stream(self, expression: Any) -> list[list[Any]]:
        """What an expression of whole numbers returns, batch by batch as it comes: never all of it in another form.

        Spark is asked itself, since ibis would first make a frame of pandas of all its rows.
        """
        with self._watch_job():
            if is_on_spark(expression):
                batches = stream_batches(expression)
            else:
                batches = expression.to_pyarrow_batches(chunk_size=ROWS_IN_BATCH)
            return [[column.to_numpy(zero_copy_only=False) for column in batch.columns] for batch in batches]

    def require(self, column: str) -> None:
        """Refuse a column that is not there."""
        self._column(column)

    def value(self, column: str) -> Any:
        """A column that is there, as an expression."""
        return self._column(column)

    def faulty(self, readings: Mapping[str, Reading]) -> Faulty:
        """Which columns hold what they must not: one scan."""
        rules = {
            f"f{spot}_{fault}": rule
            for spot, (name, reading) in enumerate(readings.items())
            for fault, rule in fault_rules(self._column(name), reading).items()
        }
        counts = {name: rule.fill_null(False).cast("int64").sum().fill_null(0) for name, rule in rules.items()}
        rows = self.fetch(self.table.aggregate(**counts), [*counts]) if counts else {}
        missing, other = (
            frozenset(name for spot, name in enumerate(readings) if rows.get(f"f{spot}_{fault}", [0])[0])
            for fault in ("missing", "other")
        )
        return Faulty(missing, other)

    def part(self, condition: Condition) -> "IbisEngine":
        """Only the rows that meet a condition."""
        return replace(self, table=self.table.filter(meets(self._column(condition.column, "where"), condition)))

    def row_count(self, column: str | None = None) -> int:
        """How many rows there are."""
        if column is not None:
            self._column(column)
        return int(self.fetch(self.table.aggregate(count=self.table.count()), ["count"])["count"][0])

    def histogram(self, column: str | None, grid: Grid) -> PlaceCounts:
        """How many values stand at each place of a grid."""
        found: dict[int, int] = {}
        parts = self._grid_places(column, grid)
        for rows in parts:
            counted = rows.group_by("place").aggregate(count=rows.count())
            part = self.fetch(counted.select(counted.place.cast("int64"), "count"), ["place", "count"])
            found |= dict(zip(part["place"].tolist(), part["count"].tolist(), strict=True))
        self._require_stillness(len(parts), sum(found.values()))
        places = np.array([*found], dtype=np.int64)
        counts = np.array([*found.values()], dtype=np.int64)
        return add_counts(grid.rounded(places) if isinstance(grid, DayGrid) else places, counts)

    def _grid_places(self, column: str | None, grid: Grid, **groups: Any) -> list[Any]:
        """Tables of places on a grid, with the groups beside; of a listed grid one for each part.

        Days are counted one by one, and rounded here: months of the calendar would be a list.
        """
        if isinstance(grid, DayGrid):
            rows, counted = ibis_days.days(self.table, self._column(column), **groups), grid.daily
        else:
            rows, counted = ibis_codes.numbers(self.table, self._column(column), **groups), counted_on(grid)
        return [*ibis_codes.grid_places(rows, counted, CHUNK, *groups)]

    def sums(self, column: str | None, ends: tuple[Fraction, Fraction]) -> Sums:
        """The exact sum of a column: that of one group, which is all rows."""
        return self.sums_by_group(column, ends, ())[()]

    def sums_by_group(
        self, column: str | None, ends: tuple[Fraction, Fraction], by: Groups
    ) -> dict[tuple[int, ...], Sums]:
        """The exact sums of groups, digit by digit."""
        groups = self._group_places(by)
        numbers = ibis_codes.numbers(self.table, self._column(column), **groups)
        coarse = self._digits(ibis_codes.digit_sums(numbers, ends, digits.COARSE, *groups), [*groups])
        fine: dict[tuple[int, ...], dict[str, int]] = {}
        if any(group["rest"] for group in coarse.values()):
            fine = self._digits(ibis_codes.digit_sums(numbers, ends, digits.FINE, *groups), [*groups])
        return {place: digits.add_up(group, fine.get(place, {}), ends) for place, group in coarse.items()}

    def person_shares(self, ask: PersonAsk) -> PersonShares:
        """Rows are grouped by person, and by cell where there are any; only what persons add up to leaves."""
        count = ibis_people.shares if ask.cells else ibis_people.totals
        return count(self.table, self._column, ask, self.fetch)

    def person_values(self, person: str, amount: Amount | None, how: str) -> PlaceCounts:
        """One whole number for each person; the distinct ones leave."""
        return ibis_people.values(self.table, self._column, person, amount, how, self.fetch)

    def named_people(self, ask: NamesAsk) -> NamedPeople:
        """Rows are grouped by name, or by person and name; names and counts leave."""
        return ibis_names.people_of(self._run(ibis_names.people_query(self.table, self._column, ask)))

    def unit_sizes(self, column: str | None, units: Units) -> UnitSizes:
        """Numbers in units by sign and size."""
        return ibis_sizes.sizes(self.table, self._column(column), units, self.fetch)

    def _group_places(self, by: Groups) -> dict[str, Any]:
        return {
            f"group{spot}": ibis_codes.place_of(self._column(name), Places.of(labels))
            for spot, (name, labels) in enumerate(by)
        }

    def label_counts(self, column: str | None, labels: Sequence[Any]) -> dict[int, int]:
        """How many values equal each label: those that equal none come out as one number."""
        coded = self.table.select(place=ibis_codes.place_of(self._column(column), Places.of(labels)))
        rows = self.fetch(coded.group_by("place").aggregate(count=coded.count()), ["place", "count"])
        return dict(zip(rows["place"].tolist(), rows["count"].tolist(), strict=True))

    def counts_by_group(self, column: str | None, values: Grid | Sequence[Any] | None, by: Groups) -> Integers:
        """Grouped by places; of a listed grid part by part."""
        groups = self._group_places(by)
        if column is None or values is None:
            parts = [self.table.select(**groups, place=ibis_codes.whole(0))]
        elif isinstance(values, Grid):
            parts = self._grid_places(column, values, **groups)
        else:
            parts = [self.table.select(**groups, place=ibis_codes.place_of(self._column(column), Places.of(values)))]
        names, found = [*groups, "place", "count"], []
        for rows in parts:
            counted = rows.group_by([*groups, "place"]).aggregate(count=rows.count())
            whole = counted.select(**{name: counted[name].cast("int64") for name in names})
            found.append(np.column_stack([*self.fetch(whole, names).values()]))
        self._require_stillness(len(parts), int(sum(part[:, -1].sum() for part in found)))
        counts = np.concatenate(found)
        if not isinstance(values, DayGrid):
            return counts
        places = np.column_stack([counts[:, :-2], values.rounded(counts[:, -2])])
        keys, own = np.unique(places, axis=0, return_inverse=True)
        sums = np.zeros(len(keys), dtype=np.int64)
        np.add.at(sums, own.ravel(), counts[:, -1])
        return np.column_stack([keys, sums])

    def _require_stillness(self, scans: int, rows: int) -> None:
        """Where parts of a grid take a scan each, a row that moved between them would count twice, or not at all."""
        if scans > 1 and rows != self.row_count():
            raise change_error(location_note(self))

    def faults(self, table: CodedTable) -> Faults:
        """What in a table breaks its schema, and the counts of the classes: one scan."""
        coded = self._encode(table)
        wrong = {f"f{place}": coded[f"b{place}"].isnull().sum() for place in range(len(table.sizes))}
        grouped = coded.mutate(kind=coded["class"].fill_null(table.classes.size)).group_by("kind")
        rows = self.fetch(grouped.aggregate(count=lambda rows: rows.count(), **wrong), ["kind", "count", *wrong])
        classes = np.zeros(table.classes.size + 1, dtype=np.int64)
        classes[rows["kind"]] = rows["count"]
        faulty = [name for place, name in enumerate(table.attributes) if rows[f"f{place}"].any()]
        return Faults(classes[:-1], (*faulty, *([table.target] if classes[-1] else [])))

    def class_counts(self, table: CodedTable) -> Integers:
        """Counts by node and class."""
        coded = self._route(table)
        counted = coded.group_by(["node", "class"]).aggregate(count=coded.count())
        return as_classes(self.fetch(counted, ["node", "class", "count"]), table)

    def contingency(self, table: CodedTable) -> Integers:
        """Counts of a level: attributes are grouped a few at a time, then taken apart again, all inside."""
        starts = np.concatenate([[0], np.cumsum(table.sizes)]).tolist()
        coded = self._route(table)
        parts = []
        for pack in packs_of(table.sizes, (table.nodes + 1) * table.classes.size, MOST_CELLS):
            keys = ["node", "class", *(f"b{place}" for place in pack)]
            grouped = coded.group_by(keys).aggregate(count=lambda rows: rows.count())
            places = ibis.array([grouped[f"b{place}"] + starts[place] for place in pack])
            parts.append(grouped.select("node", "class", "count", place=places.unnest()))
        rows = parts[0] if len(parts) == 1 else ibis.union(*parts, distinct=False)
        level = rows.group_by(["node", "place", "class"]).aggregate(count=rows["count"].sum().cast("int64"))
        return as_level(self.fetch(level, ["node", "place", "class", "count"]), table)

    def rows(self, readings: Mapping[str, RowReading]) -> Rows:
        """Columns as they are, then read here."""
        names = {name: f"f{spot}" for spot, name in enumerate(readings)}
        chosen = self.table.select(**{spot: ibis_codes.exportable(self._column(name)) for name, spot in names.items()})
        found = self._run(chosen)
        return {
            name: row_values(column_of_values(found.column(names[name]), None), reading)
            for name, reading in readings.items()
        }

    def cells(self, table: CodedTable) -> Cells:
        """Equal rows together: one grouping, inside."""
        names = [*(f"b{place}" for place in range(len(table.sizes))), "class"]
        counted = self._encode(table).group_by(names).aggregate(count=lambda rows: rows.count())
        return as_cells(self.fetch(counted, [*names, "count"]), names)

    def pair_counts(self, table: CodedTable) -> Integers:
        """Joint counts of every two attributes: every row is told once for each pair, inside, and grouped."""
        sizes, width = table.sizes, sum(table.sizes)
        starts = np.concatenate([[0], np.cumsum(sizes)]).tolist()
        coded = self._route(table)
        pairs = combinations_with_replacement(range(len(sizes)), 2)
        keys = [(coded[f"b{one}"] + starts[one]) * width + coded[f"b{two}"] + starts[two] for one, two in pairs]
        told = coded.select(group=coded.node * table.classes.size + coded["class"], key=ibis.array(keys).unnest())
        counted = told.group_by(["group", "key"]).aggregate(count=told.count())
        rows = self.fetch(counted, ["group", "key", "count"])
        return np.column_stack([rows["group"], rows["key"] // width, rows["key"] % width, rows["count"]])

    def edges(self, src: str, dst: str, nodes: Any) -> list[tuple[Integers, Integers]]:
        """Where the two ends of every edge stand among the nodes."""
        ends = [
            ibis_codes.node_places(self._column(column, name), nodes) for name, column in (("src", src), ("dst", dst))
        ]
        pieces = self._stream(self.table.select(src=ends[0].cast("int32"), dst=ends[1].cast("int32")))
        return [(piece[0], piece[1]) for piece in pieces]

    def _digits(self, sums: Any, groups: list[str]) -> dict[tuple[int, ...], dict[str, int]]:
        names = list(sums.columns)
        found = self.fetch(sums, names)
        rows = [
            dict(zip(names, row, strict=True)) for row in zip(*(found[name].tolist() for name in names), strict=True)
        ]
        return {tuple(row[group] for group in groups): row for row in rows}

    def _column(self, column: str | None, argument: str = "column") -> Any:
        return self.table[known_column(list(self.table.columns), column, self, argument)]

    def _encode(self, table: CodedTable) -> Any:
        """Places of all attributes, and the class of every row."""
        codings = {f"b{place}": (name, coding) for place, (name, coding) in enumerate(table.attributes.items())}
        codings["class"] = (table.target, table.classes)
        return self.table.select(
            **{key: ibis_codes.encode(self._column(name), coding) for key, (name, coding) in codings.items()}
        )

    def _route(self, table: CodedTable) -> Any:
        """The same, with the node of every row that is in one."""
        coded = self._encode(table)
        codes = [coded[f"b{place}"] for place in range(len(table.sizes))]
        rows = coded.mutate(node=ibis_codes.node_of(table.route, codes).cast("int64"))
        return rows.filter(rows.node != NOT_HERE) if isinstance(table.route, Route) else rows


@contextmanager
def open_table(data: Any, place: str = "") -> Iterator[IbisEngine]:
    """The engine of an ibis table, or of a Spark data frame, which may have been read from files at a ``place``."""
    if type(data).__module__.partition(".")[0] == "pyspark":
        from dampen.tables.engines.spark import as_table, tasks_done

        with as_table(data) as table:
            yield IbisEngine(table, place, "spark", tasks_done(data.sparkSession))
        return
    if isinstance(data, ibis.expr.types.Column):
        data = data.as_table()
    if not isinstance(data, ibis.expr.types.Table):
        raise ParameterError(f"data must be an ibis table; got {type(data).__name__}")
    try:
        name = data.get_name()
    except Exception:
        name = ""
    yield IbisEngine(data, "" if name.startswith("ibis_") else name.rpartition(".")[2], "ibis")


def job_error(error: Exception, engine: IbisEngine) -> EngineError | DataError:
    """What is raised when a backend fails, without its reason: reasons quote the data."""
    if is_stopped(error):
        return EngineError(STOPPED)
    text = f"{type(error).__name__} {error}"
    if "onnection" in text and "closed" in text:
        return EngineError(f"{engine.name} could not run the query: its connection is closed{location_note(engine)}")
    return EngineError(
        f"{engine.name} could not count the data{location_note(engine)}: the job failed ({type(error).__name__[:60]})"
    )
