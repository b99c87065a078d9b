"""PolyPlace: the judge first, then the recursion, then whole data spaces."""

from fractions import Fraction

import numpy as np
import pytest

from dampen import Adjacency, Budget, NumericFrame, NumericProblem
from dampen.audit import ScriptedEntropy, law_by_enumeration
from dampen.certified import arithmetic, ball
from dampen.errors import ParameterError
from dampen.mechanisms import PolyPlace
from dampen.mechanisms.numeric import rungs
from dampen.mechanisms.numeric.poly_place import STEP_ERROR, smallest_scale
from dampen.sampling import exact
from dampen.sensitivity import RungTable
from tests.conftest import Refused
from tests.unit.mechanisms.numeric.judges import (
    World,
    graph_world,
    poly_place_loss,
    problem_of,
    random_ladders,
    random_world,
)

LADDER = RungTable([[7], [15], [27], [30]], bound=30)
PROBLEM = NumericProblem(NumericFrame(30, Adjacency.EDGE), 100, LADDER).as_public()


def test_the_closed_form_of_the_loss_is_the_largest_ratio_of_densities() -> None:
    rng = np.random.default_rng(0)
    far = np.concatenate([[0.0], 10 ** np.linspace(-3, 13, 4000)])
    for _ in range(60):
        p, scale, distance = int(rng.integers(3, 65)), 10 ** rng.uniform(-1, 1), 10 ** rng.uniform(-1.5, 1.5)
        other = scale * float(np.exp(rng.uniform(-1, 1)))
        z = np.concatenate([-far, far, distance - far, distance + far])
        ratios = (p - 1) * np.log(scale / other) + p * np.log((other + np.abs(z - distance)) / (scale + np.abs(z)))
        assert poly_place_loss(scale, distance, other, p) == pytest.approx(ratios.max(), rel=1e-6, abs=1e-9)


def certified_scale(scale: float, rung: float, epsilon: float, p: int) -> Fraction:
    """The smallest scale beside this one by bisection of the three conditions in 200 bits."""
    with arithmetic(200) as flint:
        top, shift, e = (ball(flint, Fraction(number)) for number in (scale, rung, epsilon))

        def allowed(s: Fraction) -> bool:
            small = ball(flint, s)
            growth = (top / small).log()
            slides = p * (1 + shift / top).log() + growth, p * (1 + shift / small).log()
            return bool((p - 1) * growth <= e and slides[0] <= e and slides[1] <= e)

        low, high = Fraction(0), Fraction(scale)
        for _ in range(120):
            middle = (low + high) / 2
            low, high = (low, middle) if allowed(middle) else (middle, high)
    return high


@pytest.mark.parametrize("epsilon", [1e-3, 0.3, 5.0, 100.0])
@pytest.mark.parametrize("p", [3, 6, 64])
def test_one_step_is_the_smallest_scale_the_conditions_allow(epsilon: float, p: int) -> None:
    flat = 1 / np.expm1(epsilon / p)
    for share in (1e-9, 1e-3, 0.3, 0.7, 0.95, 0.9999):
        got = smallest_scale([share], epsilon, p, 2.0**-900)
        expected = certified_scale(float(flat), share, epsilon, p)
        assert abs(Fraction(got) / expected - 1) <= STEP_ERROR * (1 + epsilon)


def worst_loss(world: World, p: int, scales: list[float]) -> float:
    cases = {(scales[x], abs(int(world.values[x] - world.values[y])), scales[y]) for x, y in world.pairs}
    return max(poly_place_loss(*case, p) for case in cases)


def scales_of(mechanism: PolyPlace, world: World) -> list[float]:
    known: dict[int, float] = {}
    problems = world.problems()
    for problem in problems:
        if id(problem.sensitivity) not in known:
            known[id(problem.sensitivity)] = float(mechanism.noise(problem).scale)
    return [known[id(problem.sensitivity)] for problem in problems]


@pytest.mark.parametrize("read", [3, 40])
@pytest.mark.parametrize("spaces", [40, pytest.param(150, marks=pytest.mark.long)])
def test_random_data_spaces_keep_epsilon(read: int, spaces: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rungs, "MOST_RUNGS", read)
    rng, worst = np.random.default_rng(11), 0.0
    for _ in range(spaces):
        world, epsilon, p = random_world(rng), float(10 ** rng.uniform(-1.3, 1.1)), int(rng.integers(3, 16))
        worst = max(worst, worst_loss(world, p, scales_of(PolyPlace(epsilon, p), world)) / epsilon)
    assert 0.999 < worst <= 1 + 1e-9


