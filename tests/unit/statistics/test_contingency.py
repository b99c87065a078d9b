"""Counts of a level of a tree, against counting record by record."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from dampen.statistics.contingency import Layout, count_classes, count_level, descend, write_intervals


@given(st.integers(0, 2**32), st.integers(0, 30), st.integers(1, 3), st.integers(1, 3))
def test_one_pass_counts_what_a_loop_counts(seed: int, rows: int, nodes: int, classes: int) -> None:
    rng = np.random.default_rng(seed)
    sizes = (2, 1, 3)
    codes = rng.integers(sizes, size=(rows, 3)).astype(np.int32)
    labels = rng.integers(classes, size=rows).astype(np.int32)
    places = rng.integers(-1, nodes, size=rows).astype(np.int32)
    layout = Layout(sizes, classes)
    expected = np.zeros((nodes, 6, classes), dtype=np.int64)
    by_class = np.zeros((nodes, classes), dtype=np.int64)
    for row in range(rows):
        if places[row] >= 0:
            by_class[places[row], labels[row]] += 1
            for start, code in zip((0, 2, 3), codes[row], strict=True):
                expected[places[row], start + code, labels[row]] += 1
    for asked in (np.arange(nodes), np.arange(0, nodes, 2), np.arange(1, nodes)):
        assert (count_level(codes, labels, places, layout, asked) == expected[asked]).all()
    assert (count_classes(labels, places, nodes, classes) == by_class).all()
    assert layout.starts.tolist() == [0, 2, 3, 6]


def test_rows_go_down_to_the_child_of_their_outcome() -> None:
    codes = np.array([[0, 2], [1, 0], [1, 1], [0, 0]], dtype=np.int32)
    nodes = np.array([0, 1, 2, -1], dtype=np.int32)
    assert descend(codes, nodes, np.array([1, -1, 0]), np.array([0, 3, 3])).tolist() == [2, -1, 4, -1]


@given(st.lists(st.floats(-2, 2), max_size=6), st.lists(st.floats(-3, 3), max_size=9))
def test_intervals_are_those_of_a_sorted_search(edges: list[float], numbers: list[float]) -> None:
    inner, column = np.unique(np.array(edges, dtype=np.float64)), np.array(numbers + edges, dtype=np.float64)
    codes = np.zeros(len(column), dtype=np.int32)
    write_intervals(column, inner, codes)
    assert codes.tolist() == np.searchsorted(inner, column, side="right").tolist()
