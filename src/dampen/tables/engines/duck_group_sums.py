"""Exact sums of DuckDB's columns: floats of many rows in a stream, all others by SQL."""

from abc import ABC, abstractmethod
from contextlib import AbstractContextManager
from fractions import Fraction
from typing import Any

from dampen.tables.engines import duck_sums
from dampen.tables.engines.base import Groups, Rows, Sums
from dampen.tables.engines.duck_groups import GroupedRows
from dampen.tables.engines.duck_sql import REAL_TYPES
from dampen.tables.engines.duck_stream import Unfetched, group_field, stream_sums


class SumsByEngine(ABC):
    """What DuckDB adds up, and how."""

    @abstractmethod
    def numbers(self, column: str | None, beside: str = "", *, days: bool = False) -> str:
        """SQL: the numbers of a column."""

    @abstractmethod
    def fetch(self, query: str, **tables: Any) -> Rows:
        """What a query returns, column by column."""

    @abstractmethod
    def unfetched(self, query: str) -> AbstractContextManager[Unfetched]:
        """A query that nobody has run yet."""

    @abstractmethod
    def group_rows(self, by: Groups) -> GroupedRows:
        """SQL: rows grouped by the values of columns as they are."""

    @abstractmethod
    def field(self, column: str | None, argument: str = "column") -> str:
        """What SQL calls a column."""

    @abstractmethod
    def kind(self, column: str | None) -> str:
        """The SQL type of a column."""

    def sums(self, column: str | None, ends: tuple[Fraction, Fraction]) -> Sums:
        """The exact sum of a column: that of one group, which is all rows; a stream without any has no group."""
        return self.sums_by_group(column, ends, ()).get((), Sums(0, Fraction(0), 0, 0))

    def sums_by_group(
        self, column: str | None, ends: tuple[Fraction, Fraction], by: Groups
    ) -> dict[tuple[int, ...], Sums]:
        """One scan; few values have more digits than it looks at where SQL adds them."""
        streamed = self._stream_sums(column, ends, by) if self.kind(column) in REAL_TYPES else None
        return self._query_sums(column, ends, by) if streamed is None else streamed

    def _stream_sums(
        self, column: str | None, ends: tuple[Fraction, Fraction], by: Groups
    ) -> dict[tuple[int, ...], Sums] | None:
        found = [group_field(self.field(name), self.kind(name), labels) for name, labels in by]
        fields = [field for field in found if field is not None]
        if len(fields) < len(found):
            return None
        return stream_sums(self.unfetched, self.field(column), fields, ends)

    def _query_sums(
        self, column: str | None, ends: tuple[Fraction, Fraction], by: Groups
    ) -> dict[tuple[int, ...], Sums]:
        """Digits are added group by group."""
        groups = self.group_rows(by)
        numbers = self.numbers(column, groups.beside)
        wide = duck_sums.sum_rows(self.field(column), self.kind(column), numbers, ends, groups.beside)
        found = self._fetch_sums(groups, wide)
        every: dict[tuple[int, ...], dict[str, int]] = {}
        if any(group.get("rest", 0) for group in found.values()):
            every = self._fetch_sums(groups, duck_sums.every_digit(numbers, ends))
        return {place: duck_sums.as_sums(group, every.get(place, {}), ends) for place, group in found.items()}

    def _fetch_sums(self, groups: GroupedRows, asked: duck_sums.SumRows) -> dict[tuple[int, ...], dict[str, int]]:
        """Sums by group; as texts, since they may have more than 64 bits."""
        labels = "".join(f"label{spot}, " for spot in range(len(groups.owners)))
        listed = ", ".join(f"{field} as {name}" for name, field in asked.fields.items())
        totals = {name: f"cast(coalesce(sum({name}), 0) as varchar)" for name in asked.fields}
        query = groups.query(f"select {labels}{listed} from ({asked.rows}) group by all", totals)
        found = self.fetch(query, **groups.tables)
        places = zip(*(found[name].tolist() for name in groups.owners), strict=True) if groups.owners else [()]
        sums = [map(int, row) for row in zip(*(found[name].tolist() for name in asked.fields), strict=True)]
        return {place: dict(zip(asked.fields, row, strict=True)) for place, row in zip(places, sums, strict=True)}
