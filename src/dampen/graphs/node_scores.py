"""Scores of all nodes: ego betweenness, co-degrees, and the distance-2 sums of the level method. Not private.

Graphs are CSR arrays: the neighbours of node v are ``neighbours[offsets[v]:offsets[v + 1]]``, increasing, each edge
listed at both ends. Nodes are renumbered by degree, which brings together those that most walks end at, and cut into
parts of about equal work that threads take one by one: so many parts that threads end together. Compiled code does a
bounded number of steps at once, so that interrupts are heard. Sums are of whole numbers, or rounded in a fixed order,
so that they are the same for every number of threads.
"""

from collections.abc import Callable, Iterator
from fractions import Fraction
from itertools import pairwise
from typing import Any

import numpy as np

from dampen.graphs.stretches import STEPS_AT_ONCE, stretches
from dampen.graphs.threads import as_threads, run_parts
from dampen.vectors import Floats, Integers

EGO_PARTS, WALK_PARTS = 256, 128
"""Into how many parts the nodes are cut, if the work is not so much that more are needed."""

LEAST_DENSE = 256
"""Smaller ego networks are not looked for in the core."""

FIRST_BLOCK, BLOCKS_GROW = 2**18, 4
"""Nodes of a block whose counters stay in the cache, from the largest degrees on; how much larger each next one is.

Most walks end at the nodes of largest degree. A pair is counted at the larger of its nodes, so fewer and fewer are in
the blocks that do not fit."""

LEAST_CUT = 2**19
"""Graphs of fewer nodes are walked in one go."""

Kernel = Callable[..., None]


def ego_betweenness(offsets: Any, neighbours: Any, threads: int) -> Floats:
    """EBC of every node."""
    from dampen.graphs import ego_kernels

    order, graph, core = _ego_rows(offsets, neighbours, threads)
    values = np.zeros(len(order))

    def worker() -> Callable[[Any], Iterator[None]]:
        memory = _ego_scratch(graph, core)

        def count(centres: Any) -> Iterator[None]:
            progress = np.zeros(ego_kernels.LARGEST + 1, dtype=np.int64)
            while progress[ego_kernels.CENTRE] < len(centres):
                ego_kernels.ego_values(centres, graph, core, memory, values, progress, STEPS_AT_ONCE, False)
                yield

        return count

    run_parts(worker, _ego_parts(graph[3]), threads=threads, title="ego betweenness")
    found = np.empty(len(order))
    found[order] = values
    return found


def ego_betweenness_exact(offsets: Any, neighbours: Any, node: int) -> Fraction:
    """C(d, 2) - t - sum_b h[b] b / (b + 1) of one node, as a fraction."""
    from dampen.graphs import ego_kernels

    order, graph, core = _ego_rows(offsets, neighbours)
    memory = _ego_scratch(graph, core)
    centre, values = np.flatnonzero(order == node).astype(np.uint32), np.empty(0)
    progress = np.zeros(ego_kernels.LARGEST + 1, dtype=np.int64)
    while progress[ego_kernels.STAGE] != ego_kernels.COUNTED:
        ego_kernels.ego_values(centre, graph, core, memory, values, progress, STEPS_AT_ONCE, True)
    counts = memory[9][: progress[ego_kernels.LARGEST] + 1].tolist()
    base = int(progress[ego_kernels.BASE])
    return base - sum((Fraction(count * b, b + 1) for b, count in enumerate(counts)), Fraction(0))


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
    if len(offsets) > LEAST_CUT:
        return _distance_two_by_blocks(offsets, neighbours, table, as_threads(threads))
    return _walk_two_steps(distance_two, np.add, offsets, neighbours, threads, table)


def codegrees(offsets: Any, neighbours: Any, *, threads: int | None = None) -> Integers:
    """For every node the largest number of neighbours that it shares with any other node.

    >>> codegrees([0, 2, 4, 6, 8], [1, 3, 0, 2, 1, 3, 0, 2]).tolist()
    [2, 2, 2, 2]
    """
    from dampen.graphs.level_kernels import largest_shared

    return _walk_two_steps(largest_shared, np.maximum, offsets, neighbours, threads)


def _walk_two_steps(
    kernel: Kernel, together: np.ufunc, offsets: Any, neighbours: Any, threads: int | None, *more: Integers
) -> Integers:
    """Run a kernel over the walks x - v - y, y > x, of all nodes x, and put the threads' results together.

    O(sum of squared degrees) time and, in each thread, O(n) memory.
    """
    order, (starts, _, rows) = _renumber(np.asarray(offsets, np.uint32), np.asarray(neighbours, np.uint32))
    parts = _walk_parts(starts, rows)
    total = _over_threads(kernel, parts, len(order), starts, rows, more, together, as_threads(threads))
    found = np.empty(len(order), dtype=np.int64)
    found[order] = total
    return found


