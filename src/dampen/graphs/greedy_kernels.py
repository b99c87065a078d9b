"""Rows of two persons in a public order, and how many of them are kept, compiled. Not private.

The public place of a pair of ids below 2^32 is a keyed hash of it: both ids in one 64-bit word, the smaller above, xor
a public key, through the finaliser of SplitMix64. That maps words one to one, so different pairs never share a place,
and a sorted list of places is a sorted list of pairs. Places are spread evenly, so they are dealt into buckets by their
upper bits, and each bucket is sorted by itself.
"""

from typing import Any

import numpy as np
from numba import njit
from numpy.typing import NDArray

from dampen.graphs.bit_kernels import Counts
from dampen.graphs.edge_kernels import Uints, Words

KEY = 0x243F6A8885A308D3
"""The public key of the order: the first 64 binary places of pi after the point. Any fixed number is as private."""
FACTORS = 0xBF58476D1CE4E5B9, 0x94D049BB133111EB
"""Of SplitMix64: x becomes (x ^ x >> 30) times the first, then (x ^ x >> 27) times the second, then x ^ x >> 31."""
AT_ONCE = 16
"""So many caps are counted in one pass: what a node has kept under each lies in one line of the cache."""

_KEY, _ONE, _TWO = np.uint64(KEY), np.uint64(FACTORS[0]), np.uint64(FACTORS[1])
_UNDO_ONE, _UNDO_TWO = (np.uint64(pow(factor, -1, 2**64)) for factor in FACTORS)
_HALF, _27, _30, _31, _54, _60, _62 = (np.uint64(bits) for bits in (32, 27, 30, 31, 54, 60, 62))


@njit(cache=True, nogil=True)
def _place(one: int, other: int) -> Any:
    """The public place of a pair of ids, in either direction."""
    x = np.uint64(min(one, other)) << _HALF | np.uint64(max(one, other))
    x ^= _KEY
    x = (x ^ x >> _30) * _ONE
    x = (x ^ x >> _27) * _TWO
    return x ^ x >> _31


@njit(cache=True, nogil=True)
def write_places(src: Uints, dst: Uints, places: Words) -> None:
    """The place of every pair, in the order of the pairs."""
    for row in range(len(src)):
        places[row] = _place(src[row], dst[row])


@njit(cache=True, nogil=True)
def count_places(src: Uints, dst: Uints, shift: int, sizes: Counts) -> None:
    """Add to the sizes of buckets the pairs whose places, shifted, are their numbers."""
    for row in range(len(src)):
        sizes[_place(src[row], dst[row]) >> np.uint64(shift)] += 1


@njit(cache=True, nogil=True)
def deal_places(src: Uints, dst: Uints, shift: int, fill: Counts, places: Words) -> None:
    """Write the place of every pair into its bucket, each of which is filled from ``fill`` on."""
    for row in range(len(src)):
        place = _place(src[row], dst[row])
        bucket = place >> np.uint64(shift)
        places[fill[bucket]] = place
        fill[bucket] += 1


@njit(cache=True, nogil=True)
def read_pairs(places: Words, low: Uints, high: Uints) -> None:
    """The pair of each public place, the smaller id first: what dealt it undone step by step, from the last."""
    for row in range(len(places)):
        x = places[row]
        x = (x ^ x >> _31 ^ x >> _62) * _UNDO_TWO
        x = (x ^ x >> _27 ^ x >> _54) * _UNDO_ONE
        x = x ^ x >> _30 ^ x >> _60
        x ^= _KEY
        low[row], high[row] = np.uint32(x >> _HALF), np.uint32(x)


@njit(cache=True, nogil=True)
def count_ends(low: Uints, high: Uints, rows: Counts) -> None:
    """Add to ``rows`` how many rows each node has; one from a node to itself is one."""
    for row in range(len(low)):
        rows[low[row]] += 1
        if low[row] != high[row]:
            rows[high[row]] += 1


@njit(cache=True, nogil=True)
def count_kept(low: Uints, high: Uints, caps: NDArray[np.int32], kept: NDArray[np.int32], found: Counts) -> None:
    """Add how many rows are kept under each of AT_ONCE caps, in the order given: those whose ends have kept fewer.

    ``kept`` holds what the nodes have kept so far, one row a node. A row from a node to itself takes one place there.
    """
    more = np.zeros(AT_ONCE, dtype=np.int32)
    for row in range(len(low)):
        u, v = low[row], high[row]
        if u == v:
            for j in range(AT_ONCE):
                keep = np.int32(kept[u, j] < caps[j])
                kept[u, j] += keep
                more[j] += keep
        else:  # without a branch inside, all caps are compared by one instruction
            for j in range(AT_ONCE):
                keep = np.int32(kept[u, j] < caps[j]) & np.int32(kept[v, j] < caps[j])
                kept[u, j] += keep
                kept[v, j] += keep
                more[j] += keep
    found += more
