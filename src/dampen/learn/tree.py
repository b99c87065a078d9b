"""A private decision tree: ID3 with attributes chosen by a mechanism, and noisy class counts at every node."""

from fractions import Fraction
from math import sqrt
from typing import Any, Literal

from dampen._validate import Number, render, whole
from dampen.entropy import Entropy
from dampen.errors import DataError, ParameterError
from dampen.learn import views
from dampen.learn.estimator import PaidClassifier
from dampen.learn.id3 import LARGEST_LEVEL, count_outcomes, count_shares, edges_of, grow_tree
from dampen.learn.nodes import Node, as_plain, from_plain, leaf_shares, require_fit
from dampen.learn.records import Records
from dampen.learn.schema import Schema
from dampen.learn.split_choice import SplitChoice
from dampen.learn.training_table import TrainingTable
from dampen.privacy import Adjacency
from dampen.tables.contingency import Layout
from dampen.vectors import Floats

DEEPEST = 100
"""The longest path. Python writes, copies and compares nested nodes by calls inside calls, of which it allows few:
nobody shall learn after payment that a tree cannot be saved."""


class PrivateTreeClassifier(PaidClassifier):
    """A decision tree whose every number is released privately; one fit costs ``epsilon`` once.

    Parameters
    ----------
    epsilon
        The price of a whole fit.
    max_depth
        The longest path, in tests, at most 100. 0 makes one leaf; more than there are attributes is as many as there
        are.
    criterion
        ``"max"``: how many records a majority vote in the children gets right. ``"information_gain"``.
    mechanism
        How an attribute is picked: ``"permute_and_flip"`` (default for ``"max"``), ``"exponential"``,
        ``"local_dampening"``, ``"shifted"``, ``"pairwise"`` (default for information gain), and, for ``"max"`` alone,
        ``"pareto"`` and ``"stable"``.
    max_records
        A public number that no table exceeds; needed by information gain with ``"exponential"``,
        ``"permute_and_flip"`` or ``"shifted"`` and by nothing else.
    schema
        What is publicly known of the table: a :class:`Schema`.
    budget
        Who pays. A clone shares it, a pickle of a fitted tree drops it.
    adjacency
        ``ADD_REMOVE`` (what ``None`` means), or ``REPLACE``, under which everything runs at epsilon / 2.

    >>> import dampen
    >>> from dampen.learn import PrivateTreeClassifier, Schema
    >>> schema = Schema({"rain": dampen.Category("no", "yes")}, classes=["walk", "bus"])
    >>> table, way = {"rain": ["no", "yes"] * 400}, ["walk", "bus"] * 400
    >>> tree = PrivateTreeClassifier(epsilon=2, max_depth=1, schema=schema, budget=dampen.Budget(epsilon=2))
    >>> tree.fit(table, way).predict({"rain": ["yes", "no"]}).tolist()
    ['bus', 'walk']
    """

    def __init__(
        self,
        epsilon: Number,
        max_depth: int,
        criterion: Literal["max", "information_gain"] = "max",
        mechanism: str | None = None,
        max_records: int | None = None,
        schema: Schema | None = None,
        budget: Any = None,
        adjacency: Adjacency | None = None,
    ) -> None:
        self.epsilon = epsilon
        self.max_depth = max_depth
        self.criterion = criterion
        self.mechanism = mechanism
        self.max_records = max_records
        self.schema = schema
        self.budget = budget
        self.adjacency = adjacency

    def _check(self, schema: Schema, rows: int) -> None:
        whole(max_depth=self.max_depth, least=0)
        choice, outcomes = self._choice(), count_outcomes(schema)
        if min(self.max_depth, sum(size > 1 for size in outcomes)) > DEEPEST:
            rule = f"max_depth must be at most {DEEPEST} where more than {DEEPEST} attributes can be tested"
            raise ParameterError(f"{rule}; got {render(self.max_depth)}")
        if sum(outcomes) * len(schema.classes) > LARGEST_LEVEL:
            raise ParameterError(f"schema must make at most {LARGEST_LEVEL} counts at a node: lower bins, merge values")
        share = self._rate() / self._count_steps(schema)
        choice.require_proved(Layout(outcomes, len(schema.classes)), share)
        if choice.max_records is not None and rows > choice.max_records:
            raise DataError("table must not have more than max_records records")

    def _count_steps(self, schema: Schema) -> int:
        return count_shares(self.max_depth, sum(size > 1 for size in count_outcomes(schema)))

    def _require_votes(self) -> None:
        choice = self._choice()
        if (choice.criterion, choice.mechanism) != ("max", "permute_and_flip"):
            rule = "a table with a person must be learned with criterion='max' and mechanism='permute_and_flip'"
            raise ParameterError(f"{rule}; got {render(choice.criterion)} and {render(choice.mechanism)}")

    def _choice(self) -> SplitChoice:
        return SplitChoice.of(self.criterion, self.mechanism, self.max_records)

    def _grow(self, table: TrainingTable, epsilon: Fraction, source: Entropy) -> Node:
        return grow_tree(table, depth=self.max_depth, epsilon=epsilon, choice=self._choice(), source=source)

    def _shares(self, model: Node, records: Records) -> Floats:
        """Drawn towards the node above as by the standard deviation of a released count, in records."""
        tests = sum(outcomes > 1 for outcomes in count_outcomes(self.schema_))
        depth = self.terms_["parameters"]["max_depth"]
        return leaf_shares(model, records, sqrt(2) * count_shares(depth, tests) / float(self._rate_paid()))

    @property
    def feature_importances_(self) -> Floats:
        """For each attribute how many more released records its tests get right; adds up to 1, or is all 0.

        Noise raises the share of attributes with many values; read it beside the counts of :meth:`export_text`.
        """
        self._require_fitted()
        return views.tree_importances(self.model_, len(self.schema_.attributes))

    def export_text(self) -> str:
        """The tree as text: every test, and at the leaves their class and released counts."""
        self._require_fitted()
        return views.tree_text(self.model_, self.schema_)

    def plot_tree(self, axes: Any = None) -> Any:
        """Draw the tree on matplotlib axes, new ones unless given, and return them."""
        self._require_fitted()
        return views.plot_tree(self.model_, self.schema_, axes)

    def _as_plain(self, model: Node) -> dict[str, Any]:
        return as_plain(model)

    def _from_plain(self, plain: dict[str, Any]) -> Node:
        root = from_plain(plain)
        sizes = count_outcomes(self.schema)
        require_fit(root, edges_of(self.schema), sizes, len(self.schema.classes), min(self.max_depth, len(sizes)))
        return root
