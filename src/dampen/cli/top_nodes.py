"""``dampen top-nodes``: the most influential nodes of a graph."""

from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import typer

from dampen.applications.influence import release_top_nodes
from dampen.cli import answers, payment
from dampen.errors import ParameterError
from dampen.statistics import read_labels
from dampen.statistics.graph import Graph
from dampen.statistics.graph_files import labels_of_edges

MEMBERSHIP_PUBLISHED = "note: which nodes have an edge is published with --nodes-from-edges; declare them with --nodes."


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
    file: Annotated[Path, typer.Argument(help="Edge list (two nodes a line), or CSV or Parquet with --src and --dst.")],
    k: Annotated[int, typer.Option("--k", help="How many nodes to tell.")],
    epsilon: payment.Epsilon,
    nodes: Annotated[str | None, typer.Option(help="How many nodes there are, or a file of their labels.")] = None,
    nodes_from_edges: Annotated[bool, typer.Option("--nodes-from-edges", help="Publish who has an edge.")] = False,
    src: Annotated[str | None, typer.Option(help="Column of one end of the edges.")] = None,
    dst: Annotated[str | None, typer.Option(help="Column of the other end.")] = None,
    score: Annotated[ScoreName, typer.Option(help="What makes a node influential.")] = ScoreName.EGO_BETWEENNESS,
    method: Annotated[MethodName, typer.Option(help="How they are found.")] = MethodName.LEVEL,
    max_degree: Annotated[int | None, typer.Option(help="Public bound of degrees; every graph is cut to it.")] = None,
    shift: Annotated[str, typer.Option(help="Public level for codegree- and one-shot-local-dampening.")] = "0",
    budget: payment.LedgerFile = None,
    scope: payment.Scope = None,
    note: payment.Note = None,
    as_json: answers.Json = False,
) -> None:
    """Tell the most influential nodes of a graph, best first, privately: one edge more or less is hidden."""
    declared = _nodes(file, nodes, nodes_from_edges, src, dst)
    paying = payment.payer(budget, scope, epsilon=epsilon)
    graph = Graph.from_file(file, nodes=declared, src=src, dst=dst)
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
    remarks = (MEMBERSHIP_PUBLISHED,) if nodes_from_edges else ()
    answers.show(release, as_json=as_json, remembered=budget is not None, remarks=remarks)


def _nodes(file: Path, nodes: str | None, from_edges: bool, src: str | None, dst: str | None) -> Any:
    """The declared node set: a count, or labels."""
    if from_edges == (nodes is not None):
        raise ParameterError("nodes must be declared: give --nodes N or FILE, or else --nodes-from-edges")
    if nodes is None:
        return labels_of_edges(file, src, dst)
    return int(nodes) if nodes.isdecimal() else read_labels(nodes)
