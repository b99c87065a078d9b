"""Triangles listed at their corners, compiled: the ego edges of all nodes of a large graph. Not private.

Nodes are numbered by increasing degree, and ``heads[ends[v]:ends[v + 1]]`` are the neighbours of v beyond v, sorted. A
triangle is met once, from its lowest node: its other nodes are marked, and the rows of those are read. Rows so read
belong to nodes of large degree, which are few, so most of them stay in the cache. Looking from each of the three
corners instead reads rows all over the graph.

Marks are bits, so that those of all nodes stay in the cache too. Scratch memory is left as it was found: zeros.
"""

from typing import Any

import numpy as np
from numba import njit

from dampen.graphs.bit_kernels import Counts
from dampen.graphs.edge_kernels import FAR, LINE, NEAR, Uints, Words, prefetch
from dampen.graphs.threads import Halt

EDGES_AT_ONCE = 2**20
"""After so many edges of one ego network compiled code looks whether it is given up.

It counts them by unsigned numbers: for others it would look at the sign of each place.
"""

_LOW, _HALF, _WORD_BITS = np.uint64(0xFFFFFFFF), np.uint64(32), np.uint64(63)
_SHIFT = np.uint32(6)


@njit(cache=True, nogil=True)
def copy_upper_rows(
    first: int, last: int, offsets: Uints, middles: Uints, neighbours: Uints, ends: Uints, heads: Uints
) -> None:
    """The neighbours of each node beyond it, of the nodes from ``first`` to ``last``; ``ends`` says where they go."""
    for v in range(first, last):
        place = ends[v]
        for slot in range(middles[v], offsets[v + 1]):
            heads[place] = neighbours[slot]
            place += np.uint32(1)


@njit(cache=True, nogil=True)
def upper_scan_lengths(first: int, last: int, ends: Uints, heads: Uints, lengths: Counts) -> None:
    """For every node how many steps it takes to find the triangles of which it is the lowest node."""
    last_slot = len(heads) - 1
    for v in range(first, last):
        total: Any = np.int64(0)
        for slot in range(ends[v], ends[v + 1]):
            prefetch(ends, np.uint64(heads[min(slot + FAR, last_slot)]))
            total += np.int64(ends[heads[slot] + 1]) - np.int64(ends[heads[slot]])
        lengths[v] = total


@njit(cache=True, nogil=True)
def write_triangles(
    first: int, last: int, ends: Uints, heads: Uints, lengths: Counts, marks: Words, triangles: Any
) -> tuple[int, int]:
    """Write down the triangles whose lowest node is among those from first to last, their nodes increasing.

    It stops before a node for which there may be no room, since it takes as many steps; the node to go on with, and how
    many were written.
    """
    one, bit, end = np.uint32(1), np.uint64(1), len(heads) - 1
    written: Any = np.int64(0)
    for v in range(first, last):
        low, high = ends[v], ends[v + 1]
        if high - low < 2:
            continue
        if lengths[v] > len(triangles) - written:
            return v, written
        for slot in range(low, high):
            marks[heads[slot] >> _SHIFT] |= bit << (np.uint64(heads[slot]) & _WORD_BITS)
        for slot in range(low, high):
            prefetch(ends, np.uint64(heads[min(slot + FAR, end)]))
            ahead = np.uint64(ends[heads[min(slot + NEAR, end)]])
            prefetch(heads, ahead)
            prefetch(
                heads, ahead + np.uint64(LINE)
            )  # most rows are longer than a line, and further ones come by themselves
            middle = heads[slot]
            for far in range(ends[middle], ends[middle + one]):
                y = heads[far]
                if marks[y >> _SHIFT] >> (np.uint64(y) & _WORD_BITS) & bit:
                    triangles[written, 0], triangles[written, 1], triangles[written, 2] = v, middle, y
                    written += 1
        for slot in range(low, high):
            marks[heads[slot] >> _SHIFT] = 0
    return last, written


