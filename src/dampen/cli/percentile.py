"""``dampen percentile``: one percentile of a column, or several."""

from enum import StrEnum
from typing import Annotated, Any

import numpy as np
import typer
from rich.console import Console
from rich.table import Table

from dampen import accuracy
from dampen._validate import share_of
from dampen.cli import answers, payment, records
from dampen.cli.records import AdjacencyName, Neighbours, drop_rule
from dampen.cli.verbs import add_members, verb
from dampen.errors import ParameterError
from dampen.problem import SelectionProblem
from dampen.questions.percentiles import ON_A_GRID
from dampen.questions.record import Single
from dampen.tables.grid import as_grid

MOST_LIKELY = 15
"""How many values of a law are shown."""


class MethodName(StrEnum):
    """The methods that answer with a value of the grid."""

    add_members(vars(), ON_A_GRID)


DISTANCE = MethodName("distance")


@verb(10, "percentile", "median", "quantiles")
def percentile(
    file: records.File,
    column: records.Column,
    p: Annotated[list[str], typer.Option("--p", help="Percentage from 0 to 100; repeat it for several.")],
    bounds: Annotated[tuple[str, str], typer.Option(help="Lowest and highest possible answer.")],
    epsilon: payment.Epsilon,
    step: Annotated[str | None, typer.Option(help="Distance of possible answers.")] = None,
    bins: Annotated[int | None, typer.Option(help="Number of possible answers, instead of a step.")] = None,
    adjacency: Neighbours = AdjacencyName.ADD_REMOVE,
    method: Annotated[MethodName, typer.Option(help="How one percentile is scored.")] = DISTANCE,
    where: records.Where = None,
    drop_missing: records.DropMissing = False,
    engine: records.Engine = records.DEFAULT_ENGINE,
    budget: payment.LedgerFile = None,
    scope: payment.Scope = None,
    note: payment.Note = None,
    as_json: answers.Json = False,
    public: Annotated[bool, typer.Option("--public", help="The data is public and may be shown.")] = False,
    show_law: Annotated[bool, typer.Option("--show-law", help="Show the answer's law; with --public.")] = False,
) -> None:
    """Tell percentiles of a column, privately; values are rounded down to the grid of possible answers."""
    if show_law and not (public and len(p) == 1):
        raise ParameterError("show-law must come with --public and a single --p: the law shows the data itself")
    grid, rows = as_grid(bounds=bounds, step=step, bins=bins), records.source(file, engine, where)
    asked: dict[str, Any] = {"grid": grid, "adjacency": adjacency.member, "missing": drop_rule(drop_missing)}
    asker = answers.Asker("percentile", budget, scope, note, as_json, epsilon=epsilon)
    if len(p) > 1:
        if method is not DISTANCE:
            raise ParameterError(f"method must be distance for several percentiles; got {method.value!r}")
        for each in p:
            share_of(each)
        asker.tell("quantiles", rows, p, column=column, **asked)
        return
    posed = asker.tell("percentile", rows, p[0], method=method.value, column=column, **asked)
    if show_law and isinstance(posed, Single):
        _draw_law(posed.mechanism, posed.problem.as_public())


def _draw_law(mechanism: Any, problem: SelectionProblem) -> None:
    """The most likely answers, on standard error, so that the answer itself stays alone."""
    law = mechanism.log_probabilities(problem)
    per_group = np.exp(law.values if hasattr(law, "values") else law)
    table = Table(box=None, pad_edge=False)
    for name in ("values", "probability of each"):
        table.add_column(name)
    for group in np.argsort(-per_group, kind="stable")[:MOST_LIKELY]:
        size = 1 if problem.sizes is None else int(problem.sizes[group])
        first, last = (problem.frame.candidates[problem.index(int(group), member)] for member in (0, size - 1))
        table.add_row(str(first) if size == 1 else f"{first} to {last} ({size} values)", f"{per_group[group]:.6g}")
    console = Console(stderr=True, highlight=False)
    console.print(table)
    console.print(f"expected loss of utility: {accuracy.expected_error(mechanism, problem):.6g}")
