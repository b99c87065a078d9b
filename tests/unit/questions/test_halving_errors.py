"""What percentiles found by halving tell of their error: the two inequalities behind it by brute force."""

from collections.abc import Iterator
from fractions import Fraction
from math import exp

import numpy as np
import pytest
from scipy.stats import binom

import dampen
from dampen import Adjacency, Budget
from dampen.audit import multisets
from dampen.queries import percentile_value_problem
from dampen.queries.order.halving import Part, list_paths
from dampen.questions.halving_errors import TIED, TIED_RATE, HalvedAccuracy

Records = tuple[int, ...]
Chosen = dict[Fraction, tuple[int, int, int]]
"""For every share the place that was chosen, how many people that was off in its part, and how many shared it."""
QUARTILES = (Fraction(1, 4), Fraction(1, 2), Fraction(3, 4))
TWO_LEVELS = (Fraction(1, 10), Fraction(9, 10))
ENDS = (Fraction(0), Fraction(1, 3), Fraction(1))
SEVEN = tuple(Fraction(k, 10) for k in (1, 2, 3, 5, 7, 8, 9))


def whole(records: Records, size: int, shares: tuple[Fraction, ...]) -> Part:
    places, counts = np.unique(np.array(records, dtype=np.int64), return_counts=True)
    return Part(shares, 0, size - 1, places, counts)


def off_in_part(part: Part, place: int) -> int:
    """How many people must come or go, by the classical utility of the part's records."""
    share = (part.shares[part.middle] - part.below) / (part.above - part.below)
    records = np.repeat(part.places, part.counts)
    grid = range(part.low, part.high + 1)
    problem = percentile_value_problem(records, 100 * share, grid=grid, adjacency=Adjacency.ADD_REMOVE, stable=False)
    return -int(np.asarray(problem.utilities)[place - part.low])


def choices(part: Part) -> Iterator[Chosen]:
    """All that may be chosen, whatever the mechanism."""
    if not part.shares:
        yield {}
        return
    for place in range(part.low, part.high + 1):
        tied = int(part.counts[part.places == place].sum())
        own = {part.shares[part.middle]: (place, off_in_part(part, place), tied)}
        left, right = part.halves(place)
        for below in choices(left):
            for above in choices(right):
                yield below | own | above


def ancestors(shares: tuple[Fraction, ...], share: Fraction) -> list[Fraction]:
    middle = len(shares) // 2
    if shares[middle] == share:
        return [share]
    rest = shares[:middle] if share < shares[middle] else shares[middle + 1 :]
    return [shares[middle], *ancestors(rest, share)]


def rank_error(records: Records, place: int, share: Fraction) -> Fraction:
    target = share * len(records)
    below, up_to = sum(x < place for x in records), sum(x <= place for x in records)
    return max(Fraction(0), below - target, target - up_to)


@pytest.mark.parametrize(
    ("shares", "size", "largest"), [(QUARTILES, 3, 4), (TWO_LEVELS, 4, 5), (ENDS, 3, 4)], ids=["3", "2", "ends"]
)
def test_an_answer_is_off_by_what_its_path_adds_up(shares: tuple[Fraction, ...], size: int, largest: int) -> None:
    nearest = Fraction(100)
    paths = dict(zip(shares, list_paths(shares), strict=True))
    for records in multisets(range(size), largest=largest):
        for chosen in choices(whole(records, size, shares)):
            for share, (place, _, _) in chosen.items():
                steps = [chosen[each] for each in ancestors(shares, share)]
                ranks = [max(f, 1 - f) for f in paths[share]]
                allowed = Fraction(sum(tied for _, _, tied in steps[:-1]))
                allowed += sum(people * r for (_, people, _), r in zip(steps, ranks, strict=True))
                found = rank_error(records, place, share)
                assert found <= allowed
                nearest = min(nearest, allowed - found) if found and len(steps) > 1 else nearest
    assert nearest <= 1  # two ranks less would be too few


def test_paths_are_those_of_the_parts() -> None:
    assert list_paths(QUARTILES) == [(Fraction(1, 2),) * 2, (Fraction(1, 2),), (Fraction(1, 2),) * 2]
    assert list_paths(SEVEN)[0] == (Fraction(1, 2), Fraction(2, 5), Fraction(1, 2))
    assert [len(path) for path in list_paths(SEVEN)] == [3, 2, 3, 1, 3, 2, 3]
    for share, path in zip(SEVEN, list_paths(SEVEN), strict=True):
        assert len(path) == len(ancestors(SEVEN, share))


@pytest.mark.parametrize("cells", [1, 2, 16, 4096])
def test_ties_exceed_their_bound_as_rarely_as_is_said(cells: int) -> None:
    assert exp(TIED_RATE) - 1 <= TIED * TIED_RATE
    for records in (1, 2, 5, 40, 1_000, 10**5, 10**7):
        for more in (0, 1, 3, 10, 40):
            above = np.floor(TIED * records / cells + more)
            assert binom.sf(above, records, 1 / cells) <= exp(-float(TIED_RATE) * more) * (1 + 1e-9)


def test_the_error_is_told_in_ranks_and_points() -> None:
    ages = [20 + i * 37 % 70 for i in range(3000)]
    found = dampen.percentiles(ages, (25, 50, 75), bounds=(0, 120), epsilon=10, budget=Budget(epsilon=10))
    assert found.accuracy == HalvedAccuracy(Fraction(5), 121, 12, QUARTILES)
    error = found.error()
    assert error.unit == "ranks"
    assert 10 < error < 60
    assert "points from those asked, with probability 95 %" in str(error)
    assert found.error("1/2") < error < found.error("0.999")
    assert found.accuracy.points == Fraction(100 * 2, 4096)


def test_one_percentile_has_no_ties_to_pay_for() -> None:
    alone = HalvedAccuracy(Fraction(1), 121, 12, (Fraction(1, 2),))
    assert alone.points == 0
    assert "of their percentiles, with" in alone.statement()


def test_replace_takes_half_the_epsilon_a_step() -> None:
    budget = Budget(epsilon=10, adjacency=Adjacency.REPLACE)
    found = dampen.percentiles(
        range(100), (25, 50, 75), bounds=(0, 120), epsilon=10, budget=budget, adjacency=Adjacency.REPLACE
    )
    assert found.accuracy == HalvedAccuracy(Fraction(5, 2), 121, 12, QUARTILES)
