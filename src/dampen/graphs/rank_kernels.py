"""Compiled steps of PageRank and of core numbers; imported only where nodes are scored so.

Rows are those of :mod:`dampen.graphs.edge_kernels`: unsigned numbers, increasing.
"""

import numpy as np
from numba import njit
from numpy.typing import NDArray

from dampen.graphs.edge_kernels import Uints
from dampen.vectors import Floats, Integers


@njit(cache=True, nogil=True)
def add_votes(first: int, last: int, offsets: Uints, neighbours: Uints, votes: Integers, sums: Integers) -> None:
    """``sums[v]`` is the sum of the votes of the neighbours of v, first <= v < last. Whole numbers."""
    for v in range(first, last):
        total = 0
        for slot in range(offsets[v], offsets[v + 1]):
            total += votes[neighbours[slot]]
        sums[v] = total


@njit(cache=True, nogil=True)
def pagerank_step(
    first: int, last: int, offsets: Uints, neighbours: Uints, damping: float, shares: Floats, ranks: Floats, new: Floats
) -> None:
    """``ranks[v]`` = 1 - damping + damping times the shares of v's neighbours, and ``new[v]`` what v gives to each.

    The neighbours of a node are added one after the other, each sum by itself: no result depends on how nodes are cut
    into stretches. Every term is positive and rounded at most degree + 2 times, the share included.
    """
    for v in range(first, last):
        total = 0.0
        for slot in range(offsets[v], offsets[v + 1]):
            total += shares[neighbours[slot]]
        ranks[v] = (1.0 - damping) + damping * total
        degree = offsets[v + 1] - offsets[v]
        new[v] = ranks[v] / degree if degree > 0 else 0.0


@njit(cache=True, nogil=True)
def peel(
    offsets: Uints,
    neighbours: Uints,
    starts: NDArray[np.int64],
    order: Uints,
    places: Uints,
    left: NDArray[np.int64],
    done: int,
    steps: int,
) -> int:
    """Take nodes away, the one with the fewest edges left first; return how many are gone after about ``steps`` steps.

    ``left`` holds how many neighbours a node has that are not gone, but never less than what the last node had when it
    went: its core number once it is gone. A node that loses a neighbour moves to the front of the nodes with as many
    edges, and the front moves on behind it (Batagelj and Zaversnik).
    """
    taken = 0
    while done < len(order) and taken < steps:
        v = order[done]
        taken += 1 + offsets[v + 1] - offsets[v]
        for slot in range(offsets[v], offsets[v + 1]):
            u = neighbours[slot]
            if left[u] > left[v]:
                front = starts[left[u]]
                swapped = order[front]
                order[places[u]], places[swapped] = swapped, places[u]
                order[front], places[u] = u, front
                starts[left[u]] += 1
                left[u] -= 1
        done += 1
    return done
