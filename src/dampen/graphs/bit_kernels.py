"""Ego networks as rows of bits, compiled: for those that are dense.

Columns stand for the neighbours of the centre, 64 to a word, and the row of column y begins at word ``y * words``. Not
every column need be in use: ``present`` has a bit for those that are.

Rows are laid out from a list of edges, or copied from the *core*: the adjacency matrix of the nodes of largest degree,
in bits, made once for a graph. A copy takes a word where a list takes up to 64 edges, and in a dense graph the list of
all ego edges of all centres is most of the work.
"""

from math import isqrt
from typing import Any

import numpy as np
from numba import njit
from numpy.typing import NDArray

from dampen.graphs.edge_kernels import WORD, Uints, Words, lowest, ones

Counts = NDArray[np.int64]

CACHED_WORDS = 2**15
"""Words of rows that stay in the cache while all other rows are held against them."""

LANES = 8
"""Rows of more words are padded to a multiple of this, as many as a processor counts at once."""


def core_size(nodes: int, edges: int) -> int:
    """How many nodes the core has: it takes no more memory than the graph, and holds all nodes of a dense one."""
    return min(nodes, 8 * isqrt(edges))


@njit(cache=True, nogil=True)
def padded(words: int) -> int:
    """How many words a row has that needs so many."""
    return words if words < LANES else (words + LANES - 1) // LANES * LANES


@njit(cache=True, nogil=True)
def make_core(size: int, offsets: Uints, middles: Uints, neighbours: Uints) -> Words:
    """The edges among the last ``size`` nodes: a row of bits for each."""
    first, one = len(middles) - size, np.uint64(1)
    core = np.zeros((size, (size + WORD - 1) // WORD), dtype=np.uint64)
    for v in range(first, len(middles)):
        x: Any = v - first
        for slot in range(middles[v], offsets[v + 1]):
            y: Any = np.int64(neighbours[slot]) - first
            core[x, y // WORD] |= one << np.uint64(y % WORD)
            core[y, x // WORD] |= one << np.uint64(x % WORD)
    return core


@njit(cache=True, nogil=True)
def core_degrees(c: int, first: int, row: Uints, core: Words, degrees: Uints) -> tuple[int, int, int]:
    """How many ego edges centre c has, how many linked neighbours, and how many wedges; ``degrees`` are left by slot.

    ``row`` holds the neighbours of c; c and they are in the core, whose first node is ``first``.
    """
    ends: Any = 0
    linked: Any = 0
    wedges: Any = 0
    centre = core[c - first]
    for slot in range(len(row)):
        degree = _count_shared(centre, core[row[slot] - first])
        degrees[slot] = degree
        ends += degree
        wedges += degree * (degree - 1) // 2
        linked += degree != 0
    return ends // 2, linked, wedges


@njit(cache=True, nogil=True)
def used_words(row: Words) -> int:
    """How many words of a row are not zero."""
    used = 0
    for word in row:
        used += word != 0
    return used


@njit(cache=True, nogil=True)
def copy_core(
    c: int, first: int, row: Uints, core: Words, degrees: Uints, words: int, bits: Words, present: Words, columns: Uints
) -> None:
    """Lay out the ego network of c with the columns of the core, without the words in which c has no neighbour."""
    centre = core[c - first]
    used = 0
    for word in range(len(centre)):
        columns[word] = used
        if centre[word]:
            present[used] = 0
            used += 1
    present[used:words] = 0
    for slot in range(len(row)):
        if degrees[slot] == 0:
            continue
        x: Any = np.int64(row[slot]) - first
        column = np.int64(columns[x // WORD]) * WORD + x % WORD
        present[column // WORD] |= np.uint64(1) << np.uint64(column % WORD)
        place = column * words
        for word in range(len(centre)):
            if centre[word]:
                bits[place] = centre[word] & core[x, word]
                place += 1


@njit(cache=True, nogil=True)
def set_edges(t: int, linked: int, words: int, tails: Uints, tips: Uints, bits: Words, present: Words) -> None:
    """Lay out a list of edges; the columns are the numbers of their ends."""
    one = np.uint64(1)
    for e in range(t):
        x: Any = np.int64(tails[e])
        y: Any = np.int64(tips[e])
        bits[x * words + y // WORD] |= one << np.uint64(y % WORD)
        bits[y * words + x // WORD] |= one << np.uint64(x % WORD)
    present[:words] = 0
    present[: linked // WORD] = ~np.uint64(0)
    if linked % WORD:
        present[linked // WORD] = (one << np.uint64(linked % WORD)) - one


@njit(cache=True, nogil=True)
def count_row(x: int, start: int, stop: int, words: int, bits: Words, present: Words, histogram: Counts) -> int:
    """Add to the histogram the open pairs {x, y}, y < x, with y in the words from start to stop; how many they are.

    A pair stands at the number of set bits that both rows share.
    """
    one, width = np.uint64(1), np.uint64(words)
    own = np.uint64(x) * width
    found = 0
    for word in range(start, min(stop, x // WORD + 1)):
        missing = ~bits[x * words + word] & present[word]
        if word == x // WORD:
            missing &= (one << np.uint64(x % WORD)) - one
        while missing:
            y = word * WORD + np.int64(lowest(missing))
            missing &= missing - one
            shared, other = np.uint64(0), np.uint64(y) * width
            for part in range(width):  # unsigned throughout, so that many words are counted at once
                shared += ones(bits[own + part] & bits[other + part])
            histogram[shared] += 1
            found += 1
    return found


@njit(cache=True, nogil=True)
def _count_shared(first: Words, second: Words) -> Any:
    """How many bits are set in both rows."""
    shared = np.uint64(0)
    for word in range(len(first)):
        shared += ones(first[word] & second[word])
    return np.int64(shared)
