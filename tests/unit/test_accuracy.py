"""Expected errors and tails from exact laws, against direct sums and simulation."""

import numpy as np
import pytest

from dampen import Adjacency, Frame, Runs, SelectionProblem
from dampen.accuracy import expected_error, tail_bound
from dampen.errors import NotPublic, ParameterError
from dampen.mechanisms import Exponential, PermuteAndFlip, TopK

FRAME = Frame(range(4), bound=1, adjacency=Adjacency.ADD_REMOVE, monotone=True)
PROBLEM = SelectionProblem(FRAME, [5, 4, 2, 2]).as_public()


def test_the_expected_error_is_the_mean_gap() -> None:
    weights = np.exp([5.0, 4, 2, 2])
    assert expected_error(Exponential(1), PROBLEM) == pytest.approx(weights @ [0, 1, 3, 3] / weights.sum())
    assert expected_error(PermuteAndFlip(1), PROBLEM) < expected_error(Exponential(1), PROBLEM)


def test_the_tail_is_the_share_of_large_errors() -> None:
    weights = np.exp([5.0, 4, 2, 2])
    assert tail_bound(Exponential(1), PROBLEM, 0) == pytest.approx(1)
    assert tail_bound(Exponential(1), PROBLEM, 1) == pytest.approx(weights[1:].sum() / weights.sum())
    assert tail_bound(Exponential(1), PROBLEM, "1.5") == pytest.approx(weights[2:].sum() / weights.sum())
    assert tail_bound(Exponential(1), PROBLEM, 4) == 0


def test_runs_count_with_their_sizes() -> None:
    runs = SelectionProblem(FRAME, Runs([5, 4, 2], [1, 1, 2])).as_public()
    assert expected_error(PermuteAndFlip(1), runs) == pytest.approx(expected_error(PermuteAndFlip(1), PROBLEM))


@pytest.mark.parametrize("base", [Exponential(1), PermuteAndFlip(1)])
def test_top_k_falls_short_place_by_place(base: Exponential | PermuteAndFlip) -> None:
    top = TopK(2, base)
    picks = top.simulate(PROBLEM, np.random.default_rng(0), size=200_000)
    utilities = np.asarray(PROBLEM.utilities)
    simulated = (np.array([5, 4]) - utilities[picks]).mean()
    assert expected_error(top, PROBLEM) == pytest.approx(simulated, abs=0.01)


def test_private_problems_and_negative_errors_are_refused() -> None:
    with pytest.raises(NotPublic):
        expected_error(Exponential(1), SelectionProblem(FRAME, [5, 4, 2, 2]))
    with pytest.raises(ParameterError):
        tail_bound(Exponential(1), PROBLEM, -1)
