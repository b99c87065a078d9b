"""When all whole numbers below 2**62 are as good a grid as known bounds: exact expected errors on 2,000 rows.

The two runs beyond the outermost rows hold 2**62 values each. They take no mass once epsilon n min(p, 1 - p) / 2
exceeds 44, and nearly all of it where that is 10: then the answer lies beyond all rows. See docs/proofs/bounds.md.
"""

from fractions import Fraction
from functools import cache

import numpy as np
import pytest

from dampen import Adjacency
from dampen.accuracy import expected_error
from dampen.mechanisms import PermuteAndFlip
from dampen.queries import percentile_value_problem
from dampen.tables.relative_grid import unbounded_grid

N = 2_000


@cache
def steps(p: int, epsilon: Fraction, bits: int | str) -> float:
    """How many rows the answer lies from the percentile, in the mean."""
    cents = np.round(np.random.default_rng(0).lognormal(15, 1, N)).astype(np.int64)
    grid = unbounded_grid(1, bits)
    problem = percentile_value_problem(cents, p, grid=grid, adjacency=Adjacency.REPLACE).as_public()
    return float(expected_error(PermuteAndFlip(epsilon), problem))


def test_too_few_rows_for_all_whole_numbers_lose_all_that_lie_beyond() -> None:
    assert Fraction(1, 10) * N * Fraction(1, 10) / 2 == 10
    assert steps(90, Fraction(1, 10), "all") == pytest.approx(N / 10, abs=1e-3)


def test_few_leading_bits_need_no_such_condition() -> None:
    assert steps(90, Fraction(1, 10), 7) == pytest.approx(21.96, abs=0.01)


@pytest.mark.parametrize(("p", "epsilon", "error"), [(50, Fraction(1, 10), 22.9), (90, Fraction(1), 2.89)])
def test_enough_rows_lose_no_more_than_with_known_bounds(p: int, epsilon: Fraction, error: float) -> None:
    assert epsilon * N * min(p, 100 - p) / 200 > 44
    assert steps(p, epsilon, "all") == pytest.approx(error, abs=0.05)
