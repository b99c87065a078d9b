"""Random decision trees: tests drawn without looking at data, so that every leaf's label may cost all of epsilon.

A tree is complete and binary. A test picks one of the attributes that can still be cut, all equally likely, and cuts
what is left of its public domain in two: a number at a point drawn uniformly from its interval, categories into two
halves drawn at random. Where nothing can be cut any more every record goes left.

Every record draws its own tree, independently of all others: one record more moves one count of one leaf of one tree by
1, so the labels of all leaves together cost what one costs. Proof: docs/proofs/forest.md.
"""

from dataclasses import dataclass
from fractions import Fraction
from math import ceil, log
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dampen.entropy import Entropy
from dampen.learn.records import Records
from dampen.learn.schema import Categorical, Numeric, Schema
from dampen.learn.tree_kernels import add_up, count_up, draw_tests, walk
from dampen.sampling.flips import flip_groups
from dampen.vectors import Floats, Integers

NOTHING = -1
"""In place of an attribute: nothing could be cut."""


@dataclass(frozen=True, eq=False)
class RandomTrees:
    """The tests of all trees, by tree and place; the children of place i are 2 i + 1 and 2 i + 2.

    ``numeric``: which attributes are numbers. ``attributes``: which one is tested, or ``NOTHING``. ``points``: numbers
    from there on go right. ``right``: whether the category with each code goes right.
    """

    depth: int
    numeric: NDArray[np.bool_]
    attributes: NDArray[np.int32]
    points: Floats
    right: NDArray[np.bool_]

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
    numbers = sum(isinstance(attribute, Numeric) for attribute in schema.attributes.values())
    deep = 0 if numbers == 0 else 1 if numbers == 1 else ceil(log(2) / log(numbers / (numbers - 1)))
    return max(1, deep + (len(schema.attributes) - numbers) // 2)


def draw_trees(schema: Schema, count: int, depth: int, key: int) -> RandomTrees:
    """The tests of so many trees, all derived from ``key``.

    No data is involved, so any key that does not depend on data will do for privacy, a public one too.
    """
    rng = np.random.Generator(np.random.PCG64(key))
    found = list(schema.attributes.values())
    widest = max([len(a.values) for a in found if isinstance(a, Categorical)], default=0)
    places, levels = 2**depth - 1, (max(depth, 1), len(found))
    low, high, sizes = np.zeros(levels), np.zeros(levels), np.zeros(levels, dtype=np.int64)
    for place, attribute in enumerate(found):
        if isinstance(attribute, Numeric):
            low[0, place], high[0, place] = attribute.lo, attribute.hi
        else:
            sizes[0, place] = len(attribute.values)
    trees = RandomTrees(
        depth,
        np.array([isinstance(attribute, Numeric) for attribute in found]),
        np.full((count, places), NOTHING, dtype=np.int32),
        np.zeros((count, places)),
        np.zeros((count, places, widest), dtype=bool),
    )
    draw_tests(rng, trees.numeric, low, high, sizes, trees.attributes, trees.points, trees.right)
    return trees


def leaves_reached(trees: RandomTrees, values: Floats, members: Integers) -> Integers:
    """The leaf that each record reaches in its tree; ``values`` are those of :func:`as_matrix`.

    An unknown category goes where the first declared value goes: a forest releases no counts that would tell better.
    """
    leaves: Integers = trees.run(walk, values, members)
    return leaves


def counts_at_leaves(trees: RandomTrees, values: Floats, members: Integers, classes: Integers, kinds: int) -> Integers:
    """The classes of the records at the leaves of the trees that they drew, by tree, leaf and class.

    A record whose tree is negative is not counted.
    """
    counts = np.zeros((trees.count, 1 << trees.depth, kinds), dtype=np.int64)
    trees.run(count_up, values, members, classes, counts)
    return counts


def sums_at_leaves(trees: RandomTrees, values: Floats, held: Floats) -> Floats:
    """For each record the sum over all trees of what its leaves hold, class by class."""
    total: Floats = trees.run(add_up, values, held)
    return total


def as_matrix(records: Records) -> Floats:
    """A row for each attribute and a column for each record, codes of categories as numbers."""
    return np.array(records.columns, dtype=np.float64).reshape(len(records.columns), records.rows)


def flip_labels(counts: Integers, epsilon: Fraction, source: Entropy) -> Integers:
    """For each row of class counts a class by permute-and-flip, worth epsilon: a coin for every class of every leaf."""
    behind = counts.max(axis=1, keepdims=True) - counts
    ends = np.arange(1, len(counts) + 1) * counts.shape[1]
    return flip_groups(behind.ravel(), ends, epsilon, source)


def vote_shares(trees: RandomTrees, labels: Integers, records: Records, classes: int) -> Floats:
    """For each record which share of the trees votes for each class; ``labels`` are by tree and leaf."""
    return sums_at_leaves(trees, as_matrix(records), np.eye(classes)[labels]) / trees.count
