"""Compiled walks of two steps; imported only where a graph is walked."""

from typing import Any

import numpy as np
from numba import njit


@njit(cache=True, nogil=True)
def _count_walks(x: int, offsets: Any, neighbours: Any, counts: Any, touched: Any) -> int:
    """Count the walks x - v - y with y > x in ``counts[y]``; list the y met, and return how many they are."""
    met = 0
    for slot in range(offsets[x], offsets[x + 1]):
        v = neighbours[slot]
        place = offsets[v + 1] - 1
        while neighbours[place] > x:
            y = neighbours[place]
            if counts[y] == 0:
                touched[met] = y
                met += 1
            counts[y] += 1
            place -= 1
    return met


@njit(cache=True, nogil=True)
def distance_two(offsets: Any, neighbours: Any, first: int, last: int, weights: Any, sums: Any) -> None:
    """Add to ``sums[v]`` the weights of the pairs {x, y} of v's neighbours, first <= x < last, without an edge."""
    n, largest = len(offsets) - 1, len(weights) - 1
    counts, touched = np.zeros(n, dtype=np.int32), np.empty(n, dtype=np.int32)
    worth = np.zeros(n, dtype=np.int64)
    for x in range(first, last):
        met = _count_walks(x, offsets, neighbours, counts, touched)
        for place in range(met):
            y = touched[place]
            worth[y] = weights[min(counts[y], largest)]
            counts[y] = 0
        for slot in range(offsets[x], offsets[x + 1]):
            worth[neighbours[slot]] = 0
        for slot in range(offsets[x], offsets[x + 1]):
            v = neighbours[slot]
            place, total = offsets[v + 1] - 1, 0
            while neighbours[place] > x:
                total += worth[neighbours[place]]
                place -= 1
            sums[v] += total


@njit(cache=True, nogil=True)
def largest_shared(offsets: Any, neighbours: Any, first: int, last: int, largest: Any) -> None:
    """Raise ``largest`` of x and y to the number of their common neighbours, for first <= x < last and y > x."""
    n = len(offsets) - 1
    counts, touched = np.zeros(n, dtype=np.int32), np.empty(n, dtype=np.int32)
    for x in range(first, last):
        met = _count_walks(x, offsets, neighbours, counts, touched)
        for place in range(met):
            y = touched[place]
            shared = counts[y]
            counts[y] = 0
            if shared > largest[x]:
                largest[x] = shared
            if shared > largest[y]:
                largest[y] = shared
