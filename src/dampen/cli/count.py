"""``dampen count``: rows of a table, or small patterns of a graph."""

from collections.abc import Mapping
from enum import StrEnum
from typing import Annotated

import typer

from dampen._validate import probability
from dampen.cli import answers, graphs, payment, records
from dampen.cli.records import AdjacencyName, Neighbours
from dampen.cli.verbs import add_members, verb
from dampen.errors import ParameterError
from dampen.questions.subgraph_counts import PATTERNS


class PatternName(StrEnum):
    """The patterns by their names on the command line."""

    add_members(vars(), PATTERNS)


@verb(30, "count", "count_subgraphs")
def count(
    file: Annotated[str, typer.Argument(help="CSV or Parquet file or quoted pattern; with --pattern, edges.")],
    epsilon: payment.Epsilon,
    where: records.Where = None,
    column: Annotated[str | None, typer.Option(help="Without --where: the column whose rows count.")] = None,
    adjacency: Neighbours = AdjacencyName.ADD_REMOVE,
    pattern: Annotated[PatternName | None, typer.Option(help="What to count in a graph.")] = None,
    k: Annotated[int | None, typer.Option("--k", help="Size of a k-triangle, k-star or k-clique.")] = None,
    delta: Annotated[str, typer.Option(help="Failure probability, for patterns; 0 gives a pure guarantee.")] = "0",
    nodes: graphs.Nodes = None,
    nodes_from_edges: graphs.NodesFromEdges = False,
    src: graphs.Src = None,
    dst: graphs.Dst = None,
    engine: records.Engine = records.DEFAULT_ENGINE,
    budget: payment.LedgerFile = None,
    scope: payment.Scope = None,
    note: payment.Note = None,
    as_json: answers.Json = False,
) -> None:
    """Count the rows of a table, or with --pattern the edges, triangles, stars or cliques of a graph, privately."""
    if pattern is None:
        graph_words = {"k": k, "nodes": nodes, "src": src, "dst": dst, "nodes-from-edges": nodes_from_edges or None}
        _refuse(graph_words | {"delta": delta if probability(delta=delta) else None}, "must come with --pattern")
        if where and column is not None:
            raise ParameterError("column must be left out where a filter names one")
        rows = records.source(file, engine, where)
        asker = answers.Asker("count", budget, scope, note, as_json, epsilon=epsilon)
        asker.tell("count", rows, column=column, adjacency=adjacency.member)
    else:
        replaced = adjacency.value if adjacency is AdjacencyName.REPLACE else None
        _refuse({"column": column, "adjacency": replaced}, "is for tables, not for --pattern")
        graph = graphs.read_graph(file, nodes, nodes_from_edges, src, dst, engine, where)
        asker = answers.Asker("count", budget, scope, note, as_json, epsilon=epsilon, delta=delta)
        remarks = graphs.remarks(nodes_from_edges)
        asker.tell("count_subgraphs", graph, pattern.value, k=k, delta=delta, remarks=remarks)


def _refuse(words: Mapping[str, object], why: str) -> None:
    for name, value in words.items():
        if value is not None:
            raise ParameterError(f"{name} {why}; got --{name} {str(value)[:60]}")
