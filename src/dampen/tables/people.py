"""The people of a table: their ids, and the group of each."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dampen._validate import render
from dampen.errors import DataError, ParameterError
from dampen.tables.columns import as_values
from dampen.tables.engines.base import RowForm
from dampen.tables.engines.sources import Source
from dampen.tables.reading import is_blank, is_missing
from dampen.tables.rows import read_rows
from dampen.vectors import Integers


def as_ids(ids: Any) -> NDArray[Any]:
    """The ids of all people, in the caller's order: distinct, none of them missing."""
    found = as_values(ids, "ids")
    listed = found if isinstance(found, np.ndarray | list) else found.to_list()
    items = listed.tolist() if isinstance(listed, np.ndarray) else listed
    try:
        distinct = len(set(items)) == len(items)
    except TypeError:
        raise DataError("ids must be single labels") from None
    if not distinct:
        raise DataError("ids must be distinct: one row for each person")
    if not set(map(type, items)) <= {int, str} and any(map(is_missing, items)):
        raise DataError("ids must have no missing values")
    if isinstance(listed, np.ndarray) and not isinstance(listed, np.ma.MaskedArray):
        return listed.copy()
    alike = len({type(item) for item in items}) == 1 and isinstance(items[0], str | int)
    array = np.array(items) if alike else np.empty(0, dtype=object)
    if array.dtype.kind in "US" and any(item.endswith("\0") for item in items):
        alike = False
    if not alike or array.dtype.kind not in "iUu":
        array = np.empty(len(items), dtype=object)
        array[:] = items
    return array


def public_order(ids: NDArray[Any]) -> NDArray[np.intp]:
    """The order in which ids are told: sorted, so that it does not tell the order of the caller's rows.

    Rows often lie group by group, and then their order would give every true group away. Ids that are neither numbers
    nor texts are sorted as text.

    >>> public_order(np.array([30, 10, 20])).tolist()
    [1, 2, 0]
    """
    if ids.dtype != object:
        return np.argsort(ids)
    items = ids.tolist()
    kinds = set(map(type, items))
    if len(kinds) > 1 or not all(issubclass(kind, int | float | str) for kind in kinds):
        items = [(type(item).__name__, str(item)) for item in items]
    if len(set(items)) < len(items):
        raise DataError("ids must differ as text")
    return np.array(sorted(range(len(items)), key=items.__getitem__), dtype=np.intp)


def read_people(data: Any, labels: Sequence[Any], *, id: str, by: str) -> tuple[list[Any], Integers]:
    """The ids of all rows of a table, and the place of the label that each row's group stands for.

    A place is ``MISSING`` where a group is missing, ``OTHER`` where it stands for none of the labels: one rule for
    every engine (:mod:`dampen.tables.engines.labels`). Ids of a CSV file are text, those of other tables what they
    are there; an empty field and ``nan`` are missing, ``None``.
    """
    for name, column in {"column (--id)": id, "groups (--by)": by}.items():
        if not isinstance(column, str):
            raise ParameterError(f"{name} must name a column of the data; got {render(column)}")
    if id == by:
        raise ParameterError(f"groups (--by) must be another column than that of the ids; got {render(by)}")
    if isinstance(data, Source) and any(condition.column == by for condition in data.where):
        raise ParameterError(
            f"where must not name the column of the groups: who is told would tell it; got {render(by)}"
        )
    rows = read_rows(data, {id: RowForm.AS_IT_IS, by: tuple(labels)})
    return [None if isinstance(item, str) and is_blank(item) else item for item in rows[id].tolist()], rows[by]
