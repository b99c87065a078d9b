"""Columns in memory read as places of declared values, and counted by node and class in one pass."""

import os
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dampen.errors import DataError
from dampen.tables.columns import Column, Items, Typed, floats_of, items_of, raw_values
from dampen.tables.engines.base import Bins, Bits, Coding, Route, RowForm, RowReading, Way
from dampen.tables.engines.labels import Places
from dampen.tables.reading import MISSING, OTHER
from dampen.vectors import Floats, Integers

Codes = NDArray[Any]
"""Whole numbers of any size: columns that hold their places already are taken as they are."""
FEW = 100_000
"""Fewer rows are counted by one thread."""
PER_THREAD = 2**20
"""So many rows take as little as it takes to start a thread, where each has little to do."""
BLOCK = 2**16
"""So many rows are looked at together."""
WIDEST_TABLE = 2**16
"""Whole numbers within so many of each other are looked up in a table."""


def encode_column(column: Column, coding: Coding) -> Codes:
    """The place of each value, -1 where it has none."""
    if isinstance(coding, Bins):
        return _bin_places(floats_of(column), coding)
    places = Places.of(coding.values)
    if isinstance(column, Typed) and column.absent is None and _are_places(column.array, places):
        return column.array
    codes = label_places(column, places)
    if not len(codes) or codes.min() >= 0:
        return codes
    return np.where(codes < 0, -1 if coding.other is None else coding.other, codes)


def _bin_places(numbers: Floats, coding: Bins) -> Codes:
    from dampen.tables.contingency import intervals

    edges, ends = (
        np.array(coding.edges, dtype=np.float64),
        (numbers.min(initial=coding.high), numbers.max(initial=coding.low)),
    )
    if np.isfinite(ends).all():
        return intervals(np.clip(numbers, coding.low, coding.high) if _leave_bounds(ends, coding) else numbers, edges)
    return np.where(np.isfinite(numbers), intervals(np.clip(numbers, coding.low, coding.high), edges), -1)


def _leave_bounds(ends: tuple[float, float], coding: Bins) -> bool:
    return bool(ends[0] < coding.low or ends[1] > coding.high)


def label_places(column: Column, places: Places) -> Codes:
    """The place of the label that each value stands for, ``MISSING`` or ``OTHER``: numbers of 32 bits."""
    if isinstance(column, Items):
        return _places_of_items(column.items, places)
    array = column.array
    if array.dtype.kind == "b":
        found = np.where(array, *(places.truths.get(truth, OTHER) for truth in (True, False))).astype(np.int32)
    elif array.dtype.kind == "f":
        found = _places_of_floats(array.astype(np.float64, copy=False), places.reals())
    else:
        found = _places_of_wholes(array, places)
    return found if column.absent is None else np.where(column.absent, MISSING, found)


class _Texts(dict[str, int]):
    """The place of a text, read when it is first met: equal texts stand for the same label."""

    def __init__(self, places: Places) -> None:
        super().__init__(places.texts)
        self._places = places

    def __missing__(self, text: str) -> int:
        self[text] = place = self._places.place_of_text(text)
        return place


def _places_of_items(items: list[Any], places: Places) -> Codes:
    texts = _Texts(places)
    if set(map(type, items)) == {str}:
        return np.fromiter(map(texts.__getitem__, items), np.int32, len(items))
    read = (texts[item] if type(item) is str else places.place(item) for item in items)
    return np.fromiter(read, np.int32, len(items))


def _places_of_floats(array: Floats, keys: Mapping[float, int]) -> Codes:
    from dampen.tables.contingency import look_up

    if keys and all(number.is_integer() and abs(number) < WIDEST_TABLE for number in keys):
        low, table = _table({int(number): place for number, place in keys.items()})
        found = look_up(array, low, table)
    else:
        found = _sorted_look_up(array, keys, np.float64)
    found[np.isnan(array)] = MISSING
    return found


