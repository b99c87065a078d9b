"""Joint counts of classes with attributes, node by node: one pass over the records for a whole level of a tree.

``slots`` has a row for each record and a column for each attribute: the place of its value among the values of all
attributes, as :class:`Layout` lays them out. ``nodes`` is the place of each record's node (negative: it has left the
tree), ``classes`` its class. Nothing is checked: all must be within what the layout says.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numba import njit
from numpy.typing import NDArray

from dampen.tables.engines.base import CodedTable
from dampen.vectors import Floats, Integers

Codes = NDArray[Any]
"""A small whole number for each record, or for each attribute and record: columns that hold places keep their type."""
Slots = NDArray[np.uint16] | NDArray[np.uint32]
ROWS_AT_ONCE = 64
CELLS_PER_EDGE = 32
SMALL = 2**16
"""So many slots fit in 16 bits."""


@dataclass(frozen=True)
class Layout:
    """Where the counts of each attribute stand: ``sizes`` values each, times ``classes``."""

    sizes: tuple[int, ...]
    classes: int

    @cached_property
    def starts(self) -> Integers:
        """The place at which each attribute begins, and the end."""
        return np.concatenate([[0], np.cumsum(self.sizes)]).astype(np.int64)

    @property
    def width(self) -> int:
        """How many values all attributes have together."""
        return int(sum(self.sizes))


def as_slots(codes: Codes, starts: Integers) -> Slots:
    """Codes by attribute and record as slots by record and attribute, in half the memory where they are small."""
    slots = np.empty(codes.shape[::-1], dtype=np.uint16 if starts[-1] <= SMALL else np.uint32)
    _fill_slots(codes, starts, slots)
    return slots


@njit(cache=True, nogil=True)
def _fill_slots(codes: Codes, starts: Integers, slots: Slots) -> None:
    """A few records at a time, which stay in the processor's nearest cache."""
    for first in range(0, codes.shape[1], ROWS_AT_ONCE):
        end = min(first + ROWS_AT_ONCE, codes.shape[1])
        for place in range(codes.shape[0]):
            for row in range(first, end):
                slots[row, place] = starts[place] + codes[place, row]


def count_level(slots: Slots, classes: Codes, nodes: Codes, layout: Layout, asked: Integers) -> Integers:
    """Counts of shape (len(asked), layout.width, layout.classes): node, value of an attribute, class.

    ``asked`` are the nodes that are counted, in increasing order.
    """
    counts = np.zeros(len(asked) * layout.width * layout.classes, dtype=np.int64)
    if len(asked):
        firsts = np.full(int(asked[-1]) + 1, -1, dtype=np.int64)
        firsts[asked] = np.arange(len(asked)) * layout.width * layout.classes
        _count_level(slots, classes, nodes, layout.classes, firsts, counts)
    return counts.reshape(len(asked), layout.width, layout.classes)


@njit(cache=True, nogil=True)
def _count_level(slots: Slots, classes: Codes, nodes: Codes, kinds: int, firsts: Integers, counts: Integers) -> None:
    """Places are unsigned: compiled code then need not look for negative ones."""
    step = np.uint64(kinds)
    for row in range(len(nodes)):
        node = nodes[row]
        if 0 <= node < len(firsts) and firsts[node] >= 0:
            first = np.uint64(firsts[node] + classes[row])
            for place in range(slots.shape[1]):
                counts[first + step * np.uint64(slots[row, place])] += 1


@njit(cache=True, nogil=True)
def descend(slots: Slots, nodes: Codes, attributes: Integers, firsts: Integers) -> Codes:
    """The node of each record one level down: ``firsts`` of its node and its slot of the node's attribute further.

    Records of nodes with a negative attribute leave the tree.
    """
    below = np.empty(len(nodes), dtype=np.int32)
    for row in range(len(nodes)):
        node = nodes[row]
        stays = node >= 0 and attributes[node] >= 0
        below[row] = firsts[node] + slots[row, attributes[node]] if stays else -1
    return below


