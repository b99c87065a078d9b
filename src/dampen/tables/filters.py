"""What a public filter means: which rows count, and what their number may tell."""

from collections.abc import Mapping
from typing import Any

from dampen.errors import ParameterError
from dampen.privacy import Adjacency, as_adjacency
from dampen.tables.columns import as_missing
from dampen.tables.engines.sources import Source


def filter_rows(data: Any, where: Mapping[str, Any] | None) -> Any:
    """The data itself, or its rows with these values."""
    return data if where is None else Source(data, where)


def is_filtered(data: Any) -> bool:
    """Whether only some rows of the data count."""
    return isinstance(data, Source) and bool(data.where)


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
