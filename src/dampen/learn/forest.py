"""A private random forest: trees whose tests are drawn without data, and private counts or labels at their leaves."""

from dataclasses import dataclass, replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dampen._validate import Number, one_of, render, whole
from dampen.entropy import Entropy
from dampen.errors import ParameterError
from dampen.learn import noise
from dampen.learn.estimator import PaidClassifier
from dampen.learn.evidence import EvidenceForest, HeldOut, draw_held_out, draw_weight, evidence_shares, weights_for
from dampen.learn.random_trees import (
    DEEPEST,
    as_matrix,
    counts_at_leaves,
    default_depth,
    draw_trees,
    trees_as_plain,
    trees_from_plain,
)
from dampen.learn.records import Records, readings_of, records_from_rows
from dampen.learn.saved import rate, whole_array, whole_number, whole_numbers
from dampen.learn.schema import Schema
from dampen.learn.training_table import TrainingTable
from dampen.learn.votes import LABELS, VotingForest, draw_labels, require_proved, vote_shares
from dampen.privacy import Adjacency, BudgetLike
from dampen.questions.people.votes import BITS
from dampen.sampling.exact import uniform_batch
from dampen.tables.engines import Source, is_outside
from dampen.tables.engines.base import RowForm, RowReading
from dampen.tables.engines.joined import Joined
from dampen.tables.row_owners import owners_of
from dampen.vectors import Floats, Integers

MOST_TREES = 2**16
NO_TREE = -1
"""In place of a record's tree: it is held out."""
COUNTS = "counts"
"""Leaves release noisy class counts instead of a label."""
Forest = VotingForest | EvidenceForest
Seats = NDArray[Any]


