"""Exact-pair Laplace noise: the judges first, then the recursion, then whole data spaces."""

from fractions import Fraction
from math import log

import numpy as np
import pytest

from dampen import Adjacency, Budget, NumericFrame, NumericProblem
from dampen.audit import ScriptedEntropy, law_by_enumeration
from dampen.certified import arithmetic, ball
from dampen.errors import ParameterError
from dampen.mechanisms import ExactPairLaplace, Laplace, SmoothLaplace
from dampen.mechanisms.numeric import rungs
from dampen.mechanisms.numeric.exact_pair_laplace import STEP_ERROR, PairConditions
from dampen.sampling import exact
from dampen.sensitivity import RungTable
from tests.conftest import Refused
from tests.unit.mechanisms.numeric.judges import (
    World,
    graph_world,
    hockey_stick,
    hockey_stick_by_quadrature,
    problem_of,
    random_ladders,
    random_world,
)

LADDER = RungTable([[7], [15], [27], [30]], bound=30)
PROBLEM = NumericProblem(NumericFrame(30, Adjacency.EDGE), 100, LADDER).as_public()


def test_the_closed_form_of_two_laplace_laws_is_the_integral() -> None:
    rng = np.random.default_rng(0)
    for _ in range(120):
        rate, distance = 10 ** rng.uniform(-1, 1), 10 ** rng.uniform(-1.5, 1)
        other, epsilon = rate * float(np.exp(rng.uniform(-1.5, 1.5))), 10 ** rng.uniform(-1.3, 0.7)
        expected = hockey_stick_by_quadrature(rate, distance, other, epsilon)
        assert hockey_stick(rate, distance, other, epsilon) == pytest.approx(expected, rel=1e-8, abs=1e-12)


def certified_rate(h: float, rung: float, epsilon: float, log_delta: float) -> Fraction:
    """The largest rate beside h by bisection of (E1) to (E3) in 300 bits."""
    with arithmetic(300) as flint:
        slide, e = ball(flint, Fraction(h) * Fraction(rung)), ball(flint, Fraction(epsilon))

        def allowed(share: Fraction) -> bool:
            r = 1 + ball(flint, share)
            c = r * slide
            surplus = (1 - 1 / r).log() - r.log() / (r - 1) - e / (r - 1) + (c / (r - 1)).cosh().log()
            return bool(c <= e and r.log() + slide <= e and surplus <= ball(flint, Fraction(log_delta)))

        low, high = Fraction(0), Fraction(1, 2**60)
        while allowed(high):
            low, high = high, 2 * high
        for _ in range(80):
            middle = (low + high) / 2
            low, high = (middle, high) if allowed(middle) else (low, middle)
    return Fraction(h) * (1 + low)


@pytest.mark.parametrize("epsilon", [1e-3, 0.1, 1.0, 8.0, 60.0, 300.0])
@pytest.mark.parametrize("delta", [0.5, 0.05, 1e-6, 1e-40])
def test_one_step_is_as_accurate_as_the_proof_assumes(epsilon: float, delta: float) -> None:
    conditions, rng = PairConditions(epsilon, log(delta)), np.random.default_rng(3)
    for slide in epsilon * np.array([0, 1e-12, 1e-3, 0.2, rng.uniform(0.3, 0.9), 0.99, 1 - 1e-7]):
        start = 10 ** rng.uniform(-1, 4)
        got, _ = conditions.largest_rate(2.0, max(slide / 2, 2.0**-900), start)
        expected = certified_rate(2.0, max(slide / 2, 2.0**-900), epsilon, log(delta))
        assert abs(Fraction(got) / expected - 1) <= STEP_ERROR * (3 + epsilon)


def test_a_scale_never_exceeds_that_of_the_bound_nor_of_smooth_sensitivity() -> None:
    rng, gains = np.random.default_rng(5), []
    for reach, ladder in random_ladders(rng, 60):
        epsilon, delta = 10 ** rng.uniform(-0.7, 1), 10 ** rng.uniform(-9, -1)
        problem = problem_of(reach, ladder)
        scale = ExactPairLaplace(epsilon, delta).noise(problem).scale
        smooth = SmoothLaplace(epsilon, delta).noise(problem).scale
        assert scale <= Fraction(reach) / Fraction(str(epsilon)) * (1 + Fraction(1, 10**7))
        assert scale <= smooth * (1 + Fraction(1, 10**7))
        gains.append(float(smooth / scale))
    assert max(gains) > 2.5


def test_a_flat_ladder_has_the_noise_of_the_bound() -> None:
    scale = ExactPairLaplace(1, 1e-6).noise(NumericProblem(NumericFrame(30, Adjacency.EDGE), 1)).scale
    assert 30 < scale <= 30 * (1 + Fraction(2, 10**9))
    public = NumericProblem(NumericFrame(3000, Adjacency.EDGE), 1).as_public()
    expected = Laplace(1).expected_absolute_noise(public)
    assert ExactPairLaplace(1, 1e-6).expected_absolute_noise(public) == pytest.approx(expected, rel=1e-6)


def worst_share(world: World, epsilon: float, delta: float, rates: list[float]) -> float:
    """The largest exact delta of two neighbours, divided by delta; equal pairs are judged once."""
    cases = {(rates[x], abs(int(world.values[x] - world.values[y])), rates[y]) for x, y in world.pairs}
    return max(hockey_stick(*case, epsilon) for case in cases) / delta


