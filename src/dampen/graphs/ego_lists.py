"""The ego edges of the nodes of a large sparse graph, found from one list of all triangles. Not private.

Small graphs are in the cache, in dense ones rows are long, where they are short there is little to look at, and where
triangles are many so are the lists: there looking from each centre is as fast or faster, and needs no lists.
"""

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from dampen.graphs.stretches import cut_evenly, stretches
from dampen.graphs.threads import run_parts
from dampen.vectors import Integers

LEAST_LISTED = 2**20
"""Graphs of fewer edges are not listed."""

SHORTEST_ROWS, LONGEST_ROWS = 8, 64
"""Nor those whose rows, as often as they are read, are not between these lengths on average."""

LISTED_PER_EDGE, MOST_EDGES_LISTED = 1, 4
"""Nor those with more ego edges for each edge, as one part of the graph has them; where it was not like the others, so
many are listed at most, those of the nodes that have fewest."""

PARTS = 8
"""Into how many parts the lowest nodes of triangles are cut; each has a number for every node."""


class EgoLists(NamedTuple):
    """Ego edges of node c, if it is listed: ``edges[starts[c]:starts[c + 1]]``, as lower end * 2^32 + upper end."""

    starts: Any
    listed: NDArray[np.bool_]
    edges: Any

    def lengths(self) -> Integers:
        """How many ego edges are listed of each node."""
        return np.asarray(np.diff(self.starts), dtype=np.int64)


def list_none(nodes: int) -> EgoLists:
    """No ego edges of any node."""
    return EgoLists(np.zeros(nodes + 1, np.uint32), np.zeros(nodes, np.bool_), np.zeros(0, np.uint64))


def list_ego_edges(offsets: Any, middles: Any, neighbours: Any, threads: int) -> EgoLists:
    """The ego edges of all nodes, or of those with few, or of none; the rows are those of ``by_degree``."""
    nodes, edges = len(middles), len(neighbours) // 2
    above, below = (offsets[1:] - middles).astype(np.int64), (middles - offsets[:-1]).astype(np.int64)
    if edges < LEAST_LISTED or not SHORTEST_ROWS * edges <= int(above @ below) <= LONGEST_ROWS * edges:
        return list_none(nodes)
    ends, heads = _upper_rows(offsets, middles, neighbours, above)
    parts = _parts(ends, heads)
    counts = np.zeros((len(parts), nodes), dtype=np.uint32)
    from dampen.graphs import triangle_kernels as kernels

    def count(these: Any) -> None:
        _walk(these, lambda part, marks: (kernels.count_corners, (ends, heads, marks, counts[part])), nodes, threads)

    middle = len(parts) // 2
    count(parts[middle : middle + 1])
    if int(counts[middle].sum(dtype=np.int64)) * len(parts) > LISTED_PER_EDGE * edges:
        return list_none(nodes)
    count(parts[:middle] + parts[middle + 1 :])
    starts, listed = _starts(counts, MOST_EDGES_LISTED * edges)
    found = np.empty(starts[-1], dtype=np.uint64)
    _walk(
        parts,
        lambda part, marks: (kernels.list_corners, (ends, heads, marks, counts[part], listed, found)),
        nodes,
        threads,
    )
    return EgoLists(starts, listed, found)


def _upper_rows(offsets: Any, middles: Any, neighbours: Any, above: Integers) -> tuple[Any, Any]:
    from dampen.graphs.triangle_kernels import copy_upper_rows

    ends = np.zeros(len(middles) + 1, dtype=np.uint32)
    np.cumsum(above, out=ends[1:])
    heads = np.empty(ends[-1], dtype=np.uint32)
    for first, last in stretches(offsets):
        copy_upper_rows(first, last, offsets, middles, neighbours, ends, heads)
    return ends, heads


def _parts(ends: Any, heads: Any) -> list[tuple[int, list[tuple[int, int]]]]:
    """Stretches of lowest nodes: in each part about equal work, in each stretch a bounded number of steps."""
    from dampen.graphs.triangle_kernels import upper_scan_lengths

    lengths = np.empty(len(ends) - 1, dtype=np.int64)
    for first, last in stretches(ends):
        upper_scan_lengths(first, last, ends, heads, lengths)
    lengths += np.diff(ends)
    before = np.concatenate([[0], np.cumsum(lengths + 1)])
    return [(number, list(stretches(before, *part))) for number, part in enumerate(cut_evenly(before, PARTS))]


def _walk(
    parts: Any, make: Callable[[int, Any], tuple[Callable[..., None], tuple[Any, ...]]], nodes: int, threads: int
) -> None:
    """Run a kernel over all stretches of all parts."""

    def worker() -> Callable[[Any], Iterator[None]]:
        marks = np.zeros(nodes // 64 + 1, dtype=np.uint64)

        def walk(part: tuple[int, list[tuple[int, int]]]) -> Iterator[None]:
            kernel, arguments = make(part[0], marks)
            for first, last in part[1]:
                kernel(first, last, *arguments)
                yield

        return walk

    run_parts(worker, parts, threads=threads, title="triangles")


def _starts(counts: Any, most_in_all: int) -> tuple[Any, NDArray[np.bool_]]:
    """Where the lists of all nodes start that are short enough for all of them to fit."""
    from dampen.graphs.triangle_kernels import start_lists

    totals = counts.sum(axis=0, dtype=np.int64)
    totals.sort()
    fitting = int(np.searchsorted(np.cumsum(totals), most_in_all, side="right"))
    most = int(totals[-1]) if fitting == len(totals) else int(totals[fitting]) - 1
    nodes = counts.shape[1]
    starts, listed = np.zeros(nodes + 1, dtype=np.uint32), np.empty(nodes, dtype=np.bool_)
    start_lists(0, nodes, counts, most, starts, listed)
    return starts, listed
