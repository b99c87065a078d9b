"""Compiled walks of two steps; imported only where a graph is walked.

Rows are those of :mod:`dampen.statistics.edge_kernels`: unsigned numbers, increasing. The row of v is read from its end
down to x; it holds x, because v is read only as a neighbour of x.

Counters are never set back. While x is looked at, a counter stands for what it exceeds ``offsets[x] + x`` by, if it
does: x lies on no more walks to one node than it has neighbours, so it leaves every counter below the next node's base.
For that the stretches that share counters must come in increasing order.
"""

from typing import Any

import numpy as np
from numba import njit
from numpy.typing import NDArray

from dampen.statistics.edge_kernels import Places


@njit(cache=True, nogil=True)
def distance_two(
    first: int,
    last: int,
    offsets: Places,
    neighbours: Places,
    counters: Places,
    sums: NDArray[np.int64],
    weights: NDArray[np.int64],
) -> None:
    """Add to ``sums[v]`` the weights of the pairs {x, y} of v's neighbours, first <= x < last, without an edge.

    ``weights`` has an entry for every number of common neighbours; the first, of no use else, stands for an edge.
    """
    one = np.uint32(1)
    for x in range(first, last):
        base = np.uint32(offsets[x] + x)
        for slot in range(offsets[x], offsets[x + 1]):
            down: Any = offsets[neighbours[slot] + one] - one
            while neighbours[down] > x:
                y = neighbours[down]
                counters[y] = max(counters[y], base) + one
                down -= one
        for slot in range(offsets[x], offsets[x + 1]):
            counters[neighbours[slot]] = base
        for slot in range(offsets[x], offsets[x + 1]):
            down = offsets[neighbours[slot] + one] - one
            total = 0
            while neighbours[down] > x:
                total += weights[counters[neighbours[down]] - base]
                down -= one
            sums[neighbours[slot]] += total


@njit(cache=True, nogil=True)
def largest_shared(
    first: int, last: int, offsets: Places, neighbours: Places, counters: Places, largest: NDArray[np.int64]
) -> None:
    """Raise ``largest`` of x and y to the number of their common neighbours, for first <= x < last and y > x."""
    one = np.uint32(1)
    for x in range(first, last):
        base = np.uint32(offsets[x] + x)
        for slot in range(offsets[x], offsets[x + 1]):
            down: Any = offsets[neighbours[slot] + one] - one
            while neighbours[down] > x:
                y = neighbours[down]
                counters[y] = max(counters[y], base) + one
                shared = np.int64(counters[y] - base)
                largest[x] = max(largest[x], shared)
                largest[y] = max(largest[y], shared)
                down -= one
