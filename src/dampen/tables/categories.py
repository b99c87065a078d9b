"""How many values each declared category has."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dampen._validate import one_of, render
from dampen.errors import DataError, ParameterError
from dampen.tables.columns import as_missing, refuse_missing, titled
from dampen.tables.engines import opened
from dampen.tables.engines.base import inside
from dampen.tables.reading import MISSING, OTHER, is_missing
from dampen.vectors import Integers


def count_categories(
    values: Any,
    categories: Sequence[Any] | NDArray[Any],
    *,
    column: str | None = None,
    missing: str = "refuse",
    other: str = "refuse",
) -> Integers:
    """How many values each category has, in the order of the categories. Not private.

    The rule is the same wherever the values lie, and looks at one value at a time: a value counts where it is the
    category, or prints as it does, or else where both read as the same number, truth value or day. So ``1``, ``1.0``
    and ``"01"`` count for the category 1, and ``"true"`` for ``True``. All fields of a CSV file are texts.

    Parameters
    ----------
    values
        A list or array, a Series; with ``column`` a data frame, a mapping, a path or pattern of CSV or Parquet files,
        a DuckDB relation, an ibis table or a Spark data frame.
    categories
        All labels that could have occurred: distinct and hashable. They are public.
    missing
        ``"refuse"`` or ``"drop"``: what to do with null, ``None``, NaN and empty fields.
    other
        ``"refuse"`` or ``"drop"``: what to do with values that are none of the categories.

    >>> count_categories(["tea", "coffee", "tea"], ["coffee", "tea", "water"]).tolist()
    [1, 2, 0]
    """
    labels, mode = as_categories(categories), as_missing(missing)
    one_of(("refuse", "drop"), other=other)
    counted, where = tally(values, labels, column)
    refuse_missing(counted.pop(MISSING, 0), mode, column, where)
    if counted.pop(OTHER, 0) and other == "refuse":
        rule = "must hold only the declared categories; other='drop' (--drop-other) leaves the rest out"
        raise DataError(f"{titled(column)} {rule}{where}")
    return np.array([counted.get(place, 0) for place in range(len(labels))], dtype=np.int64)


def tally(values: Any, labels: tuple[Any, ...], column: str | None) -> tuple[dict[int, int], str]:
    """How many values each category has, by its place, beside them those MISSING and OTHER; and where the data lies."""
    with opened(values, column) as engine:
        return dict(engine.group_counts(column, labels)), inside(engine)


def as_categories(categories: Any, title: str = "categories") -> tuple[Any, ...]:
    """The caller's categories as Python's own labels. ``title``: how a message names them."""
    rule = f"{title} must be an ordered sequence of distinct hashable labels, none of them missing"
    try:
        if isinstance(categories, str | bytes | set | frozenset | dict):
            raise TypeError
        labels = tuple(map(_plain, categories))
        distinct = len(set(labels)) == len(labels)
    except (TypeError, UnicodeEncodeError):
        raise ParameterError(f"{rule}; got {render(categories)}") from None
    if not labels:
        raise ParameterError(f"{title} must not be empty")
    if not distinct or any(is_missing(label) for label in labels):
        raise ParameterError(f"{rule}; got {render(categories)}")
    return labels


def _plain(label: Any) -> Any:
    """A label of NumPy's as Python's own; its times would become bare numbers. A text must be valid Unicode."""
    if isinstance(label, str):
        label.encode()
    return label.item() if isinstance(label, np.generic) and not isinstance(label, np.datetime64) else label
