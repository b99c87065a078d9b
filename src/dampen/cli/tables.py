"""What every verb that asks a table shares: the table, described by a file or by options, who pays, and the answer."""

from abc import abstractmethod
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from enum import StrEnum
from functools import partial
from pathlib import Path
from typing import Annotated, Any

import typer

from dampen._validate import render
from dampen.cli import answers, lists
from dampen.cli.options import ADD_REMOVE, AdjacencyName, Rows, name_of, path_of
from dampen.cli.payment import EitherPayment, Payer, Payment
from dampen.cli.progress import progress
from dampen.cli.verbs import Options, refuse_given
from dampen.cli.where import conditions_of
from dampen.describe.columns import DAY, PRIVATE, Category, Column, Date, Number, Text
from dampen.describe.description import Description
from dampen.describe.where_text import conditions_from_texts
from dampen.errors import ParameterError
from dampen.front.opening import table_of
from dampen.front.table import Table
from dampen.tables.stdin import STDIN

OR_DESCRIBED = "or described in a file: see `dampen describe`"
DESCRIBED = "the description says it"
NAMING = ("--name", "--column", "--by")
"""What a description does not say: the columns that are asked about."""
UNBOUNDED = ("leading_bits", "centre", "few", "bars")
"""What is said of a column without bounds alone, of which no groups are asked."""

File = Annotated[
    str,
    typer.Argument(metavar="FILE", help="Description (.toml), or data file or quoted pattern; - for standard input."),
]
Neighbours = Annotated[AdjacencyName | None, typer.Option(help="What a neighbour is; add-remove, if left out.")]
Known = partial(typer.Option, rich_help_panel="Without a description: what is publicly known")


class MissingName(StrEnum):
    """What happens to rows in which a value is missing."""

    REFUSE = "refuse"
    DROP = "drop"
    OTHER = "other"


@dataclass(frozen=True, kw_only=True)
class Gaps(Options):
    """What happens to values that are missing or not declared; a description says it for each column."""

    missing: Annotated[
        MissingName | None, Known(help="What happens to missing values; they are refused, if left out.")
    ] = None
    other: Annotated[str | None, Known(help="The one of the categories or groups that all others count as.")] = None

    @property
    def rule(self) -> str:
        """What happens to missing values."""
        return "refuse" if self.missing is None else self.missing.value

    def category(self, labels: Sequence[str]) -> Category:
        """A column of these values."""
        return Category(labels, other=self.other if self.other in labels else None, missing=self.rule)

    def require_use(self, columns: Mapping[str, Column]) -> None:
        """Refuse what was said of no column."""
        if self.missing is not None and not columns:
            raise ParameterError("missing must come with --by: no other column is read")
        if self.other is not None and not any(getattr(column, "other", None) for column in columns.values()):
            raise ParameterError(f"other must be one of the categories or groups; got {render(self.other)}")


@dataclass(frozen=True, kw_only=True)
class Asked(Options):
    """The column that a verb asks about; below it, by its kind, how options describe one."""

    name: Annotated[str | None, typer.Argument(metavar="COLUMN", help="Column to ask about.", show_default=False)] = (
        None
    )
    column: Annotated[str | None, typer.Option(help="The same as COLUMN.")] = None

    @property
    def chosen(self) -> str:
        """Its name."""
        return named_once("column", self.name, self.column)

    @abstractmethod
    def described(self, gaps: Gaps) -> Column:
        """What the options say of it."""


@dataclass(frozen=True, kw_only=True)
class AskedRange(Asked):
    """A column of numbers or days."""

    bounds: Annotated[
        tuple[str, str] | None,
        Known(help="Lowest and highest possible number or day; the one word private where nobody knows any."),
    ] = None
    unit: Annotated[str | None, Known(help="What numbers are read to; sums: 1, if left out.")] = None

    def described(self, gaps: Gaps) -> Column:
        """A number, or a date where the bounds are days."""
        if self.bounds is None:
            raise ParameterError(f"bounds must be given with --bounds LO HI, or --bounds private, {OR_DESCRIBED}")
        step, unit = getattr(self, "step", None), self.unit
        if self.bounds == (PRIVATE, PRIVATE):
            if unit is None:
                raise ParameterError("unit must be given with --unit where bounds are private: numbers are read to it")
            return Number(step=step, unit=unit, missing=gaps.rule)
        if all(map(DAY.fullmatch, self.bounds)):
            return Date(*self.bounds, step="day" if step is None else step, missing=gaps.rule)
        return Number(*self.bounds, step=step, unit=unit, missing=gaps.rule)


