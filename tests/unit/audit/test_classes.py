"""Classification and dominance: the corrected order of selection.md A4, against exact laws on random instances."""

from itertools import pairwise
from random import Random
from typing import Any

import numpy as np
import pytest

from dampen import Adjacency, Frame, SelectionProblem
from dampen.audit import classify, dominates
from dampen.errors import NotPublic, ParameterError
from dampen.mechanisms import Exponential, ShiftedLocalDampening
from dampen.mechanisms.selection.shifted_local_dampening import Direction
from dampen.sensitivity import Constant, RungTable, SensitivityFunction, Step, saturate_at
from tests.conftest import Refused

BOUND = 8
DIRECTIONS: list[Direction] = ["up", "down"]
PAID_FOR_ROUNDING = 1e-3
"""What the lattice and its share of epsilon may move an expected utility by."""


def posed(utilities: list[float], rungs: SensitivityFunction) -> SelectionProblem:
    frame = Frame(range(len(utilities)), rungs.bound, Adjacency.ADD_REMOVE)
    return SelectionProblem(frame, utilities, rungs).as_public()


def expected_utility(problem: SelectionProblem, horizon: int, direction: Direction) -> float:
    mechanism = ShiftedLocalDampening(2, horizon, direction, law=Exponential)
    return float(np.exp(np.asarray(mechanism.log_probabilities(problem))) @ np.asarray(problem.utilities))


def random_rows(random: Random, order: list[int], *, along: bool) -> list[list[float]]:
    """Rows whose rungs rise (or fall) with the place in ``order``, and rise with t."""
    heights = sorted((random.uniform(0, 4) for _ in order), reverse=not along)
    first = [0.0] * len(order)
    for place, r in enumerate(order):
        first[r] = heights[place]
    return [first, [height + 1 for height in first]]


@pytest.mark.parametrize(
    ("rows", "monotone"),
    [
        ([[1, 2, 3], [1, 3, 3]], "non-decreasing"),
        ([[3, 2, 1], [3, 3, 1]], "non-increasing"),
        ([[2, 2, 2], [3, 3, 3]], "flat"),
        ([[1, 2, 1], [3, 3, 3]], None),
        ([[1, 2, 3], [3, 3, 1.5]], None),
    ],
)
def test_the_class_is_read_along_rising_utilities(rows: list[list[float]], monotone: str | None) -> None:
    rows = [list(row) for row in np.maximum.accumulate(rows)] if monotone else rows
    found = classify(posed([1.0, 5.0, 9.0], _as_given(rows)), horizon=1)
    assert found.monotone == monotone
    assert found.flat == (monotone == "flat")


class _AsGiven(SensitivityFunction):
    def __init__(self, rows: list[list[float]]) -> None:
        super().__init__(size=len(rows[0]), bound=BOUND)
        self._rows = np.array(rows, dtype=np.float64)

    def at(self, t: int) -> Any:
        return self._rows[min(t, len(self._rows) - 1)]


def _as_given(rows: list[list[float]]) -> SensitivityFunction:
    return _AsGiven(rows)


def test_equal_utilities_must_have_equal_rungs() -> None:
    assert classify(posed([1.0, 1.0, 2.0], _as_given([[1, 2, 3]])), horizon=0).monotone is None
    assert classify(posed([1.0, 1.0, 2.0], _as_given([[2, 2, 3]])), horizon=0).monotone == "non-decreasing"


def test_every_level_counts_and_not_only_the_next() -> None:
    problem = posed([1.0, 2.0, 3.0, 4.0], _as_given([[3, 4, 2, 5]]))
    assert classify(problem, horizon=0).monotone is None


def test_bounded_and_stable() -> None:
    problem = posed([0.0, 1.0], RungTable([[1, 2]], bound=BOUND))
    assert not classify(problem, horizon=0).bounded
    later = classify(problem, horizon=1)
    assert later.bounded
    assert later.stable
    assert not classify(posed([0.0, 1.0], Step([0, 9], BOUND)), horizon=8).bounded
    assert classify(posed([0.0, 1.0], saturate_at(Step([0, 9], BOUND), 3)), horizon=3).bounded


@pytest.mark.parametrize("seed", range(150))
def test_a_stable_function_rightly_directed_is_never_worse_than_the_exponential_mechanism(seed: int) -> None:
    """Corollary 2 of the paper, in both directions; the wrong direction is never better."""
    random = Random(seed)
    size = random.randint(2, 6)
    utilities = [random.uniform(0, 30) for _ in range(size)]
    order = sorted(range(size), key=lambda r: utilities[r])
    along = random.random() < 0.5
    problem = posed(utilities, RungTable(random_rows(random, order, along=along), bound=BOUND))
    found = classify(problem, horizon=2)
    assert found.stable
    assert found.monotone == ("non-decreasing" if along else "non-increasing")
    plain = float(np.exp(np.asarray(Exponential(2).log_probabilities(problem))) @ np.array(utilities))
    right: Direction = "up" if along else "down"
    wrong: Direction = "down" if along else "up"
    assert expected_utility(problem, 2, right) >= plain - PAID_FOR_ROUNDING
    assert expected_utility(problem, 2, wrong) <= plain + PAID_FOR_ROUNDING
    constant = Constant(BOUND, size=size)
    assert dominates(problem, constant, direction=right, horizon=1)
    assert not dominates(problem, constant, direction=wrong, horizon=1)


