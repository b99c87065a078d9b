"""Loops over pairs of nodes and over cliques, compiled; imported only where subgraphs are counted. Not private.

Rows are those of :mod:`~dampen.graphs.edge_kernels`. Pairs are looked at from one of their ends, by counting the
walks of two steps from there. Scratch memory is left as it was found: zeros. What may take long either goes over nodes
from first to last, few at a time, or looks at ``halt`` for every row that is walked and every clique, and ends once it
is set: what it has found by then, and the scratch memory, are of no use.
"""

from typing import Any

import numpy as np
from numba import njit
from numpy.typing import NDArray

from dampen.graphs.edge_kernels import Uints, Words, ask_for_ends, lowest, ones
from dampen.graphs.threads import Halt
from dampen.vectors import Integers


@njit(cache=True, nogil=True)
def codegree_sums(
    nodes: Uints,
    order: Uints,
    offsets: Uints,
    neighbours: Uints,
    counts: Integers,
    near: Integers,
    best: Integers,
    halt: Halt,
) -> None:
    """Raise ``best[a]`` to the largest d_i + d_j - 2 x_ij of pairs with a common neighbours, i among ``nodes``.

    ``order`` lists all nodes by decreasing degree, and ``nodes`` is a stretch of it. ``best`` ends at the largest
    number of common neighbours there is. Both ends of what is left have no larger degrees than i: if even their sum is
    no more than the last entry, that entry says more than all of them, and the walk ends.
    """
    last = len(best) - 1
    for i in nodes:
        degree: Any = np.int64(offsets[i + 1] - offsets[i])
        if 2 * degree <= best[last]:
            break
        for slot in range(offsets[i], offsets[i + 1]):
            if halt[0]:
                return
            near[neighbours[slot]] = 1
            for far in range(offsets[neighbours[slot]], offsets[neighbours[slot] + 1]):
                counts[neighbours[far]] += 1
        counts[i] = 1  # i is no partner of its own
        for j in order:
            sums: Any = degree + np.int64(offsets[j + 1] - offsets[j])
            if sums <= max(best[0], best[last]):  # nor can any later j, of no larger degree, add to the front
                break
            if counts[j] == 0:
                best[0] = max(best[0], sums - 2 * near[j])
        counts[i] = 0
        for slot in range(offsets[i], offsets[i + 1]):
            if halt[0]:
                return
            for far in range(offsets[neighbours[slot]], offsets[neighbours[slot] + 1]):
                j = neighbours[far]
                if j != i and counts[j]:
                    sums = degree + np.int64(offsets[j + 1] - offsets[j]) - 2 * near[j]
                    best[counts[j]] = max(best[counts[j]], sums)
                counts[j] = 0
        for slot in range(offsets[i], offsets[i + 1]):
            near[neighbours[slot]] = 0


@njit(cache=True, nogil=True)
def most_shared(
    nodes: Uints, best: int, offsets: Uints, neighbours: Uints, counts: NDArray[np.int32], halt: Halt
) -> int:
    """The most neighbours that one of ``nodes`` shares with a larger node, or ``best`` if that is more.

    Nodes are numbered by increasing degree, and ``nodes`` decrease. Two nodes share no more neighbours than either has,
    so the walk ends at the first whose degree is no larger than the most so far. A row is read from its end down to i,
    which it holds, because it is read only as that of a neighbour of i.
    """
    found: Any = np.int64(best)
    one = np.uint32(1)
    for i in nodes:
        if offsets[i + one] - offsets[i] <= found:
            break
        for slot in range(offsets[i], offsets[i + one]):
            if halt[0]:
                return int(found)
            ask_for_ends(slot, offsets, neighbours)
            down: Any = offsets[neighbours[slot] + one] - one
            while neighbours[down] > i:
                counts[neighbours[down]] += 1
                found = max(found, np.int64(counts[neighbours[down]]))
                down -= one
        for slot in range(offsets[i], offsets[i + one]):
            down = offsets[neighbours[slot] + one] - one
            while neighbours[down] > i:
                counts[neighbours[down]] = 0
                down -= one
    return int(found)


