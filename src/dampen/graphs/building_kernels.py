"""Rows of a graph from many pairs of nodes, compiled. Not private.

Pairs are dealt out, in both directions, into buckets of nodes that lie together: each bucket is then sorted by itself,
in the cache. A key is the node times 2^32 plus its neighbour.
"""

from typing import Any

import numpy as np
from numba import njit

from dampen.graphs.bit_kernels import Counts
from dampen.graphs.edge_kernels import Uints, Words

_HALF = np.uint64(32)


@njit(cache=True, nogil=True)
def count_into_buckets(src: Uints, dst: Uints, shift: int, sizes: Counts) -> int:
    """Add to the sizes of buckets what pairs of different nodes bring; how many pairs join a node with itself.

    Node v is in bucket v >> shift.
    """
    loops = 0
    for row in range(len(src)):
        if src[row] == dst[row]:
            loops += 1
        else:
            sizes[src[row] >> shift] += 1
            sizes[dst[row] >> shift] += 1
    return loops


@njit(cache=True, nogil=True)
def deal_into_buckets(src: Uints, dst: Uints, shift: int, fill: Counts, keys: Words) -> None:
    """Write the keys of both directions of each pair into their buckets; ``fill`` says where the next one goes."""
    for row in range(len(src)):
        if src[row] != dst[row]:
            a, b = np.uint64(src[row]), np.uint64(dst[row])
            place = fill[src[row] >> shift]
            keys[place] = a << _HALF | b
            fill[src[row] >> shift] = place + 1
            place = fill[dst[row] >> shift]
            keys[place] = b << _HALF | a
            fill[dst[row] >> shift] = place + 1


@njit(cache=True, nogil=True)
def drop_repeats(keys: Words, degrees: Uints) -> int:
    """Bring the different ones of sorted keys to the front and count them at their nodes; how many they are."""
    kept = 0
    for place in range(len(keys)):
        if place == 0 or keys[place] != keys[place - 1]:
            degrees[keys[place] >> _HALF] += np.uint32(1)
            kept += 1
    if kept < len(keys):
        last, kept = keys[0], 1
        for place in range(1, len(keys)):
            if keys[place] != last:
                last = keys[place]
                keys[kept] = last
                kept += 1
    return kept


@njit(cache=True, nogil=True)
def take_neighbours(keys: Words, neighbours: Any) -> None:
    """The lower halves of keys."""
    for place in range(len(keys)):
        neighbours[place] = np.int32(keys[place] & np.uint64(0xFFFFFFFF))
