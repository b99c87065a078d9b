"""Noise by smooth sensitivity: the constants, then whole data spaces."""

from fractions import Fraction
from functools import partial
from math import exp, log
from typing import Any

import numpy as np
import pytest

from dampen import Adjacency, Budget, NumericFrame, NumericProblem
from dampen.audit import ScriptedEntropy, law_by_enumeration
from dampen.certified import arithmetic, ball
from dampen.errors import ParameterError
from dampen.mechanisms import SmoothCauchy, SmoothLaplace, SmoothStudentT
from dampen.mechanisms.numeric import rungs
from dampen.mechanisms.numeric.heavy_noises import RoundedBell
from dampen.mechanisms.numeric.rungs import smooth_share
from dampen.mechanisms.numeric.smooth_noise import SmoothNoiseMechanism
from dampen.sampling import exact
from dampen.sensitivity import RungTable
from tests.conftest import Refused
from tests.unit.mechanisms.numeric.judges import World, graph_world, hockey_stick, problem_of, random_world

LADDER = RungTable([[7], [15], [27], [30]], bound=30)
PROBLEM = NumericProblem(NumericFrame(30, Adjacency.EDGE), 100, LADDER).as_public()
MECHANISMS: dict[str, SmoothNoiseMechanism] = {
    "Laplace": SmoothLaplace(5, "1/2000"),
    "Cauchy": SmoothCauchy(5),
    "Cauchy 5/2": SmoothCauchy(5, "5/2"),
    "Student": SmoothStudentT(5),
}
FAR = np.concatenate([[0.0], 10 ** np.linspace(-4, 8, 1500)])


def log_density(noise: RoundedBell, z: Any) -> Any:
    """Of the noise before it is rounded."""
    scale = float(noise.scale)
    return noise._log_density(np.abs(z) / scale) - log(2 * scale)


def loss(one: RoundedBell, distance: float, other: RoundedBell) -> float:
    """The largest logarithm of the ratio of two densities, by search over outputs."""
    unit = float(max(one.scale, other.scale))
    z = np.concatenate([-FAR * unit, FAR * unit, distance - FAR * unit, distance + FAR * unit])
    return float(np.max(log_density(one, z) - log_density(other, z - distance)))


def test_smooth_sensitivity_is_the_largest_faded_rung() -> None:
    assert smooth_share([0.1, 0.3], 0.5) == pytest.approx(max(0.1, 0.3 * exp(-0.5), exp(-1)))
    assert smooth_share([], 0.5) == 1


@pytest.mark.parametrize("gamma", ["2", "5/2", "4", "16"])
def test_both_terms_of_cauchy_noise_are_tight(gamma: str) -> None:
    mechanism = SmoothCauchy("0.01", gamma)
    wide, narrow = (mechanism._noise(Fraction(scale)) for scale in (exp(mechanism.beta), 1.0))
    assert loss(wide, 0, narrow) == pytest.approx(0.005, rel=1e-6)
    assert loss(narrow, 0, wide) <= 0.005 * (1 + 1e-9)
    assert 0.99 * 0.005 < loss(narrow, mechanism.alpha, narrow) <= 0.005
    assert loss(wide, mechanism.alpha, narrow) <= 0.01
    assert loss(narrow, mechanism.alpha, wide) <= 0.01


@pytest.mark.parametrize("dof", [1, 2, 3, 64])
def test_both_terms_of_student_noise_are_tight(dof: int) -> None:
    mechanism = SmoothStudentT("0.01", dof)
    wide, narrow = (mechanism._noise(Fraction(scale)) for scale in (exp(mechanism.beta), 1.0))
    assert loss(wide, 0, narrow) == pytest.approx(0.005, rel=1e-6)
    assert 0.99 * 0.005 < loss(narrow, mechanism.alpha, narrow) <= 0.005
    assert loss(wide, mechanism.alpha, narrow) <= 0.01
    assert loss(narrow, mechanism.alpha, wide) <= 0.01


def test_one_degree_of_freedom_is_cauchy() -> None:
    k = np.arange(-20, 21)
    one, two = (mechanism.log_probabilities(PROBLEM, k) for mechanism in (SmoothStudentT(2, 1), SmoothCauchy(2, 2)))
    assert one == pytest.approx(two, rel=1e-9)


def test_the_textbook_constants_are_proved_up_to_epsilon_10_and_delta_a_tenth() -> None:
    """Balls that cover ln(20) <= w <= 10: docs/proofs/smooth_laplace.md."""
    with arithmetic(128) as flint:
        pieces, highest = 3000, 0.0
        start, end = log(20) - 1e-9, 10.0
        for piece in range(pieces):
            middle = start + (piece + 0.5) * (end - start) / pieces
            w = flint.arb(middle, (end - start) / pieces / 2 + 1e-12)
            beta = 5 / w
            q = beta / beta.expm1()
            condition = w * (1 - q) + (-(-beta).expm1()).log() - q + (-2 * q * w).exp().log1p()
            highest = max(highest, float(condition.upper()))
            assert condition < 2 * flint.arb(2).log()
    assert 1.33 < highest < 1.35


@pytest.mark.parametrize("delta", [0.1, 0.01, 1e-3, 1e-6, 1e-12])
def test_two_smooth_scales_keep_delta_where_it_is_proved(delta: float) -> None:
    for epsilon in (0.01, 0.3, 1.0, 3.0, 10.0):
        mechanism = SmoothLaplace(epsilon, delta)
        narrow, wide = mechanism.alpha, mechanism.alpha * exp(-mechanism.beta)
        for distance in (0.0, 0.5, 1.0):
            assert hockey_stick(wide, distance, narrow, epsilon) <= delta
            assert hockey_stick(narrow, distance, wide, epsilon) <= delta


