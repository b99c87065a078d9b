"""Deficits of all candidates at once, against the definition rival by rival in fractions."""

from collections.abc import Callable, Sequence
from fractions import Fraction
from functools import partial
from random import Random
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dampen.errors import DataError
from dampen.sensitivity import Constant, DegreeLike, PairTable, RungTable, SensitivityFunction, Step
from dampen.sensitivity.base import DAMPENED_ERROR, LARGEST_DAMPENED
from dampen.sensitivity.pairs import deficits_by_max, deficits_by_sum
from dampen.vectors import Floats, Vector
from tests.conftest import Refused
from tests.unit.sensitivity.definitions import Listed, Rung, deficits, larger, rung_of, summed

Fast = Callable[[Vector, SensitivityFunction], Floats]
Slow = Callable[[Sequence[Rung]], Callable[[int, int], Rung]]
FORMS: list[tuple[Fast, Slow]] = [(deficits_by_sum, summed), (deficits_by_max, larger)]
each_form = pytest.mark.parametrize(("fast", "slow"), FORMS, ids=["sum", "max"])


def check(u: Vector, function: SensitivityFunction, fast: Fast, slow: Slow) -> None:
    exact = deficits([Fraction(float(value)) for value in u], slow([rung_of(function, r) for r in range(len(u))]))
    found = fast(u, function)
    for value, expected in zip(found.tolist(), exact, strict=True):
        assert abs(Fraction(value) - expected) <= Fraction(DAMPENED_ERROR)


def random_case(random: Random) -> tuple[Vector, SensitivityFunction]:
    """Few values, so that ties, zero gaps and equal rungs are common; the rows are left behind or not."""
    size, length = random.randint(1, 7), random.randint(1, 6)
    spread = random.choice([1, 4, 40, 400])
    u = np.array([random.randint(0, 4) * spread / 8 for _ in range(size)])
    if random.random() < 0.3:
        u = np.array([random.uniform(-spread, spread) for _ in range(size)])
    steps = np.array([[random.choice([0, 0, 1, 2, 9]) for _ in range(size)] for _ in range(length)])
    rows = (np.cumsum(steps, axis=0) / 8).tolist()
    bound, floor = Fraction(50), Fraction(1, random.choice([2, 16]))
    kind = random.randrange(5)
    if kind == 0:
        return u, Listed(rows, bound=None, floor=floor)
    if kind == 1:
        return u, Step([random.randint(0, 8) for _ in range(size)], bound, floor=floor)
    if kind == 2:
        return u, DegreeLike([random.randint(0, 8) for _ in range(size)], [row[0] for row in rows], bound, floor=floor)
    reached = max(Fraction(1), *(Fraction(value) for value in rows[-1]))
    return u, RungTable(rows, bound=bound if kind == 3 else reached, floor=floor)


@each_form
@pytest.mark.parametrize(
    ("seed", "cases"), [(0, 300), *(pytest.param(seed, 500, marks=pytest.mark.long) for seed in range(4))]
)
def test_random_cases_equal_the_definition(fast: Fast, slow: Slow, seed: int, cases: int) -> None:
    random = Random(seed)
    for _ in range(cases):
        check(*random_case(random), fast, slow)


@each_form
@given(
    u=st.lists(st.floats(-50, 50), min_size=1, max_size=6),
    heights=st.lists(st.floats(0, 3), min_size=18, max_size=18),
    bound=st.sampled_from([Fraction(10), None]),
)
def test_any_floats_equal_the_definition(
    fast: Fast, slow: Slow, u: list[float], heights: list[float], bound: Fraction | None
) -> None:
    rows = np.cumsum(np.array(heights).reshape(3, 6)[:, : len(u)], axis=0).tolist()
    check(np.array(u), Listed(rows, bound=bound, floor=Fraction(1, 4)), fast, slow)


@each_form
@pytest.mark.parametrize("offset", [0.0, 1e6, 1e9, -1e12], ids=str)
def test_a_common_offset_of_the_utilities_costs_no_precision(fast: Fast, slow: Slow, offset: float) -> None:
    """Only differences count, and those of nearby floats are exact."""
    u = offset + np.array([0.5, 0.0, 0.25, -1.0])
    check(u, RungTable([[0.001, 0.002, 0.003, 0.004]] * 40, bound="0.1"), fast, slow)


