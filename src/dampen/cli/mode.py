"""``dampen mode``: the most frequent value of a column."""

from pathlib import Path
from typing import Annotated

import typer

from dampen._validate import positive, whole
from dampen.cli import answers, payment, records
from dampen.cli.adjacency import AdjacencyName, Neighbours
from dampen.mechanisms import PermuteAndFlip, TopK
from dampen.queries import count_problem
from dampen.tables import read_labels


def mode(
    file: records.File,
    column: records.Column,
    categories: Annotated[Path, typer.Option(help="File of all possible values, one per line.")],
    epsilon: payment.Epsilon,
    k: Annotated[int, typer.Option("--k", help="How many values to tell, the most frequent first.")] = 1,
    adjacency: Neighbours = AdjacencyName.ADD_REMOVE,
    where: records.Where = None,
    drop_missing: records.DropMissing = False,
    drop_other: Annotated[bool, typer.Option("--drop-other", help="Leave out values that are no category.")] = False,
    engine: records.Engine = records.DEFAULT_ENGINE,
    budget: payment.LedgerFile = None,
    scope: payment.Scope = None,
    note: payment.Note = None,
    as_json: answers.Json = False,
) -> None:
    """Tell the most frequent value of a column, privately."""
    base = PermuteAndFlip(positive(epsilon=epsilon) / whole(k=k, least=1))
    chosen = base if k == 1 else TopK(k, base)
    paying = payment.payer(budget, scope, epsilon=epsilon)
    with records.progress():
        problem = count_problem(
            records.source(file, engine, where),
            categories=read_labels(categories),
            adjacency=adjacency.meant,
            column=column,
            missing=records.missing_rule(drop_missing),
            other="drop" if drop_other else "refuse",
        )
    release = chosen.release(problem, budget=paying, note="mode" if note is None else note)
    answers.show(release, as_json=as_json, remembered=budget is not None)
