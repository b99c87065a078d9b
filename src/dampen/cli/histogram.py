"""``dampen histogram``: how many rows each step of a column has."""

from dataclasses import dataclass
from typing import Annotated

import typer

from dampen.cli.tables import AskedGrid, AskedLabels, Gaps, Groups, TableQuestion
from dampen.cli.verbs import verb
from dampen.describe.columns import Column
from dampen.errors import ParameterError


@dataclass(frozen=True, kw_only=True)
class AskedAny(AskedGrid, AskedLabels):
    """A column of any kind."""

    def described(self, gaps: Gaps) -> Column:
        """By its bounds, or by its categories."""
        if self.bounds is not None and self.categories is not None:
            raise ParameterError("bounds and categories exclude each other: a column has one or the other")
        if self.categories is not None:
            for name in ("step", "unit"):
                if getattr(self, name) is not None:
                    raise ParameterError(f"--{name} must be left out: categories have none")
        return (AskedGrid if self.categories is None else AskedLabels).described(self, gaps)


Bars = Annotated[int | None, typer.Option(help="Without bounds: how many bars at most; 64, if left out.")]


@verb(40, "histogram")
def histogram(column: AskedAny, groups: Groups, options: TableQuestion, bars: Bars = None) -> None:
    """Tell how many rows each step of a column has, or each of its values, privately: one line for each, and its count.

    Examples:
      dampen histogram staff.toml pay --epsilon 1
      dampen histogram staff.csv pay --bounds 0 10000 --step 500 --epsilon 1
    """
    options.tell("histogram", column, groups, **({} if bars is None else {"bars": bars}))
