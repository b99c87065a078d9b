"""PageRank of all nodes, one step of it in whole votes, and core numbers. Not private.

Graphs are CSR arrays as in :mod:`dampen.graphs.node_scores`. A node's sum is taken by one thread, in the order of its
row, so that scores are the same for every number of threads. Compiled code does a bounded number of steps at once, so
that interrupts are heard.
"""

from collections.abc import Callable
from itertools import pairwise
from typing import Any

import numpy as np

from dampen.graphs.threads import as_threads, run_parts
from dampen.vectors import Floats, Integers

STEPS_AT_ONCE, PEELED_AT_ONCE = 2 * 10**7, 2 * 10**6
"""After about so many steps, a fraction of a second, compiled code comes back to hear interrupts. Steps of peeling wait
for memory at every turn."""
WORTH_THREADS = 10**6
"""With fewer steps in one pass, starting threads for it takes longer than they save."""
PARTS_OF_A_THREAD = 4
"""So many parts of a pass for each thread, so that threads end together."""


def neighbour_votes(offsets: Any, neighbours: Any, whole: int, *, threads: int | None = None) -> Integers:
    """One step of PageRank in whole votes: the sum over the neighbours s of a node of floor(whole / degree of s).

    Whole numbers, below ``whole`` times the largest degree, which must fit in 63 bits.

    >>> neighbour_votes([0, 3, 4, 5, 6], [1, 2, 3, 0, 0, 0], 100).tolist()
    [300, 33, 33, 33]
    """
    from dampen.graphs.rank_kernels import add_votes

    rows = np.asarray(offsets, np.uint32), np.asarray(neighbours, np.uint32)
    votes = whole // np.maximum(np.diff(rows[0]).astype(np.int64), 1)
    sums = np.zeros(len(votes), dtype=np.int64)
    _pass_over(*_stretches(rows[0], threads), lambda first, last: add_votes(first, last, *rows, votes, sums))
    return sums


def pagerank(offsets: Any, neighbours: Any, damping: float, steps: int, *, threads: int | None = None) -> Floats:
    """PageRank of every node after so many steps of f = 1 - damping + damping P f from f = 1, where all sum up to n.

    Each node gives equal shares of its rank to its neighbours. One without any keeps 1 - damping: what it would give is
    lost.

    >>> pagerank([0, 2, 3, 4], [1, 2, 0, 0], 0.5, 60).round(6).tolist()
    [1.333333, 0.833333, 0.833333]
    """
    from dampen.graphs.rank_kernels import pagerank_step

    rows = np.asarray(offsets, np.uint32), np.asarray(neighbours, np.uint32)
    ranks = np.ones(len(rows[0]) - 1)
    shares = 1.0 / np.maximum(np.diff(rows[0]), 1)
    new = np.empty_like(shares)
    stretches, used = _stretches(rows[0], threads)

    def step(first: int, last: int) -> None:
        pagerank_step(first, last, *rows, damping, shares, ranks, new)

    for _ in range(steps):
        _pass_over(stretches, used, step)
        shares, new = new, shares
    return ranks


def core_numbers(offsets: Any, neighbours: Any) -> Integers:
    """For every node the largest k for which it is in a subgraph whose nodes have k neighbours or more in it.

    Linear time, by one thread.

    >>> core_numbers([0, 2, 4, 7, 8], [1, 2, 0, 2, 0, 1, 3, 2]).tolist()
    [2, 2, 2, 1]
    """
    from dampen.graphs.rank_kernels import peel
    from dampen.graphs.renumber import degree_order

    rows = np.asarray(offsets, np.uint32), np.asarray(neighbours, np.uint32)
    left = np.diff(rows[0]).astype(np.int64)
    order = degree_order(rows[0], int(left.max()))
    places = np.empty_like(order)
    places[order] = np.arange(len(order), dtype=order.dtype)
    starts = np.searchsorted(left[order], np.arange(int(left.max()) + 1))
    done = 0
    while done < len(order):
        done = peel(*rows, starts, order, places, left, done, PEELED_AT_ONCE)
    return left


def _stretches(offsets: Any, threads: int | None) -> tuple[list[tuple[int, int]], int]:
    """Stretches of nodes with about equally many edges each, and how many threads are worth it for one pass."""
    before = offsets + np.arange(len(offsets), dtype=np.int64)
    steps, most = int(before[-1]), as_threads(threads)
    used = most if steps >= WORTH_THREADS else 1
    parts = max(-(-steps // STEPS_AT_ONCE), PARTS_OF_A_THREAD * used if used > 1 else 1)
    cuts = np.unique(np.searchsorted(before, np.linspace(0, steps, parts + 1).astype(np.int64)))
    return list(pairwise(cuts.tolist())), used


def _pass_over(stretches: list[tuple[int, int]], threads: int, count: Callable[[int, int], None]) -> None:
    """Call ``count`` on all stretches; what it does to one must not depend on any other."""
    if threads > 1:
        run_parts(lambda: lambda stretch: count(*stretch), stretches, threads=threads, title="ranks")
        return
    for stretch in stretches:
        count(*stretch)
