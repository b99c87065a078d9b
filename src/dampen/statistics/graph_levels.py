"""Two statistics of all two-step walks of a graph: co-degrees, and the distance-2 sums of the level method.

Graphs are CSR arrays: the neighbours of node v are ``neighbours[offsets[v]:offsets[v + 1]]``, increasing, each edge
listed at both ends. For every node x the walks x - v - y with y > x are counted per y, which takes O(sum of squared
degrees) time and O(n) memory. All sums are of whole numbers, so they are the same for every number of threads.
"""

import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from queue import Empty, SimpleQueue
from typing import Any

import numpy as np

from dampen.vectors import Integers

PARTS_PER_THREAD = 16
"""How finely the work is cut, so that threads end together."""

Kernel = Callable[..., None]


def distance_two_sums(offsets: Any, neighbours: Any, weights: Any) -> Integers:
    """For every node v the sum over pairs {x, y} of its neighbours without an edge of the weight of the pair.

    A pair with g common neighbours in the whole graph, v among them, weighs ``weights[g]``; the last weight stands for
    all larger g. Whole numbers.

    >>> distance_two_sums([0, 2, 4, 6, 8], [1, 3, 0, 2, 1, 3, 0, 2], [0, 12, 6]).tolist()
    [6, 6, 6, 6]
    """
    from dampen.statistics.level_kernels import distance_two

    table = np.asarray(weights, dtype=np.int64)
    parts = _over_all_nodes(distance_two, offsets, neighbours, table)
    return np.asarray(np.sum(parts, axis=0), dtype=np.int64)


def codegrees(offsets: Any, neighbours: Any) -> Integers:
    """For every node the largest number of neighbours that it shares with any other node.

    >>> codegrees([0, 2, 4, 6, 8], [1, 3, 0, 2, 1, 3, 0, 2]).tolist()
    [2, 2, 2, 2]
    """
    from dampen.statistics.level_kernels import largest_shared

    parts = _over_all_nodes(largest_shared, offsets, neighbours)
    return np.asarray(np.max(parts, axis=0), dtype=np.int64)


def _over_all_nodes(kernel: Kernel, offsets: Any, neighbours: Any, *more: Integers) -> list[Integers]:
    """Run a kernel over all nodes, cut into parts that the threads take one by one; one result per thread."""
    starts, ends = np.asarray(offsets, dtype=np.int64), np.asarray(neighbours, dtype=np.int32)
    threads = os.cpu_count() or 1
    queue: SimpleQueue[tuple[int, int]] = SimpleQueue()
    for part in _parts(starts, ends, threads * PARTS_PER_THREAD):
        queue.put(part)

    def work(result: Integers) -> Integers:
        while True:
            try:
                first, last = queue.get_nowait()
            except Empty:
                return result
            kernel(starts, ends, first, last, *more, result)

    results = [np.zeros(len(starts) - 1, dtype=np.int64) for _ in range(threads)]
    with ThreadPoolExecutor(threads) as pool:
        return list(pool.map(work, results))


def _parts(offsets: Integers, neighbours: Any, count: int) -> list[tuple[int, int]]:
    """Stretches of nodes with about equally many walks each."""
    walks = np.zeros(len(neighbours) + 1, dtype=np.int64)
    np.cumsum(np.diff(offsets)[neighbours], out=walks[1:])
    before = walks[offsets] + np.arange(len(offsets))
    cuts = np.unique(np.searchsorted(before, np.linspace(0, before[-1], count + 1).astype(np.int64)))
    return list(zip(cuts[:-1].tolist(), cuts[1:].tolist(), strict=True))
