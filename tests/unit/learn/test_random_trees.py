"""Random trees: tests that halve public domains, records that draw their trees, labels by coins."""

from fractions import Fraction

import numpy as np
import pytest
from scipy.stats import chisquare

from dampen import Category, Number, entropy
from dampen.audit import law_by_enumeration
from dampen.learn import Schema
from dampen.learn.random_trees import (
    NOTHING,
    RandomTrees,
    counts_at_leaves,
    default_depth,
    draw_trees,
    sums_at_leaves,
)
from dampen.learn.votes import flip_labels
from dampen.mechanisms.laws import permute_and_flip
from dampen.sampling import exact, tables
from dampen.sampling.exact import uniform_batch
from dampen.vectors import Floats, Integers

SCHEMA = Schema({"a": Number(0, 10), "b": Category(["x", "y", "z"]), "c": Category(["p"])}, classes=[0, 1])


def walked(trees: RandomTrees, tree: int, row: Floats) -> int:
    """The leaf by the definition, one test at a time."""
    place = 0
    for _ in range(trees.depth):
        attribute = int(trees.attributes[tree, place])
        right = False
        if attribute != NOTHING and trees.numeric[attribute]:
            right = bool(row[attribute] >= trees.points[tree, place])
        elif attribute != NOTHING:
            known = max(int(row[attribute]), 0)
            right = bool(trees.right[tree, place, known])
        place = 2 * place + 1 + right
    return int(place - (2**trees.depth - 1))


def leaves_reached(trees: RandomTrees, values: Floats, members: Integers) -> Integers:
    """The leaf of each record in its tree: every record is a class of its own."""
    records = np.arange(len(members))
    counts = counts_at_leaves(trees, values, members, records, len(records))
    return np.asarray(counts[members, :, records].argmax(axis=1))


def test_leaves_are_those_of_the_definition() -> None:
    trees = draw_trees(SCHEMA, 7, 5, 4)
    rng = np.random.default_rng(0)
    values = np.column_stack([rng.uniform(0, 10, 300), rng.integers(-1, 3, 300), np.zeros(300)])
    members = rng.integers(0, 7, 300)
    expected = [walked(trees, tree, row) for tree, row in zip(members, values, strict=True)]
    assert leaves_reached(trees, values.T, members).tolist() == expected


def test_counts_and_sums_at_leaves_are_those_of_the_definition() -> None:
    trees = draw_trees(SCHEMA, 4, 3, 4)
    rng = np.random.default_rng(1)
    values = np.column_stack([rng.uniform(0, 10, 90), rng.integers(-1, 3, 90), np.zeros(90)])
    members, classes, held = rng.integers(-1, 4, 90), rng.integers(0, 2, 90), rng.random((4, 8, 2))
    counts, sums = np.zeros((4, 8, 2), dtype=np.int64), np.zeros((90, 2))
    for row, (tree, label) in enumerate(zip(members, classes, strict=True)):
        if tree >= 0:
            counts[tree, walked(trees, tree, values[row]), label] += 1
        sums[row] = sum(held[other, walked(trees, other, values[row])] for other in range(4))
    assert (counts_at_leaves(trees, values.T, members, classes, 2) == counts).all()
    assert sums_at_leaves(trees, values.T, held) == pytest.approx(sums)


def test_a_number_at_the_point_goes_right() -> None:
    trees = draw_trees(Schema({"a": Number(0, 1)}, classes=[0, 1]), 1, 1, 4)
    below = np.nextafter(trees.points[0, 0], 0)
    values, members = np.array([[below, trees.points[0, 0]]]), np.zeros(2, dtype=np.int64)
    assert leaves_reached(trees, values, members).tolist() == [0, 1]


def test_tests_cut_what_is_left_of_a_domain() -> None:
    trees = draw_trees(SCHEMA, 50, 6, 4)
    for tree in range(50):
        _check_below(trees, tree, 0, (0.0, 10.0), {0, 1, 2})
    assert not (trees.attributes == 2).any(), "one value cannot be cut"


