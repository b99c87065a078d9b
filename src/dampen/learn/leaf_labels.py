"""How the majority class of a leaf is told."""

from fractions import Fraction

import numpy as np

from dampen.entropy import Entropy
from dampen.learn.random_trees import flip_labels
from dampen.learn.splits import MOST_FOR_INDICATORS
from dampen.mechanisms import Exponential, ParetoNoisyMax, SelectionMechanism, StableArgmax
from dampen.privacy import Adjacency
from dampen.problem import Frame, SelectionProblem
from dampen.queries.categories import winner_steps
from dampen.sensitivity import Step
from dampen.vectors import Integers

LABELS = ("permute_and_flip", "exponential", "stable", "pareto")


def draw_leaf_labels(counts: Integers, labels: str, epsilon: Fraction, source: Entropy) -> Integers:
    """For each row of class counts a class, worth epsilon under ``ADD_REMOVE``. Nobody has paid for it here."""
    if labels == "permute_and_flip" or counts.shape[1] == 1:
        return flip_labels(counts, epsilon, source)
    mechanism = _mechanism(labels, epsilon)
    return np.array([mechanism.draw(_problem(row, labels), source) for row in counts], dtype=np.int64)


def require_proved(labels: str, classes: int, epsilon: Fraction) -> None:
    """Refuse an epsilon for which nothing is proved of the mechanism; all of it is public."""
    if labels in LABELS and labels != "permute_and_flip" and classes > 1:
        _mechanism(labels, epsilon).privacy(_problem(np.zeros(classes, dtype=np.int64), labels).frame)


def _mechanism(labels: str, epsilon: Fraction) -> SelectionMechanism:
    if labels == "exponential":
        return Exponential(epsilon)
    if labels == "stable":
        return StableArgmax(min(epsilon, MOST_FOR_INDICATORS))
    return ParetoNoisyMax(min(epsilon, MOST_FOR_INDICATORS), indicator=True)


def _problem(counts: Integers, labels: str) -> SelectionProblem:
    classes = range(len(counts))
    if labels == "exponential":
        return SelectionProblem(Frame(classes, 1, Adjacency.ADD_REMOVE, monotone=True), counts)
    utilities, starts = winner_steps(counts, Adjacency.ADD_REMOVE)
    return SelectionProblem(Frame(classes, 1, Adjacency.ADD_REMOVE), utilities, Step(starts, bound=1))
