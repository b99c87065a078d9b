"""How far a value is from being the percentile, and the percentile from not being it."""

from collections import Counter
from fractions import Fraction

import numpy as np
import pytest

from dampen import Adjacency
from dampen._validate import share_of
from dampen.queries.order import percentile_on_grid as stretches_module
from dampen.queries.order.percentile_on_grid import (
    Stretches,
    find_stretches,
    hit_utilities,
    steps_to_leave,
    steps_to_percentile,
    value_utilities,
)
from tests.unit.queries.order.judges import BOTH, PERCENTS, distances_to_and_from, nearby, percentile

UNIVERSES = [(1, 5), (2, 6), (3, 5), (4, 4)]
"""Grid points, and up to how many records."""


def groups_of(x: tuple[int, ...], points: int) -> Stretches:
    counted = Counter(x)
    places = np.array(sorted(counted), dtype=np.int64)
    return find_stretches(places, np.array([counted[place] for place in sorted(counted)], dtype=np.int64), points)


def written_out(groups: Stretches, per_group: np.ndarray) -> list[int]:
    expanded: list[int] = np.repeat(per_group, groups.sizes).tolist()
    return expanded


@pytest.mark.parametrize("p", PERCENTS)
@pytest.mark.parametrize(("points", "largest"), UNIVERSES)
@pytest.mark.parametrize("adjacency", BOTH)
def test_distances_are_those_of_a_breadth_first_search(adjacency: Adjacency, points: int, largest: int, p: str) -> None:
    share = share_of(p)
    for value in range(points):
        to, away = distances_to_and_from(points, largest, value, share, adjacency)
        for x in nearby(points, largest, adjacency):
            if len(x) > largest:
                continue
            groups = groups_of(x, points)
            assert written_out(groups, steps_to_percentile(groups, share, adjacency))[value] == to.get(x, 1), (x, value)
            if percentile(x, share) == value:
                place = int(np.flatnonzero(steps_to_percentile(groups, share, adjacency) == 0)[0])
                assert steps_to_leave(groups, place, share, adjacency) == away.get(x, len(x)), (x, value)


@pytest.mark.parametrize("stable", [True, False])
@pytest.mark.parametrize("adjacency", BOTH)
def test_the_utility_has_sensitivity_one(adjacency: Adjacency, stable: bool) -> None:
    """Between all neighbours, for every value; and the bound is met."""
    largest_change = 0
    for points, largest in UNIVERSES:
        for share in map(share_of, PERCENTS):
            around = nearby(points, largest, adjacency)
            utilities = {}
            for x in around:
                groups = groups_of(x, points)
                utilities[x] = np.array(
                    written_out(groups, value_utilities(groups, share, adjacency, stable=stable)), dtype=np.int64
                )
            for x, others in around.items():
                for y in others:
                    largest_change = max(largest_change, int(np.abs(utilities[x] - utilities[y]).max()))
    assert largest_change == 1


@pytest.mark.parametrize("adjacency", BOTH)
def test_the_percentile_leads_by_at_least_one_and_no_score_leads_further(adjacency: Adjacency) -> None:
    """Its lead over v is D - 1 + len(v) <= 2 len(v) - 1, and equal where v is the nearest to take over."""
    met = 0
    for x in nearby(4, 4, adjacency):
        for share in map(share_of, PERCENTS):
            groups = groups_of(x, 4)
            to = np.array(written_out(groups, steps_to_percentile(groups, share, adjacency)))
            utilities = np.array(written_out(groups, value_utilities(groups, share, adjacency, stable=True)))
            others = to > 0
            leads = utilities.max() - utilities[others]
            assert len(x) == 0 or int(utilities.argmax()) == percentile(x, share)
            if len(x):
                assert (leads >= 1).all()
                assert (leads <= 2 * to[others] - 1).all()
                met += bool((leads == 2 * to[others] - 1).any())
    assert met > 100


