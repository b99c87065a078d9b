"""What queries over records refuse of public arguments: percents, adjacencies, and what may not depend on data."""

from fractions import Fraction
from typing import Any

from dampen._validate import exact, render
from dampen.errors import ParameterError
from dampen.privacy import Adjacency, as_adjacency
from dampen.tables.columns import as_missing
from dampen.tables.engines.sources import is_filtered


def share_of(p: object) -> Fraction:
    """p / 100, exactly; p lies between 0 and 100."""
    percent = exact(p=p)
    if not 0 <= percent <= 100:
        raise ParameterError(f"p must lie between 0 and 100; got {render(p)}")
    return percent / 100


def record_adjacency(adjacency: Adjacency) -> Adjacency:
    """``ADD_REMOVE`` or ``REPLACE``: how records of a table change."""
    if as_adjacency(adjacency) is Adjacency.EDGE:
        raise ParameterError("adjacency must be Adjacency.ADD_REMOVE or Adjacency.REPLACE; got Adjacency.EDGE")
    return adjacency


def require_public_number(values: Any, adjacency: Adjacency, missing: str = "refuse") -> None:
    """Under ``REPLACE`` the number of values is public: a replaced record must not leave a filter, nor be dropped."""
    if adjacency is not Adjacency.REPLACE:
        return
    if is_filtered(values):
        raise ParameterError("where must be left out under REPLACE: a replaced record may leave the rows that it names")
    if as_missing(missing) == "drop":
        raise ParameterError("missing must be 'refuse' under REPLACE: the number of values is public")
