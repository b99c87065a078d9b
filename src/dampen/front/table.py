"""A table, what is publicly known of it, and who pays: described once, then asked."""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from copy import copy
from pathlib import Path
from typing import Any, Literal, TypeVar, overload

from dampen._validate import Number, flag, positive, render, text
from dampen.accounting.account import LONGEST_NOTE
from dampen.describe.columns import PRIVATE, Category, Column, Flag
from dampen.describe.conditions import Condition
from dampen.describe.description import as_columns, find_adjacency
from dampen.describe.person import as_person
from dampen.describe.reading import FileReading
from dampen.describe.where import conditions_of, words
from dampen.errors import ParameterError
from dampen.front.asking import BY_PERSON, Asking, as_names, as_tuple, given
from dampen.front.groups import GroupedTable
from dampen.front.memory import remembered
from dampen.front.people import person_words, pose_by_person
from dampen.front.per_person import PerPerson
from dampen.front.two_persons import pose_by_two
from dampen.front.unknown_groups import UnknownGroups, list_groups
from dampen.front.view import View
from dampen.mechanisms.grouping.triode_h import FRAGMENT
from dampen.privacy import (
    Adjacency,
    BudgetLike,
    Ends,
    GroupRelease,
    ListRelease,
    NumericRelease,
    Release,
    as_budget,
)
from dampen.questions.one_percentile import Method
from dampen.questions.private_bounds.sums import refuse_unless_private
from dampen.questions.record import RECORD, Posed, Price, asking, warn_of_cut
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
    person
        Where persons have several rows each: the column that tells whose a row is. Then all rows of a person are hidden
        together, whatever their number, and a loss is one per person: its unit is the name of this column.
    persons
        Where each row is of two persons, as a message is: the two columns that tell whose, ``("from", "to")``. Then all
        rows of a person are hidden together, in whichever column the person stands, and such rows can be counted; the
        unit of a loss is ``"from or to"``. Both columns hold the same persons, who are told apart by how they are
        written: the number 7 and the text 7 are one.
    person_missing
        ``"drop"``: rows without a person are left out. ``"refuse"``: such data are refused.

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
        person: str | None = None,
        persons: Sequence[str] | None = None,
        person_missing: str = "drop",
    ) -> None:
        whose = as_person(person, person_missing, persons)
        known = {} if type(columns) is dict and not columns else as_columns(columns)
        source = Source(data, engine=engine, reading=reading)
        called = str(data) if isinstance(data, str | Path) else None
        title = called if name is None else text(name=name, longest=LONGEST_NAME)
        self.view = View(source, known, title, person=whose)
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

    @property
    def person(self) -> str | None:
        """The column that tells whose a row is; ``None`` where a row is hidden by itself, or has two persons."""
        return None if self.view.person is None or self.persons is not None else self.view.person.column

    @property
    def persons(self) -> tuple[str, str] | None:
        """The two columns that tell whose a row is, where it is of two persons."""
        return None if self.view.person is None else self.view.person.pair

    @property
    def unit(self) -> str:
        """What a loss is counted in: rows, or persons by the name of their column."""
        return "row" if self.view.person is None else self.view.person.unit

    def __repr__(self) -> str:
        where = f" where {words(self.view.conditions)}" if self.view.conditions else ""
        whose = "" if self.view.person is None else f" per {self.unit}"
        return f"Table({self.view.title}: {', '.join(self.view.columns)}{whose}{where})"

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

    def with_bounds(self, column: str, bounds: Any) -> "Table":
        """The same table with other bounds of a column of numbers: ``release.ends``, ``(lo, hi)`` or ``"private"``."""
        part = copy(self)
        part.view = self.view.with_bounds(column, bounds)
        return part

    @overload
    def by(self, *columns: str, groups: Literal["private"]) -> UnknownGroups: ...

    @overload
    def by(self, *columns: str, groups: GroupRelease | list[str] | tuple[str, ...] | None = None) -> GroupedTable: ...

    def by(self, *columns: str, groups: Any = None) -> GroupedTable | UnknownGroups:
        """The same questions for every group: one for each declared value of a column, or of several together.

        Of a text nobody listed the values: ``groups="private"`` counts them, and shows those that many people have;
        then ``groups`` is that release, or other names that are public, and rows of all others are left out.
        """
        if groups is None:
            return GroupedTable(self, columns)
        if isinstance(groups, str) and groups == PRIVATE:
            return UnknownGroups(self, columns)
        part = copy(self)
        part.view = list_groups(self.view, columns, groups)
        return GroupedTable(part, columns)

    def per_person(
        self, how: str, column: str | None = None, *, bounds: Any = None, step: Number | None = None
    ) -> PerPerson:
        """One number for each person, to be asked about: the ``"count"`` of the own rows, or the ``"sum"``, ``"mean"``,
        ``"min"`` or ``"max"`` of a column in them.

        ``bounds``, ``step``: the lowest and the highest number, and how far answers lie apart; for counts and sums,
        which may be larger than any value of the column. Public, so never taken from the data.
        """
        return PerPerson(self, how, column, bounds, step)

    def count(
        self,
        *,
        of: str | None = None,
        cap: Number | None = None,
        epsilon: Number | None = None,
        rho: Number | None = None,
        note: str | None = None,
    ) -> NumericRelease:
        """How many rows there are.

        ``rho``: in place of epsilon, of every question that has it, where a row is hidden by itself: the noise of
        numbers is Gaussian, and choices are those of the exponential mechanism. A budget pays that counts rho.

        Of a table with a person: ``of="persons"`` counts those who have rows. Rows are cut at a cap for each person,
        which is chosen privately and told, ``release.cap``; ``cap``: a public one, in its place.

        Of a table whose rows have two persons, so many rows are kept, at most, of each: see docs/people.md.
        """
        said = person_words(None if self.view.person is None else self.unit, "rows", of=of, cap=cap)
        return self._ask(NumericRelease, "count", None, {}, said, Price(epsilon, rho), note)

    def sum(
        self,
        column: str,
        *,
        bounds: Any = None,
        cap: Number | None = None,
        few: bool = False,
        epsilon: Number | None = None,
        rho: Number | None = None,
        note: str | None = None,
    ) -> NumericRelease:
        """The sum of a column of numbers; values outside of the bounds count as the nearer one.

        ``bounds``: in place of those described; ``"private"``, or ``release.ends`` of an earlier answer. Without bounds
        two ends are found privately and told; ``few``: by a scan, for a few hundred values in a fine unit.

        Of a table with a person, totals are cut at a cap for each person, as by :meth:`count`, or between two ends.
        """
        ends = bounds if isinstance(bounds, Ends) and bounds.whose == self.person else None
        table = self._bounded(column, None if ends is not None else bounds)
        known = {**table.view.range(column), "unit": table.view.number(column).sum_unit}
        said = {**person_words(self.person, None, cap=cap), **given(few=flag(few=few) or None)}
        options = said if ends is None else {**said, "ends": tuple(ends)}
        return table._ask(NumericRelease, "sum", column, known, options, Price(epsilon, rho), note)

    def mean(
        self,
        column: str,
        *,
        bounds: Any = None,
        centre: Any = None,
        of: str | None = None,
        cap: Number | None = None,
        epsilon: Number | None = None,
        rho: Number | None = None,
        note: str | None = None,
    ) -> NumericRelease:
        """The mean of a column of numbers.

        ``bounds``: as of :meth:`sum`. ``centre``: without bounds, see :func:`dampen.mean`.

        Of a table with a person: ``of="persons"``, the mean of the persons' own means; ``of="rows"``, where nobody has
        the weight of more rows than a limit, which is chosen privately and told, or ``cap``.
        """
        table = self._bounded(column, bounds)
        if self.person is not None and centre is not None:
            raise ParameterError(f"centre must be left out for a table with a person; got {render(centre)}")
        said = {**person_words(self.person, "persons", of=of, cap=cap), **given(centre=centre)}
        return table._ask(NumericRelease, "mean", column, table.view.range(column), said, Price(epsilon, rho), note)

    def variance(
        self,
        column: str,
        *,
        bounds: Any = None,
        epsilon: Number | None = None,
        rho: Number | None = None,
        note: str | None = None,
    ) -> NumericRelease:
        """The variance of a column of numbers. ``bounds``: as of :meth:`sum`."""
        table = self._bounded(column, bounds)
        known = {"unit": table.view.number(column).unit, **table.view.range(column)}
        return table._ask(NumericRelease, "variance", column, known, {}, Price(epsilon, rho), note)

    def median(
        self,
        column: str,
        *,
        bounds: Any = None,
        leading_bits: int | str | None = None,
        of: str | None = None,
        cap: Number | None = None,
        epsilon: Number | None = None,
        rho: Number | None = None,
        method: Method = "distance",
        note: str | None = None,
    ) -> Release:
        """The median of a column of numbers or dates; see :meth:`percentile`."""
        table = self._bounded(column, bounds)
        known, more = table.view.answers(column, leading_bits, method), given(leading_bits=leading_bits)
        options = {"method": method, **person_words(self.person, "persons", of=of, cap=cap), **more}
        return table._ask(Release, "median", column, known, options, Price(epsilon, rho), note)

    def percentile(
        self,
        column: str,
        p: Number,
        *,
        bounds: Any = None,
        leading_bits: int | str | None = None,
        of: str | None = None,
        cap: Number | None = None,
        epsilon: Number | None = None,
        rho: Number | None = None,
        method: Method = "distance",
        note: str | None = None,
    ) -> Release:
        """The p-th percentile of a column of numbers or dates, 0 <= p <= 100; see :func:`dampen.percentile`.

        ``bounds``: as of :meth:`sum`. ``leading_bits``: without bounds, how many an answer has.

        Of a table with a person: ``of="persons"``, everybody has one vote, spread over the own rows; ``of="rows"``, one
        for each row, where nobody has more than a limit, which is chosen privately and told, or ``cap``.
        """
        table = self._bounded(column, bounds)
        known, more = table.view.answers(column, leading_bits, method), given(leading_bits=leading_bits)
        options = {"p": p, "method": method, **person_words(self.person, "persons", of=of, cap=cap), **more}
        return table._ask(Release, "percentile", column, known, options, Price(epsilon, rho), note)

    def percentiles(
        self,
        column: str,
        ps: Iterable[Number],
        *,
        bounds: Any = None,
        leading_bits: int | str | None = None,
        of: str | None = None,
        cap: Number | None = None,
        epsilon: Number,
        strategy: str = "auto",
        note: str | None = None,
    ) -> ListRelease:
        """Several percentiles of a column at one price; see :func:`dampen.percentiles` and :meth:`percentile`."""
        table, more = self._bounded(column, bounds), given(leading_bits=leading_bits)
        said = person_words(self.person, "persons", of=of, cap=cap)
        asked = {"ps": as_tuple(ps), "strategy": strategy, **said, **more}
        known = table.view.answers(column, leading_bits)
        return table._ask(ListRelease, "percentiles", column, known, asked, Price(positive(epsilon=epsilon)), note)

    def histogram(
        self,
        column: str,
        *,
        bounds: Any = None,
        bars: int | None = None,
        epsilon: Number | None = None,
        rho: Number | None = None,
        note: str | None = None,
    ) -> GroupRelease:
        """How many rows each step of a column of numbers or dates has, or each value of a category or flag.

        ``bounds``: as of :meth:`sum`. ``bars``: of a number without bounds, how many there are at most.

        Of a table with a person everybody has one vote, spread over the own rows.
        """
        if isinstance(found := self.view.describe(column), Category | Flag):
            for name, said in given(bounds=bounds, bars=bars).items():
                raise ParameterError(f"{name} must be left out for a {found.kind}; got {render(said)}")
            if self.person is None:
                return self.by(column).count(epsilon=epsilon, rho=rho, note=note)
            return self._ask(GroupRelease, "histogram", column, {}, {}, Price(epsilon, rho), note)
        table = self._bounded(column, bounds)
        known = table.view.bars(column) if self.person is None else table.view.grid(column)
        if self.person is not None:
            refuse_unless_private(bars=bars)
        return table._ask(GroupRelease, "histogram", column, known, given(bars=bars), Price(epsilon, rho), note)

    def most_common(
        self,
        column: str,
        *,
        epsilon: Number | None = None,
        rho: Number | None = None,
        mechanism: Any = None,
        note: str | None = None,
    ) -> Release:
        """The most frequent value of a category or flag; with a person by votes, as a histogram."""
        known = {"categories": self.view.category(column).labels}
        options = {"mechanism": mechanism}
        return self._ask(Release, "most_common", column, known, options, Price(epsilon, rho), note)

    def top_categories(
        self,
        column: str,
        k: int,
        *,
        epsilon: Number | None = None,
        rho: Number | None = None,
        mechanism: Any = None,
        note: str | None = None,
    ) -> ListRelease:
        """The k most frequent values of a category, most frequent first."""
        known = {"categories": self.view.category(column).labels}
        options = {"k": k, "mechanism": mechanism}
        return self._ask(ListRelease, "top_categories", column, known, options, Price(epsilon, rho), note)

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
        if self.view.person is not None:
            rule = "release_group_members must be asked of a table without a person, where an id has one row"
            raise ParameterError(f"{rule}; got person={render(self.unit)}")
        labels = self.view.category(by).labels
        if not isinstance(id, str):
            raise ParameterError(f"id must be the name of a column, a text; got {render(id)}")
        known = as_names(public)
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

        asked = Asking("release_group_members", None, options, (by,), Price(positive(epsilon=epsilon)), note)
        return self.answer(Release, asked, pose)

    def answer(self, kind: type[Answer], asked: Asking, pose: Callable[[], Posed[Any]]) -> Answer:
        """Pose a question, pay for it and answer it; or answer it again, where the budget remembers."""
        note = self.view.tell(asked)[:LONGEST_NOTE] if asked.note is None else asked.note
        if self.view.person is not None:
            asked.price.require_epsilon(BY_PERSON)
        key = self.view.key(asked)

        def ask() -> Release:
            with asking(self._budget, note):
                posed = pose()
            answer: Release = posed.release(self._budget, note)
            return answer

        found = remembered(self._budget, key and f"{key} {asked.price} {self._adjacency.value}", ask)
        assert isinstance(found, kind)
        warn_of_cut(found, stacklevel=4)
        return found

    def _bounded(self, column: str, bounds: Any) -> "Table":
        return self if bounds is None else self.with_bounds(column, bounds)

    def _ask(
        self,
        kind: type[Answer],
        question: str,
        column: str | None,
        known: Mapping[str, Any],
        options: Mapping[str, Any],
        price: Price,
        note: str | None,
    ) -> Answer:
        """``known``: what the description says; ``options``: what the asker says."""
        asked = Asking(question, column, options, (), price, note)

        def pose() -> Posed[Any]:
            if self.persons is not None:
                return pose_by_two(self.view, asked, self._adjacency)
            if self.view.person is not None:
                return pose_by_person(self.view, asked, self._adjacency)
            public = {**options, **known, **price.words(), "adjacency": self._adjacency}
            public.pop("leading_bits", None)  # the grid has them
            return RECORD[question].pose(self.view.source(column), budget=self._budget, **public)

        return self.answer(kind, asked, pose)
