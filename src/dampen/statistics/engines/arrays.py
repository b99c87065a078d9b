"""Arrays in this process: lists, arrays, mappings of columns and data frames of any library, through narwhals."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dampen.errors import DataError
from dampen.statistics.columns import in_memory, numbers_of, titled
from dampen.statistics.engines import array_codes
from dampen.statistics.engines.array_grid import count_places
from dampen.statistics.engines.array_sums import sum_of_reals, sum_of_wholes
from dampen.statistics.engines.base import MISSING, Coded, Coding, Faults, Placed, Sums
from dampen.statistics.engines.labels import Places
from dampen.statistics.grid import Grid
from dampen.vectors import Integers


@dataclass(frozen=True, eq=False, repr=False)
class ArrayEngine:
    """Values in memory; ``kept`` tells which rows a filter leaves."""

    values: Any
    kept: NDArray[np.bool_] | None = None
    codes: dict[tuple[str, Coding], array_codes.Codes] = field(default_factory=dict)
    name = "arrays"
    place = ""

    def column(self, column: str | None) -> Any:
        """A list, an array or a Series of narwhals: the values of a column."""
        found = in_memory(self.values, column)
        if self.kept is None:
            return found
        if len(found) != len(self.kept):
            raise DataError("all columns must have equally many rows")
        if isinstance(found, list):
            return [item for item, kept in zip(found, self.kept.tolist(), strict=True) if kept]
        if isinstance(found, np.ndarray):
            return found[self.kept]
        return found.filter(self.kept.tolist()) if len(found) else found

    def where(self, column: str, value: Any) -> "ArrayEngine":
        """Only the rows with this value."""
        same = array_codes.equal_to(in_memory(self.values, column), value)
        return ArrayEngine(self.values, same if self.kept is None else self.kept & same)

    def row_count(self, column: str | None = None) -> int:
        """How many rows there are."""
        if column is not None:
            return len(self.column(column))
        return array_codes.length_of(self.values) if self.kept is None else int(np.count_nonzero(self.kept))

    def histogram(self, column: str | None, grid: Grid) -> Placed:
        """How many values stand at each place of a grid."""
        numbers = numbers_of(self.column(column), titled(column))
        places, counts = count_places([numbers.wholes, numbers.reals], grid)
        if numbers.missing:
            places, counts = np.append([MISSING], places), np.append([numbers.missing], counts)
        return places, counts

    def sums(self, column: str | None, ends: tuple[Fraction, Fraction]) -> Sums:
        """The exact sum of a column."""
        numbers = numbers_of(self.column(column), titled(column))
        count = len(numbers.wholes) + len(numbers.reals)
        return Sums(count, sum_of_wholes(numbers.wholes, ends) + sum_of_reals(numbers.reals, ends), numbers.missing, 0)

    def group_counts(self, column: str | None, labels: Sequence[Any]) -> dict[int, int]:
        """How many values equal each label."""
        found = self.column(column)
        listed = getattr(found, "to_list", None) or getattr(found, "tolist", None)
        try:
            counts = Counter(found if listed is None else listed())
        except TypeError:
            raise DataError(f"{titled(column)} must hold single labels") from None
        places, counted = Places.of(labels), Counter[int]()
        for value, count in counts.items():
            counted[places.place(value)] += count
        return dict(counted)

    def faults(self, table: Coded) -> Faults:
        """What in a table breaks its schema, and the counts of the classes."""
        wrong = tuple(name for name, coding in table.attributes.items() if (self._coded(name, coding) < 0).any())
        classes = self._coded(table.target, table.classes)
        counts = array_codes.counts_of(classes, table.classes.size)
        return Faults(counts, wrong if (classes >= 0).all() else (*wrong, table.target))

    def class_counts(self, table: Coded) -> Integers:
        """Counts by node and class."""
        _, classes, nodes = self._table(table)
        keys = nodes[nodes >= 0].astype(np.int64) * table.classes.size + classes[nodes >= 0]
        return np.bincount(keys, minlength=table.nodes * table.classes.size).reshape(table.nodes, -1)

    def contingency(self, table: Coded) -> Integers:
        """Counts of a level: one pass over the rows for each attribute."""
        codes, classes, nodes = self._table(table)
        return array_codes.count_level(codes, classes, nodes, table.sizes, table.classes.size, table.nodes)

    def pair_counts(self, table: Coded) -> Integers:
        """Joint counts of every two attributes."""
        codes, classes, nodes = self._table(table)
        return array_codes.count_pairs(codes, classes, nodes, table.sizes, table.classes.size)

    def edges(self, src: str, dst: str, nodes: Any) -> tuple[Integers, Integers]:
        """Where the two ends of every edge stand among the nodes."""
        tails, heads = self.column(src), self.column(dst)
        return nodes.places(tails, titled(src)), nodes.places(heads, titled(dst))

    def _table(self, table: Coded) -> tuple[list[array_codes.Codes], array_codes.Codes, array_codes.Codes]:
        codes = [self._coded(name, coding) for name, coding in table.attributes.items()]
        classes = self._coded(table.target, table.classes)
        return codes, classes, array_codes.routed(table.route, codes, len(classes))

    def _coded(self, name: str, coding: Coding) -> array_codes.Codes:
        """The places of a column, found once for each way to read it."""
        if (name, coding) not in self.codes:
            self.codes[name, coding] = array_codes.coded(self.column(name), coding, titled(name))
        return self.codes[name, coding]
