"""``dampen select`` and ``top-k``: which candidates have the highest scores?"""

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from typing import Annotated, Any

import typer

from dampen.cli import answers, lists
from dampen.cli.options import ADD_REMOVE, Engine, Neighbours, Reading, name_of, path_of
from dampen.cli.payment import EitherPayment
from dampen.cli.progress import progress
from dampen.cli.verbs import Options, add_members, verb
from dampen.mechanisms import Exponential, PermuteAndFlip, ReportNoisyMax
from dampen.questions.record import RECORD
from dampen.tables import read_scores
from dampen.tables.engines import Source

LABELS_PUBLISHED = "note: the labels in the file are published as the candidates; see --candidates."
BASES: dict[str, Callable[..., Any]] = {"permute-and-flip": PermuteAndFlip, "exponential": Exponential}
MECHANISMS = {**BASES, "report-noisy-max": ReportNoisyMax}


class BaseName(StrEnum):
    """The mechanisms for each of several places, by their names on the command line."""

    add_members(vars(), BASES)


class MechanismName(StrEnum):
    """The mechanisms for one place, by their names on the command line."""

    add_members(vars(), MECHANISMS)


USUAL = "permute-and-flip, if left out; exponential for a rho"


@dataclass(frozen=True, kw_only=True)
class Scores(Options):
    """Labels and their scores in a file, what one record changes in them, and who pays."""

    file: Annotated[
        str,
        typer.Argument(metavar="FILE", help="Data file or quoted pattern, one row per label; - for standard input."),
    ]
    label: Annotated[str, typer.Option(help="Column of the labels.")]
    score: Annotated[str, typer.Option(help="Column of the scores.")]
    sensitivity: Annotated[str, typer.Option(help="How much one record can change any score.")]
    monotone: Annotated[bool, typer.Option("--monotone", help="One record moves all scores the same way.")] = False
    candidates: Annotated[str | None, typer.Option(help=f"All possible labels: {lists.HELP}.")] = None
    real: Annotated[bool, typer.Option("--real", help="Scores need not be whole numbers.")] = False
    adjacency: Neighbours = ADD_REMOVE
    engine: Engine = None
    reading: Reading
    payment: EitherPayment
    as_json: answers.Json = False

    def tell(self, question: str, *nouns: Any, mechanism: Callable[..., Any] | None) -> None:
        """Read, ask, pay and print."""
        payer = self.payment.payer()
        candidates = None if self.candidates is None else lists.read_list(self.candidates, "candidates")
        asked = f"{question}{''.join(f' k={noun}' for noun in nouns)} of {self.label} by {self.score} in {self.file}"
        with progress(), path_of(self.file) as path:
            rows = Source(path, engine=name_of(self.engine), reading=self.reading.of_file())
            release = RECORD[question].ask(
                read_scores(rows, label=self.label, score=self.score, real=self.real), *nouns,
                sensitivity=self.sensitivity, monotone=self.monotone, adjacency=self.adjacency.member,
                candidates=candidates, mechanism=mechanism, budget=payer, **self.payment.price.words(),
                note=self.payment.noted(asked),
            )  # fmt: skip
        remarks = (LABELS_PUBLISHED,) if candidates is None else ()
        answers.show(release, payer, as_json=self.as_json, remarks=remarks)


@verb(80, "select")
def select(
    scores: Scores,
    mechanism: Annotated[MechanismName | None, typer.Option(help=f"How to choose: {USUAL}.")] = None,
) -> None:
    """Choose the label with the highest score, privately.

    Example:
      dampen select votes.csv --label who --score n --sensitivity 1 --epsilon 1
    """
    scores.tell("select", mechanism=None if mechanism is None else MECHANISMS[mechanism.value])


@verb(90, "top_k")
def top_k(
    scores: Scores,
    k: Annotated[int, typer.Option("--k", help="How many labels to choose.")],
    mechanism: Annotated[BaseName | None, typer.Option(help=f"How to choose each place: {USUAL}.")] = None,
) -> None:
    """Choose the k labels with the highest scores, best first, privately.

    Example:
      dampen top-k votes.csv --k 2 --label who --score n --sensitivity 1 --epsilon 1
    """
    scores.tell("top_k", k, mechanism=None if mechanism is None else BASES[mechanism.value])