@njit(cache=True, nogil=True)
def intervals(column: Floats, edges: Floats) -> Codes:
    """How many of the increasing edges are not above each number.

    The span of the edges is cut into cells, several for each edge. Of each cell it is noted how many edges lie in it or
    below; a number begins there and goes down past those above it, which are in its own cell and so mostly none.
    """
    count = len(edges)
    if count == 0:
        return np.zeros(len(column), dtype=np.int32)
    last = count * CELLS_PER_EDGE
    span = edges[count - 1] - edges[0]
    slope = last / span if span > 0 else 0.0
    places = np.zeros(last + 1, dtype=np.int32)
    for place in range(count):
        places[_cell(edges[place], edges[0], slope, last)] = place + 1
    for cell in range(last):
        places[cell + 1] = max(places[cell], places[cell + 1])
    codes = np.empty(len(column), dtype=np.int32)
    for row in range(len(column)):
        place = places[_cell(column[row], edges[0], slope, last)]
        while place > 0 and edges[place - 1] > column[row]:
            place -= 1
        codes[row] = place
    return codes


@njit(cache=True, nogil=True, inline="always")
def _cell(number: float, first: float, slope: float, last: int) -> int:
    """The cell of a number; it never falls as numbers rise."""
    distance = (number - first) * slope
    if distance >= last:
        return last
    return int(distance) if distance > 0 else 0


@njit(cache=True, nogil=True)
def look_up(column: Floats, low: int, table: Codes) -> Codes:
    """``table[v - low]`` for each whole number v among the values, and the table's last entry for all others."""
    codes = np.empty(len(column), dtype=np.int32)
    for row in range(len(column)):
        value = column[row]
        inside = low <= value < low + len(table) - 1
        place = np.int64(value) - low if inside else len(table) - 1
        codes[row] = table[place if not inside or place + low == value else len(table) - 1]
    return codes


@njit(cache=True, nogil=True)
def as_columns(table: Floats) -> Floats:
    """A table turned on its side, a few rows at a time, which stay in the processor's nearest cache."""
    columns = np.empty((table.shape[1], table.shape[0]))
    for start in range(0, table.shape[0], ROWS_AT_ONCE):
        end = min(start + ROWS_AT_ONCE, table.shape[0])
        for place in range(table.shape[1]):
            for row in range(start, end):
                columns[place, row] = table[row, place]
    return columns


@njit(cache=True, nogil=True)
def count_codes(codes: Codes, classes: Codes, nodes: Codes, size: int, kinds: int, count: int) -> Integers:
    """The joint counts of one attribute with nodes and classes; threads may run it side by side."""
    table = np.zeros((count, size, kinds), dtype=np.int64)
    for row in range(len(codes)):
        if nodes[row] >= 0:
            table[nodes[row], codes[row], classes[row]] += 1
    return table


@njit(cache=True, nogil=True)
def walk(block: Codes, slots: Codes, firsts: Integers, leads: Integers, nodes: Codes) -> None:
    """Write the node of each row; a value that has no place leads nowhere.

    ``block`` has a row for each attribute that is tested; test t asks ``slots[t]`` and leads to ``leads[firsts[t]]``
    and what follows it: to another test, or to -2 - node.
    """
    # leads are whole numbers of either kind, tests from 0 on and nodes below, so that a row ends without a branch
    for row in range(len(nodes)):
        test = 0
        while test >= 0:
            code = block[slots[test], row]
            test = leads[firsts[test] + code] if code >= 0 else -1
        nodes[row] = -2 - test


class SlotLevels:
    """``codes``: the places of each attribute, all of them declared."""

    def __init__(self, codes: Sequence[Codes], classes: Codes, table: CodedTable) -> None:
        self._layout = Layout(table.sizes, table.classes.size)
        held = np.empty((len(codes), len(classes)), dtype=np.int32)
        for place, column in enumerate(codes):
            held[place] = column
        self._slots = as_slots(held, self._layout.starts)
        self._classes, self._nodes = classes.astype(np.int32), np.zeros(len(classes), dtype=np.int32)

    def tables(self, asked: Integers) -> Integers:
        """Joint counts at these nodes, in one pass."""
        return count_level(self._slots, self._classes, self._nodes, self._layout, asked)

    def descend(self, attributes: Integers, firsts: Integers) -> None:
        """The node of every row one level down."""
        self._nodes = descend(self._slots, self._nodes, attributes, firsts - self._layout.starts[attributes])
