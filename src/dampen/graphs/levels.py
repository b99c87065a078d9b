"""Two statistics of all two-step walks of a graph: co-degrees, and the distance-2 sums of the level method.

Graphs are CSR arrays: the neighbours of node v are ``neighbours[offsets[v]:offsets[v + 1]]``, increasing, each edge
listed at both ends. For every node x the walks x - v - y with y > x are counted per y, which takes O(sum of squared
degrees) time and, in each thread, O(n) memory. All sums are of whole numbers, the same for every number of threads.
"""

from collections.abc import Callable
from itertools import pairwise
from typing import Any

import numpy as np

from dampen.graphs.threads import as_threads, run_parts
from dampen.vectors import Integers

PARTS = 128
"""Into how many parts the nodes are cut: so finely that threads end together and interrupts are heard."""

Kernel = Callable[..., None]


def distance_two_sums(offsets: Any, neighbours: Any, weights: Any, *, threads: int | None = None) -> Integers:
    """For every node v the sum over pairs {x, y} of its neighbours without an edge of the weight of the pair.

    A pair with g common neighbours in the whole graph, v among them, weighs ``weights[g]``; the last weight stands for
    all larger g. Whole numbers.

    >>> distance_two_sums([0, 2, 4, 6, 8], [1, 3, 0, 2, 1, 3, 0, 2], [0, 12, 6]).tolist()
    [6, 6, 6, 6]
    """
    from dampen.graphs.level_kernels import distance_two

    given = np.asarray(weights, dtype=np.int64)
    largest = int(np.diff(offsets).max())
    table = given[np.minimum(np.arange(largest + 1), len(given) - 1)]
    table[0] = 0
    return _over_all_nodes(distance_two, np.add, offsets, neighbours, threads, table)


def codegrees(offsets: Any, neighbours: Any, *, threads: int | None = None) -> Integers:
    """For every node the largest number of neighbours that it shares with any other node.

    >>> codegrees([0, 2, 4, 6, 8], [1, 3, 0, 2, 1, 3, 0, 2]).tolist()
    [2, 2, 2, 2]
    """
    from dampen.graphs.level_kernels import largest_shared

    return _over_all_nodes(largest_shared, np.maximum, offsets, neighbours, threads)


def _over_all_nodes(
    kernel: Kernel, together: np.ufunc, offsets: Any, neighbours: Any, threads: int | None, *more: Integers
) -> Integers:
    """Run a kernel over all nodes, cut into parts that the threads take one by one, and put their results together.

    Nodes are renumbered by degree, which brings together those that most walks end at.
    """
    from dampen.graphs.ego_kernels import by_degree, degree_order

    given = np.asarray(offsets, dtype=np.uint32), np.asarray(neighbours, dtype=np.uint32)
    order = degree_order(given[0], int(np.diff(given[0]).max()))
    starts, _, rows = by_degree(order, *given)
    results = [np.zeros(len(order), dtype=np.int64)]

    def worker() -> Callable[[tuple[int, int]], None]:
        counters, own = np.zeros(len(order), dtype=np.uint32), np.zeros(len(order), dtype=np.int64)
        results.append(own)
        return lambda part: kernel(*part, starts, rows, counters, own, *more)

    run_parts(worker, _parts(starts, rows), threads=as_threads(threads), title="walks of two steps")
    found = np.empty(len(order), dtype=np.int64)
    found[order] = together.reduce(results)
    return found


def _parts(offsets: Any, neighbours: Any) -> list[tuple[int, int]]:
    """Stretches of nodes with about equally many walks each."""
    walks = np.zeros(len(neighbours) + 1, dtype=np.int64)
    np.cumsum(np.diff(offsets)[neighbours], out=walks[1:])
    before = walks[offsets] + np.arange(len(offsets))
    cuts = np.unique(np.searchsorted(before, np.linspace(0, before[-1], PARTS + 1).astype(np.int64)))
    return list(pairwise(cuts.tolist()))
