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

from dampen.graphs.edge_kernels import FAR, NEAR, Uints, Words, ask_for_ends, prefetch

Memory = tuple[Uints, Words, Uints, NDArray[np.bool_]]
"""Of one thread: a counter for each node, a word of bits for every 32, a list of marked nodes, and which rows have one.

The lower half of a word says which nodes were met, the upper half which of them are marked.
"""

_SHIFT, _PLACE, _MARK = np.uint32(5), np.uint32(31), np.uint64(32)
_ALL_MARKS = np.uint64(2**64 - 2**32)


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
def _ask_for_cut(slot: Any, cuts: Uints, neighbours: Uints) -> None:
    """Ask for the places where the rows of the neighbours are cut, which stand some places after ``slot``."""
    last, one = np.uint64(len(neighbours) - 1), np.uint32(1)
    far, near = neighbours[min(slot + np.uint64(FAR), last)], neighbours[min(slot + np.uint64(NEAR), last)]
    prefetch(cuts, np.uint64(far))
    prefetch(neighbours, np.uint64(cuts[near] - one))


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
            ask_for_ends(slot, offsets, neighbours)
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
def cut_rows(start: int, stop: int, top: int, offsets: Uints, neighbours: Uints, cuts: Uints) -> None:
    """Where in each row from start to stop the nodes from ``top`` on begin."""
    one = np.uint32(1)
    for v in range(np.uint32(start), np.uint32(stop)):
        slot = offsets[v + one]
        while slot > offsets[v] and neighbours[slot - one] >= top:
            slot -= one
        cuts[v] = slot


@njit(cache=True, nogil=True)
def distance_two_of_top(
    first: int,
    last: int,
    offsets: Uints,
    neighbours: Uints,
    memory: Memory,
    sums: NDArray[np.int64],
    weights: NDArray[np.int64],
    top: Any,
    cuts: Uints,
) -> None:
    """What :func:`distance_two` adds, of pairs {x, y} with y from ``top`` on: counters of these stay in the cache.

    Leaves are counted here.
    """
    counters, one = memory[0], np.uint32(1)
    for x in range(np.uint32(first), np.uint32(last)):
        base = offsets[x]
        if offsets[x + one] - base == 1:
            v = neighbours[base]
            sums[v] += weights[1] * _beyond(x, np.int64(offsets[v]), np.int64(offsets[v + one]), neighbours)
            continue
        floor = max(x + one, top)  # row v holds x, which is lower: no other end need be looked for
        for slot in range(base, offsets[x + one]):
            ask_for_ends(slot, offsets, neighbours)
            down: Any = offsets[neighbours[slot] + one] - one
            while neighbours[down] >= floor:
                y = neighbours[down] - top
                counters[y] = max(counters[y], base) + one
                down -= one
        for slot in range(cuts[x], offsets[x + one]):
            counters[neighbours[slot] - top] = base  # a pair with an edge: its weight is the first, 0
        for slot in range(base, offsets[x + one]):
            v = neighbours[slot]
            down = offsets[v + one] - one
            total = 0
            while neighbours[down] >= floor:
                total += weights[counters[neighbours[down] - top] - base]
                down -= one
            if total:
                sums[v] += total


@njit(cache=True, nogil=True)
def distance_two_below(
    first: int,
    last: int,
    offsets: Uints,
    neighbours: Uints,
    memory: Memory,
    sums: NDArray[np.int64],
    weights: NDArray[np.int64],
    top: Any,
    cuts: Uints,
) -> None:
    """The same of pairs {x, y} with y below ``top``, which mostly share one node alone.

    Bits find the others: a node that is met again is marked, as the neighbours of x are, and only such nodes are
    counted. Each row ends for this where ``cuts`` says.
    """
    counters, bits, marked, hit = memory
    one, bit = np.uint32(1), np.uint64(1)
    for x in range(np.uint32(first), np.uint32(min(last, top))):
        base, high = offsets[x], offsets[x + one]
        if high - base == 1:
            continue
        found = np.uint64(0)
        for slot in range(base, cuts[x]):
            y = neighbours[slot]
            bits[y >> _SHIFT] |= bit << (_MARK + np.uint64(y & _PLACE))
            marked[found] = y
            found += bit
        for slot in range(base, high):
            _ask_for_cut(slot, cuts, neighbours)
            down: Any = cuts[neighbours[slot]] - one
            while neighbours[down] > x:
                y = neighbours[down]
                word, own = bits[y >> _SHIFT], bit << np.uint64(y & _PLACE)
                bits[y >> _SHIFT] = word | own
                if word & own and not word >> _MARK & own:
                    bits[y >> _SHIFT] |= own << _MARK
                    marked[found] = y
                    found += bit
                down -= one
        for slot in range(base, high):
            down = cuts[neighbours[slot]] - one
            alone, hit[slot - base] = np.int64(0), False
            while neighbours[down] > x:
                y = neighbours[down]
                word = bits[y >> _SHIFT]
                bits[y >> _SHIFT] = word & _ALL_MARKS
                if word >> (_MARK + np.uint64(y & _PLACE)) & bit:
                    counters[y] = max(counters[y], base) + one
                    hit[slot - base] = True
                else:
                    alone += 1
                down -= one
            sums[neighbours[slot]] += weights[1] * alone
        for slot in range(base, cuts[x]):
            counters[neighbours[slot]] = base  # a pair with an edge: its weight is the first, 0
        for slot in range(base, high):
            if hit[slot - base]:
                down = cuts[neighbours[slot]] - one
                total = np.int64(0)
                while neighbours[down] > x:
                    y = neighbours[down]
                    if bits[y >> _SHIFT] >> (_MARK + np.uint64(y & _PLACE)) & bit:
                        total += weights[counters[y] - base]
                    down -= one
                sums[neighbours[slot]] += total
        for spot in range(found):
            bits[marked[spot] >> _SHIFT] = 0


@njit(cache=True, nogil=True)
def largest_shared(
    first: int, last: int, offsets: Uints, neighbours: Uints, counters: Uints, largest: NDArray[np.int64]
) -> None:
    """Raise ``largest`` of x and y to the number of their common neighbours, for first <= x < last and y > x."""
    one = np.uint32(1)
    for x in range(first, last):
        base = offsets[x]
        for slot in range(offsets[x], offsets[x + 1]):
            ask_for_ends(slot, offsets, neighbours)
            down: Any = offsets[neighbours[slot] + one] - one
            while neighbours[down] > x:
                y = neighbours[down]
                counters[y] = max(counters[y], base) + one
                shared = np.int64(counters[y] - base)
                largest[x] = max(largest[x], shared)
                largest[y] = max(largest[y], shared)
                down -= one
