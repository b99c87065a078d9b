"""``dampen compare``: the exact errors of every mechanism that fits a question, on public data."""

import json
from enum import StrEnum
from typing import Annotated, Any

import typer

import dampen
from dampen.cli import lists
from dampen.cli.answers import Json
from dampen.cli.histogram import AskedAny
from dampen.cli.options import ADD_REMOVE, Neighbours, Rows
from dampen.cli.output import require_writable, write_text
from dampen.cli.plan import Html
from dampen.cli.progress import progress
from dampen.cli.verbs import add_members, verb
from dampen.errors import ParameterError
from dampen.tables.engines import Source

USES: dict[str, tuple[str, ...]] = {
    "percentile": ("bounds", "p", "step"),
    "median": ("bounds", "step"),
    "most_common": ("categories",),
    "top_categories": ("categories", "k"),
    "count": (),
    "sum": ("bounds", "unit"),
    "mean": ("bounds",),
    "variance": ("bounds", "unit"),
    "histogram": ("bounds", "step", "categories"),
}
"""What each question has a use for; the first must be given, but for a histogram, which has bounds or categories."""


class QuestionName(StrEnum):
    """The questions about a column."""

    add_members(vars(), tuple(USES))


@verb(6)
def compare(
    file: Annotated[
        str, typer.Argument(metavar="FILE", help="Public data: a file or quoted pattern; - for standard input.")
    ],
    column: AskedAny,
    question: Annotated[QuestionName, typer.Option(help="What would be asked.")],
    rows: Rows,
    p: Annotated[str | None, typer.Option("--p", help="Percentage from 0 to 100, of a percentile.")] = None,
    k: Annotated[int | None, typer.Option("--k", help="How many values to name, most frequent first.")] = None,
    epsilons: Annotated[
        str | None, typer.Option(help="The prices at which errors are told; the default is 0.1,0.2,0.5,1,2,5,10.")
    ] = None,
    delta: Annotated[
        str | None, typer.Option(help="For mechanisms that need one; without it they are left out.")
    ] = None,
    adjacency: Neighbours = ADD_REMOVE,
    public: Annotated[bool, typer.Option("--public", help="The data is public and may be shown.")] = False,
    html: Html = None,
    as_json: Json = False,
) -> None:
    """Tell which mechanism to take: exact errors of all that fit, on public data that are like the private ones.

    Examples:
      dampen compare public.csv pay --question median --bounds 0 10000 --public
      dampen compare public.csv pay --question mean --bounds 0 10000 --public
    """
    if not public:
        raise ParameterError("public must be said, --public: a comparison shows the data itself")
    require_writable(html)
    name = question.value.replace("-", "_")
    with rows.open(file) as source, progress():
        stand_in = dampen.StandIn(source if name == "count" else Source(source, column=column.chosen))
        prices = {} if epsilons is None else {"epsilons": lists.split_list(epsilons, "epsilons")}
        made = dampen.compare(
            stand_in.as_public(), name, delta=delta, adjacency=adjacency.member, **prices, **_public(name, column, p, k)
        )
    if html is not None:
        write_text(html, made.as_html())
    typer.echo(json.dumps(made.as_dict()) if as_json else str(made))


def _public(name: str, column: AskedAny, p: str | None, k: int | None) -> dict[str, Any]:
    """What was typed of a question; what it has no use for is refused."""
    labels = None if column.categories is None else lists.read_list(column.categories, "categories")
    given = {"p": p, "k": k, "bounds": column.bounds, "step": column.step, "unit": column.unit, "categories": labels}
    told = {word: value for word, value in given.items() if value is not None}
    for word in told:
        if word not in USES[name]:
            raise ParameterError(f"--{word} must be left out: {name} has no use for it")
    needed = USES[name][:1] if name != "histogram" or "categories" not in told else ()
    for word in (*needed, *({"p", "k"} & set(USES[name]))):
        if word not in told:
            raise ParameterError(f"{word} must be given with --{word}")
    return told
