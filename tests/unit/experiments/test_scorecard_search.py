"""The candidates that were tried beside the scorecard: each answers, and spends what it may and no more."""

from fractions import Fraction

import numpy as np
import pytest

from dampen import Budget, Category, Number
from dampen.datasets import CATALOGUE, Dataset
from dampen.learn import Schema
from experiments import scorecard_search as experiment
from experiments.private_classifier import Task


def easy_task(classes: int) -> Task:
    """The class is the third of the range that a number is in, or half of it; a category tells nothing."""
    rows = CATALOGUE["nltcs"].rows
    number = np.arange(rows) % 60
    table = Dataset(CATALOGUE["nltcs"], {"x": number, "z": np.arange(rows) // 7 % 3, "y": number * classes // 60})
    schema = Schema({"x": Number(0, 60, unit=1), "z": Category([0, 1, 2])}, classes=list(range(classes)))
    return Task(table, "y", schema)


@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize("name", experiment.CANDIDATES)
def test_a_candidate_learns_an_easy_table_and_spends_exactly_epsilon(name: str, classes: int) -> None:
    task, budget = easy_task(classes), Budget(epsilon=2)
    train, held = (experiment.Rows.of(task, rows) for rows in (np.arange(3000), np.arange(3000, 3300)))
    told = experiment.CANDIDATES[name](train, held, Fraction(2), budget)
    assert (told == held.targets).mean() > 0.8
    assert budget.spent.epsilon == 2


@pytest.mark.parametrize("classes", [2, 4])
def test_slopes_and_curvatures_are_within_what_is_paid_for(classes: int) -> None:
    rng = np.random.default_rng(0)
    scores = 5 * rng.normal(size=(2000, 1 if classes == 2 else classes))
    slopes, curvatures = experiment.slopes_of(scores, rng.integers(0, classes, 2000))
    reach, curved = (0.5, 0.25) if classes == 2 else (1, 0.75)
    largest = np.abs(slopes).sum(axis=1).max() / experiment.FINE, curvatures.sum(axis=1).max() / experiment.FINE
    assert 0.9 * reach < largest[0] <= reach
    assert 0.6 * curved < largest[1] <= curved
    assert curvatures.min() >= 0


def test_the_noise_of_many_cells_counts_against_a_pair() -> None:
    """Which way one record more moves the use of a pair is open, but by no more than 1."""
    task = easy_task(2)
    rows = experiment.Rows.of(task, np.arange(200))
    more = experiment.Rows.of(task, np.arange(201))
    for pair in experiment.list_pairs(rows):
        one, two = pair.sizes(rows)
        assert experiment._gain(pair, 0.0, rows) - experiment._gain(pair, 2.0, rows) == 2 * one * two
        assert abs(experiment._gain(pair, 0.0, rows) - experiment._gain(pair, 0.0, more)) <= 1
