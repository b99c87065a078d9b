"""Do several tables keep to their description? For the curator alone: what is told here is not private."""

from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Any

from dampen.describe.columns import Text
from dampen.describe.description import Description
from dampen.describe.links import Field, Link, Links, Way, as_field
from dampen.describe.reading import PLAIN, FileReading
from dampen.errors import DataError, ParameterError
from dampen.front.faults import clamped, faults, without_person
from dampen.tables.columns import title_of
from dampen.tables.described import reading_of
from dampen.tables.engines import Engine, Source, open_engine
from dampen.tables.engines.joined import Joined, StoredTable
from dampen.tables.stored import find_tables

LONGEST_LIST = 60
"""So many characters of a list of columns are told."""


def check_links(found: Description) -> list[str]:
    """Which tables, columns and links break which rule, a sentence each: all tables, then all links.

    As of one table, sentences hold no count, no value and no bound of the data.
    """
    assert found.links is not None
    data = find_tables(found.locate_data(), found.links.tables)
    reading = FileReading(**found.reading) if found.reading else PLAIN
    try:
        checked = LinkCheck(found, found.links, data, reading)
        tables = [sentence for table in found.links.tables for sentence in checked.in_table(table)]
        return [*tables, *(sentence for link in found.links.links for sentence in checked.of_link(link))]
    finally:
        for each in data.values():
            if isinstance(each, StoredTable):
                each.connection.close()


@dataclass(frozen=True, eq=False, repr=False)
class LinkCheck:
    """The tables of a description, each looked at alone, and each link."""

    found: Description
    links: Links
    data: Mapping[str, Any]
    reading: FileReading

    def in_table(self, table: str) -> Iterator[str]:
        """What is wrong with the described columns of a table, and with the column of the person."""
        columns = {name: each for name, each in self.found.columns.items() if as_field(name).table == table}
        asked = {name: each for name, each in columns.items() if not isinstance(each, Text)}
        whose = [str(self.links.person)] if self.links.person.table == table else []
        try:
            with self._open(table, (), {name: as_field(name) for name in (*columns, *whose)}) as engine:
                faulty = engine.faulty({name: reading_of(column) for name, column in asked.items()})
                for name, column in asked.items():
                    yield from faults(name, column, name in faulty.other, name in faulty.missing)
                    yield from clamped(engine, name, column)
                if whose and self.found.person_missing == "refuse":
                    yield from without_person(engine, whose)
        except (DataError, ParameterError) as error:
            yield str(error)

    def of_link(self, link: Link) -> Iterator[str]:
        """What is wrong with a link: no such column, columns of two kinds, a value twice, a key that names no row."""
        try:
            with self._open(link.key.table, (link,), {str(link.to): link.to}):
                pass
        except (DataError, ParameterError) as error:
            yield str(error)
            return
        if rule := self._must_lead_on(link):
            try:
                with self._open(link.key.table, (link,), {str(link.to): link.to}, whole=True):
                    pass
            except DataError:
                yield f"{title_of(str(link.key))} must name a row of {link.to.table!r} in every row, or {rule}"

    def _must_lead_on(self, link: Link) -> str:
        """What would allow a key to name no row; nothing where that is allowed already.

        Beyond a link to a public table all columns are missing then, and beyond others the person.
        """
        if link.to.table not in self.links.public:
            return 'person_missing = "drop"' if self.found.person_missing == "refuse" else ""
        beyond = {link.to.table, *self._reached(link.to.table)}
        needed = [
            name
            for name, column in self.found.columns.items()
            if as_field(name).table in beyond and not isinstance(column, Text) and not reading_of(column).missing
        ]
        return f'missing = "drop" in the description of {", ".join(needed)[:LONGEST_LIST]}' if needed else ""

    def _reached(self, table: str) -> Iterator[str]:
        for link in self.links.onward(table):
            yield link.to.table
            yield from self._reached(link.to.table)

    def _open(
        self, table: str, steps: Way, fields: Mapping[str, Field], *, whole: bool = False
    ) -> AbstractContextManager[Engine]:
        way = tuple(link.to.table for link in steps)
        joined = Joined(self.data, table, steps, fields, way, whole=whole, reading=self.reading)
        return open_engine(Source(joined), *fields)
