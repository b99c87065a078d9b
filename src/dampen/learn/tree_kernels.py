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
    rng: Any, numeric: Flags, low: Floats, high: Floats, sizes: Integers, attributes: Places, points: Floats,
    right: Flags,
) -> None:  # fmt: skip
    """Write the tests of all trees.

    ``low``, ``high`` and ``sizes`` (how many categories are left) have a row for each level; the first holds the public
    domains. Places come parent, left, right, so the row above a node's is its parent's.
    """
    waiting = np.zeros(len(low) + 2, dtype=np.int64)
    scratch = np.zeros(max(len(numeric), right.shape[2]), dtype=np.int64)
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
                _inherit(place, level, numeric, low, high, sizes, attributes[tree], points[tree])
            drawn = _draw_attribute(rng, numeric, low[level], high[level], sizes[level], scratch)
            attributes[tree, place] = drawn
            if drawn >= 0 and numeric[drawn]:
                points[tree, place] = low[level, drawn] + (high[level, drawn] - low[level, drawn]) * rng.random()
            elif drawn >= 0:
                _draw_half(rng, place, sizes[0, drawn], attributes[tree], right[tree], scratch)
            waiting[count], waiting[count + 1] = 2 * place + 2, 2 * place + 1
            count += 2


@njit(cache=True, nogil=True)
def _inherit(
    place: int, level: int, numeric: Flags, low: Floats, high: Floats, sizes: Integers, attributes: Places,
    points: Floats,
) -> None:  # fmt: skip
    """What is left of the domains at a node: its parent's, less what the parent's test sends the other way."""
    for attribute in range(len(numeric)):
        low[level, attribute] = low[level - 1, attribute]
        high[level, attribute] = high[level - 1, attribute]
        sizes[level, attribute] = sizes[level - 1, attribute]
    above, goes_right = (place - 1) // 2, place % 2 == 0
    tested = attributes[above]
    if tested < 0:
        return
    if not numeric[tested]:
        half = sizes[level, tested] // 2
        sizes[level, tested] = half if goes_right else sizes[level, tested] - half
    elif goes_right:
        low[level, tested] = points[above]
    else:
        high[level, tested] = points[above]


@njit(cache=True, nogil=True)
def _draw_attribute(rng: Any, numeric: Flags, low: Floats, high: Floats, sizes: Integers, able: Integers) -> int:
    """One of the attributes that can be cut, all equally likely; -1 if there is none."""
    can = 0
    for attribute in range(len(numeric)):
        if (numeric[attribute] and low[attribute] < high[attribute]) or sizes[attribute] > 1:
            able[can] = attribute
            can += 1
    return able[int(rng.random() * can)] if can > 0 else -1


@njit(cache=True, nogil=True)
def _draw_half(rng: Any, place: int, size: int, attributes: Places, right: Flags, codes: Integers) -> None:
    """A random half (rounded down) of the categories that the tests above leave at a node."""
    count = 0
    for code in range(size):
        child, left = place, True
        while child > 0 and left:
            above = (child - 1) // 2
            left = attributes[above] != attributes[place] or right[above, code] == (child % 2 == 0)
            child = above
        if left:
            codes[count] = code
            count += 1
    for taken in range(count // 2):
        other = taken + int(rng.random() * (count - taken))
        codes[taken], codes[other] = codes[other], codes[taken]
        right[place, codes[taken]] = True


@njit(cache=True, nogil=True)
def walk(
    depth: int, numeric: Flags, attributes: Places, points: Floats, right: Flags, values: Floats, members: Integers
) -> Integers:
    """The leaf that each record reaches in its tree; ``values`` has a row for each attribute."""
    leaves = np.empty(len(members), dtype=np.int64)
    for i in range(len(members)):
        tree = members[i]
        leaves[i] = _leaf(depth, numeric, attributes[tree], points[tree], right[tree], values, i)
    return leaves


@njit(cache=True, nogil=True)
def count_up(
    depth: int, numeric: Flags, attributes: Places, points: Floats, right: Flags, values: Floats, members: Integers,
    classes: Integers, counts: Integers,
) -> None:  # fmt: skip
    """Count each record's class at the leaf that it reaches in its tree; negative trees are none."""
    for i in range(len(members)):
        tree = members[i]
        if tree >= 0:
            leaf = _leaf(depth, numeric, attributes[tree], points[tree], right[tree], values, i)
            counts[tree, leaf, classes[i]] += 1


@njit(cache=True, nogil=True)
def add_up(
    depth: int, numeric: Flags, attributes: Places, points: Floats, right: Flags, values: Floats, held: Floats
) -> Floats:
    """For each record the sum over all trees of what its leaf holds; ``held`` is by tree, leaf and class."""
    total = np.zeros((values.shape[1], held.shape[2]))
    for tree in range(len(attributes)):
        for i in range(values.shape[1]):
            leaf = _leaf(depth, numeric, attributes[tree], points[tree], right[tree], values, i)
            for label in range(held.shape[2]):
                total[i, label] += held[tree, leaf, label]
    return total


@njit(cache=True, nogil=True, inline="always")
def _leaf(depth: int, numeric: Flags, attributes: Places, points: Floats, right: Flags, values: Floats, i: int) -> int:
    """Numbers from the point on and categories of the right half go right; an unknown category goes as the first."""
    place = 0
    for _ in range(depth):
        attribute = attributes[place]
        goes_right = 0
        if attribute >= 0:
            value = values[attribute, i]
            if numeric[attribute]:
                goes_right = 1 if value >= points[place] else 0
            elif right[place, np.int64(max(value, 0.0))]:
                goes_right = 1
        place = 2 * place + 1 + goes_right
    return place - len(attributes)
