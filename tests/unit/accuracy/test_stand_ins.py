"""Public values and shapes in place of private ones."""

from fractions import Fraction
from typing import Any

import numpy as np
import pytest

import dampen
from dampen import Budget, Number, StandIn, Table
from dampen.accuracy.stand_ins import ValuesAccuracy, as_stand_ins
from dampen.errors import NotPublic, ParameterError
from dampen.mechanisms.selection_errors import PercentileAccuracy
from dampen.tables.grid import as_grid

GRID = as_grid(range(101))
HALF, TENTH = Fraction(1, 2), Fraction(1, 10)


def span_by_hand(values: list[int], share: Fraction, reach: Fraction) -> int:
    """All grid values of which so many ranks may be missing, and the furthest of them."""
    ordered, n = sorted(values), len(values)
    middle = ordered[min(n - 1, int(share * n))]
    near = [
        value
        for value in range(101)
        if sum(each < value for each in ordered) - reach * n
        <= share * n
        <= sum(each <= value for each in ordered) + reach * n
    ]
    return max(abs(value - middle) for value in near)


@pytest.mark.parametrize("share", [HALF, Fraction(1, 4), Fraction(9, 10), Fraction(0), Fraction(1)])
@pytest.mark.parametrize("reach", [Fraction(0), Fraction(1, 50), TENTH, Fraction(1)])
def test_the_span_of_a_sample_is_at_least_that_of_all_values_within_reach(share: Fraction, reach: Fraction) -> None:
    rng = np.random.default_rng(5)
    for size in (1, 2, 7, 40):
        values = rng.integers(0, 101, size).tolist()
        found = StandIn(values).as_public().span(share, reach, GRID)
        assert found >= span_by_hand(values, share, reach)


def test_the_span_of_a_sample_is_no_larger_than_it_must_be() -> None:
    values = list(range(101))
    assert StandIn(values).as_public().span(HALF, TENTH, GRID) == 10


def test_shapes_lie_evenly_between_what_is_known() -> None:
    assert StandIn.uniform().span(HALF, TENTH, GRID) == 10
    known = StandIn.percentiles({50: 40, 60: 45, 40: 38}).as_public()
    assert known.span(HALF, TENTH, GRID) == 5
    assert known.span(HALF, HALF, GRID) == 60


def test_what_comes_from_data_must_be_marked_public() -> None:
    for made in (StandIn([1, 2, 3]), StandIn.percentiles({50: 2})):
        with pytest.raises(NotPublic, match="as_public"):
            made.span(HALF, TENTH, GRID)
        with pytest.raises(NotPublic, match="as_public"):
            as_stand_ins({"pay": made})
        assert made.as_public().public
        assert not made.public
    assert StandIn.uniform().public


def test_the_rows_of_a_table_are_no_stand_in() -> None:
    staff = Table({"pay": [1]}, columns={"pay": Number(0, 10)}, budget=Budget(epsilon=1))
    with pytest.raises(ParameterError, match="the rows of a table that is asked are private"):
        StandIn(staff)


@pytest.mark.parametrize("known", [{}, {50: 3, 60: 2}, [1, 2], {"a": 1}, {150: 2}])
def test_percentiles_that_are_none_are_refused(known: Any) -> None:
    with pytest.raises(ParameterError):
        StandIn.percentiles(known)


def test_printing_shows_no_value() -> None:
    assert repr(StandIn([4321]).as_public()) == "StandIn(a sample, public)"
    assert "4321" not in repr(StandIn.percentiles({50: 4321}))


def test_an_empty_sample_is_refused() -> None:
    with pytest.raises(ParameterError, match="must have a value"):
        StandIn([]).as_public().span(HALF, TENTH, GRID)


def test_more_people_make_an_error_in_values_smaller() -> None:
    known = PercentileAccuracy(Fraction(1), 101, Fraction(50), dampen.Adjacency.ADD_REMOVE)
    told = ValuesAccuracy(known, (HALF,), GRID, StandIn.uniform())
    bounds = [told.of_size(size).bound() for size in (10, 100, 1000, 10**6)]
    assert bounds == sorted(bounds, reverse=True)
    assert bounds[-1] <= 1
    with pytest.raises(ParameterError, match="size must be given"):
        told.bound()
