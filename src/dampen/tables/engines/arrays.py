"""Arrays in this process: lists, arrays, mappings of columns and data frames of any library, through narwhals."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from dampen.describe.conditions import Among, Condition
from dampen.errors import DataError
from dampen.tables.columns import Column, column_of_values, counted_on, numbers_of, place_counts, row_numbers, widen
from dampen.tables.day_grid import DayGrid
from dampen.tables.engines import array_codes
from dampen.tables.engines.array_sums import sum_of_reals, sum_of_wholes
from dampen.tables.engines.base import (
    Amount,
    Cells,
    CodedTable,
    Coding,
    Faults,
    Faulty,
    Groups,
    Levels,
    PersonAsk,
    PersonShares,
    PlaceCounts,
    Reading,
    RowReading,
    Rows,
    Sums,
)
from dampen.tables.engines.by_query import QueryLevels
from dampen.tables.engines.labels import Places
from dampen.tables.engines.names import NamedPeople, NamesAsk
from dampen.tables.engines.ranges import real_ends, whole_ends
from dampen.tables.grid import Grid, locate
from dampen.tables.reading import MISSING, OTHER
from dampen.tables.unit_reading import Units
from dampen.vectors import Integers, Vector

if TYPE_CHECKING:
    from dampen.tables.engines.array_groups import GroupCodes
    from dampen.tables.engines.array_people import PersonRows
    from dampen.tables.engines.array_persons import PersonCodes
    from dampen.tables.engines.unit_sizes import UnitSizes
    from dampen.tables.pair_counts import Block, Joint

MANY = 2**22
"""From so many rows on the columns of a tree are walked one by one: side by side they would take twice the memory."""


@dataclass(frozen=True, eq=False, repr=False)
class ArrayEngine:
    """Values in memory; ``kept`` tells which rows a filter leaves. What was read of a column is remembered."""

    values: Any
    kept: NDArray[np.bool_] | None = None
    columns: dict[str | None, Column] = field(default_factory=dict)
    codes: dict[tuple[str, Coding], array_codes.Codes] = field(default_factory=dict)
    people: "dict[str, PersonCodes]" = field(default_factory=dict)
    groups: dict[str, tuple[Integers, list[str]]] = field(default_factory=dict)
    name = "arrays"
    location = ""

    def column(self, column: str | None) -> Column:
        """The values of a column, each as it is."""
        if not isinstance(column, str | None) or column not in self.columns:
            found = column_of_values(self.values, column)
            if self.kept is not None and len(found) != len(self.kept):
                raise DataError("all columns must have equally many rows")
            self.columns[column] = found if self.kept is None else found.take(self.kept)
        return self.columns[column]

    def require(self, column: str) -> None:
        """Refuse a column that is not there."""
        self.column(column)

    def faulty(self, readings: Mapping[str, Reading]) -> Faulty:
        """Which columns hold what they must not."""
        found = {name: self._faults_of(name, reading) for name, reading in readings.items()}
        return Faulty(*(frozenset(name for name in found if fault in found[name]) for fault in (MISSING, OTHER)))

    def _faults_of(self, name: str, reading: Reading) -> set[int]:
        if reading.labels is not None:
            return {fault for fault in self.label_counts(name, reading.labels) if fault < 0}
        if reading.person or reading.name:
            codes = self._persons(name).codes if reading.person else self._names(name)[0]
            return {fault for fault in (MISSING, OTHER) if (codes == fault).any()}
        numbers = numbers_of(self.column(name), days=reading.days)
        return {fault for fault, count in ((MISSING, numbers.missing), (OTHER, numbers.other)) if count}

    def part(self, condition: Condition) -> "ArrayEngine":
        """Only the rows that meet a condition."""
        here = rows_that_meet(self.column(condition.column), condition)
        if self.kept is None:
            return ArrayEngine(self.values, here)
        kept = self.kept.copy()
        kept[kept] = here
        return ArrayEngine(self.values, kept)

    def row_count(self, column: str | None = None) -> int:
        """How many rows there are."""
        if column is not None:
            return len(self.column(column))
        return array_codes.length_of(self.values) if self.kept is None else int(np.count_nonzero(self.kept))

    def histogram(self, column: str | None, grid: Grid) -> PlaceCounts:
        """How many values stand at each place of a grid."""
        return place_counts(self.column(column), grid)

    def sums(self, column: str | None, ends: tuple[Fraction, Fraction]) -> Sums:
        """The exact sum of a column."""
        numbers = numbers_of(self.column(column))
        count = len(numbers.wholes) + len(numbers.reals)
        found = sum_of_wholes(numbers.wholes, ends) + sum_of_reals(numbers.reals, ends)
        return Sums(count, found, numbers.missing, numbers.other)

    def unit_sizes(self, column: str | None, units: Units) -> "UnitSizes":
        """Numbers in units by sign and size."""
        from dampen.tables.engines.unit_sizes import sizes_of_column

        return sizes_of_column(self.column(column), units)

    def label_counts(self, column: str | None, labels: Sequence[Any]) -> dict[int, int]:
        """How many values stand for each label."""
        found = array_codes.label_places(self.column(column), Places.of(labels))
        counts = array_codes.counts_from(found, OTHER, len(labels))
        return {place: count for place, count in enumerate(counts.tolist(), OTHER) if count}

    def counts_by_group(self, column: str | None, values: Grid | Sequence[Any] | None, by: Groups) -> Integers:
        """All columns are read once; then each row is a number, and those are counted."""
        from dampen.tables.engines.array_groups import count_pairs

        if column is None or values is None:
            groups = self._groups(by, len(self.column(by[0][0])) if by else self.row_count())
            return count_pairs(groups, np.zeros(len(groups.codes), dtype=np.int64), 1)
        places = self._places(column, values)
        return count_pairs(self._groups(by, len(places)), places, len(values))

    def sums_by_group(self, column: str, ends: tuple[Fraction, Fraction], by: Groups) -> dict[tuple[int, ...], Sums]:
        """The exact sums of groups in one pass over the rows."""
        from dampen.tables.engines.running_sums import sum_groups

        found = self.column(column)
        return sum_groups(self._groups(by, len(found)), found, ends)

    def person_shares(self, ask: PersonAsk) -> PersonShares:
        """What persons bring to each cell: rows are grouped by both, and persons walked through one by one."""
        from dampen.tables.engines.array_people import share_out

        return share_out(self._person_rows(ask), ask)

    def person_values(self, person: str, amount: Amount | None, how: str) -> PlaceCounts:
        """One whole number for each person."""
        from dampen.tables.engines.array_people import values_of

        return values_of(self._person_rows(PersonAsk(person, amount=amount)), how)

    def named_people(self, ask: NamesAsk) -> NamedPeople:
        """Names have numbers, and each pair of a person and a name is one number."""
        from dampen.tables.engines.array_names import count_people

        if ask.person is None:
            return count_people(ask, self._names(ask.column), None)
        return count_people(ask, self._names(ask.column), self._persons(ask.person), self.column(ask.person))

    def _names(self, column: str) -> tuple[Integers, list[str]]:
        from dampen.tables.engines.array_names import name_codes

        if column not in self.groups:
            self.groups[column] = name_codes(self.column(column))
        return self.groups[column]

    def _person_rows(self, ask: PersonAsk) -> "PersonRows":
        from dampen.tables.engines.array_people import person_rows

        places = [self._places(each.column, each.values) for each in ask.cells]
        amounts = None if ask.amount is None else self._places(ask.amount.column, ask.amount.grid)
        return person_rows(self._persons(ask.person), ask, places, amounts)

    def _persons(self, column: str) -> "PersonCodes":
        from dampen.tables.engines.array_persons import person_codes

        if column not in self.people:
            self.people[column] = person_codes(self.column(column))
        return self.people[column]

    def _places(self, column: str, values: Grid | Sequence[Any]) -> Integers:
        """The place of each value of a column, of a grid or among labels."""
        found = self.column(column)
        if not isinstance(values, Grid):
            return array_codes.label_places(found, Places.of(values)).astype(np.int64)
        numbers, grid = row_numbers(found, days=isinstance(values, DayGrid)), counted_on(values)
        return numbers.spread(np.int64, lambda part: locate(part, grid))

    def _groups(self, by: Groups, rows: int) -> "GroupCodes":
        from dampen.tables.engines.array_groups import group_codes

        columns = [array_codes.label_places(self.column(name), Places.of(labels)) for name, labels in by]
        return group_codes(columns, [labels for _, labels in by], rows)

    def faults(self, table: CodedTable) -> Faults:
        """What in a table breaks its schema, and the counts of the classes."""
        wrong = tuple(name for name, coding in table.attributes.items() if self._code(name, coding).min(initial=0) < 0)
        classes = self._code(table.target, table.classes)
        if len({len(classes), *(len(self._code(name, coding)) for name, coding in table.attributes.items())}) > 1:
            raise DataError("all columns must have equally many rows")
        counts = array_codes.counts_from(classes, -1, table.classes.size)
        return Faults(counts[1:], wrong if not counts[0] else (*wrong, table.target))

    def class_counts(self, table: CodedTable) -> Integers:
        """Counts by node and class."""
        _, classes, nodes = self._table(table)
        keys = nodes[nodes >= 0].astype(np.int64) * table.classes.size + classes[nodes >= 0]
        return np.bincount(keys, minlength=table.nodes * table.classes.size).reshape(table.nodes, -1)

    def contingency(self, table: CodedTable) -> Integers:
        """Counts of a level: one pass over the rows for each attribute."""
        codes, classes, nodes = self._table(table)
        return array_codes.count_level(codes, classes, nodes, table.sizes, table.classes.size, table.nodes)

    def cells(self, table: CodedTable) -> Cells:
        """Every row by itself."""
        codes, classes, _ = self._table(table)
        return np.column_stack([*codes, classes]).astype(np.int32, copy=False), np.ones(len(classes), dtype=np.int64)

    def levels(self, table: CodedTable) -> Levels:
        """Rows side by side, each with its node; of very many rows column by column."""
        from dampen.tables.contingency import SlotLevels

        codes, classes, _ = self._table(table)
        return QueryLevels(self, table) if len(classes) >= MANY else SlotLevels(codes, classes, table)

    def joints(
        self, table: CodedTable, slot_of: Integers, blocks: "tuple[Block, ...]", groups: Integers
    ) -> "Iterator[Joint]":
        """Rows side by side, walked once for each group."""
        from dampen.tables.pair_counts import pair_counts, slots_of

        codes, classes, nodes = self._table(table)
        slots = slots_of(codes, table.sizes, slot_of)
        own = groups[nodes.astype(np.int64) * table.classes.size + classes]
        return pair_counts(slots, blocks, own, int(groups.max()) + 1)

    def edges(self, src: str, dst: str, nodes: Any) -> list[tuple[Integers, Integers]]:
        """Where the two ends of every edge stand among the nodes."""
        tails, heads = self.column(src), self.column(dst)
        return [(nodes.places(tails), nodes.places(heads))]

    def rows(self, readings: Mapping[str, RowReading]) -> Rows:
        """The rows themselves, as they are read."""
        return {name: array_codes.row_values(self.column(name), reading) for name, reading in readings.items()}

    def _table(self, table: CodedTable) -> tuple[list[array_codes.Codes], array_codes.Codes, array_codes.Codes]:
        codes = [self._code(name, coding) for name, coding in table.attributes.items()]
        classes = self._code(table.target, table.classes)
        return codes, classes, array_codes.route_rows(table.route, codes, len(classes))

    def _code(self, name: str, coding: Coding) -> array_codes.Codes:
        """The places of a column, found once for each way to read it."""
        if (name, coding) not in self.codes:
            self.codes[name, coding] = array_codes.encode_column(self.column(name), coding)
        return self.codes[name, coding]


def rows_that_meet(column: Column, condition: Condition) -> NDArray[np.bool_]:
    """Which rows of a column meet a condition; missing values and what is no number or day meet no range."""
    if isinstance(condition, Among):
        return np.isin(array_codes.label_places(column, Places.of(condition.labels)), sorted(condition.places))
    found = row_numbers(column, days=condition.days)
    here = np.zeros(found.size, dtype=np.bool_)
    for rows, part in found.parts:
        numbers = widen(part)
        ends = whole_ends(condition) if numbers.dtype.kind == "i" else real_ends(condition)
        here[rows] = _within(numbers, *ends)
    return here


def _within(numbers: Vector, low: int | float | None, high: int | float | None) -> NDArray[np.bool_]:
    here = np.ones(len(numbers), dtype=np.bool_)
    if low is not None:
        here &= numbers >= low
    if high is not None:
        here &= numbers <= high
    return here
