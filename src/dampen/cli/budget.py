"""``dampen budget``: make, read, change and check a ledger."""

import json
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from dampen._validate import whole
from dampen.accounting import Budget
from dampen.accounting.ledger import store_of
from dampen.accounting.rules import promise_of
from dampen.cli.ledger_view import copy_with_progress, draw_history, draw_summary, summary_as_json, verify_with_progress
from dampen.cli.payment import OF_LEDGER, open_scope, scope_words
from dampen.cli.slots import HELP, parse_slots
from dampen.errors import ParameterError
from dampen.privacy import Adjacency

budget = typer.Typer(help="A budget in a file that survives crashes.", no_args_is_help=True)

File = Annotated[
    str, typer.Argument(metavar="FILE", help="File of the ledger, or postgresql://...", show_default=False)
]
Scope = Annotated[list[str] | None, typer.Option(help=OF_LEDGER)]
Json = Annotated[bool, typer.Option("--json", help="Print JSON.")]


class AnyAdjacency(StrEnum):
    """The adjacencies by their names on the command line."""

    ADD_REMOVE = "add-remove"
    REPLACE = "replace"
    EDGE = "edge"


class Rule(StrEnum):
    """The rules of composition by their names."""

    PURE = "pure"
    BASIC = "basic"
    ZCDP = "zcdp"
    APPROX = "approx"


@budget.command()
def create(
    file: File,
    epsilon: Annotated[str | None, typer.Option(help="What may be spent in all, e.g. 3 or 1/2.")] = None,
    delta: Annotated[str, typer.Option(help="The failure probability that may be spent in all.")] = "0",
    rho: Annotated[str | None, typer.Option(help="In place of epsilon: concentrated loss, e.g. 1/50.")] = None,
    composition: Annotated[Rule | None, typer.Option(help="How losses add up; see docs/ledger.md.")] = None,
    slots: Annotated[str | None, typer.Option(help=HELP)] = None,
    adjacency: Annotated[AnyAdjacency | None, typer.Option(help="What a neighbour is; first use says.")] = None,
    unit: Annotated[str | None, typer.Option(help="What one step moves, e.g. row; first use says.")] = None,
    remember: Annotated[bool, typer.Option("--remember", help="Keep answers: asking again costs nothing.")] = False,
    scope: Scope = None,
) -> None:
    """Make a new ledger or, with --scope, a new part of an existing one.

    Examples:
      dampen budget create staff.db --epsilon 6
      dampen budget create survey.db --epsilon 1 --delta 1e-6
      dampen budget create staff.db --epsilon 2 --scope analyst=ann
      dampen budget create study.db --slots '50 x 1/10' --epsilon 3.2 --delta 1e-6
    """
    if scope:
        if remember or any(each is not None for each in (adjacency, unit, composition, slots)):
            raise ParameterError(
                "adjacency, unit, remember, composition and slots are those of the whole ledger; leave them out with "
                "--scope"
            )
        *parents, last = scope
        made = open_scope(Budget.open(file), parents).scope(*scope_words(last), epsilon=epsilon, delta=delta, rho=rho)
    else:
        _refuse_existing(file)
        kept = None if adjacency is None else Adjacency[adjacency.name]
        listed = None if slots is None else parse_slots(slots, kept or Adjacency.ADD_REMOVE, unit or "")
        made = Budget.open(
            file, epsilon=epsilon, delta=delta, rho=rho, composition=composition, slots=listed, adjacency=kept,
            unit=unit, remember=remember,
        )  # fmt: skip
    promise = promise_of(made.limit) if slots is None else made.limit
    typer.echo(f"{'/'.join(scope) if scope else made.name}: {promise} may be spent")


