"""Exact probabilities of the right answer for the classical mechanisms, as tabulated to four digits.

One candidate leads all R - 1 others by j votes. ``01``: the utility is 1 for the leader and 0 for the rest, sensitivity
1, general rate. ``c``: the utility is the count itself, monotone rate. The figures were computed independently, with
one-dimensional quadrature checked against 30-digit arithmetic.
"""

import numpy as np
import pytest

from dampen import Adjacency, Frame, SelectionProblem
from dampen.mechanisms import Exponential, PermuteAndFlip, SelectionMechanism

ROWS = [  # epsilon, R, j, EM01, PF01, EMc, PFc
    ("0.1", 2, 1, 0.5125, 0.5244, 0.5250, 0.5476),
    ("0.1", 10, 20, 0.1046, 0.1051, 0.4509, 0.5663),
    ("0.1", 100, 100, 0.0105, 0.0105, 0.9955, 0.9978),
    ("1", 2, 5, 0.6225, 0.6967, 0.9933, 0.9966),
    ("1", 10, 1, 0.1548, 0.1649, 0.2320, 0.2691),
    ("1", 10, 5, 0.1548, 0.1649, 0.9428, 0.9702),
    ("1", 100, 5, 0.0164, 0.0165, 0.5999, 0.7293),
]


def chance_of_the_leader(mechanism: SelectionMechanism, lead: int, size: int, *, monotone: bool) -> float:
    frame = Frame(range(size), bound=1, adjacency=Adjacency.ADD_REMOVE, monotone=monotone)
    problem = SelectionProblem(frame, [lead, *[0] * (size - 1)])
    return float(np.exp(np.asarray(mechanism.log_probabilities(problem))[0]))


@pytest.mark.parametrize(("epsilon", "size", "lead", "em01", "pf01", "em_counts", "pf_counts"), ROWS)
def test_the_tabulated_chances(
    epsilon: str, size: int, lead: int, em01: float, pf01: float, em_counts: float, pf_counts: float
) -> None:
    exponential, flip = Exponential(epsilon), PermuteAndFlip(epsilon)
    assert chance_of_the_leader(exponential, 1, size, monotone=False) == pytest.approx(em01, abs=5.1e-5)
    assert chance_of_the_leader(flip, 1, size, monotone=False) == pytest.approx(pf01, abs=5.1e-5)
    assert chance_of_the_leader(exponential, lead, size, monotone=True) == pytest.approx(em_counts, abs=5.1e-5)
    assert chance_of_the_leader(flip, lead, size, monotone=True) == pytest.approx(pf_counts, abs=5.1e-5)
