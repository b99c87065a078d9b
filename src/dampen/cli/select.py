"""``dampen select``: which candidate is best?"""

from enum import StrEnum
from typing import Annotated

import typer

from dampen.cli import answers, payment, records, scores
from dampen.cli.records import AdjacencyName, Neighbours
from dampen.cli.verbs import add_members, verb
from dampen.mechanisms import Exponential, PermuteAndFlip, ReportNoisyMax

MECHANISMS = {
    "permute-and-flip": PermuteAndFlip,
    "exponential": Exponential,
    "report-noisy-max": ReportNoisyMax,
}


class MechanismName(StrEnum):
    """The mechanisms by their names on the command line."""

    add_members(vars(), MECHANISMS)


DEFAULT = MechanismName("permute-and-flip")


@verb(80, "select")
def select(
    file: scores.File,
    label: scores.Label,
    score: scores.Score,
    sensitivity: scores.Sensitivity,
    epsilon: payment.Epsilon,
    monotone: scores.Monotone = False,
    candidates: scores.Candidates = None,
    real: scores.Real = False,
    adjacency: Neighbours = AdjacencyName.ADD_REMOVE,
    mechanism: Annotated[MechanismName, typer.Option(help="How to choose.")] = DEFAULT,
    engine: records.Engine = records.DEFAULT_ENGINE,
    budget: payment.LedgerFile = None,
    scope: payment.Scope = None,
    note: payment.Note = None,
    as_json: answers.Json = False,
) -> None:
    """Choose the label with the highest score, privately."""
    asker = answers.Asker("select", budget, scope, note, as_json, epsilon=epsilon)
    asker.tell(
        "select", scores.read(file, label, score, engine, real=real), sensitivity=sensitivity, monotone=monotone,
        adjacency=adjacency.member, candidates=scores.read_candidates(candidates),
        mechanism=MECHANISMS[mechanism.value], remarks=scores.remarks(candidates),
    )  # fmt: skip
