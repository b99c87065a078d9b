"""From a description file to a table or graph that can be asked, its ledger included."""

import json
from pathlib import Path
from typing import Any

from dampen.accounting import Budget
from dampen.describe.description import Description
from dampen.describe.nearest import listing
from dampen.describe.reading import FileReading
from dampen.errors import ParameterError
from dampen.front.database import Database
from dampen.front.graph import Graph
from dampen.front.table import Table
from dampen.privacy import Adjacency, BudgetLike
from dampen.tables import read_labels


def open(path: str | Path, *, budget: BudgetLike | None = None) -> Table | Database | Graph:
    """What a description file tells of, a table, several with links, or a graph: where the data lies, and who pays.

    The ledger must exist; ``dampen budget create`` makes one. ``budget`` pays instead of it.
    """
    found = Description.read(Path(path))
    if budget is None:
        if found.ledger_path is None:
            raise ParameterError("budget must be given: the description names no ledger")
        budget = Budget.open(found.ledger_path)
    if found.links is not None:
        return database_of(found, budget)
    return table_of(found, budget) if found.graph is None else graph_of(found).paid_by(budget)


def table_of(
    found: Description,
    budget: BudgetLike,
    *,
    engine: str | None = None,
    adjacency: Adjacency | None = None,
    table: str | None = None,
) -> Table:
    """The table of a description, or the one of this name where there are several."""
    if found.graph is not None:
        raise ParameterError("the description tells of a graph: ask for its nodes or patterns")
    if found.links is not None:
        if table is None:
            raise ParameterError(
                f"table must be named, for the description has several: {listing(found.links.private)}"
            )
        if engine is not None:
            raise ParameterError("engine must be left out: several tables are joined where they lie")
        return database_of(found, budget, adjacency=adjacency).table(table)
    if table is not None:
        raise ParameterError("table must be left out: the description tells of one table, and has no [links]")
    return Table(
        found.locate_data(), columns=found.columns, budget=budget, adjacency=adjacency or found.adjacency,
        engine=engine or found.engine, reading=FileReading(**found.reading), name=found.data,
        person=found.person, persons=found.persons, person_missing=found.person_missing,
    )  # fmt: skip


def database_of(found: Description, budget: BudgetLike, *, adjacency: Adjacency | None = None) -> Database:
    """The tables of a description with links."""
    if found.links is None:
        raise ParameterError("the description tells of one table: it has no [links]")
    return Database(
        found.locate_data(), person=str(found.links.person), public=found.links.public,
        links={str(link.key): str(link.to) for link in found.links.links}, columns=found.columns, budget=budget,
        adjacency=adjacency or found.adjacency, person_missing=found.person_missing,
        reading=FileReading(**found.reading) if found.reading else None, name=found.data,
    )  # fmt: skip


def graph_of(found: Description) -> Graph:
    """The graph of a description."""
    if found.graph is None:
        raise ParameterError("the description tells of no graph: it has no table [graph]")
    edges = found.locate_data()
    nodes: Any = found.graph["nodes"]
    ends = found.graph.get("src"), found.graph.get("dst")
    declared = nodes
    if isinstance(nodes, str):
        declared = str(Path(found.locate(nodes)).absolute())
        nodes = read_labels(declared)
    graph = Graph.from_file(edges, nodes=nodes, src=ends[0], dst=ends[1])
    return graph.named(json.dumps([str(Path(edges).absolute()), declared, *ends]))
