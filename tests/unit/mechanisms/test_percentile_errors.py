"""Errors of percentiles: all small data sets, every percentile, both adjacencies, by exact laws."""

from collections.abc import Iterator
from fractions import Fraction
from functools import cache
from itertools import combinations_with_replacement, product
from typing import Any

import numpy as np
import pytest

from dampen import Adjacency
from dampen.mechanisms import Exponential, PermuteAndFlip, ReportNoisyMax
from dampen.mechanisms.selection_errors import Law, PercentileAccuracy, PercentilesAccuracy
from dampen.queries import percentile_value_problem
from dampen.vectors import Floats, Integers

ADD_REMOVE, REPLACE = Adjacency.ADD_REMOVE, Adjacency.REPLACE
PERCENTS = tuple(Fraction(thirds, 3) for thirds in (0, 30, 100, 150, 225, 297, 300))
SIZES = {2: 6, 3: 6, 4: 4}
"""Of grids, and the most records on them."""
CONFIDENCES = (Fraction(1, 2), Fraction(4, 5), Fraction(19, 20))
MECHANISMS: dict[Law, Any] = {
    "permute_and_flip": PermuteAndFlip,
    "exponential": Exponential,
    "laplace": ReportNoisyMax,
}
Table = tuple[int, ...]

both = pytest.mark.parametrize("adjacency", [ADD_REMOVE, REPLACE], ids=str)


def tables(size: int) -> Iterator[Table]:
    for number in range(SIZES[size] + 1):
        yield from combinations_with_replacement(range(size), number)


@cache
def people(x: Table, size: int, p: Fraction, adjacency: Adjacency) -> Integers:
    """For each value how many people must change before it is the percentile: minus the classical utility."""
    problem = percentile_value_problem(list(x), p, grid=range(size), adjacency=adjacency, stable=False)
    return -np.asarray(problem.utilities)


@cache
def law_of(mechanism: Any, x: Table, size: int, p: Fraction, adjacency: Adjacency, stable: bool = True) -> Floats:
    problem = percentile_value_problem(list(x), p, grid=range(size), adjacency=adjacency, stable=stable)
    return np.asarray(np.exp(np.asarray(mechanism.log_probabilities(problem))))


def worst(mechanism: Any, size: int, adjacency: Adjacency, k: float, *, stable: bool = True, least: int = 0) -> float:
    """The largest exact probability, over all data sets of at least so many records, that more than k must change."""
    return max(
        float(law_of(mechanism, x, size, p, adjacency, stable)[people(x, size, p, adjacency) > k].sum())
        for x, p in product(tables(size), PERCENTS)
        if len(x) >= least
    )


def formula(size: int, epsilon: Fraction, k: int) -> float:
    q = Fraction(np.exp(-float(epsilon) * (k + 1) / 2))
    return float(1 - (1 - (1 - q) ** size) / (size * q))


# People


@both
@pytest.mark.parametrize("law", MECHANISMS)
@pytest.mark.parametrize(
    ("size", "epsilon"),
    [
        pytest.param(size, epsilon, marks=[] if size == 2 or epsilon == 2 else [pytest.mark.long])
        for size in SIZES
        for epsilon in (Fraction(1, 2), Fraction(2), Fraction(9))
    ],
    ids=str,
)
def test_no_data_set_misses_more_often_than_said(size: int, epsilon: Fraction, law: Law, adjacency: Adjacency) -> None:
    for confidence in CONFIDENCES:
        bound = PercentileAccuracy(epsilon, size, Fraction(50), adjacency, law).bound(confidence)
        assert worst(MECHANISMS[law](epsilon), size, adjacency, bound) <= 1 - confidence


