"""What an engine does: it counts where the data lies, and hands out the counts alone.

Every engine gives the same integers for the same data: numbers are placed on a grid by exact comparisons or by IEEE
operations whose rounding is proved harmless (:class:`~dampen.tables.grid.EvenGrid`), never by an engine's own
histogram.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from fractions import Fraction
from math import prod
from typing import TYPE_CHECKING, Any, Protocol

from numpy.typing import NDArray

from dampen.describe.conditions import Condition
from dampen.errors import DataError, ParameterError
from dampen.tables.columns import title_of
from dampen.tables.engines.names import NamedPeople, NamesAsk
from dampen.tables.files import column_error
from dampen.tables.grid import Grid
from dampen.tables.unit_reading import Units
from dampen.vectors import LARGEST_WHOLE, Integers

if TYPE_CHECKING:
    from dampen.tables.engines.unit_sizes import UnitSizes
    from dampen.tables.pair_counts import Block, Joint

NOT_HERE = -1
"""In place of a node of a tree: a row that is not counted."""
NOWHERE = -1
"""In place of a node of a graph: the value names none."""
LARGEST_AMOUNT, LARGEST_CAP, MOST_BITS = 2**40, 2**40, 20
LARGEST_TOTAL = LARGEST_WHOLE
"""What a person's amounts add up to, at most."""
PlaceCounts = tuple[Integers, Integers]
"""Occupied places, increasing, and how many values each holds; ``OTHER`` and ``MISSING`` among the places."""

Cells = tuple[Integers, Integers]
"""Rows of places, and how many rows of a table each stands for."""


@dataclass(frozen=True)
class Labels:
    """A column read as one of the declared values; what is none of them has the place ``other``, if there is one."""

    values: tuple[Any, ...]
    other: int | None = None

    @property
    def size(self) -> int:
        """How many places there are."""
        return len(self.values)


@dataclass(frozen=True)
class Bins:
    """A column of numbers, clamped to [low, high], read as how many of the increasing edges are not above them."""

    low: float
    high: float
    edges: tuple[float, ...]

    @property
    def size(self) -> int:
        """How many places there are."""
        return len(self.edges) + 1


Coding = Labels | Bins
"""How a column is read: as one of few places."""


class RowForm(Enum):
    """How a column leaves row by row, where a question needs rows: as floats, as it is, or as texts of persons."""

    FLOATS = "floats"
    AS_IT_IS = "as it is"
    PERSONS = "persons"


RowReading = tuple[Any, ...] | RowForm
"""How a column leaves row by row; labels: as the place of the one that a value stands for, MISSING or OTHER."""

Rows = dict[str, NDArray[Any]]

Groups = Sequence[tuple[str, Sequence[Any]]]
"""The columns that rows are grouped by, with the labels of each."""


@dataclass(frozen=True)
class Reading:
    """What a column must hold: one of the ``labels``, else days, persons, names or numbers; and which faults are none.

    ``missing``: missing values are left out. ``other``: what is no label has a label that takes it, or is left out. A
    person is any value that can be told from others; of a name see :mod:`names`.
    """

    labels: tuple[Any, ...] | None = None
    days: bool = False
    missing: bool = False
    other: bool = False
    person: bool = False
    name: bool = False


@dataclass(frozen=True)
class Route:
    """A test that sends rows on: by the place of ``attribute`` to another test, to a node, or to ``NOT_HERE``."""

    attribute: int
    branches: "tuple[Route | int, ...]"


@dataclass(frozen=True)
class Bits:
    """Tests asked of every row: an attribute and the places that pass. The answers in binary, the first highest."""

    tests: tuple[tuple[int, tuple[int, ...]], ...]


Way = Route | Bits | int
"""How a row finds its node: by a tree of tests, by the same tests for all, or not at all."""


