"""Several tables that link to one another and to the person whose rows they hold: described once, then asked."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Self

from dampen._validate import text
from dampen.describe.columns import Column
from dampen.describe.description import as_columns, find_adjacency
from dampen.describe.links import Link, as_links, by_table, require_tables
from dampen.describe.person import as_person
from dampen.describe.reading import PLAIN, FileReading
from dampen.front.table import LONGEST_NAME, Table
from dampen.privacy import Adjacency, BudgetLike, as_budget
from dampen.tables.engines.joined import Joined, StoredTable
from dampen.tables.engines.sources import require_reading
from dampen.tables.stored import find_tables


class Database:
    """Tables, how they link to the person, the public description of their columns, and a budget.

    Parameters
    ----------
    data
        A DuckDB file, which is opened to be read only; a folder with a file for each table, ``orders.parquet`` for
        ``orders``, or a folder of files; or a mapping of tables by name: paths or patterns of files, data frames,
        relations of one DuckDB connection, ibis tables of one backend, data frames of one Spark session.
    person
        The column that tells who somebody is, ``"customers.id"``. All rows of all tables that lead to a person are
        hidden together, whatever their number; a loss is one per person, and this name its unit.
    links
        Which column names a row of which table: ``{"orders.customer": "customers.id", "items.order": "orders.id"}``.
        From every table that is not public one way must lead to the person.
    public
        Tables that everybody may know, such as a list of products. They may link to one another, and to no person.
    columns
        What each column may hold, by ``"table.column"``; or ``{"items": {"price": Number(0, 500)}}``, table by table.
    budget, adjacency, person_missing, reading, name
        As for :class:`dampen.Table`. A row whose links lead to nobody, because a key is missing or names no row, has no
        person: ``"drop"`` leaves it out, ``"refuse"`` refuses the data.

    The column that a link leads to must hold each value once, or one row would belong to two persons: such data are
    refused, and nothing is charged.

    >>> import dampen
    >>> shop = dampen.Database(
    ...     {
    ...         "customers": {"id": [1, 2, 3]},
    ...         "orders": {"customer": [1, 1, 2], "product": ["a", "b", "b"], "price": [5, 20, 30]},
    ...         "products": {"id": ["a", "b"], "kind": ["book", "toy"]},
    ...     },
    ...     person="customers.id",
    ...     links={"orders.customer": "customers.id", "orders.product": "products.id"},
    ...     public=["products"],
    ...     columns={"orders.price": dampen.Number(0, 100), "products.kind": dampen.Category("book", "toy")},
    ...     budget=dampen.Budget(epsilon=2),
    ... )
    >>> shop.table("orders")
    Table(orders: price, kind per customers.id)
    """

    def __init__(
        self,
        data: Any,
        *,
        person: str,
        links: Mapping[str, Any] | None = None,
        public: Sequence[str] = (),
        columns: Mapping[str, Any],
        budget: BudgetLike,
        adjacency: Adjacency | str = Adjacency.ADD_REMOVE,
        person_missing: str = "drop",
        reading: FileReading | None = None,
        name: str | None = None,
    ) -> None:
        self._links = as_links(person, {} if links is None else links, public)
        self._missing = as_person(person, person_missing)
        flat = by_table(columns)
        self._columns = {} if not flat else as_columns(flat)
        require_tables(self._columns, self._links)
        for table in self._links.private:
            self._links.names(table, self._columns)
        self._budget, self._adjacency = as_budget(budget), find_adjacency(adjacency)
        called = str(data) if isinstance(data, str | Path) else None
        self._name = called if name is None else text(name=name, longest=LONGEST_NAME)
        self._place = str(Path(data).absolute()) if isinstance(data, str | Path) else self._name
        self._reading = PLAIN if reading is None else reading
        self._data = find_tables(data, self._links.tables)
        if reading is not None:
            for each in self._data.values():
                require_reading(reading, each)
        self._checked: set[Link] = set()

    @property
    def tables(self) -> tuple[str, ...]:
        """The tables that can be asked."""
        return self._links.private

    @property
    def columns(self) -> dict[str, Column]:
        """What is publicly known of each column, by table and column."""
        return dict(self._columns)

    @property
    def person(self) -> str:
        """The column that tells who somebody is."""
        return str(self._links.person)

    @property
    def budget(self) -> BudgetLike:
        """Who pays."""
        return self._budget

    @property
    def adjacency(self) -> Adjacency:
        """What is hidden."""
        return self._adjacency

    def table(self, name: str) -> Table:
        """The rows of a table, each with its person and with the columns of all tables that it links to.

        A column of another table is called by its own name where no other has it, else ``"products.price"``.
        """
        steps = self._links.steps(name)
        fields = self._links.names(name, self._columns)
        way = tuple(table for table in (name, *(link.to.table for link in steps)) if table not in self._links.public)
        assert self._missing is not None
        joined = Joined(
            self._data, name, steps, {**fields, self.person: self._links.person}, way,
            whole=self._missing.missing == "refuse", reading=self._reading, place=self._place, checked=self._checked,
        )  # fmt: skip
        return Table(
            joined, columns={called: self._columns[str(field)] for called, field in fields.items()},
            budget=self._budget, adjacency=self._adjacency, person=self.person, person_missing=self._missing.missing,
            name=None if self._name is None else f"{name} of {self._name}"[:LONGEST_NAME],
        )  # fmt: skip

    def close(self) -> None:
        """Close the database file, where there is one; what is not asked by then is refused."""
        for each in self._data.values():
            if isinstance(each, StoredTable):
                each.connection.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __repr__(self) -> str:
        place = "" if self._name is None else f"{self._name}: "
        return f"Database({place}{', '.join(self.tables)} per {self.person})"
