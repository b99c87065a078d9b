"""Forests whose trees vote: every leaf releases the label of its majority, for all of epsilon.

A record is in one leaf of one tree, so the labels of all leaves together cost what one costs. Proof:
docs/proofs/forest.md.
"""

from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from dampen.entropy import Entropy
from dampen.learn.random_trees import RandomTrees, as_matrix, sums_at_leaves
from dampen.learn.records import Records
from dampen.learn.split_choice import build_mechanism
from dampen.mechanisms import PermuteAndFlip
from dampen.privacy import Adjacency
from dampen.problem import Frame, SelectionProblem
from dampen.queries.categories import winner_steps
from dampen.sensitivity import Step
from dampen.vectors import Floats, Integers

LABELS = ("permute_and_flip", "exponential", "stable", "pareto")
"""The mechanisms that may pick a label."""


@dataclass(frozen=True, eq=False)
class VotingForest:
    """What is released: random tests, and a label for every leaf of every tree."""

    trees: RandomTrees
    labels: Integers


def draw_labels(counts: Integers, labels: str, epsilon: Fraction, source: Entropy) -> Integers:
    """For each row of class counts a class, worth epsilon under ``ADD_REMOVE``. Nobody has paid for it here.

    Where records weigh several units, epsilon is for one unit, and permute-and-flip alone is proved.
    """
    if labels == "permute_and_flip" or counts.shape[1] == 1:
        return flip_labels(counts, epsilon, source)
    mechanism = build_mechanism(labels, epsilon)
    return np.array([mechanism.draw(label_problem(row, labels), source) for row in counts], dtype=np.int64)


def flip_labels(counts: Integers, epsilon: Fraction, source: Entropy) -> Integers:
    """The same by permute-and-flip, for all leaves at once: a coin for every class of every leaf."""
    behind = counts.max(axis=1, keepdims=True) - counts
    ends = np.arange(1, len(counts) + 1) * counts.shape[1]
    return PermuteAndFlip(epsilon).draw_groups(behind.ravel(), ends, source)


def require_proved(labels: str, classes: int, epsilon: Fraction) -> None:
    """Refuse an epsilon for which nothing is proved of the mechanism; all of it is public."""
    if labels in LABELS and labels != "permute_and_flip" and classes > 1:
        build_mechanism(labels, epsilon).privacy(label_problem(np.zeros(classes, dtype=np.int64), labels).frame)


def label_problem(counts: Integers, labels: str) -> SelectionProblem:
    """Which class has most of the records of a leaf?"""
    classes = range(len(counts))
    if labels in ("permute_and_flip", "exponential"):
        return SelectionProblem(Frame(classes, 1, Adjacency.ADD_REMOVE, monotone=True), counts)
    utilities, starts = winner_steps(counts, Adjacency.ADD_REMOVE)
    return SelectionProblem(Frame(classes, 1, Adjacency.ADD_REMOVE), utilities, Step(starts, bound=1))


def vote_shares(model: VotingForest, records: Records, classes: int) -> Floats:
    """For each record which share of the trees votes for each class."""
    return sums_at_leaves(model.trees, as_matrix(records), np.eye(classes)[model.labels]) / model.trees.count
