"""The published forests: labels of leaves against this library's laws, and how records reach leaves."""

from typing import Any

import numpy as np
import pytest

from dampen import Adjacency
from dampen.learn import Schema
from dampen.mechanisms import Exponential, LocalDampening, PermuteAndFlip, StableArgmax
from dampen.problem import Frame, SelectionProblem
from dampen.queries.categories import winner_steps
from dampen.sensitivity import Step
from experiments import published_forests as forests
from experiments.coded_tables import Coded, synthetic
from experiments.private_classifier import Task

COPIES = 20_000
COUNTS = (2, 5, 3)


def copies(counts: tuple[int, ...]) -> forests.Leaves:
    """One leaf many times; ties are broken in the order of the classes, as the library does."""
    table = np.tile(counts, (COPIES, 1))
    first = int(np.argmax(counts))
    steps = min(counts[first] - n + (s > first) for s, n in enumerate(counts) if s != first)
    whole = [np.full(COPIES, value) for value in (first, steps, counts[first] - sorted(counts)[-2])]
    return forests.Leaves(table, np.zeros((1, 1), dtype=np.int64), *whole)


def winner(counts: tuple[int, ...]) -> SelectionProblem:
    utilities, starts = winner_steps(np.array(counts), Adjacency.ADD_REMOVE)
    frame = Frame(range(len(counts)), 1, Adjacency.ADD_REMOVE)
    return SelectionProblem(frame, utilities, Step(starts, bound=1)).as_public()


def counted(counts: tuple[int, ...]) -> SelectionProblem:
    frame = Frame(range(len(counts)), 1, Adjacency.ADD_REMOVE, monotone=True)
    return SelectionProblem(frame, list(counts)).as_public()


@pytest.mark.parametrize("counts", [COUNTS, (4, 4, 0), (0, 0, 0), (30, 2, 1)], ids=str)
@pytest.mark.parametrize(
    ("labels", "law"),
    [
        (forests.exponential, lambda x: Exponential("0.7").log_probabilities(winner(x))),
        (forests.permute_and_flip, lambda x: PermuteAndFlip("0.7").log_probabilities(winner(x))),
        (forests.local_dampening, lambda x: LocalDampening("0.7", law=Exponential).log_probabilities(winner(x))),
        (forests.stable, lambda x: StableArgmax("0.7").log_probabilities(winner(x))),
        (forests.flip_counts, lambda x: PermuteAndFlip("0.7").log_probabilities(counted(x))),
    ],
    ids=["exponential", "permute_and_flip", "local_dampening", "stable", "flip_counts"],
)
def test_labels_follow_the_laws_of_the_library(labels: Any, law: Any, counts: tuple[int, ...]) -> None:
    drawn = labels(copies(counts), 0.7, 0, np.random.default_rng(3))
    assert np.bincount(drawn, minlength=3) / COPIES == pytest.approx(np.exp(law(counts)), abs=6 * 0.5 / COPIES**0.5)


@pytest.mark.parametrize("lead", [0, 2, 4, 9])
def test_the_stable_label_among_many_classes(lead: int) -> None:
    """Where the chance of the winner first grows like exp(epsilon k) and then turns."""
    counts = (lead, *(0 for _ in range(29)))
    drawn = forests.stable(copies(counts), 0.7, 0, np.random.default_rng(3))
    expected = np.exp(StableArgmax("0.7").log_probabilities(winner(counts)))
    assert (drawn == 0).mean() == pytest.approx(expected[0], abs=6 * 0.5 / COPIES**0.5)
    assert np.bincount(drawn, minlength=30)[1:] / COPIES == pytest.approx(expected[1:], abs=6 * 0.2 / COPIES**0.5)


def test_smooth_noisy_max_of_the_whole_has_no_noise_where_the_data_set_leads() -> None:
    """A leaf with five records of each class, in a data set whose first class leads by 100: its label is certain."""
    leaves, rng = copies((5, 5, 0)), np.random.default_rng(0)
    for noise in ("student", "laplace", "log_normal"):
        labels = forests.smooth_noisy_max_of_the_whole(noise)
        assert (labels(leaves, 1.0, 100, rng) == 0).all()
        assert 0.2 < (labels(leaves, 1.0, 0, rng) == 0).mean() < 0.8
    assert 0.2 < (forests.smooth_noisy_max_of_the_leaf(leaves, 1.0, 100, rng) == 0).mean() < 0.8


def test_the_order_of_classes_at_a_tie_is_drawn_and_steps_follow_it() -> None:
    rng, reached = np.random.default_rng(0), np.zeros((1, 1), dtype=np.int64)
    leaves = forests.Leaves.of(np.tile([3, 3, 1], (COPIES, 1)), reached, rng)
    assert (leaves.winners == 0).mean() == pytest.approx(0.5, abs=6 * 0.5 / COPIES**0.5)
    assert set(leaves.steps.tolist()) == {1}
    assert set(leaves.leads.tolist()) == {0}
    empty = forests.Leaves.of(np.zeros((COPIES, 4), dtype=np.int64), reached, rng)
    assert np.bincount(empty.winners) / COPIES == pytest.approx([0.25] * 4, abs=6 * 0.5 / COPIES**0.5)
    ahead = forests.Leaves.of(np.tile([2, 7], (COPIES, 1)), reached, rng)
    assert (set(ahead.winners.tolist()), set(ahead.steps.tolist()), set(ahead.leads.tolist())) == ({1}, {5, 6}, {5})


@pytest.mark.parametrize("name", ["mushroom", "compas", "wall_following"])
def test_a_record_reaches_the_same_leaf_in_training_and_in_testing(name: str) -> None:
    table = Coded.of(synthetic(name, 300))
    rows = np.arange(300)
    leaves = forests.leaves_of(table, rows, rows, 4, np.random.default_rng(1), trees=3)
    assert leaves.counts.sum() == 300
    assert leaves.reached.shape == (3, 300)
    one = forests.leaves_of(table, rows, rows, 4, np.random.default_rng(1), trees=1)
    placed = np.bincount(one.reached[0] * table.layout.classes + table.labels, minlength=one.counts.size)
    assert placed.reshape(one.counts.shape).tolist() == one.counts.tolist()


def test_a_category_is_tested_once_on_a_path_and_has_a_child_for_each_value() -> None:
    """Two attributes and depth two: the leaves of every tree are the pairs of values that occur."""
    task, names = synthetic("mushroom", 400), ("category1", "category5")
    schema = Schema({name: task.schema.attributes[name] for name in names}, task.schema.classes)
    table, rows = Coded.of(Task(task.table, task.target, schema)), np.arange(400)
    leaves = forests.leaves_of(table, rows, rows, 2, np.random.default_rng(0), trees=6)
    pairs = len(np.unique(table.codes, axis=0))
    assert pairs > 4
    assert [len(np.unique(tree)) for tree in leaves.reached] == [pairs] * 6
    deeper = forests.leaves_of(table, rows, rows, 4, np.random.default_rng(0), trees=6)
    assert [len(np.unique(tree)) for tree in deeper.reached] == [pairs] * 6


def test_trees_vote() -> None:
    reached = np.array([[0, 1], [2, 1], [0, 0]])
    leaves = forests.Leaves.of(np.array([[5, 0], [0, 5], [0, 5]]), reached, np.random.default_rng(0))
    assert forests.votes(leaves, leaves.winners, np.random.default_rng(0)).tolist() == [0, 1]
