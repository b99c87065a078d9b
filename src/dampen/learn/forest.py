"""A private random forest: trees whose tests are drawn blindly, and private majority labels at their leaves."""

from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np

from dampen._validate import Number, one_of, whole
from dampen.errors import ParameterError
from dampen.learn.estimator import PaidClassifier
from dampen.learn.leaf_labels import LABELS, draw_leaf_labels
from dampen.learn.random_trees import (
    Cut,
    RandomTree,
    default_depth,
    draw_members,
    draw_tree,
    leaves_reached,
    vote_shares,
)
from dampen.learn.records import Records
from dampen.learn.schema import Schema
from dampen.privacy import Adjacency, BudgetLike
from dampen.sampling.entropy import Entropy
from dampen.vectors import Floats, Integers

DEEPEST = 16
"""Trees are complete: so many levels have 65,536 leaves each."""
MOST_TREES = 2**16


class PrivateForestClassifier(PaidClassifier):
    """Random decision trees on disjoint parts of the records; one fit costs ``epsilon`` once.

    Parameters
    ----------
    epsilon
        The price of a whole fit.
    n_trees
        How many trees vote. Every record draws its tree by itself, so more trees mean fewer records in each.
    max_depth
        The number of tests of every path, at most 16. Left out, the depth at which about half of the attributes have
        been tested.
    labels
        How a leaf's majority is told: ``"permute_and_flip"``, the default, and ``"exponential"`` on counts,
        ``"stable"`` and ``"pareto"`` on the 0/1 utility of the winner.
    schema, budget, adjacency
        As for :class:`PrivateTreeClassifier`.

    >>> import dampen
    >>> from dampen.learn import Categorical, PrivateForestClassifier, Schema
    >>> schema = Schema({"rain": Categorical(["no", "yes"])}, classes=["walk", "bus"])
    >>> table, way = {"rain": ["no", "yes"] * 400}, ["walk", "bus"] * 400
    >>> forest = PrivateForestClassifier(epsilon=2, n_trees=5, schema=schema, budget=dampen.Budget(epsilon=2))
    >>> forest.fit(table, way).predict({"rain": ["yes", "no"]}).tolist()
    ['bus', 'walk']
    """

    def __init__(
        self,
        epsilon: Number,
        n_trees: int = 32,
        max_depth: int | None = None,
        labels: str = "permute_and_flip",
        schema: Schema | None = None,
        budget: BudgetLike | None = None,
        adjacency: Adjacency | None = None,
    ) -> None:
        self.epsilon = epsilon
        self.n_trees = n_trees
        self.max_depth = max_depth
        self.labels = labels
        self.schema = schema
        self.budget = budget
        self.adjacency = adjacency

    def _check(self, schema: Schema, rows: int) -> None:
        one_of(LABELS, labels=self.labels)
        if whole(n_trees=self.n_trees, least=1) > MOST_TREES:
            raise ParameterError(f"n_trees must be at most {MOST_TREES}; got {self.n_trees}")
        if self.max_depth is not None and whole(max_depth=self.max_depth, least=0) > DEEPEST:
            raise ParameterError(f"max_depth must be at most {DEEPEST}: trees are complete; got {self.max_depth}")

    def _grow(
        self, records: Records, classes: Integers, schema: Schema, epsilon: Fraction, source: Entropy
    ) -> tuple[RandomTree, ...]:
        depth = min(DEEPEST, default_depth(schema)) if self.max_depth is None else self.max_depth
        members, kinds = draw_members(records.rows, self.n_trees, source), len(schema.classes)
        trees, counts = [], []
        for number in range(self.n_trees):
            tree = draw_tree(schema, depth, source)
            rows = np.flatnonzero(members == number)
            cells = leaves_reached(tree, records, rows) * kinds + classes[rows]
            counts.append(np.bincount(cells, minlength=2**depth * kinds).reshape(-1, kinds))
            trees.append(tree)
        told = draw_leaf_labels(np.concatenate(counts), self.labels, epsilon, source).reshape(self.n_trees, -1)
        return tuple(replace(tree, labels=tuple(row)) for tree, row in zip(trees, told.tolist(), strict=True))

    def _shares(self, model: tuple[RandomTree, ...], records: Records) -> Floats:
        return vote_shares(model, records, len(self.schema_.classes))

    def _as_plain(self, model: tuple[RandomTree, ...]) -> dict[str, Any]:
        return {
            "trees": [
                {"depth": tree.depth, "labels": list(tree.labels), "cuts": [_plain_cut(cut) for cut in tree.cuts]}
                for tree in model
            ]
        }

    def _from_plain(self, plain: dict[str, Any]) -> tuple[RandomTree, ...]:
        return tuple(
            RandomTree(int(tree["depth"]), tuple(map(_cut_of, tree["cuts"])), tuple(map(int, tree["labels"])))
            for tree in plain["trees"]
        )

    def _public_parameters(self) -> dict[str, Any]:
        return {"n_trees": self.n_trees, "max_depth": self.max_depth, "labels": self.labels}


def _plain_cut(cut: Cut | None) -> list[Any] | None:
    return None if cut is None else [cut.attribute, cut.point, list(cut.right)]


def _cut_of(plain: list[Any] | None) -> Cut | None:
    return None if plain is None else Cut(int(plain[0]), plain[1], tuple(map(int, plain[2])))
