"""Errors of choices: exact laws on the worst scores, on all small ones and on random ones."""

from fractions import Fraction
from itertools import product
from math import comb, inf, log
from typing import Any

import numpy as np
import pytest

from dampen import Adjacency, Frame, SelectionProblem
from dampen.certified import arithmetic, ball
from dampen.mechanisms import Exponential, LaplaceTopK, PermuteAndFlip, ReportNoisyMax, SelectionMechanism, TopK
from dampen.mechanisms.selection.base import UtilityMechanism
from dampen.mechanisms.selection_errors import (
    PercentileAccuracy,
    SelectionAccuracy,
    flip_miss,
    laplace_miss,
    needed_depth,
    people_accuracy,
    ranks_per_person,
    whole_accuracy,
)
from dampen.privacy import Accuracy, PrivateAccuracy
from tests.every_selection import EVERY

ADD_REMOVE = Adjacency.ADD_REMOVE
CONFIDENCES = (Fraction(1, 2), Fraction(19, 20), Fraction(999, 1000))
SINGLES = (PermuteAndFlip, Exponential, ReportNoisyMax)


def problem_of(utilities: Any, *, bound: Any = 1, monotone: bool = False) -> SelectionProblem:
    frame = Frame(range(len(utilities)), bound=bound, adjacency=ADD_REMOVE, monotone=monotone)
    return SelectionProblem(frame, utilities)


def misses(mechanism: SelectionMechanism, problem: SelectionProblem, bound: float) -> float:
    """The exact probability of an error above the bound."""
    law = np.exp(np.asarray(mechanism.log_probabilities(problem)))
    scores = np.asarray(problem.groups, dtype=np.float64)
    return float(law[scores.max() - scores > bound].sum())


def told(mechanism: SelectionMechanism, problem: SelectionProblem) -> SelectionAccuracy:
    found = mechanism.accuracy(problem.frame)
    assert isinstance(found, SelectionAccuracy)
    return found


# One choice


@pytest.mark.parametrize("kind", SINGLES)
@pytest.mark.parametrize("size", [2, 3, 7])
@pytest.mark.parametrize(("bound", "monotone"), [(1, False), (1, True), ("5/2", False)])
def test_no_scores_miss_more_often_than_said(kind: Any, size: int, bound: Any, monotone: bool) -> None:
    rng = np.random.default_rng(size)
    for epsilon, spread in product(("1/3", 2), (1.0, 5.0, 30.0)):
        scores = rng.exponential(spread, size)
        for utilities in (scores, np.floor(scores).astype(np.int64)):
            problem = problem_of(utilities, bound=bound, monotone=monotone)
            accuracy: Accuracy = told(kind(epsilon), problem)
            if problem.integral:
                accuracy = whole_accuracy(accuracy, "records")
            for confidence in CONFIDENCES:
                assert misses(kind(epsilon), problem, accuracy.bound(confidence)) <= 1 - confidence


@pytest.mark.parametrize(("kind", "attained"), [(PermuteAndFlip, 1.0), (Exponential, 1.0), (ReportNoisyMax, 0.5)])
@pytest.mark.parametrize("size", [2, 3, 50])
def test_one_best_and_all_others_just_beyond_the_bound_is_the_worst(kind: Any, attained: float, size: int) -> None:
    """It attains the chance left, but for Laplace noise, of which only a bound is computed."""
    for epsilon, confidence in product(("1/3", 2), CONFIDENCES[1:]):
        frame = problem_of(np.zeros(size))
        bound = told(kind(epsilon), frame).bound(confidence)
        beyond = problem_of(np.array([0.0, *[-bound * (1 + 1e-9)] * (size - 1)]))
        missed = misses(kind(epsilon), beyond, bound)
        assert attained * (1 - 1e-4) * (1 - confidence) <= missed <= (1 - confidence)
        near = problem_of(np.array([0.0, *[-bound * 0.7] * (size - 1)]))
        assert misses(kind(epsilon), near, bound * 0.7 - 1e-9) > 1 - confidence, "a bound that is 30 % too small"


