"""The one pass over the rows that counts an attribute."""

import numpy as np
from numba import njit, prange
from numpy.typing import NDArray

from dampen.vectors import Integers

Codes = NDArray[np.int32]
FEW = 100_000
"""Fewer rows are counted by one thread."""
PARTS = 8


@njit(cache=True, nogil=True, parallel=True)
def count_codes(codes: Codes, classes: Codes, nodes: Codes, size: int, kinds: int, count: int) -> Integers:
    """The joint counts of one attribute: every thread fills its own table, and the tables are added."""
    rows = len(codes)
    parts = 1 if rows < FEW else PARTS
    tables = np.zeros((parts, count * size * kinds), dtype=np.int64)
    for part in prange(parts):
        for row in range(part * rows // parts, (part + 1) * rows // parts):
            if nodes[row] >= 0:
                tables[part, (nodes[row] * size + codes[row]) * kinds + classes[row]] += 1
    counts: Integers = tables.sum(axis=0).reshape(count, size, kinds)
    return counts
