"""Joint counts of classes with attributes, node by node: one pass over the rows for a whole level of a tree.

``codes`` has a row for each record and a column for each attribute, ``nodes`` the place of each row's node (negative:
the row has left the tree), ``classes`` its class. All counts of a level are one vector; :class:`Layout` tells where each
attribute's lie. Nothing is checked: codes, nodes and classes must be within what the layout says.
"""

from dataclasses import dataclass

import numpy as np
from numba import njit
from numpy.typing import NDArray

from dampen.vectors import Floats, Integers

Codes = NDArray[np.int32]
"""Of shape (rows, attributes), or one number for each row."""


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
    counts = np.zeros((len(asked), layout.width, layout.classes), dtype=np.int64)
    if len(asked):
        places = np.full(int(asked[-1]) + 1, -1, dtype=np.int64)
        places[asked] = np.arange(len(asked))
        _count_level(codes, classes, nodes, layout.starts, places, counts)
    return counts


@njit(cache=True, nogil=True)
def _count_level(
    codes: Codes, classes: Codes, nodes: Codes, starts: Integers, places: Integers, counts: Integers
) -> None:
    for row in range(codes.shape[0]):
        node = nodes[row]
        if 0 <= node < len(places) and places[node] >= 0:
            table, label = counts[places[node]], classes[row]
            for attribute in range(codes.shape[1]):
                table[starts[attribute] + codes[row, attribute], label] += 1


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
            below[row] = firsts[node] + codes[row, attributes[node]]
    return below


@njit(cache=True, nogil=True)
def write_intervals(column: Floats, edges: Floats, codes: Codes) -> None:
    """How many of the increasing edges are not above each number."""
    for row in range(len(column)):
        low, high = 0, len(edges)
        while low < high:
            middle = (low + high) // 2
            if edges[middle] <= column[row]:
                low = middle + 1
            else:
                high = middle
        codes[row] = low
