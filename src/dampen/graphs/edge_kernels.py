"""Loops over the edges of a graph, compiled. Not private; reached through :class:`~dampen.graphs.graph.Graph`.

They read sorted rows: the neighbours of node v are ``neighbours[offsets[v]:offsets[v + 1]]`` in increasing order, as
unsigned 32-bit numbers, for which compiled code need not look for negative places. Whoever owns scratch memory
leaves it as it was found: zeros.
"""

from typing import Any

import numpy as np
from llvmlite import ir  # type: ignore[import-untyped]
from numba import njit, types
from numba.core import cgutils
from numba.extending import intrinsic
from numba.np.arrayobj import make_array
from numpy.typing import NDArray

from dampen.graphs.stretches import stretches

Uints = NDArray[np.uint32]
Words = NDArray[np.uint64]

WORD = 64

ADJACENT = 1 << 30
"""Stands in a counter in place of a count: the pair is an edge. No count comes near it."""


def _ones(_context: Any, word: Any) -> Any:

    def generate(_context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
        return builder.ctpop(arguments[0])

    return types.uint64(types.uint64), generate


def _lowest(_context: Any, word: Any) -> Any:

    def generate(_context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
        return builder.cttz(arguments[0], cgutils.true_bit)

    return types.uint64(types.uint64), generate


def _prefetch(_context: Any, array: Any, place: Any) -> Any:
    array_of: Any = make_array
    declare: Any = cgutils.get_or_insert_function

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        values = array_of(signature.args[0])(context, builder, arguments[0])
        byte, number = ir.IntType(8).as_pointer(), ir.IntType(32)
        kind = ir.FunctionType(ir.VoidType(), [byte, number, number, number])
        function = declare(builder.module, kind, "llvm.prefetch.p0")
        address = builder.bitcast(builder.gep(values.data, [arguments[1]]), byte)
        builder.call(function, [address, number(0), number(3), number(1)])  # to be read, kept near, data
        return context.get_dummy_value()

    return types.void(array, types.uint64), generate


ones: Any = intrinsic(_ones)
"""How many bits of a 64-bit word are set: one instruction."""

lowest: Any = intrinsic(_lowest)
"""The place of the lowest set bit of a 64-bit word that is not zero: one instruction."""


prefetch: Any = intrinsic(_prefetch)
"""Ask for the line of memory that holds a place of an array, which is read some steps later: no wait then."""

CACHED_SLOTS = 2**17
"""So many edges stay in the cache with what is counted of them: there is nothing to ask for."""

LINE = 16
"""So many 32-bit numbers lie in one line of memory."""

FAR, NEAR = 16, 8
"""How many steps ahead the bounds of a row are asked for, and the row once its bounds are there; or a single place."""


@njit(cache=True, nogil=True)
def ask_for_rows(slot: Any, offsets: Uints, middles: Uints, neighbours: Uints) -> None:
    """Ask for the rows of the neighbours that stand some places after ``slot``, from their middles on.

    What stands there may be in the row of a later node, which is mostly looked at next.
    """
    last = np.uint64(len(neighbours) - 1)
    far, near = neighbours[min(slot + np.uint64(FAR), last)], neighbours[min(slot + np.uint64(NEAR), last)]
    prefetch(middles, np.uint64(far))
    prefetch(offsets, np.uint64(far))
    prefetch(neighbours, np.uint64(middles[near]))


@njit(cache=True, nogil=True)
def ask_for_ends(slot: Any, offsets: Uints, neighbours: Uints) -> None:
    """Ask for the ends of the rows of the neighbours that stand some places after ``slot``."""
    last, one = np.uint64(len(neighbours) - 1), np.uint32(1)
    far, near = neighbours[min(slot + np.uint64(FAR), last)], neighbours[min(slot + np.uint64(NEAR), last)]
    prefetch(offsets, np.uint64(far + one))
    prefetch(neighbours, np.uint64(offsets[near + one] - one))


def orient(offsets: Uints, neighbours: Uints) -> tuple[Uints, Uints, Uints]:
    """Every edge once, from the end of lower (degree, number) to the other: rows, and the number of each edge.

    Edges are numbered in the order of (smaller end, larger end). No row is longer than the square root of twice the
    number of edges.
    """
    degrees, sizes = np.diff(offsets), np.zeros(len(offsets), dtype=np.uint32)
    for first, last in stretches(offsets):
        _count_tails(first, last, offsets, neighbours, degrees, sizes)
    ends = np.cumsum(sizes, dtype=np.uint32)
    heads, numbers = (np.empty(len(neighbours) // 2, dtype=np.uint32) for _ in range(2))
    fill, edge = ends.copy(), 0
    for first, last in stretches(offsets):
        edge = _fill_heads(first, last, edge, offsets, neighbours, degrees, fill, heads, numbers)
    return ends, heads, numbers


@njit(cache=True, nogil=True)
def _count_tails(first: int, last: int, offsets: Uints, neighbours: Uints, degrees: Uints, sizes: Uints) -> None:
    """Count at ``sizes[v + 1]`` the edges that start at v, of those whose smaller end is from first to last."""
    one, step = np.uint32(1), np.uint64(1)
    for v in range(np.uint64(first), np.uint64(last)):  # unsigned, so that no place is looked at for its sign
        for slot in range(offsets[v + step], offsets[v], -1):
            u = neighbours[slot - 1]
            if u < v:  # rows increase: what is left was met from its lower end
                break
            sizes[(v if degrees[u] >= degrees[v] else np.uint64(u)) + step] += one


@njit(cache=True, nogil=True)
def _fill_heads(
    first: int,
    last: int,
    edge: int,
    offsets: Uints,
    neighbours: Uints,
    degrees: Uints,
    fill: Uints,
    heads: Uints,
    numbers: Uints,
) -> int:
    """Write the same edges into their rows, the first of them numbered ``edge``; the number of the next one."""
    one, step = np.uint32(1), np.uint64(1)
    for v in range(np.uint64(first), np.uint64(last)):  # by smaller end, then larger, as edges are numbered
        for slot in range(offsets[v], offsets[v + step]):
            u = neighbours[slot]
            if u > v:
                forward = degrees[u] >= degrees[v]
                tail = v if forward else np.uint64(u)
                heads[fill[tail]] = u if forward else v
                numbers[fill[tail]] = edge
                fill[tail] += one
                edge += 1
    return edge


@njit(cache=True, nogil=True)
def triangles_of(first: int, last: int, ends: Uints, heads: Uints, place: Uints, supports: NDArray[np.int32]) -> int:
    """Triangles whose lowest node is among those from ``first`` to ``last``; each adds 1 to the slots of its edges.

    ``supports[1:]`` follows the slots of the oriented rows. What is added to ``supports[0]`` is always nothing: it
    stands for the edge that is not there, so that the walk needs no branch.
    """
    found = 0
    one, end, uncached = np.uint32(1), len(heads) - 1, len(heads) > CACHED_SLOTS
    for v in range(first, last):
        low, high = ends[v], ends[v + 1]
        if high - low < 2:
            continue
        for slot in range(low, high):
            place[heads[slot]] = slot + one
        for slot in range(low, high):
            if uncached:
                prefetch(ends, np.uint64(heads[min(slot + FAR, end)]))
                ahead = np.uint64(ends[heads[min(slot + NEAR, end)]])
                prefetch(heads, ahead)
                prefetch(supports, ahead)
            middle = heads[slot]
            closed = np.int32(0)
            for far in range(ends[middle], ends[middle + 1]):
                mark = place[heads[far]]
                hit = np.int32(mark != 0)
                supports[far + one] += hit
                supports[mark] += hit
                closed += hit
            supports[slot + one] += closed
            found += int(closed)
        for slot in range(low, high):
            place[heads[slot]] = 0
    return found


@njit(cache=True, nogil=True)
def add_up(first: int, last: int, numbers: Uints, counts: NDArray[np.int32], supports: NDArray[np.int64]) -> None:
    """The sums over all rows of ``counts`` at the slots from ``first`` to ``last``, each put at its edge's number."""
    for slot in range(first, last):
        total = np.int64(0)
        for row in range(len(counts)):
            total += counts[row, slot + 1]
        supports[numbers[slot]] = total


@njit(cache=True, nogil=True)
def raise_codegree(
    order: Uints, offsets: Uints, neighbours: Uints, counts: NDArray[np.int32], limit: int
) -> tuple[int, int]:
    """How many nodes of the order were looked at, and the most neighbours that one of them shares with any other.

    ``order`` lists the nodes by decreasing degree. Two nodes share no more neighbours than either has, so all are done
    at the first whose degree is no larger than the most so far. It stops before the node with which it would have made
    more than ``limit`` steps.
    """
    steps: Any = np.int64(0)
    best: Any = np.int64(0)
    for place in range(len(order)):
        v = order[place]
        if offsets[v + 1] - offsets[v] <= best:
            break
        for slot in range(offsets[v], offsets[v + 1]):
            steps += np.int64(offsets[neighbours[slot] + 1]) - np.int64(offsets[neighbours[slot]])
        if steps > limit:
            return place, best
        best = max(best, _row_codegree(v, offsets, neighbours, counts))
    return len(order), best


@njit(cache=True, nogil=True)
def _row_codegree(v: int, offsets: Uints, neighbours: Uints, counts: NDArray[np.int32]) -> int:
    """The largest count of 2-paths from v to another node; no more than the degree, so it stops there."""
    low, high = np.int64(offsets[v]), np.int64(offsets[v + 1])
    best: Any = 0
    walked: Any = low
    for slot in range(low, high):
        if best >= high - low:
            break
        w = neighbours[slot]
        for far in range(offsets[w], offsets[w + 1]):
            u = neighbours[far]
            counts[u] += 1
            if u != v:
                best = max(best, np.int64(counts[u]))
        walked = slot + 1
    for slot in range(low, walked):
        w = neighbours[slot]
        for far in range(offsets[w], offsets[w + 1]):
            counts[neighbours[far]] = 0
    return int(best)
