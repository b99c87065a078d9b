"""What blind trees say together: noisy class counts at every leaf, added up as evidence, and weighed by a jury.

A leaf with class shares p speaks for class c by ln(p_c / q_c), with q the shares among all records. Trees repeat each
other, so their sum is multiplied by a weight; which, is decided by a jury of records that no tree has counted. All of
this reads released numbers, except the two draws of :func:`hear_jury`. Proof: docs/proofs/forest.md.
"""

from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from dampen.entropy import Entropy
from dampen.learn.random_trees import RandomTrees, sums_at_leaves
from dampen.mechanisms import PermuteAndFlip
from dampen.privacy import Adjacency
from dampen.problem import Frame, SelectionProblem
from dampen.sampling.discrete_laplace import add_within, discrete_laplace_batch
from dampen.vectors import Floats, Integers

JURY_BITS = 3
"""A record sits in the jury if its word of so many bits is 0: one in eight."""
TOTALS_SHARE = Fraction(1, 4)
"""The share of epsilon for which the jury tells its classes; the rest picks the weight."""


@dataclass(frozen=True, eq=False)
class WeighedForest:
    """What is released: blind tests, class counts by tree and leaf, the jury's classes, and the weight it picked.

    ``weight`` is of one tree's evidence where all together have ``trees.count``: 1 is their mean, ``trees.count`` takes
    them for independent. Counts were drawn at the rate ``epsilon``.
    """

    trees: RandomTrees
    counts: Integers
    totals: tuple[int, ...]
    weight: int
    epsilon: Fraction


def in_jury(rows: int, source: Entropy) -> NDArray[np.bool_]:
    """Which records sit in the jury, each by itself."""
    return np.asarray(source.words(rows, JURY_BITS) == 0)


def class_totals(classes: Integers, kinds: int) -> Integers:
    """How many records have each class."""
    return np.bincount(classes, minlength=kinds)


def weights_for(trees: int) -> tuple[int, ...]:
    """The weights that a jury may pick.

    >>> weights_for(10)
    (1, 2, 4, 8)
    """
    return tuple(1 << power for power in range(trees.bit_length()))


def hear_jury(
    trees: RandomTrees, counts: Integers, values: Floats, classes: Integers, epsilon: Fraction, source: Entropy
) -> WeighedForest:
    """The forest of released ``counts``, weighed by these records: noisy class totals, then permute-and-flip.

    A weight's utility is how many of the jury it gets right: one record more adds 0 or 1 to each.
    """
    told = epsilon * TOTALS_SHARE
    true = class_totals(classes, counts.shape[2])
    totals = tuple(add_within(true, discrete_laplace_batch(told, len(true), source)).tolist())
    weights = weights_for(trees.count)
    heard = _Heard.of(counts, totals, epsilon)
    summed = sums_at_leaves(trees, values, heard.evidence)
    right = [np.count_nonzero(heard.scores(summed, weight).argmax(axis=1) == classes) for weight in weights]
    frame = Frame(range(len(weights)), 1, Adjacency.ADD_REMOVE, monotone=True)
    picked = PermuteAndFlip(epsilon - told).draw(SelectionProblem(frame, np.array(right, dtype=np.int64)), source)
    return WeighedForest(trees, counts, totals, weights[picked], epsilon)


def weighed_shares(model: WeighedForest, values: Floats) -> Floats:
    """For each record the class shares that the weighed evidence amounts to."""
    heard = _Heard.of(model.counts, model.totals, model.epsilon)
    scores = heard.scores(sums_at_leaves(model.trees, values, heard.evidence), model.weight)
    odds = np.exp(scores - scores.max(axis=1, keepdims=True))
    return np.asarray(odds / odds.sum(axis=1, keepdims=True))


@dataclass(frozen=True, eq=False)
class _Heard:
    """Logarithms of the class shares among all records, and what each leaf says beyond them."""

    among_all: Floats
    evidence: Floats

    @classmethod
    def of(cls, counts: Integers, totals: tuple[int, ...], epsilon: Fraction) -> "_Heard":
        """Each leaf is joined to so many records of the whole as its noise spreads over, and one."""
        kept = np.maximum(np.array(totals, dtype=np.float64), 1.0)
        prior = kept / kept.sum()
        weight, seen = 1 + 1 / float(epsilon), np.maximum(counts, 0).astype(np.float64)
        shares = (seen + weight * prior) / (seen.sum(axis=2, keepdims=True) + weight)
        return cls(np.log(prior), np.log(shares / prior))

    def scores(self, summed: Floats, weight: int) -> Floats:
        return np.asarray(self.among_all + summed * (weight / len(self.evidence)))
