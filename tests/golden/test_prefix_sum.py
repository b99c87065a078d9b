"""The prefix data space of the largest-local-sensitivities paper, judged by walking its chain of prefixes.

Theory: numeric.md, section 4 (the ladder is s_(k + 1 + t)).
"""

import os

import numpy as np
import pytest

from dampen import datasets
from dampen.errors import DataError, ParameterError
from experiments.prefix_sum import PrefixLadder, prefix_sum_problem
from tests.conftest import Refused

VALUES = [0.0, 1.0, 1.0, 2.5, 4.0, 9.0]


def test_the_ladder_is_exact() -> None:
    sums = np.concatenate([[0.0], np.cumsum(VALUES)])
    steps = np.diff(sums)
    rungs = [max(steps[max(k - 1, 0) : k + 1]) for k in range(len(sums))]
    problems = [prefix_sum_problem(VALUES[::-1], k, resolution="0.5") for k in range(len(sums))]
    for t in range(8):
        for k, problem in enumerate(problems):
            assert problem.value == sums[k]
            assert problem.sensitivity.at(t)[0] == rungs[k]
        rungs = [max(rungs[max(k - 1, 0) : k + 2]) for k in range(len(rungs))]


@pytest.mark.parametrize("beta", [0.01, 0.3, 3])
def test_smooth_in_one_pass(beta: float) -> None:
    for k in range(len(VALUES) + 1):
        ladder = PrefixLadder(np.array(VALUES), k)
        rungs = ladder.ladder(20)[:, 0]
        assert ladder.smooth(beta)[0] == pytest.approx((rungs * np.exp(-beta * np.arange(20))).max(), rel=1e-12)


def test_what_is_protected_is_called_a_prefix(refused: Refused) -> None:
    assert prefix_sum_problem(VALUES, 2).frame.unit == "prefix"
    for values in ([], [-1.0, 2.0], [0.0]):
        with refused(DataError, "values"):
            prefix_sum_problem(values, 0)
    with refused(DataError, "k must not exceed"):
        prefix_sum_problem(VALUES, 7)
    with refused(ParameterError, "k must be a whole number"):
        prefix_sum_problem(VALUES, -1)


@pytest.mark.skipif(
    not os.environ.get("DAMPEN_DATA"), reason="DAMPEN_DATA does not name a folder of the real data sets"
)
def test_on_the_salaries_the_smooth_sensitivity_is_the_local_one() -> None:
    """The sorted salaries grow too slowly to matter: at epsilon 1 and delta 1e-6 the first rung is the largest."""
    pay = np.maximum(datasets.load_sf_salaries()["TotalPay"], 0)
    problem = prefix_sum_problem(pay, 50_000, resolution="0.01")
    beta = 1 / (2 * np.log(2e6))
    assert problem.sensitivity.smooth(beta)[0] == problem.sensitivity.at(0)[0]
