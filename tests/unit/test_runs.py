"""Groups of equal entries written once."""

from itertools import accumulate
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dampen import Runs
from dampen.errors import DataError, ParameterError
from dampen.vectors import LARGEST_EXPANSION, as_summable, cumulative_sizes, nth_member, total_size, whole_sizes

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


# Sizes as arrays

EDGES = [1, 2, 3, 2**31, 2**53, 2**53 + 1, 2**61, 2**62 - 1]
BEYOND = [2**62, 2**63 - 1, 2**63, 2**64 + 1, 3**200]


@pytest.mark.parametrize(
    "make",
    [list, tuple, np.array, lambda sizes: np.array(sizes, dtype=object), iter],
    ids=["list", "tuple", "array", "objects", "iterator"],
)
def test_sizes_that_fit_are_64_bit_integers(make: Any) -> None:
    kept = whole_sizes(make(EDGES))
    assert kept.dtype == np.int64
    assert kept.tolist() == EDGES


@pytest.mark.parametrize("large", BEYOND)
def test_one_larger_size_makes_all_of_them_pythons(large: int) -> None:
    kept = whole_sizes([*EDGES, large])
    assert kept.dtype == object
    assert {type(size) for size in kept} == {int}
    assert kept.tolist() == [*EDGES, large]


def test_unsigned_and_short_arrays_are_sizes_too(refused: "Refused") -> None:
    assert whole_sizes(np.array([1, 2**63], dtype=np.uint64)).tolist() == [1, 2**63]
    assert whole_sizes(np.array([1, 200], dtype=np.uint8)).dtype == np.int64
    for wrong in (np.array([0, 1]), np.array([1.0, 2.0]), np.array([True, True]), [True, 1]):
        with refused(DataError, "sizes"):
            whole_sizes(wrong)


def test_sizes_do_not_follow_the_array_they_came_from() -> None:
    given = np.array([2, 3])
    runs = Runs([5, 6], given)
    given[0] = 9
    assert (runs.sizes.tolist(), runs.total) == ([2, 3], 5)
    with pytest.raises(ValueError, match="read-only"):
        runs.sizes[0] = 9


@given(st.lists(st.sampled_from([*EDGES, *BEYOND]), max_size=20))
def test_sums_are_exact_whatever_the_type(sizes: list[int]) -> None:
    """Twenty sizes below 2**62 do not fit into 64 bits together."""
    for kept in (whole_sizes(sizes), np.array(sizes, dtype=object)):
        assert total_size(kept) == sum(sizes)
        assert cumulative_sizes(kept).tolist() == list(accumulate(sizes))
        assert as_summable(kept).tolist() == sizes


def test_sums_that_fit_stay_64_bit_integers() -> None:
    assert cumulative_sizes(whole_sizes([2**60, 2**60])).dtype == np.int64
    assert cumulative_sizes(whole_sizes([2**61, 2**61])).dtype == object
    assert Runs([1] * 8, [2**61] * 8).total == 2**64


@given(st.lists(st.integers(0, 4), min_size=1, max_size=7).filter(any))
def test_the_nth_member_by_counting(sizes: list[int]) -> None:
    """A size of 0 is a group that is left out."""
    members = [(group, member) for group, size in enumerate(sizes) for member in range(size)]
    for kind in (np.int64, object):
        kept = np.array(sizes, dtype=kind)
        assert [nth_member(kept, place) for place in range(len(members))] == members


@given(st.lists(st.sampled_from([*EDGES, *BEYOND]), min_size=1, max_size=6), st.data())
def test_the_nth_member_among_very_many(sizes: list[int], data: st.DataObject) -> None:
    group = data.draw(st.integers(0, len(sizes) - 1))
    member = data.draw(st.sampled_from(sorted({0, sizes[group] // 2, sizes[group] - 1})))
    place = sum(sizes[:group]) + member
    for kept in (whole_sizes(sizes), np.array(sizes, dtype=object)):
        found = nth_member(kept, place)
        assert found == (group, member)
        assert {type(part) for part in found} == {int}
        assert Runs([0] * len(sizes), kept).unrank(group, member) == place
