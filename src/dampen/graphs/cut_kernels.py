"""Rows of a graph cut down to the first few neighbours, compiled. Not private."""

import numpy as np
from numba import njit

from dampen.graphs.edge_kernels import FAR, Uints, prefetch


@njit(cache=True, nogil=True)
def keep_first(
    first: int, last: int, most: int, offsets: Uints, neighbours: Uints, ranks: Uints, ends: Uints, kept: Uints
) -> None:
    """Keep of the rows from first to last the edges that are among the first ``most`` at both ends.

    ``ranks[u]`` says how many nodes before v have an edge to u: the place of v in the row of u. ``ends[v + 1]`` becomes
    where the new row of v ends, which goes to ``kept``; ``ends[first]`` is known.
    """
    one, place, end = np.uint32(1), ends[first], np.uint64(len(neighbours) - 1)
    for v in range(first, last):
        low = offsets[v]
        for slot in range(low, offsets[v + 1]):
            prefetch(ranks, np.uint64(neighbours[min(np.uint64(slot + FAR), end)]))
            u = neighbours[slot]
            if slot - low < most and ranks[u] < most:
                kept[place] = u
                place += one
            ranks[u] += one
        ends[v + 1] = place
