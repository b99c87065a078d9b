"""PiecewiseLaplace: the judge first, then the raised rungs, then whole data spaces, then draws."""

from collections.abc import Iterable
from fractions import Fraction
from functools import cache
from math import exp
from typing import Any

import numpy as np
import pytest
from scipy.stats import chisquare

from dampen import Adjacency, Budget, NumericFrame, NumericProblem, certified
from dampen.audit import ScriptedEntropy, law_by_enumeration
from dampen.entropy import system_entropy
from dampen.errors import ParameterError
from dampen.mechanisms import Laplace, PiecewiseLaplace
from dampen.mechanisms.numeric import piecewise_laplace
from dampen.mechanisms.numeric.piecewise_laplace import raise_rungs
from dampen.mechanisms.numeric.piecewise_noise import PiecewiseNoise
from dampen.sampling import exact
from dampen.sensitivity import RungTable
from dampen.vectors import Floats
from tests.conftest import Refused
from tests.unit.mechanisms.numeric.judges import (
    World,
    graph_world,
    problem_of,
    pvalue_of_simulation,
    random_ladders,
    random_world,
)

NOISES = {
    "empty first rung": PiecewiseNoise((0, 2, 5), 7, Fraction(1, 3)),
    "no rungs": PiecewiseNoise((), 3, Fraction(1, 2)),
    "flat": PiecewiseNoise((4, 4), 4, Fraction(1)),
    "falling": PiecewiseNoise((9, 0, 1), 20, Fraction(4)),
}
FAR = 1500


# The judge


def rungs_to(noise: PiecewiseNoise, distance: int) -> float:
    """phi: the least tau at which the rungs, laid end to end, reach as far; a part of the last one."""
    reached, t = 0, 0
    while distance > 0:
        rung = noise.rungs[t] if t < len(noise.rungs) else noise.reach
        if reached + rung >= distance:
            return t + (distance - reached) / rung
        reached, t = reached + rung, t + 1
    return 0.0