def _distance_two_by_blocks(offsets: Any, neighbours: Any, table: Integers, threads: int) -> Integers:
    """The sums of a graph so large that counters of all nodes do not fit in the cache: block by block of their ends."""
    from dampen.graphs.level_kernels import cut_rows, distance_two_of_block

    order, (starts, _, rows) = _renumber(np.asarray(offsets, np.uint32), np.asarray(neighbours, np.uint32))
    parts, n = _walk_parts(starts, rows), len(order)
    bounds = np.repeat(starts[1:], 2)
    total = np.zeros(n, dtype=np.int64)
    for first, last in _blocks(n):
        for start, stop in stretches(starts):
            cut_rows(start, stop, first, starts, rows, bounds)

        def kernel(start: int, stop: int, *more: Any, block: tuple[int, int] = (first, last)) -> None:
            distance_two_of_block(start, min(stop, block[1]), np.uint32(block[0]), block[1] == n, *more)

        below = [part for part in parts if part[0] < last]
        total += _over_threads(kernel, below, last - first, starts, rows, (table, bounds), np.add, threads)
    found = np.empty(n, dtype=np.int64)
    found[order] = total
    return found


def _blocks(nodes: int) -> Iterator[tuple[int, int]]:
    """Stretches of nodes, from the last on, each larger than the one before."""
    last, size = nodes, FIRST_BLOCK
    while last:
        first = max(0, last - size)
        yield first, last
        last, size = first, size * BLOCKS_GROW


def _over_threads(
    kernel: Kernel,
    parts: list[tuple[int, int]],
    counters: int,
    starts: Any,
    rows: Any,
    more: Any,
    together: Any,
    threads: int,
) -> Integers:
    """Run a kernel over all parts, each thread with so many counters and a result of its own; all of these together."""
    results = [np.zeros(len(starts) - 1, dtype=np.int64)]

    def worker() -> Callable[[tuple[int, int]], None]:
        memory, own = np.zeros(counters, dtype=np.uint32), np.zeros(len(starts) - 1, dtype=np.int64)
        results.append(own)
        return lambda part: kernel(*part, starts, rows, memory, own, *more)

    run_parts(worker, parts, threads=threads, title="walks of two steps")
    total = results[0]
    for own in results[1:]:
        together(total, own, out=total)
    return total


def _renumber(offsets: Any, neighbours: Any) -> tuple[Any, tuple[Any, Any, Any]]:
    """The nodes by increasing degree, and the rows of the graph so renumbered."""
    from dampen.graphs.ego_kernels import by_degree, degree_order

    order = degree_order(offsets, int(np.diff(offsets).max()))
    return order, by_degree(order, offsets, neighbours)


def _ego_rows(
    offsets: Any, neighbours: Any, threads: int | None = None
) -> tuple[Any, tuple[Any, ...], tuple[int, Any, Any]]:
    """The order; the renumbered rows, what the ego edges of every centre cost, and lists of them; and the core.

    Without ``threads`` nothing is listed. The core is its first node, its rows of bits, and which centres are looked
    for in it: those all of whose neighbours are there, if reading their rows costs less than finding the edges. If
    there are none, it has no rows.
    """
    from dampen.graphs.bit_kernels import core_size, make_core
    from dampen.graphs.ego_kernels import scan_lengths
    from dampen.graphs.ego_lists import list_ego_edges, list_none

    order, rows = _renumber(offsets, neighbours)
    lists = list_none() if threads is None else list_ego_edges(*rows, threads)
    lengths = lists.lengths() if lists else scan_lengths(*rows)
    size = 0 if lists else core_size(len(order), len(neighbours) // 2)
    first, degrees = len(order) - size, np.diff(rows[0]).astype(np.int64)
    dense = (degrees >= LEAST_DENSE) & (degrees * size // 64 < lengths)
    dense[:first] = False
    dense[dense] = rows[2][rows[0][:-1][dense]] >= first
    core = make_core(size if dense.any() else 0, *rows)
    return order, (*rows, lengths, *lists), (first, core, dense)


def _ego_scratch(graph: tuple[Any, ...], core: tuple[int, Any, Any]) -> Any:
    """Memory for all nodes, the largest degree, no fewer ego edges than any centre has, and the core."""
    from dampen.graphs.ego_kernels import scratch

    offsets, lengths = graph[0], graph[3]
    return scratch(len(lengths), int(np.diff(offsets).max()), int(lengths.max()), len(core[1]))


def _ego_parts(lengths: Integers) -> list[Any]:
    """Stretches of nodes of about equal cost, the largest degrees first: a long part must not come last."""
    work = np.cumsum(lengths + 1)
    cuts = np.unique(np.searchsorted(work, np.linspace(0, work[-1], EGO_PARTS + 1)[1:-1]))
    return [part for part in np.split(np.arange(len(lengths), dtype=np.uint32), cuts) if len(part)][::-1]


def _walk_parts(offsets: Any, neighbours: Any) -> list[tuple[int, int]]:
    """Stretches of nodes with about equally many walks each."""
    from dampen.graphs.level_kernels import add_walk_lengths

    lengths = np.ones(len(offsets) - 1, dtype=np.int64)
    for first, last in stretches(offsets):
        add_walk_lengths(first, last, offsets, neighbours, lengths)
    before = np.concatenate([[0], np.cumsum(lengths)])
    parts = max(WALK_PARTS, -(-int(before[-1]) // STEPS_AT_ONCE))
    cuts = np.unique(np.searchsorted(before, np.linspace(0, before[-1], parts + 1).astype(np.int64)))
    return list(pairwise(cuts.tolist()))
