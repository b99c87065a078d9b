"""People and their groups out of a table: one column of ids, one of groups, row by row."""

from collections.abc import Sequence
from typing import Any

from dampen._validate import render
from dampen.errors import ParameterError
from dampen.tables.engines.base import Leaving
from dampen.tables.engines.sources import Source
from dampen.tables.file_tables import read_rows
from dampen.tables.reading import is_blank
from dampen.vectors import Integers


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
    if isinstance(data, Source) and by in data.where:
        raise ParameterError(
            f"where must not name the column of the groups: who is told would tell it; got {render(by)}"
        )
    rows = read_rows(data, {id: Leaving.AS_IT_IS, by: tuple(labels)})
    return [None if isinstance(item, str) and is_blank(item) else item for item in rows[id].tolist()], rows[by]
