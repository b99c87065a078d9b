"""Random decision trees: tests drawn without looking at data, so that what the leaves release may cost all of epsilon.

A tree is complete and binary. A test picks one of the attributes that can still be cut, all equally likely, and cuts
what is left of its public domain in two: a number at a point drawn uniformly from its interval, categories into two
halves drawn at random. Where nothing can be cut any more every record goes left.

Every record draws its own tree, independently of all others: one record more moves one count of one leaf of one tree by
1, so the labels of all leaves together cost what one costs. Proof: docs/proofs/forest.md.

The compiled loops at the end check nothing: whoever makes :class:`RandomTrees` sees to it that all places are within
the schema.
"""

from dataclasses import dataclass, replace
from math import ceil, log
from typing import Any

import numpy as np
from numba import njit
from numpy.typing import NDArray

from dampen.describe.columns import Number
from dampen.learn.records import Records
from dampen.learn.saved import finite_array, whole_array, whole_number
from dampen.learn.schema import Schema
from dampen.vectors import Floats, Integers

Places = NDArray[np.int32]
Flags = NDArray[np.bool_]
NOTHING = -1
"""In place of an attribute: nothing could be cut."""
DEEPEST = 16
"""Trees are complete: so many levels have 65,536 leaves each."""


@dataclass(frozen=True, eq=False)
class RandomTrees:
    """The tests of all trees, by tree and place; the children of place i are 2 i + 1 and 2 i + 2.

    ``numeric``: which attributes are numbers. ``attributes``: which one is tested, or ``NOTHING``. ``points``: numbers
    from there on go right. ``right``: whether the category with each code goes right.
    """

    depth: int
    numeric: Flags
    attributes: Places
    points: Floats
    right: Flags

    @classmethod
    def without_tests(cls, schema: Schema, count: int, depth: int) -> "RandomTrees":
        """So many trees in which every record goes left."""
        found, shape = list(schema.attributes.values()), (count, 2**depth - 1)
        widest = max([len(a.labels) for a in found if not isinstance(a, Number)], default=0)
        return cls(
            depth,
            np.array([isinstance(attribute, Number) for attribute in found]),
            np.full(shape, NOTHING, dtype=np.int32),
            np.zeros(shape),
            np.zeros((*shape, widest), dtype=bool),
        )

    def run(self, loop: Any, *arguments: Any) -> Any:
        """Call a compiled loop with the tests before its other arguments."""
        return loop(self.depth, self.numeric, self.attributes, self.points, self.right, *arguments)

    @property
    def count(self) -> int:
        """How many trees there are."""
        return len(self.attributes)