@njit(cache=True, nogil=True)
def count_corners(triangles: Any, sizes: Uints) -> None:
    """Add 1 at ``sizes[v + 1]`` for each triangle that v is a corner of."""
    one = np.uint32(1)
    for place in range(len(triangles)):
        for corner in range(3):
            sizes[triangles[place, corner] + one] += one


@njit(cache=True, nogil=True)
def list_corners(triangles: Any, places: Uints, edges: Words) -> None:
    """Write each triangle's opposite edge at its corners; ``places`` says where the next edge of each node goes.

    An edge is its lower end times 2^32 plus the other.
    """
    one = np.uint32(1)
    for place in range(len(triangles)):
        low, middle, high = triangles[place, 0], triangles[place, 1], triangles[place, 2]
        edges[places[high]] = np.uint64(low) << _HALF | np.uint64(middle)
        edges[places[middle]] = np.uint64(low) << _HALF | np.uint64(high)
        edges[places[low]] = np.uint64(middle) << _HALF | np.uint64(high)
        places[high] += one
        places[middle] += one
        places[low] += one


@njit(cache=True, nogil=True)
def number_ends(
    start: Any,
    t: Any,
    edges: Words,
    numbers: Uints,
    tails: Uints,
    tips: Uints,
    sizes: Uints,
    ends: Uints,
    halt: Halt,
) -> Any:
    """Number the ends of t listed edges, as they are met; how many they are, and how many wedges (2-paths) they form.

    ``tails`` and ``tips`` are left as the edges by these numbers, and ``sizes[x + 1]`` as how many end at x. Up to
    EDGES_AT_ONCE edges are always numbered: whoever has no more need not look whether it was given up.
    """
    linked: Any = np.uint32(0)
    one = np.uint32(1)
    for first in range(0, t, EDGES_AT_ONCE):
        if first and halt[0]:
            break
        for e in range(np.uint64(first), np.uint64(min(first + EDGES_AT_ONCE, t))):
            for side in range(2):
                edge = edges[np.uint64(start) + e]
                node = np.uint32(edge >> _HALF) if side == 0 else np.uint32(edge & _LOW)
                number = numbers[node]
                if number == 0:
                    ends[linked] = node
                    linked += one
                    number = linked
                    numbers[node] = number
                    sizes[number] = 0
                sizes[number] += one
                if side == 0:
                    tails[e] = number - one
                else:
                    tips[e] = number - one
    wedges: Any = 0
    for x in range(linked):
        degree: Any = np.int64(sizes[x + 1])
        wedges += degree * (degree - 1) // 2
        numbers[ends[x]] = 0
    return np.int64(linked), wedges


@njit(cache=True, nogil=True)
def sort_listed_rows(
    t: Any, linked: int, tails: Uints, tips: Uints, sizes: Uints, fill: Uints, row: Uints, halt: Halt
) -> None:
    """Rows of an ego network from edges in any order, each increasing; ``tails`` has room for all rows.

    ``sizes`` becomes where rows start. Rows that are read by increasing node and handed to their neighbours are sorted.
    """
    one = np.uint32(1)
    sizes[0] = 0
    for x in range(linked):
        sizes[x + 1] += sizes[x]
        fill[x] = sizes[x]
    for first in range(0, t, EDGES_AT_ONCE):
        if halt[0]:
            return
        for e in range(np.uint64(first), np.uint64(min(first + EDGES_AT_ONCE, t))):
            x, y = tails[e], tips[e]
            row[fill[x]] = y
            fill[x] += one
            row[fill[y]] = x
            fill[y] += one
    for x in range(linked):
        fill[x] = sizes[x]
    for x in range(linked):
        if halt[0]:
            return
        for slot in range(sizes[x], sizes[x + 1]):
            y = row[slot]
            tails[fill[y]] = x
            fill[y] += one
    row[: 2 * t] = tails[: 2 * t]
