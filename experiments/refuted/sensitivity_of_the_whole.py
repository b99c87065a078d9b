"""Smooth noisy max at the leaves and nodes of a tree, with the smooth sensitivity of the whole data set.

The thesis scales the noise of every leaf by S = exp(-j epsilon), where j is by how many records the first class leads
the second *in the data set*, not in the leaf (and at the nodes of a greedy tree by how much the best attribute leads).
A leaf's own winner may hang on one record while the data set's is safe: then there is no noise where it is needed. S is
not even an upper bound of the local sensitivity at the leaf.
"""

from collections.abc import Sequence

import numpy as np

from dampen import Adjacency, Frame, SelectionProblem
from dampen.queries.categories import winner_steps
from dampen.queries.splits.attribute import majority_records
from dampen.sensitivity import Step
from dampen.vectors import Integers
from experiments.refuted.base import Evidence, Kind
from experiments.refuted.smooth_noisy_max import SmoothNoisyMaxStudent

SMALLEST = 2.0**-60
"""Below any smooth sensitivity that is asked for here."""

Record = tuple[int, int, int]
"""The values of two binary attributes, and a binary class."""


def lead(scores: Sequence[int] | Integers) -> int:
    """By how much the first leads the second."""
    second, first = np.sort(np.asarray(scores))[-2:]
    return int(first - second)


def winner_with_lead(scores: Integers, whole: int) -> SelectionProblem:
    """Utility 1 for the best of these scores, and a sensitivity that is said to be 0 before distance ``whole``."""
    utilities, _ = winner_steps(scores, Adjacency.ADD_REMOVE)
    frame = Frame(range(len(scores)), bound=1, adjacency=Adjacency.ADD_REMOVE)
    return SelectionProblem(frame, utilities, Step([whole] * len(scores), bound=1, floor=SMALLEST))


def leaf_problem(x: tuple[tuple[int, ...], tuple[int, ...]]) -> SelectionProblem:
    """Which class has the most records at a leaf? ``x``: class counts of the leaf, and of the rest of the data set."""
    leaf, rest = (np.array(counts) for counts in x)
    return winner_with_lead(leaf, lead(leaf + rest))


def node_problem(x: tuple[tuple[Record, ...], tuple[Record, ...]]) -> SelectionProblem:
    """Which attribute is best at a node? ``x``: the records of the node, and those elsewhere in the tree."""
    inside, outside = x
    return winner_with_lead(max_operators(inside), lead(max_operators(inside + outside)))


def max_operators(records: tuple[Record, ...]) -> Integers:
    """For each of the two attributes how many records a majority vote at its children gets right."""
    tables = [np.zeros((2, 2), dtype=np.int64) for _ in range(2)]
    for *values, label in records:
        for table, value in zip(tables, values, strict=True):
            table[value, label] += 1
    return majority_records(tables)


class LeafLabelBySensitivityOfTheWhole(SmoothNoisyMaxStudent):
    """The label of a leaf with 5 records of each class, in a data set in which one class leads by 8."""

    evidence = Evidence(
        kind=Kind.LOSS,
        claim="labels of leaves are epsilon-private with S = exp(-j epsilon), j the lead in the whole data set",
        source="Chaves 2024, Theorem 7.3 and the discussion of Fig. 10 (pen-digits), Student's t with nu = 3",
        claimed_epsilon=1,
        problem_of=leaf_problem,
        pair=(((5, 5), (0, 8)), ((5, 6), (0, 8))),
    )


class SplitBySensitivityOfTheWhole(SmoothNoisyMaxStudent):
    """The attribute at a node with one record, in a data set in which the second attribute leads by 4."""

    evidence = Evidence(
        kind=Kind.LOSS,
        claim="choices at nodes are epsilon-private with S = exp(-k epsilon), k the lead in the whole data set",
        source="Chaves 2024, Lemma 6.4 as its experiments apply it: one S, computed once, for every node of a tree",
        claimed_epsilon=1,
        problem_of=node_problem,
        pair=(
            (((0, 0, 0),), ((0, 0, 0),) * 4 + ((0, 1, 1),) * 4),
            (((0, 0, 0), (0, 1, 1)), ((0, 0, 0),) * 4 + ((0, 1, 1),) * 4),
        ),
    )
