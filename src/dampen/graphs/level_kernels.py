"""Compiled walks of two steps; imported only where a graph is walked.

Rows are those of :mod:`dampen.graphs.edge_kernels`: unsigned numbers, increasing. The row of v is read from its end
down to x; it holds x, because v is read only as a neighbour of x.

Counters are never set back. While x is looked at, a counter stands for what it exceeds ``offsets[x]`` by, if it does: x
shares with a node no more neighbours than it has, so it leaves no counter above ``offsets[x + 1]``, where the next node
begins. For that the stretches that share counters must come in increasing order.
"""

from typing import Any

import numpy as np
from numba import njit
from numpy.typing import NDArray

from dampen.graphs.edge_kernels import FAR, LINE, NEAR, Uints, prefetch


@njit(cache=True, nogil=True)
def _beyond(x: int, low: Any, high: Any, neighbours: Uints) -> Any:
    """How many of the neighbours from ``low`` to ``high`` are larger than x."""
    start, end = low, high
    while start < end:
        middle = (start + end) >> 1
        if neighbours[middle] > x:
            end = middle
        else:
            start = middle + 1
    return high - start


@njit(cache=True, nogil=True)
def _ask_for_end(slot: Any, offsets: Uints, neighbours: Uints) -> None:
    """Ask for the ends of the rows of the neighbours that stand some places after ``slot``."""
    last, one = np.uint64(len(neighbours) - 1), np.uint32(1)
    far, near = neighbours[min(slot + np.uint64(FAR), last)], neighbours[min(slot + np.uint64(NEAR), last)]
    prefetch(offsets, np.uint64(far + one))
    prefetch(neighbours, np.uint64(offsets[near + one] - one))


@njit(cache=True, nogil=True)
def distance_two(
    first: int,
    last: int,
    offsets: Uints,
    neighbours: Uints,
    counters: Uints,
    sums: NDArray[np.int64],
    weights: NDArray[np.int64],
) -> None:
    """Add to ``sums[v]`` the weights of the pairs {x, y} of v's neighbours, first <= x < last, without an edge.

    ``weights`` has an entry for every number of common neighbours; the first, of no use else, stands for an edge. A
    leaf needs no walk: what it shares with any other node is its one neighbour.
    """
    one = np.uint32(1)
    for x in range(first, last):
        base = offsets[x]
        if offsets[x + 1] - offsets[x] == 1:
            v = neighbours[offsets[x]]
            sums[v] += weights[1] * _beyond(x, np.int64(offsets[v]), np.int64(offsets[v + one]), neighbours)
            continue
        for slot in range(offsets[x], offsets[x + 1]):
            _ask_for_end(slot, offsets, neighbours)
            down: Any = offsets[neighbours[slot] + one] - one
            while neighbours[down] > x:
                y = neighbours[down]
                counters[y] = max(counters[y], base) + one
                down -= one
        for slot in range(offsets[x], offsets[x + 1]):
            counters[neighbours[slot]] = base  # a pair with an edge: its weight is the first, 0
        for slot in range(offsets[x], offsets[x + 1]):
            down = offsets[neighbours[slot] + one] - one
            total = 0
            while neighbours[down] > x:
                total += weights[counters[neighbours[down]] - base]
                down -= one
            sums[neighbours[slot]] += total


@njit(cache=True, nogil=True)
def add_walk_lengths(first: int, last: int, offsets: Uints, neighbours: Uints, lengths: NDArray[np.int64]) -> None:
    """Add for every node from first to last how many walks of two steps begin there."""
    for x in range(first, last):
        total: Any = np.int64(0)
        for slot in range(offsets[x], offsets[x + 1]):
            v = neighbours[slot]
            total += np.int64(offsets[v + 1]) - np.int64(offsets[v])
        lengths[x] += total


@njit(cache=True, nogil=True)
def cut_rows(start: int, stop: int, block: int, offsets: Uints, neighbours: Uints, bounds: Uints) -> None:
    """Move ``bounds`` of the rows from start to stop one block down.

    The block holds the nodes from ``block`` to where the one before began. They lie in row v from ``bounds[2 * v]`` to
    ``bounds[2 * v + 1]``.
    """
    one, two = np.uint32(1), np.uint32(2)
    for v in range(np.uint32(start), np.uint32(stop)):
        slot = bounds[two * v]
        bounds[two * v + one] = slot
        while slot > offsets[v] and neighbours[slot - one] >= block:
            slot -= one
        bounds[two * v] = slot


@njit(cache=True, nogil=True)
def distance_two_of_block(
    first: int,
    last: int,
    block: Any,
    top: bool,
    offsets: Uints,
    neighbours: Uints,
    counters: Uints,
    sums: NDArray[np.int64],
    weights: NDArray[np.int64],
    bounds: Uints,
) -> None:
    """What :func:`distance_two` adds, of pairs {x, y} with y in one block of nodes, whose counters stay in the cache.

    The block begins at the node ``block``, and :func:`cut_rows` has found it in all rows. Leaves are counted once, with
    the ``top`` block.
    """
    one, two, end = np.uint32(1), np.uint32(2), len(neighbours) - 1
    for x in range(np.uint32(first), np.uint32(last)):
        base = offsets[x]
        if offsets[x + one] - base == 1:
            if top:
                v = neighbours[base]
                sums[v] += weights[1] * _beyond(x, np.int64(offsets[v]), np.int64(offsets[v + one]), neighbours)
            continue
        floor = max(x + one, block)  # row v holds x, which is lower: no other end need be looked for
        for slot in range(base, offsets[x + one]):
            prefetch(bounds, np.uint64(two * neighbours[min(slot + FAR, end)]))
            ahead = two * neighbours[min(slot + NEAR, end)]
            for place in range(bounds[ahead], bounds[ahead + one], LINE):
                prefetch(neighbours, np.uint64(place))
            v = neighbours[slot]
            down: Any = bounds[two * v + one] - one
            while neighbours[down] >= floor:
                y = neighbours[down] - block
                counters[y] = max(counters[y], base) + one
                down -= one
        for slot in range(bounds[two * x], bounds[two * x + one]):
            counters[neighbours[slot] - block] = base  # a pair with an edge: its weight is the first, 0
        for slot in range(base, offsets[x + one]):
            v = neighbours[slot]
            down = bounds[two * v + one] - one
            total = 0
            while neighbours[down] >= floor:
                total += weights[counters[neighbours[down] - block] - base]
                down -= one
            if total:
                sums[v] += total


@njit(cache=True, nogil=True)
def largest_shared(
    first: int, last: int, offsets: Uints, neighbours: Uints, counters: Uints, largest: NDArray[np.int64]
) -> None:
    """Raise ``largest`` of x and y to the number of their common neighbours, for first <= x < last and y > x."""
    one = np.uint32(1)
    for x in range(first, last):
        base = offsets[x]
        for slot in range(offsets[x], offsets[x + 1]):
            _ask_for_end(slot, offsets, neighbours)
            down: Any = offsets[neighbours[slot] + one] - one
            while neighbours[down] > x:
                y = neighbours[down]
                counters[y] = max(counters[y], base) + one
                shared = np.int64(counters[y] - base)
                largest[x] = max(largest[x], shared)
                largest[y] = max(largest[y], shared)
                down -= one
