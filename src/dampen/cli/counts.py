"""``dampen counts``: how many rows each group has."""

from typing import Annotated

import typer

from dampen.cli import answers, payment, records
from dampen.cli.records import AdjacencyName, Neighbours
from dampen.cli.verbs import verb
from dampen.errors import ParameterError
from dampen.tables.groups import REST


@verb(40, "group_counts")
def counts(
    file: records.File,
    by: Annotated[str, typer.Option(help="Column that holds each row's group.")],
    categories: records.Categories,
    epsilon: payment.Epsilon,
    adjacency: Neighbours = AdjacencyName.ADD_REMOVE,
    non_negative: Annotated[bool, typer.Option("--non-negative", help="Counts below 0 become 0.")] = False,
    consistent: Annotated[
        bool, typer.Option("--consistent", help="Counts of at least 0 that add up; under replace, to all rows.")
    ] = False,
    other: Annotated[str, typer.Option(help="Category that takes undeclared values, if it is declared.")] = REST,
    missing_as_other: Annotated[
        bool, typer.Option("--missing-as-other", help="Missing groups go there too, instead of being refused.")
    ] = False,
    drop_missing: records.DropMissing = False,
    where: records.Where = None,
    engine: records.Engine = records.DEFAULT_ENGINE,
    budget: payment.LedgerFile = None,
    scope: payment.Scope = None,
    note: payment.Note = None,
    as_json: answers.Json = False,
) -> None:
    """Tell how many rows each group has, privately: one line for each category, and its count."""
    if missing_as_other and drop_missing:
        raise ParameterError("missing-as-other and drop-missing exclude each other; give one of them")
    missing = "other" if missing_as_other else records.drop_rule(drop_missing)
    labels = records.read_categories(categories)
    asker = answers.Asker("counts", budget, scope, note, as_json, epsilon=epsilon)
    asker.tell(
        "group_counts", records.source(file, engine, where), categories=labels, adjacency=adjacency.member,
        non_negative=non_negative, consistent=consistent, column=by, other=other, missing=missing,
    )  # fmt: skip
