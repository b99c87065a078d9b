"""Arrays in this process: lists, arrays, mappings of columns and data frames of any library, through narwhals."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from dampen.errors import DataError
from dampen.tables.columns import Column, column_of_values, numbers_of, place_counts
from dampen.tables.engines import array_codes
from dampen.tables.engines.array_sums import sum_of_reals, sum_of_wholes
from dampen.tables.engines.base import CodedTable, Coding, Faults, Levels, PlaceCounts, RowReading, Rows, Sums
from dampen.tables.engines.by_query import QueryLevels
from dampen.tables.engines.labels import Places
from dampen.tables.grid import Grid
from dampen.tables.reading import OTHER
from dampen.vectors import Integers

if TYPE_CHECKING:
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

    def part(self, column: str, labels: Sequence[Any], place: int) -> "ArrayEngine":
        """Only the rows whose value stands for a label."""
        here = array_codes.label_places(self.column(column), Places.of(labels)) == place
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

    def label_counts(self, column: str | None, labels: Sequence[Any]) -> dict[int, int]:
        """How many values stand for each label."""
        found = array_codes.label_places(self.column(column), Places.of(labels))
        counts = array_codes.counts_from(found, OTHER, len(labels))
        return {place: count for place, count in enumerate(counts.tolist(), OTHER) if count}

    def counts_by_group(self, column: str, values: Grid | Sequence[Any], by: str, labels: Sequence[Any]) -> Integers:
        """Both columns are read once, then the values of each group are counted."""
        found, groups = self.column(column), array_codes.label_places(self.column(by), Places.of(labels))
        if len(found) != len(groups):
            raise DataError("all columns must have equally many rows")
        rows = [np.empty((0, 3), dtype=np.int64)]
        for group in range(OTHER, len(labels)):
            part = ArrayEngine(None, columns={column: found.take(groups == group)})
            if isinstance(values, Grid):
                places, counts = part.histogram(column, values)
            else:
                counted = part.label_counts(column, values)
                places, counts = np.array([*counted], dtype=np.int64), np.array([*counted.values()], dtype=np.int64)
            rows.append(np.column_stack([np.full_like(places, group), places, counts]))
        return np.concatenate(rows)

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

    def levels(self, table: CodedTable) -> Levels:
        """Rows side by side, each with its node; of very many rows column by column."""
        from dampen.tables.contingency import SlotLevels

        codes, classes, _ = self._table(table)
        return QueryLevels(self, table) if len(classes) >= MANY else SlotLevels(codes, classes, table)

    def joints(
        self, table: CodedTable, slot_of: Integers, blocks: "tuple[Block, ...]", groups: Integers
    ) -> "Iterator[Joint]":
        """Rows side by side, walked once for each group."""
        from dampen.tables.pair_counts import pair_counts

        codes, classes, nodes = self._table(table)
        starts = np.concatenate([[0], np.cumsum(table.sizes)])
        narrow = slot_of.astype(np.int32)
        asked = [place for place in range(len(codes)) if (slot_of[starts[place] : starts[place + 1]] >= 0).any()]
        slots = np.empty((len(classes), len(asked)), dtype=np.int32)
        for spot, place in enumerate(asked):
            slots[:, spot] = narrow[starts[place] : starts[place + 1]][codes[place]]
        own = groups[nodes.astype(np.int64) * table.classes.size + classes]
        return pair_counts(slots, blocks, own, int(groups.max()) + 1)

    def edges(self, src: str, dst: str, nodes: Any) -> tuple[Integers, Integers]:
        """Where the two ends of every edge stand among the nodes."""
        tails, heads = self.column(src), self.column(dst)
        return nodes.places(tails), nodes.places(heads)

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
