"""Rows for t = 0, 1, ..., then the bound."""

from contextlib import suppress
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dampen.errors import DataError, ParameterError
from dampen.sensitivity import RungTable

if TYPE_CHECKING:
    from tests.conftest import Refused


def test_rows_in_order_then_the_bound() -> None:
    table = RungTable([[1, 1, 1], [2, 3, 4]], bound=10)
    assert table.at(0).tolist() == [1, 1, 1]
    assert table.at(1).tolist() == [2, 3, 4]
    assert table.at(2).tolist() == table.at(1000).tolist() == [10, 10, 10]


def test_public_facts() -> None:
    table = RungTable([[1, 1, 1], [2, 3, 4]], bound="21/2")
    assert (table.size, table.horizon, table.bound) == (3, 2, Fraction(21, 2))
    assert table.floor == Fraction(21, 2) / 2**20
    assert RungTable([[1]], bound=1, floor="1/8").floor == Fraction(1, 8)


@st.composite
def rising_rows(draw: st.DrawFn) -> list[list[float]]:
    """Multiples of 1/8 that do not decrease from row to row and stay within 100."""
    width = draw(st.integers(1, 4))
    steps = draw(st.lists(st.lists(st.integers(0, 80), min_size=width, max_size=width), min_size=1, max_size=10))
    rows: list[list[float]] = (np.cumsum(np.array(steps), axis=0) / 8).tolist()
    return rows


@given(rising_rows(), st.integers(0, 30))
def test_the_cumulative_sum_is_the_naive_one(rows: list[list[float]], t: int) -> None:
    table = RungTable(rows, bound=100)
    written_out = rows + [[100.0] * table.size] * 30
    assert table.cumulative(t).tolist() == [sum(row[r] for row in written_out[:t]) for r in range(table.size)]


@given(rising_rows())
def test_every_rung_is_at_most_the_next_and_the_bound(rows: list[list[float]]) -> None:
    table = RungTable(rows, bound=100)
    rungs = np.array([table.at(t) for t in range(len(rows) + 3)])
    assert (np.diff(rungs, axis=0) >= 0).all()
    assert rungs.max() == 100


@pytest.mark.parametrize(
    ("rows", "rule"),
    [
        ([[987.0, 2], [986.0, 2]], "decrease"),
        ([[1, 987.5], [1, 987.25]], "decrease"),
        ([[1, 1000.5]], "exceed the bound"),
        ([[987, 1], [1001, 1]], "exceed the bound"),
        ([[1, float("nan")]], "finite"),
        ([[1, float("inf")]], "finite"),
        ([[-987, 1]], "negative"),
        ([987, 1], "row"),
        ([], "row"),
        ([[]], "row"),
        ([[[987]]], "row"),
        ([[987, 1], [1]], "equally many"),
        ([["x987"]], "numbers"),
        (None, "row"),
    ],
)
def test_wrong_rows_are_refused_without_a_value(rows: Any, rule: str, refused: "Refused") -> None:
    with refused(DataError, "rows", rule, hidden=("987", "986", "1001", "1000.5")):
        RungTable(rows, bound=1000)


def test_a_row_may_reach_the_bound_however_it_is_written() -> None:
    assert RungTable([[0.1]], bound="1/10").at(0).tolist() == [0.1]
    assert RungTable([[2 / 3]], bound="2/3").at(0).tolist() == [2 / 3]


@pytest.mark.parametrize("bound", [0, -1, None, float("inf"), True, "abc"], ids=repr)
def test_its_bound_is_positive(bound: Any, refused: "Refused") -> None:
    with refused(ParameterError, "bound"):
        RungTable([[0]], bound=bound)


@pytest.mark.parametrize("t", [-1, 0.0, True, None])
def test_t_is_a_whole_number(t: Any, refused: "Refused") -> None:
    table = RungTable([[1]], bound=1)
    with refused(ParameterError, "t must be a whole number", repr(t)):
        table.at(t)
    with refused(ParameterError, "t must be a whole number", repr(t)):
        table.cumulative(t)


def test_nobody_rewrites_a_table() -> None:
    rows = np.array([[1.0, 2.0]])
    table = RungTable(rows, bound=10)
    rows[0, 0] = 9
    with suppress(ValueError):
        table.at(0)[0] = 9
    assert table.at(0).tolist() == [1.0, 2.0]


def test_printing_a_table_shows_no_row() -> None:
    assert repr(RungTable([[1.25, 3.75]], bound=10)) == "RungTable(1 rows, size=2, bound=10.0)"


def test_a_ladder_is_the_rows_and_then_the_bound() -> None:
    table = RungTable([[0.5, 1], [2, 2]], bound=3)
    for count in range(5):
        rows = [table.at(t).tolist() for t in range(count)]
        assert table.ladder(count).tolist() == rows
        assert table.ladder(count).shape == (count, 2)
