"""The decision table: its tests, its plan, and what it makes of released counts."""

from fractions import Fraction
from itertools import product

import numpy as np
import pytest

from dampen.learn import Categorical, Numeric, Schema, decision_table
from dampen.learn.decision_table import (
    DecisionTable,
    Question,
    cells_of,
    class_shares,
    grow,
    patterns,
    plan,
    possible,
    questions_of,
    rough,
    slots_of,
)
from dampen.learn.records import Records, as_records
from dampen.privacy import Adjacency
from dampen.problem import SelectionProblem
from dampen.queries.table_split import Cut, table_split_problem
from dampen.sampling.entropy import system_entropy
from dampen.vectors import Integers

SCHEMA = Schema(
    {
        "age": Numeric(0, 10, bins=5, whole=True),
        "colour": Categorical(["red", "green", "blue"]),
        "one": Categorical(["same"]),
        "sex": Categorical(["F", "M"]),
        "flat": Numeric(0, 1, bins=1),
    },
    classes=["no", "yes"],
)
TESTS = questions_of(SCHEMA)


def records(rows: int, seed: int = 0) -> Records:
    rng = np.random.default_rng(seed)
    columns = (rng.integers(0, 11, rows).astype(float), rng.integers(-1, 3, rows), np.zeros(rows, int))
    return Records((*columns, rng.integers(0, 2, rows), rng.random(rows)), rows)


def test_every_inner_edge_and_every_category_is_a_test_and_two_values_make_one() -> None:
    edges = [Question(0, edge=edge) for edge in (2.0, 4.0, 6.0, 8.0)]
    assert (*edges, Question(1, code=0), Question(1, code=1), Question(1, code=2), Question(3, code=1)) == TESTS


@pytest.mark.parametrize(("numeric", "bins"), [(1, 64), (4, 64), (8, 48), (12, 32), (40, 16)])
def test_bins_that_are_not_given_follow_from_the_number_of_numeric_attributes(numeric: int, bins: int) -> None:
    schema = Schema({f"x{place}": Numeric(0, 1) for place in range(numeric)}, classes=[0, 1])
    assert len(questions_of(schema)) == numeric * (bins - 1)


def test_slots_answer_all_tests() -> None:
    table = records(200)
    slots, blocks = slots_of(TESTS, table)
    for place, test in enumerate(TESTS):
        [column] = [c for c, block in enumerate(blocks) if block.start <= place < block.end]
        first = slots[:, column]
        inside = (first >= 0) & ((first <= place) if blocks[column].nested else (first == place))
        assert (inside == test.passes(table.columns[test.attribute])).all()


@pytest.mark.parametrize(
    ("epsilon", "records", "pairs"),
    [
        ("0.01", 40_700, 1), ("0.1", 40_700, 3), ("0.5", 40_700, 4), ("1", 40_700, 5), ("2", 40_700, 5),
        ("0.01", 21_574, 1), ("0.1", 21_574, 3), ("0.5", 21_574, 4), ("1", 21_574, 4), ("2", 21_574, 5),
        ("0.0001", 40_700, 0), ("10", 40_700, 6), ("0.0004", 40_000, 1), ("0.0003", 40_000, 0),
    ],
)  # fmt: skip
def test_the_plan_follows_from_public_numbers(epsilon: str, records: int, pairs: int) -> None:
    """The numbers of pairs that the recipe has for Adult and NLTCS."""
    price = Fraction(epsilon)
    settled = plan(price, records, 2, 343)
    assert len(settled.pairs) == pairs
    assert sum(settled.pairs) + settled.leaves == price
    if pairs:
        assert Fraction(3, 10) <= settled.leaves / price <= Fraction(1, 2)
        assert all(b / a == Fraction(36, 25) for a, b in zip(settled.pairs, settled.pairs[1:], strict=False))


def test_the_leaves_get_what_their_number_asks_for() -> None:
    settled = plan(Fraction(1), 400, 4, 99)
    assert settled.leaves == Fraction(3, 10)
    assert plan(Fraction(1), 100, 4, 99).leaves == Fraction(3 * 4 * 4, 100)
    assert plan(Fraction(1), 40, 4, 99).leaves == Fraction(1, 2)


def test_few_tests_are_all_taken_and_nothing_is_paid_for_choosing() -> None:
    for tests, pairs in ((1, 0), (2, 0), (3, 1), (4, 1)):
        settled = plan(Fraction(1), 100, 2, tests)
        assert (len(settled.pairs), settled.every) == (pairs, pairs == 0)
    assert plan(Fraction(1), 1, 2, 4) == plan(Fraction(1), -7, 2, 4)
    assert not plan(Fraction(1), 1, 2, 1).every


