"""Local dampening: scores, shift, laws; unshifted and flat it gains on the exponential mechanism."""

from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dampen import Adjacency, Frame, Runs, SelectionProblem
from dampen.errors import ParameterError
from dampen.mechanisms import Exponential, LocalDampening, PermuteAndFlip
from dampen.mechanisms.selection.base import ROUNDING_SHARE
from dampen.mechanisms.selection.score import Law
from dampen.sensitivity import Constant, RungTable, SensitivityFunction
from dampen.sensitivity.base import DAMPENED_ERROR
from tests.conftest import Refused
from tests.unit.sensitivity.definitions import Listed, dampened, rung_of

LAWS: list[Law] = [Exponential, PermuteAndFlip]
each_law = pytest.mark.parametrize("law", LAWS, ids=["exponential", "permute-and-flip"])


def posed(utilities: Any, rungs: SensitivityFunction, *, monotone: bool = False) -> SelectionProblem:
    total = utilities.total if isinstance(utilities, Runs) else len(utilities)
    return SelectionProblem(Frame(range(total), rungs.bound, Adjacency.ADD_REMOVE, monotone), utilities, rungs)


@given(
    st.lists(st.floats(-40, 40), min_size=3, max_size=3),
    st.sampled_from(["0", "7", "-2.5", "1/3"]),
    st.sampled_from([Fraction(10), None]),
)
def test_the_score_is_the_dampened_distance_from_the_shift(u: list[float], shift: str, bound: Fraction | None) -> None:
    rungs = Listed([[0, 1, 2], [1, 1, 2.5], [9, 9, 9]], bound=bound, floor=Fraction(1, 4))
    scores = np.asarray(LocalDampening(1, shift=shift).scores(posed(u, rungs)))
    for r, value in enumerate(u):
        exact = dampened(Fraction(value) - Fraction(shift), rung_of(rungs, r))
        assert abs(Fraction(float(scores[r])) - exact) <= Fraction(DAMPENED_ERROR)


@each_law
@pytest.mark.parametrize("monotone", [False, True])
def test_the_law_is_the_classical_one_of_half_epsilon_times_the_score(law: Law, monotone: bool) -> None:
    problem = posed([7.0, 5.0, 0.0, -3.0], RungTable([[1, 2, 2, 2], [2, 3, 3, 3]], bound=10), monotone=monotone)
    mechanism = LocalDampening("1/2", law=law)
    scores = np.asarray(mechanism.scores(problem))
    classical = SelectionProblem(Frame(range(4), 1, Adjacency.ADD_REMOVE), scores)
    expected = np.asarray(law("1/2").log_probabilities(classical))
    assert np.asarray(mechanism.log_probabilities(problem)) == pytest.approx(expected, abs=1e-12)


@each_law
def test_one_public_constant_is_the_classical_law(law: Law) -> None:
    u = [3.0, 1.5, -2.0, 0.25]
    problem = posed(u, Constant(2, size=4))
    assert np.asarray(LocalDampening(1).scores(problem)).tolist() == [value / 2 for value in u]
    expected = np.asarray(law(1).log_probabilities(problem))
    assert np.asarray(LocalDampening(1, law=law).log_probabilities(problem)) == pytest.approx(expected, abs=1e-5)


@given(st.lists(st.floats(0, 30), min_size=2, max_size=6), st.floats(0.5, 4))
def test_unshifted_with_a_flat_function_it_is_never_worse_than_the_exponential_mechanism(
    u: list[float], height: float
) -> None:
    """selection.md A4: every slope of the score is at least one over the bound, so every gap grows."""
    problem = posed(u, RungTable([[height] * len(u)] * 3, bound=4))
    values = np.array(u)
    dampened_mean, plain_mean = (
        float(np.exp(np.asarray(mechanism.log_probabilities(problem))) @ values)
        for mechanism in (LocalDampening(1, law=Exponential), Exponential(1))
    )
    assert dampened_mean >= plain_mean - float(ROUNDING_SHARE) * 100


def test_a_plateau_has_one_answer() -> None:
    """Utilities of 0 have score 0 whatever their rungs: an isolated node does not outrank a useful one."""
    scores = np.asarray(LocalDampening(1).scores(posed([0.0, 2.0, 0.0], RungTable([[0, 1, 1], [0, 1, 1]], bound=5))))
    assert scores[0] == scores[2] == 0
    assert scores[1] == 2


def test_scores_of_runs_are_those_of_their_groups() -> None:
    runs = Runs([7, 5], [2, 3])
    scores = LocalDampening(1).scores(posed(runs, RungTable([[1, 2], [2, 3]], bound=10)))
    assert isinstance(scores, Runs)
    assert scores.values.tolist() == [2.4, 2.0]
    assert scores.sizes.tolist() == [2, 3]


@pytest.mark.parametrize("law", ["Exponential", None, LocalDampening, Exponential(1)], ids=str)
def test_another_law_is_refused(law: Any, refused: Refused) -> None:
    with refused(ParameterError, "law"):
        LocalDampening(1, law=law)


@pytest.mark.parametrize("shift", ["x", None, float("nan"), float("inf")], ids=repr)
def test_a_shift_is_a_finite_number(shift: Any, refused: Refused) -> None:
    with refused(ParameterError, "shift"):
        LocalDampening(1, shift=shift)


def test_it_prints_its_parameters() -> None:
    printed = repr(LocalDampening("1/2", law=Exponential, shift="1/3"))
    assert printed == "LocalDampening(epsilon=0.5, law=Exponential, shift=1/3)"
