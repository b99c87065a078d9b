"""A table, what is publicly known of it, and who pays: described once, then asked."""

from collections.abc import Callable, Collection, Iterable, Mapping
from copy import copy
from pathlib import Path
from typing import Any, TypeVar

from dampen._validate import Number, plain, positive, render, text
from dampen.accounting.account import LONGEST_NOTE
from dampen.describe.columns import Category, Column, Flag
from dampen.describe.conditions import Condition
from dampen.describe.description import as_columns, find_adjacency
from dampen.describe.reading import FileReading
from dampen.describe.where import conditions_of, words
from dampen.errors import ParameterError
from dampen.front.asking import Asking, as_tuple
from dampen.front.groups import GroupedTable
from dampen.front.memory import remembered
from dampen.front.view import View
from dampen.mechanisms.grouping.triode_h import FRAGMENT
from dampen.privacy import (
    Adjacency,
    BudgetLike,
    GroupRelease,
    ListRelease,
    NumericRelease,
    Release,
    as_budget,
)
from dampen.questions.one_percentile import Method
from dampen.questions.record import RECORD, Posed, asking
from dampen.tables.engines import Source

Answer = TypeVar("Answer", bound=Release)
LONGEST_NAME = 1000
"""Of the name of a table, in characters."""


class Table:
    """Data, the public description of its columns, and a budget. Its methods ask questions.

    Parameters
    ----------
    data
        A data frame, a mapping of columns, a path or pattern of files, a DuckDB relation, an ibis table or a Spark data
        frame. It is counted where it lies.
    columns
        What each column may hold: ``{"pay": Number(0, 10_000, step=50), "team": Category("sales", "lab")}``. Public, so
        never taken from the data. Columns that are not described cannot be asked about, but rows can be counted.
    budget
        Who pays: a :class:`dampen.Budget`.
    adjacency
        What is hidden. ``ADD_REMOVE``: one row more or less. ``REPLACE``: one row has other values, and the number of
        rows is public.
    engine
        For files: ``"duckdb"`` (the default), ``"arrays"`` or ``"spark"``.
    reading
        For files: how they are written, a :class:`dampen.FileReading`.
    name
        What the data is called in the notes of a ledger; for files their path as it is given.

    Whether data are refused, because a value is missing or no number, depends on all rows, and never on ``where`` or
    ``by``. Such errors name a column and a rule; they are for the curator.

    >>> import dampen
    >>> staff = dampen.Table(
    ...     {"pay": [1200, 3100, 2500, 2500], "team": ["lab", "lab", "sales", "sales"]},
    ...     columns={"pay": dampen.Number(0, 10_000, step=50), "team": dampen.Category("sales", "lab")},
    ...     budget=dampen.Budget(epsilon=2),
    ... )
    >>> staff.median("pay", epsilon=1) in range(0, 10_001, 50)
    True
    >>> list(staff.by("team").mean("pay", epsilon=1))
    ['sales', 'lab']
    """

    def __init__(
        self,
        data: Any,
        *,
        columns: Mapping[str, Column],
        budget: BudgetLike,
        adjacency: Adjacency | str = Adjacency.ADD_REMOVE,
        engine: str | None = None,
        reading: FileReading | None = None,
        name: str | None = None,
    ) -> None:
        known = {} if type(columns) is dict and not columns else as_columns(columns)
        source = Source(data, engine=engine, reading=reading)
        called = str(data) if isinstance(data, str | Path) else None
        self.view = View(source, known, called if name is None else text(name=name, longest=LONGEST_NAME))
        """What questions are posed on."""
        self._budget, self._adjacency = as_budget(budget), find_adjacency(adjacency)

    @property
    def columns(self) -> dict[str, Column]:
        """What is publicly known of each column."""
        return dict(self.view.columns)

    @property
    def budget(self) -> BudgetLike:
        """Who pays."""
        return self._budget

    @property
    def adjacency(self) -> Adjacency:
        """What is hidden."""
        return self._adjacency

    def __repr__(self) -> str:
        where = f" where {words(self.view.conditions)}" if self.view.conditions else ""
        return f"Table({self.view.title}: {', '.join(self.view.columns)}{where})"

    def where(self, conditions: Mapping[str, Any] | None = None, /, **more: Any) -> "Table":
        """Only the rows with these values: ``team="lab"``, ``team={"lab", "board"}``, ``pay=between(1_000, 5_000)``.

        Conditions are public. Columns whose names are no names of Python are given in a mapping.
        """
        named = () if conditions is None else conditions_of(self.view.columns, conditions)
        return self.restrict((*named, *conditions_of(self.view.columns, more)))

    def restrict(self, conditions: Iterable[Condition]) -> "Table":
        """The same as :meth:`where`, by conditions that are made already."""
        part = copy(self)
        part.view = self.view.restrict(conditions)
        return part

    def by(self, *columns: str) -> GroupedTable:
        """The same questions for every group: one for each declared value of a column, or of several together."""
        return GroupedTable(self, columns)

    def count(self, *, epsilon: Number, note: str | None = None) -> NumericRelease:
        """How many rows there are."""
        return self._ask(NumericRelease, "count", None, {}, {}, epsilon, note)

    def sum(self, column: str, *, epsilon: Number, note: str | None = None) -> NumericRelease:
        """The sum of a column of numbers; values outside of the bounds count as the nearer one."""
        found = self.view.number(column)
        known = {"bounds": found.bounds, "unit": found.sum_unit}
        return self._ask(NumericRelease, "sum", column, known, {}, epsilon, note)

    def mean(self, column: str, *, epsilon: Number, note: str | None = None) -> NumericRelease:
        """The mean of a column of numbers."""
        known = {"bounds": self.view.number(column).bounds}
        return self._ask(NumericRelease, "mean", column, known, {}, epsilon, note)

    def variance(self, column: str, *, epsilon: Number, note: str | None = None) -> NumericRelease:
        """The variance of a column of numbers."""
        found = self.view.number(column)
        known = {"bounds": found.bounds, "unit": found.unit}
        return self._ask(NumericRelease, "variance", column, known, {}, epsilon, note)

    def median(self, column: str, *, epsilon: Number, method: Method = "distance", note: str | None = None) -> Release:
        """The median of a column of numbers or dates."""
        known = self.view.grid(column, method)
        return self._ask(Release, "median", column, known, {"method": method}, epsilon, note)

    def percentile(
        self, column: str, p: Number, *, epsilon: Number, method: Method = "distance", note: str | None = None
    ) -> Release:
        """The p-th percentile of a column of numbers or dates, 0 <= p <= 100; see :func:`dampen.percentile`."""
        known = self.view.grid(column, method)
        return self._ask(Release, "percentile", column, known, {"p": p, "method": method}, epsilon, note)

    def percentiles(
        self, column: str, ps: Iterable[Number], *, epsilon: Number, strategy: str = "auto", note: str | None = None
    ) -> ListRelease:
        """Several percentiles of a column at one price; see :func:`dampen.percentiles`."""
        asked = {"ps": as_tuple(ps), "strategy": strategy}
        return self._ask(ListRelease, "percentiles", column, self.view.grid(column), asked, epsilon, note)

    def histogram(self, column: str, *, epsilon: Number, note: str | None = None) -> GroupRelease:
        """How many rows each step of a column of numbers or dates has, or each value of a category or flag."""
        if isinstance(self.view.describe(column), Category | Flag):
            return self.by(column).count(epsilon=epsilon, note=note)
        return self._ask(GroupRelease, "histogram", column, self.view.grid(column), {}, epsilon, note)

    def most_common(self, column: str, *, epsilon: Number, mechanism: Any = None, note: str | None = None) -> Release:
        """The most frequent value of a category or flag."""
        known = {"categories": self.view.category(column).labels}
        return self._ask(Release, "most_common", column, known, {"mechanism": mechanism}, epsilon, note)

    def top_categories(
        self, column: str, k: int, *, epsilon: Number, mechanism: Any = None, note: str | None = None
    ) -> ListRelease:
        """The k most frequent values of a category, most frequent first."""
        known = {"categories": self.view.category(column).labels}
        return self._ask(ListRelease, "top_categories", column, known, {"k": k, "mechanism": mechanism}, epsilon, note)

    def release_group_members(
        self,
        id: str,
        by: str,
        *,
        epsilon: Number,
        method: str = "randomised_response",
        fragment: int = FRAGMENT,
        public: str | Collection[str] = (),
        note: str | None = None,
    ) -> Release:
        """Who is in which group; see :func:`dampen.release_group_members`. Ids are public.

        ``public``: columns that everybody knows, as the ids; a list, or the name of one. A filter may name no others,
        for who comes out meets it.
        """
        labels = self.view.category(by).labels
        if not isinstance(id, str):
            raise ParameterError(f"id must be the name of a column, a text; got {render(id)}")
        known = _as_names(public)
        for condition in self.view.conditions:
            if condition.column == by or condition.column not in known:
                rule = "where must name public columns alone, listed in public=: who is told shows who meets it"
                raise ParameterError(f"{rule}; got {render(condition.column)}")
        options = {"id": id, "method": method, "fragment": fragment}

        def pose() -> Posed[Any]:
            groups = self.view.source(by)
            ids = Source(self.view.data, self.view.conditions, column=id, readings=groups.readings)
            return RECORD["release_group_members"].pose(
                ids, groups, categories=labels, epsilon=epsilon, method=method, fragment=fragment
            )

        asked = Asking("release_group_members", None, options, (by,), epsilon, note)
        return self.answer(Release, asked, pose)

    def answer(self, kind: type[Answer], asked: Asking, pose: Callable[[], Posed[Any]]) -> Answer:
        """Pose a question, pay for it and answer it; or answer it again, where the budget remembers."""
        note = self.view.tell(asked)[:LONGEST_NOTE] if asked.note is None else asked.note
        price = plain(positive(epsilon=asked.epsilon))
        key = self.view.key(asked)

        def ask() -> Release:
            with asking(self._budget, note):
                posed = pose()
            answer: Release = posed.release(self._budget, note)
            return answer

        found = remembered(self._budget, key and f"{key} epsilon {price} {self._adjacency.value}", ask)
        assert isinstance(found, kind)
        return found

    def _ask(
        self,
        kind: type[Answer],
        question: str,
        column: str | None,
        known: Mapping[str, Any],
        options: Mapping[str, Any],
        epsilon: Number,
        note: str | None,
    ) -> Answer:
        """``known``: what the description says; ``options``: what the asker says."""

        def pose() -> Posed[Any]:
            public = {**known, **options, "epsilon": epsilon, "adjacency": self._adjacency}
            return RECORD[question].pose(self.view.source(column), **public)

        return self.answer(kind, Asking(question, column, options, (), epsilon, note), pose)


def _as_names(public: Any) -> tuple[str, ...]:
    """Names of columns: all of those listed, or the one that stands alone. A text is never searched for a name."""
    listed = (public,) if isinstance(public, str) else public
    if not isinstance(listed, list | tuple | set | frozenset) or not all(isinstance(name, str) for name in listed):
        raise ParameterError(f"public must be a list of names of columns; got {render(public)}")
    return tuple(listed)
