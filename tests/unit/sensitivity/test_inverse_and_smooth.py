"""Dampened scores and smooth sensitivities of every function, against the definitions in fractions."""

from collections.abc import Callable
from fractions import Fraction
from math import exp

import numpy as np
import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st

from dampen.errors import ParameterError
from dampen.sensitivity import Constant, DegreeLike, RungTable, SensitivityFunction, Step
from dampen.sensitivity.base import DAMPENED_ERROR, LARGEST_DAMPENED
from dampen.vectors import Floats
from tests.conftest import Refused
from tests.unit.sensitivity.definitions import Listed, dampened, is_sorted, rung_of

SIZE = 3
BOUND = Fraction(10)
FLOOR = Fraction(1, 8)
FLAT_FROM = 30
"""From here on every rung of every function below is the last one."""

steps_up = st.lists(st.integers(0, 3), min_size=SIZE, max_size=SIZE)
rows_of_eighths = st.lists(steps_up, min_size=1, max_size=8).map(
    lambda steps: [[float(total) / 8 for total in row] for row in np.cumsum(np.array(steps), axis=0)]
)
"""Multiples of 1/8, often 0 or repeated, that do not decrease and stay within 3."""
whole_numbers = st.lists(st.integers(0, 12), min_size=SIZE, max_size=SIZE)
utilities = st.one_of(
    st.floats(-60, 60), st.sampled_from([0.0, -0.0, 1e-300, -1e-12, 1e4, -1e4]), st.integers(-40, 40).map(float)
)
utility_vectors = st.lists(utilities, min_size=SIZE, max_size=SIZE)


@st.composite
def functions(draw: st.DrawFn) -> SensitivityFunction:
    kind = draw(st.sampled_from(["constant", "table", "step", "degree", "listed", "unbounded"]))
    rows, numbers = draw(rows_of_eighths), draw(whole_numbers)
    floor = draw(st.sampled_from([FLOOR, Fraction(1, 1000), BOUND]))
    made: dict[str, Callable[[], SensitivityFunction]] = {
        "constant": lambda: Constant(BOUND, size=SIZE),
        "table": lambda: RungTable(rows, bound=BOUND, floor=floor),
        "step": lambda: Step(numbers, BOUND, floor=floor),
        "degree": lambda: DegreeLike(numbers, [row[0] for row in rows], BOUND, floor=floor),
        "listed": lambda: Listed([*rows, [float(BOUND)] * SIZE], bound=BOUND, floor=floor),
        "unbounded": lambda: Listed([*rows, [1e9] * SIZE], bound=None, floor=floor),
    }
    return made[kind]()


@given(functions(), st.integers(0, 20))
def test_cumulative_is_the_plain_sum(function: SensitivityFunction, t: int) -> None:
    naive = [sum(Fraction(float(function.at(step)[r])) for step in range(t)) for r in range(SIZE)]
    assert function.cumulative(t).tolist() == pytest.approx([float(total) for total in naive], rel=1e-13)


@given(functions(), st.integers(0, 20))
def test_a_rung_is_the_value_or_the_floor(function: SensitivityFunction, t: int) -> None:
    assert function.rung(t).tolist() == [max(value, float(function.floor)) for value in function.at(t).tolist()]


@given(functions(), utility_vectors)
@example(RungTable([[0.0] * SIZE] * 3, bound=BOUND, floor=FLOOR), [0.0, 0.375, -0.375])
@example(Step([0, 1, 5], BOUND), [1.0, -1.0, 1e4])
def test_the_inverse_is_the_dampened_score(function: SensitivityFunction, u: list[float]) -> None:
    scores = function.inverse(np.array(u))
    for r in range(SIZE):
        expected = dampened(Fraction(u[r]), rung_of(function, r), flat_from=FLAT_FROM)
        assert abs(Fraction(float(scores[r])) - expected) <= Fraction(DAMPENED_ERROR)


@given(functions(), st.lists(st.floats(0, 50), min_size=2, max_size=6))
def test_the_inverse_is_odd_and_never_falls(function: SensitivityFunction, sizes: list[float]) -> None:
    ordered = sorted(sizes)
    scores = [function.inverse(np.full(SIZE, u)) for u in ordered]
    for r in range(SIZE):
        assert is_sorted([float(score[r]) for score in scores])
    for u, score in zip(ordered, scores, strict=True):
        assert function.inverse(np.full(SIZE, -u)).tolist() == (-score).tolist()


@given(functions())
def test_the_inverse_is_zero_at_zero(function: SensitivityFunction) -> None:
    assert np.abs(function.inverse(np.zeros(SIZE))).tolist() == [0.0] * SIZE
    assert np.abs(function.inverse(-np.zeros(SIZE))).tolist() == [0.0] * SIZE
    assert np.abs(function.inverse(np.zeros(SIZE, dtype=np.int64))).tolist() == [0.0] * SIZE


@given(functions(), st.integers(0, 12))
def test_at_a_breakpoint_the_score_is_whole(function: SensitivityFunction, t: int) -> None:
    """The sum of the first t rungs of each candidate takes exactly t steps."""
    sums = [float(sum(rung_of(function, r)(step) for step in range(t))) for r in range(SIZE)]
    assert function.inverse(np.array(sums)) == pytest.approx(t, abs=DAMPENED_ERROR)


