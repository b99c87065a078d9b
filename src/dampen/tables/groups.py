"""Declared groups: in which one a value is, how many each has, and the values of each counted or added up.

Groups may be those of several columns: all combinations of their labels, those of the first column slowest. Every row
counts in one group at most, for a value stands for one label: that is what lets all groups together cost what one does.
Whether data are refused depends on all rows, those that are in no group too.
"""

from collections.abc import Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from fractions import Fraction
from math import prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dampen._validate import Number, one_of, only_own_errors, render
from dampen.errors import DataError, ParameterError
from dampen.tables.columns import as_column, as_missing, as_values, refuse_missing, title_of
from dampen.tables.counts import GridCounts, Total, as_bounds, refuse_faults, tally_labels
from dampen.tables.engines import Engine, Source, asked_column, open_engine
from dampen.tables.engines.array_codes import label_places
from dampen.tables.engines.base import PlaceCounts, label_error, location_note
from dampen.tables.engines.labels import Places
from dampen.tables.engines.sources import require_stillness
from dampen.tables.grid import Grid, add_counts
from dampen.tables.reading import MISSING, OTHER
from dampen.vectors import Integers

MOST_GROUPS = 10**6
"""So many groups may be declared."""


def find_groups(values: Any, labels: Sequence[Any]) -> Integers:
    """The place of each value among the labels, ``MISSING`` or ``OTHER``."""
    with only_own_errors():
        return label_places(as_column(as_values(values, "groups")), Places.of(labels))


def settle_groups(found: Integers, labels: Sequence[Any], *, other: Any, missing: str, title: str) -> Integers:
    """Places among the labels: those ``OTHER`` go to the label ``other``, where there is one, or are refused.

    Those ``MISSING`` are refused, or go there too with ``missing="other"``. ``title``: how a message names the values.
    """
    rest = rest_place(labels, other)
    mode = as_group_missing(missing, rest)
    _refuse(bool((found == OTHER).any()), bool((found == MISSING).any()), rest, mode, title)
    return np.where(found < 0, 0 if rest is None else rest, found).astype(np.int64)


def count_groups(
    values: Any, labels: tuple[Any, ...], *, column: str | None = None, other: Any = None, missing: str = "refuse"
) -> Integers:
    """How many values each label has. Not private. As :func:`settle_groups`, and ``missing="drop"`` leaves them out.

    >>> count_groups(["F", "M", "X"], ("F", "M", "rest"), other="rest").tolist()
    [1, 1, 1]
    """
    column, missing = asked_column(values, column, missing)
    rest = rest_place(labels, values.other if isinstance(values, Source) and values.column else other)
    mode = as_group_missing(missing, rest, drop=True)
    counted, where = tally_labels(values, labels, column)
    strange, gone = counted.get(OTHER, 0), counted.get(MISSING, 0)
    _require_stillness(values, column, strange > 0 and rest is None, gone > 0 and mode == "refuse", where)
    _refuse(strange > 0, gone > 0, rest, mode, title_of(column), where)
    counts = np.array([counted.get(place, 0) for place in range(len(labels))], dtype=np.int64)
    if rest is not None:
        counts[rest] += strange + (gone if mode == "other" else 0)
    return counts


def rest_place(labels: Sequence[Any], other: Any) -> int | None:
    """The place of the label that takes all values which are no label; ``None`` where there is none."""
    if other is None:
        return None
    if other not in labels:
        raise ParameterError(f"other must be one of the categories; got {render(other)}")
    return labels.index(other)


def as_group_missing(missing: str, rest: int | None, *, drop: bool = False) -> str:
    """What to do with missing values: ``"other"`` needs a category that takes them."""
    allowed = ("refuse", "drop", "other") if drop else ("refuse", "other")
    mode = one_of(allowed, missing=missing)
    if mode == "other" and rest is None:
        raise ParameterError("missing='other' needs a category that takes them: declare one and name it with other=")
    return mode


def _refuse(strange: bool, gone: bool, rest: int | None, mode: str, title: str, where: str = "") -> None:
    if strange and rest is None:
        raise label_error(title, where)
    if gone and mode == "refuse":
        raise DataError(
            f"{title} must have no missing values; missing='other' (--missing other) puts them into the one "
            f"named by other={where}"
        )


