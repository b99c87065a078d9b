"""The decision table: its tests, its cells, and what it makes of released counts."""

from fractions import Fraction
from itertools import product

import numpy as np
import pytest

from dampen import Category, Number
from dampen.learn import Schema
from dampen.learn.decision_table import (
    BinaryTest,
    DecisionTable,
    binary_tests,
    cell_answers,
    cells_of,
    class_shares,
    possible_cells,
)
from dampen.learn.records import Records

SCHEMA = Schema(
    {
        "age": Number(0, 10, bins=5, unit=1),
        "colour": Category(["red", "green", "blue"]),
        "one": Category(["same"]),
        "sex": Category(["F", "M"]),
        "flat": Number(0, 1, bins=1),
    },
    classes=["no", "yes"],
)
TESTS = binary_tests(SCHEMA)


def records(rows: int, seed: int = 0) -> Records:
    rng = np.random.default_rng(seed)
    columns = (rng.integers(0, 11, rows).astype(float), rng.integers(0, 3, rows), np.zeros(rows, int))
    return Records((*columns, rng.integers(0, 2, rows), rng.random(rows)), rows)


def test_every_inner_edge_and_every_category_is_a_test_and_two_values_make_one() -> None:
    edges = [BinaryTest(0, edge=edge) for edge in (2.0, 4.0, 6.0, 8.0)]
    assert (*edges, BinaryTest(1, code=0), BinaryTest(1, code=1), BinaryTest(1, code=2), BinaryTest(3, code=1)) == TESTS


@pytest.mark.parametrize(("numeric", "bins"), [(1, 64), (4, 64), (8, 48), (12, 32), (40, 16)])
def test_bins_that_are_not_given_follow_from_the_number_of_numeric_attributes(numeric: int, bins: int) -> None:
    schema = Schema({f"x{place}": Number(0, 1) for place in range(numeric)}, classes=[0, 1])
    assert len(binary_tests(schema)) == numeric * (bins - 1)


def test_possible_cells_are_those_that_some_record_is_in() -> None:
    everyone = [
        Records(tuple(np.array([value]) for value in row), 1)
        for row in product(np.arange(11.0), range(3), [0], range(2), [0.5])
    ]
    for tests in (TESTS[:4], TESTS[2:7], (TESTS[3], TESTS[0], TESTS[7]), (TESTS[5], TESTS[4])):
        seen = {int(cells_of(tests, one)[0]) for one in everyone}
        fits = set(np.flatnonzero(possible_cells(tests)).tolist())
        assert seen <= fits
        assert fits - seen <= {0} | {cell for cell in fits if not cell_answers(len(tests))[cell][-3:].any()}


def table_of(counts: list[list[int]], tests: int, epsilon: int = 1) -> DecisionTable:
    asked = tuple(BinaryTest(place, code=1) for place in range(tests))
    return DecisionTable(asked, tuple(map(tuple, counts)), Fraction(epsilon), 100)


def test_without_tests_the_counts_are_the_shares() -> None:
    assert class_shares(table_of([[30, 10]], 0)).tolist() == [[0.75, 0.25]]
    assert class_shares(table_of([[-3, -1]], 0)).tolist() == [[0.5, 0.5]]


def test_shares_follow_large_counts_and_borrow_for_small_ones() -> None:
    """Class 1 needs the first answer yes. A cell that seems empty is told by the others, not by its own noise."""
    counts = [[900, 10], [900, 10], [900, 10], [900, 10], [10, 900], [10, 900], [10, 900], [1, 0]]
    shares = class_shares(table_of(counts, 3))
    assert np.allclose(shares.sum(axis=1), 1)
    assert shares.argmax(axis=1).tolist() == [0, 0, 0, 0, 1, 1, 1, 1]
    assert (class_shares(table_of(counts, 3)) == shares).all()
    assert abs(shares[0, 0] - 900 / 910) < 0.02


def test_impossible_cells_say_nothing() -> None:
    """Their noise must not move any other cell."""
    tests = (BinaryTest(0, edge=1.0), BinaryTest(0, edge=2.0), BinaryTest(1, code=1))
    plain = [[50, 1], [2, 40], [30, 5], [6, 60], [0, 0], [0, 0], [70, 8], [9, 80]]
    noisy = [*plain[:4], [999, -5], [-7, 999], *plain[6:]]
    first, second = (
        class_shares(DecisionTable(tests, tuple(map(tuple, counts)), Fraction(1), 9)) for counts in (plain, noisy)
    )
    assert (first == second).all()
