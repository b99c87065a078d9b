"""``dampen count``: rows of a table, or small patterns of a graph."""

from collections.abc import Mapping
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from dampen._validate import probability
from dampen.applications.numbers import count as count_rows
from dampen.applications.subgraph_counts import count_subgraphs
from dampen.cli import answers, graphs, payment
from dampen.cli.adjacency import AdjacencyName, Neighbours
from dampen.errors import ParameterError
from dampen.privacy import NumericRelease


class PatternName(StrEnum):
    """The patterns by their names on the command line."""

    EDGE = "edge"
    TRIANGLE = "triangle"
    TWO_TRIANGLE = "2-triangle"
    K_TRIANGLE = "k-triangle"
    K_STAR = "k-star"
    K_CLIQUE = "k-clique"


def count(
    file: Annotated[Path, typer.Argument(help="CSV or Parquet file, one row per record; with --pattern, edges.")],
    epsilon: payment.Epsilon,
    where: Annotated[str | None, typer.Option(help="Count rows with this value, as it is written: city=Paris.")] = None,
    column: Annotated[str | None, typer.Option(help="Without --where: the column whose rows count.")] = None,
    adjacency: Neighbours = AdjacencyName.ADD_REMOVE,
    pattern: Annotated[PatternName | None, typer.Option(help="What to count in a graph.")] = None,
    k: Annotated[int | None, typer.Option("--k", help="Size of a k-triangle, k-star or k-clique.")] = None,
    delta: Annotated[str, typer.Option(help="Failure probability, for patterns; 0 gives a pure guarantee.")] = "0",
    nodes: graphs.Nodes = None,
    nodes_from_edges: graphs.NodesFromEdges = False,
    src: graphs.Source = None,
    dst: graphs.Destination = None,
    budget: payment.LedgerFile = None,
    scope: payment.Scope = None,
    note: payment.Note = None,
    as_json: answers.Json = False,
) -> None:
    """Count the rows of a table, or with --pattern the edges, triangles, stars or cliques of a graph, privately."""
    remembered = "count" if note is None else note
    release: NumericRelease
    if pattern is None:
        graph_words = {"k": k, "nodes": nodes, "src": src, "dst": dst, "nodes-from-edges": nodes_from_edges or None}
        _refuse(graph_words | {"delta": delta if probability(delta=delta) else None}, "must come with --pattern")
        chosen = None if where is None else dict([_filter(where)])
        paying = payment.payer(budget, scope, epsilon=epsilon)
        release = count_rows(
            file,
            where=chosen,
            column=column,
            epsilon=epsilon,
            budget=paying,
            adjacency=adjacency.meant,
            note=remembered,
        )
    else:
        replaced = adjacency.value if adjacency is AdjacencyName.REPLACE else None
        _refuse({"where": where, "column": column, "adjacency": replaced}, "is for tables, not for --pattern")
        graph = graphs.read_graph(file, nodes, nodes_from_edges, src, dst)
        paying = payment.payer(budget, scope, epsilon=epsilon, delta=delta)
        release = count_subgraphs(
            graph, pattern.value, k=k, epsilon=epsilon, delta=delta, budget=paying, note=remembered
        )
    answers.show(release, as_json=as_json, remembered=budget is not None, remarks=graphs.remarks(nodes_from_edges))


def _refuse(words: Mapping[str, object], why: str) -> None:
    for name, value in words.items():
        if value is not None:
            raise ParameterError(f"{name} {why}; got --{name} {str(value)[:60]}")


def _filter(where: str) -> tuple[str, str]:
    """``city=Paris`` as a column and its value."""
    column, equals, value = where.partition("=")
    if not (column and equals and value):
        raise ParameterError(f"where must be written column=value, e.g. city=Paris; got {where[:60]!r}")
    return column, value
