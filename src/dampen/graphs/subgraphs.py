"""Stars, cliques and triangles on a common edge: how many there are, and how many one edge can make or break.

All counts are exact; those beyond 64 bits are Python's own whole numbers. The searches for the pair of nodes that
matters most leave out nodes that cannot be part of it, so how long they take depends on the edges. Not private.
"""

from collections.abc import Callable, Iterable, Iterator
from itertools import pairwise
from math import comb
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from dampen.graphs.edge_kernels import Uints, add_up, orient, triangles_of
from dampen.graphs.stretches import SLOTS_AT_ONCE, STEPS_AT_ONCE, cut_evenly, stretches
from dampen.graphs.threads import as_threads, new_halt, run_parts
from dampen.vectors import Floats, Integers

if TYPE_CHECKING:
    from dampen.graphs.graph import Graph

CLIQUE_PARTS, TRIANGLE_PARTS = 256, 64
"""Into how many parts the nodes are cut where all are counted, of large graphs."""

EDGES_A_PART = 2**10
"""To hand out a part of fewer edges takes longer than to count their triangles."""

FIRST_PART, LARGEST_PART = 8, 4096
"""Where most nodes will be left out, parts grow from a few nodes to many."""

MOST_COUNTS = 2**30
"""Threads have so many counts of edges together, in 4 GB; on graphs of very many edges there are fewer threads."""

NODES_AT_ONCE = 2**16
"""So many nodes are bounded at once, each in up to some thousand steps."""

FEW_STEPS = 2**23
"""A search for the pair that shares most renumbers the nodes rather than make more steps."""

SMALL_SET = 2**15
"""Words of a table of edges that stays in the cache: up to 1448 nodes."""


def count_triangles(graph: "Graph", *, threads: int | None = None) -> int:
    """How many triangles there are."""
    workers, (ends, heads, _) = as_threads(threads), orient(*_rows(graph))
    return _triangles_by_slot(ends, heads, workers)[0]


def edge_supports(graph: "Graph", *, threads: int | None = None) -> Integers:
    """In how many triangles each edge stands, by (smaller end, larger end)."""
    workers, (ends, heads, numbers) = as_threads(threads), orient(*_rows(graph))
    _, counts = _triangles_by_slot(ends, heads, workers)
    supports = np.empty(len(heads), dtype=np.int64)

    def worker() -> Callable[[tuple[int, int]], None]:
        return lambda part: add_up(*part, numbers, counts, supports)

    cuts = np.linspace(0, len(heads), _how_many_parts(len(heads)) + 1).astype(np.int64).tolist()
    run_parts(worker, list(pairwise(cuts)), threads=workers, title="edge supports")
    return supports


def count_stars(graph: "Graph", k: int) -> int:
    """How many stars of k >= 2 edges there are: the sum of C(degree, k) over all nodes."""
    return _sum_of_choices(graph.degrees(), k)


def count_k_triangles(supports: Integers, k: int) -> int:
    """How many sets of k triangles on a common edge there are: the sum of C(support, k) over all edges."""
    return _sum_of_choices(supports, k)


