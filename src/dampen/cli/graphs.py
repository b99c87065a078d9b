"""What every verb that reads a graph shares."""

from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Annotated, Any

import typer

from dampen.cli import lists
from dampen.cli.options import Rows
from dampen.cli.payment import Payer, Payment
from dampen.cli.progress import progress
from dampen.cli.tables import DESCRIBED, is_description
from dampen.cli.verbs import Options, refuse_given
from dampen.describe.description import Description
from dampen.errors import ParameterError
from dampen.front.graph import Graph
from dampen.front.opening import graph_of
from dampen.graphs.files import labels_of_edges
from dampen.tables.engines import Source

OfGraph = partial(typer.Option, rich_help_panel="For graphs")
MEMBERSHIP_PUBLISHED = "note: which nodes have an edge is published with --nodes-from-edges; declare them with --nodes."


@dataclass(frozen=True, kw_only=True)
class GraphOptions(Options):
    """The nodes of a graph, which are public, and where its edges stand in a table."""

    nodes: Annotated[str | None, OfGraph(help=f"How many nodes there are, or their labels: {lists.HELP}.")] = None
    nodes_from_edges: Annotated[bool, OfGraph("--nodes-from-edges", help="Publish who has an edge.")] = False
    src: Annotated[str | None, OfGraph(help="Column of one end of the edges.")] = None
    dst: Annotated[str | None, OfGraph(help="Column of the other end.")] = None

    def open(self, file: str, rows: Rows, payment: Payment, *, delta: str = "0") -> tuple[Graph, Payer]:
        """The graph of a description or of files, on its declared nodes; and who pays."""
        if is_description(file):
            refuse_given(DESCRIBED, self)
            refuse_given("a graph that is described is read as it is", rows)
            found = Description.read(Path(file))
            payer = payment.payer(found.ledger_path, delta=delta)
            with progress():
                return graph_of(found), payer
        if self.nodes_from_edges == (self.nodes is not None):
            raise ParameterError("nodes must be declared: give --nodes N, a,b,c or FILE, or else --nodes-from-edges")
        payer = payment.payer(delta=delta)
        with progress(), rows.open(file) as edges:
            return Graph.from_file(edges, nodes=self._declared(edges), src=self.src, dst=self.dst), payer

    def remarks(self) -> tuple[str, ...]:
        """What the user should know about how the nodes were declared."""
        return (MEMBERSHIP_PUBLISHED,) if self.nodes_from_edges else ()

    def _declared(self, edges: Source) -> Any:
        if self.nodes is None:
            return labels_of_edges(edges, self.src, self.dst)
        return int(self.nodes) if self.nodes.isdecimal() else lists.read_list(self.nodes, "nodes")
