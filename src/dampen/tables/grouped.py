"""The values of every group of a table, counted where the table lies: no row leaves it.

A scan for each category, and one more for the category that takes the rest: its counts are those of all rows less those
of the other categories.
"""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from dampen._validate import render
from dampen.errors import DataError, ParameterError
from dampen.tables.columns import titled
from dampen.tables.engines import Engine, opened
from dampen.tables.engines.base import inside
from dampen.tables.grid import Grid
from dampen.tables.groups import REST, as_group_missing, group_sizes, rest_place
from dampen.tables.order import GridCounts
from dampen.tables.reading import MISSING, OTHER
from dampen.vectors import Integers

Counts = Mapping[int, int]
"""How many values stand at each place, ``OTHER`` and ``MISSING`` among the places."""
Count = Callable[[Engine], Counts]


def grids_by_group(data: Any, grid: Grid, labels: Sequence[Any], **named: Any) -> list[GridCounts]:
    """The values of a column counted on a grid, for each group. ``named``: as for :func:`counts_by_group`.

    >>> from dampen.tables.grid import as_grid
    >>> table = {"age": [31, 35, 52], "sex": ["F", "F", "M"]}
    >>> found = grids_by_group(table, as_grid(range(121)), ("F", "M"), column="age", by="sex")
    >>> [counted.places.tolist() for counted in found]
    [[31, 35], [52]]
    """
    column = named["column"]

    def count(engine: Engine) -> Counts:
        places, counts = engine.histogram(column, grid)
        return dict(zip(places.tolist(), counts.tolist(), strict=True))

    found = counts_by_group(data, count, labels, rule="must hold numbers, none of them missing", **named)
    return [GridCounts(grid, sorted(each), [each[place] for place in sorted(each)]) for each in found]


def categories_by_group(data: Any, choices: Sequence[Any], labels: Sequence[Any], **named: Any) -> list[Integers]:
    """How many values each choice has, for each group. ``named``: as for :func:`counts_by_group`.

    >>> table = {"ill": ["flu", "flu", "gout"], "sex": ["F", "F", "M"]}
    >>> found = categories_by_group(table, ("flu", "gout"), ("F", "M"), column="ill", by="sex")
    >>> [counts.tolist() for counts in found]
    [[2, 0], [0, 1]]
    """
    column, rule = named["column"], "must hold only the declared choices, none of them missing"
    found = counts_by_group(data, lambda engine: engine.group_counts(column, choices), labels, rule=rule, **named)
    return [np.array([each.get(place, 0) for place in range(len(choices))], dtype=np.int64) for each in found]


def counts_by_group(
    data: Any,
    count: Count,
    labels: Sequence[Any],
    *,
    column: str,
    by: str,
    rule: str,
    other: Any = REST,
    missing: str = "refuse",
) -> list[Counts]:
    """What ``count`` finds in the rows of each group: rows whose column ``by`` holds this label. Not private.

    ``rule``: what must hold of the values; ``other`` and ``missing`` are as for
    :func:`~dampen.tables.groups.place_groups`.

    Every row counts in one group, for a value stands for one label: that is what lets all groups together cost what
    one does. Sizes are counted once more.
    """
    if column == by:
        raise ParameterError(f"groups must be another column than that of the values; got {render(by)}")
    rest = rest_place(labels, other)
    mode = as_group_missing(missing, rest)
    with opened(data, column, by) as engine:
        for name in (column, by):
            engine.require(name)
        sizes = group_sizes(dict(engine.group_counts(by, labels)), len(labels), rest, mode, titled(by), inside(engine))
        parts = [{} if place == rest else count(engine.part(by, labels, place)) for place in range(len(labels))]
        if rest is not None:
            parts[rest] = _less(count(engine), parts)
        if any(MISSING in part or OTHER in part for part in parts):
            raise DataError(f"{titled(column)} {rule}{inside(engine)}")
        negative = any(count < 0 for part in parts for count in part.values())
        if negative or [sum(part.values()) for part in parts] != sizes.tolist():
            raise DataError(f"{titled(by)} must not change while it is counted, and each value be of one category")
    return parts


def _less(whole: Counts, parts: Sequence[Counts]) -> Counts:
    """What the parts leave of the whole."""
    left = Counter(whole)
    for part in parts:
        left.subtract(part)
    return {place: count for place, count in left.items() if count}