@njit(cache=True, nogil=True)
def farthest_partners(
    first: int, last: int, order: Uints, offsets: Uints, neighbours: Uints, near: NDArray[np.bool_], found: Integers
) -> None:
    """For every node from first to last the largest degree of another node without an edge to it; -1 without one."""
    for i in range(first, last):
        found[i] = -1
        for slot in range(offsets[i], offsets[i + 1]):
            near[neighbours[slot]] = True
        for j in order:
            if j != i and not near[j]:
                found[i] = offsets[j + 1] - offsets[j]
                break
        for slot in range(offsets[i], offsets[i + 1]):
            near[neighbours[slot]] = False


@njit(cache=True, nogil=True)
def largest_neighbours(first: int, last: int, offsets: Uints, neighbours: Uints, found: Integers) -> None:
    """For every node from first to last the largest degree of a neighbour; 0 without one."""
    for i in range(first, last):
        found[i] = 0
        for slot in range(offsets[i], offsets[i + 1]):
            j = neighbours[slot]
            found[i] = max(found[i], np.int64(offsets[j + 1] - offsets[j]))


@njit(cache=True, nogil=True)
def heaviest_edges(first: int, last: int, offsets: Uints, weights: Integers, heaviest: Integers) -> None:
    """For every node from first to last the largest weight of its edges, by slot; 0 without any."""
    for i in range(first, last):
        heaviest[i] = 0
        for slot in range(offsets[i], offsets[i + 1]):
            heaviest[i] = max(heaviest[i], weights[slot])


@njit(cache=True, nogil=True)
def pair_ceilings(
    first: int,
    last: int,
    shared: int,
    offsets: Uints,
    neighbours: Uints,
    weights: Integers,
    heaviest: Integers,
    ceilings: Integers,
) -> None:
    """For every node i from first to last no less than the sum over common neighbours l of w_il + w_jl, for any j.

    No pair has more than ``shared`` common neighbours, and w_jl is at most the heaviest edge at l.
    """
    for i in range(first, last):
        low, high = np.int64(offsets[i]), np.int64(offsets[i + 1])
        terms = np.empty(high - low, dtype=np.int64)
        for slot in range(low, high):
            terms[slot - low] = weights[slot] + heaviest[neighbours[slot]]
        if len(terms) > shared:
            terms = np.sort(terms)[len(terms) - shared :]
        ceilings[i] = terms.sum()


@njit(cache=True, nogil=True)
def heaviest_pair(
    nodes: Uints,
    ceilings: Integers,
    best: int,
    offsets: Uints,
    neighbours: Uints,
    apart: Integers,
    joined: Integers,
    own: Integers,
    counts: Integers,
    sums: Integers,
    near: Integers,
    halt: Halt,
) -> int:
    """The largest own[a_ij] + sum of w_il + w_jl over common neighbours l, i among ``nodes``, or ``best`` if larger.

    The weights of edges, by slot, are ``joined`` where i and j have an edge and ``apart`` where not. No pair of node i
    exceeds ``ceilings[i]``, which must not increase along ``nodes``.
    """
    found = np.int64(best)
    for i in nodes:
        if ceilings[i] <= found:
            break
        for slot in range(offsets[i], offsets[i + 1]):
            near[neighbours[slot]] = 1
        for slot in range(offsets[i], offsets[i + 1]):
            if halt[0]:
                return int(found)
            middle = neighbours[slot]
            for far in range(offsets[middle], offsets[middle + 1]):
                j = neighbours[far]
                counts[j] += 1
                sums[j] += joined[slot] + joined[far] if near[j] else apart[slot] + apart[far]
        for slot in range(offsets[i], offsets[i + 1]):
            if halt[0]:
                return int(found)
            middle = neighbours[slot]
            near[middle] = 0
            for far in range(offsets[middle], offsets[middle + 1]):
                j = neighbours[far]
                if j != i and counts[j]:
                    found = max(found, own[counts[j]] + sums[j])
                counts[j] = 0
                sums[j] = 0
    return int(found)


