"""All that is publicly known of a data set, as an object and as a TOML file."""

import re
import tomllib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from dampen._validate import flag, one_of, render, text, whole
from dampen.describe.columns import Column
from dampen.describe.labels import as_categories, as_named
from dampen.describe.links import Links, as_links, by_table, nest, require_tables
from dampen.describe.person import as_person
from dampen.describe.plain import column_as_plain, column_from_plain, require_known_words
from dampen.describe.toml import toml_text
from dampen.errors import ParameterError
from dampen.privacy import Adjacency

KEYS = (
    "data",
    "ledger",
    "adjacency",
    "engine",
    "person",
    "persons",
    "person_missing",
    "public",
    "links",
    "reading",
    "graph",
    "columns",
)
TABLES = ("links", "reading", "graph", "columns")
"""Those that are tables themselves."""
GRAPH = ("src", "dst", "nodes")
LONGEST_PATH = 1000
REMOTE = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*://")
"""How what is not a path on this machine begins."""


@dataclass(frozen=True, init=False)
class Description:
    """The columns of a table, or a graph, and where the data and the ledger lie.

    Parameters
    ----------
    columns
        A description for each column; empty for a graph.
    adjacency
        ``"add_remove"`` or ``"replace"`` for a table, ``"edge"`` for a graph.
    data, ledger
        Paths, or a pattern of paths, relative to ``folder``.
    engine
        What counts the data, where that is to be chosen.
    links, public
        For several tables: which column names a row of which, and the tables that everybody may know. Then ``person``
        and the columns are named ``table.column``, and ``data`` is a DuckDB file or a folder with a file for each.
    person, person_missing
        For a table whose persons have several rows each: the column that tells whose a row is, and whether rows without
        a person are left out, ``"drop"``, or the data refused, ``"refuse"``.
    persons
        For a table whose rows are of two persons each: both columns.
    graph
        For a graph: ``nodes`` (how many there are, a list of their labels, or a file of them), and for tables of edges
        the names of their columns, ``src`` and ``dst``.
    reading
        How text files are read: ``delimiter``, ``decimal``, ``na`` (texts that mean a missing value), ``encoding`` and
        ``header`` (whether there is one).
    folder
        Where the description itself lies.

    >>> from dampen.describe.columns import Flag
    >>> print(Description({"smoker": Flag()}, data="staff.csv").to_toml(), end="")
    data = "staff.csv"
    adjacency = "add_remove"
    <BLANKLINE>
    [columns.smoker]
    kind = "flag"
    """

    columns: dict[str, Column]
    links: Links | None
    adjacency: Adjacency
    data: str | None
    ledger: str | None = field(repr=False)
    """Not shown: the address of a server may hold a password."""
    engine: str | None
    person: str | None
    persons: tuple[str, str] | None
    person_missing: str
    graph: dict[str, Any] | None
    reading: dict[str, Any]
    folder: Path | None = field(compare=False)

    def __init__(
        self,
        columns: Mapping[str, Column],
        *,
        adjacency: Adjacency | str | None = None,
        data: str | Path | None = None,
        ledger: str | Path | None = None,
        engine: str | None = None,
        person: str | None = None,
        persons: Sequence[str] | None = None,
        person_missing: str = "drop",
        links: Mapping[str, Any] | None = None,
        public: Sequence[str] | None = None,
        graph: Mapping[str, Any] | None = None,
        reading: Mapping[str, Any] | None = None,
        folder: str | Path | None = None,
    ) -> None:
        if persons is not None and (links is not None or public is not None):
            raise ParameterError("persons must be left out of a description with links, which lead to one person")
        linked = _as_links(person, links, public)
        known = {} if graph is not None and columns == {} else _as_columns_of(columns, linked)
        if known and graph is not None:
            raise ParameterError("a description must be of a table, with columns, or of a graph, and not of both")
        whose = as_person(person, person_missing, persons)
        if whose is not None and graph is not None:
            raise ParameterError("person must be left out of the description of a graph, whose nodes are public")
        if linked is not None and engine is not None:
            raise ParameterError(
                "engine must be left out of a description with links: tables are joined where they lie"
            )
        usual = Adjacency.ADD_REMOVE if graph is None else Adjacency.EDGE
        fields = {
            "columns": known,
            "links": linked,
            "adjacency": find_adjacency(usual if adjacency is None else adjacency, of_graph=graph is not None),
            "data": None if data is None else _as_path(data=data),
            "ledger": None if ledger is None else _as_path(ledger=ledger),
            "engine": None if engine is None else text(engine=engine, longest=100),
            "person": None if whose is None or whose.pair is not None else whose.column,
            "persons": None if whose is None else whose.pair,
            "person_missing": "drop" if whose is None else whose.missing,
            "graph": None if graph is None else _as_graph(graph),
            "reading": {} if reading is None else _as_reading(reading),
            "folder": None if folder is None else Path(folder),
        }
        for name, value in fields.items():
            object.__setattr__(self, name, value)

    @classmethod
    def read(cls, path: str | Path) -> "Description":
        """From a TOML file; the paths in it are relative to the file."""
        try:
            written = Path(path).read_text(encoding="utf-8")
        except (OSError, ValueError, TypeError):
            told = render(str(path) if isinstance(path, Path) else path, longest=120)
            raise ParameterError(f"a description must be a TOML file in UTF-8 that can be read; got {told}") from None
        return cls.parse(written, folder=Path(path).parent)

    @classmethod
    def parse(cls, written: str, folder: str | Path | None = None) -> "Description":
        """From the text of a TOML file that lies in a folder."""
        try:
            table = tomllib.loads(written)
        except (tomllib.TOMLDecodeError, TypeError, ValueError, RecursionError) as error:
            # The rest of the message may quote a line, and somebody may have handed over the data.
            place = re.search(r"\(at [a-z0-9, ]+\)$", str(error))
            raise ParameterError(f"a description must be TOML{'' if place is None else ' ' + place[0]}") from None
        require_known_words(table, KEYS, "a description")
        tables = {name: table.pop(name) for name in TABLES if name in table}
        for name, found in tables.items():
            if not isinstance(found, dict):
                raise ParameterError(f"{name} must be a table, [{name}]; got {render(found)}")
        described = tables.pop("columns", {})
        if not described and "graph" not in tables:
            raise ParameterError("a description still needs its columns, [columns.NAME] for each, or a [graph]")
        named = by_table(described) if "links" in tables or "public" in table else described
        columns = {name: column_from_plain(found, _title(name)) for name, found in named.items()}
        return cls(columns, **table, **tables, folder=folder)

    def to_toml(self) -> str:
        """As a TOML file says it."""
        described = {name: column_as_plain(column) for name, column in self.columns.items()}
        known = {
            "data": self.data,
            "ledger": self.ledger,
            "adjacency": self.adjacency.value,
            "engine": self.engine,
            "person": self.person,
            "persons": self.persons,
            "person_missing": None if self.person_missing == "drop" else self.person_missing,
            "public": None if self.links is None else list(self.links.public) or None,
            "links": None if self.links is None else {str(link.key): str(link.to) for link in self.links.links},
            "reading": self.reading or None,
            "graph": self.graph,
            "columns": (described if self.links is None else nest(described)) or None,
        }
        return toml_text({name: value for name, value in known.items() if value is not None})

    @property
    def ledger_path(self) -> str | None:
        """Where the ledger lies."""
        return None if self.ledger is None else self.locate(self.ledger)

    def locate_data(self) -> str:
        """Where the data lie; a description that names none is refused."""
        if self.data is None:
            raise ParameterError("data must be named in the description: the path or pattern of its files")
        return self.locate(self.data)

    def locate(self, path: str) -> str:
        """A path of the description, seen from here; what lies elsewhere (``s3://...``) stays as it is."""
        return path if self.folder is None or REMOTE.match(path) else str(self.folder / path)