def rates_of(mechanism: ExactPairLaplace, world: World) -> list[float]:
    known: dict[int, float] = {}
    problems = world.problems()
    for problem in problems:
        if id(problem.sensitivity) not in known:
            known[id(problem.sensitivity)] = float(1 / mechanism.noise(problem).scale)
    return [known[id(problem.sensitivity)] for problem in problems]


def lite_rates(world: World, epsilon: float, delta: float) -> list[float]:
    """The closed form that is implied by the exact conditions for delta <= 1/e."""
    ell, found = log(1 / delta), []
    for ladder in world.rows.T:
        rate = epsilon / world.bound
        for rung in reversed(ladder.tolist()):
            grown = rate * (ell + epsilon) / (ell + rate * rung)
            rate = max(rate, min(epsilon / rung, grown) if rung else grown)
        found.append(rate)
    return found


@pytest.mark.parametrize("read", [3, 40])
@pytest.mark.parametrize("spaces", [40, pytest.param(150, marks=pytest.mark.long)])
def test_random_data_spaces_keep_delta(read: int, spaces: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rungs, "MOST_RUNGS", read)
    rng, worst, pairs = np.random.default_rng(11), 0.0, 0
    for _ in range(spaces):
        world = random_world(rng)
        epsilon, delta = float(10 ** rng.uniform(-1.3, 1.1)), float(10 ** rng.uniform(-9, -0.7))
        rates = rates_of(ExactPairLaplace(epsilon, delta), world)
        worst, pairs = max(worst, worst_share(world, epsilon, delta, rates)), pairs + len(world.pairs)
        lite = lite_rates(world, epsilon, min(delta, 0.3))
        assert worst_share(world, epsilon, min(delta, 0.3), lite) <= 1 + 1e-9
        if read == 40:
            assert all(small <= rate * (1 + 1e-7) for small, rate in zip(lite, rates, strict=True))
    assert 0.999 < worst <= 1 + 1e-9
    assert pairs > 30 * spaces


@pytest.mark.parametrize("pattern", ["triangle", "2-triangle"])
def test_all_graphs_of_five_nodes_keep_delta(pattern: str) -> None:
    world = graph_world(pattern)
    for epsilon, delta in ((0.3, 1e-6), (1.0, 1e-2), (5.0, 1 / 2000), (12.0, 1e-9)):
        share = worst_share(world, epsilon, delta, rates_of(ExactPairLaplace(epsilon, delta), world))
        assert share <= 1 + 1e-9
        assert share > 0.9, "the conditions are used to the full"


def test_the_number_of_rungs_is_public_and_capped() -> None:
    assert ExactPairLaplace("0.1", 1e-6).rungs_read(PROBLEM.frame) == 7255
    assert ExactPairLaplace("0.001", 1e-6).rungs_read(PROBLEM.frame) == rungs.MOST_RUNGS == 65536
    mechanism = ExactPairLaplace(5, "1/2000")
    count = mechanism.rungs_read(PROBLEM.frame)
    assert count == 83
    count = mechanism.rungs_read(problem_of(10**60, [1]).frame)
    assert count > 400
    fewer, same, more = (mechanism.noise(problem_of(10**60, [1] * length)) for length in (100, count, count + 5))
    assert same == more
    assert fewer.scale > same.scale


def test_what_bits_draw_is_the_law_at_the_very_scale(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(exact, "MORE_BITS", 1)
    mechanism = ExactPairLaplace(5, "1/2000")
    law, undecided = law_by_enumeration(lambda bits: mechanism.draw(PROBLEM, bits), depth=10)
    assert undecided < Fraction(1, 8)
    stated = np.exp(mechanism.log_probabilities(PROBLEM, range(95, 106)))
    for answer, probability in zip(range(95, 106), stated, strict=True):
        assert law.get(answer, 0) <= probability <= law.get(answer, 0) + undecided


def test_a_release_pays_epsilon_and_delta_and_shows_no_scale() -> None:
    budget = Budget(epsilon=5, delta="1/2000", composition="basic")
    release = ExactPairLaplace(5, "1/2000").release(PROBLEM, budget=budget)
    assert isinstance(release.value, int)
    assert budget.spent.epsilon == 5
    assert budget.spent.delta == Fraction(1, 2000)
    assert release.mechanism == "ExactPairLaplace(epsilon=5, delta=0.0005)"
    with pytest.raises(ParameterError, match="is private"):
        release.error()
    assert repr(ExactPairLaplace(5, "1/2000").noise(PROBLEM)) == "RoundedLaplace(...)"


def test_zeros_and_huge_bounds_are_no_special_cases() -> None:
    frame = NumericFrame(2**500, Adjacency.EDGE, resolution=Fraction(1, 2**500))
    huge = NumericProblem(frame, 3, RungTable([[0.0], [1.0]], bound=2**500))
    assert isinstance(ExactPairLaplace(1, 1e-6).draw(huge, ScriptedEntropy([0, 1] * 2000)), int)
    still = problem_of(5, [0] * 3000)
    assert ExactPairLaplace(10, 0.1).noise(still).scale == rungs.SMALLEST_SCALE
    assert ExactPairLaplace(10, 0.1).draw(still, ScriptedEntropy([0, 1] * 200)) == 0


@pytest.mark.parametrize(
    ("epsilon", "delta", "named"),
    [(0, 0.1, "epsilon"), (301, 0.1, "epsilon"), ("1e-7", 0.1, "epsilon"), (1, 0, "delta"), (1, 0.51, "delta")],
)
def test_what_is_not_proved_is_refused(epsilon: object, delta: object, named: str, refused: Refused) -> None:
    with refused(ParameterError, named):
        ExactPairLaplace(epsilon, delta)  # type: ignore[arg-type]
