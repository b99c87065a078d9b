"""Ego betweenness, compiled: how often a node stands between two of its neighbours.

The ego network of a centre c holds the neighbours of c and the edges among them. With d neighbours, t such edges and
h[b] pairs of neighbours that share no edge but b >= 1 neighbours inside the ego network,

    EBC(c) = C(d, 2) - t - sum_b h[b] b / (b + 1).

Pairs with b = 0 are never looked at: a hub costs its ego edges, not the square of its degree. The h[b] are integers,
so that the sum, taken by increasing b, has the same bits whoever counted them.
"""

from math import isqrt
from typing import Any

import numpy as np
from numba import njit
from numpy.typing import NDArray

from dampen.graphs.bit_kernels import (
    CACHED_WORDS,
    Counts,
    copy_core,
    core_degrees,
    count_row,
    padded,
    set_edges,
    used_words,
)
from dampen.graphs.edge_kernels import ADJACENT, FAR, WORD, Uints, Words, ask_for_rows, prefetch
from dampen.graphs.stretches import stretches
from dampen.graphs.threads import Halt
from dampen.graphs.triangle_kernels import EDGES_AT_ONCE, number_ends, sort_listed_rows
from dampen.graphs.word_kernels import Bytes, count_words, fill_words, pack_words

Scratch = tuple[Uints, Uints, Uints, Uints, Uints, Uints, NDArray[np.int32], Uints, Words, Counts, Words, Bytes]

CENTRE, STAGE, BLOCK, ROW, BASE, ROWS, WORDS, LARGEST = range(8)
"""What ``progress`` holds: how far the count has come, which other calls go on with."""

UNSEEN, BITS, PATHS, COUNTED = range(4)
"""How far a centre has come: nothing was done, its open pairs are counted in one of two ways, or all of them are."""


