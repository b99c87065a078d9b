"""What every verb that reads a graph shares."""

from pathlib import Path
from typing import Annotated, Any

import typer

from dampen.cli.records import EngineName, source
from dampen.errors import ParameterError
from dampen.graphs.files import labels_of_edges
from dampen.graphs.graph import Graph
from dampen.tables import read_labels

MEMBERSHIP_PUBLISHED = "note: which nodes have an edge is published with --nodes-from-edges; declare them with --nodes."

Nodes = Annotated[str | None, typer.Option(help="How many nodes there are, or a file of their labels.")]
NodesFromEdges = Annotated[bool, typer.Option("--nodes-from-edges", help="Publish who has an edge.")]
Src = Annotated[str | None, typer.Option("--src", help="Column of one end of the edges.")]
Dst = Annotated[str | None, typer.Option("--dst", help="Column of the other end.")]


def read_graph(
    file: str,
    nodes: str | None,
    from_edges: bool,
    src: str | None,
    dst: str | None,
    engine: EngineName,
    where: list[str] | None,
) -> Graph:
    """The graph of files, on its declared nodes; ``where`` leaves only some of the rows."""
    edges = source(file, engine, where)
    return Graph.from_file(edges, nodes=_nodes(file, nodes, from_edges, src, dst), src=src, dst=dst)


def _nodes(file: str, nodes: str | None, from_edges: bool, src: str | None, dst: str | None) -> Any:
    """The declared node set: a count, or labels."""
    if from_edges == (nodes is not None):
        raise ParameterError("nodes must be declared: give --nodes N or FILE, or else --nodes-from-edges")
    if nodes is None:
        return labels_of_edges(file, src, dst)
    if nodes.isdecimal():
        return int(nodes)
    if not Path(nodes).is_file():
        raise ParameterError(f"nodes must be a whole number, or an existing file of labels; got {nodes[-60:]!r}")
    return read_labels(nodes)


def remarks(from_edges: bool) -> tuple[str, ...]:
    """What the user should know about how the nodes were declared."""
    return (MEMBERSHIP_PUBLISHED,) if from_edges else ()