@pytest.mark.parametrize("pattern", ["triangle", "2-triangle"])
def test_all_graphs_of_five_nodes_keep_epsilon(pattern: str) -> None:
    world = graph_world(pattern)
    for epsilon, p in ((0.1, 6), (1.0, 4), (5.0, 6), (12.0, 20)):
        share = worst_loss(world, p, scales_of(PolyPlace(epsilon, p), world)) / epsilon
        assert 0.9 < share <= 1 + 1e-9


def test_the_scale_never_exceeds_that_of_the_bound_and_falls_with_the_ladder() -> None:
    for reach, ladder in random_ladders(np.random.default_rng(2), 40):
        scale = PolyPlace(1).noise(problem_of(reach, ladder)).scale
        raised = PolyPlace(1).noise(problem_of(reach, [min(reach, 2 * rung + 1) for rung in ladder])).scale
        assert scale <= raised <= Fraction(reach / np.expm1(1 / 6)) * (1 + Fraction(1, 10**8))


def test_a_flat_ladder_has_p_over_p_minus_2_times_the_noise_of_laplace() -> None:
    flat = NumericProblem(NumericFrame(10**6, Adjacency.EDGE), 1).as_public()
    assert PolyPlace("0.01", 6).expected_absolute_noise(flat) == pytest.approx(1.5e8, rel=2e-3)
    assert PolyPlace("0.01", 20).expected_absolute_noise(flat) == pytest.approx(20 / 18 * 1e8, rel=2e-3)


def test_the_number_of_rungs_is_public_capped_and_enough() -> None:
    frame = NumericFrame(10**5, Adjacency.EDGE)
    assert PolyPlace("0.1").rungs_read(frame) == 1376
    assert PolyPlace("0.0001").rungs_read(frame) == rungs.MOST_RUNGS
    ladder = [5 + t for t in range(6000)]
    longer = smallest_scale([rung / 1e5 for rung in ladder], 0.1, 6, 2.0**-900) * 1e5
    assert float(PolyPlace("0.1").noise(problem_of(10**5, ladder)).scale) == pytest.approx(longer, rel=1e-5)


def test_what_bits_draw_is_the_law_at_the_very_scale(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(exact, "MORE_BITS", 1)
    mechanism = PolyPlace(5)
    law, undecided = law_by_enumeration(lambda bits: mechanism.draw(PROBLEM, bits), depth=10)
    assert undecided < Fraction(1, 8)
    stated = np.exp(mechanism.log_probabilities(PROBLEM, range(95, 106)))
    for answer, probability in zip(range(95, 106), stated, strict=True):
        assert law.get(answer, 0) <= probability <= law.get(answer, 0) + undecided


def test_a_release_pays_epsilon_alone_and_shows_no_scale() -> None:
    budget = Budget(epsilon=5)
    release = PolyPlace(5).release(PROBLEM, budget=budget)
    assert isinstance(release.value, int)
    assert budget.spent.epsilon == 5
    assert budget.spent.delta == 0
    assert release.mechanism == "PolyPlace(epsilon=5, p=6)"
    assert repr(PolyPlace(5).noise(PROBLEM)) == "RoundedPolyPlace(...)"


def test_zeros_and_huge_bounds_are_no_special_cases() -> None:
    frame = NumericFrame(2**500, Adjacency.EDGE, resolution=Fraction(1, 2**500))
    huge = NumericProblem(frame, 3, RungTable([[0.0], [1.0]], bound=2**500))
    assert isinstance(PolyPlace(1).draw(huge, ScriptedEntropy([0, 1] * 2000)), int)
    still = problem_of(5, [0] * 3000)
    assert float(PolyPlace(60).noise(still).scale) == pytest.approx(float(rungs.SMALLEST_SCALE))
    assert PolyPlace(60).draw(still, ScriptedEntropy([0, 1] * 200)) == 0


@pytest.mark.parametrize(
    ("epsilon", "p", "named"), [(0, 6, "epsilon"), (301, 6, "epsilon"), (1, 2, "p"), (1, 65, "p"), (1, 2.5, "p")]
)
def test_what_is_not_proved_is_refused(epsilon: object, p: object, named: str, refused: Refused) -> None:
    with refused(ParameterError, named):
        PolyPlace(epsilon, p)  # type: ignore[arg-type]
