"""``dampen select``: which candidate is best?"""

import json
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from dampen._validate import plain
from dampen.accounting import Budget
from dampen.applications.selection import selection_problem
from dampen.mechanisms import Exponential, PermuteAndFlip, ReportNoisyMax
from dampen.privacy import Adjacency, Release
from dampen.statistics import read_labels, read_scores

NOTHING_REMEMBERS = "note: nothing remembers this spending; asking again spends again."


class MechanismName(StrEnum):
    """The mechanisms by their names on the command line."""

    PERMUTE_AND_FLIP = "permute-and-flip"
    EXPONENTIAL = "exponential"
    REPORT_NOISY_MAX = "report-noisy-max"


class AdjacencyName(StrEnum):
    """The adjacencies of tables by their names on the command line."""

    ADD_REMOVE = "add-remove"
    REPLACE = "replace"


MECHANISMS = {
    MechanismName.PERMUTE_AND_FLIP: PermuteAndFlip,
    MechanismName.EXPONENTIAL: Exponential,
    MechanismName.REPORT_NOISY_MAX: ReportNoisyMax,
}


def select(
    file: Annotated[Path, typer.Argument(help="CSV (with a header line) or Parquet file, one row per label.")],
    label: Annotated[str, typer.Option(help="Column of the labels.")],
    score: Annotated[str, typer.Option(help="Column of the scores.")],
    sensitivity: Annotated[str, typer.Option(help="How much one record can change any score.")],
    epsilon: Annotated[str, typer.Option(help="Privacy to spend, e.g. 0.5 or 1/100.")],
    monotone: Annotated[bool, typer.Option("--monotone", help="One record moves all scores the same way.")] = False,
    candidates: Annotated[Path | None, typer.Option(help="File of all possible labels, one per line.")] = None,
    real: Annotated[bool, typer.Option("--real", help="Scores need not be whole numbers.")] = False,
    adjacency: Annotated[AdjacencyName, typer.Option(help="What a neighbour is.")] = AdjacencyName.ADD_REMOVE,
    mechanism: Annotated[MechanismName, typer.Option(help="How to choose.")] = MechanismName.PERMUTE_AND_FLIP,
    as_json: Annotated[bool, typer.Option("--json", help="Print the release as JSON.")] = False,
) -> None:
    """Choose the label with the highest score, privately."""
    chosen = MECHANISMS[mechanism](epsilon)
    problem = selection_problem(
        read_scores(file, label=label, score=score, real=real),
        sensitivity=sensitivity,
        monotone=monotone,
        adjacency=Adjacency[adjacency.name],
        candidates=None if candidates is None else read_labels(candidates),
    )
    show(chosen.release(problem, budget=Budget(epsilon=epsilon), note="select"), as_json, candidates is None)


def show(release: Release, as_json: bool, labels_published: bool) -> None:
    """Print a release on standard output and what a user should know beside it on standard error."""
    if as_json:
        loss = {"epsilon": plain(release.loss.epsilon), "delta": plain(release.loss.delta)}
        loss |= {"adjacency": release.loss.adjacency.value, "unit": release.loss.unit}
        typer.echo(json.dumps({"value": release.value, "loss": loss, "mechanism": release.mechanism}))
    else:
        typer.echo("\n".join(release.value) if isinstance(release.value, tuple) else release.value)
    if labels_published:
        typer.echo("note: the labels in the file are published as the candidates; see --candidates.", err=True)
    typer.echo(NOTHING_REMEMBERS, err=True)