@both
@pytest.mark.parametrize("size", SIZES)
def test_the_bound_is_the_least_for_the_classical_utility(size: int, adjacency: Adjacency) -> None:
    """One person fewer is too few on some data set; where one person is the bound, on the empty one."""
    tried = 0
    for epsilon, confidence in product((Fraction(1), Fraction(2), Fraction(3), Fraction(9)), CONFIDENCES):
        bound = PercentileAccuracy(epsilon, size, Fraction(50), adjacency).bound(confidence)
        if bound < SIZES[size]:
            tried += 1
            assert worst(PermuteAndFlip(epsilon), size, adjacency, bound, stable=False) <= 1 - confidence
            assert worst(PermuteAndFlip(epsilon), size, adjacency, bound - 1, stable=False) > 1 - confidence
    assert tried >= 6


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("k", [1, 2, 5, 20])
def test_the_formula_is_attained_by_people_at_the_lowest_value(size: int, k: int) -> None:
    """The classical utility: the median of k + 1 of them, one more or less; the minimum of k + 1, one replaced."""
    for epsilon in (Fraction(1, 2), Fraction(2)):
        mechanism, crowd = PermuteAndFlip(epsilon), (0,) * (k + 1)
        for p, adjacency in ((Fraction(50), ADD_REMOVE), (Fraction(0), REPLACE)):
            assert people(crowd, size, p, adjacency).tolist() == [0, *[k + 1] * (size - 1)]
            missed = law_of(mechanism, crowd, size, p, adjacency, False)[1:].sum()
            assert missed == pytest.approx(formula(size, epsilon, k), rel=1e-6)


@both
def test_no_data_set_exceeds_the_formula_but_the_empty_one(adjacency: Adjacency) -> None:
    """Of no records every value is one person away, so none is exact."""
    epsilon = Fraction(2)
    for size, stable, k in product(SIZES, (True, False), (0, 1, 2, 3)):
        missed = worst(PermuteAndFlip(epsilon), size, adjacency, k, stable=stable, least=1)
        assert missed <= formula(size, epsilon, k) * (1 + 1e-9)
    assert worst(PermuteAndFlip(epsilon), 2, adjacency, 0) == pytest.approx(1.0)
    assert people((), 3, Fraction(50), adjacency).tolist() == [1, 1, 1]


@pytest.mark.parametrize("half", [1, 2, 5])
@pytest.mark.parametrize("size", [3, 30])
def test_two_values_come_near_the_formula_by_the_utility_that_is_drawn(half: int, size: int) -> None:
    """Half of them and one at the lowest value, half at the next: one person decides, so the lead is small."""
    epsilon, k, x = Fraction(6), 2 * half, (0,) * (half + 1) + (1,) * half
    assert people(x, size, Fraction(50), ADD_REMOVE).tolist() == [0, 1, *[k + 1] * (size - 2)]
    missed = law_of(PermuteAndFlip(epsilon), x, size, Fraction(50), ADD_REMOVE)[2:].sum()
    near = (size - 2) / (size - 1) * (1 - np.exp(-3) / 2)
    assert formula(size, epsilon, k) * near * 0.99 < missed < formula(size, epsilon, k)


def test_one_person_fewer_is_too_few_for_the_utility_that_is_drawn() -> None:
    epsilon, size = Fraction(6), 2000
    accuracy = PercentileAccuracy(epsilon, size, Fraction(50), ADD_REMOVE)
    assert accuracy.bound() == 3.0
    x = (0, 0, 1)
    short = people(x, size, Fraction(50), ADD_REMOVE) > 2
    assert law_of(PermuteAndFlip(epsilon), x, size, Fraction(50), ADD_REMOVE)[short].sum() > 0.05


# Ranks


def rank_error(x: Table, value: int, p: Fraction) -> Fraction:
    """How far p n / 100 lies outside the ranks of a value: from the records below it to those up to it."""
    below, up_to = sum(each < value for each in x), sum(each <= value for each in x)
    return max(Fraction(0), below - p * len(x) / 100, p * len(x) / 100 - up_to)


