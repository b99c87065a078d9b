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
from time import process_time
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from dampen.graphs.stretches import STEPS_AT_ONCE, stretches
from dampen.graphs.threads import as_threads, new_halt, run_parts
from dampen.vectors import Floats, Integers

EGO_PARTS, WALK_PARTS = 256, 128
"""Into how many parts the nodes are cut, if the work is not so much that more are needed."""

LEAST_DENSE = 256
"""Smaller ego networks are not looked for in the core."""

TOP_NODES = 2**18
"""So many nodes, those of largest degree, have counters that stay in the cache; most walks end there."""

LEAST_CUT = 2**19
"""Graphs of fewer nodes are walked in one go; of larger ones a few parts tell whether to walk twice takes less time."""

EACH, MOST_TRIED = 24, 8
"""Of so many parts one is walked in one go to tell that, and one twice; of each kind so many at most."""

Kernel = Callable[..., None]
Part = tuple[int, int]
Walk = Callable[[list[Part]], Integers]
"""The distance-2 sums of some parts of the nodes."""
Number = TypeVar("Number", np.int64, np.float64)


def ego_betweenness(offsets: Any, neighbours: Any, threads: int) -> Floats:
    """EBC of every node."""
    from dampen.graphs import ego_kernels

    order, graph, core = _ego_rows(offsets, neighbours, threads)
    values, halt = np.zeros(len(order)), new_halt()

    def worker() -> Callable[[Any], Iterator[None]]:
        memory = _ego_scratch(graph, core)

        def count(centres: Any) -> Iterator[None]:
            progress = np.zeros(ego_kernels.LARGEST + 1, dtype=np.int64)
            while progress[ego_kernels.CENTRE] < len(centres):
                ego_kernels.ego_values(centres, graph, core, memory, values, progress, STEPS_AT_ONCE, False, halt)
                yield

        return count

    run_parts(worker, _ego_parts(graph[3]), threads=threads, title="ego betweenness", halt=halt)
    return _in_order(order, values)


def ego_betweenness_exact(offsets: Any, neighbours: Any, node: int) -> Fraction:
    """C(d, 2) - t - sum_b h[b] b / (b + 1) of one node, as a fraction."""
    from dampen.graphs import ego_kernels

    order, graph, core = _ego_rows(offsets, neighbours)
    memory = _ego_scratch(graph, core)
    centre, values = np.flatnonzero(order == node).astype(np.uint32), np.empty(0)
    progress = np.zeros(ego_kernels.LARGEST + 1, dtype=np.int64)
    halt = new_halt()

    def count(_: int) -> Iterator[None]:
        while progress[ego_kernels.STAGE] != ego_kernels.COUNTED:
            ego_kernels.ego_values(centre, graph, core, memory, values, progress, STEPS_AT_ONCE, True, halt)
            yield

    run_parts(lambda: count, [node], threads=1, title="ego betweenness", halt=halt)
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
    given = np.asarray(weights, dtype=np.int64)
    largest, workers = int(np.diff(offsets).max()), as_threads(threads)
    table = given[np.minimum(np.arange(largest + 1), len(given) - 1)]
    table[0] = 0
    order, rows = _renumber_for_walks(offsets, neighbours, workers)
    parts, walk = _walk_parts(*rows), _walk_at_once(rows, table, workers)
    if len(order) < LEAST_CUT:
        return _in_order(order, walk(parts))
    return _in_order(order, _faster((walk, _walk_twice(rows, table, largest, workers)), parts))


