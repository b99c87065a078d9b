"""What every verb that reads a table of scores shares."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any

import typer

from dampen.cli.records import EngineName
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


def read(file: str, label: str, score: str, engine: EngineName, *, real: bool) -> Mapping[Any, Any]:
    """The scores of a table."""
    return read_scores(Source(file, engine=engine.value), label=label, score=score, real=real)


def read_candidates(file: Path | None) -> Sequence[Any] | None:
    """The declared labels, if there are any."""
    return None if file is None else read_labels(file)


def remarks(candidates: Path | None) -> tuple[str, ...]:
    """What the user should know about how the candidates were declared."""
    return (LABELS_PUBLISHED,) if candidates is None else ()
