"""Questions about persons: what is told of their errors holds, public choices are public, and nothing overflows."""

from fractions import Fraction
from math import floor
from typing import Any

import numpy as np
import pytest

from dampen import Adjacency
from dampen.errors import DataError, ParameterError
from dampen.mechanisms import Laplace, PermuteAndFlip
from dampen.mechanisms.noise_errors import NoiseAccuracy, Noisy
from dampen.mechanisms.numeric.noises import Geometric
from dampen.queries.units import unit_grid
from dampen.queries.votes import Votes, vote_percentile_problem, votes_of
from dampen.questions.people.limits import LimitedAccuracy
from dampen.questions.people.means import MeanAccuracy
from dampen.questions.people.totals import CutAccuracy, caps_of_amounts
from dampen.questions.people.votes import VoteAccuracy, bits_for
from dampen.tables.counts import count_on_grid
from dampen.tables.grid import as_grid

ADD_REMOVE, REPLACE = Adjacency.ADD_REMOVE, Adjacency.REPLACE
VOTE = 1 << 6
POINTS = 40


def rank_errors(votes: Votes, share: Fraction) -> Any:
    """By how many votes the percentile lies outside of those of each point."""
    weights = votes.at_all(POINTS)
    below = np.cumsum(weights) - weights
    target = float(share) * weights.sum()
    return np.maximum(np.maximum(below - target, target - below - weights), 0) / VOTE


CROWDS: dict[str, list[int]] = {
    "one place": [0] * 20 + [500 * VOTE] + [0] * 19,
    "everywhere": [3 * VOTE + 5] * POINTS,
    "two ends": [100 * VOTE] + [0] * 38 + [100 * VOTE + 1],
    "a slope": [place * VOTE for place in range(POINTS)],
    "nobody": [0] * POINTS,
}


@pytest.mark.parametrize("adjacency", [ADD_REMOVE, REPLACE])
@pytest.mark.parametrize("limit", [1, 4])
@pytest.mark.parametrize("share", [Fraction(1, 2), Fraction(9, 10), Fraction(0), Fraction(1)])
@pytest.mark.parametrize("crowd", CROWDS)
def test_percentiles_are_as_near_as_is_told(crowd: str, share: Fraction, limit: int, adjacency: Adjacency) -> None:
    """The exact law: more than the bound has at most the chance that was told, and the bound is not far off."""
    votes = votes_of(range(POINTS), CROWDS[crowd], limit * VOTE)
    problem = vote_percentile_problem(votes, 100 * share, grid=as_grid(range(POINTS)), adjacency=adjacency)
    law = np.exp(np.asarray(PermuteAndFlip(1).log_probabilities(problem)))
    for confidence in (Fraction(1, 2), Fraction(19, 20)):
        known = VoteAccuracy(Fraction(1), POINTS, (share,), adjacency, votes.each, VOTE)
        missed = law[rank_errors(votes, share) > known.bound(confidence) + 1e-9].sum()
        assert missed <= 1 - confidence


def test_the_worst_crowd_comes_near_the_bound() -> None:
    """All votes at one point, so many that half of the others lie just beyond a smaller bound."""
    known = VoteAccuracy(Fraction(1), POINTS, (Fraction(1, 2),), ADD_REMOVE, VOTE, VOTE)
    near = floor((known.bound() - 0.5) * VOTE)
    votes = votes_of(range(POINTS), [0] * 20 + [2 * near] + [0] * 19, VOTE)
    problem = vote_percentile_problem(votes, 50, grid=as_grid(range(POINTS)), adjacency=ADD_REMOVE)
    law = np.exp(np.asarray(PermuteAndFlip(1).log_probabilities(problem)))
    assert 1 - law[20] > 0.05
    assert known.statement() == f"within {known.amount(Fraction(19, 20))} of its percentile, with probability 95 %"


