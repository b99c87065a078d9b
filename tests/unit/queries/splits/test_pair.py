"""What a pair of tests is worth: cell by cell in fractions, and how far one record moves it on all small cells."""

from fractions import Fraction
from itertools import combinations, product
from math import floor

import numpy as np
import pytest

from dampen import Adjacency
from dampen.queries.splits.pair import EXACT_IN_DOUBLES, GRID, UNIT, _cost, pair_at
from dampen.tables.pair_counts import Block
from tests.split_tables import Cut, cut_problem

BLOCKS = (Block(0, 1, False), Block(1, 2, False), Block(2, 3, False), Block(3, 4, False))


def impurity(counts: tuple[int, ...]) -> Fraction:
    total = sum(counts)
    return (total - Fraction(sum(count**2 for count in counts), total)) / 2 if total else Fraction(0)


def judged(counts: tuple[int, ...]) -> int:
    """The cost of a cell in grid steps, as it is defined."""
    return 7 * GRID * (sum(counts) - max(counts)) + 3 * floor(GRID * impurity(counts))


def cost(counts: tuple[int, ...]) -> int:
    numbers = max(counts), sum(counts), sum(count**2 for count in counts)
    return int(_cost(*map(np.int64, numbers)))


@pytest.mark.parametrize(("classes", "largest"), [(1, 9), (2, 40), (3, 12), (4, 7)])
def test_one_record_more_costs_between_nothing_and_one_record(classes: int, largest: int) -> None:
    rises = set()
    for counts in product(range(largest), repeat=classes):
        assert cost(counts) == judged(counts)
        for place in range(classes):
            more = tuple(count + (kind == place) for kind, count in enumerate(counts))
            assert 0 <= impurity(more) - impurity(counts) <= 1
            rises.add(cost(more) - cost(counts))
    assert min(rises) == 0
    assert max(rises) <= UNIT
    assert classes == 1 or max(rises) > 0.9 * UNIT


@pytest.mark.parametrize("size", [EXACT_IN_DOUBLES, EXACT_IN_DOUBLES + 1, 2**29])
def test_large_cells_are_rounded_down_exactly(size: int) -> None:
    rng = np.random.default_rng(size)
    for _ in range(300):
        counts = tuple(np.diff(np.sort(np.append(rng.integers(0, size + 1, 2), [0, size]))).tolist())
        assert cost(counts) == judged(counts)


def test_a_pair_costs_what_its_cells_cost() -> None:
    rng = np.random.default_rng(3)
    bits, cells, kinds = rng.integers(0, 2, (60, 4)), rng.integers(0, 3, 60), rng.integers(0, 3, 60)
    slots = np.where(bits == 1, np.arange(4), -1).astype(np.int32)
    for free in ([0, 1, 2, 3], [1, 3], [0, 2, 3]):
        cut = Cut(slots, BLOCKS, cells, kinds, cells=4, kinds=3)
        problem = cut_problem(cut, np.array(free), adjacency=Adjacency.ADD_REMOVE)
        expected = []
        for i, j in combinations(free, 2):
            places = 4 * cells + 2 * bits[:, i] + bits[:, j]
            tables = [tuple(np.bincount(kinds[places == place], minlength=3).tolist()) for place in range(16)]
            expected.append(-sum(map(judged, tables)))
        assert np.asarray(problem.utilities).tolist() == expected


def test_places_name_all_pairs_in_order() -> None:
    for tests in (2, 3, 7):
        assert [pair_at(place, tests) for place in range(tests * (tests - 1) // 2)] == list(
            combinations(range(tests), 2)
        )


def test_the_frame_is_public_and_monotone_only_when_records_come_and_go() -> None:
    cut = Cut(np.full((2, 4), -1, dtype=np.int32), BLOCKS, np.zeros(2, np.int64), np.zeros(2, np.int64), 1, 2)
    for adjacency in (Adjacency.ADD_REMOVE, Adjacency.REPLACE):
        frame = cut_problem(cut, np.arange(4), adjacency=adjacency).frame
        assert frame.bound == UNIT
        assert frame.monotone is (adjacency is Adjacency.ADD_REMOVE)
        assert frame.candidates == range(6)
