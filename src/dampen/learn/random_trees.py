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

import numpy as np
from numpy.typing import NDArray

from dampen.learn.records import UNKNOWN, Records
from dampen.learn.schema import Categorical, Numeric, Schema
from dampen.sampling import flips
from dampen.sampling.entropy import Entropy
from dampen.sampling.exponents import Exponents
from dampen.sampling.uniform import uniform_batch
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
    """The tests of so many trees, level by level, all derived from ``key``.

    No data is involved, so any key that does not depend on data will do for privacy, a public one too.
    """
    rng = np.random.Generator(np.random.PCG64(key))
    widest = max([len(a.values) for a in schema.attributes.values() if isinstance(a, Categorical)], default=0)
    places = 2**depth - 1
    trees = RandomTrees(
        depth,
        np.array([isinstance(attribute, Numeric) for attribute in schema.attributes.values()]),
        np.full((count, places), NOTHING, dtype=np.int32),
        np.zeros((count, places)),
        np.zeros((count, places, widest), dtype=bool),
    )
    domains = _Domains.whole(schema, count, widest)
    for level in range(depth):
        first, width = 2**level - 1, 2**level
        domains = domains.cut(trees, slice(first, first + width), rng)
    return trees


@dataclass(frozen=True, eq=False)
class _Domains:
    """What is left of each attribute's domain, for each node of a level: an interval, or a set of categories."""

    numeric: NDArray[np.bool_]
    low: Floats
    high: Floats
    sets: NDArray[np.bool_]

    @classmethod
    def whole(cls, schema: Schema, count: int, widest: int) -> "_Domains":
        attributes = list(schema.attributes.values())
        ends = [(a.lo, a.hi) if isinstance(a, Numeric) else (0.0, 0.0) for a in attributes]
        sets = [[v < len(a.values) if isinstance(a, Categorical) else False for v in range(widest)] for a in attributes]
        low, high = np.array(ends).T
        table = np.array(sets, dtype=bool).reshape(len(attributes), widest)
        numeric = np.array([isinstance(a, Numeric) for a in attributes])
        return cls(numeric, np.tile(low, (count, 1)), np.tile(high, (count, 1)), np.tile(table, (count, 1, 1)))

    def cut(self, trees: RandomTrees, places: slice, rng: np.random.Generator) -> "_Domains":
        """Cut every node of a level, write the tests down, and return the domains of the level below."""
        nodes, rows = len(self.low), np.arange(len(self.low))
        can = np.where(self.numeric, self.low < self.high, self.sets.sum(axis=2) > 1)
        chosen = np.where(can, rng.random(can.shape), -1.0).argmax(axis=1)
        some = can[rows, chosen]
        numeric = some & self.numeric[chosen]
        low, high = self.low[rows, chosen], self.high[rows, chosen]
        points = np.where(numeric, low + (high - low) * rng.random(nodes), 0.0)
        right = _halves(self.sets[rows, chosen], some & ~numeric, rng)
        shape = trees.count, nodes // trees.count
        trees.attributes[:, places] = np.where(some, chosen, NOTHING).reshape(shape)
        trees.points[:, places] = points.reshape(shape)
        trees.right[:, places] = right.reshape(*shape, right.shape[1])
        return self._below(rows[some & ~numeric], rows[numeric], chosen, points, right)

    def _below(
        self, sets: Integers, numbers: Integers, chosen: Integers, points: Floats, right: NDArray[np.bool_]
    ) -> "_Domains":
        low, high, left_sets = (
            np.repeat(self.low, 2, axis=0),
            np.repeat(self.high, 2, axis=0),
            self.sets.repeat(2, axis=0),
        )
        high[2 * numbers, chosen[numbers]] = points[numbers]
        low[2 * numbers + 1, chosen[numbers]] = points[numbers]
        left_sets[2 * sets, chosen[sets]] &= ~right[sets]
        left_sets[2 * sets + 1, chosen[sets]] &= right[sets]
        return _Domains(self.numeric, low, high, left_sets)


def _halves(sets: NDArray[np.bool_], which: NDArray[np.bool_], rng: np.random.Generator) -> NDArray[np.bool_]:
    """A random half (rounded down) of each of these sets; nothing of the others."""
    right = np.zeros_like(sets)
    if which.any():
        keys = np.where(sets[which], rng.random((int(which.sum()), sets.shape[1])), 2.0)
        ranks = keys.argsort(axis=1).argsort(axis=1)
        right[which] = ranks < (sets[which].sum(axis=1) // 2)[:, None]
    return right


def leaves_reached(trees: RandomTrees, values: Floats, members: Integers) -> Integers:
    """The leaf that each row reaches in its tree; ``values`` holds one column per attribute, codes of categories too.

    An unknown category goes where the first declared value goes: a forest releases no counts that would tell better.
    """
    rows, places = np.arange(len(values)), np.zeros(len(values), dtype=np.int64)
    for _ in range(trees.depth):
        attributes = trees.attributes[members, places]
        found, numbers = values[rows, attributes], trees.numeric[attributes]
        goes_right = numbers & (found >= trees.points[members, places])
        if trees.right.shape[2]:
            codes = np.where(numbers | (found == UNKNOWN), 0, found).astype(np.int64)
            goes_right |= trees.right[members, places, codes] & ~numbers
        places = 2 * places + 1 + (goes_right & (attributes != NOTHING))
    return np.asarray(places - (2**trees.depth - 1), dtype=np.int64)


def as_matrix(records: Records) -> Floats:
    """All columns side by side, codes of categories as numbers."""
    return np.column_stack([column.astype(np.float64) for column in records.columns])


def flip_labels(counts: Integers, epsilon: Fraction, source: Entropy) -> Integers:
    """For each row of class counts a class by permute-and-flip, worth epsilon: a coin for every class of every leaf."""
    behind = counts.max(axis=1, keepdims=True) - counts
    heads = flips.flip_all(Exponents.of_whole(-behind.ravel(), epsilon), source).reshape(counts.shape)
    shown = heads.sum(axis=1)
    chosen = np.zeros(len(counts), dtype=np.int64)
    for several in range(2, counts.shape[1] + 1):
        rows = np.flatnonzero(shown == several)
        chosen[rows] = uniform_batch(len(rows), several, source)
    ranks = np.cumsum(heads, axis=1) - 1
    return np.asarray((heads & (ranks == chosen[:, None])).argmax(axis=1), dtype=np.int64)


def vote_shares(trees: RandomTrees, labels: Integers, records: Records, classes: int) -> Floats:
    """For each record which share of the trees votes for each class; ``labels`` are by tree and leaf."""
    votes, values, rows = np.zeros((records.rows, classes)), as_matrix(records), np.arange(records.rows)
    for tree in range(trees.count):
        leaves = leaves_reached(trees, values, np.full(records.rows, tree))
        votes[rows, labels[tree, leaves]] += 1
    return votes / trees.count
