"""The formulas of objective perturbation against exact densities of random neighbours, and planted faults."""

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

from dampen import Adjacency
from dampen.problem import LogisticFrame
from tests.audit import objective_densities as judge

FEW, FEWER, MANY = 200, 100, 20_000


def test_densities_of_neighbours_differ_by_epsilon_at_most() -> None:
    worst = judge.worst_share(np.random.default_rng(27), FEW)
    assert max(worst.values()) <= 1
    assert min(worst.values()) > 0.5, "places that tell nothing cannot judge"


@pytest.mark.long
def test_densities_of_many_neighbours_differ_by_epsilon_at_most() -> None:
    worst = judge.worst_share(np.random.default_rng(2700), MANY)
    assert max(worst.values()) <= 1
    assert min(worst.values()) > 0.85


def test_an_uncapped_loss_is_caught() -> None:
    worst = judge.worst_share(np.random.default_rng(1), FEWER, lambda made: replace(made, capped=False))
    assert min(worst.values()) > 1.1


def test_determinants_that_nobody_pays_for_are_caught() -> None:
    worst = judge.worst_share(np.random.default_rng(2), FEW, lambda made: made.without_curvature())
    assert min(worst.values()) > 1


def test_a_radius_of_one_shape_too_few_is_caught() -> None:
    worst = judge.worst_share(np.random.default_rng(3), FEWER, lambda made: replace(made, short_radius=True))
    assert min(worst.values()) > 1.1


def test_a_spread_vote_needs_more_than_a_record_of_rank_one() -> None:
    """A person with several records adds a matrix of higher rank; ln(1 + X/4) does not cover it."""
    one, spread = (LogisticFrame([2], 1, 2, Adjacency.ADD_REMOVE, spread=spread) for spread in (False, True))
    numbers = [judge.Densities.of(frame, Fraction(4), 3).numbers for frame in (one, spread)]
    theta = np.zeros(3)
    person: judge.Records = [((0,), 1, 0.5), ((1,), 1, 0.5)]
    _, curved = judge.sums(one, person, theta)
    ridge = np.diag(judge.ridge_vector(one, numbers[0]))
    cost = np.linalg.slogdet(ridge + curved)[1] - np.linalg.slogdet(ridge)[1]
    assert float(numbers[0].for_curvature) < cost <= float(numbers[1].for_curvature)


def test_slopes_are_those_of_the_loss() -> None:
    rng = np.random.default_rng(5)
    for _ in range(200):
        scores, kinds = rng.normal(size=4) * 3, int(rng.integers(4))
        slope, curved = judge.capped(scores, kinds)
        step = 1e-6 * rng.normal(size=4)
        rise = judge.loss(scores + step, kinds) - judge.loss(scores - step, kinds)
        assert rise == pytest.approx(2 * slope @ step, rel=1e-3, abs=1e-11)
        assert np.abs(slope).sum() <= 1 + 1e-12
        assert np.trace(curved) <= 0.75 + 1e-12
        assert np.linalg.eigvalsh(curved).min() >= -1e-12
