"""``dampen top-nodes``: the most influential nodes of a graph."""

from enum import StrEnum
from typing import Annotated

import typer

from dampen.cli import answers, graphs, payment, records
from dampen.cli.verbs import add_members, verb
from dampen.queries.graph.centralities import CENTRALITIES


class ScoreName(StrEnum):
    """What makes a node influential, by its name on the command line: every centrality there is."""

    add_members(vars(), CENTRALITIES)


class MethodName(StrEnum):
    """The methods by their names on the command line: all that some centrality allows."""

    add_members(vars(), dict.fromkeys(name for each in CENTRALITIES.values() for name in each.methods))


FIRST_SCORE = next(iter(ScoreName))
BY_DEFAULT = ", ".join(dict.fromkeys(each.default.replace("_", "-") for each in CENTRALITIES.values()))


@verb(100, "top_nodes")
def top_nodes(
    file: Annotated[str, typer.Argument(help="Edge list (two nodes a line), or CSV or Parquet with --src and --dst.")],
    k: Annotated[int, typer.Option("--k", help="How many nodes to tell.")],
    epsilon: payment.Epsilon,
    nodes: graphs.Nodes = None,
    nodes_from_edges: graphs.NodesFromEdges = False,
    src: graphs.Src = None,
    dst: graphs.Dst = None,
    score: Annotated[ScoreName, typer.Option(help="What makes a node influential.")] = FIRST_SCORE,
    method: Annotated[MethodName | None, typer.Option(help=f"How they are found; left out, by {BY_DEFAULT}.")] = None,
    max_degree: Annotated[int | None, typer.Option(help="Public bound of degrees; every graph is cut to it.")] = None,
    shift: Annotated[str, typer.Option(help="Public level for codegree- and one-shot-local-dampening.")] = "0",
    where: records.Where = None,
    engine: records.Engine = records.DEFAULT_ENGINE,
    budget: payment.LedgerFile = None,
    scope: payment.Scope = None,
    note: payment.Note = None,
    as_json: answers.Json = False,
) -> None:
    """Tell the most influential nodes of a graph, best first, privately: one edge more or less is hidden."""
    asker = answers.Asker("top-nodes", budget, scope, note, as_json, epsilon=epsilon)
    graph = graphs.read_graph(file, nodes, nodes_from_edges, src, dst, engine, where)
    asker.tell(
        "top_nodes", graph, k, score=score.value.replace("-", "_"),
        method=None if method is None else method.value.replace("-", "_"), max_degree=max_degree, shift=shift,
        remarks=graphs.remarks(nodes_from_edges),
    )  # fmt: skip
