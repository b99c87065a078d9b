"""Real releases, from real entropy, against exact laws at alpha = 1e-6; a law that is 30 % wrong must be rejected."""

import numpy as np
import pytest
from scipy.stats import chi2

import dampen
from dampen.mechanisms import SelectionMechanism
from dampen.vectors import Floats
from tests.every_selection import BY_UTILITY

ALPHA = 1e-6
DRAWS, LONG_DRAWS = 4_000, 12_000
"""Enough that a law 30 % wrong is missed with probability below 1e-7 in every case."""
MECHANISMS: list[SelectionMechanism] = [*{type(make(1)): make(1) for make in reversed(BY_UTILITY.values())}.values()]
"""One of each class, in its first variant."""
UTILITIES = {
    "whole": [5, 4, 2, 0],
    "real": [2.5, 2.0, 1.25, 0.0],
    "runs": dampen.Runs([3, 1, 0], [1, 2, 3]),
}


def counts_of_releases(mechanism: SelectionMechanism, problem: dampen.SelectionProblem, draws: int) -> Floats:
    budget = dampen.Budget(epsilon=draws)
    values = [mechanism.release(problem, budget=budget).value for _ in range(draws)]
    return np.bincount(values, minlength=len(problem.frame.candidates)).astype(np.float64)


def p_value(counts: Floats, law: Floats) -> float:
    expected = law / law.sum() * counts.sum()
    return float(chi2.sf(((counts - expected) ** 2 / expected).sum(), df=len(law) - 1))


@pytest.mark.parametrize("mechanism", MECHANISMS, ids=repr)
@pytest.mark.parametrize("kind", UTILITIES)
@pytest.mark.parametrize("draws", [DRAWS, pytest.param(LONG_DRAWS, marks=pytest.mark.long)])
def test_releases_follow_their_law_and_not_a_wrong_one(mechanism: SelectionMechanism, kind: str, draws: int) -> None:
    utilities = UTILITIES[kind]
    frame = dampen.Frame(range(len(utilities)), bound=1, adjacency=dampen.Adjacency.ADD_REMOVE)  # type: ignore[arg-type]
    problem = dampen.SelectionProblem(frame, utilities)
    law = np.exp(np.asarray(mechanism.log_probabilities(problem)))
    counts = counts_of_releases(mechanism, problem, draws)
    assert p_value(counts, law) > ALPHA
    wrong = law.copy()
    wrong[0] *= 0.7
    assert p_value(counts, wrong) < ALPHA


@pytest.mark.parametrize("draws", [900, pytest.param(1_500, marks=pytest.mark.long)])
def test_a_hundred_thousand_candidates_at_full_width(draws: int) -> None:
    """Two score levels: the share of draws from the upper one is a coin of known bias."""
    upper, lower = 1_000, 99_000
    frame = dampen.Frame(range(upper + lower), bound=1, adjacency=dampen.Adjacency.ADD_REMOVE, monotone=True)
    problem = dampen.SelectionProblem(frame, np.repeat([5, 0], [upper, lower]))
    for mechanism in MECHANISMS:
        law = np.exp(np.asarray(mechanism.log_probabilities(problem)))
        shares = np.array([law[:upper].sum(), law[upper:].sum()])
        budget = dampen.Budget(epsilon=draws)
        drawn = np.array([mechanism.release(problem, budget=budget).value for _ in range(draws)])
        counts = np.array([(drawn < upper).sum(), (drawn >= upper).sum()], dtype=np.float64)
        assert p_value(counts, shares) > ALPHA
        assert p_value(counts, np.array([shares[0] * 0.7, 1 - shares[0] * 0.7])) < ALPHA
