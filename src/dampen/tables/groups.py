"""Declared groups: in which one a value is, how many each has, and the values of each counted."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from dampen._validate import one_of, only_own_errors, render
from dampen.errors import DataError, ParameterError
from dampen.tables.columns import as_column, as_values, title_of
from dampen.tables.counts import GridCounts, tally_labels
from dampen.tables.engines import asked_column, open_engine
from dampen.tables.engines.array_codes import label_places
from dampen.tables.engines.base import PlaceCounts, location_note
from dampen.tables.engines.labels import Places
from dampen.tables.grid import Grid, add_counts
from dampen.tables.reading import MISSING, OTHER
from dampen.vectors import Integers

REST = "other"
"""The category that takes all values which are no category, where it is declared and no other one is named."""


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
        return label_places(as_column(as_values(values, title)), Places.of(labels))


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
    column, missing = asked_column(values, column, missing)
    rest = rest_place(labels, other)
    mode = as_group_missing(missing, rest, drop=True)
    counted, where = tally_labels(values, labels, column)
    strange, gone = counted.get(OTHER, 0), counted.get(MISSING, 0)
    _refuse(strange > 0, gone > 0, rest, mode, title_of(column), where)
    counts = np.array([counted.get(place, 0) for place in range(len(labels))], dtype=np.int64)
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


def grids_by_group(data: Any, grid: Grid, labels: Sequence[Any], **named: Any) -> list[GridCounts]:
    """The values of a column counted on a grid, for each group. ``named``: as for :func:`counts_by_group`.

    >>> from dampen.tables.grid import as_grid
    >>> table = {"age": [31, 35, 52], "sex": ["F", "F", "M"]}
    >>> found = grids_by_group(table, as_grid(range(121)), ("F", "M"), column="age", by="sex")
    >>> [counted.places.tolist() for counted in found]
    [[31, 35], [52]]
    """
    found = counts_by_group(data, grid, labels, rule="must hold numbers, none of them missing", **named)
    return [GridCounts(grid, places, counts) for places, counts in found]


def categories_by_group(data: Any, choices: Sequence[Any], labels: Sequence[Any], **named: Any) -> list[Integers]:
    """How many values each choice has, for each group. ``named``: as for :func:`counts_by_group`.

    >>> table = {"ill": ["flu", "flu", "gout"], "sex": ["F", "F", "M"]}
    >>> found = categories_by_group(table, ("flu", "gout"), ("F", "M"), column="ill", by="sex")
    >>> [counts.tolist() for counts in found]
    [[2, 0], [0, 1]]
    """
    rule = "must hold only the declared choices, none of them missing"
    parts = []
    for places, counts in counts_by_group(data, choices, labels, rule=rule, **named):
        parts.append(np.zeros(len(choices), dtype=np.int64))
        parts[-1][places] = counts
    return parts


def counts_by_group(
    data: Any,
    values: Grid | Sequence[Any],
    labels: Sequence[Any],
    *,
    column: str,
    by: str,
    rule: str,
    other: Any = REST,
    missing: str = "refuse",
) -> list[PlaceCounts]:
    """How many values stand at each place, of a grid or among labels, in the rows of each group. Not private.

    A group are the rows whose column ``by`` holds its label. ``rule``: what must hold of the values; ``other`` and
    ``missing`` are as for :func:`~dampen.tables.groups.place_groups`.

    Every row counts in one group, for a value stands for one label: that is what lets all groups together cost what
    one does.
    """
    if column == by:
        raise ParameterError(f"groups must be another column than that of the values; got {render(by)}")
    rest = rest_place(labels, other)
    mode = as_group_missing(missing, rest)
    with open_engine(data, column, by) as engine:
        for name in (column, by):
            engine.require(name)
        groups, places, counts = engine.counts_by_group(column, values, by, labels).T
        strange, gone = bool((groups == OTHER).any()), bool((groups == MISSING).any())
        _refuse(strange, gone, rest, mode, title_of(by), location_note(engine))
        if (places < 0).any():
            raise DataError(f"{title_of(column)} {rule}{location_note(engine)}")
    groups = np.where(groups < 0, -1 if rest is None else rest, groups)
    return [add_counts(places[groups == group], counts[groups == group]) for group in range(len(labels))]
