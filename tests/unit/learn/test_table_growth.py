"""Growing a decision table: what engines count for it, its plan, and its choices."""

from fractions import Fraction
from itertools import groupby

import numpy as np
import pytest

from dampen import Category
from dampen.entropy import system_entropy
from dampen.learn import Schema
from dampen.learn.decision_table import BinaryTest, cells_of, class_shares, possible_cells
from dampen.learn.records import Records
from dampen.learn.table_growth import PairCounts, draw_size, grow_table, plan, round_to_one_digit
from dampen.learn.training_table import TrainingTable
from dampen.privacy import Adjacency
from dampen.problem import SelectionProblem
from dampen.tables.engines.arrays import ArrayEngine
from dampen.tables.pair_counts import Block, Slots
from dampen.vectors import Integers
from tests.split_tables import Cut, cut_problem
from tests.unit.learn.test_decision_table import SCHEMA, TESTS, records

COLOURS, SEXES = np.array(["red", "green", "blue"]), np.array(["F", "M"])


def scanned(table: Records, classes: Integers) -> TrainingTable:
    """The same records as a table in memory, counted by its engine."""
    age, colour, _, sex, flat = table.columns
    values = {"age": age, "colour": COLOURS[colour], "one": ["same"] * table.rows, "sex": SEXES[sex], "flat": flat}
    engine = ArrayEngine({**values, "y": np.array(SCHEMA.classes)[classes]})
    return TrainingTable.scan(engine, SCHEMA, "y")


def slots_of(tests: tuple[BinaryTest, ...], table: Records) -> tuple[Slots, tuple[Block, ...]]:
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
def test_engines_count_what_the_tests_ask(taken: tuple[BinaryTest, ...]) -> None:
    table = records(200)
    classes = np.random.default_rng(1).integers(0, 2, 200)
    fits = possible_cells(taken)
    cells = (np.cumsum(fits) - 1)[cells_of(taken, table)]
    free = np.array([place for place, test in enumerate(TESTS) if test not in taken])
    cut = Cut(*slots_of(TESTS, table), cells, classes, cells=int(fits.sum()), kinds=2)
    expected = cut_problem(cut, free, adjacency=Adjacency.ADD_REMOVE)
    counter = PairCounts(scanned(table, classes))
    found = counter.problem(taken, free)
    assert np.array_equal(np.asarray(found.utilities), np.asarray(expected.utilities))
    keys = cells_of(taken, table) * 2 + classes
    assert counter.cell_counts(taken).ravel().tolist() == np.bincount(keys, minlength=2 * len(fits)).tolist()


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
    planned = plan(price, records, 2, 343)
    assert len(planned.pairs) == pairs
    assert sum(planned.pairs) + planned.leaves == price
    if pairs:
        assert Fraction(3, 10) <= planned.leaves / price <= Fraction(1, 2)
        assert all(b / a == Fraction(36, 25) for a, b in zip(planned.pairs, planned.pairs[1:], strict=False))


def test_the_leaves_get_what_their_number_asks_for() -> None:
    planned = plan(Fraction(1), 400, 4, 99)
    assert planned.leaves == Fraction(3, 10)
    assert plan(Fraction(1), 100, 4, 99).leaves == Fraction(3 * 4 * 4, 100)
    assert plan(Fraction(1), 40, 4, 99).leaves == Fraction(1, 2)


def test_few_tests_are_all_taken_and_nothing_is_paid_for_choosing() -> None:
    for tests, pairs in ((1, 0), (2, 0), (3, 1), (4, 1)):
        planned = plan(Fraction(1), 100, 2, tests)
        assert (len(planned.pairs), planned.every) == (pairs, pairs == 0)
    assert plan(Fraction(1), 1, 2, 4) == plan(Fraction(1), -7, 2, 4)
    assert not plan(Fraction(1), 1, 2, 1).every


def test_one_digit_is_enough() -> None:
    assert [round_to_one_digit(n) for n in (1, 9, 10, 19, 45_222, 999_999)] == [1, 9, 10, 10, 40_000, 900_000]


def exclusive_or(table: Records) -> np.ndarray:
    """A class of which no single test tells anything."""
    return np.asarray((table.columns[0] < 4) ^ (table.columns[3] == 1), dtype=np.int64)


def test_a_pair_is_found_that_no_single_test_would_lead_to() -> None:
    table = records(3000, seed=4)
    classes = exclusive_or(table)
    model = grow_table(scanned(table, classes), epsilon=Fraction(1, 10), records=3000, source=system_entropy())
    assert set(model.tests) == {BinaryTest(0, edge=4.0), BinaryTest(3, code=1)}
    assert (class_shares(model).argmax(axis=1)[cells_of(model.tests, table)] == classes).all()
    assert model.records == 3000


def test_the_size_is_bought_where_it_is_not_declared() -> None:
    """It is 3500 give or take 500, but for a chance of e^-20: three pairs, and 49/50 of epsilon for the rest."""
    table = records(3500, seed=4)
    scan = scanned(table, exclusive_or(table))
    size, rest = draw_size(scan, Fraction(2), None, system_entropy())
    model = grow_table(scan, epsilon=rest, records=size, source=system_entropy())
    assert 3000 <= model.records < 4000
    assert len(model.tests) == len(set(model.tests)) == 6
    assert model.epsilon == plan(Fraction(98, 50), 3000, 2, len(TESTS)).leaves
    right = class_shares(model).argmax(axis=1)[cells_of(model.tests, table)] == exclusive_or(table)
    assert right.mean() > 0.9


def test_no_records_and_no_tests_make_a_table() -> None:
    bare = Schema({"one": Category(["same"])}, classes=["a", "b", "c"])
    for schema in (bare, SCHEMA):
        engine = ArrayEngine({**{name: [] for name in schema.attributes}, "y": []})
        empty = TrainingTable.scan(engine, schema, "y")
        model = grow_table(empty, epsilon=Fraction(1), records=1000, source=system_entropy())
        assert len(model.counts) == 1 << len(model.tests)
        assert class_shares(model).shape == (len(model.counts), len(schema.classes))


def test_every_choice_sees_the_cells_so_far(monkeypatch: pytest.MonkeyPatch) -> None:
    seen, posed = [], PairCounts.problem

    def spy(counter: PairCounts, taken: tuple[BinaryTest, ...], free: Integers) -> SelectionProblem:
        seen.append((taken, free.tolist()))
        return posed(counter, taken, free)

    monkeypatch.setattr(PairCounts, "problem", spy)
    table = records(27)
    zeros = scanned(table, np.zeros(27, dtype=np.int64))
    model = grow_table(zeros, epsilon=Fraction(2), records=3000, source=system_entropy())
    for place, (taken, free) in enumerate(seen):
        assert taken == model.tests[: 2 * place]
        assert [TESTS[spot] for spot in free] == [test for test in TESTS if test not in taken]
    assert len(seen) == 3
