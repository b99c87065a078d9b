"""Cut a graph down to a public largest degree so that one edge moves at most three edges of the outcome.

An edge stays if it is among the first K at *both* ends, in the public order of the nodes and counted in the graph as it
was. An edge more shifts the ranks at its two ends by one, so it may appear itself and push out one edge at either end:
three changes, and a mechanism at epsilon / 3 on the outcome costs epsilon (docs/proofs/centrality.md). Adding edges one
by one while both ends have room would change any number of them.
"""

from typing import Any

import numpy as np

from dampen._validate import whole
from dampen.vectors import Integers

CHANGES = 3
"""By how many edges the outcomes of two neighbours differ at most: epsilon is divided by it."""


def project(offsets: Any, neighbours: Any, *, max_degree: int) -> tuple[Integers, Any]:
    """The CSR arrays of the graph whose edges are among the first ``max_degree`` at both ends.

    ``offsets`` and ``neighbours`` list every edge at both ends, each node's neighbours increasing.

    >>> [part.tolist() for part in project([0, 3, 5, 7, 8], [1, 2, 3, 0, 2, 0, 1, 0], max_degree=2)]
    [[0, 2, 4, 6, 6], [1, 2, 0, 2, 0, 1]]
    """
    largest = whole(max_degree=max_degree, least=1)
    starts, ends = np.asarray(offsets, dtype=np.int64), np.asarray(neighbours)
    degrees = np.diff(starts)
    ranks = np.arange(len(ends)) - np.repeat(starts[:-1], degrees)
    # Sorted by its far end, stably, the list of edges is itself read from the other end: the rank there.
    other_way = np.argsort(ends, kind="stable")
    kept = (ranks < largest) & (ranks[other_way] < largest)
    sources = np.repeat(np.arange(len(degrees)), degrees)[kept]
    new_starts = np.zeros(len(starts), dtype=np.int64)
    np.cumsum(np.bincount(sources, minlength=len(degrees)), out=new_starts[1:])
    return new_starts, ends[kept]
