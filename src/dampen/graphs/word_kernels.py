"""Ego networks of at most 64 nodes, compiled: each row is one word of bits. Not private.

Most nodes of real graphs have so few neighbours. Their ego networks need no lists of edges and stay in the nearest
cache. What then takes the time is to wait for the rows of the neighbours, so these are asked for ahead.

Bit j of ``rows[i]`` is set if the neighbours numbered i and j are joined. Rows are filled from zeros.
"""

from typing import Any

import numpy as np
from numba import njit
from numpy.typing import NDArray

from dampen.graphs.bit_kernels import Counts
from dampen.graphs.edge_kernels import WORD, Uints, Words, ask_for_rows, lowest, ones

Bytes = NDArray[np.uint8]


@njit(cache=True, nogil=True)
def fill_words(c: Any, offsets: Uints, middles: Uints, neighbours: Uints, seats: Bytes, rows: Words) -> Any:
    """Find the ego edges of c, whose neighbours are numbered by their places in its row; how many they are."""
    one, mask = np.uint64(1), np.uint64(WORD - 1)
    low, high = np.uint64(offsets[c]), np.uint64(offsets[c + np.uint32(1)])
    for slot in range(low, high):
        seats[neighbours[slot]] = slot - low + one
    t = np.uint64(0)
    for slot in range(low, high):
        ask_for_rows(slot, offsets, middles, neighbours)
        x, own = neighbours[slot], np.uint64(0)
        for up in range(np.uint64(middles[x]), np.uint64(offsets[x + np.uint32(1)])):
            mark = np.uint64(seats[neighbours[up]])
            # Without a branch, which would be hard to predict. A shift by all 64 bits has no meaning: hence the mask.
            own |= np.uint64(mark != 0) << (mark - one & mask)
        t += ones(own)
        rows[slot - low] |= own
        while own:
            rows[lowest(own)] |= one << slot - low
            own &= own - one
    for slot in range(low, high):
        seats[neighbours[slot]] = 0
    return np.int64(t)


@njit(cache=True, nogil=True)
def pack_words(t: Any, tails: Uints, tips: Uints, rows: Words) -> None:
    """The same rows from a list of t edges, whose ends are numbered."""
    one = np.uint64(1)
    for e in range(np.uint64(t)):
        rows[tails[e]] |= one << np.uint64(tips[e])
        rows[tips[e]] |= one << np.uint64(tails[e])


@njit(cache=True, nogil=True)
def count_words(size: Any, rows: Words, histogram: Counts) -> Any:
    """Add open pairs to the histogram by how many neighbours they share, if any; the largest such number.

    The open pairs of a row are looked at one by one; where they are more than its edges, only those that a 2-path
    joins.
    """
    one = np.uint64(1)
    linked, largest = np.uint64(0), np.uint64(0)
    for i in range(np.uint64(size)):
        linked |= np.uint64(rows[i] != 0) << i
    for i in range(np.uint64(size)):
        own = rows[i]
        open_pairs = linked & ~own & (one << i) - one  # each pair once: with those below
        if own == 0 or open_pairs == 0:
            continue
        if ones(open_pairs) > ones(own):
            reached, middles = np.uint64(0), own
            while middles:
                reached |= rows[lowest(middles)]
                middles &= middles - one
            open_pairs &= reached
        while open_pairs:
            b = ones(own & rows[lowest(open_pairs)])
            open_pairs &= open_pairs - one
            histogram[b] += 1
            largest = max(largest, b)
    histogram[0] = 0  # pairs that share none lose nothing
    return np.int64(largest)
