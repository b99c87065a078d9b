"""Columns in memory read as places of declared values, and counted by node and class in one pass."""

import os
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from decimal import Decimal
from itertools import combinations_with_replacement
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dampen.errors import DataError
from dampen.statistics.columns import in_memory
from dampen.statistics.engines.base import Bits, Coding, Edges, Labels, Route, Way, written
from dampen.statistics.engines.labels import Places, as_floats, is_float, native_numbers, native_truths
from dampen.vectors import Integers

Codes = NDArray[Any]
"""Whole numbers of any size: columns that hold their places already are taken as they are."""
FEW = 100_000
"""Fewer rows are counted by one thread."""
BLOCK = 2**16
"""So many rows are looked at together."""
WIDEST_TABLE = 2**16
"""Whole numbers within so many of each other are looked up in a table."""


def coded(found: Any, coding: Coding, title: str) -> Codes:
    """The place of each value, -1 where it has none."""
    column = as_plain(found)
    if column.ndim != 1:
        raise DataError(f"{title} must be one-dimensional")
    return _among_edges(column, coding, title) if isinstance(coding, Edges) else _among_labels(column, coding)


def as_plain(found: Any) -> NDArray[Any]:
    """A column as an array; masked entries become missing values."""
    if isinstance(found, np.ma.MaskedArray):
        return np.array(found.tolist(), dtype=object)
    if isinstance(found, np.ndarray):
        return found
    listed = getattr(found, "to_numpy", None)
    return np.asarray(found if listed is None else listed())


def _among_edges(column: NDArray[Any], coding: Edges, title: str) -> Codes:
    try:
        numbers = as_floats(column)
    except (TypeError, ValueError):
        raise DataError(f"{title} must hold numbers, and no missing values") from None
    finite = np.isfinite(numbers)
    places = np.searchsorted(np.array(coding.edges), np.clip(numbers, coding.low, coding.high), side="right")
    return np.where(finite, places, -1).astype(np.int32)


def _among_labels(column: NDArray[Any], coding: Labels) -> Codes:
    codes = label_codes(column, coding.values)
    return codes if coding.other is None else np.where(codes < 0, coding.other, codes)


def label_codes(column: NDArray[Any], labels: tuple[Any, ...]) -> Codes:
    """The place of each value among the labels; in a column of texts a label stands as it prints."""
    places = {label: place for place, label in enumerate(labels)}
    if column.dtype.kind in "OUT":
        places = {text: place for place, label in enumerate(labels) for text in written(label)} | places
        try:
            plain = (float(item) if isinstance(item, Decimal) else item for item in column.tolist())
            return np.fromiter((places.get(item, -1) for item in plain), np.int32, len(column))
        except TypeError:
            raise DataError("a column must hold single labels") from None
    if column.dtype.kind in "iu" and len(column) and int(column.max()) - int(column.min()) < WIDEST_TABLE:
        low, high = int(column.min()), int(column.max())
        known = [places.get(value, -1) for value in range(low, high + 1)]
        if known == list(range(low, high + 1)):
            return column if np.can_cast(column.dtype, np.int64) else column.astype(np.int64)
        return np.array(known, dtype=np.int32)[column.astype(np.int64) - low]
    distinct, inverse = np.unique(column, return_inverse=True)
    return np.array([places.get(item, -1) for item in distinct.tolist()], dtype=np.int32)[inverse]


def equal_to(found: Any, value: Any) -> NDArray[np.bool_]:
    """Which values equal a public one; a missing value equals nothing."""
    if isinstance(found, np.ndarray) and found.dtype.kind in "iufb":
        return _equal_numbers(found, value)
    listed = getattr(found, "to_list", None) or getattr(found, "tolist", None)
    items, places, known = found if listed is None else listed(), Places.of((value,)), dict[Any, bool]()
    try:
        for item in set(items):
            known[item] = places.place(item) == 0
    except TypeError:
        raise DataError("a column must hold single labels") from None
    return np.fromiter((known.get(item, False) for item in items), np.bool_, len(items))


def _equal_numbers(found: NDArray[Any], value: Any) -> NDArray[np.bool_]:
    """NumPy would round whole numbers to floats, and a float to the width of the column, before it compares them."""
    truths = found.dtype.kind == "b"
    numbers = [*native_truths(value)] if truths else [*native_numbers(value)]
    fits = [number for number in numbers if is_float(number) or found.dtype.kind in "iu"]
    wide = found.astype(np.float64, copy=False) if found.dtype.kind == "f" else found
    return np.asarray(wide == fits[0], dtype=np.bool_) if fits else np.zeros(len(found), dtype=np.bool_)


