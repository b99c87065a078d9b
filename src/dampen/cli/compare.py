"""``dampen compare``: the exact errors of every mechanism that fits a question, on public data."""

import json
from enum import StrEnum
from typing import Annotated, Any

import typer

from dampen.accuracy.stand_ins import StandIn
from dampen.cli import lists
from dampen.cli.answers import Json
from dampen.cli.histogram import AskedAny
from dampen.cli.options import ADD_REMOVE, Neighbours, Rows
from dampen.cli.output import require_writable, write_text
from dampen.cli.plan import Html
from dampen.cli.progress import progress
from dampen.cli.verbs import add_members, verb
from dampen.errors import ParameterError
from dampen.front.compare import EPSILONS, FITTING, PERCENTILES
from dampen.front.compare import compare as compare_mechanisms
from dampen.tables.engines import Source


class QuestionName(StrEnum):
    """The questions that one mechanism answers."""

    add_members(vars(), FITTING)


@verb(6)
def compare(
    file: Annotated[
        str, typer.Argument(metavar="FILE", help="Public data: a file or quoted pattern; - for standard input.")
    ],
    column: AskedAny,
    question: Annotated[QuestionName, typer.Option(help="What would be asked.")],
    rows: Rows,
    p: Annotated[str | None, typer.Option("--p", help="Percentage from 0 to 100, of a percentile.")] = None,
    epsilons: Annotated[str, typer.Option(help="The prices at which errors are told.")] = ",".join(map(str, EPSILONS)),
    delta: Annotated[
        str | None, typer.Option(help="For mechanisms that need one; without it they are left out.")
    ] = None,
    adjacency: Neighbours = ADD_REMOVE,
    public: Annotated[bool, typer.Option("--public", help="The data is public and may be shown.")] = False,
    html: Html = None,
    as_json: Json = False,
) -> None:
    """Tell which mechanism to take: exact errors of all that fit, on public data that are like the private ones.

    Example:
      dampen compare public.csv pay --question median --bounds 0 10000 --public
    """
    if not public:
        raise ParameterError("public must be said, --public: a comparison shows the data itself")
    require_writable(html)
    name = question.value.replace("-", "_")
    with rows.open(file) as source, progress():
        made = compare_mechanisms(
            StandIn(source if name == "count" else Source(source, column=column.chosen)).as_public(), name,
            epsilons=lists.split_list(epsilons, "epsilons"), delta=delta, adjacency=adjacency.member,
            **_public(name, column, p),
        )  # fmt: skip
    if html is not None:
        write_text(html, made.as_html())
    typer.echo(json.dumps(made.as_dict()) if as_json else str(made))


def _public(name: str, column: AskedAny, p: str | None) -> dict[str, Any]:
    """What was typed of a question; what it has no use for is refused by it."""
    labels = None if column.categories is None else lists.read_list(column.categories, "categories")
    given = {"p": p, "bounds": column.bounds, "step": column.step, "unit": column.unit, "categories": labels}
    told = {word: value for word, value in given.items() if value is not None}
    needed = {"most_common": "categories", "count": None}.get(name, "bounds")
    allowed = {
        *([needed] if needed else []),
        *(("p", "step") if name in PERCENTILES else ()),
        "unit" if name == "sum" else "",
    }
    for word in told:
        if word not in allowed:
            raise ParameterError(f"--{word} must be left out: {name} has no use for it")
    if needed is not None and needed not in told:
        raise ParameterError(f"{needed} must be given with --{needed}")
    return told
