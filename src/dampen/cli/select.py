"""``dampen select``: which candidate is best?"""

from enum import StrEnum
from typing import Annotated

import typer

from dampen.cli import answers, payment, records, scores
from dampen.cli.adjacency import AdjacencyName, Neighbours
from dampen.mechanisms import Exponential, PermuteAndFlip, ReportNoisyMax


class MechanismName(StrEnum):
    """The mechanisms by their names on the command line."""

    PERMUTE_AND_FLIP = "permute-and-flip"
    EXPONENTIAL = "exponential"
    REPORT_NOISY_MAX = "report-noisy-max"


MECHANISMS = {
    MechanismName.PERMUTE_AND_FLIP: PermuteAndFlip,
    MechanismName.EXPONENTIAL: Exponential,
    MechanismName.REPORT_NOISY_MAX: ReportNoisyMax,
}


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
    mechanism: Annotated[MechanismName, typer.Option(help="How to choose.")] = MechanismName.PERMUTE_AND_FLIP,
    engine: records.Engine = records.DEFAULT_ENGINE,
    budget: payment.LedgerFile = None,
    scope: payment.Scope = None,
    note: payment.Note = None,
    as_json: answers.Json = False,
) -> None:
    """Choose the label with the highest score, privately."""
    chosen = MECHANISMS[mechanism](epsilon)
    paying = payment.payer(budget, scope, epsilon=epsilon)
    problem = scores.read_problem(
        file,
        label=label,
        score=score,
        sensitivity=sensitivity,
        monotone=monotone,
        candidates=candidates,
        real=real,
        adjacency=adjacency,
        engine=engine,
    )
    release = chosen.release(problem, budget=paying, note="select" if note is None else note)
    remarks = (scores.LABELS_PUBLISHED,) if candidates is None else ()
    answers.show(release, as_json=as_json, remembered=budget is not None, remarks=remarks)
