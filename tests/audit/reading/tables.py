"""Tables of attributes and classes: the classifiers, and the counts of engines that they are drawn from."""

from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any

import numpy as np

import dampen
from dampen import Category, Number
from dampen.learn import (
    PrivateClassifier,
    PrivateForestClassifier,
    PrivateScorecard,
    PrivateTreeClassifier,
    Schema,
    private_score,
)
from dampen.learn.decision_table import binary_tests
from dampen.learn.joint_model import JointLayout, joint_problem
from dampen.learn.score import ShareAccuracy
from dampen.learn.scorecard_model import Attributes
from tests.audit.reading.check import Answer, Question, Record, Vector
from tests.audit.reading.entries import VAST, Entry, Public, counts, in_tables, rest_place
from tests.audit.reading.forms import Form, Held
from tests.audit.reading.oracle import MISSING, finite, number

EDGES = (1, 2, 3)
LOW, HIGH = 0, 4


def schema_of(public: Public) -> Schema:
    """A categorical attribute, a number and classes."""
    gaps = "refuse" if public.rest is None else public.missing
    attributes: dict[str, Category | Number] = {
        "a": Category(public.labels, other=public.rest, missing=gaps),
        "b": Number(LOW, HIGH, bins=len(EDGES) + 1),
    }
    return Schema(attributes, classes=public.choices)


def cells(public: Public, records: Sequence[Record]) -> list[tuple[int, int, int]] | None:
    """The places of attribute, number and class of each record, or a refusal."""
    found = []
    for label, value, kind in records:
        place, bin_of, own = public.rule.place(label), bin_place(value), public.choice_rule.place(kind)
        rest = rest_place(public)
        place = rest if place < 0 and rest is not None else place
        if place < 0 or bin_of is None or own < 0:
            return None
        found.append((place, bin_of, own))
    return found


def bin_place(value: Any) -> int | None:
    """How many edges are not above a finite number."""
    return sum(edge <= Fraction(number(value)) for edge in EDGES) if finite(value) else None  # type: ignore[arg-type]


def fitted(model: Any, held: Held) -> Any:
    """A model of the records, all of whose noise is 0."""
    return model.fit(held.table, held.columns.get("y", "y"))


def _asked(count: Callable[[Held, Public], Vector], key: Callable[..., Any]) -> Callable[[Public], Question]:
    def question(public: Public) -> Question:
        def expect(records: Sequence[Record]) -> Answer:
            found = cells(public, records)
            gaps = any(public.rule.place(label) == MISSING for label, _, _ in records)
            if found is None or (gaps and public.missing != "other"):
                return None
            return counts([key(public, *cell) for cell in found])

        return Question("", lambda held: count(held, public), expect)

    return question


def _named(public: Public) -> dict[str, Any]:
    return {"schema": schema_of(public), "budget": dampen.Budget(epsilon=VAST)}


def _leaves(tree: Any) -> Vector:
    """The counts of the leaves of a tree, by the way to them and the class."""
    found: dict[Any, int] = {}

    def walk(node: Any, path: frozenset[Any]) -> None:
        for spot, child in enumerate(node.children):
            walk(child, path | {(node.attribute, spot)})
        if not node.children:
            found.update({(path, kind): count for kind, count in enumerate(node.counts) if count})

    walk(tree.model_, frozenset())
    return found


def _tree(held: Held, public: Public) -> Vector:
    return _leaves(fitted(PrivateTreeClassifier(VAST, 2, **_named(public)), held))


def _tree_key(public: Public, place: int, bin_of: int, kind: int) -> Any:
    """An attribute with one value is never tested."""
    tests = [(0, place)] if len(public.labels) > 1 else []
    return frozenset([*tests, (1, bin_of)]), kind


def _table(held: Held, public: Public) -> Vector:
    model = fitted(PrivateClassifier(VAST, expected_records=1000, kind="table", **_named(public)), held).model_
    wide = len(model.tests)
    answers = [tuple(cell >> (wide - 1 - spot) & 1 for spot in range(wide)) for cell in range(1 << wide)]
    return {
        (said, kind): row[kind] for said, row in zip(answers, model.counts, strict=True) for kind in range(len(row))
    }


def _table_key(public: Public, place: int, bin_of: int, kind: int) -> Any:
    """Two values make one question, more of them one each."""
    size = len(public.labels)
    asked = range(size) if size > 2 else range(1, size)
    return (*(int(place == code) for code in asked), *(int(bin_of <= spot) for spot in range(len(EDGES)))), kind


class SeenForest(PrivateForestClassifier):
    """A forest that keeps what it has read, for its trees are drawn at random."""

    def _prepare(self, table: Any) -> Any:
        found = super()._prepare(table)
        places = np.searchsorted(np.array(EDGES), found.values[1], side="right")
        labels = found.values[0].astype(np.int64)
        self.seen_ = list(zip(labels.tolist(), places.tolist(), found.classes.tolist(), strict=True))
        return found