def test_beyond_a_tenth_the_textbook_constants_fail() -> None:
    epsilon, delta = 10.0, 0.2
    beta = epsilon / (2 * log(2 / delta))
    assert hockey_stick(epsilon / 2 * exp(-beta), 1.0, epsilon / 2, epsilon) > 1.1 * delta


def worst(world: World, scales: list[Any], measure: Any) -> float:
    cases = {(scales[x], abs(int(world.values[x] - world.values[y])), scales[y]) for x, y in world.pairs}
    return float(max(measure(*case) for case in cases))


def test_random_data_spaces_keep_delta(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rungs, "MOST_RUNGS", 40)
    rng = np.random.default_rng(4)
    for _ in range(40):
        world, epsilon, delta = random_world(rng), float(10 ** rng.uniform(-1.3, 1)), float(10 ** rng.uniform(-9, -1))
        rates = [float(1 / SmoothLaplace(epsilon, delta).noise(problem).scale) for problem in world.problems()]
        assert worst(world, rates, partial(hockey_stick, epsilon=epsilon)) <= delta * (1 + 1e-9)


@pytest.mark.parametrize("name", ["Cauchy", "Cauchy 5/2", "Student"])
def test_random_data_spaces_keep_epsilon(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rungs, "MOST_RUNGS", 40)
    rng, found = np.random.default_rng(4), 0.0
    for _ in range(6):
        world, mechanism = random_world(rng), MECHANISMS[name]
        found = max(found, worst(world, [mechanism.noise(problem) for problem in world.problems()], loss))
    assert 2.5 < found <= 5


def test_graphs_of_five_nodes_keep_delta() -> None:
    world = graph_world("2-triangle")
    tables: dict[int, float] = {}
    problems = world.problems()
    for problem in problems:
        if id(problem.sensitivity) not in tables:
            tables[id(problem.sensitivity)] = float(1 / MECHANISMS["Laplace"].noise(problem).scale)
    rates = [tables[id(problem.sensitivity)] for problem in problems]
    assert worst(world, rates, partial(hockey_stick, epsilon=5.0)) <= (1 + 1e-9) / 2000


@pytest.mark.parametrize("name", MECHANISMS)
def test_what_bits_draw_is_the_law_at_the_very_scale(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(exact, "MORE_BITS", 1)
    mechanism = MECHANISMS[name]
    law, undecided = law_by_enumeration(lambda bits: mechanism.draw(PROBLEM, bits), depth=9)
    assert undecided < Fraction(1, 4)
    stated = np.exp(mechanism.log_probabilities(PROBLEM, range(97, 104)))
    for answer, probability in zip(range(97, 104), stated, strict=True):
        assert law.get(answer, 0) <= probability <= law.get(answer, 0) + undecided


@pytest.mark.parametrize("name", MECHANISMS)
def test_releases_pay_and_show_no_scale(name: str) -> None:
    mechanism, budget = MECHANISMS[name], Budget(epsilon=5, delta="1/2000", composition="basic")
    release = mechanism.release(PROBLEM, budget=budget)
    assert isinstance(release.value, int)
    assert budget.spent.epsilon == 5
    assert budget.spent.delta == (Fraction(1, 2000) if name == "Laplace" else 0)
    assert repr(mechanism.noise(PROBLEM)).endswith("(...)")


@pytest.mark.parametrize("name", MECHANISMS)
def test_zeros_and_huge_bounds_are_no_special_cases(name: str) -> None:
    for power in (40, 500):
        frame = NumericFrame(2**power, Adjacency.EDGE, resolution=Fraction(1, 2**power))
        huge = NumericProblem(frame, 3, RungTable([[0.0], [1.0]], bound=2**power))
        assert MECHANISMS[name].noise(huge).scale > 0
        if power == 40:
            assert isinstance(MECHANISMS[name].draw(huge, ScriptedEntropy([0, 1] * 200)), int)
    assert isinstance(MECHANISMS[name].draw(problem_of(5, [0] * 100), ScriptedEntropy([0, 1] * 200)), int)


def test_the_scale_is_the_smooth_sensitivity_over_alpha() -> None:
    scale = SmoothLaplace(5, "1/2000").noise(PROBLEM).scale
    beta = 5 / (2 * log(4000))
    smooth = max(7, 15 * exp(-beta), 27 * exp(-2 * beta), 30 * exp(-3 * beta))
    assert smooth / 2.5 < scale < smooth / 2.5 * (1 + 1e-8)
    with arithmetic(64) as flint:
        assert ball(flint, scale) > 0


@pytest.mark.parametrize(
    ("build", "named"),
    [
        (lambda: SmoothLaplace(11, 0.01), "epsilon"),
        (lambda: SmoothLaplace(1, 0), "delta"),
        (lambda: SmoothLaplace(1, 0.11), "delta"),
        (lambda: SmoothCauchy(1, 1.9), "gamma"),
        (lambda: SmoothCauchy(1, 17), "gamma"),
        (lambda: SmoothCauchy(301), "epsilon"),
        (lambda: SmoothStudentT(1, 0), "dof"),
        (lambda: SmoothStudentT(1, 65), "dof"),
        (lambda: SmoothStudentT(1, 2.5), "dof"),  # type: ignore[arg-type]
        (lambda: SmoothStudentT(0), "epsilon"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_what_is_not_proved_is_refused(build: Any, named: str, refused: Refused) -> None:
    with refused(ParameterError, named):
        build()
