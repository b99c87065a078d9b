"""Joint counts of classes with attributes, node by node: one pass over the rows for a whole level of a tree.

``codes`` has a row for each attribute and a column for each record, ``nodes`` the place of each record's node
(negative: it has left the tree), ``classes`` its class. All counts of a level are one vector; :class:`Layout` tells
where each attribute's lie. Nothing is checked: codes, nodes and classes must be within what the layout says.
"""

from dataclasses import dataclass

import numpy as np
from numba import njit
from numpy.typing import NDArray

from dampen.vectors import Floats, Integers

Codes = NDArray[np.int32]
"""Of shape (attributes, records), or one number for each record."""
MOST_COMPARED = 40
"""Numbers are compared with each of so many edges; among more they are searched."""
ROWS_AT_ONCE = 64
BLOCK = 2048
"""So many numbers stay in the processor's nearest cache."""


@dataclass(frozen=True)
class Layout:
    """Where the counts of each attribute stand: ``sizes`` values each, times ``classes``."""

    sizes: tuple[int, ...]
    classes: int

    @property
    def starts(self) -> Integers:
        """The place at which each attribute begins, and the end."""
        return np.concatenate([[0], np.cumsum(self.sizes)]).astype(np.int64)

    @property
    def width(self) -> int:
        """How many values all attributes have together."""
        return int(sum(self.sizes))


def count_level(codes: Codes, classes: Codes, nodes: Codes, layout: Layout, asked: Integers) -> Integers:
    """Counts of shape (len(asked), layout.width, layout.classes): node, value of an attribute, class.

    ``asked`` are the nodes that are counted, in increasing order.
    """
    counts = np.zeros(len(asked) * layout.width * layout.classes, dtype=np.int64)
    if len(asked):
        firsts = np.full(int(asked[-1]) + 1, -1, dtype=np.int64)
        firsts[asked] = np.arange(len(asked)) * layout.width * layout.classes
        _count_level(codes, classes, nodes, layout.starts * layout.classes, layout.classes, firsts, counts)
    return counts.reshape(len(asked), layout.width, layout.classes)


@njit(cache=True, nogil=True)
def _count_level(
    codes: Codes, classes: Codes, nodes: Codes, starts: Integers, kinds: int, firsts: Integers, counts: Integers
) -> None:
    """Places are unsigned: compiled code then need not look for negative ones."""
    rows, kept = np.empty(len(nodes), dtype=np.uint32), 0
    bases = np.empty(len(nodes), dtype=np.int64)
    for row in range(len(nodes)):
        node = nodes[row]
        if 0 <= node < len(firsts) and firsts[node] >= 0:
            rows[kept], bases[kept] = row, firsts[node] + classes[row]
            kept += 1
    for place in range(codes.shape[0]):
        column, start = codes[place], starts[place]
        for i in range(kept):
            counts[np.uint64(bases[i] + start + kinds * column[rows[i]])] += 1


def count_classes(classes: Codes, nodes: Codes, count: int, kinds: int) -> Integers:
    """Counts of shape (count, kinds): node, class."""
    counts = np.zeros((count, kinds), dtype=np.int64)
    _count_classes(classes, nodes, counts)
    return counts


@njit(cache=True, nogil=True)
def _count_classes(classes: Codes, nodes: Codes, counts: Integers) -> None:
    for row in range(len(nodes)):
        if nodes[row] >= 0:
            counts[nodes[row], classes[row]] += 1


@njit(cache=True, nogil=True)
def descend(codes: Codes, nodes: Codes, attributes: Integers, firsts: Integers) -> Codes:
    """The node of each row one level down: ``firsts`` of its node, and its outcome of the node's attribute further.

    Rows of nodes with a negative attribute leave the tree.
    """
    below = np.full(len(nodes), -1, dtype=np.int32)
    for row in range(len(nodes)):
        node = nodes[row]
        if node >= 0 and attributes[node] >= 0:
            below[row] = firsts[node] + codes[attributes[node], row]
    return below


def intervals(column: Floats, edges: Floats) -> Codes:
    """How many of the increasing edges are not above each number."""
    if len(edges) > MOST_COMPARED:
        return np.searchsorted(edges, column, side="right").astype(np.int32)
    return _compared(column, edges)


@njit(cache=True, nogil=True)
def _compared(column: Floats, edges: Floats) -> Codes:
    """Edge by edge, a block of numbers at a time: several at once in one instruction, and nothing to mispredict."""
    codes = np.zeros(len(column), dtype=np.int32)
    for start in range(0, len(column), BLOCK):
        numbers, found = column[start : start + BLOCK], codes[start : start + BLOCK]
        for place in range(len(edges)):
            edge = edges[place]
            for i in range(len(numbers)):
                found[i] += edge <= numbers[i]
    return codes


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
