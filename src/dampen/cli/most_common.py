"""``dampen most-common``: the most frequent values of a column."""

from typing import Annotated

import typer

from dampen.cli.tables import AskedLabels, Groups, TableQuestion
from dampen.cli.verbs import verb
from dampen.errors import ParameterError


@verb(20, "most_common", "top_categories")
def most_common(
    column: AskedLabels,
    groups: Groups,
    options: TableQuestion,
    k: Annotated[int, typer.Option("--k", help="How many values to tell, the most frequent first.")] = 1,
) -> None:
    """Tell the most frequent value of a column, privately.

    Examples:
      dampen most-common staff.toml team --epsilon 1
      dampen most-common staff.csv team --categories sales,lab,board --epsilon 1
    """
    if k == 1:
        options.tell("most_common", column, groups)
        return
    if groups.columns:
        raise ParameterError(f"k must be 1 with --by: each group tells one value; got {k}")
    options.tell("top_categories", column, None, k)