def as_columns(columns: Any) -> dict[str, Column]:
    """A description for each column, at least one."""
    rule = "columns must map names to Number, Category, Date, Flag or Text"
    found = as_named(columns)
    if not found:
        raise ParameterError(f"{rule}, at least one; got {render(columns)}")
    for column in found.values():
        if not isinstance(column, Column):
            raise ParameterError(f"{rule}; got {type(column).__name__}")
    return found


def find_adjacency(adjacency: Any, *, of_graph: bool = False) -> Adjacency:
    """The adjacency itself, or the one of this name: of the records of a table, or of the edges of a graph."""
    allowed = [Adjacency.EDGE] if of_graph else [Adjacency.ADD_REMOVE, Adjacency.REPLACE]
    word = adjacency.value if isinstance(adjacency, Adjacency) else adjacency
    return Adjacency(one_of(tuple(each.value for each in allowed), adjacency=word))


def _as_columns_of(columns: Any, links: Links | None) -> dict[str, Column]:
    """A description for each column of one table, or of several."""
    if links is None:
        return as_columns(columns)
    known = as_columns(by_table(columns))
    require_tables(known, links)
    for table in links.private:
        links.names(table, known)
    return known


def _as_links(person: Any, links: Any, public: Any) -> Links | None:
    """The links of several tables; ``None`` where there is one alone."""
    if links is None and public is None:
        return None
    return as_links(person, {} if links is None else links, () if public is None else public)