def length_of(data: Any) -> int:
    """The rows of a data frame of any library or of a mapping, or the items of a list, an array or a Series."""
    import narwhals as nw

    if isinstance(data, Mapping) and data:
        lengths = {len(in_memory(data, name)) for name in data}
        if len(lengths) > 1:
            raise DataError("all columns must have equally many rows")
        return lengths.pop()
    native = nw.from_native(data, allow_series=True, pass_through=True)
    if isinstance(native, nw.LazyFrame):
        return int(native.select(nw.len()).collect().item())
    return len(native) if isinstance(native, nw.DataFrame) else len(in_memory(data, None))


def routed(route: Way, codes: Sequence[Codes], rows: int) -> Codes:
    """The node of each row."""
    if isinstance(route, Bits):
        bits = np.zeros(rows, dtype=np.int32)
        for one, places in route.tests:
            bits = 2 * bits + np.isin(codes[one], places)
        return bits.astype(np.int32)
    if isinstance(route, int):
        return np.full(rows, route, dtype=np.int32)
    return _walked(route, codes, rows)


def _walked(route: Route, codes: Sequence[Codes], rows: int) -> Codes:
    """Down a tree of tests, a block of rows at a time: columns of all kinds stand side by side in it."""
    from dampen.statistics.engines.array_kernel import walk

    tests, firsts, leads = _flat(route)
    used = sorted({*tests})
    slots = np.array([used.index(one) for one in tests], dtype=np.int32)
    nodes = np.empty(rows, dtype=np.int32)

    def fill(start: int) -> None:
        end = min(start + BLOCK, rows)
        block = np.array([codes[one][start:end] for one in used], dtype=np.int32)
        walk(block, slots, firsts, leads, nodes[start:end])

    in_threads(fill, range(0, rows, BLOCK), rows)
    return nodes


def _flat(route: Route) -> tuple[list[int], Integers, Integers]:
    """Tests in order: the attribute of each, where its branches begin, and where they lead: another, or -2 - node."""
    tests, firsts, leads = [route], list[int](), list[int]()
    for test in tests:
        firsts.append(len(leads))
        for branch in test.branches:
            leads.append(-2 - branch if isinstance(branch, int) else len(tests))
            tests += [branch] if isinstance(branch, Route) else []
    return [test.attribute for test in tests], np.array(firsts), np.array(leads)


def in_threads(action: Callable[[int], None], places: range, rows: int) -> None:
    """Do something at all places, in several threads where there are many rows."""
    with ThreadPoolExecutor(max_workers=1 if rows < FEW else os.cpu_count()) as threads:
        list(threads.map(action, places))


def counts_of(codes: Codes, size: int) -> Integers:
    """How often each place occurs; -1 is none. A block at a time, since bincount makes a wide copy."""
    parts = (codes[start : start + BLOCK] for start in range(0, len(codes), BLOCK))
    return sum((np.bincount(part[part >= 0], minlength=size) for part in parts), np.zeros(size, dtype=np.int64))


def count_level(
    codes: Sequence[Codes], classes: Codes, nodes: Codes, sizes: tuple[int, ...], kinds: int, count: int
) -> Integers:
    """Counts of shape (count, all places, kinds): node, place of an attribute, class."""
    from dampen.statistics.engines.array_kernel import count_codes

    starts = np.concatenate([[0], np.cumsum(sizes)])
    counts = np.zeros((count, int(starts[-1]), kinds), dtype=np.int64)

    def fill(place: int) -> None:
        part = count_codes(codes[place], classes, nodes, sizes[place], kinds, count)
        counts[:, starts[place] : starts[place + 1]] = part

    in_threads(fill, range(len(codes)), len(classes))
    return counts


def count_pairs(codes: Sequence[Codes], classes: Codes, nodes: Codes, sizes: tuple[int, ...], kinds: int) -> Integers:
    """Rows (node times kinds plus class, place, place, count) for every two attributes, and each with itself."""
    starts = np.concatenate([[0], np.cumsum(sizes)])
    groups = np.where(nodes >= 0, nodes.astype(np.int64) * kinds + classes, -1)
    found = []
    for one, two in combinations_with_replacement(range(len(codes)), 2):
        keys = ((groups * sizes[one]) + codes[one]) * sizes[two] + codes[two]
        distinct, counts = np.unique(keys[groups >= 0], return_counts=True)
        rest, second = np.divmod(distinct, sizes[two])
        group, first = np.divmod(rest, sizes[one])
        found.append(np.column_stack([group, first + starts[one], second + starts[two], counts]))
    return np.concatenate(found).astype(np.int64)
