"""Random decision trees: tests drawn without looking at data, so that every leaf's label may cost all of epsilon.

A tree is complete and binary. A test picks one of the attributes that can still be cut, all equally likely, and cuts what
is left of its public domain in two: a number at a point drawn uniformly from its interval, categories into two halves
drawn at random. Where nothing can be cut any more both children are alike.

Every record draws its own tree, independently of all others: one record more moves one count of one leaf of one tree by
1, so the labels of all leaves together cost what one costs. Proof: docs/proofs/forest.md.
"""

from dataclasses import dataclass
from fractions import Fraction
from math import ceil, log
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dampen.learn.records import UNKNOWN, Records
from dampen.learn.schema import Categorical, Numeric, Schema
from dampen.sampling import exact, flips
from dampen.sampling.entropy import Entropy
from dampen.sampling.exponents import Exponents
from dampen.vectors import Floats, Integers

WORD = 2**16
"""Uniform numbers are taken from words of 16 bits."""


@dataclass(frozen=True)
class Cut:
    """One test: ``point`` of a number (right where it is reached), or which categories go ``right``."""

    attribute: int
    point: float | None = None
    right: tuple[int, ...] = ()


@dataclass(frozen=True, eq=False)
class RandomTree:
    """Tests by place (children of place i are 2 i + 1 and 2 i + 2), ``None`` where nothing could be cut; leaf labels."""

    depth: int
    cuts: tuple[Cut | None, ...]
    labels: tuple[int, ...] = ()


def default_depth(schema: Schema) -> int:
    """The depth at which about half of the attributes have been tested on a path (Fletcher and Islam).

    h numbers drawn with replacement leave h ((h - 1) / h)^d untested, so d is the first that leaves fewer than half; a
    category is rarely cut twice, so half of their number is added.
    """
    numbers = sum(isinstance(attribute, Numeric) for attribute in schema.attributes.values())
    deep = 0 if numbers == 0 else 1 if numbers == 1 else ceil(log(2) / log(numbers / (numbers - 1)))
    return max(1, deep + (len(schema.attributes) - numbers) // 2)


def draw_tree(schema: Schema, depth: int, source: Entropy) -> RandomTree:
    """The tests of one tree; nothing of the data is involved."""
    domains: list[Any] = [
        (attribute.lo, attribute.hi) if isinstance(attribute, Numeric) else tuple(range(len(attribute.values)))
        for attribute in schema.attributes.values()
    ]
    kinds = tuple(schema.attributes.values())
    cuts: list[Cut | None] = [None] * (2**depth - 1)
    waiting = [(0, domains)] if depth else []
    while waiting:
        place, known = waiting.pop()
        cut, left, right = _cut(kinds, known, source)
        cuts[place] = cut
        if 2 * place + 2 < len(cuts):
            waiting += [(2 * place + 1, left), (2 * place + 2, right)]
    return RandomTree(depth, tuple(cuts))


def _cut(kinds: tuple[Any, ...], domains: list[Any], source: Entropy) -> tuple[Cut | None, list[Any], list[Any]]:
    open_places = [
        place for place, (kind, domain) in enumerate(zip(kinds, domains, strict=True))
        if (isinstance(kind, Categorical) and len(domain) > 1) or (isinstance(kind, Numeric) and domain[0] < domain[1])
    ]  # fmt: skip
    if not open_places:
        return None, domains, domains
    attribute = open_places[exact.uniform_below(len(open_places), source)]
    domain, left, right = domains[attribute], list(domains), list(domains)
    if isinstance(kinds[attribute], Numeric):
        point = domain[0] + (domain[1] - domain[0]) * (source.bits(53) * 2.0**-53)
        left[attribute], right[attribute] = (domain[0], point), (point, domain[1])
        return Cut(attribute, point), left, right
    shuffled = list(domain)
    for last in range(len(shuffled) - 1, 0, -1):
        other = exact.uniform_below(last + 1, source)
        shuffled[last], shuffled[other] = shuffled[other], shuffled[last]
    half = tuple(sorted(shuffled[: len(shuffled) // 2]))
    right[attribute], left[attribute] = half, tuple(value for value in domain if value not in half)
    return Cut(attribute, None, half), left, right


def leaves_reached(tree: RandomTree, records: Records, rows: Integers) -> Integers:
    """The leaf of each of these rows; an unknown category goes left."""
    places = np.zeros(len(rows), dtype=np.int64)
    for _ in range(tree.depth):
        goes_right = np.zeros(len(rows), dtype=bool)
        for place in np.unique(places).tolist():
            cut = tree.cuts[place]
            if cut is not None:
                here = np.flatnonzero(places == place)
                values = records.columns[cut.attribute][rows[here]]
                goes_right[here] = values >= cut.point if cut.point is not None else _among(values, cut.right)
        places = 2 * places + 1 + goes_right
    return places - (2**tree.depth - 1)


def _among(codes: NDArray[Any], chosen: tuple[int, ...]) -> NDArray[np.bool_]:
    return np.isin(codes, chosen) & (codes != UNKNOWN)


def draw_members(rows: int, trees: int, source: Entropy) -> Integers:
    """For each row its tree: independent, and exactly uniform."""
    return uniform_batch(rows, trees, source)


def uniform_batch(count: int, size: int, source: Entropy) -> Integers:
    """Independent whole numbers below ``size`` <= 2^16, each exactly uniform; words that would favour some are redrawn."""
    fair = WORD - WORD % size
    drawn = source.words(count, 16).astype(np.int64)
    again = np.flatnonzero(drawn >= fair)
    while again.size:
        drawn[again] = source.words(len(again), 16)
        again = again[drawn[again] >= fair]
    return drawn % size


def draw_labels(counts: Integers, epsilon: Fraction, source: Entropy) -> Integers:
    """For each row of class counts a class by permute-and-flip, worth epsilon: one coin for every class of every leaf."""
    behind = counts.max(axis=1, keepdims=True) - counts
    exponents = Exponents.of_whole(-behind.ravel(), epsilon)
    heads = flips.flip_all(exponents, source).reshape(counts.shape)
    shown = heads.sum(axis=1)
    chosen = np.zeros(len(counts), dtype=np.int64)
    for several in np.unique(shown[shown > 1]).tolist():
        rows = np.flatnonzero(shown == several)
        chosen[rows] = uniform_batch(len(rows), several, source)
    ranks = np.cumsum(heads, axis=1) - 1
    return np.asarray((heads & (ranks == chosen[:, None])).argmax(axis=1), dtype=np.int64)


def vote_shares(trees: tuple[RandomTree, ...], records: Records, classes: int) -> Floats:
    """For each record which share of the trees votes for each class."""
    votes, rows = np.zeros((records.rows, classes)), np.arange(records.rows)
    for tree in trees:
        labels = np.array(tree.labels, dtype=np.int64)[leaves_reached(tree, records, rows)]
        votes[rows, labels] += 1
    return votes / len(trees)