@njit(cache=True, nogil=True)
def _count_cliques(size: int, rows: Any, chosen: Any, rest: Any, halt: Halt) -> int:
    """Cliques of ``size`` >= 2 of the nodes in the bit set ``chosen[0]``, each edge in one row alone.

    At depth r are the nodes joined to the r chosen ones, and in ``rest`` those of them that are still to be chosen.
    Given up, it ends before the next node.
    """
    words, depth = rows.shape[1], 0
    total: Any = 0
    rest[0] = chosen[0]
    while depth >= 0 and not halt[0]:
        place = 0
        while place < words and rest[depth, place] == 0:
            place += 1
        if place == words:
            depth -= 1
            continue
        word = rest[depth, place]
        node = 64 * place + np.int64(lowest(word))
        rest[depth, place] = word & (word - np.uint64(1))
        if depth == size - 2:  # the last node need not be named: its candidates are counted
            for other in range(words):
                total += np.int64(ones(chosen[depth, other] & rows[node, other]))
            continue
        for other in range(words):
            chosen[depth + 1, other] = rest[depth + 1, other] = chosen[depth, other] & rows[node, other]
        depth += 1
    return int(total)


@njit(cache=True, nogil=True)
def _cliques_in(members: Uints, size: int, ends: Uints, heads: Uints, place: Uints, rows: Words, halt: Halt) -> int:
    """How many cliques of ``size`` >= 1 nodes the members hold; ``ends`` and ``heads`` list every edge once."""
    if size == 1 or len(members) < size:
        return len(members) if size == 1 else 0
    words = (len(members) + 63) // 64
    table = rows[: len(members) * words].reshape((len(members), words))
    table[:] = 0
    for number in range(len(members)):
        place[members[number]] = number + 1
    for number in range(len(members)):
        for slot in range(ends[members[number]], ends[members[number] + 1]):
            other = np.int64(place[heads[slot]])
            if other:
                table[number, (other - 1) // 64] |= np.uint64(1) << np.uint64((other - 1) % 64)
    for member in members:
        place[member] = 0
    chosen = np.zeros((size, words), dtype=np.uint64)
    rest = np.zeros((size, words), dtype=np.uint64)
    for number in range(len(members)):
        chosen[0, number // 64] |= np.uint64(1) << np.uint64(number % 64)
    return int(_count_cliques(size, table, chosen, rest, halt))


@njit(cache=True, nogil=True)
def cliques_of(
    first: int, last: int, size: int, ends: Uints, heads: Uints, place: Uints, rows: Words, halt: Halt
) -> int:
    """Cliques of ``size`` >= 2 nodes whose lowest node is among those from ``first`` to ``last``.

    ``rows`` has room for the longest row of heads, squared, in bits.
    """
    total = 0
    for v in range(first, last):
        if halt[0]:
            break
        total += _cliques_in(heads[ends[v] : ends[v + 1]], size - 1, ends, heads, place, rows, halt)
    return total


@njit(cache=True, nogil=True)
def _marked_nodes(row: Uints, marks: Integers) -> Uints:
    """The nodes of a row that are marked."""
    kept = np.empty(len(row), dtype=np.uint32)
    size = 0
    for node in row:
        if marks[node]:
            kept[size] = node
            size += 1
    return kept[:size]


@njit(cache=True, nogil=True)
def _cliques_among(
    members: Uints, size: int, ends: Uints, heads: Uints, inside: Integers, place: Uints, rows: Words, halt: Halt
) -> int:
    """The same for any members; those that do not fit into ``rows`` are counted by the lowest node of each clique."""
    if size == 1 or len(members) * ((len(members) + 63) // 64) <= len(rows):
        return _cliques_in(members, size, ends, heads, place, rows, halt)
    for member in members:
        inside[member] = 1
    total = 0
    for member in members:
        kept = _marked_nodes(heads[ends[member] : ends[member + 1]], inside)
        total += _cliques_in(kept, size - 1, ends, heads, place, rows, halt)
    for member in members:
        inside[member] = 0
    return total


@njit(cache=True, nogil=True)
def most_cliques(edges: int, size: int) -> float:
    """No graph of so many edges has more cliques of ``size`` >= 1 nodes (Kruskal and Katona, as Lovasz puts it).

    With C(x, 2) edges, x real, there are at most C(x, size); 1 and 2 nodes are left to other bounds.
    """
    if size < 2:
        return np.inf
    if size == 2:
        return float(edges)
    x, most = (1 + np.sqrt(1 + 8.0 * edges)) / 2, 1.0
    for step in range(size):
        if x <= step:  # no further factor brings it back from 0, and ``size`` may be far beyond all nodes
            return 1e-9
        most *= (x - step) / (step + 1)
    return most * (1 + 1e-9) + 1e-9


@njit(cache=True, nogil=True)
def clique_ceilings(
    first: int, last: int, size: int, own: Any, degrees: Integers, doubled: Integers, ceilings: Any
) -> None:
    """A bound for every node on the cliques of ``size`` nodes that it and another node are both joined to.

    a common neighbours hold at most ``own[a]`` of them, and ``doubled`` is twice the edges between neighbours.
    """
    for i in range(first, last):
        ceilings[i] = min(own[min(degrees[i], len(own) - 1)], most_cliques(doubled[i] // 2, size))


@njit(cache=True, nogil=True)
def fullest_pair(
    nodes: Uints, best: int, size: int, limits: Any, rows: Any, oriented: Any, memory: Any, halt: Halt
) -> int:
    """The largest number of cliques of ``size`` nodes among common neighbours, or ``best`` if larger.

    One node of the pair is among ``nodes``. ``limits`` are the ceilings of nodes, which must not increase along
    ``nodes``, the most cliques that a common neighbours hold, and the triangles at each edge by slot: summed over
    common neighbours they are no less than twice the edges between these.
    """
    (ceilings, own, supports), (offsets, neighbours), (ends, heads) = limits, rows, oriented
    counts, sums, near, inside, place, bits = memory
    found = np.int64(best)
    for i in nodes:
        if ceilings[i] <= found:
            break
        for slot in range(offsets[i], offsets[i + 1]):
            if halt[0]:
                return int(found)
            near[neighbours[slot]] = 1
            for far in range(offsets[neighbours[slot]], offsets[neighbours[slot] + 1]):
                counts[neighbours[far]] += 1
                sums[neighbours[far]] += supports[slot]
        counts[i] = 0
        for slot in range(offsets[i], offsets[i + 1]):
            if halt[0]:
                return int(found)
            for far in range(offsets[neighbours[slot]], offsets[neighbours[slot] + 1]):
                j = neighbours[far]
                if own[counts[j]] > found and most_cliques(sums[j] // 2, size) > found:
                    shared = _marked_nodes(neighbours[offsets[j] : offsets[j + 1]], near)
                    found = max(found, np.int64(_cliques_among(shared, size, ends, heads, inside, place, bits, halt)))
                counts[j] = 0
                sums[j] = 0
        for slot in range(offsets[i], offsets[i + 1]):
            near[neighbours[slot]] = 0
    return int(found)


@njit(cache=True, nogil=True)
def spread_to_slots(
    first: int, last: int, offsets: Uints, neighbours: Uints, per_edge: Integers, edge: int, fill: Uints, slots: Any
) -> int:
    """Put numbers of edges at both slots of those whose smaller end is from first to last; the number of the next edge.

    Edges come by (smaller end, larger end), so the lower neighbours of a node are met in the order of its row, and
    ``fill`` says where the next one is.
    """
    for v in range(first, last):
        for slot in range(offsets[v], offsets[v + 1]):
            u = neighbours[slot]
            if u > v:
                slots[slot] = slots[fill[u]] = per_edge[edge]
                fill[u] += np.uint32(1)
                edge += 1
    return edge
