"""Ego betweenness of all nodes: renumber by degree, cut into parts of like work, count. Not private."""

from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np

from dampen.graphs import ego_kernels
from dampen.graphs.edge_kernels import Places
from dampen.graphs.threads import run_parts
from dampen.vectors import Floats, Integers

PARTS = 256
"""Into how many parts the nodes are cut."""


def ego_betweenness(offsets: Places, neighbours: Places, threads: int) -> Floats:
    """EBC of every node."""
    order = ego_kernels.degree_order(offsets, int(np.diff(offsets).max()))
    rows = ego_kernels.by_degree(order, offsets, neighbours)
    lengths = ego_kernels.scan_lengths(*rows)
    size = _size(np.diff(rows[0]).astype(np.int64), lengths)
    values = np.zeros(len(order))

    def worker() -> Callable[[Places], None]:
        memory = ego_kernels.scratch(*size)
        return lambda centres: ego_kernels.ego_values(centres, *rows, memory, values)

    run_parts(worker, _parts(lengths), threads=threads, title="ego betweenness")
    found = np.empty(len(order))
    found[order] = values
    return found


def ego_betweenness_exact(offsets: Places, neighbours: Places, node: int) -> Fraction:
    """C(d, 2) - t - sum_b h[b] b / (b + 1) of one node, as a fraction."""
    order = ego_kernels.degree_order(offsets, int(np.diff(offsets).max()))
    rows = ego_kernels.by_degree(order, offsets, neighbours)
    memory = ego_kernels.scratch(*_size(np.diff(rows[0]).astype(np.int64), ego_kernels.scan_lengths(*rows)))
    place: Any = np.uint32(np.flatnonzero(order == node)[0])
    base, largest = ego_kernels.ego_histogram(place, *rows, memory)
    counts = memory[-1][: largest + 1].tolist()
    return base - sum((Fraction(count * b, b + 1) for b, count in enumerate(counts)), Fraction(0))


def _size(degrees: Integers, lengths: Integers) -> tuple[int, int, int]:
    """What scratch memory must hold: all nodes, the largest degree, and no fewer ego edges than any centre has."""
    return len(degrees), int(degrees.max()), int(lengths.max())


def _parts(lengths: Integers) -> list[Places]:
    """Stretches of nodes of about equal cost, the largest degrees first: a long part must not come last."""
    work = np.cumsum(lengths + 1)
    cuts = np.unique(np.searchsorted(work, np.linspace(0, work[-1], PARTS + 1)[1:-1]))
    return [part for part in np.split(np.arange(len(lengths), dtype=np.uint32), cuts) if len(part)][::-1]
