"""The rows of a graph from pairs of nodes: each edge once at both ends, whatever the pairs repeat. Not private."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from dampen.errors import DataError
from dampen.graphs.stretches import stretches
from dampen.graphs.threads import as_threads, run_parts
from dampen.vectors import Integers

MOST_EDGES = 2**30 - 1
"""Each edge takes two places in the rows, which are numbered in 32 bits."""

FEWEST_DEALT = 2**19
"""Fewer pairs are sorted in one go, which needs no compiled code."""

BUCKET, MOST_BUCKETS = 2**17, 2**10
"""Keys in a bucket, which stay in the cache while it is sorted; and how many buckets are dealt to at most."""

ROWS_AT_ONCE = 2**24
"""So many pairs are dealt before interrupts are heard."""

LOWER_HALF = 2**32 - 1


Pairs = list[tuple[Any, Any]]
"""Both ends of pairs, places of nodes, batch by batch: they may be too many to be held twice."""


@dataclass(frozen=True)
class GraphReport:
    """For the curator alone: what was read and what was merged. It tells about the edges.

    ``rows`` pairs were read, of which ``self_loops`` join a node with itself and ``duplicates`` repeat an earlier one,
    in either direction. Neither kind is an edge.
    """

    rows: int
    self_loops: int
    duplicates: int


class Rows(NamedTuple):
    """The neighbours of node v are ``neighbours[offsets[v]:offsets[v + 1]]``, increasing; and what was merged."""

    offsets: NDArray[np.int32]
    neighbours: NDArray[np.int32]
    report: GraphReport


def build_rows(pairs: Pairs, nodes: int) -> Rows:
    """The rows of all nodes from both ends of each pair, which are places of nodes.

    The list is empty afterwards: many batches are given up one by one, so that no pair is held twice for long.
    """
    rows = sum(len(tails) for tails, _ in pairs)
    return _build_at_once(pairs, nodes) if rows < FEWEST_DEALT else _build_by_buckets(pairs, rows, nodes)


def _build_at_once(pairs: Pairs, nodes: int) -> Rows:
    src, dst = (np.concatenate([np.empty(0, np.int32), *(batch[end] for batch in pairs)]) for end in range(2))
    pairs.clear()
    keys, report = _merge_edges(src, dst)
    # One sort of whole numbers orders all rows at once: the node in the upper half, its neighbour in the lower.
    both = np.empty(2 * len(keys), dtype=np.int64)
    both[: len(keys)] = keys
    back = np.right_shift(keys, 32, out=both[len(keys) :])
    keys &= LOWER_HALF
    keys <<= 32
    back |= keys
    both.sort()
    neighbours = np.bitwise_and(both, LOWER_HALF, dtype=np.int64, casting="unsafe", out=np.empty(len(both), np.int32))
    both >>= 32
    offsets = np.zeros(nodes + 1, dtype=np.int32)
    np.cumsum(np.bincount(both, minlength=nodes), out=offsets[1:])
    return Rows(offsets, neighbours, report)


def _merge_edges(src: Integers, dst: Integers) -> tuple[Integers, GraphReport]:
    """Every edge once as smaller end * 2^32 + larger end, increasing; and what was left out.

    Worked on in place: arrays of this size come from the system anew each time, which takes longer than to fill them.
    """
    keys = np.minimum(src, dst).astype(np.int64)
    keys <<= 32
    keys |= np.maximum(src, dst)
    keys = keys[src != dst]
    apart = len(keys)
    keys.sort()
    keys = keys[np.diff(keys, prepend=-1) != 0]
    _require_few(len(keys))
    return keys, GraphReport(len(src), len(src) - apart, apart - len(keys))


def _build_by_buckets(pairs: Pairs, rows: int, nodes: int) -> Rows:
    """The same of many pairs, each written twice and sorted among its like, by all threads."""
    keys, starts, loops = _deal(pairs, rows, nodes)
    degrees, kept = np.zeros(nodes, dtype=np.uint32), np.zeros(len(starts) - 1, dtype=np.int64)
    from dampen.graphs.building_kernels import drop_repeats, take_neighbours

    def sort(bucket: int) -> None:
        own = keys[starts[bucket] : starts[bucket + 1]]
        own.sort()
        kept[bucket] = drop_repeats(own, degrees)

    _run(sort, len(kept))
    edges = int(kept.sum()) // 2
    _require_few(edges)
    offsets, neighbours = np.zeros(nodes + 1, dtype=np.int32), np.empty(2 * edges, dtype=np.int32)
    np.cumsum(degrees, out=offsets[1:])
    goal = np.cumsum(kept) - kept

    def take(bucket: int) -> None:
        first, size = goal[bucket], kept[bucket]
        take_neighbours(keys[starts[bucket] : starts[bucket] + size], neighbours[first : first + size])

    _run(take, len(kept))
    return Rows(offsets, neighbours, GraphReport(rows, loops, rows - loops - edges))


def keep_first_edges(offsets: Any, neighbours: Any, most: int) -> Rows:
    """The rows of the edges that are among the first ``most`` of both their ends, ranks counted in the given rows."""
    from dampen.graphs.cut_kernels import keep_first

    nodes, largest = len(offsets) - 1, min(most, len(offsets))
    kept = np.empty(int(np.minimum(np.diff(offsets), largest).sum(dtype=np.int64)), dtype=np.int32)
    ends, ranks = np.zeros(nodes + 1, dtype=np.int32), np.zeros(nodes, dtype=np.uint32)
    for first, last in stretches(offsets):
        keep_first(first, last, largest, offsets, neighbours, ranks, ends.view(np.uint32), kept.view(np.uint32))
    kept.resize(int(ends[-1]), refcheck=False)  # in place: of a view all memory would stay, and stay writable
    return Rows(ends, kept, GraphReport(len(kept) // 2, 0, 0))


def _deal(pairs: Pairs, rows: int, nodes: int) -> tuple[Any, Integers, int]:
    """Keys of both directions of all pairs, by buckets of nodes; where buckets start; and how many loops there are."""
    from dampen.graphs.building_kernels import count_into_buckets, deal_into_buckets

    wanted = min(MOST_BUCKETS, -(-2 * rows // BUCKET))
    shift = max(0, (nodes - 1).bit_length() - (wanted - 1).bit_length())
    sizes, loops = np.zeros((nodes - 1 >> shift) + 1, dtype=np.int64), 0
    for batch in pairs:
        for tails, heads in pieces_of(*batch):
            loops += count_into_buckets(tails, heads, shift, sizes)
    starts = np.concatenate([[0], np.cumsum(sizes)])
    keys, fill = np.empty(int(starts[-1]), dtype=np.uint64), starts[:-1].copy()
    while pairs:
        for tails, heads in pieces_of(*pairs.pop()):
            deal_into_buckets(tails, heads, shift, fill, keys)
            del tails, heads  # else the next batch would come before this one is gone
    return keys, starts, loops


def pieces_of(src: Any, dst: Any, rows: int | None = None) -> Iterator[tuple[Any, Any]]:
    """Some pairs at a time, in the one type that compiled code takes: between two pieces interrupts are heard."""
    step = ROWS_AT_ONCE if rows is None else rows
    for first in range(0, len(src), step):
        yield as_uints(src[first : first + step]), as_uints(dst[first : first + step])


def as_uints(places: Any) -> Any:
    """Places, none below 0: those of 32 bits as they lie in memory. Compiled code takes only what may be written."""
    narrow = np.asarray(places)
    in_place = narrow.dtype == np.int32 and narrow.flags.writeable
    return np.ascontiguousarray(narrow.view(np.uint32) if in_place else narrow, dtype=np.uint32)


def _run(work: Callable[[int], None], buckets: int) -> None:
    run_parts(lambda: work, range(buckets), threads=as_threads(None), title="rows of the graph")


def _require_few(edges: int) -> None:
    if edges > MOST_EDGES:
        raise DataError(f"src and dst must hold at most {MOST_EDGES} different edges")
