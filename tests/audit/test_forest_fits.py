"""Whole fits of small forests on neighbouring tables: the law of all labels, over every way to draw trees."""

from collections.abc import Callable, Iterator
from itertools import product
from math import prod
from typing import Any

import numpy as np
import pytest

from dampen import Adjacency, Budget, Category
from dampen.audit import add_remove_neighbours, multisets, replace_neighbours
from dampen.learn import PrivateForestClassifier, Schema, forest
from dampen.learn.random_trees import RandomTrees
from dampen.learn.split_choice import build_mechanism
from dampen.learn.votes import LABELS, label_problem
from dampen.vectors import Floats, Integers

Table = tuple[tuple[int, int], ...]
"""Records of one attribute with two values and one of two classes."""
DOMAIN = tuple(product((0, 1), repeat=2))
TREES, LEAVES = 2, 2
SCHEMA = Schema({"a": Category([0, 1])}, classes=[0, 1])
TESTS = RandomTrees(
    1,
    np.array([False]),
    np.zeros((TREES, 1), dtype=np.int32),
    np.zeros((TREES, 1)),
    np.array([[[False, True]]] * TREES),
)
Members = Callable[[int], Iterator[tuple[Integers, float]]]


def by_each_record(rows: int) -> Iterator[tuple[Integers, float]]:
    """Every way in which records draw their trees by themselves."""
    for members in product(range(TREES), repeat=rows):
        yield np.array(members, dtype=np.int64), TREES**-rows


def equal_parts(rows: int) -> Iterator[tuple[Integers, float]]:
    """The records in order, cut into parts of equal size."""
    yield np.arange(rows) * TREES // max(rows, 1), 1.0


def laws_at(counts: Integers, labels: str, epsilon: Any) -> list[Floats]:
    """The law of each leaf's label."""
    mechanism = build_mechanism(labels, epsilon)
    return [np.exp(np.asarray(mechanism.log_probabilities(label_problem(row, labels)))) for row in counts]


def law_of(
    x: Table, labels: str, adjacency: Adjacency, members: Members, monkeypatch: pytest.MonkeyPatch
) -> dict[tuple[int, ...], float]:
    """The probability of every list of labels: ``fit`` itself runs, with fixed tests, for each way to draw trees."""
    rows = np.array(x, dtype=np.int64).reshape(-1, 2)
    law: dict[tuple[int, ...], float] = {}
    for drawn, chance in members(len(rows)):
        seen: list[tuple[Integers, Any]] = []

        def draw_labels(counts: Integers, named: str, epsilon: Any, _: Any, seen: list[Any] = seen) -> Integers:
            seen.append((counts, epsilon))
            assert named == labels
            return np.zeros(len(counts), dtype=np.int64)

        monkeypatch.setattr(forest, "draw_trees", lambda *_: TESTS)
        monkeypatch.setattr(forest, "uniform_batch", lambda *_, drawn=drawn: drawn)
        monkeypatch.setattr(forest, "draw_labels", draw_labels)
        made = PrivateForestClassifier(
            2, TREES, 1, labels=labels, schema=SCHEMA, budget=Budget(epsilon=2), adjacency=adjacency
        )
        made.fit(rows[:, :1], rows[:, 1])
        [(counts, epsilon)] = seen
        of_leaves = laws_at(counts, labels, epsilon)
        for outcome in product((0, 1), repeat=TREES * LEAVES):
            share = prod(float(leaf[label]) for leaf, label in zip(of_leaves, outcome, strict=True))
            law[outcome] = law.get(outcome, 0.0) + chance * share
    return law


def worst(tables: list[Table], labels: str, adjacency: Adjacency, members: Members, patch: pytest.MonkeyPatch) -> float:
    neighbours = (replace_neighbours if adjacency is Adjacency.REPLACE else add_remove_neighbours)(DOMAIN)
    known: dict[Table, dict[tuple[int, ...], float]] = {}

    def law(x: Table) -> dict[tuple[int, ...], float]:
        if x not in known:
            known[x] = law_of(x, labels, adjacency, members, patch)
        return known[x]

    pairs = [(x, y) for x in tables for y in neighbours(x) if len(y) <= 3]
    return max(abs(float(np.log(law(x)[o] / law(y)[o]))) for x, y in pairs for o in law(x))


@pytest.mark.parametrize("adjacency", [Adjacency.ADD_REMOVE, Adjacency.REPLACE], ids=lambda a: a.value)
@pytest.mark.parametrize("labels", LABELS)
def test_no_fit_loses_more_than_epsilon(labels: str, adjacency: Adjacency, monkeypatch: pytest.MonkeyPatch) -> None:
    smallest = 1 if adjacency is Adjacency.REPLACE else 0
    loss = worst(multisets(DOMAIN, largest=3, smallest=smallest), labels, adjacency, by_each_record, monkeypatch)
    assert 0.3 < loss <= 2 + 1e-9


def test_equal_parts_lose_more(monkeypatch: pytest.MonkeyPatch) -> None:
    tables = multisets(DOMAIN, largest=3)
    assert worst(tables, "permute_and_flip", Adjacency.ADD_REMOVE, equal_parts, monkeypatch) > 2.1


def test_the_law_adds_up_to_one(monkeypatch: pytest.MonkeyPatch) -> None:
    x = ((0, 0), (0, 1), (1, 1))
    law = law_of(x, "permute_and_flip", Adjacency.ADD_REMOVE, by_each_record, monkeypatch)
    assert sum(law.values()) == pytest.approx(1)
