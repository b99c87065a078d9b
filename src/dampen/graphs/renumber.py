"""The nodes of a graph numbered by degree, and its rows so renumbered, compiled; imported only where that is needed.

In new numbers, walks towards larger ones end at few nodes, and rows of hubs lie together. Each row is filled by
increasing new number, which sorts it. In a large graph that would write to memory in any order, so what goes to places
that are near each other is dealt into one bucket first, as :mod:`dampen.graphs.building` does. Not private.
"""

import numpy as np
from numba import njit

from dampen.graphs.edge_kernels import FAR, NEAR, Uints, Words, prefetch
from dampen.graphs.stretches import stretches
from dampen.graphs.threads import run_parts

LEAST_DEALT = 2**23
"""Rows of fewer neighbours in all are filled at once."""

BUCKET = 2**17
"""About so many neighbours in all have the nodes of a bucket: what is written for them next stays in the cache."""

_HALF, _LOWER_HALF = np.uint64(32), np.uint64(2**32 - 1)


@njit(cache=True, nogil=True)
def degree_order(offsets: Uints, largest_degree: int) -> Uints:
    """The nodes by increasing (degree, number), counted into place."""
    n, one = len(offsets) - 1, np.uint32(1)
    start = np.zeros(largest_degree + 2, dtype=np.uint32)
    for v in range(n):
        start[offsets[v + 1] - offsets[v] + one] += one
    for degree in range(largest_degree):
        start[degree + 1] += start[degree]
    order = np.empty(n, dtype=np.uint32)
    for v in range(n):
        degree = offsets[v + 1] - offsets[v]
        order[start[degree]] = v
        start[degree] += one
    return order


def by_degree(order: Uints, offsets: Uints, neighbours: Uints, threads: int) -> tuple[Uints, Uints, Uints]:
    """The graph with its nodes renumbered so that ``order[v]`` becomes v: offsets, middles and neighbours.

    ``order`` goes by increasing degree, so the neighbours of v beyond v, which begin at ``middles[v]``, are at most the
    square root of twice the number of edges.
    """
    starts = np.zeros(len(order) + 1, dtype=np.uint32)
    np.cumsum(np.diff(offsets)[order], out=starts[1:])
    fill = _fill_at_once if len(neighbours) < LEAST_DEALT else _fill_by_buckets
    middles, rows = np.empty(len(order), dtype=np.uint32), np.empty(len(neighbours), dtype=np.uint32)
    fill(order, offsets, neighbours, starts, middles, rows, threads)
    return starts, middles, rows


def _fill_at_once(
    order: Uints, offsets: Uints, neighbours: Uints, starts: Uints, middles: Uints, rows: Uints, _threads: int
) -> None:
    rank, fill = np.empty(len(order), dtype=np.uint32), starts[:-1].copy()
    rank[order] = np.arange(len(order), dtype=np.uint32)
    for first, last in stretches(starts):
        fill_rows(first, last, order, rank, offsets, neighbours, fill, middles, rows)


def _fill_by_buckets(
    order: Uints, offsets: Uints, neighbours: Uints, starts: Uints, middles: Uints, rows: Uints, threads: int
) -> None:
    """The same rows; each bucket holds some nodes that stand together in the old numbers, and a key for each place."""
    nodes = len(order)
    rank, fill = (np.empty(nodes, dtype=np.uint32) for _ in range(2))
    rank[order], fill[order] = np.arange(nodes, dtype=np.uint32), starts[:-1]
    shift = (nodes * BUCKET // len(rows)).bit_length()
    bounds = np.append(offsets[: nodes : 2**shift], offsets[-1])
    keys, goal = np.empty(len(rows), dtype=np.uint64), bounds[:-1].copy()
    for first, last in stretches(starts):
        deal_rows(first, last, shift, order, offsets, neighbours, goal, keys)

    def lay(bucket: int) -> None:
        first, last = bucket << shift, min(bucket + 1 << shift, nodes)
        lay_rows(first, last, keys[bounds[bucket] : bounds[bucket + 1]], rank, fill, middles, rows)

    run_parts(lambda: lay, range(len(goal)), threads=threads, title="order of nodes")


@njit(cache=True, nogil=True)
def fill_rows(
    first: int,
    last: int,
    order: Uints,
    rank: Uints,
    offsets: Uints,
    neighbours: Uints,
    fill: Uints,
    middles: Uints,
    rows: Uints,
) -> None:
    """Write the nodes from first to last, by their new numbers, into the rows of their neighbours.

    What is in row v when v is reached lies below v.
    """
    one = np.uint32(1)
    last_node, last_slot = np.uint64(len(order) - 1), np.uint64(len(neighbours) - 1)
    for v in range(np.uint64(first), np.uint64(last)):  # unsigned: no look at the sign of a place
        prefetch(offsets, np.uint64(order[min(v + np.uint64(FAR), last_node)]))
        prefetch(neighbours, np.uint64(offsets[order[min(v + np.uint64(NEAR), last_node)]]))
        middles[v] = fill[v]
        node = order[v]
        for slot in range(np.uint64(offsets[node]), np.uint64(offsets[node + one])):
            prefetch(rank, np.uint64(neighbours[min(slot + np.uint64(NEAR), last_slot)]))
            u = rank[neighbours[slot]]
            rows[fill[u]] = v
            fill[u] += one


@njit(cache=True, nogil=True)
def deal_rows(
    first: int, last: int, shift: int, order: Uints, offsets: Uints, neighbours: Uints, goal: Uints, keys: Words
) -> None:
    """Deal the nodes from first to last, by their new numbers, to the buckets of their neighbours.

    A key is the neighbour, by its old number, times 2^32 plus the node.
    """
    one = np.uint32(1)
    last_node, bits = np.uint64(len(order) - 1), np.uint32(shift)
    for v in range(np.uint64(first), np.uint64(last)):
        prefetch(offsets, np.uint64(order[min(v + np.uint64(FAR), last_node)]))
        prefetch(neighbours, np.uint64(offsets[order[min(v + np.uint64(NEAR), last_node)]]))
        node = order[v]
        for slot in range(np.uint64(offsets[node]), np.uint64(offsets[node + one])):
            u = neighbours[slot]
            keys[goal[u >> bits]] = np.uint64(u) << _HALF | v
            goal[u >> bits] += one


@njit(cache=True, nogil=True)
def lay_rows(first: int, last: int, keys: Words, rank: Uints, fill: Uints, middles: Uints, rows: Uints) -> None:
    """Write the nodes in the keys of one bucket, which has the nodes from first to last by old numbers, into its rows.

    ``fill`` says, by old numbers, where the next one goes. What is in the row of u that is lower than u comes first.
    """
    one = np.uint32(1)
    for node in range(first, last):
        middles[rank[node]] = fill[node]
    for key in keys:
        u, v = np.uint32(key >> _HALF), np.uint32(key & _LOWER_HALF)
        rows[fill[u]] = v
        fill[u] += one
        if v < rank[u]:
            middles[rank[u]] = fill[u]