def _check_below(trees: RandomTrees, tree: int, place: int, interval: tuple[float, float], values: set[int]) -> None:
    if place >= trees.attributes.shape[1]:
        return
    attribute, point = int(trees.attributes[tree, place]), float(trees.points[tree, place])
    halves: list[tuple[tuple[float, float], set[int]]] = [(interval, values)] * 2
    if attribute == 0:
        assert interval[0] <= point <= interval[1]
        halves = [((interval[0], point), values), ((point, interval[1]), values)]
    elif attribute == 1:
        right = set(np.flatnonzero(trees.right[tree, place]).tolist())
        assert right < values
        assert len(right) == len(values) // 2
        halves = [(interval, values - right), (interval, right)]
    for side, (rest, left) in enumerate(halves):
        _check_below(trees, tree, 2 * place + 1 + side, rest, left)


def test_without_anything_to_cut_there_is_one_leaf() -> None:
    trees = draw_trees(Schema({"c": Category(["p"])}, classes=[0, 1]), 2, 3, 4)
    assert (trees.attributes == NOTHING).all()
    assert leaves_reached(trees, np.zeros((1, 4)), np.array([0, 0, 1, 1])).tolist() == [0] * 4


@pytest.mark.parametrize(("numbers", "others", "depth"), [(0, 22, 11), (1, 0, 1), (4, 0, 3), (6, 8, 8), (16, 0, 11)])
def test_half_of_the_attributes_are_tested(numbers: int, others: int, depth: int) -> None:
    attributes = {f"n{i}": Number(0, 1) for i in range(numbers)} | {
        f"c{i}": Category(["a", "b"]) for i in range(others)
    }
    assert default_depth(Schema(attributes, classes=[0, 1])) == depth


@pytest.mark.parametrize("size", [1, 3, 32, 1000, 2**16])
def test_trees_are_drawn_evenly(size: int) -> None:
    drawn = uniform_batch(60_000, size, entropy.system_entropy())
    counts = np.bincount(drawn % 1000 if size > 1000 else drawn, minlength=min(size, 1000))
    assert drawn.max() < size
    if size > 1:
        assert (
            chisquare(counts, None if size <= 1000 else np.bincount(np.arange(size) % 1000) / size * 60_000).pvalue
            > 1e-6
        )


def test_words_that_favour_a_tree_are_redrawn() -> None:
    class Scripted:
        def __init__(self) -> None:
            self.calls = 0

        def bits(self, count: int) -> int:
            raise AssertionError

        def words(self, count: int, width: int) -> np.typing.NDArray[np.uint16]:
            self.calls += 1
            return np.full(count, 65535 if self.calls == 1 else 4, dtype=np.uint16)

    source = Scripted()
    assert uniform_batch(2, 3, source).tolist() == [1, 1]
    assert source.calls == 2


@pytest.mark.parametrize("counts", [[2, 1], [0, 0, 1], [3, 3, 2]])
def test_labels_follow_permute_and_flip_bit_by_bit(counts: list[int], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(exact, "MORE_BITS", 1)
    monkeypatch.setattr(tables, "WIDTH", 3)
    monkeypatch.setattr("dampen.sampling.flips.uniform_batch", _by_enumerable_bits)
    rate = Fraction(1, 2)
    table = np.array([counts])
    drawn, undecided = law_by_enumeration(lambda bits: int(flip_labels(table, rate, bits)[0]), depth=16)
    assert undecided < 0.2
    behind = 0.5 * (max(counts) - np.array(counts, dtype=np.float64))
    for label, expected in enumerate(np.exp(permute_and_flip(behind, np.ones(len(counts))))):
        assert float(drawn[label]) - 1e-12 <= expected <= float(drawn[label] + undecided) + 1e-12


def _by_enumerable_bits(count: int, size: int, source: entropy.Entropy) -> np.typing.NDArray[np.int64]:
    return np.array([exact.uniform_below(size, source) for _ in range(count)], dtype=np.int64)


def test_labels_of_many_leaves_are_independent_draws() -> None:
    counts = np.tile([[5, 3]], (20_000, 1))
    share = flip_labels(counts, Fraction(1, 2), entropy.system_entropy()).mean()
    expected = np.exp(permute_and_flip(np.array([0.0, 1.0]), np.ones(2)))[1]
    assert share == pytest.approx(expected, abs=0.02)
