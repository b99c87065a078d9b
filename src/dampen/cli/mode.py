"""``dampen mode``: the most frequent value of a column."""

from pathlib import Path
from typing import Annotated, Any

import typer

from dampen.cli import answers, payment, records
from dampen.cli.records import AdjacencyName, Neighbours
from dampen.cli.verbs import verb
from dampen.tables import read_labels


@verb(20, "most_common", "top_categories")
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
    asker = answers.Asker("mode", budget, scope, note, as_json, epsilon=epsilon)
    rows = records.source(file, engine, where)
    asked: dict[str, Any] = {
        "categories": read_labels(categories), "adjacency": adjacency.member, "column": column,
        "missing": records.drop_rule(drop_missing), "other": records.drop_rule(drop_other),
    }  # fmt: skip
    if k == 1:
        asker.tell("most_common", rows, **asked)
    else:
        asker.tell("top_categories", rows, k, **asked)