def _faster(walks: tuple[Walk, Walk], parts: list[Part]) -> Integers:
    """The sums of all parts, most of them by the walk that took less time for its few: they are the same numbers.

    Which one it is no public number tells: to walk twice saves time where the nodes that are two steps away from one
    are everywhere in a large graph, and costs much where they are mostly the same few (benchmarks/README.md).
    """
    if len(parts) < 2 * EACH:
        return walks[0](parts)
    each = max(EACH, -(-len(parts) // MOST_TRIED))
    tried = [parts[each // 4 :: each], parts[3 * each // 4 :: each]]
    found, times = np.zeros(parts[-1][1], dtype=np.int64), []
    for walk, (first, *few) in zip(walks, tried, strict=True):
        found += walk([first])  # code is loaded here, not on the clock
        start = process_time()
        found += walk(few)
        times.append((process_time() - start) / len(few))
    done = {part for few in tried for part in few}
    return found + walks[times.index(min(times))]([part for part in parts if part not in done])


def _walk_at_once(rows: tuple[Any, Any], table: Integers, threads: int) -> Walk:
    from dampen.graphs.level_kernels import distance_two

    return lambda parts: _over_threads(
        distance_two, np.add, lambda: _counters(rows), rows, parts, table, threads=threads
    )


def _walk_twice(rows: tuple[Any, Any], table: Integers, largest: int, threads: int) -> Walk:
    """For graphs so large that counters of all nodes do not fit in the cache: first to the nodes of largest degree."""
    from dampen.graphs.level_kernels import cut_rows, distance_two_below, distance_two_of_top

    starts, nodes = rows[0], len(rows[0]) - 1
    top, cuts = max(0, nodes - TOP_NODES), np.empty(nodes, dtype=np.uint32)
    for first, last in stretches(starts):
        cut_rows(first, last, top, *rows, cuts)

    def memory() -> Any:
        bits = np.zeros(nodes // 32 + 1, dtype=np.uint64)
        marked, hit = np.empty(nodes, dtype=np.uint32), np.empty(largest, dtype=np.bool_)
        return _counters(rows), bits, marked, hit

    def walk(kernel: Kernel, parts: list[Part]) -> Integers:
        return _over_threads(kernel, np.add, memory, rows, parts, table, np.uint32(top), cuts, threads=threads)

    return lambda parts: (
        walk(distance_two_of_top, parts) + walk(distance_two_below, [part for part in parts if part[0] < top])
    )


def codegrees(offsets: Any, neighbours: Any, *, threads: int | None = None) -> Integers:
    """For every node the largest number of neighbours that it shares with any other node.

    >>> codegrees([0, 2, 4, 6, 8], [1, 3, 0, 2, 1, 3, 0, 2]).tolist()
    [2, 2, 2, 2]
    """
    from dampen.graphs.level_kernels import largest_shared

    workers = as_threads(threads)
    order, rows = _renumber_for_walks(offsets, neighbours, workers)
    found = _over_threads(
        largest_shared, np.maximum, lambda: _counters(rows), rows, _walk_parts(*rows), threads=workers
    )
    return _in_order(order, found)


def _counters(rows: tuple[Any, Any]) -> Any:
    return np.zeros(len(rows[0]) - 1, dtype=np.uint32)


def _over_threads(
    kernel: Kernel,
    together: np.ufunc,
    memory: Callable[[], Any],
    rows: tuple[Any, Any],
    parts: list[Part],
    *more: Any,
    threads: int,
) -> Integers:
    """Run a kernel over all parts, each thread with memory and results of its own; the results of all put together.

    O(sum of squared degrees) time and, in each thread, O(n) memory.
    """
    nodes = len(rows[0]) - 1
    results = [np.zeros(nodes, dtype=np.int64)]

    def worker() -> Callable[[Part], None]:
        scratch, own = memory(), np.zeros(nodes, dtype=np.int64)
        results.append(own)
        return lambda part: kernel(*part, *rows, scratch, own, *more)

    run_parts(worker, parts, threads=threads, title="walks of two steps")
    total = results[0]
    for own in results[1:]:
        together(total, own, out=total)
    return total


def _in_order(order: Any, values: NDArray[Number]) -> NDArray[Number]:
    """Values of renumbered nodes in the order of the old numbers."""
    found = np.empty_like(values)
    found[order] = values
    return found


def _renumber_for_walks(offsets: Any, neighbours: Any, threads: int) -> tuple[Any, tuple[Any, Any]]:
    order, (starts, _, rows) = _renumber(np.asarray(offsets, np.uint32), np.asarray(neighbours, np.uint32), threads)
    return order, (starts, rows)


def _renumber(offsets: Any, neighbours: Any, threads: int = 1) -> tuple[Any, tuple[Any, Any, Any]]:
    """The nodes by increasing degree, and the rows of the graph so renumbered."""
    from dampen.graphs.renumber import by_degree, degree_order

    order = degree_order(offsets, int(np.diff(offsets).max()))
    return order, by_degree(order, offsets, neighbours, threads)


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

    order, rows = _renumber(offsets, neighbours, threads or 1)
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


def _walk_parts(offsets: Any, neighbours: Any) -> list[Part]:
    """Stretches of nodes with about equally many walks each."""
    from dampen.graphs.level_kernels import add_walk_lengths

    lengths = np.ones(len(offsets) - 1, dtype=np.int64)
    for first, last in stretches(offsets):
        add_walk_lengths(first, last, offsets, neighbours, lengths)
    before = np.concatenate([[0], np.cumsum(lengths)])
    parts = max(WALK_PARTS, -(-int(before[-1]) // STEPS_AT_ONCE))
    cuts = np.unique(np.searchsorted(before, np.linspace(0, before[-1], parts + 1).astype(np.int64)))
    return list(pairwise(cuts.tolist()))
