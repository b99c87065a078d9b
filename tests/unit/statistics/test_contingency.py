"""Counts of a level of a tree, against counting record by record."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from dampen.statistics.contingency import Layout, count_classes, count_level


@given(st.integers(0, 2**32), st.integers(0, 30), st.integers(1, 3), st.integers(1, 3))
def test_one_pass_counts_what_a_loop_counts(seed: int, rows: int, nodes: int, classes: int) -> None:
    rng = np.random.default_rng(seed)
    sizes = (2, 1, 3)
    codes = [rng.integers(size, size=rows).astype(np.int32) for size in sizes]
    labels = rng.integers(classes, size=rows).astype(np.int32)
    places = rng.integers(-1, nodes, size=rows).astype(np.int32)
    layout = Layout(sizes, classes)
    expected = np.zeros((nodes, 6, classes), dtype=np.int64)
    by_class = np.zeros((nodes, classes), dtype=np.int64)
    for row in range(rows):
        if places[row] >= 0:
            by_class[places[row], labels[row]] += 1
            for start, column in zip((0, 2, 3), codes, strict=True):
                expected[places[row], start + column[row], labels[row]] += 1
    assert (count_level(codes, labels, places, layout, nodes) == expected).all()
    assert (count_classes(labels, places, nodes, classes) == by_class).all()
    assert layout.starts.tolist() == [0, 2, 3, 6]