@dataclass(frozen=True, eq=False)
class CodedTable:
    """A table as a public schema reads it: codings of its attributes by column, and of its classes.

    ``route`` tells in which of ``nodes`` nodes a row is, by its attributes alone; a plain 0 has all rows in one.
    """

    attributes: Mapping[str, Coding]
    target: str
    classes: Labels
    route: Way = 0
    nodes: int = 1

    @property
    def sizes(self) -> tuple[int, ...]:
        """How many places each attribute has."""
        return tuple(coding.size for coding in self.attributes.values())

    def with_route(self, route: Way, nodes: int) -> "CodedTable":
        """The same table, its rows sent elsewhere."""
        return CodedTable(self.attributes, self.target, self.classes, route, nodes)


@dataclass(frozen=True, repr=False)
class Sums:
    """Private: how many values there are, their exact sum in bounds, and how many are missing or no numbers."""

    count: int
    sum: Fraction
    missing: int
    other: int


@dataclass(frozen=True)
class CellColumn:
    """A column whose places are cells: those of a grid or among labels.

    ``rest``: the place that takes what is no label; without one such rows are left out. ``keeps_missing``: it takes
    missing values too, which are left out otherwise.
    """

    column: str
    values: Grid | tuple[Any, ...]
    rest: int | None = None
    keeps_missing: bool = False


@dataclass(frozen=True)
class Amount:
    """What a row brings: ``first`` and the place of its value on a grid, a whole number below ``LARGEST_AMOUNT``."""

    column: str
    grid: Grid
    first: int = 0

    def __post_init__(self) -> None:
        if max(-self.first, self.last) >= LARGEST_AMOUNT:
            raise ParameterError("amounts must be below 2**40 in size: give bounds, or a unit, with fewer digits")

    @property
    def last(self) -> int:
        """The largest one."""
        return self.first + len(self.grid) - 1


@dataclass(frozen=True)
class PersonAsk:
    """What is counted of persons, each of whom may have many rows.

    A row has a person, a cell (its places in ``cells``, in order; without any there is one cell) and an amount (1
    without a column). Rows that have none of these are left out. Let y(i, c) be the sum of the amounts of person i in
    cell c (with ``once``: 1 if there are rows at all), t(i) their sum over all cells and z(i, c) the sum up to cell c.
    For each of the ``caps`` k a person's weights are the increments from cell to cell of

        F(i, c) = floor(2**bits min(t(i), k) z(i, c) / t(i)):

    whole numbers of at least 0 whose sum is 2**bits min(t(i), k), and a function of the person's own rows alone. With
    amounts that may be negative, t and z add up the sizes of the y, and weights have the signs of theirs.

    Sums above ``LARGEST_TOTAL`` count as that. From 2**32 on z and t lose their last 11, 21 or 31 bits before they are
    divided, so that no engine meets a number of more than 53 bits in a division (:mod:`shares`).
    """

    person: str
    cells: tuple[CellColumn, ...] = ()
    amount: Amount | None = None
    once: bool = False
    caps: tuple[int, ...] = ()
    bits: int = 0

    def __post_init__(self) -> None:
        if not all(1 <= cap <= LARGEST_CAP for cap in self.caps) or [*self.caps] != sorted({*self.caps}):
            raise ParameterError("caps must be whole numbers from 1 to 2**40, in increasing order")
        if not 0 <= self.bits <= MOST_BITS:
            raise ParameterError(f"bits must be a whole number from 0 to {MOST_BITS}; got {self.bits}")
        if self.amount is not None and self.once:
            raise ParameterError("amounts must be left out where rows count once")
        if prod(self.sizes) > LARGEST_TOTAL:
            raise ParameterError("cells must be fewer than 2**62 together; give coarser grids")

    @property
    def signed(self) -> bool:
        """Whether there may be negative amounts."""
        return self.amount is not None and self.amount.first < 0

    @property
    def sizes(self) -> tuple[int, ...]:
        """How many places each column of cells has."""
        return tuple(len(each.values) for each in self.cells)