def _require_stillness(data: Any, column: str | None, strange: bool, gone: bool, where: str) -> None:
    """Refuse faults that an earlier scan of all rows did not find."""
    for fault, found in ((OTHER, strange), (MISSING, gone)):
        if found:
            require_stillness(data, column, fault, where)


@dataclass(frozen=True)
class GroupColumn:
    """A column to group by: its labels, the place of the one that takes all other values, and what if one is missing.

    ``missing``: ``"refuse"``; ``"drop"``, such rows are in no group; ``"other"``, they go where other values do.
    ``drops_other``: rows with other values are in no group, too.
    """

    column: str
    labels: tuple[Any, ...]
    rest: int | None = None
    missing: str = "refuse"
    drops_other: bool = False

    def __post_init__(self) -> None:
        as_group_missing(self.missing, self.rest, drop=True)


def rows_by_groups(data: Any, by: Sequence[GroupColumn]) -> Integers:
    """How many rows each group has. Not private.

    >>> table = {"sex": ["F", "M", "M"], "smokes": [True, True, False]}
    >>> rows_by_groups(table, [GroupColumn("sex", ("F", "M")), GroupColumn("smokes", (True, False))]).tolist()
    [1, 0, 1, 1]
    """
    with _open(data, by) as engine:
        rows = engine.counts_by_group(None, None, _groups(by))
        kept, group = _settle(data, engine, rows[:, :-2], by)
    sizes = np.zeros(count_of_groups(by), dtype=np.int64)
    np.add.at(sizes, group, rows[kept, -1])
    return sizes


def grids_by_groups(
    data: Any, grid: Grid, by: Sequence[GroupColumn], *, column: str | None = None, missing: str = "refuse"
) -> list[GridCounts]:
    """The values of a column counted on a grid, for each group. Not private.

    ``column`` and ``missing`` are as for :func:`~dampen.tables.counts.count_on_grid`.

    >>> from dampen.tables.grid import as_grid
    >>> table = {"age": [31, 35, 52], "sex": ["F", "F", "M"]}
    >>> found = grids_by_groups(table, as_grid(range(121)), [GroupColumn("sex", ("F", "M"))], column="age")
    >>> [counted.places.tolist() for counted in found]
    [[31, 35], [52]]
    """
    column, mode = _asked(data, column, as_missing(missing), by)
    with _open(data, by, column) as engine:
        rows = engine.counts_by_group(column, grid, _groups(by))
        places = rows[:, -2]
        kept, group = _settle(data, engine, rows[:, :-2], by)
        refuse_faults(data, OTHER in places, MISSING in places, grid, mode, column, location_note(engine))
    held = places[kept] >= 0
    found = _apart(group[held], rows[kept][held], count_of_groups(by))
    return [GridCounts(grid, *each) for each in found]


def categories_by_groups(
    data: Any,
    choices: Sequence[Any],
    by: Sequence[GroupColumn],
    *,
    column: str | None = None,
    missing: str = "refuse",
    rest: int | None = None,
) -> list[Integers]:
    """How many values each choice has, for each group. Not private.

    ``rest``: the place of the choice that takes all other values. ``missing``: as for :class:`GroupColumn`.

    >>> table = {"ill": ["flu", "flu", "gout"], "sex": ["F", "F", "M"]}
    >>> found = categories_by_groups(table, ("flu", "gout"), [GroupColumn("sex", ("F", "M"))], column="ill")
    >>> [counts.tolist() for counts in found]
    [[2, 0], [0, 1]]
    """
    column, mode = _asked(data, column, missing, by)
    asked = GroupColumn(column, tuple(choices), rest, mode)
    # a column of choices is one more to group by, so that one rule settles both
    every = rows_by_groups(data, [*by, asked])
    return [*every.reshape(count_of_groups(by), len(choices))]


