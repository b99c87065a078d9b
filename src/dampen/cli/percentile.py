"""``dampen median`` and ``percentile``: one percentile of a column, or several."""

from dataclasses import dataclass
from enum import StrEnum
from typing import Annotated, Any

import numpy as np
import typer
from rich.console import Console
from rich.table import Table as Lines

import dampen
from dampen._validate import share_of
from dampen.cli.lists import split_lists
from dampen.cli.tables import AskedGrid, Groups, OfPersons, TableQuestion
from dampen.cli.verbs import Options, add_members, verb
from dampen.errors import ParameterError
from dampen.problem import SelectionProblem
from dampen.questions.one_percentile import ON_A_GRID
from dampen.questions.record import RECORD, Single

MOST_LIKELY = 15
"""How many values of a law are shown."""


class MethodName(StrEnum):
    """The methods that answer with a value of a column."""

    add_members(vars(), (*ON_A_GRID, "number"))


Leading = Annotated[
    str | None, typer.Option(help="Without bounds: how many leading bits answers have, or all; 7, if left out.")
]
DISTANCE, NUMBER = MethodName("distance"), MethodName("number")


@dataclass(frozen=True, kw_only=True)
class Way(Options):
    """How a percentile is found, and whether its law may be seen."""

    method: Annotated[MethodName, typer.Option(help="How a percentile is found.")] = DISTANCE
    public: Annotated[bool, typer.Option("--public", help="The data is public and may be shown.")] = False
    show_law: Annotated[bool, typer.Option("--show-law", help="Show the answer's law; with --public.")] = False

    def require_showable(self, ps: tuple[str, ...], groups: Groups) -> None:
        """Refuse to show the law of private data, and of what has no single law."""
        single = len(ps) == 1 and self.method is not NUMBER and not groups.columns
        if self.show_law and not (self.public and single):
            raise ParameterError("show-law must come with --public and a single --p: the law shows the data itself")


@verb(8, "median")
def median(
    column: AskedGrid, groups: Groups, way: Way, whose: OfPersons, options: TableQuestion, leading_bits: Leading = None
) -> None:
    """Tell the median of a column, privately.

    Examples:
      dampen median staff.toml pay --epsilon 1
      dampen median staff.csv pay --bounds 0 10000 --step 50 --epsilon 1
    """
    way.require_showable(("50",), groups)
    _require_law_by_row(options, column, way)
    said = {**whose.said_of(groups), **_as_bits(leading_bits)}
    options.tell("median", column, groups, method=way.method.value, **said)
    _draw_law(options, column, "50", way)


@verb(10, "percentile", "percentiles")
def percentile(
    column: AskedGrid,
    groups: Groups,
    p: Annotated[list[str], typer.Option("--p", help="Percentage from 0 to 100, or several: 25,50,75")],
    way: Way,
    whose: OfPersons,
    options: TableQuestion,
    leading_bits: Leading = None,
) -> None:
    """Tell percentiles of a column, privately; values are rounded down to the grid of possible answers.

    Examples:
      dampen percentile staff.toml pay --p 90 --by team --epsilon 1
      dampen percentile staff.csv pay --p 25,75 --bounds 0 10000 --epsilon 1
    """
    ps = split_lists(p, "p")
    way.require_showable(ps, groups)
    _require_law_by_row(options, column, way)
    if len(ps) == 1:
        said = {**whose.said_of(groups), **_as_bits(leading_bits)}
        options.tell("percentile", column, groups, ps[0], method=way.method.value, **said)
        _draw_law(options, column, ps[0], way)
        return
    options.payment.price.require_epsilon("for several percentiles")
    if way.method is not DISTANCE:
        raise ParameterError(f"method must be distance for several percentiles; got {way.method.value!r}")
    for each in ps:
        share_of(each)  # by itself: typed by hand, it may be shown
    options.tell("percentiles", column, groups, ps, **whose.said_of(groups), **_as_bits(leading_bits))


def _as_bits(leading_bits: str | None) -> dict[str, Any]:
    """What was typed, as a number where it is one."""
    if leading_bits is None:
        return {}
    return {"leading_bits": int(leading_bits) if leading_bits.isdecimal() else leading_bits}


def _require_law_by_row(options: TableQuestion, column: AskedGrid, way: Way) -> None:
    """Refuse to show a law of votes before anything is paid: none is written out."""
    if way.show_law:
        with options.open(column, None) as (table, _):
            if table.view.person is not None:
                raise ParameterError("show-law must be left out for a table with a person, whose law is one of votes")


def _draw_law(options: TableQuestion, column: AskedGrid, p: str, way: Way) -> None:
    """The most likely answers, on standard error, so that the answer itself stays alone."""
    if not way.show_law:
        return
    with options.open(column, None) as (table, payer):
        posed = RECORD["percentile"].pose(
            table.view.source(column.chosen), p, adjacency=table.adjacency, **options.payment.price.words(),
            method=way.method.value, budget=payer, **table.view.answers(column.chosen),
        )  # fmt: skip
    assert isinstance(posed, Single)
    mechanism, problem = posed.mechanism, posed.problem.as_public()
    console = Console(stderr=True, highlight=False)
    console.print(_law_table(mechanism, problem))
    console.print(f"expected loss of utility: {dampen.accuracy.expected_error(mechanism, problem):.6g}")  # type: ignore[arg-type]


def _law_table(mechanism: Any, problem: SelectionProblem) -> Lines:
    law = mechanism.log_probabilities(problem)
    per_group = np.exp(law.values if hasattr(law, "values") else law)
    lines = Lines(box=None, pad_edge=False)
    for name in ("values", "probability of each"):
        lines.add_column(name)
    for group in np.argsort(-per_group, kind="stable")[:MOST_LIKELY]:
        size = 1 if problem.sizes is None else int(problem.sizes[group])
        first, last = (problem.frame.candidates[problem.index(int(group), member)] for member in (0, size - 1))
        lines.add_row(str(first) if size == 1 else f"{first} to {last} ({size} values)", f"{per_group[group]:.6g}")
    return lines
