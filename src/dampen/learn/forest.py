"""A private random forest: trees whose tests are drawn blindly, and private majority labels at their leaves."""

from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np

from dampen._validate import Number, one_of, whole
from dampen.errors import ParameterError
from dampen.learn.estimator import PaidClassifier
from dampen.learn.leaf_labels import LABELS, draw_leaf_labels
from dampen.learn.random_trees import (
    RandomTrees,
    as_matrix,
    default_depth,
    draw_trees,
    leaves_reached,
    uniform_batch,
    vote_shares,
)
from dampen.learn.records import Records
from dampen.learn.schema import Categorical, Numeric, Schema
from dampen.privacy import Adjacency, BudgetLike
from dampen.sampling.entropy import Entropy
from dampen.statistics.engines import Source
from dampen.vectors import Floats, Integers

DEEPEST = 16
"""Trees are complete: so many levels have 65,536 leaves each."""
MOST_TREES = 2**16


@dataclass(frozen=True, eq=False)
class Forest:
    """What is released: blind tests, and a label for every leaf of every tree."""

    trees: RandomTrees
    labels: Integers


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

    def __sklearn_tags__(self) -> Any:
        """On small tables blind trees on parts of the records are poor."""
        tags = super().__sklearn_tags__()
        tags.classifier_tags.poor_score = True
        return tags

    def _check(self, schema: Schema, rows: int) -> None:
        one_of(LABELS, labels=self.labels)
        if whole(n_trees=self.n_trees, least=1) > MOST_TREES:
            raise ParameterError(f"n_trees must be at most {MOST_TREES}; got {self.n_trees}")
        if self.max_depth is not None and whole(max_depth=self.max_depth, least=0) > DEEPEST:
            raise ParameterError(f"max_depth must be at most {DEEPEST}: trees are complete; got {self.max_depth}")

    def _counts_on_engines(self, X: Any) -> bool:
        """Every row draws its own tree from this machine's entropy, so rows must come here."""
        data = X.data if isinstance(X, Source) else X
        if not isinstance(data, str | Path) or (isinstance(X, Source) and X.where):
            raise ParameterError(
                "a forest draws a tree for every row here, so it takes rows in memory or files that fit there; "
                f"got {type(data).__name__}"
            )
        return False

    def _grow(self, records: Records, classes: Integers, schema: Schema, epsilon: Fraction, source: Entropy) -> Forest:
        depth = min(DEEPEST, default_depth(schema)) if self.max_depth is None else self.max_depth
        trees = draw_trees(schema, self.n_trees, depth, source)
        members, kinds = uniform_batch(records.rows, self.n_trees, source), len(schema.classes)
        leaves = members * 2**depth + leaves_reached(trees, as_matrix(records), members)
        counts = np.bincount(leaves * kinds + classes, minlength=self.n_trees * 2**depth * kinds).reshape(-1, kinds)
        labels = draw_leaf_labels(counts, self.labels, epsilon, source)
        return Forest(trees, labels.reshape(self.n_trees, -1))

    def _shares(self, model: Forest, records: Records) -> Floats:
        return vote_shares(model.trees, model.labels, records, len(self.schema_.classes))

    def _as_plain(self, model: Forest) -> dict[str, Any]:
        trees = model.trees
        return {
            "depth": trees.depth,
            "attributes": trees.attributes.tolist(),
            "points": trees.points.tolist(),
            "right": [[np.flatnonzero(codes).tolist() for codes in tree] for tree in trees.right],
            "labels": model.labels.tolist(),
        }

    def _from_plain(self, plain: dict[str, Any]) -> Forest:
        schema: Schema = self.schema
        widest = max([len(a.values) for a in schema.attributes.values() if isinstance(a, Categorical)], default=0)
        right = np.zeros((len(plain["right"]), 2 ** plain["depth"] - 1, widest), dtype=bool)
        for tree, places in enumerate(plain["right"]):
            for place, codes in enumerate(places):
                right[tree, place, codes] = True
        numeric = np.array([isinstance(attribute, Numeric) for attribute in schema.attributes.values()])
        attributes = np.array(plain["attributes"], dtype=np.int32).reshape(right.shape[:2])
        points = np.array(plain["points"], dtype=np.float64).reshape(right.shape[:2])
        trees = RandomTrees(int(plain["depth"]), numeric, attributes, points, right)
        return Forest(trees, np.array(plain["labels"], dtype=np.int64))

    def _public_parameters(self) -> dict[str, Any]:
        return {"n_trees": self.n_trees, "max_depth": self.max_depth, "labels": self.labels}
