"""A table asked group by group: every declared group is answered, and all answers together are paid for once."""

from collections.abc import Callable, Iterable, Sequence
from fractions import Fraction
from itertools import product
from math import prod
from typing import TYPE_CHECKING, Any

import numpy as np

from dampen._validate import Number, positive, render
from dampen.describe.columns import Category, Flag, Listed
from dampen.errors import ParameterError
from dampen.front.asking import Asking, as_tuple, missing_method
from dampen.front.people import person_words
from dampen.front.people_groups import QUESTIONS as BY_PERSON
from dampen.front.people_groups import GroupQuestion
from dampen.privacy import Adjacency, GroupRelease
from dampen.questions.by_group import pose_each, pose_most_common
from dampen.questions.histograms import MOST_BARS, pose_counts
from dampen.questions.one_percentile import Method
from dampen.questions.record import Posed, Price
from dampen.tables.counts import GridCounts, Total
from dampen.tables.engines import Source
from dampen.tables.groups import (
    MOST_GROUPS,
    GroupColumn,
    categories_by_groups,
    grids_by_groups,
    rows_by_groups,
    total_by_group,
)
from dampen.vectors import Integers

if TYPE_CHECKING:
    from dampen.front.table import Table


class GroupedTable:
    """What ``table.by(...)`` returns. Its methods are those of the table, and answer for each group."""

    def __init__(self, table: "Table", columns: tuple[str, ...]) -> None:
        if not columns or not all(isinstance(name, str) for name in columns) or len(set(columns)) < len(columns):
            raise ParameterError(f"by must name one or more different columns; got {render(columns)}")
        self._table, self._view, self._by = table, table.view, columns
        found = {name: table.view.category(name) for name in columns}
        self._columns = tuple(
            GroupColumn(name, each.labels, rest_of(each), each.missing, isinstance(each, Listed))
            for name, each in found.items()
        )
        listed = [each.labels for each in found.values()]
        if (count := prod(map(len, listed))) > MOST_GROUPS:
            raise ParameterError(f"by must make at most {MOST_GROUPS} groups; got {count}")
        self._labels: tuple[Any, ...] = listed[0] if len(listed) == 1 else tuple(product(*listed))

    def __repr__(self) -> str:
        return f"{self._table!r}.by({', '.join(map(repr, self._by))})"

    def __getattr__(self, name: str) -> Any:
        raise missing_method(self, name, f"{name} must be asked of the whole table: groups have no answer to it")

    def count(
        self,
        *,
        of: str | None = None,
        cap: Number | None = None,
        epsilon: Number | None = None,
        rho: Number | None = None,
        non_negative: bool = False,
        consistent: bool = False,
        note: str | None = None,
    ) -> GroupRelease:
        """How many rows each group has.

        ``non_negative``: counts below 0 become 0. ``consistent``: counts are at least 0 and add up; under ``REPLACE``
        without a filter to the number of rows, which is public.

        Of a table with a person, who may be in several groups: ``of="persons"`` counts those who have rows there.
        Whoever has more rows, or is in more of many groups, than a limit counts for less in each; the limit is chosen
        privately and told, ``release.cap``; ``cap``: a public one, in its place.
        """
        price = Price(epsilon, rho)
        options: dict[str, Any] = {"non_negative": non_negative, "consistent": consistent}
        said = person_words(self._table.person, "rows", of=of, cap=cap)
        if self._view.person is not None:
            return self._ask_people("count", None, price, note, **options, **said)
        source = self._view.source(None, *self._by)
        whole = self._table.adjacency is Adjacency.REPLACE and not source.where
        public = whole and all(column.missing != "drop" for column in self._columns)

        def pose(counts: Integers) -> Posed[Any]:
            records = int(counts.sum()) if public else None
            return pose_counts(counts, self._labels, **self._terms(price), **options, records=records)

        nothing = np.zeros(len(self._labels), dtype=np.int64)
        asked = Asking("count", None, options, self._by, price, note)
        return self._answer(asked, pose, nothing, lambda: rows_by_groups(source, self._columns))

    def sum(
        self,
        column: str,
        *,
        cap: Number | None = None,
        epsilon: Number | None = None,
        rho: Number | None = None,
        note: str | None = None,
    ) -> GroupRelease:
        """The sum of a column of numbers in each group; with a person under a limit, as by :meth:`count`.

        Of a column with negative values a person's own rows are added up in each group, and the sizes of these sums
        together are held against the limit.
        """
        found = self._view.number(column)
        known = {"bounds": found.bounds, "unit": found.sum_unit}
        said = person_words(self._table.person, None, cap=cap)
        if self._view.person is not None:
            return self._ask_people("sum", column, Price(epsilon, rho), note, **said)
        return self._ask_sums("sum", column, Price(epsilon, rho), note, **known)

    def mean(
        self, column: str, *, epsilon: Number | None = None, rho: Number | None = None, note: str | None = None
    ) -> GroupRelease:
        """The mean of a column of numbers in each group; with a person everybody has one vote in all of them."""
        if self._view.person is not None:
            return self._ask_people("mean", column, Price(epsilon, rho), note)
        return self._ask_sums("mean", column, Price(epsilon, rho), note, bounds=self._view.number(column).bounds)

    def median(
        self,
        column: str,
        *,
        epsilon: Number | None = None,
        rho: Number | None = None,
        method: Method = "distance",
        note: str | None = None,
    ) -> GroupRelease:
        """The median of a column of numbers or dates in each group."""
        return self._ask_grid("median", column, Price(epsilon, rho), note, method=method)

    def percentile(
        self,
        column: str,
        p: Number,
        *,
        epsilon: Number | None = None,
        rho: Number | None = None,
        method: Method = "distance",
        note: str | None = None,
    ) -> GroupRelease:
        """The p-th percentile of a column of numbers or dates in each group."""
        return self._ask_grid("percentile", column, Price(epsilon, rho), note, p=p, method=method)

    def percentiles(
        self, column: str, ps: Iterable[Number], *, epsilon: Number, strategy: str = "auto", note: str | None = None
    ) -> GroupRelease:
        """Several percentiles of a column of numbers or dates in each group."""
        price = Price(positive(epsilon=epsilon))
        return self._ask_grid("percentiles", column, price, note, ps=as_tuple(ps), strategy=strategy)

    def histogram(
        self, column: str, *, epsilon: Number | None = None, rho: Number | None = None, note: str | None = None
    ) -> GroupRelease:
        """How many rows of each group each step of a column of numbers or dates has."""
        if (bars := len(self._view.grid(column)["bounds"]) * len(self._labels)) > MOST_BARS:
            raise ParameterError(f"histograms must have at most {MOST_BARS} bars together; got {bars}")
        return self._ask_grid("histogram", column, Price(epsilon, rho), note)

    def most_common(
        self,
        column: str,
        *,
        epsilon: Number | None = None,
        rho: Number | None = None,
        mechanism: Any = None,
        note: str | None = None,
    ) -> GroupRelease:
        """The most frequent value of a category or flag in each group."""
        found, price = self._view.category(column), Price(epsilon, rho)
        if self._view.person is not None:
            return self._ask_people("most_common", column, price, note, mechanism=mechanism)
        source = self._source(column)

        def pose(counts: Sequence[Integers]) -> Posed[Any]:
            return pose_most_common(counts, found.labels, self._labels, **self._terms(price), mechanism=mechanism)

        nothing = [np.zeros(len(found.labels), dtype=np.int64)] * len(self._labels)
        asked = Asking("most_common", column, {"mechanism": mechanism}, self._by, price, note)
        return self._answer(
            asked, pose, nothing,
            lambda: categories_by_groups(source, found.labels, self._columns, rest=rest_of(found)),
        )  # fmt: skip

    def _ask_sums(self, question: str, column: str, price: Price, note: str | None, **known: Any) -> GroupRelease:
        source = self._source(column)

        def pose(totals: Sequence[Total]) -> Posed[Any]:
            return pose_each(question, totals, self._labels[: len(totals)], **self._terms(price), **known)

        asked, nothing = Asking(question, column, {}, self._by, price, note), [Total(0, Fraction(0))]
        return self._answer(asked, pose, nothing, lambda: total_by_group(source, known["bounds"], self._columns))

    def _ask_grid(self, question: str, column: str, price: Price, note: str | None, **options: Any) -> GroupRelease:
        grid, known = self._view.grid(column)["bounds"], self._view.grid(column, options.get("method", "distance"))
        if self._view.person is not None:
            return self._ask_people(question, column, price, note, **options)
        source = self._source(column)

        def pose(counted: Sequence[GridCounts]) -> Posed[Any]:
            return pose_each(
                question, counted, self._labels[: len(counted)], **self._terms(price), **known, **options
            )  # fmt: skip

        asked, nothing = Asking(question, column, options, self._by, price, note), [GridCounts(grid, (), ())]
        return self._answer(asked, pose, nothing, lambda: grids_by_groups(source, grid, self._columns))

    def _ask_people(
        self, question: str, column: str | None, price: Price, note: str | None, **options: Any
    ) -> GroupRelease:
        asked = Asking(question, column, options, self._by, price, note)
        known = GroupQuestion(self._view, asked, self._table.adjacency, self._labels)
        return self._table.answer(GroupRelease, asked, lambda: BY_PERSON[question](known))

    def _terms(self, price: Price) -> dict[str, Any]:
        return {"price": price, "adjacency": self._table.adjacency}

    def _source(self, column: str) -> Source:
        if column in self._by:
            raise ParameterError(f"column must be another one than those of the groups; got {render(column)}")
        return self._view.source(column, *self._by)

    def _answer(
        self, asked: Asking, pose: Callable[[Any], Posed[Any]], nothing: Any, count: Callable[[], Any]
    ) -> GroupRelease:
        """``nothing``: groups without records. They are posed on first, so that no bad argument waits for the data."""

        def pose_it() -> Posed[Any]:
            pose(nothing)
            return pose(count())

        return self._table.answer(GroupRelease, asked, pose_it)


def rest_of(column: Category | Flag) -> int | None:
    """The place of the label that takes all undeclared values of a category, where it has one."""
    other = column.other if isinstance(column, Category) else None
    return None if other is None else column.labels.index(other)