def _forest(held: Held, public: Public) -> Vector:
    return counts(fitted(SeenForest(VAST, n_trees=1, **_named(public)), held).seen_)


class SeenScorecard(PrivateScorecard):
    """A scorecard that keeps what its coefficients are fitted to."""

    def _prepare(self, table: Any) -> Any:
        found = super()._prepare(table)
        attributes = Attributes.of(table.schema)
        codes = np.zeros((len(found.codes), len(attributes.sizes)), dtype=np.int64)
        codes[:, [*attributes.groups, *attributes.columns]] = found.codes
        self.seen_ = dict[Any, int]()
        for places, kind, weight in zip(codes.tolist(), found.targets.tolist(), found.weights.tolist(), strict=True):
            self.seen_[*places, kind] = self.seen_.get((*places, kind), 0) + weight
        return found


def _scorecard(held: Held, public: Public) -> Vector:
    return dict(fitted(SeenScorecard(VAST, **_named(public)), held).seen_)


class SeenJoint(PrivateClassifier):
    """A classifier that keeps what the points of a joint model are fitted to, with the first two tests."""

    def _grow(self, table: Any, epsilon: Any, source: Any) -> Any:
        tests = binary_tests(table.schema)[:2]
        found, layout = joint_problem(table, tests), JointLayout.of(table.schema, tests).attributes
        codes = np.zeros((len(found.codes), len(layout.sizes)), dtype=np.int64)
        codes[:, list(layout.groups)] = found.codes[:, : len(layout.groups)]
        after = len(layout.groups) + 1
        codes[:, list(layout.columns)] = found.codes[:, after : after + len(layout.columns)]
        keys = [(*places, kind) for places, kind in zip(codes.tolist(), found.targets.tolist(), strict=True)]
        self.seen_ = dict.fromkeys(keys, 0)
        for key, weight in zip(keys, found.weights.tolist(), strict=True):
            self.seen_[key] += weight
        return super()._grow(table, epsilon, source)


def _joint(held: Held, public: Public) -> Vector:
    return dict(fitted(SeenJoint(VAST, expected_records=1000, kind="joint", **_named(public)), held).seen_)


def _unnamed(public: Public) -> Question:
    """Columns without names, which scikit-learn looks at before dampen does: it has a rule of its own for numbers."""
    schema = Schema.any(LOW, HIGH, len(EDGES) + 1, classes=public.choices)

    def ask(held: Held) -> Answer:
        tree = PrivateTreeClassifier(VAST, 1, schema=schema, budget=dampen.Budget(epsilon=VAST))
        return _leaves(fitted(tree, held))

    return Question("", ask)


def _score(public: Public) -> Question:
    """A model that always tells the first class: who has it is told rightly, all others wrongly."""
    row = {"a": list(public.labels[:1]), "b": [LOW]}
    model = PrivateTreeClassifier(VAST, 0, **_named(public)).fit(row, list(public.choices[:1]))

    def ask(held: Held) -> Answer:
        target = held.columns.get("y", "y")
        found = private_score(model, held.table, target, epsilon=VAST, budget=dampen.Budget(epsilon=VAST))
        assert isinstance(found.accuracy, ShareAccuracy)
        return {"right": found.accuracy.right, "wrong": found.accuracy.wrong}

    def expect(records: Sequence[Record]) -> Answer:
        if not all(finite(value) for _, value, _ in records):
            return None
        return counts(["right" if public.choice_rule.place(kind) == 0 else "wrong" for _, _, kind in records])

    return Question("", ask, expect)


def _for_learning(form: Form) -> bool:
    return in_tables(form) or form.name.startswith("learn")


def _for_forests(form: Form) -> bool:
    """Rows must come here: from memory or from plain files."""
    return _for_learning(form) and form.name not in (
        "relation",
        "ibis",
        "spark",
        "spark csv",
        "loaded csv",
        "loaded parquet",
    )


TABLE = {"a": "attribute", "b": "finite", "y": "class"}
ENTRIES: tuple[Entry, ...] = (
    Entry("PrivateTreeClassifier", TABLE, _asked(_tree, _tree_key), ("learn.PrivateTreeClassifier",), _for_learning),
    Entry("PrivateClassifier", TABLE, _asked(_table, _table_key), ("learn.PrivateClassifier",), _for_learning),
    Entry(
        "PrivateForestClassifier",
        TABLE,
        _asked(_forest, lambda public, *cell: cell),
        ("learn.PrivateForestClassifier",),
        _for_forests,
    ),
    Entry(
        "PrivateScorecard",
        TABLE,
        _asked(_scorecard, lambda public, *cell: cell),
        ("learn.PrivateScorecard",),
        _for_learning,
    ),
    Entry("PrivateClassifier, joint", TABLE, _asked(_joint, lambda public, *cell: cell), takes=_for_learning),
    Entry("Schema.any", {"b": "finite", "y": "class"}, _unnamed, takes=lambda form: form.name.startswith("learn")),
    Entry("private_score", TABLE, _score, ("learn.private_score",), _for_learning),
)
