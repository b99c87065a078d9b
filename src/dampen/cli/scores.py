"""What every verb that reads a table of scores shares: its options and its problem."""

from pathlib import Path
from typing import Annotated

import typer

from dampen.cli.adjacency import AdjacencyName
from dampen.cli.records import EngineName
from dampen.problem import SelectionProblem
from dampen.questions.selection import selection_problem
from dampen.tables import read_labels, read_scores
from dampen.tables.engines import Source

LABELS_PUBLISHED = "note: the labels in the file are published as the candidates; see --candidates."


File = Annotated[
    str, typer.Argument(help="CSV (with a header line) or Parquet file or quoted pattern, one row per label.")
]
Label = Annotated[str, typer.Option(help="Column of the labels.")]
Score = Annotated[str, typer.Option(help="Column of the scores.")]
Sensitivity = Annotated[str, typer.Option(help="How much one record can change any score.")]
Monotone = Annotated[bool, typer.Option("--monotone", help="One record moves all scores the same way.")]
Candidates = Annotated[Path | None, typer.Option(help="File of all possible labels, one per line.")]
Real = Annotated[bool, typer.Option("--real", help="Scores need not be whole numbers.")]


def read_problem(
    file: str,
    *,
    label: str,
    score: str,
    sensitivity: str,
    monotone: bool,
    candidates: Path | None,
    real: bool,
    adjacency: AdjacencyName,
    engine: EngineName,
) -> SelectionProblem:
    """The problem that a table of scores poses."""
    return selection_problem(
        read_scores(Source(file, engine=engine.value), label=label, score=score, real=real),
        sensitivity=sensitivity,
        monotone=monotone,
        adjacency=adjacency.meant,
        candidates=None if candidates is None else read_labels(candidates),
    )
