"""What every verb that reads a table of scores shares: its options, its problem, and how its release is shown."""

import json
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from dampen._validate import plain
from dampen.applications.selection import selection_problem
from dampen.cli.payment import NOTHING_REMEMBERS
from dampen.privacy import Adjacency, Release
from dampen.problem import SelectionProblem
from dampen.statistics import read_labels, read_scores

LABELS_PUBLISHED = "note: the labels in the file are published as the candidates; see --candidates."


class AdjacencyName(StrEnum):
    """The adjacencies of tables by their names on the command line."""

    ADD_REMOVE = "add-remove"
    REPLACE = "replace"


File = Annotated[Path, typer.Argument(help="CSV (with a header line) or Parquet file, one row per label.")]
Label = Annotated[str, typer.Option(help="Column of the labels.")]
Score = Annotated[str, typer.Option(help="Column of the scores.")]
Sensitivity = Annotated[str, typer.Option(help="How much one record can change any score.")]
Epsilon = Annotated[str, typer.Option(help="Privacy to spend in all, e.g. 0.5 or 1/100.")]
Monotone = Annotated[bool, typer.Option("--monotone", help="One record moves all scores the same way.")]
Candidates = Annotated[Path | None, typer.Option(help="File of all possible labels, one per line.")]
Real = Annotated[bool, typer.Option("--real", help="Scores need not be whole numbers.")]
Neighbours = Annotated[AdjacencyName, typer.Option(help="What a neighbour is.")]
Json = Annotated[bool, typer.Option("--json", help="Print the release as JSON.")]


def read_problem(
    file: Path,
    *,
    label: str,
    score: str,
    sensitivity: str,
    monotone: bool,
    candidates: Path | None,
    real: bool,
    adjacency: AdjacencyName,
) -> SelectionProblem:
    """The problem that a table of scores poses."""
    return selection_problem(
        read_scores(file, label=label, score=score, real=real),
        sensitivity=sensitivity,
        monotone=monotone,
        adjacency=Adjacency[adjacency.name],
        candidates=None if candidates is None else read_labels(candidates),
    )


def show(release: Release, *, as_json: bool, labels_published: bool, remembered: bool) -> None:
    """Print a release on standard output and what a user should know beside it on standard error."""
    if as_json:
        loss = {"epsilon": plain(release.loss.epsilon), "delta": plain(release.loss.delta)}
        loss |= {"adjacency": release.loss.adjacency.value, "unit": release.loss.unit}
        typer.echo(json.dumps({"value": release.value, "loss": loss, "mechanism": release.mechanism}))
    else:
        typer.echo("\n".join(release.value) if isinstance(release.value, tuple) else release.value)
    if labels_published:
        typer.echo(LABELS_PUBLISHED, err=True)
    if not remembered:
        typer.echo(NOTHING_REMEMBERS, err=True)
