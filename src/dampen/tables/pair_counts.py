"""How many records pass both tests of every pair, for each group of records: one pass over the records.

The tests of an attribute stand side by side, a *block*. Those of a number are nested: who passes "x < 30" passes "x <
40". Those of a category exclude each other. So a record is told by one *slot* for each attribute, the first test of its
block that it passes, or -1 if it passes none. A record adds 1 for each pair of slots; sums along the nested blocks do
the rest.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numba import njit
from numpy.typing import NDArray

from dampen.vectors import Integers

Slots = NDArray[np.int32]
Joint = NDArray[np.int32]
WideJoint = NDArray[np.int64]
"""The same of weights, which may be large."""
Codes = NDArray[Any]


@dataclass(frozen=True)
class Block:
    """Where the tests of one attribute stand, and whether they are nested."""

    start: int
    end: int
    nested: bool


def pair_counts(slots: Slots, blocks: tuple[Block, ...], groups: Integers, count: int) -> Iterator[Joint]:
    """For each of ``count`` groups the matrix J of how many of its records pass test i and test j, for i <= j.

    ``slots`` has a row for each record and a column for each block; ``groups`` says which group a record is in. J[i, i]
    pass test i alone. What stands below the diagonal means nothing.

    >>> slots = np.array([[0, 2], [1, 2], [1, -1]], dtype=np.int32)
    >>> [joint] = pair_counts(slots, (Block(0, 2, True), Block(2, 3, False)), np.zeros(3, dtype=np.int64), 1)
    >>> joint.tolist()
    [[1, 1, 1], [1, 3, 2], [0, 0, 2]]
    """
    width, nested = blocks[-1].end, _nested(blocks)
    ends = np.cumsum(np.bincount(groups, minlength=count))
    ordered = np.ascontiguousarray(slots[np.argsort(groups, kind="stable")])
    for first, end in zip([0, *ends[:-1].tolist()], ends.tolist(), strict=True):
        joint = np.zeros((width, width), dtype=np.int32)
        _count(ordered[first:end], joint)
        _sum_along(nested, joint)
        yield joint


def pair_weights(
    slots: Slots, weights: Integers, blocks: tuple[Block, ...], groups: Integers, count: int
) -> Iterator[WideJoint]:
    """The same where a record has a weight, a whole number: how much of it passes test i and test j."""
    width, nested = blocks[-1].end, _nested(blocks)
    ends = np.cumsum(np.bincount(groups, minlength=count))
    order = np.argsort(groups, kind="stable")
    ordered, weighed = np.ascontiguousarray(slots[order]), weights[order]
    for first, end in zip([0, *ends[:-1].tolist()], ends.tolist(), strict=True):
        joint = np.zeros((width, width), dtype=np.int64)
        _add_weights(ordered[first:end], weighed[first:end], joint)
        _sum_along(nested, joint)
        yield joint


def slots_of(codes: Sequence[Codes], sizes: Sequence[int], slot_of: Integers) -> Slots:
    """The slots of records, a column for each attribute that has a test; ``codes``: places, attribute by attribute."""
    starts, narrow = np.concatenate([[0], np.cumsum(sizes)]), slot_of.astype(np.int32)
    asked = [place for place in range(len(codes)) if (slot_of[starts[place] : starts[place + 1]] >= 0).any()]
    slots = np.empty((len(codes[0]), len(asked)), dtype=np.int32)
    for spot, place in enumerate(asked):
        slots[:, spot] = narrow[starts[place] : starts[place + 1]][codes[place]]
    return slots


def _nested(blocks: tuple[Block, ...]) -> Integers:
    """Where nested blocks begin and end."""
    return np.array([(block.start, block.end) for block in blocks if block.nested], dtype=np.int64).reshape(-1, 2)


def joints_of(rows: Integers, slot_of: Integers, blocks: tuple[Block, ...], count: int) -> Iterator[Joint]:
    """The same matrices from counts made elsewhere: rows (group, place, place, number of records).

    ``slot_of`` tells the slot of a place, -1 where it is none. Rows of one group may stand anywhere.
    """
    width, nested = blocks[-1].end, _nested(blocks)
    slots = slot_of[rows[:, 1]], slot_of[rows[:, 2]]
    told = rows[(slots[0] >= 0) & (slots[1] >= 0)]
    told = told[np.argsort(told[:, 0], kind="stable")]
    ends = np.searchsorted(told[:, 0], np.arange(count), side="right")
    for first, end in zip([0, *ends[:-1].tolist()], ends.tolist(), strict=True):
        joint = np.zeros((width, width), dtype=np.int32)
        part = told[first:end]
        joint[slot_of[part[:, 1]], slot_of[part[:, 2]]] = part[:, 3]
        _sum_along(nested, joint)
        yield joint


@njit(cache=True, nogil=True)
def _count(slots: Slots, joint: Joint) -> None:
    # one cell for each pair of slots, however many tests a record passes: sums along nested blocks count the others
    for row in range(slots.shape[0]):
        for one in range(slots.shape[1]):
            i = slots[row, one]
            if i >= 0:
                for two in range(one, slots.shape[1]):
                    j = slots[row, two]
                    if j >= 0:
                        joint[i, j] += 1


@njit(cache=True, nogil=True)
def _add_weights(slots: Slots, weights: Integers, joint: WideJoint) -> None:
    for row in range(slots.shape[0]):
        for one in range(slots.shape[1]):
            i = slots[row, one]
            if i >= 0:
                for two in range(one, slots.shape[1]):
                    j = slots[row, two]
                    if j >= 0:
                        joint[i, j] += weights[row]


@njit(cache=True, nogil=True)
def _sum_along(nested: Integers, joint: Joint | WideJoint) -> None:
    """Whoever passes the first of nested tests passes those after it: sums down the rows, then along the columns."""
    for place in range(nested.shape[0]):
        start, end = nested[place]
        for i in range(start + 1, end):
            for j in range(start, joint.shape[1]):
                joint[i, j] += joint[i - 1, j]
        for i in range(end):
            for j in range(start + 1, end):
                joint[i, j] += joint[i, j - 1]