@dataclass(frozen=True, eq=False, repr=False)
class PersonShares:
    """Private: what was counted of persons.

    ``people``: how many have a row that counts. ``above``: for each cap how many have a larger total. ``cells``: a row
    of places for each cell in which a weight is not 0, in increasing order; ``weights``: the sum of all persons'
    weights there, a column for each cap, exact whole numbers of Python. Where there are no columns of cells there is
    one row in any case.

    With negative amounts a person has one total of either sign, or one in each cell: this counts those above 0, and
    ``negative`` the sizes of those below; ``people`` is the same in both. Where there are cells ``above`` is too: a cap
    is one for the sizes of all own totals together.
    """

    people: int
    above: tuple[int, ...]
    cells: Integers
    weights: NDArray[Any]
    negative: "PersonShares | None" = None

    @property
    def totals(self) -> tuple[int, ...]:
        """For each cap the sum of all weights: 2**bits times that of min(t, k) over persons."""
        return tuple(int(sum(column)) for column in self.weights.T.tolist())


@dataclass(frozen=True, repr=False)
class Faulty:
    """Private: the columns in which a value is missing, and those in which one is not what the column must hold."""

    missing: frozenset[str]
    other: frozenset[str]


@dataclass(frozen=True, repr=False)
class Faults:
    """Private: the counts of the classes, and in which columns a row breaks the schema."""

    classes: Integers
    columns: tuple[str, ...]


class Levels(Protocol):
    """Who counts the rows of a tree while it grows, level by level."""

    def tables(self, asked: Integers) -> Integers:
        """Joint counts of the attributes at these nodes of the level, in increasing order: node, place, class."""

    def descend(self, attributes: Integers, firsts: Integers) -> None:
        """Send the rows of each node by its attribute to children that begin at this place of the level below.

        Rows of nodes with a negative attribute leave the tree.
        """


