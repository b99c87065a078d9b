"""People and their groups out of a table: one column of ids, one of groups, row by row."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dampen._validate import shown
from dampen.errors import DataError, ParameterError
from dampen.statistics.columns import titled
from dampen.statistics.engines.base import MISSING, OTHER
from dampen.statistics.engines.labels import Places, is_blank
from dampen.statistics.engines.sources import Source
from dampen.statistics.file_tables import read_columns

UNDECLARED = object()
"""In place of a group: the value stands for none of the labels."""


def read_people(data: Any, labels: Sequence[Any], *, id: str, by: str) -> tuple[list[Any], list[Any]]:
    """The ids of all rows of a table, and the label that each row's group stands for.

    ``None`` where a group is missing, ``UNDECLARED`` where it is none of the labels. What stands for what is one rule
    for every engine (:mod:`dampen.statistics.engines.labels`); other values stand for what they print. Ids of a CSV
    file are text, those of other tables what they are there. An empty field and ``nan`` are missing.
    """
    for name, column in {"column (--id)": id, "groups (--by)": by}.items():
        if not isinstance(column, str):
            raise ParameterError(f"{name} must name a column of the data; got {shown(column)}")
    if id == by:
        raise ParameterError(f"groups (--by) must be another column than that of the ids; got {shown(by)}")
    if isinstance(data, Source) and by in data.where:
        raise ParameterError(
            f"where must not name the column of the groups: who is told would tell it; got {shown(by)}"
        )
    columns = read_columns(data, (id, by))
    groups = _items(columns[by])
    places = Places.of(labels)
    try:
        told = {item: _label(item, labels, places) for item in set(groups)}
    except TypeError:
        raise DataError(f"{titled(by)} must hold single labels") from None
    return [_present(item) for item in _items(columns[id])], [told[item] for item in groups]


def _items(column: NDArray[Any]) -> list[Any]:
    """The items of a column; masked ones are ``None``."""
    items: list[Any] = column.astype(object).tolist() if isinstance(column, np.ma.MaskedArray) else column.tolist()
    return items


def _present(item: Any) -> Any:
    """An item, or ``None`` for a field that reads as missing: short, or with blanks at an end."""
    perhaps = isinstance(item, str) and (len(item) < 4 or item[0] <= " " or item[-1] <= " ")
    return None if perhaps and is_blank(item) else item


def _label(item: Any, labels: Sequence[Any], places: Places) -> Any:
    place = places.place(item)
    if place == OTHER:
        place = places.texts.get(str(item), OTHER)
    return None if place == MISSING else UNDECLARED if place == OTHER else labels[place]
