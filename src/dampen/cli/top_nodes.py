"""``dampen top-nodes``: the most influential nodes of a graph."""

from enum import StrEnum
from typing import Annotated

import typer

from dampen._validate import one_of
from dampen.cli import answers
from dampen.cli.graphs import GraphOptions
from dampen.cli.options import Rows, name_of
from dampen.cli.payment import EpsilonPayment
from dampen.cli.progress import progress
from dampen.cli.verbs import add_members, verb
from dampen.queries.graph.centralities import CENTRALITIES, Centrality
from dampen.questions.record import RECORD


class ScoreName(StrEnum):
    """What makes a node influential, by its name on the command line: every centrality there is."""

    add_members(vars(), CENTRALITIES)


class MethodName(StrEnum):
    """The methods by their names on the command line: all that some centrality allows."""

    add_members(vars(), dict.fromkeys(name for each in CENTRALITIES.values() for name in each.methods))


FIRST_SCORE = next(iter(ScoreName))


def _default_of(centrality: Centrality) -> str:
    """The score, and the method that finds it where none is named."""
    told = f"{centrality.name} by {next(iter(centrality.methods))}"
    if centrality.from_price is not None:
        told += f" ({centrality.from_price[1]} from epsilon {centrality.from_price[0]} on)"
    return told.replace("_", "-")


BY_DEFAULT = ", ".join(map(_default_of, CENTRALITIES.values()))
File = Annotated[
    str,
    typer.Argument(
        metavar="FILE", help="Description (.toml), edge list (two nodes a line), or table with --src and --dst."
    ),
]


def _require_method(score: ScoreName, method: MethodName) -> None:
    """Refuse it as the library would, in the words that can be typed."""
    names = CENTRALITIES[score.value.replace("-", "_")].methods
    one_of(tuple(name.replace("_", "-") for name in names), method=method.value)


@verb(100, "top_nodes")
def top_nodes(
    file: File,
    k: Annotated[int, typer.Option("--k", help="How many nodes to tell.")],
    graph: GraphOptions,
    rows: Rows,
    payment: EpsilonPayment,
    score: Annotated[ScoreName, typer.Option(help="What makes a node influential.")] = FIRST_SCORE,
    method: Annotated[MethodName | None, typer.Option(help=f"How they are found; left out, {BY_DEFAULT}.")] = None,
    max_degree: Annotated[int | None, typer.Option(help="Public bound of degrees; every graph is cut to it.")] = None,
    shift: Annotated[str, typer.Option(help="Public level for codegree- and one-shot-local-dampening.")] = "0",
    with_scores: Annotated[
        bool, typer.Option("--with-scores", help="Tell the scores of degree or pagerank too.")
    ] = False,
    as_json: answers.Json = False,
) -> None:
    """Tell the most influential nodes of a graph, best first, privately: one edge more or less is hidden.

    Examples:
      dampen top-nodes friends.toml --k 5 --epsilon 1
      dampen top-nodes friends.txt --nodes 100 --k 5 --epsilon 1
    """
    if method is not None:
        _require_method(score, method)
    opened, payer = graph.open(file, rows, payment)
    asked = f"top_nodes k={k} by {name_of(score)} in {file}"
    with progress():
        release = RECORD["top_nodes"].ask(
            opened, k, score=name_of(score), method=name_of(method), max_degree=max_degree, shift=shift,
            with_scores=with_scores, epsilon=payment.epsilon, budget=payer, note=payment.noted(asked),
        )  # fmt: skip
    answers.show(release, payer, as_json=as_json, remarks=graph.remarks())