@budget.command()
def show(
    file: File,
    scope: Scope = None,
    most: Annotated[int, typer.Option(help="How many purposes and unfinished charges to list.")] = 10,
    answers: Annotated[bool, typer.Option("--answers", help="Also list the questions whose answers are kept.")] = False,
    as_json: Json = False,
) -> None:
    """Show what is spent, by whom, on what, and the head to keep elsewhere.

    Example:
      dampen budget show staff.db
    """
    ledger = open_scope(Budget.open(file), scope)
    listed = whole(most=most, least=0)
    questions = ledger.questions() if answers else None
    if as_json:
        typer.echo(summary_as_json(ledger, listed, questions))
    else:
        draw_summary(Console(highlight=False), ledger, listed, questions or ())


@budget.command()
def history(
    file: File,
    scope: Scope = None,
    last: Annotated[int, typer.Option(help="How many entries, the latest; 0 for all.")] = 20,
    as_json: Json = False,
) -> None:
    """List the entries, oldest first.

    Example:
      dampen budget history staff.db --last 5
    """
    entries = open_scope(Budget.open(file), scope).history(whole(last=last, least=0) or None)
    if as_json:
        for entry in entries:
            typer.echo(json.dumps(entry._asdict()))
    else:
        draw_history(Console(highlight=False), entries)


@budget.command()
def limit(
    file: File,
    epsilon: Annotated[str | None, typer.Option(help="The new limit of epsilon.")] = None,
    delta: Annotated[str | None, typer.Option(help="The new limit of delta.")] = None,
    rho: Annotated[str | None, typer.Option(help="The new limit of rho.")] = None,
    scope: Scope = None,
    note: Annotated[str, typer.Option(help="Why; the ledger remembers it.")] = "",
) -> None:
    """Change what may be spent, never below what is spent already.

    Example:
      dampen budget limit staff.db --epsilon 8 --note 'second wave'
    """
    ledger = open_scope(Budget.open(file), scope)
    changed = ledger.change_limit(epsilon=epsilon, delta=delta, rho=rho, note=note)
    typer.echo(f"{promise_of(changed)} may be spent; {ledger.spent} is spent")


@budget.command()
def remember(file: File) -> None:
    """Let an existing ledger keep answers from now on: the same question asked again costs nothing.

    Example:
      dampen budget remember staff.db
    """
    ledger = Budget.open(file)
    ledger.start_remembering()
    typer.echo(f"{ledger.name}: answers are kept")


@budget.command()
def verify(
    file: File,
    head: Annotated[str | None, typer.Option(help="A head that was shown earlier and kept elsewhere.")] = None,
) -> None:
    """Recompute the whole ledger from its entries; ends with status 1 when it is not intact.

    Example:
      dampen budget verify staff.db
    """
    report = verify_with_progress(Budget.open(file), head)
    typer.echo(str(report))
    if head is None and report:
        typer.echo("note: only verify --head can tell whether the latest entries were cut off.", err=True)
    if not report:
        raise typer.Exit(1)


@budget.command()
def export(
    file: File, out: Annotated[Path, typer.Option(readable=False, help="New file, one line of JSON per entry.")]
) -> None:
    """Write all entries and the head to a file; prints the head.

    Example:
      dampen budget export staff.db --out staff.jsonl
    """
    typer.echo(Budget.open(file).export(out))


@budget.command()
def copy(
    file: File,
    to: Annotated[str, typer.Option(help="New file, or postgresql://...", show_default=False)],
    head: Annotated[str | None, typer.Option(help="A head that was shown earlier and kept elsewhere.")] = None,
) -> None:
    """Copy a whole ledger to a new place, such as a server, and check that both have the same head; prints it.

    Example:
      dampen budget copy staff.db --to moved.db
    """
    copied = copy_with_progress(Budget.open(file), to, head)
    typer.echo(copied.head)
    typer.echo("note: put the first one away; neither knows what is spent from the other.", err=True)


def _refuse_existing(file: str) -> None:
    place = store_of(file)
    if place.exists():
        raise ParameterError(f"file must not exist yet; {place.name[-60:]!r} does")
