"""To which declared group each person belongs, and how many each group has."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dampen._validate import one_of, render
from dampen.errors import DataError, ParameterError
from dampen.tables.categories import tally
from dampen.tables.columns import as_column, in_memory, titled
from dampen.tables.engines.array_codes import label_places
from dampen.tables.engines.labels import Places
from dampen.tables.engines.sources import only_own_errors
from dampen.tables.reading import MISSING, OTHER, is_missing
from dampen.vectors import Integers

REST = "other"
"""The category that takes all values which are no category, where it is declared and no other one is named."""


def as_ids(ids: Any) -> NDArray[Any]:
    """The ids of all people, in the caller's order: distinct, none of them missing."""
    found = listed_as(ids, "ids")
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


def listed_as(values: Any, title: str) -> Any:
    """One column in memory; ``title``: how a message names it."""
    try:
        return in_memory(values, None)
    except (ParameterError, DataError):
        rule = f"{title} must be a list, an array of one dimension or a column of a data frame"
        raise ParameterError(f"{rule}; got {type(values).__name__}") from None


def told_order(ids: NDArray[Any]) -> NDArray[np.intp]:
    """The order in which ids are told: sorted, so that it does not tell the order of the caller's rows.

    Rows often lie group by group, and then their order would give every true group away. Ids that are neither numbers
    nor texts are sorted as text.

    >>> told_order(np.array([30, 10, 20])).tolist()
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


def place_groups(
    values: Any, labels: Sequence[Any], *, other: Any = REST, missing: str = "refuse", title: str = "groups"
) -> Integers:
    """The place of each value among the labels. Not private. ``title``: how a message names the values.

    Values that are no label go to the label ``other``, where it is declared, and are refused elsewhere. Missing values
    are refused, or go there too with ``missing="other"``.

    >>> place_groups(["F", "M", "X"], ("F", "M", "other")).tolist()
    [0, 1, 2]
    """
    found = find_groups(values, labels, title)
    return settle_groups(found, labels, other=other, missing=missing, title=title)


def find_groups(values: Any, labels: Sequence[Any], title: str = "groups") -> Integers:
    """The place of each value among the labels, ``MISSING`` or ``OTHER``."""
    with only_own_errors():
        return label_places(as_column(listed_as(values, title)), Places.of(labels))


def settle_groups(found: Integers, labels: Sequence[Any], *, other: Any, missing: str, title: str) -> Integers:
    """Places among the labels: those ``MISSING`` or ``OTHER`` go to the label ``other``, or are refused."""
    rest = rest_place(labels, other)
    mode = as_group_missing(missing, rest)
    _refuse(bool((found == OTHER).any()), bool((found == MISSING).any()), rest, mode, title)
    return np.where(found < 0, 0 if rest is None else rest, found).astype(np.int64)


def count_groups(
    values: Any, labels: tuple[Any, ...], *, column: str | None, other: Any = REST, missing: str = "refuse"
) -> Integers:
    """How many values each label has. Not private. As :func:`place_groups`, and ``missing="drop"`` leaves them out."""
    rest = rest_place(labels, other)
    mode = as_group_missing(missing, rest, drop=True)
    counted, where = tally(values, labels, column)
    return group_sizes(counted, len(labels), rest, mode, titled(column), where)


def group_sizes(
    counted: dict[int, int], kinds: int, rest: int | None, mode: str, title: str, where: str = ""
) -> Integers:
    """The sizes of so many groups out of counts by place, OTHER and MISSING among them; or the rule that they break."""
    strange, gone = counted.get(OTHER, 0), counted.get(MISSING, 0)
    _refuse(strange > 0, gone > 0, rest, mode, title, where)
    counts = np.array([counted.get(place, 0) for place in range(kinds)], dtype=np.int64)
    if rest is not None:
        counts[rest] += strange + (gone if mode == "other" else 0)
    return counts


def rest_place(labels: Sequence[Any], other: Any) -> int | None:
    """The place of the label that takes all values which are no label; ``None`` where there is none."""
    try:
        place = {label: place for place, label in enumerate(labels)}.get(other)
    except TypeError:
        place = None
    if place is not None:
        return place
    if other is not None and not (isinstance(other, str) and other == REST):
        raise ParameterError(f"other must be one of the categories; got {render(other)}")
    return None


def as_group_missing(missing: str, rest: int | None, *, drop: bool = False) -> str:
    """What to do with missing values: ``"other"`` needs a category that takes them."""
    allowed = ("refuse", "drop", "other") if drop else ("refuse", "other")
    mode = one_of(allowed, missing=missing)
    if mode == "other" and rest is None:
        raise ParameterError("missing='other' needs a category that takes them: declare one and name it with other=")
    return mode


def _refuse(strange: bool, gone: bool, rest: int | None, mode: str, title: str, where: str = "") -> None:
    if strange and rest is None:
        raise DataError(
            f"{title} must hold only the declared categories; a declared category 'other', or the one named "
            f"by other=, takes the rest{where}"
        )
    if gone and mode == "refuse":
        raise DataError(
            f"{title} must have no missing values; missing='other' (--missing-as-other) puts them into a declared "
            f"category 'other'{where}"
        )
