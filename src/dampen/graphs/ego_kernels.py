"""Ego betweenness, compiled: how often a node stands between two of its neighbours.

The ego network of a centre c holds the neighbours of c and the edges among them. With d neighbours, t such edges and
h[b] pairs of neighbours that share no edge but b >= 1 neighbours inside the ego network,

    EBC(c) = C(d, 2) - t - sum_b h[b] b / (b + 1).

Pairs with b = 0 are never looked at: a hub costs its ego edges, not the square of its degree. The h[b] are integers,
so that the sum, taken by increasing b, has the same bits whoever counted them.
"""

from typing import Any

import numpy as np
from numba import njit
from numpy.typing import NDArray

from dampen.graphs.edge_kernels import ADJACENT, BITSET_ROWS, WORD, Uints, Words, lowest, ones

Counts = NDArray[np.int64]

Scratch = tuple[Uints, Uints, Uints, Uints, Uints, Uints, NDArray[np.int32], Uints, Words, Counts]


def scratch(nodes: int, largest_degree: int, most_edges: int) -> Scratch:
    """Memory of one thread: for all nodes, for the ego edges of one centre, and for its linked neighbours."""
    rows = min(largest_degree, BITSET_ROWS)
    return (
        np.zeros(nodes, dtype=np.uint32),  # place: of each node in the centre's row, from 1; 0 outside
        np.empty(most_edges + 1, dtype=np.uint32),  # tails and tips: one more, as each try is written before it is kept
        np.empty(most_edges + 1, dtype=np.uint32),
        np.zeros(largest_degree + 2, dtype=np.uint32),  # sizes
        np.zeros(largest_degree + 2, dtype=np.uint32),  # fill
        np.empty(2 * most_edges, dtype=np.uint32),  # row
        np.zeros(largest_degree + 2, dtype=np.int32),  # counts
        np.empty(largest_degree + 2, dtype=np.uint32),  # touched
        np.zeros(rows * (-(-rows // WORD)), dtype=np.uint64),  # bits
        np.zeros(largest_degree + 2, dtype=np.int64),  # histogram
    )


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


@njit(cache=True, nogil=True)
def by_degree(order: Uints, offsets: Uints, neighbours: Uints) -> tuple[Uints, Uints, Uints]:
    """The graph with its nodes renumbered so that ``order[v]`` becomes v: offsets, middles and neighbours.

    ``order`` goes by increasing degree, so the neighbours of v beyond v, which begin at ``middles[v]``, are at most the
    square root of twice the number of edges. Rows fill by increasing node, which sorts them.
    """
    n = len(order)
    rank = np.empty(n, dtype=np.uint32)
    new_offsets = np.zeros(n + 1, dtype=np.uint32)
    for v in range(n):
        rank[order[v]] = v
        new_offsets[v + 1] = new_offsets[v] + offsets[order[v] + 1] - offsets[order[v]]
    fill = new_offsets[:-1].copy()
    middles = np.empty(n, dtype=np.uint32)
    row = np.empty(len(neighbours), dtype=np.uint32)
    for v in range(n):
        middles[v] = fill[v]
        for slot in range(offsets[order[v]], offsets[order[v] + 1]):
            u = rank[neighbours[slot]]
            row[fill[u]] = v
            fill[u] += np.uint32(1)
    return new_offsets, middles, row


@njit(cache=True, nogil=True)
def scan_lengths(offsets: Uints, middles: Uints, neighbours: Uints) -> Counts:
    """For every centre how many edges lead up from its neighbours: the cost of finding its ego edges, and a bound."""
    lengths = np.zeros(len(middles), dtype=np.int64)
    for c in range(len(middles)):
        for slot in range(offsets[c], offsets[c + 1]):
            x = neighbours[slot]
            lengths[c] += offsets[x + 1] - middles[x]
    return lengths


@njit(cache=True, nogil=True)
def ego_values(
    centres: Uints, offsets: Uints, middles: Uints, neighbours: Uints, memory: Any, values: NDArray[np.float64]
) -> None:
    """EBC of some centres, each written to its own place."""
    histogram = memory[9]
    for c in centres:
        base, largest = ego_histogram(c, offsets, middles, neighbours, memory)
        loss = 0.0
        for b in range(1, largest + 1):
            if histogram[b]:
                loss += histogram[b] * b / (b + 1)
                histogram[b] = 0
        values[c] = base - loss


@njit(cache=True, nogil=True)
def ego_histogram(c: int, offsets: Uints, middles: Uints, neighbours: Uints, memory: Any) -> tuple[int, int]:
    """C(d, 2) - t of one centre and the largest b with h[b] > 0; the histogram is left in the last scratch array."""
    place, tails, tips, sizes, fill, row, counts, touched, bits, histogram = memory
    d: Any = np.int64(offsets[c + 1] - offsets[c])
    t = _ego_edges(c, offsets, middles, neighbours, place, tails, tips)
    base = d * (d - 1) // 2 - t
    if t < 2:
        return base, 0
    linked, wedges = _relabel(t, d, tails, tips, sizes, touched)
    open_pairs = linked * (linked - 1) // 2 - t
    words = (linked + WORD - 1) // WORD
    largest = 0
    if open_pairs:
        # Bits cost their rows and some words for each open pair; a 2-path is taken to cost four such steps.
        if linked <= BITSET_ROWS and linked * words + open_pairs * (words + 3) < 4 * wedges:
            largest = _pairs_by_bits(t, linked, words, tails, tips, bits, histogram)
        else:
            _sort_rows(t, linked, tails, tips, sizes, fill, row)
            largest = _pairs_by_paths(linked, sizes, row, counts, touched, histogram)
    return base, largest


@njit(cache=True, nogil=True)
def _ego_edges(
    c: int, offsets: Uints, middles: Uints, neighbours: Uints, place: Uints, tails: Uints, tips: Uints
) -> int:
    """List the edges among the neighbours of c by their places in its row, the lower end first and increasing."""
    low, high = offsets[c], offsets[c + 1]
    one = np.uint32(1)
    for slot in range(low, high):
        place[neighbours[slot]] = slot - low + 1
    t = 0
    for slot in range(low, high):
        x = neighbours[slot]
        for up in range(middles[x], offsets[x + 1]):
            mark = place[neighbours[up]]
            # Without a branch, which would be hard to predict: a miss is overwritten by the next try.
            tails[t] = slot - low
            tips[t] = mark - one
            t += mark != 0
    for slot in range(low, high):
        place[neighbours[slot]] = 0
    return t


@njit(cache=True, nogil=True)
def _relabel(t: int, d: int, tails: Uints, tips: Uints, sizes: Uints, ids: Uints) -> tuple[int, int]:
    """Number the neighbours that have ego edges, in order; how many they are, and how many wedges (2-paths) they form.

    ``sizes[x + 1]`` is left as the ego degree of the neighbour with the new number x.
    """
    ids[:d] = 0
    for e in range(t):
        ids[tails[e]] += np.uint32(1)
        ids[tips[e]] += np.uint32(1)
    linked: Any = 0
    wedges: Any = 0
    for x in range(d):
        degree: Any = np.int64(ids[x])
        ids[x] = linked
        sizes[linked + 1] = degree
        wedges += degree * (degree - 1) // 2
        linked += degree != 0
    sizes[linked + 1] = 0
    for e in range(t):
        tails[e] = ids[tails[e]]
        tips[e] = ids[tips[e]]
    return linked, wedges


@njit(cache=True, nogil=True)
def _pairs_by_bits(t: int, linked: int, words: int, tails: Uints, tips: Uints, bits: Words, histogram: Counts) -> int:
    """h[b] from rows of bits: for each open pair the set bits that two rows share. For small, dense ego networks."""
    one = np.uint64(1)
    shared: Any
    for e in range(t):
        x: Any = np.int64(tails[e])
        y: Any = np.int64(tips[e])
        bits[x * words + y // WORD] |= one << np.uint64(y % WORD)
        bits[y * words + x // WORD] |= one << np.uint64(x % WORD)
    largest = 0
    for x in range(linked):
        for word in range(x // WORD + 1):
            missing = ~bits[x * words + word]
            if word == x // WORD:  # each pair once: y < x
                missing &= (one << np.uint64(x % WORD)) - one
            while missing:
                y = word * WORD + np.int64(lowest(missing))
                missing &= missing - one
                shared = 0
                for part in range(words):
                    shared += np.int64(ones(bits[x * words + part] & bits[y * words + part]))
                histogram[shared] += 1
                largest = max(largest, shared)
    bits[: linked * words] = 0
    histogram[0] = 0  # pairs with b = 0 lose nothing, and the other way of counting never meets them
    return largest


@njit(cache=True, nogil=True)
def _sort_rows(t: int, linked: int, tails: Uints, tips: Uints, sizes: Uints, fill: Uints, row: Uints) -> None:
    """Rows of the ego network, each increasing: first the neighbours below, then those above.

    ``sizes`` becomes where rows start: row x is ``row[sizes[x]:sizes[x + 1]]``. Edges come by increasing lower end, so
    the neighbours below fill in order; so do those above, after the last of them.
    """
    one = np.uint32(1)
    for x in range(linked):
        sizes[x + 1] += sizes[x]
        fill[x] = sizes[x]
    for e in range(t):
        y = tips[e]
        row[fill[y]] = tails[e]
        fill[y] += one
    for e in range(t):
        x = tails[e]
        row[fill[x]] = tips[e]
        fill[x] += one


@njit(cache=True, nogil=True)
def _pairs_by_paths(
    linked: int, sizes: Uints, row: Uints, counts: NDArray[np.int32], touched: Uints, histogram: Counts
) -> int:
    """h[b] by walking the 2-paths u - w - v with v < u, and so v before u in the row of w. For sparse ego networks."""
    largest = 0
    for u in range(linked):
        low, high = sizes[u], sizes[u + 1]
        for slot in range(low, high):
            if row[slot] > u:
                break
            counts[row[slot]] = ADJACENT
        seen = 0
        for slot in range(low, high):
            w = row[slot]
            for far in range(sizes[w], sizes[w + 1]):
                v = row[far]
                if v >= u:
                    break
                touched[seen] = v  # kept only if new; neighbours of u are not, they count from ADJACENT
                seen += counts[v] == 0
                counts[v] += 1
        for place in range(seen):
            b: Any = np.int64(counts[touched[place]])
            histogram[b] += 1
            counts[touched[place]] = 0
            largest = max(largest, b)
        for slot in range(low, high):
            if row[slot] > u:
                break
            counts[row[slot]] = 0
    return largest
