"""Discrete Laplace noise of a public scale."""

from fractions import Fraction

import numpy as np
import pytest

from dampen import Adjacency, Budget, NumericFrame, NumericProblem
from dampen.mechanisms import Laplace
from dampen.privacy import NumericRelease

FRAME = NumericFrame(bound=3, adjacency=Adjacency.EDGE)


def test_the_law_is_geometric_at_epsilon_over_the_reach() -> None:
    law = Laplace("1/2").log_probabilities(NumericProblem(FRAME, 10), [10, 11, 13, 4])
    assert law - law[0] == pytest.approx([0, -1 / 6, -1 / 2, -1])


def test_a_release_tells_its_error() -> None:
    release = Laplace(1).release(NumericProblem(FRAME, 10), budget=Budget(epsilon=1))
    assert isinstance(release, NumericRelease)
    assert release.error(0.95) == 9.0
    assert float(release) == release.value == int(release)


def test_answers_live_on_the_grid_and_in_the_range() -> None:
    frame = NumericFrame(1, Adjacency.ADD_REMOVE, resolution="1/4", range=(0, 2))
    budget = Budget(epsilon=1000)
    answers = [Laplace(1).release(NumericProblem(frame, 1), budget=budget).value for _ in range(50)]
    assert all(0 <= answer <= 2 and (answer * 4).is_integer() for answer in answers)
    problem = NumericProblem(frame, 1).as_public()
    assert set(Laplace(1).simulate(problem, np.random.default_rng(0), 100) * 4) <= set(range(9))
    assert Laplace(1).expected_absolute_noise(problem) == pytest.approx(1 / np.sinh(1 / 4) / 4)


def test_whole_grids_give_whole_numbers() -> None:
    release = Laplace(1).release(NumericProblem(FRAME, Fraction(21, 2)), budget=Budget(epsilon=1))
    assert isinstance(release.value, int)
