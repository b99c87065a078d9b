"""Counts of a level of a tree, against counting record by record."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dampen.tables.contingency import (
    ROWS_AT_ONCE,
    Layout,
    as_columns,
    as_slots,
    count_level,
    descend,
    intervals,
    look_up,
)


@given(st.integers(0, 2**32), st.integers(0, 30), st.integers(1, 3), st.integers(1, 3))
def test_one_pass_counts_what_a_loop_counts(seed: int, rows: int, nodes: int, classes: int) -> None:
    rng = np.random.default_rng(seed)
    layout = Layout((2, 1, 3), classes)
    codes = np.ascontiguousarray(rng.integers(layout.sizes, size=(rows, 3)).T.astype(np.int32))
    labels = rng.integers(classes, size=rows).astype(np.int32)
    places = rng.integers(-1, nodes, size=rows).astype(np.int32)
    expected = np.zeros((nodes, 6, classes), dtype=np.int64)
    for row in range(rows):
        if places[row] >= 0:
            for start, code in zip((0, 2, 3), codes[:, row], strict=True):
                expected[places[row], start + code, labels[row]] += 1
    slots = as_slots(codes, layout.starts)
    for asked in (np.arange(nodes), np.arange(0, nodes, 2), np.arange(1, nodes)):
        assert (count_level(slots, labels, places, layout, asked) == expected[asked]).all()
    assert layout.starts.tolist() == [0, 2, 3, 6]


def test_slots_of_many_records() -> None:
    codes = np.arange(3 * (2 * ROWS_AT_ONCE + 5), dtype=np.int32).reshape(3, -1)
    assert (as_slots(codes, np.array([0, 7, 9, 10])) == codes.T + np.array([0, 7, 9])).all()


def test_records_go_down_to_the_child_of_their_outcome() -> None:
    slots = as_slots(np.array([[0, 1, 1, 0], [2, 0, 1, 0]], dtype=np.int32), np.array([0, 2, 5]))
    nodes, attributes = np.array([0, 1, 2, -1], dtype=np.int32), np.array([1, -1, 0])
    assert descend(slots, nodes, attributes, np.array([0 - 2, 3, 3])).tolist() == [2, -1, 4, -1]


@given(st.lists(st.floats(-2, 2), max_size=50), st.lists(st.floats(-3, 3), max_size=9))
def test_intervals_are_those_of_a_sorted_search(edges: list[float], numbers: list[float]) -> None:
    inner, column = np.unique(np.array(edges, dtype=np.float64)), np.array(numbers + edges, dtype=np.float64)
    assert intervals(column, inner).tolist() == np.searchsorted(inner, column, side="right").tolist()


@pytest.mark.parametrize("edges", [np.linspace(-1, 2, 64), [-1e308, 1e308], [1e-320, 2e-320], [0.3]])
def test_intervals_beside_their_edges_and_far_away(edges: Any) -> None:
    inner = np.asarray(edges, dtype=np.float64)
    far = np.array([-np.inf, -1.7e308, -1.0, -0.0, 0.0, 1.7e308, np.inf])
    column = np.concatenate([inner, np.nextafter(inner, -np.inf), np.nextafter(inner, np.inf), far])
    assert intervals(column, inner).tolist() == np.searchsorted(inner, column, side="right").tolist()


def test_numbers_are_looked_up_in_a_table() -> None:
    column = np.array([-1.0, 0.0, 1.0, 2.0, 0.5, 3.0, np.nan, np.inf, -np.inf, 1e300])
    assert look_up(column, 0, np.array([5, 6, 7, -1], dtype=np.int32)).tolist() == [-1, 5, 6, 7, *[-1] * 6]
    assert look_up(column[::2], -1, np.array([4, 3, -1], dtype=np.int32)).tolist() == [4, -1, -1, -1, -1]


def test_columns_of_a_table() -> None:
    table = np.random.default_rng(0).random((2 * ROWS_AT_ONCE + 5, 3))
    assert (as_columns(table) == table.T).all()
    assert (as_columns(table[::2, ::-1]) == table[::2, ::-1].T).all()
    assert as_columns(table[:0]).shape == (3, 0)
