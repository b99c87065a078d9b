"""Forests that add up evidence: every leaf releases noisy class counts, and held-out records choose their weight.

A leaf with class shares p speaks for class c by ln(p_c / q_c), with q the shares among all records. Trees repeat each
other, so their sum is multiplied by a weight. Which one, is chosen by held-out records, which no tree has counted: a
record is in a tree or held out, and pays for one of the two. All of this reads released numbers, except the two draws
of :func:`draw_weight`. Proof: docs/proofs/forest.md.
"""

from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from dampen.entropy import Entropy
from dampen.learn import noise
from dampen.learn.random_trees import RandomTrees, sums_at_leaves
from dampen.mechanisms import PermuteAndFlip
from dampen.privacy import Adjacency
from dampen.problem import Frame, SelectionProblem
from dampen.vectors import Floats, Integers

HELD_OUT_BITS = 3
"""A record is held out if its word of so many bits is 0: one in eight."""
TOTALS_SHARE = Fraction(1, 4)
"""The share of epsilon for the class totals of the held-out records; the rest picks the weight."""


@dataclass(frozen=True, eq=False)
class EvidenceForest:
    """What is released: random tests, class counts by tree and leaf, class totals of held-out records, and a weight.

    ``weight`` is of one tree's evidence where all together have ``trees.count``: 1 is their mean, ``trees.count`` takes
    them for independent. Counts were drawn at the rate ``epsilon``.
    """

    trees: RandomTrees
    counts: Integers
    totals: tuple[int, ...]
    weight: int
    epsilon: Fraction


def draw_held_out(rows: int, source: Entropy) -> NDArray[np.bool_]:
    """Which records are held out, each by itself: a fixed number of them would let one record move another."""
    return np.asarray(source.words(rows, HELD_OUT_BITS) == 0)


def weights_for(trees: int) -> tuple[int, ...]:
    """The weights to choose from.

    >>> weights_for(10)
    (1, 2, 4, 8)
    """
    return tuple(1 << power for power in range(trees.bit_length()))


@dataclass(frozen=True, eq=False, repr=False)
class HeldOut:
    """Records that are in no tree: their values, a column each, their classes and how many units each weighs.

    ``vote``: so many units the records of one person have at most, in all; 1 where a person is a record.
    """

    values: Floats
    classes: Integers
    units: Integers
    vote: int = 1


def draw_weight(
    trees: RandomTrees, counts: Integers, held: HeldOut, epsilon: Fraction, source: Entropy
) -> EvidenceForest:
    """The forest of released ``counts``; held-out records release noisy class totals, then choose the weight.

    A weight's utility is how many units of them it gets right: one person more adds 0 to ``vote`` to each.
    """
    for_totals, weights = epsilon * TOTALS_SHARE, weights_for(trees.count)
    true = np.zeros(counts.shape[2], dtype=np.int64)
    np.add.at(true, held.classes, held.units)
    totals = tuple(noise.noisy_votes(true, held.vote, for_totals, source).tolist())
    evidence = _Evidence.of(counts, totals, epsilon)
    summed = sums_at_leaves(trees, held.values, evidence.of_leaves)
    right = [
        int(held.units[evidence.scores(summed, weight).argmax(axis=1) == held.classes].sum()) for weight in weights
    ]
    frame = Frame(range(len(weights)), held.vote, Adjacency.ADD_REMOVE, monotone=True)
    problem = SelectionProblem(frame, np.array(right, dtype=np.int64))
    picked = PermuteAndFlip(epsilon - for_totals).draw(problem, source)
    return EvidenceForest(trees, counts, totals, weights[picked], epsilon)


def evidence_shares(model: EvidenceForest, values: Floats) -> Floats:
    """For each record the class shares that the evidence, times its weight, amounts to."""
    evidence = _Evidence.of(model.counts, model.totals, model.epsilon)
    scores = evidence.scores(sums_at_leaves(model.trees, values, evidence.of_leaves), model.weight)
    # The largest score becomes exp(0), so that no exponential overflows.
    odds = np.exp(scores - scores.max(axis=1, keepdims=True))
    return np.asarray(odds / odds.sum(axis=1, keepdims=True))


@dataclass(frozen=True, eq=False)
class _Evidence:
    """Logarithms of the class shares among all records, and what each leaf says beyond them."""

    of_all: Floats
    of_leaves: Floats

    @classmethod
    def of(cls, counts: Integers, totals: tuple[int, ...], epsilon: Fraction) -> "_Evidence":
        """Each leaf is joined to 1 + 1 / epsilon records of the whole: one, and as many as its noise spreads over.

        So a leaf that holds noise alone says next to nothing, and no logarithm is of 0.
        """
        kept = np.maximum(np.array(totals, dtype=np.float64), 1.0)
        prior = kept / kept.sum()
        weight, seen = 1 + 1 / float(epsilon), np.maximum(counts, 0).astype(np.float64)
        shares = (seen + weight * prior) / (seen.sum(axis=2, keepdims=True) + weight)
        return cls(np.log(prior), np.log(shares / prior))

    def scores(self, summed: Floats, weight: int) -> Floats:
        """Logarithms of odds by record and class, from ``of_leaves`` summed over the trees."""
        return np.asarray(self.of_all + summed * (weight / len(self.of_leaves)))