@dataclass(frozen=True, kw_only=True)
class AskedGrid(AskedRange):
    """A column whose numbers or days may be the answer."""

    step: Annotated[str | None, Known(help="How far answers lie apart: a number, or day, week, month, year.")] = None


@dataclass(frozen=True, kw_only=True)
class AskedLabels(Asked):
    """A column of a few values."""

    categories: Annotated[str | None, Known(help=f"All possible values: {lists.HELP}.")] = None

    def described(self, gaps: Gaps) -> Column:
        """A category."""
        if self.categories is None:
            raise ParameterError(f"categories must be given with --categories, {OR_DESCRIBED}")
        return gaps.category(lists.read_list(self.categories, "categories"))


@dataclass(frozen=True, kw_only=True)
class Groups(Options):
    """The groups that a verb answers for."""

    by: Annotated[
        list[str] | None, typer.Option(help="Answer for each value of a column, or of several together: team,smoker")
    ] = None
    groups: Annotated[
        list[str] | None,
        Known(help=f"All values of a --by column: {lists.HELP}; once for each. Nobody knows them: private, to count."),
    ] = None

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns that make them."""
        return lists.split_lists(self.by, "by")

    @property
    def are_private(self) -> bool:
        """Whether nobody listed them."""
        return self.groups == [PRIVATE]

    def made_of(self, table: Table, question: str) -> Any:
        """The table, or its groups, to be asked."""
        if not self.columns:
            return table
        if self.are_private:
            if question != "count":
                rule = "groups must be listed: count with --groups private first, then list those that were shown"
                raise ParameterError(f"{rule}; got --groups private")
            return table.by(*self.columns, groups=PRIVATE)
        texts = [name for name in self.columns if isinstance(table.columns.get(name), Text)]
        if not self.groups or not texts:
            return table.by(*self.columns)
        if len(self.groups) > 1:
            raise ParameterError("groups must be given once with a description: one list, of its text")
        return table.by(*self.columns, groups=lists.read_list(self.groups[0], "groups"))

    def require_sense(self, options: Iterable[str]) -> None:
        """Refuse lists of groups of no column, and of groups what is said of a column without bounds alone."""
        if self.groups and not self.columns:
            raise ParameterError("groups must come with --by, which names their column")
        for name in options:
            if self.columns and name in UNBOUNDED:
                raise ParameterError(f"--{name.replace('_', '-')} must be left out: groups need bounds that are known")

    def require_texts(self, columns: Mapping[str, Column]) -> None:
        """Refuse lists of groups that a description has already: it has none of a text."""
        if not any(isinstance(columns.get(name), Text) for name in self.columns):
            refuse_given(DESCRIBED, self, but=NAMING)

    def described(self, gaps: Gaps) -> dict[str, Column]:
        """What the options say of these columns."""
        if self.are_private:
            return {name: Text() for name in self.columns}
        listed = self.groups or []
        if len(self.columns) != len(listed):
            raise ParameterError(f"groups must be given once for each column of --by, {OR_DESCRIBED}")
        return {
            name: gaps.category(lists.read_list(labels, "groups"))
            for name, labels in zip(self.columns, listed, strict=True)
        }


LinkedTable = Annotated[
    str | None, typer.Option(help="Of a description with links between tables: the one whose rows are asked about.")
]


class PersonMissingName(StrEnum):
    """What happens to rows without a person."""

    DROP = "drop"
    REFUSE = "refuse"


@dataclass(frozen=True, kw_only=True)
class Persons(Options):
    """Whose rows are; a description says it too."""

    person: Annotated[
        str | None, Known(help="Column that tells whose a row is, where persons have several: all are hidden together.")
    ] = None
    persons: Annotated[
        str | None, Known(help="Both columns that tell whose a row is, where it is of two persons: from,to")
    ] = None
    person_missing: Annotated[
        PersonMissingName | None, Known(help="What happens to rows without a person; dropped, if left out.")
    ] = None

    @property
    def pair(self) -> tuple[str, ...] | None:
        """The columns of two persons."""
        return None if self.persons is None else lists.split_list(self.persons, "persons")

    @property
    def rule(self) -> str:
        """What happens to rows without a person."""
        return "drop" if self.person_missing is None else self.person_missing.value


class OfName(StrEnum):
    """What is counted where persons have several rows."""

    ROWS = "rows"
    PERSONS = "persons"


@dataclass(frozen=True, kw_only=True)
class Capped(Options):
    """Where what a person has is cut."""

    cap: Annotated[
        str | None, typer.Option(help="With a person: nobody counts for more than this; chosen privately, if left out.")
    ] = None

    def said(self) -> dict[str, Any]:
        """What was typed."""
        options = {name: getattr(self, name, None) for name in ("of", "cap")}
        return {name: str(option) for name, option in options.items() if option is not None}


@dataclass(frozen=True, kw_only=True)
class OfPersons(Capped):
    """What is counted where persons have several rows, and where it is cut."""

    of: Annotated[OfName | None, typer.Option(help="With a person: whether rows or persons are asked about.")] = None

    def said_of(self, groups: Groups) -> dict[str, Any]:
        """What was typed, of a question whose groups share one vote of a person's."""
        if groups.columns:
            refuse_given("with --by everybody has one vote in all groups together", self)
        return self.said()


