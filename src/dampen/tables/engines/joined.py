"""Rows of one table, each with what its links lead to: the person, and columns of other tables.

The tables are joined where they lie, when a question is asked, and only those whose columns it needs. What a link leads
to is one row at most, so no row becomes several; where it leads to none, all columns from there on are missing.

What columns must hold is looked at in their own tables, in all rows: a row that is left out because it has no person
makes no value of another table missing. A key that leads to no row of a public table does, for its row is somebody's.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path
from typing import Any

from dampen._validate import render
from dampen.describe.links import Field, Link, Way
from dampen.describe.reading import PLAIN, FileReading
from dampen.errors import DataError, ParameterError
from dampen.tables.engines.base import Engine, Faulty, Reading
from dampen.tables.engines.registry import engine_of
from dampen.tables.file_formats import XLSX, known_format

FILES, WORKBOOKS, STORED = "files", "workbooks", "stored"
"""Kinds of data beside those of the engines: paths and patterns, workbooks apart, and tables of a database file."""


@dataclass(frozen=True, eq=False, repr=False)
class StoredTable:
    """A table of a database file that this process has open, and may only read."""

    connection: Any
    name: str


@dataclass(frozen=True, eq=False, repr=False)
class Joined:
    """What is joined: data by table, the table whose rows are meant, the links that are followed from it.

    ``fields``: where the columns of a row are found. ``way``: the tables whose rows are the person's. ``whole``: every
    link on this way must lead to a row. ``checked``: the links of data that cannot change that were looked at already.
    """

    tables: Mapping[str, Any]
    table: str
    steps: Way
    fields: Mapping[str, Field]
    way: tuple[str, ...]
    whole: bool = False
    reading: FileReading = PLAIN
    place: str | None = None
    checked: set[Link] = field(default_factory=set)

    def needed(self, columns: Iterable[str]) -> Way:
        """The links to the tables of these columns."""
        wanted, found = {self.fields[name].table for name in columns if name in self.fields}, list[Link]()
        for link in reversed(self.steps):
            if link.to.table in wanted:
                found.append(link)
                wanted.add(link.key.table)
        return tuple(reversed(found))

    def told(self, columns: Iterable[str]) -> list[Any] | None:
        """All that makes the rows and these columns, in public words; ``None`` where the data have no public place."""
        if self.place is None:
            return None
        found = {name: str(self.fields[name]) for name in columns}
        return [self.place, self.table, [*map(str, self.steps)], found, repr(self.reading)]


def open_joined(joined: Joined, columns: Iterable[str]) -> AbstractContextManager[Engine]:
    """The engine of the joined rows, which know no other columns than these."""
    named = [*columns]
    steps = joined.needed(named)
    kinds = {_kind_of(joined.tables[table]) for table in tables_of(joined, steps)}
    if len(kinds) > 1:
        raise ParameterError(f"data must be of one kind in all tables; got {render(', '.join(sorted(kinds)))}")
    fields = {name: joined.fields[name] for name in named if name in joined.fields}
    home, opener = _OPENERS[kinds.pop()]
    opened: AbstractContextManager[Engine] = getattr(import_module(f"dampen.tables.engines.{home}"), opener)(
        joined, steps, fields
    )
    return opened


def tables_of(joined: Joined, steps: Way) -> list[str]:
    """The tables that are read."""
    return [joined.table, *(link.to.table for link in steps)]


def _kind_of(data: Any) -> str:
    if isinstance(data, StoredTable):
        return STORED
    if not isinstance(data, str | Path):
        return engine_of(data)
    return WORKBOOKS if known_format(Path(data)) == XLSX else FILES


_OPENERS = {
    "arrays": ("array_joins", "open_arrays"),
    "duckdb": ("duck_joins", "open_relations"),
    "ibis": ("ibis_joins", "open_tables"),
    "spark": ("ibis_joins", "open_frames"),
    FILES: ("duck_joins", "open_files"),
    WORKBOOKS: ("array_joins", "open_workbooks"),
    STORED: ("duck_joins", "open_stored"),
}


@dataclass(frozen=True, eq=False, repr=False)
class Bases:
    """The tables of a join one by one: the engine of each, and whether a link leads some row nowhere."""

    joined: Joined
    fields: Mapping[str, Field]
    engines: Mapping[str, Engine]
    is_lost: Callable[[Link], bool]

    def faulty(self, readings: Mapping[str, Reading]) -> Faulty:
        """Which columns hold what they must not, each in its own table."""
        found = Faulty(frozenset(), frozenset())
        for table, names in self._batches(readings):
            columns = {self.fields[name].column: name for name in names}
            own = self.engines[table].faulty({column: readings[name] for column, name in columns.items()})
            found = Faulty(
                found.missing | {columns[column] for column in own.missing},
                found.other | {columns[column] for column in own.other},
            )
        lost = {name for name, reading in readings.items() if not reading.missing and self._is_cut_off(name)}
        return Faulty(found.missing | lost, found.other)

    def _batches(self, readings: Mapping[str, Reading]) -> Iterator[tuple[str, list[str]]]:
        """Columns by table, each once at a time: a person may also be described as a column."""
        left = [*readings]
        while left:
            first = self.fields[left[0]].table
            batch = {self.fields[name].column: name for name in reversed(left) if self.fields[name].table == first}
            left = [name for name in left if name not in batch.values()]
            yield first, [*batch.values()]

    def _is_cut_off(self, name: str) -> bool:
        """Whether a link beside the way to the person leads nowhere, on which a column depends."""
        return any(self.is_lost(link) for link in self.joined.needed([name]) if link.to.table not in self.joined.way)

    def require_whole(self, steps: Way) -> None:
        """Refuse links on the way to the person that lead nowhere, where none may."""
        for link in steps:
            if self.joined.whole and link.to.table in self.joined.way and self.is_lost(link):
                rule = f"must name a row of {link.to.table!r} in every row"
                raise DataError(f"{_title(link.key)} {rule}, or person_missing='drop' leaves out rows without a person")


def require_ends(engines: Mapping[str, Engine], steps: Way) -> None:
    """Refuse links from or to columns that are not there, each by its full name."""
    for end in (end for link in steps for end in (link.key, link.to)):
        try:
            engines[end.table].require(end.column)
        except ParameterError:
            raise ParameterError(f"links must name columns that are there; got {render(str(end))}") from None


def twice_error(link: Link) -> DataError:
    """What is raised where a link could lead to two rows."""
    return DataError(f"{_title(link.to)} must hold each value once: by {link.key} a row would belong to two")


def kinds_error(link: Link) -> DataError:
    """What is raised where two columns cannot be compared."""
    rule = "must both hold numbers, both texts or both days, to be linked"
    return DataError(f"{_title(link.key)} and {_title(link.to)} {rule}")


def _title(of: Field) -> str:
    return f"column {str(of)[:60]!r}"
