"""How many values each declared category has."""

from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dampen._validate import one_of, shown
from dampen.errors import DataError, ParameterError
from dampen.statistics.columns import as_missing, in_memory, refuse_missing, titled
from dampen.statistics.files import FileColumn, opened_column
from dampen.vectors import Integers

MISSING, OTHER = -1, -2
"""In place of a category: the value is missing, or is none of the categories."""


def count_categories(
    values: Any,
    categories: Sequence[Any] | NDArray[Any],
    *,
    column: str | None = None,
    missing: str = "refuse",
    other: str = "refuse",
) -> Integers:
    """How many values each category has, in the order of the categories. Not private.

    Values in memory count where they equal a category. A file is grouped inside DuckDB, by text: a field counts where
    it reads as the category prints, or else where both are the same number, so that ``1``, ``1.0`` and ``01`` count for
    the category 1, and ``true`` for ``True``.

    Parameters
    ----------
    values
        A list or array, a Series, a data frame or a mapping with ``column``, or the path of a CSV or Parquet file with
        ``column``.
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
    counted = tally(values, labels, column)
    refuse_missing(counted.pop(MISSING, 0), mode, column)
    if counted.pop(OTHER, 0) and other == "refuse":
        raise DataError(
            f"{titled(column)} must hold only the declared categories; other='drop' (--drop-other) leaves the rest out"
        )
    return np.array([counted.get(place, 0) for place in range(len(labels))], dtype=np.int64)


def tally(values: Any, labels: tuple[Any, ...], column: str | None) -> dict[int, int]:
    """How many values each category has, by its place; beside them those MISSING and OTHER."""
    if isinstance(values, str | Path):
        with opened_column(values, column) as source:
            return _count_file(source, labels)
    return _count_items(in_memory(values, column), labels, column)


def as_categories(categories: Any, title: str = "categories") -> tuple[Any, ...]:
    """The caller's categories as Python's own labels. ``title``: how a message names them."""
    rule = f"{title} must be an ordered sequence of distinct hashable labels, none of them missing"
    try:
        if isinstance(categories, str | bytes | set | frozenset | dict):
            raise TypeError
        labels = tuple(categories.tolist() if isinstance(categories, np.ndarray) else categories)
        distinct = len(set(labels)) == len(labels)
    except TypeError:
        raise ParameterError(f"{rule}; got {shown(categories)}") from None
    if not labels:
        raise ParameterError(f"{title} must not be empty")
    if not distinct or any(absent(label) for label in labels):
        raise ParameterError(f"{rule}; got {shown(categories)}")
    return labels


def absent(value: Any) -> bool:
    """Whether a value is missing. (NaN alone differs from itself.)"""
    return value is None or type(value).__name__ in ("NAType", "NaTType") or bool(value != value)


def _count_items(found: Any, labels: tuple[Any, ...], column: str | None) -> dict[int, int]:
    listed = getattr(found, "to_list", None) or getattr(found, "tolist", None)
    items = found if listed is None else listed()
    try:
        counts = Counter(items)
    except TypeError:
        raise DataError(f"{titled(column)} must hold single labels") from None
    places = {label: place for place, label in enumerate(labels)}
    counted: Counter[int] = Counter()
    for value, count in counts.items():
        counted[MISSING if absent(value) else places.get(value, OTHER)] += count
    return dict(counted)


def _count_file(source: FileColumn, labels: tuple[Any, ...]) -> dict[int, int]:
    """The counts by category, joined and grouped inside DuckDB: no value leaves it, only places and counts."""
    texts, numbers = _texts(labels), _numbers(labels)
    source.connection.register("texts", {"text": np.array([*texts], dtype=object), "a": np.array([*texts.values()])})
    source.connection.register("numbers", {"number": np.array([*numbers], dtype=float), "b": _places(numbers)})
    missing = f"case when read.text is null or lower(trim(read.text)) in ('', 'nan') then {MISSING} end"
    rows = source.fetch(
        f"""
        with read as (select cast(value as varchar) as text, count(*) as count from data group by 1)
        select cast(coalesce(a, {missing}, b, {OTHER}) as bigint) as place, cast(sum(count) as bigint) as count
        from read left join texts on read.text = texts.text
        left join numbers on try_cast(replace(read.text, '_', 'x') as double) = number
        group by 1
        """
    )
    return dict(zip(rows["place"].tolist(), rows["count"].tolist(), strict=True))


def _places(numbers: dict[float, int]) -> Integers:
    return np.array([*numbers.values()], dtype=np.int64)


def _texts(labels: tuple[Any, ...]) -> dict[str, int]:
    """How each label may be written in a file."""
    texts: dict[str, int] = {}
    for place, label in enumerate(labels):
        for text in {str(label), str(label).lower()} if isinstance(label, bool | np.bool_) else {str(label)}:
            if texts.setdefault(text, place) != place:
                raise ParameterError(f"categories must differ as text to be found in a file; got {shown(labels)}")
    return texts


def _numbers(labels: tuple[Any, ...]) -> dict[float, int]:
    """The labels that are numbers, where a float holds them exactly."""
    numbers: dict[float, int] = {}
    for place, label in enumerate(labels):
        if isinstance(label, int | float | np.integer) and not isinstance(label, bool) and -(2**53) < label < 2**53:
            numbers[float(label)] = place
    return numbers
