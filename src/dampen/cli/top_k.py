"""``dampen top-k``: which candidates are the best?"""

from enum import StrEnum
from typing import Annotated

import typer

from dampen._validate import positive, whole
from dampen.cli import answers, payment, records, scores
from dampen.cli.adjacency import AdjacencyName, Neighbours
from dampen.mechanisms import Exponential, PermuteAndFlip, TopK


class BaseName(StrEnum):
    """The mechanisms for each place, by their names on the command line."""

    PERMUTE_AND_FLIP = "permute-and-flip"
    EXPONENTIAL = "exponential"


BASES = {BaseName.PERMUTE_AND_FLIP: PermuteAndFlip, BaseName.EXPONENTIAL: Exponential}


def top_k(
    file: scores.File,
    k: Annotated[int, typer.Option("--k", help="How many labels to choose.")],
    label: scores.Label,
    score: scores.Score,
    sensitivity: scores.Sensitivity,
    epsilon: payment.Epsilon,
    monotone: scores.Monotone = False,
    candidates: scores.Candidates = None,
    real: scores.Real = False,
    adjacency: Neighbours = AdjacencyName.ADD_REMOVE,
    mechanism: Annotated[BaseName, typer.Option(help="How to choose each place.")] = BaseName.PERMUTE_AND_FLIP,
    engine: records.Engine = records.DEFAULT_ENGINE,
    budget: payment.LedgerFile = None,
    scope: payment.Scope = None,
    note: payment.Note = None,
    as_json: answers.Json = False,
) -> None:
    """Choose the k labels with the highest scores, best first, privately."""
    chosen = TopK(k, BASES[mechanism](positive(epsilon=epsilon) / whole(k=k, least=1)))
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
    release = chosen.release(problem, budget=paying, note="top-k" if note is None else note)
    remarks = (scores.LABELS_PUBLISHED,) if candidates is None else ()
    answers.show(release, as_json=as_json, remembered=budget is not None, remarks=remarks)