def scratch(nodes: int, largest_degree: int, most_edges: int, core: int) -> Scratch:
    """Memory of one thread: for all nodes, for the ego edges of one centre, and for its linked neighbours.

    Bits take no more memory than the lists of edges. Where they would, there are fewer edges than linked squared / 128,
    and at most linked times as many 2-paths: walking these is no worse. There is room for one word for each of 64 rows
    at least, and as many numbers in the histogram: small ego networks are counted there.
    """
    rows = max(core, min(largest_degree, isqrt(128 * most_edges))) + WORD
    words = padded(-(-rows // WORD))
    return (
        np.zeros(nodes, dtype=np.uint32),  # place: of each node in the centre's row, from 1; 0 outside
        # tails and tips: one more, as each try is written before it is kept; tails serve to sort rows, too
        np.empty(2 * most_edges + 1, dtype=np.uint32),
        np.empty(most_edges + 1, dtype=np.uint32),
        np.zeros(largest_degree + 2, dtype=np.uint32),  # sizes
        np.zeros(max(largest_degree, core) + 2, dtype=np.uint32),  # fill
        np.empty(2 * most_edges, dtype=np.uint32),  # row
        np.zeros(largest_degree + 2, dtype=np.int32),  # counts
        np.empty(largest_degree + 2, dtype=np.uint32),  # touched
        np.zeros(rows * words, dtype=np.uint64),  # bits
        np.zeros(max(largest_degree, rows) + 2, dtype=np.int64),  # histogram
        np.zeros(words, dtype=np.uint64),  # present
        np.zeros(nodes, dtype=np.uint8),  # seats: as place, for centres with so few neighbours that a byte holds it
    )


def scan_lengths(offsets: Uints, middles: Uints, neighbours: Uints) -> Counts:
    """For every centre how many edges lead up from its neighbours: the cost of finding its ego edges, and a bound."""
    lengths = np.zeros(len(middles), dtype=np.int64)
    for first, last in stretches(offsets):
        _scan_rows(first, last, offsets, middles, neighbours, lengths)
    return lengths


@njit(cache=True, nogil=True)
def _scan_rows(first: int, last: int, offsets: Uints, middles: Uints, neighbours: Uints, lengths: Counts) -> None:
    one, end = np.uint32(1), np.uint64(len(neighbours) - 1)
    for c in range(np.uint32(first), np.uint32(last)):
        total: Any = np.int64(0)
        for slot in range(np.uint64(offsets[c]), np.uint64(offsets[c + one])):
            ahead = np.uint64(neighbours[min(slot + np.uint64(FAR), end)])
            prefetch(offsets, ahead)
            prefetch(middles, ahead)
            x = neighbours[slot]
            total += np.int64(offsets[x + one]) - np.int64(middles[x])
        lengths[c] = total


@njit(cache=True, nogil=True)
def ego_values(
    centres: Uints,
    graph: Any,
    core: Any,
    memory: Any,
    values: NDArray[np.float64],
    progress: Counts,
    limit: int,
    keep: bool,
    halt: Halt,
) -> Any:
    """EBC of some centres, each written to its own place; how many steps were made.

    It stops after about ``limit`` steps, and goes on from there when called again. All is done when
    ``progress[CENTRE]`` is the number of centres. To find the ego network of a hub takes longer, as do steps that wait
    for memory: both end once ``halt`` is set, and memory and values are of no use then. To ``keep`` is to stop at a
    centre once its open pairs are counted: ``progress[STAGE]`` is ``COUNTED``, C(d, 2) - t is at ``BASE``, the largest
    b with h[b] > 0 at ``LARGEST``, and the histogram is left in the scratch memory.

    Arrays are taken out of their tuples here, once: in the loop, references to all of them would be counted for every
    centre, which takes longer than a small ego network. ``progress`` is read and written only around large centres and
    at the end: its numbers stay in registers meanwhile.
    """
    offsets, middles, neighbours, lengths, starts, edges = graph
    place, tails, tips, sizes, _, _, _, touched, bits, histogram, _, seats = memory
    work: Any = 0
    t: Any
    at, stage, base, largest = progress[CENTRE], progress[STAGE], progress[BASE], progress[LARGEST]
    while work < limit and at < len(centres) and not halt[0]:
        c = centres[at]
        d: Any = np.int64(offsets[c + 1]) - np.int64(offsets[c])
        if d > WORD:
            progress[STAGE] = stage
            work += _count_large(c, graph, core, memory, progress, limit - work, halt)
            stage, base, largest = progress[STAGE], progress[BASE], progress[LARGEST]
        elif stage == UNSEEN:
            size, largest, stage = d, np.int64(0), COUNTED
            if len(starts) == 0:
                t = fill_words(c, offsets, middles, neighbours, seats, bits)
            else:
                t = np.int64(starts[c + 1]) - np.int64(starts[c])
                if t > 1:
                    size, _ = number_ends(np.int64(starts[c]), t, edges, place, tails, tips, sizes, touched, halt)
                    pack_words(t, tails, tips, bits)
            if t > 1:
                largest = count_words(size, bits, histogram)
            bits[:size] = 0
            base = d * (d - 1) // 2 - t
            work += lengths[c] + d * d
        if stage == COUNTED:
            if keep:
                break
            loss = 0.0
            for b in range(1, largest + 1):
                if histogram[b]:
                    loss += histogram[b] * b / (b + 1)
                    histogram[b] = 0
            values[c] = base - loss
            stage = UNSEEN
            at += 1
    progress[CENTRE], progress[STAGE], progress[BASE], progress[LARGEST] = at, stage, base, largest
    return work


@njit(cache=True, nogil=True)
def _count_large(c: int, graph: Any, core: Any, memory: Any, progress: Counts, limit: int, halt: Halt) -> Any:
    """Go on with a centre of more than 64 neighbours from where ``progress`` says; how many steps that took."""
    work: Any = 0
    if progress[STAGE] == UNSEEN and core[2][c]:
        work += _lay_out_core(c, graph, core, memory, progress)
    if progress[STAGE] == UNSEEN:
        work += _lay_out(c, graph, memory, progress, halt)
    _, _, _, sizes, _, row, counts, touched, bits, histogram, present, _ = memory
    if progress[STAGE] == BITS:
        work += _pairs_by_bits(bits, histogram, present, progress, limit - work)
    elif progress[STAGE] == PATHS:
        work += _pairs_by_paths(sizes, row, counts, touched, histogram, progress, limit - work, halt)
    return work


@njit(cache=True, nogil=True)
def _lay_out(c: int, graph: Any, memory: Any, progress: Counts, halt: Halt) -> Any:
    """Find the ego network of c and choose how its open pairs are counted; how many steps that took.

    Given up, it leaves c as it was found.
    """
    offsets, middles, neighbours, lengths, starts, edges = graph
    place, tails, tips, sizes, fill, row, _, touched, bits, histogram, present, _ = memory
    d: Any = np.int64(offsets[c + 1]) - np.int64(offsets[c])
    t: Any
    if len(starts):
        t = np.int64(starts[c + 1]) - np.int64(starts[c])
        linked, wedges = number_ends(np.int64(starts[c]), t, edges, place, tails, tips, sizes, touched, halt)
    else:
        t = np.int64(_ego_edges(c, offsets, middles, neighbours, place, tails, tips, halt))
        linked, wedges = _relabel(t, d, tails, tips, sizes, touched, halt)
    if halt[0]:
        return np.int64(0)
    open_pairs = linked * (linked - 1) // 2 - t
    words = (linked + WORD - 1) // WORD
    progress[BLOCK] = progress[ROW] = progress[LARGEST] = 0
    progress[BASE] = d * (d - 1) // 2 - t
    progress[ROWS], progress[WORDS] = linked, words
    if open_pairs == 0:
        progress[STAGE] = COUNTED
    elif linked <= WORD:
        pack_words(t, tails, tips, bits)
        progress[LARGEST] = count_words(linked, bits, histogram)
        bits[:linked] = 0
        progress[STAGE] = COUNTED
    elif _bits_are_cheaper(linked, words, open_pairs, wedges) and linked * words <= len(bits):
        set_edges(t, linked, words, tails, tips, bits, present)
        progress[STAGE] = BITS
    else:
        if len(starts):
            sort_listed_rows(t, linked, tails, tips, sizes, fill, row, halt)
        else:
            _sort_rows(t, linked, tails, tips, sizes, fill, row, halt)
        progress[STAGE] = UNSEEN if halt[0] else PATHS
    return lengths[c] + d


@njit(cache=True, nogil=True)
def _lay_out_core(c: int, graph: Any, core: Any, memory: Any, progress: Counts) -> Any:
    """Copy the ego network of c from the core, if its open pairs are then counted by bits or there are none.

    How many steps that took; where it was not done, ``progress`` is as it was.
    """
    offsets, neighbours, degrees, columns, bits, present = (
        graph[0],
        graph[2],
        memory[3],
        memory[4],
        memory[8],
        memory[10],
    )
    first, matrix, _ = core
    row = neighbours[offsets[c] : offsets[c + 1]]
    d: Any = len(row)
    steps: Any = d * matrix.shape[1]
    t, linked, wedges = core_degrees(c, first, row, matrix, degrees)
    open_pairs = linked * (linked - 1) // 2 - t
    used = used_words(matrix[c - first])
    words = padded(used)
    cheaper = _bits_are_cheaper(linked, words, open_pairs, wedges) and used * WORD * words <= len(bits)
    if not (cheaper or open_pairs == 0):
        return steps
    progress[BLOCK] = progress[ROW] = progress[LARGEST] = 0
    progress[BASE] = d * (d - 1) // 2 - t
    progress[ROWS], progress[WORDS] = used * WORD, words
    progress[STAGE] = BITS if open_pairs else COUNTED
    if open_pairs:
        copy_core(c, first, row, matrix, degrees, words, bits, present, columns)
    return steps


@njit(cache=True, nogil=True)
def _bits_are_cheaper(linked: Any, words: Any, open_pairs: Any, wedges: Any) -> bool:
    """Bits cost their rows and some words for each open pair; a 2-path is taken to cost four such steps."""
    return bool(linked * words + open_pairs * (words + 3) < 4 * wedges)


@njit(cache=True, nogil=True)
def _ego_edges(
    c: int, offsets: Uints, middles: Uints, neighbours: Uints, place: Uints, tails: Uints, tips: Uints, halt: Halt
) -> int:
    """List the edges among the neighbours of c by their places in its row, the lower end first and increasing."""
    low, high = offsets[c], offsets[c + 1]
    one = np.uint32(1)
    for slot in range(low, high):
        place[neighbours[slot]] = slot - low + 1
    t = 0
    for slot in range(low, high):
        if halt[0]:
            break
        ask_for_rows(slot, offsets, middles, neighbours)
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
def _relabel(t: int, d: int, tails: Uints, tips: Uints, sizes: Uints, ids: Uints, halt: Halt) -> tuple[int, int]:
    """Number the neighbours that have ego edges, in order; how many they are, and how many wedges (2-paths) they form.

    ``sizes[x + 1]`` is left as the ego degree of the neighbour with the new number x.
    """
    ids[:d] = 0
    for first in range(0, t, EDGES_AT_ONCE):
        if halt[0]:
            break
        for e in range(np.uint64(first), np.uint64(min(first + EDGES_AT_ONCE, t))):
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
    for first in range(0, t, EDGES_AT_ONCE):
        if halt[0]:
            break
        for e in range(np.uint64(first), np.uint64(min(first + EDGES_AT_ONCE, t))):
            tails[e] = ids[tails[e]]
            tips[e] = ids[tips[e]]
    return linked, wedges


@njit(cache=True, nogil=True)
def _pairs_by_bits(bits: Words, histogram: Counts, present: Words, progress: Counts, limit: int) -> Any:
    """h[b] from rows of bits: for each open pair the set bits that two rows share. For dense ego networks.

    Rows are held against one block of rows after another, so that the block stays in the cache. A row that was not
    reached within the limit is where the next call goes on.
    """
    rows, words = progress[ROWS], progress[WORDS]
    block = max(1, CACHED_WORDS // (WORD * words))
    work: Any = 0
    while progress[BLOCK] < words:
        start = progress[BLOCK]
        for x in range(max(progress[ROW], start * WORD), rows):
            if work >= limit:
                progress[ROW] = x
                return work
            if present[x // WORD] >> np.uint64(x % WORD) & np.uint64(1):
                work += block + words * count_row(x, start, start + block, words, bits, present, histogram)
        progress[BLOCK], progress[ROW] = start + block, 0
    bits[: rows * words] = 0
    histogram[0] = 0  # pairs with b = 0 lose nothing, and the other way of counting never meets them
    largest = rows
    while largest and histogram[largest] == 0:
        largest -= 1
    progress[LARGEST] = largest
    progress[STAGE] = COUNTED
    return work


@njit(cache=True, nogil=True)
def _sort_rows(
    t: int, linked: int, tails: Uints, tips: Uints, sizes: Uints, fill: Uints, row: Uints, halt: Halt
) -> None:
    """Rows of the ego network, each increasing: first the neighbours below, then those above.

    ``sizes`` becomes where rows start: row x is ``row[sizes[x]:sizes[x + 1]]``. Edges come by increasing lower end, so
    the neighbours below fill in order; so do those above, after the last of them.
    """
    one = np.uint32(1)
    sizes[0] = 0  # a centre that was looked for in the core has left a degree there
    for x in range(linked):
        sizes[x + 1] += sizes[x]
        fill[x] = sizes[x]
    for first in range(0, t, EDGES_AT_ONCE):
        if halt[0]:
            return
        for e in range(np.uint64(first), np.uint64(min(first + EDGES_AT_ONCE, t))):
            y = tips[e]
            row[fill[y]] = tails[e]
            fill[y] += one
    for first in range(0, t, EDGES_AT_ONCE):
        if halt[0]:
            return
        for e in range(np.uint64(first), np.uint64(min(first + EDGES_AT_ONCE, t))):
            x = tails[e]
            row[fill[x]] = tips[e]
            fill[x] += one


@njit(cache=True, nogil=True)
def _pairs_by_paths(
    sizes: Uints,
    row: Uints,
    counts: NDArray[np.int32],
    touched: Uints,
    histogram: Counts,
    progress: Counts,
    limit: int,
    halt: Halt,
) -> Any:
    """h[b] by walking the 2-paths u - w - v with v < u, and so v before u in the row of w. For sparse ego networks.

    A row that was not reached within the limit is where the next call goes on.
    """
    largest: Any = progress[LARGEST]
    work: Any = 0
    for u in range(progress[ROW], progress[ROWS]):
        if work >= limit or halt[0]:
            progress[ROW], progress[LARGEST] = u, largest
            return work
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
            work += b
        for slot in range(low, high):
            if row[slot] > u:
                break
            work += counts[row[slot]] - ADJACENT
            counts[row[slot]] = 0
    progress[LARGEST] = largest
    progress[STAGE] = COUNTED
    return work
