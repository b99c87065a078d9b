"""``dampen sum`` and ``dampen mean``: a column of numbers added up, or averaged."""

from typing import Annotated

import typer

from dampen.cli import answers, payment, records
from dampen.cli.records import AdjacencyName, Neighbours
from dampen.cli.verbs import verb

Bounds = Annotated[tuple[str, str], typer.Option(help="Lowest and highest value; others count as the nearer one.")]


@verb(60, "total", name="sum")
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
    asker = answers.Asker("sum", budget, scope, note, as_json, epsilon=epsilon)
    asker.tell(
        "total", records.source(file, engine, where), bounds=bounds, resolution=resolution, adjacency=adjacency.member,
        column=column, missing=records.drop_rule(drop_missing),
    )  # fmt: skip


@verb(70, "mean")
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
    asker = answers.Asker("mean", budget, scope, note, as_json, epsilon=epsilon)
    asker.tell(
        "mean", records.source(file, engine, where), bounds=bounds, adjacency=adjacency.member,
        column=column, missing=records.drop_rule(drop_missing),
    )  # fmt: skip
