"""StableArgmax: the recursion, the closed form, what counts as a winner and how far is far."""

from fractions import Fraction
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from flint import arb, ctx, fmpq
from hypothesis import given
from hypothesis import strategies as st

from dampen import Adjacency, Budget, Frame, Runs, SelectionProblem
from dampen.errors import DataError, ParameterError
from dampen.mechanisms import StableArgmax
from dampen.sensitivity import RungTable, SensitivityFunction, Step
from dampen.vectors import Floats
from tests.conftest import Refused


class Never(SensitivityFunction):
    """No number of people unseats anybody."""

    def __init__(self, size: int) -> None:
        super().__init__(size=size, bound=1)
        self.asked = 0

    def at(self, t: int) -> Floats:
        self.asked = max(self.asked, t)
        return np.full(self.size, 0.5)


def posed(utilities: Any, rungs: SensitivityFunction) -> SelectionProblem:
    total = utilities.total if isinstance(utilities, Runs) else len(utilities)
    return SelectionProblem(Frame(range(total), 1, Adjacency.ADD_REMOVE), utilities, rungs)


def winning(epsilon: str, size: int, distance: int) -> float:
    """Ln P of the others' share, which is accurate where P of the winner is almost 1."""
    law = np.asarray(
        StableArgmax(epsilon).log_probabilities(posed([1] + [0] * (size - 1), Step([distance - 1] * size, 1)))
    )
    return float(law[-1] + np.log(size - 1))


def by_recursion(epsilon: str, size: int, distance: int) -> float:
    """The definition: p_1 = E / (E + R - 1), p_(k+1) = min(E p_k, 1 - (1 - p_k) / E), with 4000 bits."""
    with ctx.workprec(4000):
        exact = Fraction(epsilon)
        base = arb(fmpq(exact.numerator, exact.denominator)).exp()
        p = base / (base + size - 1)
        for _ in range(distance - 1):
            p = (base * p).min(1 - (1 - p) / base)
        return float((1 - p).log())


@given(st.sampled_from(["1/100", "1/3", "1", "4"]), st.integers(2, 300), st.integers(1, 60))
def test_the_closed_form_equals_the_recursion(epsilon: str, size: int, distance: int) -> None:
    assert winning(epsilon, size, distance) == pytest.approx(
        by_recursion(epsilon, size, distance), rel=1e-12, abs=1e-12
    )


@pytest.mark.parametrize(("size", "distance", "chance"), [(10, 6, 0.9932), (100, 6, 0.9373), (2, 2, 0.9011)])
def test_the_tabulated_chances(size: int, distance: int, chance: float) -> None:
    assert 1 - np.exp(winning("1", size, distance)) == pytest.approx(chance, abs=5.1e-5)


def test_neighbouring_distances_and_swapped_winners_cost_at_most_epsilon() -> None:
    for size in (2, 3, 50):
        laws = [
            np.asarray(StableArgmax("1/2").log_probabilities(posed([1] + [0] * (size - 1), Step([t] * size, 1))))
            for t in range(20)
        ]
        for one, other in pairwise(laws):
            assert np.abs(one - other).max() <= 0.5 + 1e-12
        assert laws[0][0] - laws[0][1] == pytest.approx(0.5, abs=1e-12)


def test_without_a_winner_everybody_is_equally_likely() -> None:
    law = np.exp(np.asarray(StableArgmax(1).log_probabilities(posed([0, 0, 0, 0], Step([3] * 4, 1)))))
    assert law == pytest.approx(0.25, abs=1e-15)
    budget = Budget(epsilon=200)
    problem = posed([0, 0, 0], Step([3] * 3, 1))
    assert {StableArgmax(1).release(problem, budget=budget).value for _ in range(200)} == {0, 1, 2}


def test_a_single_candidate_is_certain() -> None:
    for utilities in ([0], [1]):
        problem = posed(utilities, Step([3], 1))
        assert np.asarray(StableArgmax(1).log_probabilities(problem)).tolist() == [0.0]
        assert StableArgmax(1).release(problem, budget=Budget(epsilon=1)).value == 0


def test_the_distance_is_where_anybody_s_rung_reaches_1_and_floors_do_not_count() -> None:
    mechanism = StableArgmax(1)
    rows = [[0, 0.5], [0.25, 1], [1, 1]]
    table = RungTable(rows, bound=1, floor="0.9")
    step = Step([1, 1], 1)
    laws = [np.asarray(mechanism.log_probabilities(posed([1, 0], rungs))) for rungs in (table, step)]
    assert laws[0].tolist() == laws[1].tolist()


def test_distances_are_capped_at_1024_over_epsilon() -> None:
    never = Never(2)
    law = np.asarray(StableArgmax(8).log_probabilities(posed([1, 0], never)))
    assert never.asked == 1024 // 8 - 1
    assert law[1] == pytest.approx(by_recursion("8", 2, 129), rel=1e-12)
    far = np.asarray(StableArgmax(8).log_probabilities(posed([1, 0], Step([10**9] * 2, 1))))
    assert far.tolist() == law.tolist()
    assert StableArgmax(8).release(posed([1, 0], Never(2)), budget=Budget(epsilon=8)).value == 0


@pytest.mark.parametrize(
    "utilities",
    [[1, 1, 0], [987, 0, 0], [0.5, 0.0, 0.0], [-1, 0, 0], Runs([1, 0], [2, 1])],
    ids=["two winners", "another number", "a fraction", "negative", "a run of winners"],
)
def test_other_utilities_are_refused_before_anything_is_spent(
    utilities: Any, untouched: Budget, refused: Refused
) -> None:
    groups = 2 if isinstance(utilities, Runs) else 3
    problem = posed(utilities, Step([1] * groups, 1))
    with refused(DataError, "utilities must be 0", hidden=("987",)):
        StableArgmax(1).release(problem, budget=untouched)
    with refused(DataError, "utilities must be 0", hidden=("987",)):
        StableArgmax(1).log_probabilities(problem)


@pytest.mark.parametrize("bound", [2, "1/2", None])
def test_other_bounds_are_refused(bound: Any, refused: Refused) -> None:
    with refused(ParameterError, "bound 1"):
        StableArgmax(1).privacy(Frame(("a", "b"), bound, Adjacency.ADD_REMOVE))


def test_runs_of_losers_share_what_the_winner_leaves() -> None:
    apart = posed([0, 1, 0, 0], Step([2] * 4, 1))
    together = posed(Runs([0, 1, 0], [1, 1, 2]), Step([2] * 3, 1))
    mechanism = StableArgmax(1)
    assert np.asarray(mechanism.log_probabilities(together)) == pytest.approx(
        np.asarray(mechanism.log_probabilities(apart))
    )
    budget = Budget(epsilon=300)
    assert {mechanism.release(together, budget=budget).value for _ in range(300)} == {0, 1, 2, 3}


def test_whole_and_real_utilities_are_read_alike() -> None:
    whole, real = (posed(kind, Step([2, 2], 1)) for kind in ([1, 0], [1.0, 0.0]))
    laws = [np.asarray(StableArgmax(1).log_probabilities(problem)).tolist() for problem in (whole, real)]
    assert laws[0] == laws[1]


def test_it_prints_its_parameters() -> None:
    assert repr(StableArgmax("1/2")) == "StableArgmax(epsilon=0.5)"
