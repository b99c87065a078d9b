"""Groups of equal entries written once."""

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dampen import Runs
from dampen.errors import DataError, ParameterError
from dampen.runs import LARGEST_EXPANSION

if TYPE_CHECKING:
    from tests.conftest import Refused


@given(st.lists(st.tuples(st.integers(-9, 9), st.integers(1, 5)), min_size=1, max_size=6))
def test_groups_lie_one_after_the_other_unless_told_otherwise(groups: list[tuple[int, int]]) -> None:
    runs = Runs([value for value, _ in groups], [size for _, size in groups])
    expanded = [value for value, size in groups for _ in range(size)]
    assert np.asarray(runs).tolist() == expanded
    assert len(runs) == runs.total == len(expanded)
    for group, (value, size) in enumerate(groups):
        assert [expanded[runs.unrank(group, member)] for member in range(size)] == [value] * size


def test_unrank_places_the_members_of_a_group_anywhere() -> None:
    runs = Runs([10, 20], [3, 2], unrank=lambda group, member: 2 * member + group)
    assert np.asarray(runs).tolist() == [10, 20, 10, 20, 10]
    assert runs.unrank(1, 1) == 3


def test_expansion_keeps_the_type_or_takes_the_one_asked_for() -> None:
    assert np.asarray(Runs([1, 2], [1, 2])).dtype == np.int64
    assert np.asarray(Runs([1.5, 2.0], [1, 2])).dtype == np.float64
    assert np.asarray(Runs([1, 2], [1, 2]), dtype=np.float32).dtype == np.float32


def test_other_values_in_the_same_groups_keep_their_places() -> None:
    runs = Runs([10, 20], [3, 2], unrank=lambda group, member: 2 * member + group)
    assert np.asarray(runs.with_values(np.array([0.5, 0.25]))).tolist() == [0.5, 0.25, 0.5, 0.25, 0.5]


def test_expansion_is_refused_above_1e8_entries(refused: "Refused") -> None:
    assert LARGEST_EXPANSION == 10**8
    with refused(ParameterError, "100000000", "not written out"):
        np.asarray(Runs([1, 2], [10**8, 1]))


def test_sizes_may_exceed_64_bits(refused: "Refused") -> None:
    runs = Runs([1, 2], [2**70, 2**80])
    assert runs.total == 2**70 + 2**80
    assert runs.unrank(1, 2**79) == 2**70 + 2**79
    with refused(ParameterError, "not written out"):
        np.asarray(runs)


@pytest.mark.parametrize("sizes", [[1], [1, 2, 3], []])
def test_there_is_exactly_one_size_for_each_value(sizes: list[int], refused: "Refused") -> None:
    with refused(ParameterError, "one size for each value"):
        Runs([1, 2], sizes)


@pytest.mark.parametrize("sizes", [[0, 1], [1, -1], [1, 2.5], [1, float("nan")], [1, "2"], [1, None]], ids=str)
def test_a_size_is_a_whole_number_of_at_least_one(sizes: list[Any], refused: "Refused") -> None:
    """A truncated size would silently be another problem."""
    with refused(DataError, "sizes"):
        Runs([1, 2], sizes)


@pytest.mark.parametrize("values", [[1.0, float("nan")], ["a", "b"], [[1, 2]]], ids=str)
def test_values_are_checked_like_utilities(values: Any, refused: "Refused") -> None:
    with refused(DataError, "values of runs"):
        Runs(values, [1, 1])


def test_printing_runs_shows_no_value() -> None:
    assert "98765" not in repr(Runs([98765, 43210], [2, 3]))
    assert "43210" not in repr(Runs([98765, 43210], [2, 3]))
