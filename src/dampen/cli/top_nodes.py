"""``dampen top-nodes``: the most influential nodes of a graph."""

from enum import StrEnum
from typing import Annotated

import typer

from dampen.cli import answers, graphs, payment, records
from dampen.questions.influence import release_top_nodes


class ScoreName(StrEnum):
    """What makes a node influential, by its name on the command line."""

    EGO_BETWEENNESS = "ego-betweenness"
    DEGREE = "degree"


class MethodName(StrEnum):
    """The methods by their names on the command line."""

    LEVEL = "level"
    DEGREE = "degree"
    EXPONENTIAL = "exponential"
    PERMUTE_AND_FLIP = "permute-and-flip"
    LOCAL_DAMPENING = "local-dampening"
    CODEGREE_DAMPENING = "codegree-dampening"
    SHIFTED = "shifted"
    RANGE = "range"
    PAIRWISE = "pairwise"
    ONE_SHOT_PERMUTE_AND_FLIP = "one-shot-permute-and-flip"
    ONE_SHOT_LAPLACE = "one-shot-laplace"
    ONE_SHOT_LOCAL_DAMPENING = "one-shot-local-dampening"
    ONE_SHOT_SHIFTED = "one-shot-shifted"


def top_nodes(
    file: Annotated[str, typer.Argument(help="Edge list (two nodes a line), or CSV or Parquet with --src and --dst.")],
    k: Annotated[int, typer.Option("--k", help="How many nodes to tell.")],
    epsilon: payment.Epsilon,
    nodes: graphs.Nodes = None,
    nodes_from_edges: graphs.NodesFromEdges = False,
    src: graphs.Source = None,
    dst: graphs.Destination = None,
    score: Annotated[ScoreName, typer.Option(help="What makes a node influential.")] = ScoreName.EGO_BETWEENNESS,
    method: Annotated[MethodName, typer.Option(help="How they are found.")] = MethodName.LEVEL,
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
    graph = graphs.read_graph(file, nodes, nodes_from_edges, src, dst, engine, where)
    paying = payment.payer(budget, scope, epsilon=epsilon)
    release = release_top_nodes(
        graph,
        k,
        epsilon=epsilon,
        budget=paying,
        score=score.value.replace("-", "_"),
        method=method.value.replace("-", "_"),
        max_degree=max_degree,
        shift=shift,
        note="top-nodes" if note is None else note,
    )
    answers.show(release, as_json=as_json, remembered=budget is not None, remarks=graphs.remarks(nodes_from_edges))