@dataclass(frozen=True, eq=False, repr=False)
class SeatedRows:
    """Rows that take seats in trees: ``owners`` tells whose each is, ``None`` that everybody has one.

    All rows of a person sit together, and weigh ``vote`` units at most; ``units`` are those of each row.
    """

    schema: Schema
    values: Floats
    classes: Integers
    units: Integers
    owners: Integers | None
    people: int
    vote: int = 1

    def of_people(self, seats: Seats) -> Seats:
        """The seats of rows, from those of people."""
        return seats if self.owners is None else seats[self.owners]


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
    structure
        A public whole number from which all tests are derived, for a forest with the same tests at every fit. Left out,
        they are drawn anew. Labels and the trees of records are always drawn from the operating system.
    labels
        What a leaf releases. ``"counts"``, the default: noisy class counts, whose evidence is added up over the trees;
        an eighth of the records, which no tree counts, chooses its weight. Or its majority, and the trees vote:
        ``"permute_and_flip"`` and ``"exponential"`` on counts, ``"stable"`` and ``"pareto"`` on the 0/1 utility of the
        winner.
    schema, budget, adjacency
        As for :class:`PrivateTreeClassifier`.

    >>> import dampen
    >>> from dampen.learn import PrivateForestClassifier, Schema
    >>> schema = Schema({"rain": dampen.Category("no", "yes")}, classes=["walk", "bus"])
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
        labels: str = "counts",
        structure: int | None = None,
        schema: Schema | None = None,
        budget: BudgetLike | None = None,
        adjacency: Adjacency | None = None,
    ) -> None:
        self.epsilon = epsilon
        self.n_trees = n_trees
        self.max_depth = max_depth
        self.labels = labels
        self.structure = structure
        self.schema = schema
        self.budget = budget
        self.adjacency = adjacency

    def __sklearn_tags__(self) -> Any:
        """On small tables random trees on parts of the records are poor."""
        tags = super().__sklearn_tags__()
        tags.classifier_tags.poor_score = True
        return tags

    def _check(self, schema: Schema, rows: int) -> None:
        one_of((COUNTS, *LABELS), labels=self.labels)
        require_proved(self.labels, len(schema.classes), self._rate())
        if whole(n_trees=self.n_trees, least=1) > MOST_TREES:
            raise ParameterError(f"n_trees must be at most {MOST_TREES}; got {render(self.n_trees)}")
        if self.structure is not None:
            whole(structure=self.structure, least=0)
        if self.max_depth is not None and whole(max_depth=self.max_depth, least=0) > DEEPEST:
            raise ParameterError(
                f"max_depth must be at most {DEEPEST}: trees are complete; got {render(self.max_depth)}"
            )

    def _require_data(self, X: Any) -> None:
        """Every row draws its own tree from this machine's entropy, so rows must come here."""
        data = X.data if isinstance(X, Source) else X
        for each in data.tables.values() if isinstance(data, Joined) else (data,):
            if is_outside(each) and not isinstance(each, str | Path):
                raise ParameterError(
                    "a forest draws a tree for every row here, so it takes rows in memory or files that fit there; "
                    f"got {type(each).__name__}"
                )

    def _require_votes(self) -> None:
        if self.labels not in (COUNTS, "permute_and_flip"):
            rule = "labels must be 'counts' or 'permute_and_flip' for a table with a person"
            raise ParameterError(f"{rule}; got {render(self.labels)}")

    def _prepare(self, table: TrainingTable) -> SeatedRows:
        """The rows, read before anything is paid."""
        target, person = table.coded.target, table.person
        whose: dict[str, RowReading] = {} if person is None else {person: RowForm.AS_IT_IS}
        rows = table.engine.rows({**readings_of(table.schema), target: table.schema.classes, **whose})
        records, classes = records_from_rows(rows, table.schema), rows[target].astype(np.int64)
        if person is None:
            units = np.ones(len(classes), dtype=np.int64)
            return SeatedRows(table.schema, as_matrix(records), classes, units, None, len(classes))
        owners = owners_of(rows[person])
        here = owners.codes >= 0
        units, vote = owners.weights(1 << BITS), 1 << BITS
        values, codes = as_matrix(records)[:, here], owners.codes[here]
        return SeatedRows(table.schema, values, classes[here], units[here], codes, owners.people, vote)

    def _prepare_again(self, prepared: SeatedRows, table: TrainingTable) -> SeatedRows:
        """The same rows: they were read as they are, and cut nowhere yet."""
        return replace(prepared, schema=table.schema)

    def _grow(self, rows: SeatedRows, epsilon: Fraction, source: Entropy) -> Forest:
        schema, classes = rows.schema, rows.classes
        depth = min(DEEPEST, default_depth(schema)) if self.max_depth is None else self.max_depth
        key = source.bits(128) if self.structure is None else self.structure
        trees = draw_trees(schema, self.n_trees, depth, key)
        seats = uniform_batch(rows.people, self.n_trees, source)
        if self.labels != COUNTS:
            counts = counts_at_leaves(
                trees, rows.values, rows.of_people(seats), classes, len(schema.classes), rows.units
            )
            labels = draw_labels(counts.reshape(-1, counts.shape[2]), self.labels, epsilon / rows.vote, source)
            return VotingForest(trees, labels.reshape(self.n_trees, -1))
        held_out = draw_held_out(rows.people, source)
        seats[held_out] = NO_TREE
        members, out = rows.of_people(seats), rows.of_people(held_out)
        counts = counts_at_leaves(trees, rows.values, members, classes, len(schema.classes), rows.units)
        released = noise.noisy_votes(counts, rows.vote, epsilon, source)
        held = HeldOut(np.ascontiguousarray(rows.values[:, out]), classes[out], rows.units[out], rows.vote)
        return draw_weight(trees, released, held, epsilon, source)

    def _shares(self, model: Forest, records: Records) -> Floats:
        if isinstance(model, EvidenceForest):
            return evidence_shares(model, as_matrix(records))
        return vote_shares(model, records, len(self.schema_.classes))

    def _as_plain(self, model: Forest) -> dict[str, Any]:
        plain = trees_as_plain(model.trees)
        if isinstance(model, VotingForest):
            return plain | {"labels": model.labels.tolist()}
        rate = {"epsilon": str(model.epsilon)}
        return plain | rate | {"counts": model.counts.tolist(), "totals": model.totals, "weight": model.weight}

    def _from_plain(self, plain: dict[str, Any]) -> Forest:
        schema: Schema = self.schema
        trees = trees_from_plain(plain, schema)
        shape = trees.count, 1 << trees.depth, len(schema.classes)
        if "labels" in plain:
            labels = whole_array(plain["labels"], shape[:2])
            if ((labels < 0) | (labels >= shape[2])).any():
                raise ValueError
            return VotingForest(trees, labels)
        totals, weight = whole_numbers(plain["totals"]), whole_number(plain["weight"])
        if len(totals) != shape[2] or weight not in weights_for(trees.count):
            raise ValueError
        return EvidenceForest(trees, whole_array(plain["counts"], shape), totals, weight, rate(plain["epsilon"]))
