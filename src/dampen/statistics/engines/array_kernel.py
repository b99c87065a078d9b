"""The one pass over the rows that counts an attribute."""

from typing import Any

import numpy as np
from numba import njit
from numpy.typing import NDArray

from dampen.vectors import Integers

Codes = NDArray[Any]


@njit(cache=True, nogil=True)
def count_codes(codes: Codes, classes: Codes, nodes: Codes, size: int, kinds: int, count: int) -> Integers:
    """The joint counts of one attribute with nodes and classes; threads may run it side by side."""
    table = np.zeros((count, size, kinds), dtype=np.int64)
    for row in range(len(codes)):
        if nodes[row] >= 0:
            table[nodes[row], codes[row], classes[row]] += 1
    return table
