"""People and their groups out of a file: one column of ids, one of groups, row by row."""

from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dampen._validate import shown
from dampen.errors import DataError, ParameterError
from dampen.statistics.columns import titled
from dampen.statistics.file_tables import read_columns


def read_people(path: str | Path, *, id: str, by: str) -> tuple[list[Any], list[str | None]]:
    """The ids and the groups of all rows of a CSV or Parquet file; groups as text, ``None`` where a field is missing.

    Ids of a CSV file are text, those of a Parquet file what they are there. An empty field and ``nan`` are missing.
    """
    if id == by:
        raise ParameterError(f"by must be another column than id; got {shown(by)}")
    columns = read_columns(path, (id, by))
    groups = _items(columns[by])
    try:
        texts = {item: _text(item) for item in set(groups)}
    except TypeError:
        raise DataError(f"{titled(by)} must hold single labels") from None
    return [_present(item) for item in _items(columns[id])], [texts[item] for item in groups]


def _items(column: NDArray[Any]) -> list[Any]:
    """The items of a column; masked ones are ``None``."""
    items: list[Any] = column.astype(object).tolist() if isinstance(column, np.ma.MaskedArray) else column.tolist()
    return items


def _present(item: Any) -> Any:
    """An item, or ``None`` for a field that reads as missing: short, or with blanks at an end."""
    perhaps = isinstance(item, str) and (len(item) < 4 or item[0] <= " " or item[-1] <= " ")
    return None if perhaps and item.strip().lower() in ("", "nan") else item


def _text(item: Any) -> str | None:
    """A field as it is written."""
    if item is None or item != item or _present(item) is None:
        return None
    return str(item).lower() if isinstance(item, bool) else str(item)
