"""From a description file to a table or graph that can be asked, its ledger included."""

from pathlib import Path
from typing import Any

from dampen.accounting import Budget
from dampen.describe.description import Description
from dampen.describe.reading import FileReading
from dampen.errors import ParameterError
from dampen.front.graph import Graph
from dampen.front.table import Table
from dampen.privacy import Adjacency, BudgetLike
from dampen.tables import read_labels


def open(path: str | Path, *, budget: BudgetLike | None = None) -> Table | Graph:
    """The table or graph that a description file tells of: what is publicly known, where the data lies, who pays.

    The ledger must exist; ``dampen budget create`` makes one. ``budget`` pays instead of it.
    """
    found = Description.read(Path(path))
    if budget is None:
        if found.ledger_path is None:
            raise ParameterError("budget must be given: the description names no ledger")
        budget = Budget.open(found.ledger_path)
    return table_of(found, budget) if found.graph is None else graph_of(found).paid_by(budget)


def table_of(
    found: Description, budget: BudgetLike, *, engine: str | None = None, adjacency: Adjacency | None = None
) -> Table:
    """The table of a description."""
    if found.graph is not None:
        raise ParameterError("the description tells of a graph: ask for its nodes or patterns")
    return Table(
        found.locate_data(), columns=found.columns, budget=budget, adjacency=adjacency or found.adjacency,
        engine=engine or found.engine, reading=FileReading(**found.reading), name=found.data,
    )  # fmt: skip


def graph_of(found: Description) -> Graph:
    """The graph of a description."""
    if found.graph is None:
        raise ParameterError("the description tells of no graph: it has no table [graph]")
    edges = found.locate_data()
    nodes: Any = found.graph["nodes"]
    if isinstance(nodes, str):
        nodes = read_labels(found.locate(nodes))
    return Graph.from_file(edges, nodes=nodes, src=found.graph.get("src"), dst=found.graph.get("dst"))