def default_depth(schema: Schema) -> int:
    """The depth at which about half of the attributes have been tested on a path (Fletcher and Islam).

    h numbers drawn with replacement leave h ((h - 1) / h)^d untested, so d is the first that leaves fewer than half; a
    category is rarely cut twice, so half of their number is added.
    """
    numbers = sum(isinstance(attribute, Number) for attribute in schema.attributes.values())
    deep = 0 if numbers == 0 else 1 if numbers == 1 else ceil(log(2) / log(numbers / (numbers - 1)))
    return max(1, deep + (len(schema.attributes) - numbers) // 2)


def draw_trees(schema: Schema, count: int, depth: int, key: int) -> RandomTrees:
    """The tests of so many trees, all derived from ``key``.

    No data is involved, so any key that does not depend on data will do for privacy, a public one too. A number without
    bounds has its cuts for a domain: a point has a uniform rank among them, and lies between two as its rank does.
    """
    rng, trees = np.random.Generator(np.random.PCG64(key)), RandomTrees.without_tests(schema, count, depth)
    levels = max(depth, 1), len(schema.attributes)
    low, high, sizes = np.zeros(levels), np.zeros(levels), np.zeros(levels, dtype=np.int64)
    for place, attribute in enumerate(schema.attributes.values()):
        if not isinstance(attribute, Number):
            sizes[0, place] = len(attribute.labels)
        elif attribute.bounded:
            low[0, place], high[0, place] = attribute.float_bounds
    ranked = {[*schema.attributes].index(name): cuts for name, cuts in schema.cuts.items()}
    for place, cuts in ranked.items():
        low[0, place], high[0, place] = -0.5, len(cuts) - 0.5
    _draw_tests(rng, trees.numeric, low, high, sizes, trees.attributes, trees.points, trees.right)
    for place, cuts in ranked.items():
        here = trees.attributes == place
        trees.points[here] = np.interp(trees.points[here], np.arange(len(cuts)), cuts)
    return trees


def counts_at_leaves(
    trees: RandomTrees,
    values: Floats,
    members: Integers,
    classes: Integers,
    kinds: int,
    weights: Integers | None = None,
) -> Integers:
    """The classes of the records at the leaves of the trees that they drew, by tree, leaf and class.

    ``values`` are those of :func:`as_matrix`, ``members`` says which tree each record is in; if negative, in none.
    ``weights``: how much each counts, 1 if left out. An unknown category goes where the first declared value goes: a
    forest releases no counts that would tell better.
    """
    counts = np.zeros((trees.count, 1 << trees.depth, kinds), dtype=np.int64)
    each = np.ones(len(classes), dtype=np.int64) if weights is None else weights
    trees.run(_count_classes, values, members, classes, each, counts)
    return counts


def sums_at_leaves(trees: RandomTrees, values: Floats, held: Floats) -> Floats:
    """For each record the sum over all trees of what its leaves hold, class by class."""
    total: Floats = trees.run(_add_up, values, held)
    return total


def as_matrix(records: Records) -> Floats:
    """A row for each attribute and a column for each record, codes of categories as numbers."""
    return np.array(records.columns, dtype=np.float64).reshape(len(records.columns), records.rows)


def trees_as_plain(trees: RandomTrees) -> dict[str, Any]:
    """The tests as JSON takes them."""
    return {
        "depth": trees.depth,
        "attributes": trees.attributes.tolist(),
        "points": trees.points.tolist(),
        "right": [[np.flatnonzero(codes).tolist() for codes in tree] for tree in trees.right],
    }


def trees_from_plain(plain: dict[str, Any], schema: Schema) -> RandomTrees:
    """The tests out of what :func:`trees_as_plain` wrote; ``ValueError`` where they are not tests of the schema."""
    depth, count = whole_number(plain["depth"]), len(plain["right"])
    if not 0 <= depth <= DEEPEST or count < 1:
        raise ValueError
    shape = count, 2**depth - 1
    # Read before room is made for so many trees: a forged number of them fails here.
    attributes, points = whole_array(plain["attributes"], shape), finite_array(plain["points"], shape)
    if ((attributes < NOTHING) | (attributes >= len(schema.attributes))).any():
        raise ValueError
    empty = RandomTrees.without_tests(schema, count, depth)
    trees = replace(empty, attributes=attributes.astype(np.int32), points=points)
    for tree, places in enumerate(plain["right"]):
        for place, codes in enumerate(places):
            if codes and min(codes) < 0:
                raise ValueError
            trees.right[tree, place, codes] = True
    return trees


@njit(cache=True, nogil=True)
def _draw_tests(
    rng: Any, numeric: Flags, low: Floats, high: Floats, sizes: Integers, attributes: Places, points: Floats,
    right: Flags,
) -> None:  # fmt: skip
    """Write the tests of all trees.

    ``low``, ``high`` and ``sizes`` (how many categories are left) have a row for each level; the first holds the public
    domains. Places come parent, left, right, so the row above a node's is its parent's, and one row for each level will
    do instead of one for each node.
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
            # A stack: the left child, which was put on last, comes first.
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
    # The first half of a shuffle, and no more.
    for taken in range(count // 2):
        other = taken + int(rng.random() * (count - taken))
        codes[taken], codes[other] = codes[other], codes[taken]
        right[place, codes[taken]] = True


@njit(cache=True, nogil=True)
def _count_classes(
    depth: int, numeric: Flags, attributes: Places, points: Floats, right: Flags, values: Floats, members: Integers,
    classes: Integers, weights: Integers, counts: Integers,
) -> None:  # fmt: skip
    """Weigh each record's class at the leaf that it reaches in its tree; negative trees are none."""
    for i in range(len(members)):
        tree = members[i]
        if tree >= 0:
            leaf = _leaf(depth, numeric, attributes[tree], points[tree], right[tree], values, i)
            counts[tree, leaf, classes[i]] += weights[i]


@njit(cache=True, nogil=True)
def _add_up(
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