def _places_of_wholes(array: NDArray[Any], places: Places) -> Codes:
    if array.dtype == np.uint64:
        numbers = {int(n): place for n, place in places.numbers.items() if n == n // 1 and 0 <= n < 2**64}
        return _sorted_look_up(array, numbers, np.uint64)
    keys = places.wholes()
    if not keys or max(keys) - min(keys) >= WIDEST_TABLE or abs(max(keys)) >= 2**62:
        return _sorted_look_up(array, keys, np.int64)
    low, table = _table(keys)
    found = np.empty(len(array), dtype=np.int32)

    def fill(start: int) -> None:
        block = array[start : start + BLOCK]
        if block.min() < low or block.max() >= low + len(table):
            block = np.clip(block.astype(np.int64, copy=False), low - 1, low + len(table) - 1)
        table.take(block.astype(np.int64, copy=False) - low if low else block, out=found[start : start + BLOCK])

    run_in_threads(fill, range(0, len(array), BLOCK), len(array), PER_THREAD)
    return found


def _are_places(array: NDArray[Any], places: Places) -> bool:
    """Whether whole numbers are their own places, so that a large column need not be copied."""
    keys = places.wholes()
    if array.dtype.kind not in "iu" or not len(array) or not keys:
        return False
    own = all(keys.get(place) == place for place in range(len(keys)))
    return own and int(array.min()) >= 0 and int(array.max()) < len(keys) and np.can_cast(array.dtype, np.int64)


def _table(keys: Mapping[int, int]) -> tuple[int, Codes]:
    """The lowest key, and places from it on. The entry behind the last key, which -1 reaches too, is ``OTHER``."""
    low = min(keys)
    table = np.full(max(keys) - low + 2, OTHER, dtype=np.int32)
    for key, place in keys.items():
        table[key - low] = place
    return low, table


def _sorted_look_up(array: NDArray[Any], keys: Mapping[Any, int], dtype: Any) -> Codes:
    """Each number is looked for among the sorted keys, which are public."""
    if not keys:
        return np.full(len(array), OTHER, dtype=np.int32)
    ordered = np.array(sorted(keys), dtype=dtype)
    codes = np.array([keys[key] for key in sorted(keys)], dtype=np.int32)
    near = np.minimum(np.searchsorted(ordered, array), len(ordered) - 1)
    return np.where(ordered[near] == array, codes[near], OTHER).astype(np.int32)


def length_of(data: Any) -> int:
    """The rows of a data frame of any library or of a mapping, or the items of a list, an array or a Series."""
    import narwhals as nw

    if isinstance(data, Mapping) and data:
        lengths = {len(raw_values(data, name)) for name in data}
        if len(lengths) > 1:
            raise DataError("all columns must have equally many rows")
        return lengths.pop()
    native = nw.from_native(data, allow_series=True, pass_through=True)
    if isinstance(native, nw.LazyFrame):
        return int(native.select(nw.len()).collect().item())
    return len(native) if isinstance(native, nw.DataFrame) else len(raw_values(data, None))


def route_rows(route: Way, codes: Sequence[Codes], rows: int) -> Codes:
    """The node of each row."""
    if isinstance(route, Bits):
        bits = np.zeros(rows, dtype=np.int32)
        for one, places in route.tests:
            bits = 2 * bits + np.isin(codes[one], places)
        return bits.astype(np.int32)
    if isinstance(route, int):
        return np.full(rows, route, dtype=np.int32)
    return _walk_tree(route, codes, rows)


def _walk_tree(route: Route, codes: Sequence[Codes], rows: int) -> Codes:
    """Down a tree of tests, a block of rows at a time: columns of all kinds stand side by side in it."""
    from dampen.tables.contingency import walk

    tests, firsts, leads = _flatten(route)
    used = sorted({*tests})
    slots = np.array([used.index(one) for one in tests], dtype=np.int32)
    nodes = np.empty(rows, dtype=np.int32)

    def fill(start: int) -> None:
        end = min(start + BLOCK, rows)
        block = np.array([codes[one][start:end] for one in used], dtype=np.int32)
        walk(block, slots, firsts, leads, nodes[start:end])

    run_in_threads(fill, range(0, rows, BLOCK), rows)
    return nodes


def _flatten(route: Route) -> tuple[list[int], Integers, Integers]:
    """Tests in order: the attribute of each, where its branches begin, and where they lead: another, or -2 - node."""
    tests, firsts, leads = [route], list[int](), list[int]()
    for test in tests:
        firsts.append(len(leads))
        for branch in test.branches:
            leads.append(-2 - branch if isinstance(branch, int) else len(tests))
            tests += [branch] if isinstance(branch, Route) else []
    return [test.attribute for test in tests], np.array(firsts), np.array(leads)


def run_in_threads(action: Callable[[int], None], places: range, rows: int, few: int = FEW) -> None:
    """Do something at all places, in several threads where there are not few rows."""
    if rows < few:
        for place in places:
            action(place)
        return
    with ThreadPoolExecutor(max_workers=os.cpu_count()) as threads:
        list(threads.map(action, places))


def counts_from(codes: Codes, first: int, size: int) -> Integers:
    """How often each of the places first, first + 1, ... before ``size`` occurs.

    A block at a time, since bincount makes a wide copy.
    """
    parts = (codes[start : start + BLOCK].astype(np.int64) - first for start in range(0, len(codes), BLOCK))
    return sum((np.bincount(part, minlength=size - first) for part in parts), np.zeros(size - first, dtype=np.int64))


def row_values(column: Column, reading: RowReading) -> NDArray[Any]:
    """A column as it leaves row by row."""
    if isinstance(reading, tuple):
        return label_places(column, Places.of(reading))
    if reading is RowForm.FLOATS:
        return floats_of(column)
    if reading is RowForm.PERSONS:
        from dampen.tables.engines.written_persons import write_persons

        return write_persons(column)
    if isinstance(column, Typed) and column.absent is None:
        return column.array
    items = np.empty(len(column), dtype=object)
    items[:] = items_of(column)
    return items


def count_level(
    codes: Sequence[Codes], classes: Codes, nodes: Codes, sizes: tuple[int, ...], kinds: int, count: int
) -> Integers:
    """Counts of shape (count, all places, kinds): node, place of an attribute, class."""
    from dampen.tables.contingency import count_codes

    starts = np.concatenate([[0], np.cumsum(sizes)])
    counts = np.zeros((count, int(starts[-1]), kinds), dtype=np.int64)

    def fill(place: int) -> None:
        part = count_codes(codes[place], classes, nodes, sizes[place], kinds, count)
        counts[:, starts[place] : starts[place + 1]] = part

    run_in_threads(fill, range(len(codes)), len(classes))
    return counts
