"""Triangles of a graph, in all and at every edge. Not private."""

from collections.abc import Callable
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from dampen.graphs.edge_kernels import Places, add_up, orient, triangles_of
from dampen.graphs.threads import run_parts
from dampen.vectors import Integers

PARTS = 64
"""Into how many parts the nodes, and then the edges, are cut."""


def triangles(offsets: Places, neighbours: Places, threads: int) -> int:
    """How many triangles there are."""
    ends, heads, _ = orient(offsets, neighbours)
    return _counted(ends, heads, threads)[0]


def edge_supports(offsets: Places, neighbours: Places, threads: int) -> Integers:
    """In how many triangles each edge stands, by (smaller end, larger end)."""
    ends, heads, numbers = orient(offsets, neighbours)
    _, counts = _counted(ends, heads, threads)
    supports = np.empty(len(heads), dtype=np.int64)

    def worker() -> Callable[[tuple[int, int]], None]:
        return lambda part: add_up(*part, numbers, counts, supports)

    cuts = np.linspace(0, len(heads), PARTS + 1).astype(np.int64).tolist()
    run_parts(worker, list(pairwise(cuts)), threads=threads, title="edge supports")
    return supports


def _counted(ends: Places, heads: Places, threads: int) -> tuple[int, NDArray[np.int32]]:
    """All triangles, and for each thread how many of those it found stand at each slot, from 1 on."""
    found: list[int] = []
    counts = np.zeros((min(threads, PARTS), len(heads) + 1), dtype=np.int32)
    rows = iter(counts)

    def worker() -> Callable[[tuple[int, int]], None]:
        place, own = np.zeros(len(ends), dtype=np.uint32), next(rows)
        return lambda part: found.append(triangles_of(*part, ends, heads, place, own))

    run_parts(worker, _parts(ends), threads=threads, title="triangles")
    return sum(found), counts


def _parts(ends: Places) -> list[tuple[int, int]]:
    """Stretches of nodes with about equally many oriented edges each."""
    cuts = np.searchsorted(ends, np.linspace(0, ends[-1], PARTS + 1)[1:-1])
    return list(pairwise(np.unique([0, *cuts.tolist(), len(ends) - 1]).tolist()))
