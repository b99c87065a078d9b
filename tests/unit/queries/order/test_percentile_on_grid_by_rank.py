"""Rank errors: their values by counting, and their sensitivities between all neighbours."""

import numpy as np
import pytest

from dampen import Adjacency
from dampen._validate import share_of
from dampen.errors import ParameterError
from dampen.queries import percentile_rank_problem
from dampen.queries.order.percentile_on_grid import rank_sensitivity
from tests.conftest import Refused
from tests.unit.queries.order.judges import BOTH, PERCENTS, nearby, percentile


def rank_errors(x: tuple[int, ...], points: int, p: str, ties: str) -> list[int]:
    """Counted record by record."""
    a, b = share_of(p).numerator, share_of(p).denominator
    errors = []
    for v in range(points):
        lt, le, n = sum(y < v for y in x), sum(y <= v for y in x), len(x)
        plain = abs((b - a) * lt - a * (n - le))
        aware = max(0, (b - a) * lt - a * (n - lt), a * (n - le) - (b - a) * le)
        errors.append(-(aware if ties == "aware" else plain))
    return errors


@pytest.mark.parametrize("ties", ["aware", "plain"])
@pytest.mark.parametrize("p", PERCENTS)
@pytest.mark.parametrize("adjacency", BOTH)
def test_values_and_sensitivity(adjacency: Adjacency, p: str, ties: str) -> None:
    """The utilities are those counted, and the bound is the largest change between neighbours."""
    around = nearby(3, 3, adjacency)
    utilities = {}
    for x in around:
        problem = percentile_rank_problem(list(x), p, grid=range(3), adjacency=adjacency, ties=ties)  # type: ignore[arg-type]
        utilities[x] = np.asarray(problem.utilities)
        assert utilities[x].tolist() == rank_errors(x, 3, p, ties)
        assert problem.frame.bound == rank_sensitivity(share_of(p), adjacency)
        assert problem.integral
        assert not problem.frame.monotone
    largest = max(int(np.abs(utilities[x] - utilities[y]).max()) for x in around for y in around[x])
    assert largest == rank_sensitivity(share_of(p), adjacency)


def test_aware_of_ties_the_percentile_is_among_the_best_and_plain_it_may_not_be() -> None:
    add_remove, missed = Adjacency.ADD_REMOVE, 0
    for x in nearby(4, 4, add_remove):
        if x:
            best = {
                ties: np.asarray(
                    percentile_rank_problem(list(x), 90, grid=range(4), adjacency=add_remove, ties=ties).utilities
                )
                for ties in ("aware", "plain")
            }
            place = percentile(x, share_of(90)) or 0
            assert best["aware"][place] == 0
            missed += bool(best["plain"][place] < best["plain"].max())
    assert missed > 0


def test_refusals(refused: Refused) -> None:
    with refused(ParameterError, "ties must be one of 'aware', 'plain'"):
        percentile_rank_problem([1], 50, grid=range(3), adjacency=Adjacency.REPLACE, ties="split")  # type: ignore[arg-type]
    with refused(ParameterError, "p must have a denominator of at most 2**20"):
        percentile_rank_problem([1], "50.00000001", grid=range(3), adjacency=Adjacency.REPLACE)
    with refused(ParameterError, "p must lie between 0 and 100; got 101"):
        percentile_rank_problem([1], 101, grid=range(3), adjacency=Adjacency.REPLACE)
    with refused(ParameterError, "adjacency must be Adjacency.ADD_REMOVE or Adjacency.REPLACE"):
        percentile_rank_problem([1], 50, grid=range(3), adjacency=Adjacency.EDGE)