@dataclass(frozen=True, kw_only=True)
class TableOptions(Options):
    """A table and who pays for an answer about it; below it what may be spent."""

    file: File
    rows: Rows
    gaps: Gaps
    persons: Persons
    table: LinkedTable = None
    adjacency: Neighbours = None
    payment: Payment
    as_json: answers.Json = False

    @contextmanager
    def open(self, column: Asked | None, groups: Groups | None, delta: str = "0") -> Iterator[tuple[Table, Payer]]:
        """The table, and who pays."""
        if is_description(self.file):
            refuse_given(DESCRIBED, column, self.gaps, self.persons, but=NAMING)
            found = open_description(self.file, self.rows, self.payment, self.adjacency, self.table, delta)
            if groups is not None:
                groups.require_texts(found[0].columns)
            yield found
            return
        require_unlinked(self.table)
        columns = self._described(column, groups)
        payer = self.payment.payer(delta=delta, of_pipe=self.file == STDIN)
        with path_of(self.file) as path:
            table = Table(
                path, columns=columns, budget=payer, adjacency=(self.adjacency or ADD_REMOVE).member,
                engine=name_of(self.rows.engine), reading=self.rows.reading.of_file(), name=self.file,
                person=self.persons.person, persons=self.persons.pair, person_missing=self.persons.rule,
            )  # fmt: skip
            yield table.restrict(conditions_of(columns, self.rows.where or ())), payer

    def _described(self, column: Asked | None, groups: Groups | None) -> dict[str, Column]:
        own = {} if column is None else {column.chosen: column.described(self.gaps)}
        columns = own | ({} if groups is None else groups.described(self.gaps))
        self.gaps.require_use(columns)
        return columns


@dataclass(frozen=True, kw_only=True)
class TableQuestion(TableOptions):
    """A table that is asked, for an epsilon or for a rho."""

    payment: EitherPayment

    def tell(self, question: str, column: Asked | None, groups: Groups | None, *nouns: Any, **public: Any) -> None:
        """Open the table, ask, pay, and print the answer. ``nouns``: what the question has beside its column."""
        if groups is not None:
            groups.require_sense(public)
        with self.open(column, groups, public.get("delta", "0")) as (table, payer), progress():
            asked: Any = table if groups is None else groups.made_of(table, question)
            named = () if column is None else (column.chosen,)
            terms = {**self.payment.price.words(), "note": self.payment.note}
            with answers.cut_off_as_note():
                release = getattr(asked, question)(*named, *nouns, **public, **terms)
        answers.show(release, payer, as_json=self.as_json)


def require_unlinked(table: str | None) -> None:
    """Refuse the name of a table where no description has several."""
    if table is not None:
        raise ParameterError(f"table must come with a description (.toml) that has links; got {render(table)}")


def named_once(what: str, *names: str | None) -> str:
    """The one name of a column, which may be given as an argument or as an option."""
    given = [name for name in names if name is not None]
    if len(given) != 1:
        raise ParameterError(f"{what} must be named once, as {what.upper()} or --{what}")
    return given[0]


def is_description(file: str) -> bool:
    """Whether what was typed names a description, and no data."""
    return file.lower().endswith(".toml")


def open_description(
    file: str, rows: Rows, payment: Payment, adjacency: AdjacencyName | None, name: str | None = None, delta: str = "0"
) -> tuple[Table, Payer]:
    """The table of a description, by name where it has several, only the rows that are meant; and who pays."""
    refuse_given(DESCRIBED, rows.reading)
    found = Description.read(Path(file))
    payer = payment.payer(found.ledger_path, delta=delta)
    table = table_of(
        found, payer, engine=name_of(rows.engine), adjacency=None if adjacency is None else adjacency.member,
        table=name,
    )  # fmt: skip
    return table.restrict(conditions_from_texts(table.columns, rows.where or ())), payer