@pytest.mark.parametrize("direction", DIRECTIONS)
def test_dominance_implies_a_smaller_expected_error(direction: Direction) -> None:
    """Random pairs of functions; whichever is said to dominate has the larger expected utility by the exact law."""
    random, said = Random(7), 0
    for _ in range(4000):
        size = random.randint(2, 4)
        utilities = [random.uniform(0, 25) for _ in range(size)]
        lower = [[random.choice([0.5, 1.0, 2.0]) for _ in range(size)]]
        lower.append([value + random.choice([0.0, 1.0]) for value in lower[0]])
        upper = [[value + random.choice([0.0, 0.5, 2.0]) for value in row] for row in lower]
        upper = [list(row) for row in np.maximum.accumulate(upper)]
        problem, other = posed(utilities, RungTable(lower, bound=BOUND)), RungTable(upper, bound=BOUND)
        if dominates(problem, other, direction=direction, horizon=1):
            said += 1
            better = expected_utility(problem, 2, direction)
            worse = expected_utility(posed(utilities, other), 2, direction)
            assert better >= worse - PAID_FOR_ROUNDING
    assert said > 200


@pytest.mark.parametrize("direction", DIRECTIONS)
def test_the_order_of_the_excess_decides(direction: Direction) -> None:
    """The published lemma has the order that is right for "down" in both directions."""
    falls, rises = [[3.0, 2.0, 1.0]], [[1.0, 2.0, 3.0]]
    problem = posed([0.0, 1.0, 2.0], _as_given([[1.0, 1.0, 1.0]]))
    for rows, right in ((falls, "up"), (rises, "down")):
        other = _as_given([[1 + a for a in row] for row in rows])
        assert dominates(problem, other, direction=direction, horizon=0) == (direction == right)
    assert dominates(problem, _as_given([[2.0, 2.0, 2.0]]), direction=direction, horizon=0)
    assert not dominates(problem, _as_given([[0.5, 0.5, 0.5]]), direction=direction, horizon=0)


@pytest.mark.parametrize("direction", DIRECTIONS)
def test_flat_functions_dominate_each_other_and_change_nothing(direction: Direction) -> None:
    utilities = [3.0, 1.0, 0.0]
    flat = posed(utilities, RungTable([[1, 1, 1], [2, 2, 2]], bound=BOUND))
    assert dominates(flat, Constant(BOUND, size=3), direction=direction, horizon=3)
    plain = posed(utilities, Constant(BOUND, size=3))
    assert expected_utility(flat, 2, direction) == pytest.approx(expected_utility(plain, 2, direction), abs=1e-9)


def test_an_unmarked_problem_is_not_classified(refused: Refused) -> None:
    frame = Frame(range(2), BOUND, Adjacency.ADD_REMOVE)
    problem = SelectionProblem(frame, [98765432, 0], Constant(BOUND, size=2))
    with refused(NotPublic, "classify", hidden=("98765432",)):
        classify(problem, horizon=1)
    with refused(NotPublic, "dominates", hidden=("98765432",)):
        dominates(problem, Constant(BOUND, size=2), direction="up", horizon=1)


@pytest.mark.parametrize("horizon", [-1, 1.5])
def test_the_horizon_is_a_whole_number(horizon: Any, refused: Refused) -> None:
    with refused(ParameterError, "horizon"):
        classify(posed([1.0], Constant(BOUND, size=1)), horizon=horizon)


def test_the_direction_is_up_or_down(refused: Refused) -> None:
    wrong: Any = "sideways"
    with refused(ParameterError, "direction"):
        dominates(posed([1.0], Constant(BOUND, size=1)), Constant(BOUND, size=1), direction=wrong, horizon=0)


def test_classes_are_ordered_pairs_of_neighbours_in_utility() -> None:
    """Classification agrees with the definition, pair by pair, on random instances."""
    random = Random(3)
    for _ in range(500):
        size = random.randint(1, 5)
        utilities = [float(random.randint(0, 3)) for _ in range(size)]
        rows = [[float(random.randint(0, 2)) for _ in range(size)] for _ in range(2)]
        found = classify(posed(utilities, _as_given(rows)), horizon=1).monotone
        assert found == _by_definition(utilities, rows)


def _by_definition(utilities: list[float], rows: list[list[float]]) -> str | None:
    if all(len(set(row)) == 1 for row in rows):
        return "flat"
    everyone = range(len(utilities))
    ordered = [(r, q) for r in everyone for q in everyone if utilities[r] <= utilities[q]]
    if all(row[r] <= row[q] for row in rows for r, q in ordered):
        return "non-decreasing"
    return "non-increasing" if all(row[r] >= row[q] for row in rows for r, q in ordered) else None


def test_rows_used_here_never_fall() -> None:
    rows = random_rows(Random(1), [2, 0, 1], along=True)
    assert all(low <= high for one, other in pairwise(rows) for low, high in zip(one, other, strict=True))
