"""A caller's numbers become 64-bit integers or floats; they are never rounded, never guessed."""

from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
import pytest

from dampen.errors import DataError
from dampen.vectors import as_vector

if TYPE_CHECKING:
    from tests.conftest import Refused


class Raising(float):
    def __float__(self) -> float:
        raise RuntimeError("987654")


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        ([3, 1, 0], [3, 1, 0]),
        ((3, -1), [3, -1]),
        ([True, False], [1, 0]),
        (np.array([True, False]), [1, 0]),
        (np.array([1, 2], dtype=np.int8), [1, 2]),
        (np.array([1, 2], dtype=np.uint64), [1, 2]),
        ([2**62 - 1, 1 - 2**62], [2**62 - 1, 1 - 2**62]),
        (pd.Series([4, 5]), [4, 5]),
    ],
)
def test_whole_numbers_stay_whole(values: Any, expected: list[int]) -> None:
    vector = as_vector(values, "utilities")
    assert vector.dtype == np.int64
    assert vector.tolist() == expected


def test_a_mixture_of_whole_numbers_and_floats_is_refused_unless_allowed() -> None:
    with pytest.raises(DataError, match="all whole numbers or all floats"):
        as_vector([1, 2.5], "utilities")
    assert as_vector([1, 2.5], "values", mixed=True).tolist() == [1.0, 2.5]


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        ([1.0, 2.0], [1.0, 2.0]),
        (np.array([0.5], dtype=np.float32), [0.5]),
        ([Fraction(1, 2)], [0.5]),
        (pd.Series([0.5, 1.5]), [0.5, 1.5]),
    ],
)
def test_other_numbers_become_floats(values: Any, expected: list[float]) -> None:
    vector = as_vector(values, "utilities")
    assert vector.dtype == np.float64
    assert vector.tolist() == expected


@pytest.mark.parametrize(
    ("values", "rule"),
    [
        ([1.0, float("nan")], "finite"),
        ([1.0, float("inf")], "finite"),
        ([-float("inf"), 1.0], "finite"),
        ([None, 987654], "utilities"),
        (["987654", "1"], "numbers"),
        ([1j, 987654], "numbers"),
        (np.array(["2020-01-01"], dtype="datetime64[D]"), "numbers"),
        ({987654: 1}, "numbers"),
        ([[1], [1, 987654]], "numbers"),
        ([[1, 987654]], "one-dimensional"),
        (987654, "one-dimensional"),
        (None, "one-dimensional"),
        ([2**62 + 987654], "2**62"),
        ([-(2**62) - 987654], "2**62"),
        ([2**62, -(2**62)], "2**62"),
        (np.array([2**63 + 987654], dtype=np.uint64), "2**62"),
        (np.array(["98", "76"], dtype=object), "numbers"),
        (np.array([{987654}, 1], dtype=object), "numbers"),
        ([Fraction(987654**100, 7), 1.5], "beyond all floats"),
        (np.array([np.longdouble("1e4000"), 987654]), "finite"),
        ([Raising(987654), 1.5], "numbers"),
    ],
)
def test_anything_else_is_refused_without_a_value(values: Any, rule: str, refused: "Refused") -> None:
    with refused(DataError, "utilities", rule, hidden=("987654", "98", "76", "'")):
        as_vector(values, "utilities")


@pytest.mark.parametrize("values", [[2**63, 1], [2**63, -1], [2**64, 1], [-(2**70), 1], [10**400, 1]], ids=str)
def test_whole_numbers_out_of_range_never_turn_into_floats(values: list[int], refused: "Refused") -> None:
    """Their type is public, so one large whole number must not change it for all."""
    with refused(DataError, "utilities"):
        as_vector(values, "utilities")


def test_whole_numbers_in_an_object_array_stay_whole() -> None:
    vector = as_vector(np.array([3, 1], dtype=object), "utilities")
    assert vector.dtype == np.int64
    assert vector.tolist() == [3, 1]


def test_a_vector_cannot_be_written_to() -> None:
    with pytest.raises(ValueError, match="read-only"):
        as_vector([1, 2], "utilities")[0] = 5
