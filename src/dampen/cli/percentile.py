"""``dampen percentile``: one percentile of a column, or several."""

from enum import StrEnum
from typing import Annotated

import numpy as np
import typer
from rich.console import Console
from rich.table import Table

from dampen import accuracy
from dampen.cli import answers, payment, records
from dampen.cli.adjacency import AdjacencyName, Neighbours
from dampen.cli.records import missing_rule
from dampen.errors import ParameterError
from dampen.mechanisms import SelectionMechanism
from dampen.problem import SelectionProblem
from dampen.queries.guards import share_of
from dampen.questions.many_percentiles import release_quantiles
from dampen.questions.percentiles import percentile_mechanism, percentile_problem
from dampen.tables.grid import as_grid

MOST_LIKELY = 15
"""How many values of a law are shown."""


class MethodName(StrEnum):
    """The methods that answer with a value of the grid."""

    DISTANCE = "distance"
    RANK = "rank"


def percentile(
    file: records.File,
    column: records.Column,
    p: Annotated[list[str], typer.Option("--p", help="Percentage from 0 to 100; repeat it for several.")],
    bounds: Annotated[tuple[str, str], typer.Option(help="Lowest and highest possible answer.")],
    epsilon: payment.Epsilon,
    step: Annotated[str | None, typer.Option(help="Distance of possible answers.")] = None,
    bins: Annotated[int | None, typer.Option(help="Number of possible answers, instead of a step.")] = None,
    adjacency: Neighbours = AdjacencyName.ADD_REMOVE,
    method: Annotated[MethodName, typer.Option(help="How one percentile is scored.")] = MethodName.DISTANCE,
    where: records.Where = None,
    drop_missing: records.DropMissing = False,
    engine: records.Engine = records.EngineName.DUCKDB,
    budget: payment.LedgerFile = None,
    scope: payment.Scope = None,
    note: payment.Note = None,
    as_json: answers.Json = False,
    public: Annotated[bool, typer.Option("--public", help="The data is public and may be shown.")] = False,
    show_law: Annotated[bool, typer.Option("--show-law", help="Show the answer's law; with --public.")] = False,
) -> None:
    """Tell percentiles of a column, privately; a value counts at the largest possible answer not above it."""
    if show_law and not (public and len(p) == 1):
        raise ParameterError("show-law must come with --public and a single --p: the law shows the data itself")
    grid, adjacent, missing = as_grid(bounds=bounds, step=step, bins=bins), adjacency.meant, missing_rule(drop_missing)
    paying = payment.payer(budget, scope, epsilon=epsilon)
    rows = records.source(file, engine, where)
    remembered = "percentile" if note is None else note
    if len(p) > 1:
        if method is not MethodName.DISTANCE:
            raise ParameterError(f"method must be distance for several percentiles; got {method.value!r}")
        for each in p:
            share_of(each)
        with records.progress():
            release = release_quantiles(
                rows, p, grid=grid, epsilon=epsilon, budget=paying, adjacency=adjacent, strategy="auto",
                column=column, where=None, missing=missing, note=remembered,
            )  # fmt: skip
    else:
        chosen = percentile_mechanism(method.value, epsilon=epsilon, mechanism=None)
        with records.progress():
            problem = percentile_problem(
                rows, p[0], method.value, grid=grid, adjacency=adjacent, column=column, missing=missing
            )
        release = chosen.release(problem, budget=paying, note=remembered)
    answers.show(release, as_json=as_json, remembered=budget is not None)
    if show_law:
        _draw_law(chosen, problem.as_public())


def _draw_law(mechanism: SelectionMechanism, problem: SelectionProblem) -> None:
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
