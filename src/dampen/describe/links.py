"""Several tables: which column of which names a row of another, and the one way from each table to the person.

All of this is public, and said before any data is read. A row belongs to the person that its links lead to, so there
must be one way and no other; tables that everybody may know are public, and lead to nobody.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from dampen._validate import render
from dampen.describe.columns import Column
from dampen.describe.labels import as_named
from dampen.describe.nearest import quoted, unknown
from dampen.errors import ParameterError

LONGEST_FIELD = 100
"""Of a table and its column together, in characters; a person so named is the unit of every loss."""
LONGEST_WAY = 80
"""So many characters of a way are told."""
MOST_LINKS = 200


@dataclass(frozen=True, order=True)
class Field:
    """A column of a table. It is written ``table.column``; the name of a table has no dot."""

    table: str
    column: str

    def __str__(self) -> str:
        return f"{self.table}.{self.column}"


@dataclass(frozen=True)
class Link:
    """A column whose values name rows of another table by the values of a column there, which hold each once."""

    key: Field
    to: Field

    def __str__(self) -> str:
        return f"{self.key} -> {self.to}"


Way = tuple[Link, ...]
"""Links, each of which begins in the table that the one before leads to."""


@dataclass(frozen=True)
class Links:
    """The tables of a database: who the person is, which tables are public, and how each table links to others.

    From every table that is not public one way leads to the table of the person; :func:`as_links` sees to it.

    >>> shop = as_links("customers.id", {"orders.customer": "customers.id", "items.order": "orders.id"})
    >>> [str(link) for link in shop.steps("items")]
    ['items.order -> orders.id', 'orders.customer -> customers.id']
    """

    person: Field
    public: tuple[str, ...]
    links: tuple[Link, ...]

    @cached_property
    def tables(self) -> tuple[str, ...]:
        """All tables that are declared."""
        ends = [table for link in self.links for table in (link.key.table, link.to.table)]
        return tuple(dict.fromkeys([self.person.table, *ends, *self.public]))

    @property
    def private(self) -> tuple[str, ...]:
        """The tables whose rows are somebody's."""
        return tuple(table for table in self.tables if table not in self.public)

    def onward(self, table: str) -> list[Link]:
        """The links that begin in a table."""
        return self._onward.get(table, [])

    @cached_property
    def _onward(self) -> dict[str, list[Link]]:
        found: dict[str, list[Link]] = {}
        for link in self.links:
            found.setdefault(link.key.table, []).append(link)
        return found

    def steps(self, table: str) -> Way:
        """All links that are followed from a table, to the person and to public tables: each after those before it."""
        reached, found = [self.require(table)], list[Link]()
        for here in reached:
            found += self.onward(here)
            reached += [link.to.table for link in self.onward(here)]
        return tuple(found)

    def require(self, table: Any) -> str:
        """The name of a table that is declared, and is not public: nobody would be hidden by an answer about one."""
        if not isinstance(table, str) or table not in self.tables:
            raise ParameterError(f"table must be one that is declared, not {unknown(table, self.tables)}")
        if table in self.public:
            raise ParameterError(f"table must hold rows of persons; {quoted(table)} is public: read it as it is")
        return table

    def names(self, table: str, columns: Mapping[str, Column]) -> dict[str, Field]:
        """What the described columns are called that a row of a table has, with all tables that it links to.

        An own column by its name, and one of another table too where no other has this name; otherwise
        ``table.column``.
        """
        here = {table, *(link.to.table for link in self.steps(table))}
        fields = [field for field in map(as_field, columns) if field.table in here]
        alone = {field for field in fields if sum(field.column == other.column for other in fields) == 1}
        named = [(field.column if field.table == table or field in alone else str(field), field) for field in fields]
        for place, (name, field) in enumerate(named):
            if name in dict(named[:place]) or (name == str(self.person) and field != self.person):
                raise ParameterError(f"columns must have names of their own; from {quoted(table)} two are {name!r}")
        return dict(named)


def as_links(person: Any, links: Any, public: Any = ()) -> Links:
    """The links of a database, by the names of columns, ``table.column``; refused where they lead to no one person."""
    found = Links(
        as_field(person, "person"), _as_tables(public), tuple(Link(*ends) for ends in _field_pairs(links))
    )  # fmt: skip
    if found.person.table in found.public:
        raise ParameterError(f"public must not name the table of the person; got {quoted(found.person.table)}")
    for link in found.links:
        if link.key.table in found.public and link.to.table not in found.public:
            raise ParameterError(f"a public table must link to public tables alone; got {link}")
    if len(found.links) > MOST_LINKS:
        raise ParameterError(f"links must be at most {MOST_LINKS}; got {len(found.links)}")
    _refuse_cycles(found)
    for table in found.private:
        _require_one_way(found, table)
    return found