@pytest.mark.parametrize("noise", NOISES.values(), ids=NOISES)
def test_the_law_is_that_of_the_definition(noise: PiecewiseNoise) -> None:
    weights = np.exp([-float(noise.rate) * rungs_to(noise, k) for k in range(FAR)])
    total = weights[0] + 2 * weights[1:].sum()
    known = np.arange(FAR // 3)
    assert np.exp(noise.log_probabilities(known)) == pytest.approx(weights[known] / total, rel=1e-12)
    assert np.array_equal(noise.log_probabilities(-known), noise.log_probabilities(known))
    for k in range(1, 40):
        assert np.exp(noise.log_tail(k)) == pytest.approx(2 * weights[k:].sum() / total, rel=1e-9)
    assert noise.mean_size() == pytest.approx(2 * (weights @ np.arange(FAR)) / total, rel=1e-9)


@pytest.mark.parametrize("noise", NOISES.values(), ids=NOISES)
def test_all_weights_add_up_to_a_sum_of_hyperbolic_cotangents(noise: PiecewiseNoise) -> None:
    """(1 - q) times the sum of q^t coth(eta / (2 l_t)), which a rung of 0 adds 1 to."""
    direct = 1 + 2 * sum(exp(-float(noise.rate) * rungs_to(noise, k)) for k in range(1, FAR))
    assert normaliser(noise) == pytest.approx(direct, rel=1e-12)
    assert -noise.log_probabilities(0) == pytest.approx(np.log(direct), rel=1e-12)


def cotangent(length: float, rate: float) -> float:
    return 1 / float(np.tanh(rate / (2 * length))) if length else 1.0


def normaliser(noise: PiecewiseNoise) -> float:
    rate, count = float(noise.rate), len(noise.rungs)
    near = sum(exp(-rate * t) * cotangent(rung, rate) for t, rung in enumerate(noise.rungs))
    beyond = exp(-rate * count) * cotangent(noise.reach, rate) / -np.expm1(-rate)
    return float(-np.expm1(-rate) * (near + beyond))


# Raised rungs


def raised_by_search(rungs: list[int], reach: int, rate: float, smoothing: float) -> list[int]:
    """The recursion of the definition, whose least whole l is found by halving."""
    fall, raised = exp(-rate), []
    total = cotangent(reach, rate) / (1 - fall)
    for rung in reversed(rungs):
        needed, low, high = (exp(-smoothing) - fall) * total, rung - 1, reach
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (low, middle) if cotangent(middle, rate) >= needed else (middle, high)
        raised.append(high)
        total = cotangent(high, rate) + fall * total
    return raised[::-1]


def test_rungs_are_raised_as_little_as_the_definition_says() -> None:
    rng = np.random.default_rng(5)
    for reach, rungs in random_ladders(rng, 80):
        rate = Fraction(10 ** rng.uniform(-2, 1)).limit_denominator(10**6)
        smoothing = rate * Fraction(int(rng.integers(1, 10)), 10)
        found = raise_rungs(rungs, reach, rate, smoothing)
        expected = raised_by_search(rungs, reach, float(rate), float(smoothing))
        # Floats cannot tell which side of a whole number a length is on that lies within their rounding of it.
        assert np.abs(np.array(found) - np.array(expected)).max() <= max(1, reach * 1e-9)
        assert np.mean(np.array(found) == np.array(expected)) > 0.9


def test_neighbours_have_raised_ladders_and_normalisers_within_the_share() -> None:
    """Each ladder lies below the other one rung up, and W_1 / W_0 is never above exp(kappa): attained to 1e-6."""
    rng, closest = np.random.default_rng(6), 0.0
    for reach, rungs in random_ladders(rng, 60):
        rate, smoothing = Fraction(9, 20), Fraction(int(rng.integers(1, 9)), 20)
        ladder = [*rungs, reach]
        lower, higher = (raise_rungs(each, reach, rate, smoothing) for each in (ladder[:-1], ladder[1:]))
        assert all(a <= b <= reach for a, b in zip(lower, higher, strict=True))
        assert all(a >= b for a, b in zip(lower, rungs, strict=True))
        moved = np.log(normaliser(PiecewiseNoise(higher, reach, rate)) / normaliser(PiecewiseNoise(lower, reach, rate)))
        assert -1e-12 <= moved <= float(smoothing) * (1 + 1e-9)
        closest = max(closest, moved / float(smoothing))
    assert closest > 1 - 1e-6


def test_the_rungs_are_the_same_at_every_precision(monkeypatch: pytest.MonkeyPatch) -> None:
    """At first too low a one, at which no number can be rounded up for certain."""
    rungs, reach, rate, smoothing = [3, 3, 40, 41, 900], 10**7, Fraction(9, 10), Fraction(1, 10)
    usual = raise_rungs(rungs, reach, rate, smoothing)
    asked: list[int] = []

    def coarse(bits: int) -> Any:
        asked.append(bits)
        return certified.arithmetic(max(bits // 16, 8))

    monkeypatch.setattr(piecewise_laplace, "arithmetic", coarse)
    assert raise_rungs(rungs, reach, rate, smoothing) == usual
    assert len(asked) > 1


@pytest.mark.parametrize("epsilon", ["1/10", 1, 5])
def test_the_ends_of_the_share_are_the_published_noise_and_laplace_noise(epsilon: str | int) -> None:
    problem, steps = problem_of(30, [7, 15, 27]), np.arange(-300, 301)
    half = PiecewiseLaplace(epsilon, share="1/2")
    assert half.noise(problem).rungs == problem.rungs(half.rungs_read(problem.frame))
    flat = PiecewiseLaplace(epsilon, share=0)
    assert flat.log_probabilities(problem, steps) == pytest.approx(
        Laplace(epsilon).log_probabilities(problem, steps), abs=1e-9
    )
    assert flat.expected_absolute_noise(problem) == pytest.approx(Laplace(epsilon).expected_absolute_noise(problem))


@pytest.mark.parametrize("epsilon", ["1/10", "1", "4"])
def test_on_a_flat_ladder_the_noise_is_a_ninth_more_than_laplace_noise(epsilon: str) -> None:
    flat = NumericProblem(NumericFrame(10**6, Adjacency.EDGE), 0).as_public()
    noise = PiecewiseLaplace(epsilon).expected_absolute_noise(flat)
    assert noise * float(Fraction(epsilon)) / 10**6 == pytest.approx(10 / 9, rel=1e-6)


# Whole data spaces


@cache
def losses(pattern: str, nodes: int, epsilon: str, share: str) -> float:
    return worst_loss(graph_world(pattern, nodes), PiecewiseLaplace(epsilon, share))


def worst_loss(given: World, mechanism: PiecewiseLaplace) -> float:
    """Over all neighbours and all answers that matter: both laws fall by eta per rung beyond the rungs."""
    problems = given.problems()
    noises = {id(problem.sensitivity): mechanism.noise(problem) for problem in problems}
    far = int(np.abs(given.values).max()) + 3 * max(min(noise.ends[-1], 5000) for noise in noises.values())
    laws = [problem_law(noises[id(problem.sensitivity)], int(problem.value), far) for problem in problems]
    return max(float(np.abs(laws[x] - laws[y]).max()) for x, y in given.pairs)


def problem_law(noise: PiecewiseNoise, value: int, far: int) -> Floats:
    return noise.log_probabilities(np.arange(-far, far + 1) - value)


@pytest.mark.parametrize("share", ["0", "1/10", "1/5", "1/2"])
@pytest.mark.parametrize("epsilon", ["3/10", "1", "3"])
def test_all_graphs_of_four_nodes_keep_epsilon(epsilon: str, share: str) -> None:
    found = max(losses(pattern, 4, epsilon, share) for pattern in ("triangle", "2-triangle"))
    assert found <= float(Fraction(epsilon)) * (1 + 1e-9)
    assert found > (1 - 1e-9 if share == "0" else 0.5) * float(Fraction(epsilon))


@pytest.mark.long
@pytest.mark.parametrize("share", ["0", "1/10", "1/5", "1/2"])
@pytest.mark.parametrize("epsilon", ["3/10", "1", "3"])
def test_all_graphs_of_five_nodes_keep_epsilon(epsilon: str, share: str) -> None:
    found = max(losses(pattern, 5, epsilon, share) for pattern in ("triangle", "2-triangle"))
    assert found <= float(Fraction(epsilon)) * (1 + 1e-9)


@pytest.mark.parametrize("spaces", [15, pytest.param(240, marks=pytest.mark.long)])
def test_random_data_spaces_keep_epsilon(spaces: int) -> None:
    rng, worst = np.random.default_rng(12), 0.0
    for _ in range(spaces):
        given, epsilon = random_world(rng), Fraction(10 ** rng.uniform(-0.5, 1)).limit_denominator(1000)
        mechanism = PiecewiseLaplace(epsilon, Fraction(int(rng.integers(0, 6)), 10))
        worst = max(worst, worst_loss(given, mechanism) / float(epsilon))
    assert 0.9 < worst <= 1 + 1e-9


# Negative controls


def loss_of_pair(noises: Iterable[PiecewiseNoise], apart: int) -> float:
    """The largest log-ratio of two laws so far apart."""
    one, other = noises
    far = 3 * one.reach
    steps = np.unique(np.concatenate([np.arange(-4 * apart, 5 * apart), np.linspace(-far, far, 5001).astype(np.int64)]))
    return float(np.abs(one.log_probabilities(steps) - other.log_probabilities(steps - apart)).max())


@pytest.mark.parametrize(("size", "rate", "loss"), [(10, "1/2", 0.904), (100, "1/2", 0.989), (10_000, "1/2", 0.9999)])
def test_the_published_noise_needs_twice_its_rate(size: int, rate: str, loss: float) -> None:
    """Rungs 1, 1, R, R, ... beside 1, R, R, ..., a step apart, on a fine grid; as a share of twice the rate."""
    fine, fall = 1000, Fraction(rate)
    one, other = PiecewiseNoise((fine, fine), size * fine, fall), PiecewiseNoise((fine,), size * fine, fall)
    assert loss_of_pair((one, other), fine) / (2 * float(fall)) == pytest.approx(loss, abs=6e-4)


def test_the_published_noise_at_the_full_epsilon_is_caught() -> None:
    """1.955 epsilon, where the mechanism with its own rungs keeps epsilon."""
    fine, reach = 1000, 100_000
    one, other = (PiecewiseNoise((fine,) * count, reach, Fraction(1)) for count in (2, 1))
    assert loss_of_pair((one, other), fine) == pytest.approx(1.955, abs=1e-3)
    honest = [PiecewiseLaplace(1).noise(problem_of(reach, [fine] * count)) for count in (2, 1)]
    assert loss_of_pair(honest, fine) <= 1 + 1e-9


@pytest.mark.parametrize(("smoothing", "count", "loss"), [("9/10", 2, 1.765), ("3/5", 3, 1.19)])
def test_rungs_that_are_not_raised_enough_are_caught(smoothing: str, count: int, loss: float) -> None:
    """At epsilon 1 and a rate of 9/10 the rungs are raised as if more than a tenth were left for the normaliser."""
    rate, fine = Fraction(9, 10), 1000
    reach = 100 * fine if smoothing == "9/10" else 10 * fine
    rungs = ([fine] * count, [fine] * (count - 1))
    lax = [PiecewiseNoise(raise_rungs(each, reach, rate, Fraction(smoothing)), reach, rate) for each in rungs]
    assert loss_of_pair(lax, fine) == pytest.approx(loss, abs=5e-3)


def test_the_two_parts_of_epsilon_cannot_be_less_in_general() -> None:
    """A ladder that grows by exp(kappa) per rung, beside one that is a rung higher up to rung J and lower beyond."""
    rate, smoothing, shares = Fraction(2, 5), Fraction(1, 10), []
    for last, count in ((10, 60), (20, 120), (30, 200)):
        heights = [round(10**6 * exp(0.1 * t)) for t in range(-1, count + 1)]
        one = tuple(heights[1:-1])
        other = tuple(heights[t + 2] if t <= last else heights[t] for t in range(count))
        noises = [PiecewiseNoise(each, heights[-1], rate) for each in (one, other)]
        far = np.array(noises[0].ends)
        ratios = noises[0].log_probabilities(far) - noises[1].log_probabilities(far + one[0])
        shares.append(float(ratios.max()) / float(rate + smoothing))
    assert shares == pytest.approx([0.9776, 0.9993, 1.0000], abs=5e-4)


# Draws


def test_bits_give_the_law(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every rung, near and far, its first and last place, and both signs."""
    monkeypatch.setattr(exact, "MORE_BITS", 1)
    noise = PiecewiseNoise((0, 2), 1, Fraction(1))
    law, undecided = law_by_enumeration(noise.draw, depth=14)
    assert undecided < Fraction(1, 3)
    for k in range(-4, 5):
        stated = float(np.exp(noise.log_probabilities(k)))
        assert float(law[k]) <= stated <= float(law[k] + undecided)
        assert float(law[k]) > stated / 8
    assert law[2] == law[-2]


def test_draws_follow_the_law_and_not_one_nearby() -> None:
    """Rejected: even places on a rung, rungs counted from 1, and 30 % too large a rate."""
    noise, source = PiecewiseNoise((2, 6), 9, Fraction(3, 2)), system_entropy()
    drawn = np.abs([noise.draw(source) for _ in range(6000)])

    def pvalue(of: PiecewiseNoise | Floats) -> float:
        doubled = np.where(np.arange(16) > 0, 2, 1)
        shares = np.exp(of.log_probabilities(np.arange(16))) * doubled if isinstance(of, PiecewiseNoise) else of
        counts = np.append(np.bincount(drawn, minlength=16)[:16], (drawn > 15).sum())
        return float(chisquare(counts, np.append(shares, 1 - shares.sum()) * len(drawn)).pvalue)

    assert pvalue(noise) > 1e-6
    even = np.exp(noise.log_probabilities(np.arange(16))) * np.where(np.arange(16) > 0, 2, 1)
    even[1:3], even[3:9] = even[1:3].mean(), even[3:9].mean()
    assert pvalue(even) < 1e-6
    assert pvalue(PiecewiseNoise((6,), 9, Fraction(3, 2))) < 1e-6
    assert pvalue(PiecewiseNoise((2, 6), 9, Fraction(39, 20))) < 1e-6


@pytest.mark.parametrize("noise", NOISES.values(), ids=NOISES)
def test_simulations_follow_the_law(noise: PiecewiseNoise) -> None:
    assert pvalue_of_simulation(noise) > 1e-6


def test_distances_beyond_64_bits() -> None:
    noise = PiecewiseNoise((2**70, 2**70), 2**71, Fraction(1))
    sizes = np.array([0, 2**69, 2**70, 2**71, 2**71 + 2**70, 2**72], dtype=object)
    law = noise.log_probabilities(sizes)
    assert law - law[0] == pytest.approx([0, -0.5, -1, -2, -2.5, -3])
    assert isinstance(noise.draw(ScriptedEntropy([0, 1] * 2000)), int)


# The mechanism


def test_the_number_of_rungs_is_public_and_enough() -> None:
    frame = NumericFrame(10**10, Adjacency.EDGE)
    ladder = RungTable([[float(min(5 + t, 1000))] for t in range(3000)], bound=10**10)
    noise = PiecewiseLaplace("1/10").noise(NumericProblem(frame, 0, ladder))
    assert len(noise.rungs) == PiecewiseLaplace("1/10").rungs_read(frame) == 3903
    assert noise.rungs[0] == 41
    assert PiecewiseLaplace("1e-5").rungs_read(frame) == 2**16
    assert PiecewiseLaplace(1, share=0).rungs_read(frame) == 0
    assert PiecewiseLaplace(1, share=Fraction(1, 10**150)).rungs_read(frame) == 2**16


def test_a_tiny_share_is_laplace_noise_for_the_bound() -> None:
    """To within the steps of the grid that raised rungs are rounded up to; none is above the bound."""
    problem = problem_of(1000, [3, 5])
    noise = PiecewiseLaplace(1, share=Fraction(1, 10**60)).noise(problem)
    assert min(noise.rungs) == max(noise.rungs) == 1000


def test_a_release_pays_epsilon_alone_and_shows_no_rung() -> None:
    budget, problem = Budget(epsilon=5), problem_of(30, [7, 15, 27])
    release = PiecewiseLaplace(5).release(problem, budget=budget)
    assert isinstance(release.value, int)
    assert budget.spent.epsilon == 5
    assert budget.spent.delta == 0
    assert release.mechanism == "PiecewiseLaplace(epsilon=5, share=0.1)"
    assert repr(PiecewiseLaplace(5).noise(problem)) == "PiecewiseNoise(...)"
    with pytest.raises(ParameterError, match="is private"):
        release.error()


def test_zeros_and_huge_bounds_are_no_special_cases() -> None:
    frame = NumericFrame(2**500, Adjacency.EDGE, resolution=Fraction(1, 2**200))
    huge = NumericProblem(frame, 3, RungTable([[0.0], [1.0]], bound=2**500))
    assert isinstance(PiecewiseLaplace(1).draw(huge, ScriptedEntropy([0, 1] * 4000)), int)
    assert PiecewiseLaplace(200).draw(problem_of(5, [0] * 30), ScriptedEntropy([0, 1] * 200)) == 0


@pytest.mark.parametrize("share", ["-1/10", "0.6", float("nan"), "half"])
def test_a_share_that_is_none_is_refused(share: str | float, refused: Refused) -> None:
    with refused(ParameterError, "share"):
        PiecewiseLaplace(1, share=share)


@pytest.mark.parametrize("epsilon", [0, 301, "1/2000000"])
def test_an_epsilon_that_no_law_in_floats_is_tested_for_is_refused(epsilon: int | str, refused: Refused) -> None:
    with refused(ParameterError, "epsilon"):
        PiecewiseLaplace(epsilon)