@pytest.mark.parametrize("kind", SINGLES[:2])
def test_whole_scores_have_the_least_whole_bound(kind: Any) -> None:
    for size, epsilon, confidence in product((2, 3, 20), ("1/2", 3), CONFIDENCES):
        bound = int(whole_accuracy(told(kind(epsilon), problem_of([0] * size)), "records").bound(confidence))
        worst = [misses(kind(epsilon), problem_of([0, *[-gap] * (size - 1)]), gap - 1) for gap in (bound, bound + 1)]
        assert worst[1] <= 1 - confidence
        assert bound == 0 or worst[0] > 1 - confidence


def test_a_unit_of_score_may_be_worth_anything() -> None:
    frame = problem_of([0] * 5).frame
    plain = whole_accuracy(PermuteAndFlip(1).accuracy(frame), "records")
    quarter = whole_accuracy(PermuteAndFlip(1).accuracy(frame), "ranks", Fraction(1, 4))
    assert (quarter.bound(), quarter.unit) == (plain.bound() / 4, "ranks")
    assert plain.statement() == "at most 7 records below the best, with probability 95 %"


def test_a_single_candidate_is_never_missed() -> None:
    assert [kind(1).accuracy(problem_of([0]).frame).bound("0.999") for kind in SINGLES] == [0.0, 0.0, 0.0]


@pytest.mark.parametrize("size", [2, 3, 10, 200])
def test_flips_miss_as_the_number_of_heads_says(size: int) -> None:
    """E[B / (B + 1)] for B heads among the others, each with probability q."""
    for depth in (0.1, 1.0, 4.0):
        q = Fraction(np.exp(-depth))
        heads = range(min(size, 60))
        exact = sum(comb(size - 1, b) * q**b * (1 - q) ** (size - 1 - b) * Fraction(b, b + 1) for b in heads)
        left_out = 0 if size <= 60 else 1 - sum(comb(size - 1, b) * q**b * (1 - q) ** (size - 1 - b) for b in heads)
        assert float(exact) * (1 - 1e-9) <= flip_miss(depth, size) <= float(exact + left_out) * (1 + 1e-9)


@pytest.mark.parametrize("size", [2, 121, 2**40, 2**62, 2**500])
@pytest.mark.parametrize("chance", [Fraction(1, 2), Fraction(1, 20), Fraction(1, 10**12), Fraction(1, 2**500)])
def test_the_depth_is_the_least_for_huge_grids_and_tiny_chances(size: int, chance: Fraction) -> None:
    """The formula itself, with 4000 bits."""

    def exactly(depth: Fraction) -> Any:
        q = (-ball(flint, depth)).exp()
        return 1 - (1 - (size * (-q).log1p()).exp()) / (size * q)

    depth = needed_depth("permute_and_flip", size, chance)
    with arithmetic(4000) as flint:
        allowed = ball(flint, chance)
        assert exactly(depth) <= allowed
        assert depth < Fraction(1, 10**50) or exactly(depth * (1 - Fraction(1, 10**6))) > allowed


def test_chances_that_need_more_depth_than_there_is_have_no_bound() -> None:
    huge = SelectionAccuracy("permute_and_flip", 2**2000, Fraction(1), Fraction(2), step=Fraction(1))
    assert huge.bound() == inf
    assert huge.statement() == "at most any amount below the best, with probability 95 %"
    assert SelectionAccuracy("permute_and_flip", 2**900, Fraction(1), Fraction(2)).bound() < inf
    tiny = Fraction(1, 10**9)
    assert SelectionAccuracy("exponential", 2, tiny, tiny).bound() == inf
    assert SelectionAccuracy("exponential", 2, tiny, tiny, step=Fraction(1)).bound() == pytest.approx(log(19) * 1e9)


def test_exponents_of_real_scores_end_where_the_accuracy_says() -> None:
    """At epsilon = 1e-9 no score, however bad, is told from the best with confidence 95 %."""
    assert misses(Exponential(Fraction(1, 10**9)), problem_of([0.0, -1e300]), 1e299) > 0.05


# Several places


def places_missed(mechanism: SelectionMechanism, problem: SelectionProblem, bound: float) -> float:
    """The exact probability that some place of the list falls short by more than the bound."""
    scores = np.asarray(problem.groups, dtype=np.float64)
    law = np.exp(np.asarray(mechanism.log_probabilities(problem)))
    best = np.sort(scores)[::-1]
    short = [max(best[: len(list_)] - scores[list(list_)]) for list_ in mechanism.outcomes(problem.frame)]
    return float(law[np.array(short) > bound].sum())


