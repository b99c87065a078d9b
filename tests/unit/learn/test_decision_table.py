"""The decision table: its tests, its plan, and what it makes of released counts."""

from fractions import Fraction
from itertools import groupby, product

import numpy as np
import pytest

from dampen.entropy import system_entropy
from dampen.learn import Categorical, Numeric, Schema
from dampen.learn.counted import CountedTable, PairCounts
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
)
from dampen.learn.records import Records
from dampen.privacy import Adjacency
from dampen.problem import SelectionProblem
from dampen.tables.engines.arrays import ArrayEngine
from dampen.tables.pair_counts import Block, Slots
from dampen.vectors import Integers
from tests.split_tables import Cut, cut_problem

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


COLOURS, SEXES = np.array(["red", "green", "blue"]), np.array(["F", "M"])


def records(rows: int, seed: int = 0) -> Records:
    rng = np.random.default_rng(seed)
    columns = (rng.integers(0, 11, rows).astype(float), rng.integers(0, 3, rows), np.zeros(rows, int))
    return Records((*columns, rng.integers(0, 2, rows), rng.random(rows)), rows)


def counted(table: Records, classes: Integers) -> PairCounts:
    """The same records as a table in memory, counted by its engine."""
    age, colour, _, sex, flat = table.columns
    values = {"age": age, "colour": COLOURS[colour], "one": ["same"] * table.rows, "sex": SEXES[sex], "flat": flat}
    engine = ArrayEngine({**values, "y": np.array(SCHEMA.classes)[classes]})
    return PairCounts(CountedTable.checked(engine, SCHEMA, "y"))


def test_every_inner_edge_and_every_category_is_a_test_and_two_values_make_one() -> None:
    edges = [Question(0, edge=edge) for edge in (2.0, 4.0, 6.0, 8.0)]
    assert (*edges, Question(1, code=0), Question(1, code=1), Question(1, code=2), Question(3, code=1)) == TESTS


@pytest.mark.parametrize(("numeric", "bins"), [(1, 64), (4, 64), (8, 48), (12, 32), (40, 16)])
def test_bins_that_are_not_given_follow_from_the_number_of_numeric_attributes(numeric: int, bins: int) -> None:
    schema = Schema({f"x{place}": Numeric(0, 1) for place in range(numeric)}, classes=[0, 1])
    assert len(questions_of(schema)) == numeric * (bins - 1)


def slots_of(tests: tuple[Question, ...], table: Records) -> tuple[Slots, tuple[Block, ...]]:
    """Records by the first test of each attribute that they pass, straight from the definition."""
    columns, blocks, start = [], list[Block](), 0
    for attribute, group in groupby(tests, key=lambda test: test.attribute):
        asked = list(group)
        passed = np.array([test.passes(table.columns[attribute]) for test in asked])
        columns.append(np.where(passed.any(axis=0), start + passed.argmax(axis=0), -1).astype(np.int32))
        blocks.append(Block(start, start + len(asked), nested=asked[0].edge is not None))
        start += len(asked)
    return np.column_stack(columns), tuple(blocks)


@pytest.mark.parametrize("taken", [(), TESTS[:1], (TESTS[2], TESTS[5]), (TESTS[1], TESTS[3], TESTS[7])])
def test_engines_count_what_the_tests_ask(taken: tuple[Question, ...]) -> None:
    table = records(200)
    classes = np.random.default_rng(1).integers(0, 2, 200)
    fits = possible(taken)
    cells = (np.cumsum(fits) - 1)[cells_of(taken, table)]
    free = np.array([place for place, test in enumerate(TESTS) if test not in taken])
    cut = Cut(*slots_of(TESTS, table), cells, classes, cells=int(fits.sum()), kinds=2)
    expected = cut_problem(cut, free, adjacency=Adjacency.ADD_REMOVE)
    found = counted(table, classes).problem(taken, free)
    assert np.array_equal(np.asarray(found.utilities), np.asarray(expected.utilities))
    keys = cells_of(taken, table) * 2 + classes
    assert counted(table, classes).cell_counts(taken).tolist() == np.bincount(keys, minlength=2 * len(fits)).tolist()


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
    model = grow(counted(table, classes), SCHEMA, epsilon=Fraction(1, 10), expected=3000, source=system_entropy())
    assert set(model.tests) == {Question(0, edge=4.0), Question(3, code=1)}
    assert (class_shares(model).argmax(axis=1)[cells_of(model.tests, table)] == classes).all()
    assert model.records == 3000


def test_the_size_is_bought_where_it_is_not_declared() -> None:
    """It is 3500 give or take 500, but for a chance of e^-20: three pairs, and 49/50 of epsilon for the rest."""
    table = records(3500, seed=4)
    model = grow(
        counted(table, exclusive_or(table)), SCHEMA, epsilon=Fraction(2), expected=None, source=system_entropy()
    )
    assert 3000 <= model.records < 4000
    assert len(model.tests) == len(set(model.tests)) == 6
    assert model.epsilon == plan(Fraction(98, 50), 3000, 2, len(TESTS)).leaves
    right = class_shares(model).argmax(axis=1)[cells_of(model.tests, table)] == exclusive_or(table)
    assert right.mean() > 0.9


def test_no_records_and_no_tests_make_a_table() -> None:
    bare = Schema({"one": Categorical(["same"])}, classes=["a", "b", "c"])
    for schema in (bare, SCHEMA):
        engine = ArrayEngine({**{name: [] for name in schema.attributes}, "y": []})
        empty = PairCounts(CountedTable.checked(engine, schema, "y"))
        model = grow(empty, schema, epsilon=Fraction(1), expected=1000, source=system_entropy())
        assert len(model.counts) == 1 << len(model.tests)
        assert class_shares(model).shape == (len(model.counts), len(schema.classes))


def test_every_choice_sees_the_cells_so_far(monkeypatch: pytest.MonkeyPatch) -> None:
    seen, posed = [], PairCounts.problem

    def spy(counter: PairCounts, taken: tuple[Question, ...], free: Integers) -> SelectionProblem:
        seen.append((taken, free.tolist()))
        return posed(counter, taken, free)

    monkeypatch.setattr(PairCounts, "problem", spy)
    table = records(27)
    zeros = counted(table, np.zeros(27, dtype=np.int64))
    model = grow(zeros, SCHEMA, epsilon=Fraction(2), expected=3000, source=system_entropy())
    for place, (taken, free) in enumerate(seen):
        assert taken == model.tests[: 2 * place]
        assert [TESTS[spot] for spot in free] == [test for test in TESTS if test not in taken]
    assert len(seen) == 3
