"""Ordered top-k: which bases, what price, which law; what a release draws."""

from fractions import Fraction
from itertools import permutations
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dampen import Adjacency, Budget, Frame, Runs, SelectionProblem
from dampen.errors import NotPublic, ParameterError
from dampen.mechanisms import (
    Exponential,
    LocalDampening,
    PairwiseDampening,
    ParetoNoisyMax,
    PermuteAndFlip,
    ReportNoisyMax,
    SmoothExponential,
    StableArgmax,
    TopK,
)
from dampen.mechanisms.selection.base import ExponentMechanism
from dampen.sensitivity import RungTable
from tests.conftest import Refused

BASES: list[ExponentMechanism] = [
    Exponential("1/2"),
    PermuteAndFlip("1/2"),
    ReportNoisyMax("1/2", "gumbel"),
    ReportNoisyMax("1/2", "exponential"),
    LocalDampening("1/2", law=Exponential),
    PairwiseDampening("1/2"),
]
each_base = pytest.mark.parametrize("base", BASES, ids=repr)
FRAME = Frame(("a", "b", "c", "d"), 1, Adjacency.ADD_REMOVE)
PROBLEM = SelectionProblem(FRAME, [3, 1, 0, 2])


def chances(mechanism: TopK, problem: SelectionProblem) -> dict[tuple[Any, ...], float]:
    law = np.exp(np.asarray(mechanism.log_probabilities(problem)))
    return dict(zip(mechanism.outcomes(problem.frame), law.tolist(), strict=True))


@each_base
def test_k_of_1_is_the_base(base: ExponentMechanism) -> None:
    law = np.asarray(TopK(1, base).log_probabilities(PROBLEM))
    assert law == pytest.approx(np.asarray(base.log_probabilities(PROBLEM)), abs=1e-10)


@each_base
@pytest.mark.parametrize("k", [1, 2, 3, 4])
def test_the_price_is_k_times_the_base_s_and_claims_no_range(base: ExponentMechanism, k: int) -> None:
    loss = TopK(k, base).privacy(FRAME)
    assert loss.epsilon == k * Fraction(1, 2)
    assert loss.delta == 0
    assert loss.bounded_range is None
    assert loss.adjacency == FRAME.adjacency


@each_base
@pytest.mark.parametrize("k", [2, 3, 4])
def test_outcomes_are_ordered_tuples_and_the_law_sums_to_one(base: ExponentMechanism, k: int) -> None:
    law = chances(TopK(k, base), PROBLEM)
    assert list(law) == list(permutations("abcd", k))
    assert sum(law.values()) == pytest.approx(1, abs=1e-10)
    assert max(law, key=lambda order: law[order]) == ("a", "d", "b", "c")[:k]


@settings(max_examples=20)
@given(st.lists(st.integers(-8, 8), min_size=3, max_size=4))
def test_exponential_bases_peel(utilities: list[int]) -> None:
    """The chance of an ordered pair is the base's on everybody times the base's on the rest."""
    base = Exponential(1)
    problem = SelectionProblem(Frame(range(len(utilities)), 1, Adjacency.ADD_REMOVE), utilities)
    first = np.exp(np.asarray(base.log_probabilities(problem)))
    for (one, two), chance in chances(TopK(2, base), problem).items():
        rest = [r for r in range(len(utilities)) if r != one]
        smaller = SelectionProblem(Frame(tuple(rest), 1, Adjacency.ADD_REMOVE), [utilities[r] for r in rest])
        second = np.exp(np.asarray(base.log_probabilities(smaller)))[rest.index(two)]
        assert chance == pytest.approx(first[one] * second, rel=1e-10)


@settings(max_examples=20)
@given(st.lists(st.integers(-8, 8), min_size=3, max_size=4), st.sampled_from([PermuteAndFlip(1), Exponential(1)]))
def test_peeled_bases_pick_from_those_left(utilities: list[int], base: ExponentMechanism) -> None:
    problem = SelectionProblem(Frame(range(len(utilities)), 1, Adjacency.ADD_REMOVE), utilities)
    first = np.exp(np.asarray(base.log_probabilities(problem)))
    for (one, two), chance in chances(TopK(2, base, peeled=True), problem).items():
        rest = [r for r in range(len(utilities)) if r != one]
        smaller = SelectionProblem(Frame(tuple(rest), 1, Adjacency.ADD_REMOVE), [utilities[r] for r in rest])
        second = np.exp(np.asarray(base.log_probabilities(smaller)))[rest.index(two)]
        assert chance == pytest.approx(first[one] * second, rel=1e-10)


def test_the_two_forms_of_permute_and_flip_differ_and_those_of_exponential_bases_do_not() -> None:
    """At exponents 0, 1, 2: first and second in 0.6404 of one-shot lists, in 0.6243 of peeled ones."""
    problem = SelectionProblem(Frame(tuple("abc"), 1, Adjacency.ADD_REMOVE, monotone=True), [2, 1, 0])
    forms = [TopK(2, PermuteAndFlip(1)), TopK(2, PermuteAndFlip(1), peeled=True)]
    assert [round(chances(form, problem)["a", "b"], 4) for form in forms] == [0.6404, 0.6243]
    same = [TopK(2, Exponential(1), peeled=peeled).log_probabilities(problem) for peeled in (False, True)]
    assert same[0].tolist() == same[1].tolist()


