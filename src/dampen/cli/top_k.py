"""``dampen top-k``: which candidates are the best?"""

from enum import StrEnum
from typing import Annotated

import typer

from dampen.cli import answers, payment, records, scores
from dampen.cli.records import AdjacencyName, Neighbours
from dampen.cli.verbs import add_members, verb
from dampen.mechanisms import Exponential, PermuteAndFlip

BASES = {"permute-and-flip": PermuteAndFlip, "exponential": Exponential}


class BaseName(StrEnum):
    """The mechanisms for each place, by their names on the command line."""

    add_members(vars(), BASES)


DEFAULT = BaseName("permute-and-flip")


@verb(90, "top_k")
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
    mechanism: Annotated[BaseName, typer.Option(help="How to choose each place.")] = DEFAULT,
    engine: records.Engine = records.DEFAULT_ENGINE,
    budget: payment.LedgerFile = None,
    scope: payment.Scope = None,
    note: payment.Note = None,
    as_json: answers.Json = False,
) -> None:
    """Choose the k labels with the highest scores, best first, privately."""
    asker = answers.Asker("top-k", budget, scope, note, as_json, epsilon=epsilon)
    asker.tell(
        "top_k", scores.read(file, label, score, engine, real=real), k, sensitivity=sensitivity, monotone=monotone,
        adjacency=adjacency.member, candidates=scores.read_candidates(candidates),
        mechanism=BASES[mechanism.value], remarks=scores.remarks(candidates),
    )  # fmt: skip