@both
@pytest.mark.parametrize("size", SIZES)
def test_people_who_must_change_bound_the_ranks(size: int, adjacency: Adjacency) -> None:
    """And no factor does better: some value is exactly so many ranks off, or as near as one likes."""
    for p in PERCENTS:
        a_person, largest = PercentileAccuracy(Fraction(1), size, p, adjacency), Fraction(0)
        factor = Fraction(a_person.ranks()) / Fraction(a_person.bound())
        for x in tables(size):
            for value, needed in enumerate(people(x, size, p, adjacency).tolist()):
                assert rank_error(x, value, p) <= needed * (
                    Fraction(max(p, 100 - p), 100) if adjacency is ADD_REMOVE else 1
                )
                largest = max(largest, rank_error(x, value, p) / needed) if needed else largest
        assert factor == pytest.approx(float(max(p, 100 - p) / 100 if adjacency is ADD_REMOVE else 1))
        assert largest >= Fraction(3, 5) * Fraction(factor)


def test_ranks_follow_from_people() -> None:
    accuracy = PercentileAccuracy(Fraction(1), 121, Fraction(90), ADD_REMOVE)
    assert (accuracy.bound(), accuracy.ranks()) == (14.0, 12.6)
    assert PercentileAccuracy(Fraction(1), 121, Fraction(90), REPLACE).ranks() == 14.0


# In words


def test_the_statement_is_about_people() -> None:
    median = PercentileAccuracy(Fraction(1), 121, Fraction(50), ADD_REMOVE)
    assert median.unit == "people"
    assert median.statement() == "at most 14 people more or fewer would make this exact, with probability 95 %"
    replaced = PercentileAccuracy(Fraction(1), 121, Fraction(50), REPLACE)
    assert replaced.statement() == "at most 14 people with other values would make this exact, with probability 95 %"
    sure = PercentileAccuracy(Fraction(100), 2, Fraction(50), ADD_REMOVE)
    assert sure.statement("0.9") == "at most 1 person more or fewer would make this exact, with probability 90 %"


@pytest.mark.parametrize("size", [2, 121, 2**62])
def test_more_confidence_a_larger_grid_and_less_epsilon_need_more_people(size: int) -> None:
    def bound(epsilon: Any, confidence: Any, points: int = size) -> float:
        return PercentileAccuracy(Fraction(epsilon), points, Fraction(50), ADD_REMOVE).bound(confidence)

    assert bound(1, "0.5") <= bound(1, "0.95") < bound(1, "0.999999") < bound("1/1000", "0.999999")
    assert bound(1, "0.95") <= bound(1, "0.95", 2 * size)
    assert bound(Fraction(1, 2**400), "0.95") > 2.0**399


# Several


@both
def test_sorted_percentiles_keep_their_ranks_together(adjacency: Adjacency) -> None:
    """The exact joint law of three draws on three values, sorted."""
    ps, size, epsilon = (Fraction(25), Fraction(50), Fraction(75)), 3, Fraction(3)
    mechanism, told = PermuteAndFlip(epsilon), PercentilesAccuracy(epsilon, 3, ps, adjacency)
    for confidence in CONFIDENCES:
        bound = told.bound(confidence)
        for x in tables(size):
            laws = [law_of(mechanism, x, size, p, adjacency) for p in ps]
            missed = 0.0
            for drawn in product(range(size), repeat=3):
                chance = float(np.prod([law[value] for law, value in zip(laws, drawn, strict=True)]))
                off = max(rank_error(x, value, p) for value, p in zip(sorted(drawn), ps, strict=True))
                missed += chance * (off > bound)
            assert missed <= 1 - confidence


def test_several_percentiles_say_so() -> None:
    told = PercentilesAccuracy(Fraction(1), 121, (Fraction(25), Fraction(50), Fraction(75)), ADD_REMOVE)
    alone = PercentileAccuracy(Fraction(1), 121, Fraction(75), ADD_REMOVE)
    assert told.bound("0.7") == alone.ranks("0.9")
    assert told.statement("0.7").startswith("all within ")
    assert told.statement("0.7").endswith(" ranks of their percentiles, with probability 70 %")
