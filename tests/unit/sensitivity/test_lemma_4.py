"""Dampened scores of neighbours are at most 1 apart: brute force over random database graphs, in exact rationals.

The same worlds serve the shifted closed form (at most the bound apart) and pairwise deficits (at most 1 apart).
Sources: selection.md A0-A2 and pairwise.md T1.
"""

from collections.abc import Iterator
from fractions import Fraction

import numpy as np
import pytest

from dampen.sensitivity import RungTable
from dampen.sensitivity.base import DAMPENED_ERROR
from tests.unit.sensitivity.definitions import World, dampened, deficits, larger, random_world, summed

WORLDS = [random_world(seed) for seed in range(600)]
RISING_WORLDS = [random_world(seed, monotone=True) for seed in range(400)]


def changes_of_scores(world: World) -> Iterator[tuple[Fraction, Fraction]]:
    for x, y in world.edges:
        for r, u in enumerate(world.utilities[x]):
            yield dampened(u, world.rung(x, r)), dampened(world.utilities[y][r], world.rung(y, r))


def test_the_worst_change_of_a_dampened_score_is_exactly_1() -> None:
    changes = [abs(one - other) for world in WORLDS for one, other in changes_of_scores(world)]
    assert len(changes) > 4000
    assert max(changes) == 1


def test_the_worlds_hold_the_hard_cases() -> None:
    crossings = plateaus = breakpoints = 0
    for world in WORLDS:
        for one, other in changes_of_scores(world):
            crossings += one * other < 0
            breakpoints += one != 0 and one.denominator == 1
        for x in range(len(world.utilities)):
            plateaus += sum(u == 0 == world.rows[x][0][r] for r, u in enumerate(world.utilities[x]))
    assert min(crossings, plateaus, breakpoints) > 300


def test_the_printed_condition_is_not_enough() -> None:
    """Negative control: s(x, t) = LS(x, 0) does not fall along one database, and lets scores leap."""
    path = [Fraction(0), Fraction(0), Fraction(1, 100), Fraction(1), Fraction(3), Fraction(3)]
    first = [max(abs(u - path[y]) for y in (x - 1, x + 1) if 0 <= y < len(path)) for x, u in enumerate(path)]
    rungs = [max(value, Fraction(1, 1000)) for value in first]

    def frozen(x: int) -> Fraction:
        return dampened(path[x], lambda t: rungs[x])

    assert max(abs(frozen(x) - frozen(x + 1)) for x in range(len(path) - 1)) > 1000


def test_on_random_worlds_too_the_first_rung_alone_is_not_enough() -> None:
    def frozen(world: World, x: int, r: int) -> Fraction:
        return dampened(world.utilities[x][r], lambda t: world.rung(x, r)(0))

    worst = max(
        abs(frozen(world, x, r) - frozen(world, y, r))
        for world in WORLDS
        for x, y in world.edges
        for r in range(len(world.utilities[x]))
    )
    assert worst > 5


def test_the_library_computes_these_scores() -> None:
    for world in WORLDS[:200]:
        for x, utilities in enumerate(world.utilities):
            table = RungTable(world.rows[x], bound=world.bound, floor=world.floor)
            scores = table.inverse(np.array([float(u) for u in utilities]))
            for r, u in enumerate(utilities):
                exact = dampened(u, world.rung(x, r))
                assert abs(Fraction(float(scores[r])) - exact) <= Fraction(DAMPENED_ERROR)


# The shifted closed form


def shifted(world: World, x: int, r: int, horizon: int, sign: int) -> Fraction:
    """The utility plus (up) or minus (down) how far the rungs before the horizon stay below the bound."""
    rows = [world.rows[x][t][r] if t < len(world.rows[x]) else world.bound for t in range(horizon)]
    return world.utilities[x][r] + sign * sum((row - world.bound for row in rows), start=Fraction(0))


@pytest.mark.parametrize("sign", [1, -1])
@pytest.mark.parametrize("horizon", [0, 1, 3, 7])
def test_shifted_scores_move_by_at_most_the_bound(sign: int, horizon: int) -> None:
    worst = max(
        abs(shifted(world, x, r, horizon, sign) - shifted(world, y, r, horizon, sign)) / world.bound
        for world in WORLDS
        for x, y in world.edges
        for r in range(len(world.utilities[x]))
    )
    assert worst == 1


# Pairs


def worst_change_of_deficits(worlds: list[World], *, by_sum: bool) -> Fraction:
    worst = Fraction(0)
    for world in worlds:
        pair = [summed(world.rungs(x)) if by_sum else larger(world.rungs(x)) for x in range(len(world.utilities))]
        scores = [deficits(utilities, pair[x]) for x, utilities in enumerate(world.utilities)]
        for x, y in world.edges:
            worst = max(worst, *(abs(one - other) for one, other in zip(scores[x], scores[y], strict=True)))
    return worst


def test_the_worst_change_of_a_deficit_is_exactly_1_with_summed_rungs() -> None:
    assert worst_change_of_deficits(WORLDS[:300], by_sum=True) == 1


def test_the_worst_change_of_a_deficit_is_exactly_1_with_the_larger_rung_where_all_move_one_way() -> None:
    assert worst_change_of_deficits(RISING_WORLDS[:300], by_sum=False) == 1


def test_the_larger_rung_is_not_enough_where_utilities_move_both_ways() -> None:
    assert worst_change_of_deficits(WORLDS[:300], by_sum=False) > 1


def test_compared_with_the_winner_only_scores_leap() -> None:
    """Negative control: a winner of large rungs hides how many people a rival of small rungs is ahead by."""
    worst = Fraction(0)
    for world in WORLDS[:300]:
        for x, y in world.edges:
            one, other = (_against_the_winner(world, database) for database in (x, y))
            worst = max(worst, *(abs(a - b) for a, b in zip(one, other, strict=True)))
    assert worst > 2


def _against_the_winner(world: World, x: int) -> list[Fraction]:
    u, pair = world.utilities[x], summed(world.rungs(x))
    winner = u.index(max(u))
    return [Fraction(0) if r == winner else dampened(u[winner] - u[r], pair(r, winner)) for r in range(len(u))]


def test_clipped_deficits_are_zero_exactly_at_the_argmax_and_a_sole_winner_has_a_lead() -> None:
    for world in WORLDS[:300]:
        for x, u in enumerate(world.utilities):
            scores = deficits(u, summed(world.rungs(x)))
            leaders = [r for r, value in enumerate(u) if value == max(u)]
            assert [r for r, score in enumerate(scores) if max(score, 0) == 0] == leaders
            if len(leaders) == 1:
                assert scores[leaders[0]] < 0