LISTS: dict[str, Any] = {
    "in one shot": lambda epsilon, k: TopK(k, PermuteAndFlip(epsilon)),
    "peeled": lambda epsilon, k: TopK(k, PermuteAndFlip(epsilon), peeled=True),
    "exponential": lambda epsilon, k: TopK(k, Exponential(epsilon)),
    "Laplace": lambda epsilon, k: LaplaceTopK(k, epsilon, movers=2),
}


@pytest.mark.parametrize("name", LISTS)
@pytest.mark.parametrize("k", [1, 2, 3])
def test_no_place_of_a_list_falls_short_by_more_than_said(name: str, k: int) -> None:
    rng = np.random.default_rng(k)
    random = [np.sort(rng.integers(0, most, 5))[::-1].tolist() for most in (5, 30, 100)]
    for epsilon in (1, 4):
        mechanism = LISTS[name](epsilon, k)
        found = whole_accuracy(mechanism.accuracy(problem_of([0] * 5).frame), "records")
        for confidence in CONFIDENCES[:2]:
            bound = found.bound(confidence)
            steps = [[0] * k + [-int(bound) - 1] * (5 - k), [9] * (k - 1) + [0] + [-int(bound) - 1] * (5 - k)]
            for utilities in (*steps, *random):
                assert places_missed(mechanism, problem_of(utilities), bound) <= 1 - confidence


@pytest.mark.parametrize("name", LISTS)
def test_the_bound_of_a_list_is_not_idle(name: str) -> None:
    """Half of it is missed too often on the worst scores."""
    mechanism, confidence = LISTS[name](1, 2), Fraction(19, 20)
    half = int(mechanism.accuracy(problem_of([0] * 5).frame).bound(confidence) / 2)
    assert places_missed(mechanism, problem_of([0, 0, *[-half - 1] * 3]), half) > 1 - confidence


def test_a_list_says_that_each_place_is_meant() -> None:
    found = TopK(2, PermuteAndFlip(1)).accuracy(problem_of([0] * 5).frame)
    assert found.statement().endswith("below what should stand in its place, each, with probability 95 %")


def test_laplace_noise_is_bounded_place_by_place() -> None:
    assert laplace_miss(3.0, 5, 1) == pytest.approx(4 * 5 / 4 * np.exp(-3.0))
    assert laplace_miss(3.0, 5, 2) == pytest.approx(np.sqrt(10 * np.exp(-3.0)))


# Every mechanism


@pytest.mark.parametrize("name", EVERY)
def test_only_a_law_of_the_utilities_alone_tells_its_error(name: str) -> None:
    mechanism = EVERY[name](1)
    scored = isinstance(getattr(mechanism, "base", mechanism), UtilityMechanism | LaplaceTopK)
    found = mechanism.accuracy(problem_of([0] * 5).frame)
    assert isinstance(found, SelectionAccuracy if scored else PrivateAccuracy)
    assert whole_accuracy(found, "records") == found or scored


# Percentiles: see tests/unit/mechanisms/test_percentile_errors.py


def test_a_percentile_takes_law_size_and_epsilon_from_its_mechanism() -> None:
    frame = Frame(range(50), bound=1, adjacency=ADD_REMOVE)
    p = Fraction(90)
    assert people_accuracy(PermuteAndFlip(3).accuracy(frame), p, ADD_REMOVE) == PercentileAccuracy(
        Fraction(3), 50, p, ADD_REMOVE
    )
    by_softmax = people_accuracy(Exponential(3).accuracy(frame), p, ADD_REMOVE)
    assert by_softmax == PercentileAccuracy(Fraction(3), 50, p, ADD_REMOVE, "exponential")
    twice = PermuteAndFlip(3).accuracy(Frame(range(50), bound=1, adjacency=ADD_REMOVE, monotone=True))
    assert people_accuracy(twice, p, ADD_REMOVE) is twice
    private = PrivateAccuracy("because")
    assert people_accuracy(private, p, ADD_REMOVE) is private
    assert ranks_per_person(p, ADD_REMOVE) == Fraction(9, 10)
    assert ranks_per_person(p, Adjacency.REPLACE) == 1
