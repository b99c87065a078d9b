"""``dampen sum`` and ``dampen mean``: a column of numbers added up, or averaged."""

from typing import Annotated

import typer

from dampen.cli import answers, payment, records
from dampen.cli.adjacency import AdjacencyName, Neighbours
from dampen.cli.records import missing_rule
from dampen.questions import numbers

Bounds = Annotated[tuple[str, str], typer.Option(help="Lowest and highest value; others count as the nearer one.")]


def total(
    file: records.File,
    column: records.Column,
    bounds: Bounds,
    epsilon: payment.Epsilon,
    resolution: Annotated[str, typer.Option(help="Answers are multiples of it.")] = "1",
    adjacency: Neighbours = AdjacencyName.ADD_REMOVE,
    where: records.Where = None,
    drop_missing: records.DropMissing = False,
    engine: records.Engine = records.DEFAULT_ENGINE,
    budget: payment.LedgerFile = None,
    scope: payment.Scope = None,
    note: payment.Note = None,
    as_json: answers.Json = False,
) -> None:
    """Tell the sum of a column, privately."""
    rows = records.source(file, engine, where)
    with records.progress():
        release = numbers.total(
            rows, bounds=bounds, epsilon=epsilon, budget=payment.payer(budget, scope, epsilon=epsilon),
            resolution=resolution, adjacency=adjacency.meant, column=column, missing=missing_rule(drop_missing),
            note="sum" if note is None else note,
        )  # fmt: skip
    answers.show(release, as_json=as_json, remembered=budget is not None)


def mean(
    file: records.File,
    column: records.Column,
    bounds: Bounds,
    epsilon: payment.Epsilon,
    adjacency: Neighbours = AdjacencyName.ADD_REMOVE,
    where: records.Where = None,
    drop_missing: records.DropMissing = False,
    engine: records.Engine = records.DEFAULT_ENGINE,
    budget: payment.LedgerFile = None,
    scope: payment.Scope = None,
    note: payment.Note = None,
    as_json: answers.Json = False,
) -> None:
    """Tell the mean of a column, privately."""
    rows = records.source(file, engine, where)
    with records.progress():
        release = numbers.mean(
            rows, bounds=bounds, epsilon=epsilon, budget=payment.payer(budget, scope, epsilon=epsilon),
            adjacency=adjacency.meant, column=column, missing=missing_rule(drop_missing),
            note="mean" if note is None else note,
        )  # fmt: skip
    answers.show(release, as_json=as_json, remembered=budget is not None)
