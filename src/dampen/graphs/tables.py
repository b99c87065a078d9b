"""A graph, or a table of edges of any kind: one door for every question about graphs."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from dampen.errors import ParameterError
from dampen.graphs.graph import Graph
from dampen.tables.engines import Source
from dampen.tables.filters import filter_rows


def as_graph(
    graph: Any,
    *,
    src: str | None = None,
    dst: str | None = None,
    nodes: Any = None,
    where: Mapping[str, Any] | None = None,
) -> Graph:
    """The graph itself, or that of a table's edges between declared nodes; ``where`` leaves only some of its rows.

    >>> edges = {"a": [0, 1, 2], "b": [1, 2, 0], "year": [1, 1, 2]}
    >>> as_graph(edges, src="a", dst="b", nodes=3, where={"year": 1}).report
    GraphReport(rows=2, self_loops=0, duplicates=0)
    """
    given = [
        name for name, value in {"src": src, "dst": dst, "nodes": nodes, "where": where}.items() if value is not None
    ]
    if isinstance(graph, Graph):
        if given:
            raise ParameterError(f"{given[0]} is for a table of edges; a dampen.Graph has its nodes and edges already")
        return graph
    if nodes is None:
        rule = "graph must be a dampen.Graph, or a table of edges with src=, dst= and its declared nodes="
        raise ParameterError(f"{rule}; got {type(graph).__name__}")
    data = filter_rows(graph, where)
    inner = data.data if isinstance(data, Source) else data
    if isinstance(inner, str | Path):
        return Graph.from_file(data, nodes=nodes, src=src, dst=dst)
    return Graph.from_frame(data, src=src, dst=dst, nodes=nodes)  # type: ignore[arg-type]
