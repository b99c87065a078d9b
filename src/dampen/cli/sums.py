"""``dampen sum``, ``mean`` and ``variance``: a column of numbers added up, averaged, or how far it is spread."""

from typing import Annotated

import typer

from dampen.cli.tables import AskedRange, Capped, Groups, OfPersons, TableQuestion
from dampen.cli.verbs import verb

Few = Annotated[bool, typer.Option("--few", help="Without bounds, of a few hundred values: find the ends by a scan.")]
Centre = Annotated[str | None, typer.Option(help="Without bounds: private (if left out), twice, or a public number.")]


@verb(60, "sum", name="sum")
def add_up(column: AskedRange, groups: Groups, whose: Capped, options: TableQuestion, few: Few = False) -> None:
    """Tell the sum of a column, privately.

    Examples:
      dampen sum staff.toml pay --epsilon 1
      dampen sum staff.csv pay --bounds 0 10000 --epsilon 1
      dampen sum staff.csv pay --bounds private --unit 0.01 --epsilon 1
    """
    options.tell("sum", column, groups, **whose.said(), **({"few": few} if few else {}))


@verb(70, "mean")
def mean(column: AskedRange, groups: Groups, whose: OfPersons, options: TableQuestion, centre: Centre = None) -> None:
    """Tell the mean of a column, privately.

    Examples:
      dampen mean staff.toml pay --by team --epsilon 1
      dampen mean staff.csv pay --bounds 0 10000 --where team=lab --epsilon 1
    """
    options.tell("mean", column, groups, **whose.said_of(groups), **({} if centre is None else {"centre": centre}))


@verb(75, "variance")
def variance(column: AskedRange, options: TableQuestion) -> None:
    """Tell the variance of a column, privately.

    Examples:
      dampen variance staff.toml pay --epsilon 1
      dampen variance staff.csv pay --bounds 0 10000 --unit 10 --epsilon 1
    """
    options.tell("variance", column, None)