class Engine(Protocol):
    """Where counting runs. Nothing here is random or private; all but ``edges`` and ``rows`` return counts alone."""

    @property
    def name(self) -> str:
        """What it is called."""

    @property
    def location(self) -> str:
        """Where the data lies, for messages: the name of a file or table, or nothing."""

    def require(self, column: str) -> None:
        """Refuse a column that is not there."""

    def faulty(self, readings: Mapping[str, Reading]) -> Faulty:
        """Which columns hold what they must not, whether that is allowed or not: one scan over all rows.

        Whether persons are missing is not looked at where they may be: of very many texts that takes its time.
        """

    def part(self, condition: Condition) -> "Engine":
        """Only the rows that meet a condition. The parts of distinct places among labels never overlap."""

    def row_count(self, column: str | None = None) -> int:
        """How many rows there are."""

    def histogram(self, column: str | None, grid: Grid) -> PlaceCounts:
        """How many values stand at each place of a grid; on a grid of days values are days."""

    def sums(self, column: str | None, ends: tuple[Fraction, Fraction]) -> Sums:
        """The exact sum of a column, values outside of the ends moved to the nearer."""

    def unit_sizes(self, column: str | None, units: Units) -> "UnitSizes":
        """Numbers in units by sign, and by how many powers of 2 are below their size: one grouped query."""

    def label_counts(self, column: str | None, labels: Sequence[Any]) -> dict[int, int]:
        """How many values equal each label, by its place; ``MISSING`` and ``OTHER`` for the rest."""

    def counts_by_group(self, column: str | None, values: Grid | Sequence[Any] | None, by: Groups) -> Integers:
        """Rows (place in each column of ``by``, place, count): how many values of each group stand at a place.

        One scan for all groups. A row is in the group of the labels that its values in ``by`` stand for; ``MISSING``
        and ``OTHER`` are among all places, and every combination occurs once at most. A place is one of a grid or
        among labels; without a column rows alone are counted, at place 0.
        """

    def sums_by_group(self, column: str, ends: tuple[Fraction, Fraction], by: Groups) -> dict[tuple[int, ...], Sums]:
        """What :meth:`sums` finds in the rows of each group, by its places; groups without rows are left out."""

    def person_shares(self, ask: PersonAsk) -> PersonShares:
        """What persons bring to each cell, whoever has more than a cap scaled down to it: see :class:`PersonAsk`.

        Nothing is refused here: a row that lacks a person, a cell or an amount is left out.
        """

    def person_values(self, person: str, amount: Amount | None, how: str) -> PlaceCounts:
        """One whole number for each person, increasing, and how many persons have it.

        ``how``: ``"count"`` of the rows with an amount, or of all rows without a column; of the amounts the ``"sum"``,
        the ``"mean"`` rounded down, ``"min"`` or ``"max"``. Rows are left out as by :meth:`person_shares`.
        """

    def named_people(self, ask: NamesAsk) -> NamedPeople:
        """How many people each name of a column has, nobody counted in too many: see :mod:`names`.

        Names and counts leave, nothing else. Nothing is refused here: a row that lacks a person or a name is left out.
        """

    def faults(self, table: CodedTable) -> Faults:
        """What in a table breaks its schema: one scan, before anything is paid."""

    def class_counts(self, table: CodedTable) -> Integers:
        """Counts by node and class."""

    def contingency(self, table: CodedTable) -> Integers:
        """Counts by node, place of an attribute (all attributes side by side) and class."""

    def cells(self, table: CodedTable) -> Cells:
        """The places of all attributes and of the class, in rows, and how many rows of the table have these places.

        Equal rows may be told apart or together: what is added up over them is the same.
        """

    def levels(self, table: CodedTable) -> Levels:
        """Who counts the levels of a tree, from all rows in one node on."""

    def joints(
        self, table: CodedTable, slot_of: Integers, blocks: "tuple[Block, ...]", groups: Integers
    ) -> "Iterator[Joint]":
        """How many rows pass both tests of every pair, group by group: see :mod:`dampen.tables.pair_counts`.

        ``slot_of`` tells the slot of every place (all attributes side by side), ``groups`` the group of every node and
        class, in order.
        """

    def rows(self, readings: Mapping[str, RowReading]) -> Rows:
        """Rows that leave, column by column, in their order: for the few questions that need them."""

    def edges(self, src: str, dst: str, nodes: Any) -> list[tuple[Integers, Integers]]:
        """The places of the two ends of every edge among the nodes, batch by batch: edges may be many."""


def number_error(column: str | None, where: str) -> DataError:
    """What is raised where a column must hold numbers. ``where``: the note of where it lies."""
    return DataError(f"{title_of(column)} must hold numbers{where}")


def day_error(column: str | None, where: str) -> DataError:
    """The same where it must hold days."""
    return DataError(f"{title_of(column)} must hold days or moments{where}")


def person_error(column: str, where: str) -> DataError:
    """The same where it must hold persons."""
    return DataError(f"{title_of(column)} must hold numbers, texts or days, by which persons are told apart{where}")


def name_error(column: str, where: str) -> DataError:
    """The same where it must hold names of groups."""
    return DataError(f"{title_of(column)} must hold texts or whole numbers, by which groups are named{where}")


def label_error(title: str, where: str) -> DataError:
    """The same where it must hold labels."""
    return DataError(f"{title} must hold only the declared categories; the one named by other= takes the rest{where}")


def change_error(where: str) -> DataError:
    """What is raised where a later scan finds what an earlier one has not."""
    return DataError(f"the data must not change while it is counted{where}")


def location_note(engine: Engine) -> str:
    """Where the data lies, behind a rule."""
    return f" ({engine.location[-60:]})" if engine.location else ""


def known_column(names: Sequence[str], column: Any, engine: Engine, argument: str = "column") -> str:
    """The name of a column that is there, once."""
    if not isinstance(column, str):
        where = f"of {engine.location[-60:]}" if engine.location else "of the data"
        raise ParameterError(f"{argument} must name the column {where} that holds the values")
    if names.count(column) != 1:
        raise column_error(names, column, engine.location, argument)
    return column