def test_one_digit_is_enough() -> None:
    assert [rough(n) for n in (1, 9, 10, 19, 45_222, 999_999)] == [1, 9, 10, 10, 40_000, 900_000]


def test_possible_cells_are_those_that_some_record_is_in() -> None:
    everyone = [
        Records(tuple(np.array([value]) for value in row), 1)
        for row in product(np.arange(11.0), range(3), [0], range(2), [0.5])
    ]
    for tests in (TESTS[:4], TESTS[2:7], (TESTS[3], TESTS[0], TESTS[7]), (TESTS[5], TESTS[4])):
        seen = {int(cells_of(tests, one)[0]) for one in everyone}
        fits = set(np.flatnonzero(possible(tests)).tolist())
        assert seen <= fits
        assert fits - seen <= {0} | {cell for cell in fits if not patterns(len(tests))[cell][-3:].any()}


def table_of(counts: list[list[int]], tests: int, epsilon: int = 1) -> DecisionTable:
    asked = tuple(Question(place, code=1) for place in range(tests))
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
    tests = (Question(0, edge=1.0), Question(0, edge=2.0), Question(1, code=1))
    plain = [[50, 1], [2, 40], [30, 5], [6, 60], [0, 0], [0, 0], [70, 8], [9, 80]]
    noisy = [*plain[:4], [999, -5], [-7, 999], *plain[6:]]
    first, second = (
        class_shares(DecisionTable(tests, tuple(map(tuple, counts)), Fraction(1), 9)) for counts in (plain, noisy)
    )
    assert (first == second).all()


def exclusive_or(table: Records) -> np.ndarray:
    """A class of which no single test tells anything."""
    return np.asarray((table.columns[0] < 4) ^ (table.columns[3] == 1), dtype=np.int64)


def test_a_pair_is_found_that_no_single_test_would_lead_to() -> None:
    table = records(3000, seed=4)
    classes = exclusive_or(table)
    model = grow(table, classes, SCHEMA, epsilon=Fraction(1, 10), expected=3000, source=system_entropy())
    assert set(model.tests) == {Question(0, edge=4.0), Question(3, code=1)}
    assert (class_shares(model).argmax(axis=1)[cells_of(model.tests, table)] == classes).all()
    assert model.records == 3000


def test_the_size_is_bought_where_it_is_not_declared() -> None:
    """It is 3500 give or take 500, but for a chance of e^-20: three pairs, and 49/50 of epsilon for the rest."""
    table = records(3500, seed=4)
    model = grow(table, exclusive_or(table), SCHEMA, epsilon=Fraction(2), expected=None, source=system_entropy())
    assert 3000 <= model.records < 4000
    assert len(model.tests) == len(set(model.tests)) == 6
    assert model.epsilon == plan(Fraction(98, 50), 3000, 2, len(TESTS)).leaves
    right = class_shares(model).argmax(axis=1)[cells_of(model.tests, table)] == exclusive_or(table)
    assert right.mean() > 0.9


def test_no_records_and_no_tests_make_a_table() -> None:
    bare = Schema({"one": Categorical(["same"])}, classes=["a", "b", "c"])
    for schema in (bare, SCHEMA):
        empty = as_records({name: [] for name in schema.attributes}, schema, training=True)
        model = grow(empty, np.zeros(0, np.int64), schema, epsilon=Fraction(1), expected=1000, source=system_entropy())
        assert len(model.counts) == 1 << len(model.tests)
        assert class_shares(model).shape == (len(model.counts), len(schema.classes))


def test_every_choice_sees_the_cells_so_far(monkeypatch: pytest.MonkeyPatch) -> None:
    seen = []

    def spy(cut: Cut, free: Integers, *, adjacency: Adjacency) -> SelectionProblem:
        seen.append(cut)
        return table_split_problem(cut, free, adjacency=adjacency)

    monkeypatch.setattr(decision_table, "table_split_problem", spy)
    rows = {"age": [1, 5, 9] * 9, "colour": ["red", "blue", "green"] * 9, "one": ["same"] * 27, "flat": [0] * 27}
    table = as_records({**rows, "sex": [*"FFM"] * 9}, SCHEMA, training=True)
    model = grow(table, np.zeros(27, np.int64), SCHEMA, epsilon=Fraction(2), expected=3000, source=system_entropy())
    for place, cut in enumerate(seen):
        taken = model.tests[: 2 * place]
        assert cut.cells == possible(taken).sum()
        assert (np.flatnonzero(possible(taken))[cut.cell] == cells_of(taken, table)).all()
    assert len(seen) == 3