def total_by_group(
    data: Any,
    bounds: tuple[Number, Number],
    by: Sequence[GroupColumn],
    *,
    column: str | None = None,
    missing: str = "refuse",
) -> list[Total]:
    """The number of values of each group and their exact sum, each moved to the nearer bound if it is outside.

    ``column`` and ``missing`` are as for :func:`~dampen.tables.counts.total`. Not private.

    >>> table = {"pay": [10, 30, 99], "team": ["a", "b", "b"]}
    >>> found = total_by_group(table, (0, 50), [GroupColumn("team", ("a", "b", "c"))], column="pay")
    >>> [(each.count, int(each.sum)) for each in found]
    [(1, 10), (2, 80), (0, 0)]
    """
    ends = as_bounds(bounds)
    column, mode = _asked(data, column, as_missing(missing), by)
    with _open(data, by, column) as engine:
        found = engine.sums_by_group(column, ends, _groups(by))
        keys = np.array([*found], dtype=np.int64).reshape(len(found), len(by))
        kept, group = _settle(data, engine, keys, by)
        strange, gone = (any(getattr(sums, name) for sums in found.values()) for name in ("other", "missing"))
        refuse_faults(data, strange, gone, None, mode, column, location_note(engine))
    held = [sums for sums, stays in zip(found.values(), kept.tolist(), strict=True) if stays]
    counts, totals = [0] * count_of_groups(by), [Fraction(0)] * count_of_groups(by)
    for place, sums in zip(group.tolist(), held, strict=True):
        counts[place] += sums.count
        totals[place] += sums.sum
    return [Total(count, total) for count, total in zip(counts, totals, strict=True)]


def count_of_groups(by: Sequence[GroupColumn]) -> int:
    """How many groups there are."""
    return prod(len(each.labels) for each in by)


def _asked(data: Any, column: str | None, missing: str, by: Sequence[GroupColumn]) -> tuple[str, str]:
    """The column whose values are counted, which is none of those to group by, and what if one is missing."""
    name, mode = asked_column(data, column, missing)
    if not isinstance(name, str) or name in (each.column for each in by):
        raise ParameterError(f"column must be another one than those of the groups; got {render(name)}")
    return name, mode


def _open(data: Any, by: Sequence[GroupColumn], *columns: str) -> AbstractContextManager[Engine]:
    names = [*columns, *(each.column for each in by)]
    if not by or len({*names}) < len(names):
        raise ParameterError("groups must be given by at least one column, and by each one once")
    if count_of_groups(by) > MOST_GROUPS:
        raise ParameterError(f"groups must be at most {MOST_GROUPS} together; got {count_of_groups(by)}")
    return open_engine(data, *names)


def _groups(by: Sequence[GroupColumn]) -> list[tuple[str, Sequence[Any]]]:
    return [(each.column, each.labels) for each in by]


def _settle(
    data: Any, engine: Engine, places: Integers, by: Sequence[GroupColumn]
) -> tuple[NDArray[np.bool_], Integers]:
    """Which rows of counts are in a group, and in which; refuses places that are none."""
    kept, group = np.ones(len(places), dtype=np.bool_), np.zeros(len(places), dtype=np.int64)
    where = location_note(engine)
    for own, each in zip(places.T, by, strict=True):
        strange, gone = own == OTHER, own == MISSING
        unknown = bool(strange.any()) and each.rest is None and not each.drops_other
        lacking = bool(gone.any()) and each.missing == "refuse"
        _require_stillness(data, each.column, unknown, lacking, where)
        if unknown:
            raise label_error(title_of(each.column), where)
        refuse_missing(int(lacking), "refuse", each.column, where)
        taken = strange | gone if each.missing == "other" else strange
        own = own if each.rest is None else np.where(taken, each.rest, own)
        kept &= own >= 0
        group = group * len(each.labels) + own
    return kept, group[kept]


def _apart(group: Integers, rows: Integers, groups: int) -> list[PlaceCounts]:
    """The places of each group, and how many values stand there."""
    order = np.argsort(group, kind="stable")
    ends = np.searchsorted(group[order], np.arange(1, groups))
    parts = np.split(rows[order], ends)
    return [add_counts(part[:, -2], part[:, -1]) for part in parts]