@given(rows_of_eighths, whole_numbers, utility_vectors, st.integers(0, 15))
def test_closed_forms_equal_the_table_of_their_rows_and_the_generic_loop(
    rows: list[list[float]], numbers: list[int], u: list[float], t: int
) -> None:
    closed: list[SensitivityFunction] = [
        Step(numbers, BOUND, floor=FLOOR),
        DegreeLike(numbers, [row[0] for row in rows], BOUND, floor=FLOOR),
    ]
    for function in closed:
        table = RungTable([function.at(step) for step in range(25)], bound=BOUND, floor=FLOOR)
        assert function.at(t).tolist() == table.at(t).tolist()
        assert function.cumulative(t) == pytest.approx(SensitivityFunction.cumulative(function, t), rel=1e-13)
        generic = SensitivityFunction.inverse(function, np.array(u))
        assert function.inverse(np.array(u)) == pytest.approx(generic, rel=1e-12, abs=2 * DAMPENED_ERROR)
        assert table.inverse(np.array(u)) == pytest.approx(generic, rel=1e-12, abs=2 * DAMPENED_ERROR)
        assert function.smooth("0.3") == pytest.approx(table.smooth("0.3"), rel=1e-14)
        assert function.smooth("0.3") == pytest.approx(SensitivityFunction.smooth(function, "0.3"), rel=1e-14)


@given(functions(), st.sampled_from(["0.05", "0.5", "3"]))
def test_smooth_is_the_largest_discounted_rung(function: SensitivityFunction, beta: str) -> None:
    assume(function.bound is not None)
    smooth = function.smooth(beta)
    for r in range(SIZE):
        discounted = [exp(-float(beta) * t) * float(function.at(t)[r]) for t in range(400)]
        assert smooth[r] == pytest.approx(max(*discounted, float(function.floor)), rel=1e-13)


@given(functions())
def test_smooth_sensitivities_of_one_step_apart_differ_by_exp_beta(function: SensitivityFunction) -> None:
    """With s(t+1) in place of s(t), as the nearest neighbour may have it, the smooth value grows by exp(beta)."""
    assume(function.bound is not None)
    later = Listed([function.at(t + 1).tolist() for t in range(30)], bound=function.bound, floor=function.floor)
    assert (later.smooth("0.5") <= function.smooth("0.5") * exp(0.5) * (1 + 1e-14)).all()


def test_smooth_without_a_bound_is_refused(refused: Refused) -> None:
    with refused(ParameterError, "bound"):
        Listed([[1.0]], bound=None, floor=FLOOR).smooth(1)


@pytest.mark.parametrize("beta", [0, -1, "x", None])
def test_beta_is_positive(beta: str, refused: Refused) -> None:
    functions: list[SensitivityFunction] = [Step([1], 1), RungTable([[1]], bound=1), Constant(1, size=1)]
    for function in functions:
        with refused(ParameterError, "beta"):
            function.smooth(beta)


# Where floats cannot promise enough


def test_huge_utilities_take_the_exact_path_and_stay_within_the_promise(monkeypatch: pytest.MonkeyPatch) -> None:
    taken: list[int] = []
    exactly = SensitivityFunction._exact_inverse

    def counting(function: SensitivityFunction, place: int, gap: Fraction) -> float:
        taken.append(place)
        return exactly(function, place, gap)

    monkeypatch.setattr(SensitivityFunction, "_exact_inverse", counting)
    rows = [[0.1, 0.7, 1.1], [0.3, 0.9, 1.3]]
    table = RungTable(rows, bound="1.7", floor="0.05")
    degrees = DegreeLike([0, 1, 3], [0.1, 0.3], "1.7", floor="0.05")
    u = np.array([1e8 + 0.1, -3e8 - 0.7, 2.0])
    for function in (table, degrees):
        taken.clear()
        scores = function.inverse(u)
        assert taken == [0, 1]
        for r in range(SIZE):
            exact = dampened(Fraction(float(u[r])), rung_of(function, r), flat_from=4)
            assert abs(Fraction(float(scores[r])) - exact) <= Fraction(DAMPENED_ERROR)


@pytest.mark.parametrize(
    "function",
    [
        Constant(1, size=1),
        RungTable([[1]], bound=1),
        Step([0], 1),
        Step([10**9], 1),
        DegreeLike([0], [0.5], 1),
    ],
    ids=repr,
)
@pytest.mark.parametrize("u", [1e12, 1e300, 1.7e308])
def test_scores_are_clipped_to_the_largest(function: SensitivityFunction, u: float) -> None:
    """LARGEST_DAMPENED is promised for every function: mechanisms and their docstrings count on it."""
    assert function.inverse(np.array([u])).tolist() == [LARGEST_DAMPENED]
    assert function.inverse(np.array([-u])).tolist() == [-LARGEST_DAMPENED]


def test_a_candidate_deep_in_a_plateau_is_exact_whatever_comes_after() -> None:
    """Sixty thousand rungs of 0.3 round sixty thousand times; the bound behind them, a giant, must not hide that."""
    table = RungTable(np.full((60_000, 2), 0.3), bound=1e9, floor="0.3")
    u = np.array([17982.0, 2e9])
    expected = Fraction(17982) / max(Fraction(0.3), Fraction("0.3"))
    assert abs(Fraction(float(table.inverse(u)[0])) - expected) <= Fraction(DAMPENED_ERROR)


def test_whole_utilities_are_as_good_as_floats() -> None:
    table = RungTable([[1, 2], [2, 3]], bound=10)
    whole: Floats = table.inverse(np.array([7, -5]))
    assert whole.tolist() == table.inverse(np.array([7.0, -5.0])).tolist() == [2.4, -2.0]