def as_field(name: Any, argument: str = "column") -> Field:
    """The column of a table that ``table.column`` names."""
    rule = f'{argument} must name a table and a column, such as "customers.id"'
    if not isinstance(name, str):
        raise ParameterError(f"{rule}; got {render(name)}")
    table, _, column = name.partition(".")
    if not table.strip() or not column.strip() or len(name) > LONGEST_FIELD or not name.isprintable():
        raise ParameterError(f"{rule}, of at most {LONGEST_FIELD} characters; got {render(name)}")
    return Field(table, column)


def by_table(named: Any, argument: str = "columns") -> dict[str, Any]:
    """A mapping by ``table.column``; a table may also have a mapping of its own, by its columns.

    >>> by_table({"orders": {"customer": "customers.id"}, "items.order": "orders.id"}, "links")
    {'orders.customer': 'customers.id', 'items.order': 'orders.id'}
    """
    rule = f'{argument} must be by table and column, {{"orders.day": ...}} or {{"orders": {{"day": ...}}}}'
    said = as_named(named)
    if said is None:
        raise ParameterError(f"{rule}; got {render(named)}")
    found: dict[str, Any] = {}
    for name, value in said.items():
        inner = {name: value} if "." in name else as_named(value)
        if inner is None:
            raise ParameterError(f"{rule}; got {render(name)}")
        for column, each in inner.items():
            field = str(as_field(column if "." in name else f"{name}.{column}", argument))
            if field in found:
                raise ParameterError(f"{argument} must name every column once; got {render(field)} twice")
            found[field] = each
    return found


def nest(named: Mapping[str, Any]) -> dict[str, dict[str, Any]]:
    """The other way round: for each table a mapping by its columns."""
    found: dict[str, dict[str, Any]] = {}
    for field, value in ((as_field(name), value) for name, value in named.items()):
        found.setdefault(field.table, {})[field.column] = value
    return found


def require_tables(columns: Mapping[str, Column], links: Links) -> None:
    """Refuse described columns of tables that are not declared."""
    for field in map(as_field, columns):
        if field.table not in links.tables:
            told = unknown(field.table, links.tables)
            raise ParameterError(f"columns must be of tables that person, links or public name, not {told}")


def _field_pairs(links: Any) -> Iterator[tuple[Field, Field]]:
    for key, to in by_table(links, "links").items():
        if not isinstance(to, str):  # not shown: it stood in a mapping, and somebody may have handed over the data
            raise ParameterError(f"links must lead from table.column to table.column; got {type(to).__name__}")
        yield as_field(key, "links"), as_field(to, "links")


def _as_tables(public: Any) -> tuple[str, ...]:
    listed = [public] if isinstance(public, str) else public
    if type(listed) not in (list, tuple) or not all(map(_is_table, listed)):
        raise ParameterError(f"public must be a list of names of tables, which have no dot; got {render(public)}")
    return tuple(dict.fromkeys(listed))


def _is_table(name: Any) -> bool:
    return isinstance(name, str) and 0 < len(name.strip()) < LONGEST_FIELD and name.isprintable() and "." not in name


def _refuse_cycles(links: Links) -> None:
    """Walk on from every table: whoever comes back to a table has found a cycle."""
    for start in links.tables:
        way, seen = list[tuple[str, ...]]([(start,)]), {start}
        while way:
            here = way.pop()
            for link in links.onward(here[-1]):
                if link.to.table == start:
                    told = " -> ".join((*here, start))[: 2 * LONGEST_WAY]
                    raise ParameterError(f"links must never lead back to a table; got {told}")
                if link.to.table not in seen:
                    seen.add(link.to.table)
                    way.append((*here, link.to.table))


def _require_one_way(links: Links, table: str) -> None:
    """One way to the person, and at most one to each public table."""
    if not _ways(links, table, links.person.table):
        rule = "every table must lead to the person by links, or be public"
        raise ParameterError(f"{rule}; from {quoted(table)} none leads to {quoted(links.person.table)}")
    for target in (links.person.table, *links.public):
        ways = _ways(links, table, target)
        if len(ways) > 1:
            told = " and ".join(_tell_way(way) for way in ways)
            raise ParameterError(f"links must lead from {quoted(table)} to {quoted(target)} in one way; got {told}")


def _tell_way(way: Way) -> str:
    """The columns that name the next row, one after the other, and the last table; a long way is cut."""
    told = " -> ".join([*(str(link.key) for link in way), way[-1].to.table])
    return told if len(told) <= LONGEST_WAY else f"{told[:LONGEST_WAY]} ..."


def _ways(links: Links, table: str, target: str) -> list[Way]:
    """The ways from a table to another, two at most; links have no cycles here."""
    known: dict[str, list[Way]] = {target: [()]}

    def walk(here: str) -> list[Way]:
        if here not in known:
            known[here] = [(link, *way) for link in links.onward(here) for way in walk(link.to.table)][:2]
        return known[here]

    return walk(table)
