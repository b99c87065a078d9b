"""``dampen plan``: what questions will cost and how far they will be off, before anything is paid."""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import typer

import dampen
from dampen._validate import render
from dampen.accounting import Budget
from dampen.cli.answers import Json
from dampen.cli.output import require_writable, write_text
from dampen.cli.payment import OF_LEDGER, open_scope
from dampen.cli.tables import LinkedTable, is_description
from dampen.cli.verbs import Options, verb
from dampen.describe.description import Description
from dampen.errors import ParameterError
from dampen.front.opening import table_of
from dampen.front.unpaid import Nobody
from dampen.privacy import BudgetLike
from dampen.tables.engines import Source

UNIFORM = "uniform"

Html = Annotated[Path | None, typer.Option("--html", help="Write one page that opens without a network.")]
Public = Annotated[bool, typer.Option("--public", help="The data that stand in are public and may be shown.")]


@dataclass(frozen=True, kw_only=True)
class Wishes(Options):
    """What is asked, and how good it should be."""

    ask: Annotated[
        list[str], typer.Option(help="A question, e.g. 'median pay' or 'count by team where pay>=1000'; repeat it.")
    ]
    error: Annotated[
        list[str] | None,
        typer.Option(
            help="'median pay=50', or 'pay=50' for all of a column: an error you can live with, 50, '50 people' or 2%."
        ),
    ] = None
    size: Annotated[
        list[str] | None, typer.Option(help="How many rows there are at least: 5000, or 'mean pay where team=lab=300'.")
    ] = None
    epsilon: Annotated[
        str | None, typer.Option(help="What all questions may cost together; those without an error share the rest.")
    ] = None
    rho: Annotated[str | None, typer.Option(help="The same in rho, where the budget counts rho.")] = None
    confidence: Annotated[str, typer.Option(help="The probability with which each error is kept.")] = "0.95"
    stand_in: Annotated[
        list[str] | None,
        typer.Option(help="How values lie: 'pay=uniform', 'pay=10:1400,50:2600', or a public file, 'pay=public.csv'."),
    ] = None


@verb(5)
def plan(
    file: Annotated[str, typer.Argument(metavar="FILE", help="Description (.toml).")],
    wishes: Wishes,
    public: Public = False,
    budget: Annotated[
        str | None, typer.Option(help="Ledger that will pay; that of the description, if left out.")
    ] = None,
    scope: Annotated[list[str] | None, typer.Option(help=OF_LEDGER)] = None,
    table: LinkedTable = None,
    html: Html = None,
    as_json: Json = False,
) -> None:
    """Tell what questions will cost and how far they will be off; nothing is paid and no data is read.

    Examples:
      dampen plan staff.toml --ask 'median pay' --ask count
      dampen plan staff.toml --ask 'median pay' --error 'median pay=20'
    """
    require_writable(html)
    if not is_description(file):
        raise ParameterError(
            f"plan must be given a description (.toml); `dampen describe` drafts one; got {render(file)}"
        )
    found = Description.read(Path(file))
    made = dampen.plan(
        table_of(found, _payer(found, budget, scope), table=table),
        wishes.ask,
        error=_by_question(wishes.error, "error"),
        size=_by_question(wishes.size, "size"),
        epsilon=wishes.epsilon,
        rho=wishes.rho,
        confidence=wishes.confidence,
        stand_ins=dict(_stand_in(each, public) for each in wishes.stand_in or ()),
    )
    if html is not None:
        write_text(html, made.as_html())
    typer.echo(json.dumps(made.as_dict()) if as_json else str(made))


def _payer(found: Description, budget: str | None, scope: list[str] | None) -> BudgetLike:
    """The ledger that will pay, looked at alone; nobody where there is none yet."""
    if budget is None and (found.ledger_path is None or not _exists(found.ledger_path)):
        if scope:
            raise ParameterError(f"scope must come with a ledger; got {scope[0]!r} alone")
        return Nobody()
    return open_scope(Budget.open(budget or str(found.ledger_path)), scope)


def _exists(ledger: str) -> bool:
    return "://" in ledger or Path(ledger).exists()


def _by_question(given: list[str] | None, name: str) -> Any:
    """One value for all, or one for each question: what stands behind the last sign of equality."""
    if not given:
        return None
    if len(given) == 1 and "=" not in given[0]:
        return given[0]
    pairs = [each.rpartition("=") for each in given]
    for question, sign, value in pairs:
        if not (question and sign and value.strip()):
            raise ParameterError(f"{name} must be written as 'median pay=50'; got {render(''.join((question, value)))}")
    return {question.strip(): value.strip() for question, _, value in pairs}


def _stand_in(given: str, public: bool) -> "tuple[str, dampen.StandIn]":
    """A column and how its values lie: evenly, between known percentiles, or as in a public file."""
    column, _, shape = (each.strip() for each in given.partition("="))
    if not column or not shape:
        raise ParameterError(f"stand-in must be written as 'pay=uniform'; got {render(given)}")
    if shape == UNIFORM:
        return column, dampen.StandIn.uniform()
    if Path(shape).suffix and Path(shape).exists():
        made = dampen.StandIn(Source(shape, column=column))
    elif ":" in shape:
        made = dampen.StandIn.percentiles(dict(_knot(each, given) for each in shape.split(",")))
    else:
        raise ParameterError(f"stand-in must be uniform, percentiles such as 50:2600, or a file; got {render(given)}")
    if not public:
        raise ParameterError("public must be said, --public: a stand-in is shown by what is told of it")
    return column, made.as_public()


def _knot(text: str, given: str) -> tuple[str, str]:
    p, sign, value = (each.strip() for each in text.partition(":"))
    if not sign:
        raise ParameterError(f"stand-in must have percentiles such as 10:1400,50:2600; got {render(given)}")
    return p, value
