"""The ego edges of the nodes of a large sparse graph, found from one list of all triangles. Not private.

Small graphs are in the cache, in dense ones rows are long, where they are short there is little to look at, and where
triangles are many so are the lists: there looking from each centre is as fast or faster, and needs no lists.
"""

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np

from dampen.graphs.edge_kernels import WORD
from dampen.graphs.stretches import cut_evenly, stretches
from dampen.graphs.threads import run_parts
from dampen.vectors import Integers

LEAST_LISTED = 2**20
"""Graphs of fewer edges are not listed."""

SHORTEST_ROWS, LONGEST_ROWS = 8, 64
"""Nor those whose rows, as often as they are read, are not between these lengths on average."""

LISTED_PER_EDGE, MOST_EDGES_LISTED = 1, 4
"""Nor those with more ego edges for each edge, as one part of the graph has them; nor those that have more than so many
when the other parts, which were not like it, have been looked at."""

PARTS = 8
"""Into how many parts the lowest nodes of triangles are cut; one of them is looked at first."""

TRIANGLES_AT_ONCE = 2**16
"""So many triangles are written down before they are put away, or as many as one node may have."""

CORNERS = 3


class EgoLists(NamedTuple):
    """Ego edges of node c: ``edges[starts[c]:starts[c + 1]]``, as lower end * 2^32 + upper end; or no lists at all."""

    starts: Any
    edges: Any

    def __bool__(self) -> bool:
        return len(self.starts) > 0

    def lengths(self) -> Integers:
        """How many ego edges each node has."""
        return np.asarray(np.diff(self.starts), dtype=np.int64)


def list_none() -> EgoLists:
    """No ego edges of any node."""
    return EgoLists(np.zeros(0, np.uint32), np.zeros(0, np.uint64))


def list_ego_edges(offsets: Any, middles: Any, neighbours: Any, threads: int) -> EgoLists:
    """The ego edges of all nodes, or no lists; the rows are those of ``by_degree``."""
    edges = len(neighbours) // 2
    above, below = (offsets[1:] - middles).astype(np.int64), (middles - offsets[:-1]).astype(np.int64)
    if edges < LEAST_LISTED or not SHORTEST_ROWS * edges <= int(above @ below) <= LONGEST_ROWS * edges:
        return list_none()
    ends, heads = _upper_rows(offsets, middles, neighbours, above)
    lengths, parts = _parts(ends, heads)
    few, most = LISTED_PER_EDGE * edges // (CORNERS * len(parts)), MOST_EDGES_LISTED * edges // CORNERS
    found: list[Any] = []
    for some, limit in (([parts.pop(len(parts) // 2)], few), (parts, most)):
        _find_triangles(some, ends, heads, lengths, found, limit, threads)
        if _how_many(found) > limit:
            return list_none()
    return _list_at_corners(found, len(middles))


def _upper_rows(offsets: Any, middles: Any, neighbours: Any, above: Integers) -> tuple[Any, Any]:
    from dampen.graphs.triangle_kernels import copy_upper_rows

    ends = np.zeros(len(middles) + 1, dtype=np.uint32)
    np.cumsum(above, out=ends[1:])
    heads = np.empty(ends[-1], dtype=np.uint32)
    for first, last in stretches(offsets):
        copy_upper_rows(first, last, offsets, middles, neighbours, ends, heads)
    return ends, heads


def _parts(ends: Any, heads: Any) -> tuple[Integers, list[list[tuple[int, int]]]]:
    """How many steps each lowest node takes, and parts of about as many, each in stretches of a bounded number."""
    from dampen.graphs.triangle_kernels import upper_scan_lengths

    lengths = np.empty(len(ends) - 1, dtype=np.int64)
    for first, last in stretches(ends):
        upper_scan_lengths(first, last, ends, heads, lengths)
    before = np.concatenate([[0], np.cumsum(lengths + np.diff(ends) + 1)])
    return lengths, [list(stretches(before, *part)) for part in cut_evenly(before, PARTS)]


def _find_triangles(
    parts: list[list[tuple[int, int]]],
    ends: Any,
    heads: Any,
    lengths: Integers,
    found: list[Any],
    most: int,
    threads: int,
) -> None:
    """Add all triangles whose lowest node is in some parts; once there are more than ``most``, no more are looked for.

    Their order depends on the threads, and how many they are if they are too many; nothing else does.
    """
    from dampen.graphs.triangle_kernels import write_triangles

    def worker() -> Callable[[Any], Iterator[None]]:
        marks = np.zeros(len(lengths) // WORD + 1, dtype=np.uint64)
        triangles = np.empty((max(TRIANGLES_AT_ONCE, int(lengths.max(initial=0))), CORNERS), dtype=np.uint32)

        def find(part: list[tuple[int, int]]) -> Iterator[None]:
            for first, last in part:
                while first < last and _how_many(found) <= most:
                    first, written = write_triangles(first, last, ends, heads, lengths, marks, triangles)
                    found.append(triangles[:written].copy())
                    yield

        return find

    run_parts(worker, parts, threads=threads, title="triangles")


def _how_many(found: list[Any]) -> int:
    return sum(map(len, found))


def _list_at_corners(found: list[Any], nodes: int) -> EgoLists:
    """Each triangle's three edges, each at the corner that it does not meet."""
    from dampen.graphs.triangle_kernels import count_corners, list_corners

    sizes = np.zeros(nodes + 1, dtype=np.uint32)
    for triangles in found:
        count_corners(triangles, sizes)
    starts = np.cumsum(sizes, dtype=np.uint32)
    edges, places = np.empty(starts[-1], dtype=np.uint64), starts[:-1].copy()
    for triangles in found:
        list_corners(triangles, places, edges)
    return EgoLists(starts, edges)