def test_votes_that_do_not_fit_are_refused_before_anything_is_paid() -> None:
    with pytest.raises(DataError, match="so few"):
        votes_of([0], [2**62], 1)
    votes = votes_of([0], [2**58], 1)
    with pytest.raises(DataError, match="denominator"):
        vote_percentile_problem(votes, "99.9", grid=as_grid(range(2)), adjacency=ADD_REMOVE)


def test_how_finely_votes_are_cut_is_public() -> None:
    assert bits_for([Fraction(1, 2), Fraction(999, 1000)]) == 20
    assert bits_for([Fraction(1, 2**25)]) == 5
    assert bits_for([Fraction(1, 2**40)]) == 0
    for denominator in (2, 100, 1000, 10**5, 2**27):
        assert denominator << bits_for([Fraction(1, denominator)]) <= 2**30


def test_caps_follow_the_largest_amount_of_a_row() -> None:
    assert caps_of_amounts(100)[0] == 1
    assert caps_of_amounts(100)[-1] == 2**22
    assert caps_of_amounts(2**39) == tuple(2**power for power in range(30, 41))


@pytest.mark.parametrize("unit", [None, Fraction(1), Fraction(1, 10), Fraction(7, 3)])
@pytest.mark.parametrize("bounds", [(0, 10), (-3, 25), (Fraction(1, 3), 12)])
def test_values_are_read_to_the_nearest_multiple(bounds: Any, unit: Fraction | None) -> None:
    ends = Fraction(bounds[0]), Fraction(bounds[1])
    units = unit_grid(ends, unit)
    for number in (-40, -3, -0.5, 0, 0.25, 1.5, 3.5, 7, 11.99, 40):
        clamped = min(max(Fraction(number), ends[0]), ends[1])
        [place] = count_on_grid([number], units.grid).places.tolist()
        assert units.first + place == floor(clamped / units.unit + Fraction(1, 2))
        assert abs((units.first + place) * units.unit - clamped) <= units.unit / 2


def test_a_unit_that_leaves_one_value_is_refused() -> None:
    with pytest.raises(ParameterError, match="unit must not exceed"):
        unit_grid((Fraction(0), Fraction(1)), Fraction(10))


@pytest.mark.parametrize("vote", [1, VOTE])
@pytest.mark.parametrize(("mean", "people"), [(0.3, 200), (-0.9, 40), (0.0, 3)])
def test_means_are_as_near_as_is_told(mean: float, people: int, vote: int) -> None:
    """Seeded noise, many times over: the mean lies within the bound at least as often as is told."""
    rng, each = np.random.default_rng(7), Laplace(Fraction(1, 2))
    steps = Fraction(1, 64)
    sums, numbers = Geometric(each.epsilon * steps / vote), Geometric(each.epsilon / vote)
    true_sum, true_number = round(mean * people * vote / steps), people * vote
    held, draws = 0, 400
    noises = zip(sums.simulate(rng, draws).tolist(), numbers.simulate(rng, draws).tolist(), strict=True)
    for one, other in noises:
        centred = Noisy((true_sum + one) * steps, sums, steps)
        known = MeanAccuracy(
            Fraction(-1), Fraction(1), centred, Noisy(Fraction(true_number + other), numbers), vote, Fraction(0)
        )
        held += abs(known.value - float(true_sum * steps / true_number)) <= known.bound() + 1e-12
    assert held >= 0.95 * draws


def test_what_was_cut_is_told() -> None:
    noise = NoiseAccuracy(Geometric(Fraction(1, 64)))
    cut = CutAccuracy(noise, Fraction(64), Fraction(64))
    assert cut.bound() == noise.bound()
    assert cut.statement().startswith("totals above 64 and below -64 were cut; the noise is at most")
    limited = LimitedAccuracy(noise, Fraction(2**20), "rows")
    assert limited.statement().endswith("; nobody counts for more than 2^20 rows")
    assert (limited.bound(), limited.unit) == (noise.bound(), "")