def _title(name: str) -> str:
    return f"[columns.{name[:40]}]" if name.isidentifier() else f"[columns.{name[:40]!r}]"


def _as_path(**named: Any) -> str:
    [(name, path)] = named.items()
    found = text(longest=LONGEST_PATH, **{name: str(path) if isinstance(path, Path) else path})
    if not found.strip():
        raise ParameterError(f"{name} must be a path; got {render(path)}")
    return found


def _as_graph(graph: Any) -> dict[str, Any]:
    said = _as_table(graph, GRAPH, "graph")
    if ("src" in said) != ("dst" in said):
        raise ParameterError("[graph] must name both columns of a table of edges, src and dst, or neither")
    ends: dict[str, Any] = {
        end: text(longest=LONGEST_PATH, **{end: said[end]}) for end in ("src", "dst") if end in said
    }
    if "nodes" not in said:
        raise ParameterError("[graph] still needs nodes: how many there are, a list of labels, or a file of them")
    nodes = said["nodes"]
    if isinstance(nodes, str | Path):
        return {**ends, "nodes": _as_path(nodes=nodes)}
    if isinstance(nodes, list | tuple):
        return {**ends, "nodes": as_categories(nodes, "nodes")}
    return {**ends, "nodes": whole(nodes=nodes, least=1)}


def _as_reading(reading: Any) -> dict[str, Any]:
    said = _as_table(reading, tuple(_OPTIONS), "reading")
    return {name: _OPTIONS[name](value) for name, value in said.items()}


def _as_delimiter(delimiter: Any) -> str:
    if not isinstance(delimiter, str) or len(delimiter) != 1 or delimiter in "\r\n":
        raise ParameterError(f"delimiter must be one character; got {render(delimiter)}")
    return delimiter


def _as_texts(na: Any) -> tuple[str, ...]:
    listed = [na] if isinstance(na, str) else na
    if not isinstance(listed, list | tuple) or not all(isinstance(each, str) for each in listed):
        raise ParameterError(f"na must be a text or a list of texts; got {render(na)}")
    return tuple(listed)


_OPTIONS: dict[str, Callable[[Any], Any]] = {
    "delimiter": _as_delimiter,
    "decimal": lambda decimal: one_of((".", ","), decimal=decimal),
    "na": _as_texts,
    "encoding": lambda encoding: text(encoding=encoding, longest=40),
    "header": lambda header: flag(header=header),
}
"""How text files may be read, and what each option must be."""


def _as_table(table: Any, allowed: tuple[str, ...], name: str) -> dict[str, Any]:
    said = as_named(table)
    if said is None:
        raise ParameterError(f"{name} must be a table, [{name}]; got {render(table)}")
    require_known_words(said, allowed, f"[{name}]")
    return said
