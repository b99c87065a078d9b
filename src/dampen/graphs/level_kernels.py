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

from dampen.graphs.edge_kernels import Uints


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
def largest_shared(
    first: int, last: int, offsets: Uints, neighbours: Uints, counters: Uints, largest: NDArray[np.int64]
) -> None:
    """Raise ``largest`` of x and y to the number of their common neighbours, for first <= x < last and y > x."""
    one = np.uint32(1)
    for x in range(first, last):
        base = offsets[x]
        for slot in range(offsets[x], offsets[x + 1]):
            down: Any = offsets[neighbours[slot] + one] - one
            while neighbours[down] > x:
                y = neighbours[down]
                counters[y] = max(counters[y], base) + one
                shared = np.int64(counters[y] - base)
                largest[x] = max(largest[x], shared)
                largest[y] = max(largest[y], shared)
                down -= one