def test_a_peeled_list_is_the_best_where_epsilon_is_large() -> None:
    mechanism = TopK(4, PermuteAndFlip(10**4), peeled=True)
    assert mechanism.release(PROBLEM, budget=Budget(epsilon=10**5)).value == ("a", "d", "b", "c")
    assert mechanism.simulate(PROBLEM.as_public(), np.random.default_rng(0), 0).shape == (0, 4)
    assert repr(TopK(2, Exponential("1/2"), peeled=True)) == "TopK(k=2, base=Exponential(epsilon=0.5), peeled=True)"


@pytest.mark.parametrize(
    "base",
    [
        ReportNoisyMax(1),
        PairwiseDampening(1, "clipped"),
        PairwiseDampening(1, "clipped", law=Exponential),
        ParetoNoisyMax(1),
        StableArgmax(1),
        SmoothExponential(1, "1e-6"),
        None,
        TopK(1, Exponential(1)),
        "Exponential",
    ],
    ids=repr,
)
def test_bases_without_a_proof_are_refused(base: Any, refused: Refused) -> None:
    with refused(ParameterError, "base"):
        TopK(2, base)


@pytest.mark.parametrize("k", [0, -1, 1.5, True, None], ids=repr)
def test_k_is_a_whole_number_of_at_least_1(k: Any, refused: Refused) -> None:
    with refused(ParameterError, "k must be a whole number", repr(k)):
        TopK(k, Exponential(1))


def test_more_than_all_candidates_are_refused_before_anything_is_spent(untouched: Budget, refused: Refused) -> None:
    with refused(ParameterError, "k must not exceed", "4"):
        TopK(5, Exponential(1)).release(PROBLEM, budget=untouched)


@each_base
def test_runs_are_refused_before_anything_is_spent(
    base: ExponentMechanism, untouched: Budget, refused: Refused
) -> None:
    problem = SelectionProblem(FRAME, Runs([3, 1], [2, 2])).as_public()
    uses: list[Any] = [
        lambda: TopK(2, base).release(problem, budget=untouched),
        lambda: TopK(2, base).log_probabilities(problem),
        lambda: TopK(2, base).simulate(problem, np.random.default_rng(0), 1),
    ]
    for use in uses:
        with refused(ParameterError, "runs"):
            use()


def test_laws_of_more_than_a_million_tuples_are_refused_but_released(refused: Refused) -> None:
    frame = Frame(range(200), 1, Adjacency.ADD_REMOVE)
    problem = SelectionProblem(frame, list(range(200)))
    for base in (Exponential(10**5), PermuteAndFlip(10**5)):
        mechanism = TopK(3, base)
        with refused(ParameterError, "1000000"):
            mechanism.log_probabilities(problem)
        with refused(ParameterError, "1000000"):
            mechanism.outcomes(frame)
        assert mechanism.release(problem, budget=Budget(epsilon=10**6)).value == (199, 198, 197)


@each_base
def test_a_release_is_a_tuple_of_distinct_candidates_and_pays_k_times(base: ExponentMechanism) -> None:
    budget = Budget(epsilon=2)
    for k in (1, 2):
        value = TopK(k, base).release(PROBLEM, budget=budget).value
        assert isinstance(value, tuple)
        assert len(set(value)) == k
        assert set(value) <= set(FRAME.candidates)
    assert budget.spent.epsilon == Fraction(3, 2)


@each_base
def test_all_candidates_may_be_asked_for(base: ExponentMechanism) -> None:
    assert sorted(TopK(4, base).release(PROBLEM, budget=Budget(epsilon=2)).value) == ["a", "b", "c", "d"]


@each_base
def test_simulation_gives_rows_of_indices_that_follow_the_law(base: ExponentMechanism) -> None:
    mechanism, draws = TopK(2, base), 20_000
    with pytest.raises(NotPublic):
        mechanism.simulate(PROBLEM, np.random.default_rng(1), 1)
    picks = mechanism.simulate(PROBLEM.as_public(), np.random.default_rng(1), draws)
    assert picks.shape == (draws, 2)
    for order, chance in chances(mechanism, PROBLEM).items():
        one, two = ("abcd".index(label) for label in order)
        share = float(((picks[:, 0] == one) & (picks[:, 1] == two)).mean())
        assert share == pytest.approx(chance, abs=6 * (chance / draws) ** 0.5)


def test_ties_and_one_group_of_dampened_scores() -> None:
    problem = SelectionProblem(Frame(range(3), 5, Adjacency.ADD_REMOVE), [2, 2, 2], RungTable([[1, 1, 1]], bound=5))
    for base in BASES:
        assert np.exp(np.asarray(TopK(2, base).log_probabilities(problem))) == pytest.approx(1 / 6, abs=1e-11)


def test_it_prints_its_parameters() -> None:
    assert repr(TopK(2, Exponential("1/2"))) == "TopK(k=2, base=Exponential(epsilon=0.5))"