def count_cliques(graph: "Graph", k: int, *, threads: int | None = None) -> int:
    """How many sets of k >= 2 nodes have all edges. The time grows with the number of cliques of k - 1 nodes."""
    from dampen.graphs import subgraph_kernels

    ends, heads, _ = orient(*_rows(graph))
    longest, halt = int(np.diff(ends).max(initial=0)), new_halt()
    found: list[int] = []

    def worker() -> Callable[[tuple[int, int]], None]:
        place = np.zeros(graph.nodes, dtype=np.uint32)
        bits = np.zeros(longest * ((longest + 63) // 64), dtype=np.uint64)
        return lambda part: found.append(subgraph_kernels.cliques_of(*part, k, ends, heads, place, bits, halt))

    run_parts(worker, cut_evenly(ends, CLIQUE_PARTS), threads=as_threads(threads), title="cliques", halt=halt)
    return sum(found)


def largest_codegree(graph: "Graph", *, threads: int | None = None) -> int:
    """The largest number of neighbours that two nodes share.

    Few steps are enough on most graphs. Else the nodes are renumbered by degree, so that all pairs of nodes of large
    degree are found in the ends of rows.
    """
    from dampen.graphs.edge_kernels import raise_codegree
    from dampen.graphs.renumber import by_degree, degree_order
    from dampen.graphs.subgraph_kernels import most_shared

    rows, upwards = _rows(graph), degree_order(graph.offsets.view(np.uint32), int(graph.degrees().max()))
    counts = np.zeros(graph.nodes, dtype=np.int32)
    seen, shared = raise_codegree(upwards[::-1].copy(), *rows, counts, FEW_STEPS)
    if seen == graph.nodes:
        return shared
    workers, best, halt = as_threads(threads), [shared], new_halt()
    starts, _, renumbered = by_degree(upwards, *rows, workers)

    def worker() -> Callable[[Uints], None]:
        own = np.zeros(graph.nodes, dtype=np.int32)
        return lambda part: best.append(most_shared(part, max(best), starts, renumbered, own, halt))

    downwards = np.arange(graph.nodes, dtype=np.uint32)[::-1].copy()
    run_parts(worker, _growing_parts(downwards[seen:]), threads=workers, title="common neighbours", halt=halt)
    return max(best)


def codegree_front(graph: "Graph", *, threads: int | None = None) -> tuple[Integers, Integers]:
    """The pairs of nodes from which one edge can make the most triangles, as (a, s).

    a_ij is the number of common neighbours of a pair and s_ij = d_i + d_j - 2 x_ij, x_ij being 1 where the pair has an
    edge. Listed are all (a, s) that no other pair reaches in both, by decreasing a.
    """
    from dampen.graphs import subgraph_kernels

    rows, order, halt = _rows(graph), _by_degree(graph), new_halt()
    found = [np.full(largest_codegree(graph, threads=threads) + 1, -1, dtype=np.int64)]

    def worker() -> Callable[[Uints], None]:
        counts, near = (np.zeros(graph.nodes, dtype=np.int64) for _ in range(2))
        own = found[0].copy()
        found.append(own)
        return lambda part: subgraph_kernels.codegree_sums(part, order, *rows, counts, near, own, halt)

    run_parts(worker, _growing_parts(order), threads=as_threads(threads), title="common neighbours", halt=halt)
    sums = np.max(found, axis=0)
    return pareto_front(np.flatnonzero(sums >= 0), sums[sums >= 0])


def degree_front(graph: "Graph") -> tuple[Integers, Integers]:
    """The pairs of nodes at which one edge can make the most stars: (D_i, D_j), D being degrees without an edge ij.

    D_i >= D_j. Listed are all that no other pair reaches in both, by decreasing D_i.
    """
    from dampen.graphs.subgraph_kernels import farthest_partners, largest_neighbours

    degrees, order = graph.degrees(), _by_degree(graph)
    apart, near = (np.empty(graph.nodes, dtype=np.int64) for _ in range(2))
    marks = np.zeros(graph.nodes, dtype=np.bool_)
    for first, last in stretches(graph.offsets):
        farthest_partners(first, last, order, *_rows(graph), marks, apart)
        largest_neighbours(first, last, *_rows(graph), near)
    ends = np.concatenate([degrees[apart >= 0], degrees[near > 0] - 1])
    others = np.concatenate([apart[apart >= 0], near[near > 0] - 1])
    return pareto_front(np.maximum(ends, others), np.minimum(ends, others))


def largest_k_triangle_change(
    graph: "Graph", k: int, shared: int, per_edge: Integers, *, threads: int | None = None
) -> int:
    """How many k-triangles, k >= 2, one edge can make or break at most: the local sensitivity.

    For a pair ij with a_ij common neighbours it is C(a_ij, k) on the edge itself, and at every common neighbour l
    C(a_il - x_ij, k - 1) + C(a_jl - x_ij, k - 1) on the other two sides. ``shared`` is the largest a_ij, and
    ``per_edge`` are the supports of all edges. All sums must fit in 64 bits.
    """
    from dampen.graphs import subgraph_kernels

    rows, supports = _rows(graph), _by_slot(graph, per_edge)
    choices = np.array([comb(a, k - 1) for a in range(shared + 1)], dtype=np.int64)
    own = np.array([comb(a, k) for a in range(shared + 1)], dtype=np.int64)
    # a_il - x_ij: where the pair has an edge, each of the other two sides loses a triangle
    apart, joined = _look_up(choices, supports), _look_up(np.concatenate([choices[:1], choices]), supports)
    reached = np.minimum(graph.degrees(), shared)
    ceilings = own[reached] + _pair_ceilings(shared, *rows, apart)
    best, halt = [0], new_halt()

    def worker() -> Callable[[Uints], None]:
        counts, sums, near = (np.zeros(graph.nodes, dtype=np.int64) for _ in range(3))
        return lambda part: best.append(
            subgraph_kernels.heaviest_pair(
                part, ceilings, max(best), *rows, apart, joined, own, counts, sums, near, halt
            )
        )

    order = np.argsort(-ceilings).astype(np.uint32)
    run_parts(worker, _growing_parts(order), threads=as_threads(threads), title="triangles on an edge", halt=halt)
    return max(best)


def largest_clique_change(graph: "Graph", k: int, shared: int, *, threads: int | None = None) -> int:
    """How many cliques of k >= 3 nodes one edge can make or break at most: the local sensitivity.

    That is the largest number of cliques of k - 2 nodes among the common neighbours of a pair. ``shared`` is the
    largest number of these.
    """
    from dampen.graphs import subgraph_kernels

    rows, (ends, heads, _) = _rows(graph), orient(*_rows(graph))
    supports = _by_slot(graph, edge_supports(graph, threads=threads))
    own = np.array([float(min(comb(a, k - 2), 2**62)) for a in range(shared + 1)])
    doubled = np.add.reduceat(np.append(supports, 0), graph.offsets[:-1]) * (graph.degrees() > 0)
    limits = _clique_ceilings(k - 2, own, graph.degrees(), doubled), own, supports
    longest, best, halt = int(np.diff(ends).max(initial=0)), [0], new_halt()

    def worker() -> Callable[[Uints], None]:
        numbers = [np.zeros(graph.nodes, dtype=np.int64) for _ in range(4)]
        bits = np.zeros(max(longest * ((longest + 63) // 64), SMALL_SET), dtype=np.uint64)
        memory = (*numbers, np.zeros(graph.nodes, dtype=np.uint32), bits)
        return lambda part: best.append(
            subgraph_kernels.fullest_pair(part, max(best), k - 2, limits, rows, (ends, heads), memory, halt)
        )

    order = np.argsort(-limits[0]).astype(np.uint32)
    run_parts(worker, _growing_parts(order), threads=as_threads(threads), title="cliques on an edge", halt=halt)
    return max(best)


def pareto_front(first: Integers, second: Integers) -> tuple[Integers, Integers]:
    """The pairs of whole numbers from 0 on that no other pair reaches in both, by decreasing first."""
    most = np.full(int(first.max(initial=-1)) + 1, -1, dtype=np.int64)
    for piece in _pieces(len(first)):
        np.maximum.at(most, first[piece], second[piece])
    falling = most[::-1]
    ahead = np.maximum.accumulate(np.concatenate([[-1], falling]))[:-1]
    kept = np.flatnonzero(falling > ahead)
    return len(most) - 1 - kept, falling[kept]


def _triangles_by_slot(ends: Uints, heads: Uints, threads: int) -> tuple[int, NDArray[np.int32]]:
    """All triangles, and for each thread how many of those it found stand at each slot, from 1 on."""
    found, parts = list[int](), _triangle_parts(ends, heads)
    workers = max(1, min(threads, len(parts), MOST_COUNTS // (len(heads) + 1)))
    counts = np.zeros((workers, len(heads) + 1), dtype=np.int32)
    rows = iter(counts)

    def worker() -> Callable[[tuple[int, int]], None]:
        place, own = np.zeros(len(ends), dtype=np.uint32), next(rows)
        return lambda part: found.append(triangles_of(*part, ends, heads, place, own))

    run_parts(worker, parts, threads=workers, title="triangles")
    return sum(found), counts


def _triangle_parts(ends: Uints, heads: Uints) -> list[tuple[int, int]]:
    """Stretches of nodes with about equally many oriented edges each, or steps where these may be many."""
    if len(heads) * int(np.diff(ends).max(initial=0)) <= TRIANGLE_PARTS * STEPS_AT_ONCE:
        return cut_evenly(ends, _how_many_parts(len(heads)))
    from dampen.graphs.triangle_kernels import upper_scan_lengths

    lengths = np.empty(len(ends) - 1, dtype=np.int64)
    for first, last in stretches(ends):
        upper_scan_lengths(first, last, ends, heads, lengths)
    before = np.concatenate([[0], np.cumsum(lengths + 1)])
    return cut_evenly(before, max(TRIANGLE_PARTS, -(-int(before[-1]) // STEPS_AT_ONCE)))


def _how_many_parts(edges: int) -> int:
    return max(1, min(TRIANGLE_PARTS, edges // EDGES_A_PART))


def _pair_ceilings(shared: int, offsets: Uints, neighbours: Uints, weights: Integers) -> Integers:
    from dampen.graphs.subgraph_kernels import heaviest_edges, pair_ceilings

    heaviest, ceilings = (np.empty(len(offsets) - 1, dtype=np.int64) for _ in range(2))
    for first, last in stretches(offsets):
        heaviest_edges(first, last, offsets, weights, heaviest)
    for first, last in stretches(offsets):
        pair_ceilings(first, last, shared, offsets, neighbours, weights, heaviest, ceilings)
    return ceilings


def _clique_ceilings(size: int, own: Floats, degrees: Integers, doubled: Integers) -> Floats:
    from dampen.graphs.subgraph_kernels import clique_ceilings

    ceilings = np.empty(len(degrees))
    for first in range(0, len(degrees), NODES_AT_ONCE):
        clique_ceilings(first, min(first + NODES_AT_ONCE, len(degrees)), size, own, degrees, doubled, ceilings)
    return ceilings


def _sum_of_choices(numbers: Integers, k: int) -> int:
    """The sum of C(number, k), exactly."""
    counts = np.zeros(int(numbers.max(initial=-1)) + 1, dtype=np.int64)
    for piece in _pieces(len(numbers)):
        counts += np.bincount(numbers[piece], minlength=len(counts))
    values = np.flatnonzero(counts)
    return sum(comb(value, k) * count for value, count in zip(values.tolist(), counts[values].tolist(), strict=True))


def _pieces(size: int) -> Iterator[slice]:
    """All places, some at a time: numpy hears no interrupts meanwhile."""
    return (slice(first, first + SLOTS_AT_ONCE) for first in range(0, size, SLOTS_AT_ONCE))


def _look_up(table: Integers, places: Integers) -> Integers:
    """The entries of a table at many places."""
    found = np.empty(len(places), dtype=np.int64)
    for piece in _pieces(len(places)):
        found[piece] = table[places[piece]]
    return found


def _rows(graph: "Graph") -> tuple[Uints, Uints]:
    return graph.offsets.view(np.uint32), graph.neighbours.view(np.uint32)


def _by_degree(graph: "Graph") -> Uints:
    return np.argsort(-graph.degrees(), kind="stable").astype(np.uint32)


def _by_slot(graph: "Graph", per_edge: Integers) -> Integers:
    """Numbers of edges, in the order of ``Graph.edges``, at both places where the rows list the edge."""
    from dampen.graphs.subgraph_kernels import spread_to_slots

    rows, slots, edge = _rows(graph), np.empty(len(graph.neighbours), dtype=np.int64), 0
    fill = rows[0][:-1].copy()
    for first, last in stretches(graph.offsets):
        edge = spread_to_slots(first, last, *rows, per_edge, edge, fill, slots)
    return slots


def _growing_parts(order: Uints) -> list[Uints]:
    """Stretches of an order, the first ones short."""
    return [order[start:stop] for start, stop in pairwise(_cuts(len(order)))]


def _cuts(size: int) -> Iterable[int]:
    cut, step = 0, FIRST_PART
    while cut < size:
        yield cut
        cut, step = cut + step, min(2 * step, LARGEST_PART)
    yield size