@pytest.mark.long
@each_form
def test_a_deep_plateau_is_within_the_promise(fast: Fast, slow: Slow) -> None:
    """Many rungs that are no dyadic number: the sums must not drift away."""
    rung = max(Fraction(0.3), Fraction("0.3"))
    table = RungTable(np.full((60_000, 3), 0.3), bound=1e9, floor="0.3")
    found = fast(np.array([0.0, -17982.0, -4e9]), table)
    per_step = 2 * rung if slow is summed else rung
    assert abs(Fraction(float(found[1])) - 17982 / per_step) <= Fraction(DAMPENED_ERROR)


@each_form
def test_one_candidate_has_no_rival(fast: Fast, slow: Slow) -> None:
    assert fast(np.array([3.0]), Constant(1, size=1)).tolist() == [-LARGEST_DAMPENED]
    assert slow([lambda t: Fraction(1)]) is not None


@each_form
@pytest.mark.parametrize("u", [[1.7e308, -1.7e308], [1e300, 0.0]], ids=str)
def test_gaps_beyond_the_largest_are_clipped(fast: Fast, slow: Slow, u: list[float]) -> None:
    assert fast(np.array(u), RungTable([[1, 2]], bound=3)).tolist() == [-LARGEST_DAMPENED, LARGEST_DAMPENED]
    assert slow([lambda t: Fraction(1)]) is not None


def test_a_rival_of_lower_utility_and_smaller_rungs_can_be_the_one_that_counts() -> None:
    """Against the leader (gap 10, rungs 5 + 1) it takes 5/3 steps; against the second (gap 9, rungs 1 + 1) 4.5."""
    u, table = np.array([10.0, 9.0, 0.0]), RungTable([[5, 1, 1]] * 20, bound=5)
    assert deficits_by_sum(u, table)[2] == 4.5
    assert deficits_by_max(u, table)[2] == 9.0


def pair_rung(rows: Any, r: int, q: int) -> Rung:
    return lambda t: Fraction(rows[min(t, len(rows) - 1)][r][q])


def test_pair_tables_equal_the_definition() -> None:
    random = Random(5)
    for _ in range(400):
        size, length = random.randint(1, 5), random.randint(1, 5)
        first = np.array([[[random.randint(1, 6) for _ in range(size)] for _ in range(size)] for _ in range(length)])
        rows = np.cumsum(first + first.transpose(0, 2, 1), axis=0) / 4
        u = [random.choice([0.0, 0.0, 1.25, -3.5, 20.0]) for _ in range(size)]

        exact = deficits([Fraction(value) for value in u], partial(pair_rung, rows.tolist()))
        found = PairTable(rows).deficits(np.array(u))
        assert found == pytest.approx([float(value) for value in exact], abs=DAMPENED_ERROR)


def test_a_pair_table_of_sums_equals_the_sum_form() -> None:
    rows = [[1.0, 2.0, 0.5], [1.5, 2.0, 3.0]]
    written_out = [[[a + b for b in row] for a in row] for row in [*rows, [10.0] * 3]]
    u = np.array([3.0, 5.5, -20.0])
    assert PairTable(written_out).deficits(u) == pytest.approx(deficits_by_sum(u, RungTable(rows, bound=10)), rel=1e-14)


def test_the_triangle_is_a_promise_and_not_made_by_default() -> None:
    assert PairTable([[[1]]]).triangle is False
    assert PairTable([[[1]]], triangle=True).triangle is True


@pytest.mark.parametrize(
    "rows",
    [
        [[[1.0, 987.0]]],
        [[1.0, 987.0]],
        [],
        [[[0.0]]],
        [[[-987.0]]],
        [[[float("nan")]]],
        [[[float("inf")]]],
        [[[987.0]], [[986.0]]],
        [[["x987"]]],
        [[[987.0, 1.0], [1.0]]],
    ],
    ids=["not square", "one row", "empty", "zero", "negative", "nan", "infinite", "falling", "text", "ragged"],
)
def test_wrong_pair_tables_are_refused_without_a_value(rows: Any, refused: Refused) -> None:
    with refused(DataError, "pair table", hidden=("987", "986")):
        PairTable(rows)
