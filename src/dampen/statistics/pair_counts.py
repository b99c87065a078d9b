"""How many records pass both tests of every pair, for each group of records: one product of matrices per group."""

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from dampen.vectors import Integers

Bits = NDArray[np.uint8]
Joint = NDArray[np.int32]

BLOCK = 1 << 14
"""So many rows are multiplied at a time: their counts are whole numbers below 2^24, exact in single precision."""


def pair_counts(bits: Bits, groups: Integers, count: int) -> Iterator[Joint]:
    """For each of ``count`` groups the matrix of how many of its records pass test i and test j.

    ``bits`` has a row for each record and a column for each test, 1 where it passes; ``groups`` says which group a
    record is in. With J the matrix of a group of N records, J[i, i] pass test i alone, and the other three corners of a
    pair are J[i, i] - J[i, j], J[j, j] - J[i, j] and N - J[i, i] - J[j, j] + J[i, j].

    >>> bits = np.array([[1, 1], [1, 0], [0, 1]], dtype=np.uint8)
    >>> [joint.tolist() for joint in pair_counts(bits, np.array([0, 0, 1]), 2)]
    [[[2, 1], [1, 1]], [[0, 0], [0, 1]]]
    """
    order = np.argsort(groups, kind="stable")
    ends = np.cumsum(np.bincount(groups, minlength=count))
    for first, end in zip([0, *ends[:-1].tolist()], ends.tolist(), strict=True):
        joint = np.zeros((bits.shape[1], bits.shape[1]), dtype=np.int32)
        for start in range(first, end, BLOCK):
            block = bits[order[start : min(start + BLOCK, end)]].astype(np.float32)
            joint += (block.T @ block).astype(np.int32)
        yield joint
