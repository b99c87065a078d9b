"""Loops over blind trees, compiled: drawing their tests, and walking records down to leaves.

The tests of a tree stand by place; the children of place i are 2 i + 1 and 2 i + 2. See
:class:`~dampen.learn.random_trees.RandomTrees` for what the arrays mean.
"""

from typing import Any

import numpy as np
from numba import njit
from numpy.typing import NDArray

from dampen.vectors import Floats, Integers

Places = NDArray[np.int32]
Flags = NDArray[np.bool_]


@njit(cache=True, nogil=True)
def draw_tests(
    rng: Any, numeric: Flags, low: Floats, high: Floats, sets: Flags, attributes: Places, points: Floats, right: Flags
) -> None:
    """Write the tests of all trees: ``low``, ``high``, ``sets`` have a row for each level, the first is the domain.

    Places come parent, left, right, so the row above a node's is its parent's: cut that, and the node's is found.
    """
    waiting = np.zeros(2 * len(low) + 2, dtype=np.int64)
    for tree in range(attributes.shape[0]):
        count, waiting[0] = 1, 0
        while count > 0:
            count -= 1
            place, level = waiting[count], 0
            if place >= attributes.shape[1]:
                continue
            while (2 << level) <= place + 1:
                level += 1
            if place > 0:
                _inherit(tree, place, level, numeric, low, high, sets, attributes, points, right)
            _draw_test(rng, tree, place, numeric, low[level], high[level], sets[level], attributes, points, right)
            waiting[count], waiting[count + 1] = 2 * place + 2, 2 * place + 1
            count += 2


@njit(cache=True, nogil=True)
def _inherit(
    tree: int, place: int, level: int, numeric: Flags, low: Floats, high: Floats, sets: Flags, attributes: Places,
    points: Floats, right: Flags,
) -> None:  # fmt: skip
    """What is left of the domains at a node: its parent's, less what the parent's test sends the other way."""
    low[level], high[level], sets[level] = low[level - 1], high[level - 1], sets[level - 1]
    above, goes_right = (place - 1) // 2, place % 2 == 0
    attribute = attributes[tree, above]
    if attribute < 0:
        return
    if not numeric[attribute]:
        for code in range(sets.shape[2]):
            if right[tree, above, code] != goes_right:
                sets[level, attribute, code] = False
    elif goes_right:
        low[level, attribute] = points[tree, above]
    else:
        high[level, attribute] = points[tree, above]


@njit(cache=True, nogil=True)
def _draw_test(
    rng: Any, tree: int, place: int, numeric: Flags, low: Floats, high: Floats, sets: Flags, attributes: Places,
    points: Floats, right: Flags,
) -> None:  # fmt: skip
    """One of the attributes that can be cut, and where: a point, or a random half of the categories."""
    able, can = np.empty(len(numeric), dtype=np.int64), 0
    for attribute in range(len(numeric)):
        if low[attribute] < high[attribute] if numeric[attribute] else np.sum(sets[attribute]) > 1:
            able[can] = attribute
            can += 1
    if can == 0:
        return
    attribute = able[int(rng.random() * can)]
    attributes[tree, place] = attribute
    if numeric[attribute]:
        points[tree, place] = low[attribute] + (high[attribute] - low[attribute]) * rng.random()
        return
    codes = np.flatnonzero(sets[attribute])
    for taken in range(len(codes) // 2):
        other = taken + int(rng.random() * (len(codes) - taken))
        codes[taken], codes[other] = codes[other], codes[taken]
        right[tree, place, codes[taken]] = True


@njit(cache=True, nogil=True)
def walk(
    depth: int, numeric: Flags, attributes: Places, points: Floats, right: Flags, values: Floats, members: Integers
) -> Integers:
    """The leaf that each row reaches in its tree."""
    leaves = np.empty(len(values), dtype=np.int64)
    for row in range(len(values)):
        leaves[row] = _leaf(
            depth, numeric, attributes[members[row]], points[members[row]], right[members[row]], values[row]
        )
    return leaves


@njit(cache=True, nogil=True)
def add_up(
    depth: int, numeric: Flags, attributes: Places, points: Floats, right: Flags, values: Floats, held: Floats
) -> Floats:
    """For each row the sum over all trees of what its leaf holds; ``held`` is by tree, leaf and class."""
    total = np.zeros((len(values), held.shape[2]))
    for tree in range(len(attributes)):
        for row in range(len(values)):
            leaf = _leaf(depth, numeric, attributes[tree], points[tree], right[tree], values[row])
            for label in range(held.shape[2]):
                total[row, label] += held[tree, leaf, label]
    return total


@njit(cache=True, nogil=True, inline="always")
def _leaf(depth: int, numeric: Flags, attributes: Places, points: Floats, right: Flags, values: Floats) -> int:
    """Numbers from the point on and categories of the right half go right; everything else goes left."""
    place = 0
    for _ in range(depth):
        attribute = attributes[place]
        goes_right = 0
        if attribute >= 0:
            value = values[attribute]
            if numeric[attribute]:
                goes_right = 1 if value >= points[place] else 0
            elif value >= 0 and right[place, np.int64(value)]:
                goes_right = 1
        place = 2 * place + 1 + goes_right
    return place - (len(attributes))
