"""``dampen counts``: how many rows each group has."""

from dataclasses import replace
from typing import Annotated

import typer

from dampen.cli import answers, payment, records
from dampen.cli.adjacency import AdjacencyName, Neighbours
from dampen.cli.categories import Categories, read_categories
from dampen.errors import ParameterError
from dampen.questions.counts_by_group import group_counts
from dampen.tables.groups import REST


def counts(
    file: records.File,
    by: Annotated[str, typer.Option(help="Column that holds each row's group.")],
    categories: Categories,
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
    missing = "other" if missing_as_other else records.missing_rule(drop_missing)
    labels = read_categories(categories)
    paying = payment.payer(budget, scope, epsilon=epsilon)
    with records.progress():
        release = group_counts(
            records.source(file, engine, where), categories=labels, epsilon=epsilon, budget=paying,
            adjacency=adjacency.meant, non_negative=non_negative, consistent=consistent, column=by, other=other,
            missing=missing, note="counts" if note is None else note,
        )  # fmt: skip
    lines = tuple(f"{label}\t{count}" for label, count in release.items())
    shown = release if as_json else replace(release, value=lines)
    answers.show(shown, as_json=as_json, remembered=budget is not None)
