"""Dice, sizes and fragments: formulas against the definitions, over all small groups."""

from fractions import Fraction
from itertools import combinations, product
from math import comb

import numpy as np
import pytest

from dampen.errors import DataError, ParameterError
from dampen.queries.groups import (
    DiceRungs,
    Subsets,
    dice,
    dice_problem,
    fragment_problem,
    fragment_score,
    group_size_problem,
    nth_combination,
)
from dampen.sensitivity.base import SensitivityFunction

Group = frozenset[int]


def groups(people: int) -> list[Group]:
    return [frozenset(chosen) for size in range(people + 1) for chosen in combinations(range(people), size)]


def by_definition(r: Group, group: Group) -> Fraction:
    return Fraction(2 * len(r & group), len(r) + len(group)) if r or group else Fraction(1)


def members_of(group: Group, people: int) -> list[bool]:
    return [person in group for person in range(people)]


@pytest.mark.parametrize("people", range(7))
def test_runs_hold_the_dice_score_of_every_set(people: int) -> None:
    for group in groups(people):
        problem = dice_problem(np.array(members_of(group, people), dtype=bool))
        expanded = np.asarray(problem.utilities)
        assert len(expanded) == 2**people
        assert len(problem.groups) == (len(group) + 1) * (people - len(group) + 1)
        for number, chosen in enumerate(problem.frame.candidates):
            assert expanded[number] == pytest.approx(float(by_definition(frozenset(chosen), group)), abs=1e-15)
            assert dice(len(group & set(chosen)), len(chosen), len(group)) == by_definition(frozenset(chosen), group)


def test_every_set_has_one_number() -> None:
    problem = dice_problem(np.array([True, False, True, True, False, False]))
    sizes = problem.sizes
    assert sizes is not None
    numbers = [problem.index(cell, member) for cell, size in enumerate(sizes.tolist()) for member in range(size)]
    assert sorted(numbers) == list(range(64))


@pytest.mark.parametrize("people", range(1, 7))
def test_one_person_moves_dice_by_up_to_one(people: int) -> None:
    """The right sensitivity: 1 in all, 2 / (|r| + |G|) at most for one set."""
    worst = Fraction(0)
    for group in groups(people):
        for person in range(people):
            for r in groups(people):
                moved = abs(by_definition(r, group) - by_definition(r, group ^ {person}))
                assert moved <= min(Fraction(1), Fraction(2, max(len(r) + len(group), 1)))
                worst = max(worst, moved)
    assert worst == 1


def test_the_published_sensitivities_are_exceeded() -> None:
    """2 / (2 n - 1) and 2 / (2^n - 1), for 20 people."""
    moved = by_definition(frozenset({3}), frozenset({3})) - by_definition(frozenset({3}), frozenset())
    assert moved == 1 > Fraction(2, 39) > Fraction(2, 2**20 - 1)


@pytest.mark.parametrize("level", [Fraction(0), Fraction(1, 3), Fraction(2)])
def test_dampened_dice_is_the_loop_of_its_definition(level: Fraction) -> None:
    totals = np.repeat(np.arange(1, 30), 5)
    u = np.tile(np.array([0.0, 0.2, 0.5, 0.9, 1.0]), 29)
    rungs = DiceRungs(totals)
    assert rungs.inverse(u, level) == pytest.approx(SensitivityFunction.inverse(rungs, u, level), abs=1e-9)


def test_rungs_of_dice_by_number() -> None:
    rungs = DiceRungs(np.array([1, 5]))
    assert [rungs.at(t).tolist() for t in range(5)] == [[1, 0.4], [1, 0.5], [1, 2 / 3], [1, 1], [1, 1]]
    assert rungs.saturation == 3
    assert repr(rungs) == repr(DiceRungs(np.array([1, 2, 3]))) == "DiceRungs()"


@pytest.mark.parametrize("people", [0, 1, 5])
def test_sizes_score_by_their_distance(people: int) -> None:
    for group in groups(people):
        problem = group_size_problem(np.array(members_of(group, people), dtype=bool))
        assert np.asarray(problem.utilities).tolist() == [-abs(len(group) - size) for size in range(people + 1)]


def score_by_definition(person: int, fragment: list[int], group: Group) -> int:
    """The paper's: over all subsets g of the fragment, minus their distance in size if they hold one, else -|g|."""
    inside = len(group & set(fragment))
    total = 0
    for size in range(len(fragment) + 1):
        for g in combinations(fragment, size):
            total += -abs(inside - len(g)) if person in g else -len(g)
    return total


@pytest.mark.parametrize("size", range(1, 9))
def test_the_fragment_score_in_closed_form_is_the_sum_over_the_power_set(size: int) -> None:
    fragment = list(range(size))
    for inside in range(size + 1):
        scores = {score_by_definition(person, fragment, frozenset(range(inside))) for person in fragment}
        assert scores == {fragment_score(size, inside)}


@pytest.mark.parametrize("size", range(1, 20))
def test_one_person_moves_a_fragment_score_by_half_the_power_set(size: int) -> None:
    """2^(h - 1) is reached, and the published h 2^(h - 1) is h times too large."""
    moved = [abs(fragment_score(size, f + 1) - fragment_score(size, f)) for f in range(size)]
    assert max(moved) == 2 ** (size - 1)


def test_more_members_may_lower_the_score_of_a_fragment() -> None:
    """Ten people: best with five or six members, so a majority is pushed away."""
    scores = [fragment_score(10, f) for f in range(11)]
    assert max(scores) == scores[5] == scores[6]
    assert scores[7] > scores[8] > scores[9] > scores[10]


def test_fragments_of_unequal_size_share_one_bound() -> None:
    fragments = np.array([0, 0, 0, 1])
    for members in product([False, True], repeat=4):
        problem = fragment_problem(np.array(members), fragments)
        assert problem.frame.bound == 4
        small = fragment_score(1, int(members[3])) * 4
        large = fragment_score(3, sum(members[:3]))
        assert np.asarray(problem.utilities).tolist() == [large, large, large, small]


def test_combinations_are_numbered_in_order() -> None:
    for people, count in ((0, 0), (4, 0), (4, 4), (6, 3), (9, 2)):
        found = [nth_combination(people, count, number) for number in range(comb(people, count))]
        assert found == [list(chosen) for chosen in combinations(range(people), count)]


def test_subsets_are_never_written_out() -> None:
    many = Subsets(5000)
    assert many.total == 2**5000
    assert many[0] == ()
    assert many[(1 << 4999) + 5] == (0, 2, 4999)
    assert many == Subsets(5000) != Subsets(4999)
    with pytest.raises(IndexError):
        many[1 << 5000]


@pytest.mark.parametrize("members", [[1, 0], [[True]], ["yes"]])
def test_members_are_true_or_false(members: list[object]) -> None:
    with pytest.raises(DataError, match="members must be True or False, one for each person"):
        dice_problem(members)


def test_fragments_end_at_32_people() -> None:
    with pytest.raises(ParameterError, match="at most 32 people; got 33"):
        fragment_problem(np.zeros(33, dtype=bool), np.zeros(33, dtype=np.int64))


@pytest.mark.parametrize("fragments", [[0], [0, -1], [0, 2], [0.5, 1.0], [[0, 1]], []])
def test_fragments_are_numbered_from_0_without_gaps(fragments: list[object]) -> None:
    with pytest.raises(ParameterError, match="fragments must number each person's fragment"):
        fragment_problem([True, False], np.array(fragments))
