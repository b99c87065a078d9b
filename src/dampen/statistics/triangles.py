"""Triangles of a graph, in all and at every edge. Not private."""

from collections.abc import Callable
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from dampen.statistics.edge_kernels import Places, orient, triangles_of
from dampen.statistics.graph_threads import run_parts
from dampen.vectors import Integers

PARTS = 64
"""Into how many parts the nodes are cut."""


def triangles(offsets: Places, neighbours: Places, threads: int) -> int:
    """How many triangles there are."""
    ends, heads, _ = orient(offsets, neighbours)
    found, _ = _counted(ends, heads, 0, threads)
    return found


def edge_supports(offsets: Places, neighbours: Places, threads: int) -> Integers:
    """In how many triangles each edge stands, by (smaller end, larger end)."""
    ends, heads, numbers = orient(offsets, neighbours)
    _, by_slot = _counted(ends, heads, len(heads), threads)
    supports = np.empty(len(heads), dtype=np.int64)
    supports[numbers] = by_slot
    return supports


def _counted(ends: Places, heads: Places, slots: int, threads: int) -> tuple[int, NDArray[np.int32]]:
    """All triangles and the supports of the first ``slots`` oriented edges: every thread adds up its own."""
    found: list[int] = []
    supports: list[NDArray[np.int32]] = [np.zeros(slots, dtype=np.int32)]

    def worker() -> Callable[[tuple[int, int]], None]:
        place, own = np.zeros(len(ends), dtype=np.uint32), np.zeros(slots, dtype=np.int32)
        supports.append(own)
        return lambda part: found.append(triangles_of(*part, ends, heads, place, own))

    cuts = np.searchsorted(ends, np.linspace(0, len(heads), PARTS + 1)[1:-1])
    edges = np.unique([0, *cuts.tolist(), len(ends) - 1]).tolist()
    run_parts(worker, list(pairwise(edges)), threads=threads, title="triangles")
    return sum(found), np.sum(supports, axis=0, dtype=np.int32)
