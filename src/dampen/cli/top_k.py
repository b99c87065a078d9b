"""``dampen top-k``: which candidates are the best?"""

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from dampen._validate import positive, whole
from dampen.accounting import Budget
from dampen.applications.selection import selection_problem
from dampen.cli.select import AdjacencyName, show
from dampen.mechanisms import Exponential, PermuteAndFlip, TopK
from dampen.privacy import Adjacency
from dampen.statistics import read_labels, read_scores


class BaseName(StrEnum):
    """The mechanisms for each place, by their names on the command line."""

    PERMUTE_AND_FLIP = "permute-and-flip"
    EXPONENTIAL = "exponential"


BASES = {BaseName.PERMUTE_AND_FLIP: PermuteAndFlip, BaseName.EXPONENTIAL: Exponential}


def top_k(
    file: Annotated[Path, typer.Argument(help="CSV (with a header line) or Parquet file, one row per label.")],
    k: Annotated[int, typer.Option("--k", help="How many labels to choose.")],
    label: Annotated[str, typer.Option(help="Column of the labels.")],
    score: Annotated[str, typer.Option(help="Column of the scores.")],
    sensitivity: Annotated[str, typer.Option(help="How much one record can change any score.")],
    epsilon: Annotated[str, typer.Option(help="Privacy to spend in all, e.g. 0.5 or 1/100.")],
    monotone: Annotated[bool, typer.Option("--monotone", help="One record moves all scores the same way.")] = False,
    candidates: Annotated[Path | None, typer.Option(help="File of all possible labels, one per line.")] = None,
    real: Annotated[bool, typer.Option("--real", help="Scores need not be whole numbers.")] = False,
    adjacency: Annotated[AdjacencyName, typer.Option(help="What a neighbour is.")] = AdjacencyName.ADD_REMOVE,
    mechanism: Annotated[BaseName, typer.Option(help="How to choose each place.")] = BaseName.PERMUTE_AND_FLIP,
    as_json: Annotated[bool, typer.Option("--json", help="Print the release as JSON.")] = False,
) -> None:
    """Choose the k labels with the highest scores, best first, privately."""
    chosen = TopK(k, BASES[mechanism](positive(epsilon=epsilon) / whole(k=k, least=1)))
    problem = selection_problem(
        read_scores(file, label=label, score=score, real=real),
        sensitivity=sensitivity,
        monotone=monotone,
        adjacency=Adjacency[adjacency.name],
        candidates=None if candidates is None else read_labels(candidates),
    )
    show(chosen.release(problem, budget=Budget(epsilon=epsilon), note="top-k"), as_json, candidates is None)