@pytest.mark.parametrize("adjacency", BOTH)
def test_a_step_before_the_utility_of_zero_and_one_changes(adjacency: Adjacency) -> None:
    """t0 + 1 is the distance to the nearest data set on which the utility of that very value differs."""
    for share in map(share_of, ("0", "25", "49.5", "50", "90", "100")):
        for value in range(3):
            to, away = distances_to_and_from(3, 4, value, share, adjacency)
            for x in nearby(3, 4, adjacency):
                if 0 < len(x) <= 4:
                    groups = groups_of(x, 3)
                    utilities, starts = (written_out(groups, part) for part in hit_utilities(groups, share, adjacency))
                    hit = percentile(x, share) == value
                    assert utilities[value] == hit
                    assert starts[value] + 1 == (away if hit else to)[x]


def test_no_records() -> None:
    for adjacency in BOTH:
        groups = groups_of((), 5)
        assert written_out(groups, value_utilities(groups, Fraction(1, 2), adjacency, stable=True)) == [-1] * 5
        utilities, starts = hit_utilities(groups, Fraction(1, 2), adjacency)
        assert (utilities.tolist(), starts.tolist(), groups.sizes.tolist()) == ([0], [0], [5])


@pytest.mark.parametrize("adjacency", BOTH)
@pytest.mark.parametrize("p", PERCENTS)
def test_python_integers_and_64_bits_agree(adjacency: Adjacency, p: str, monkeypatch: pytest.MonkeyPatch) -> None:
    rng, share = np.random.default_rng(5), share_of(p)
    for _ in range(50):
        groups = groups_of(tuple(rng.integers(0, 30, rng.integers(1, 60)).tolist()), 30)
        monkeypatch.setattr(stretches_module, "LARGEST_PRODUCT", 2**61)
        fast = steps_to_percentile(groups, share, adjacency)
        monkeypatch.setattr(stretches_module, "LARGEST_PRODUCT", 0)
        slow = steps_to_percentile(groups, share, adjacency)
        assert fast.dtype == slow.dtype == np.int64
        assert fast.tolist() == slow.tolist()


def test_many_records_and_a_long_p_do_not_overflow() -> None:
    """2^40 records, and p = 50 - 10^-30: one record below the median's place, to the last."""
    groups = find_stretches(np.array([3, 7]), np.array([2**40, 2**40]), 10**9)
    for adjacency in BOTH:
        to = steps_to_percentile(groups, share_of("50") - Fraction(1, 10**32), adjacency)
        assert groups.sizes.tolist() == [3, 1, 3, 1, 10**9 - 8]
        assert (to[1], to[3]) == (0, 1)
        assert steps_to_percentile(groups, share_of(50), adjacency)[[1, 3]].tolist() == [1, 0]
    assert to.max() == 2**40 + 1


def test_all_records_equal() -> None:
    groups = find_stretches(np.array([2]), np.array([10]), 5)
    assert steps_to_percentile(groups, Fraction(1, 2), Adjacency.ADD_REMOVE).tolist() == [11, 0, 10]
    assert steps_to_leave(groups, 1, Fraction(1, 2), Adjacency.ADD_REMOVE) == 10
    assert steps_to_percentile(groups, Fraction(1, 2), Adjacency.REPLACE).tolist() == [6, 0, 5]
    assert steps_to_leave(groups, 1, Fraction(1, 2), Adjacency.REPLACE) == 5


@pytest.mark.parametrize(
    ("p", "left", "ties", "right", "adjacency", "distance"),
    [
        (90, 100, 20, 3, Adjacency.ADD_REMOVE, 11),
        (75, 50, 100, 0, Adjacency.ADD_REMOVE, 50),
        (50, 2, 2, 0, Adjacency.ADD_REMOVE, 1),
    ],
)
def test_hand_values_where_the_thesis_is_wrong(
    p: int, left: int, ties: int, right: int, adjacency: Adjacency, distance: int
) -> None:
    """percentile.md, section 3: t* = D - 1 = 10, 49 and 0, where Lemma 5.3 has 19, 75 and 1."""
    x = (0,) * left + (1,) * ties + (2,) * right
    groups = groups_of(x, 4)
    place = int(np.argmin(steps_to_percentile(groups, share_of(p), adjacency)))
    assert steps_to_leave(groups, place, share_of(p), adjacency) == distance
