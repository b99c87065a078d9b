"""Loops over rows: down a tree of tests, and counting an attribute."""

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


@njit(cache=True, nogil=True)
def walk(block: Codes, slots: Codes, firsts: Integers, leads: Integers, nodes: Codes) -> None:
    """Write the node of each row; a value that has no place leads nowhere.

    ``block`` has a row for each attribute that is tested; test t asks ``slots[t]`` and leads to ``leads[firsts[t]]``
    and what follows it: to another test, or to -2 - node.
    """
    for row in range(len(nodes)):
        test = 0
        while test >= 0:
            code = block[slots[test], row]
            test = leads[firsts[test] + code] if code >= 0 else -1
        nodes[row] = -2 - test
