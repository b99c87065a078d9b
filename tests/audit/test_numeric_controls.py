"""Planted faults in numeric mechanisms. Each is a mistake that has been made; the auditor must catch every one."""

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations
from math import exp, expm1, log, log1p
from typing import Any

import numpy as np
import pytest

from dampen import Adjacency, GrowthLaw, NumericFrame, NumericProblem
from dampen.audit import AuditReport, audit_numeric, edge_neighbours
from dampen.audit.neighbours import Graph
from dampen.errors import FrameLeak, ParameterError
from dampen.mechanisms import Laplace
from dampen.mechanisms.numeric.base import AdditiveMechanism
from dampen.mechanisms.numeric.noises import Geometric, Noise, RoundedLaplace, RoundedNoise
from dampen.mechanisms.numeric.piecewise_noise import PiecewiseNoise
from dampen.privacy import PrivacyLoss
from dampen.sensitivity import RungTable, SensitivityFunction
from dampen.vectors import Floats
from tests.audit.universes.subgraphs import shapes_around, subgraphs, triangles

Rungs = Callable[[NumericProblem], list[int]]
READ = 16
"""Enough for five nodes: beyond ten steps every graph is within reach."""


# The honest mechanisms, written down anew in their simplest form; faults are planted in them


def rungs_of(problem: NumericProblem) -> list[int]:
    return list(problem.rungs(READ))


@dataclass(frozen=True)
class Polynomial(RoundedNoise):
    """P(|Z| > z) = (1 + z)^-power."""

    power: float

    def survival(self, flint: Any, z: Any) -> Any:
        raise NotImplementedError

    def log_survival(self, z: Floats) -> Floats:
        return np.asarray(-self.power * np.log1p(z))

    def log_cell(self, z: Floats, width: float) -> Floats:
        return np.asarray(-self.power * np.log1p(z) + np.log(-np.expm1(-self.power * np.log1p(width / (1 + z)))))

    def quantile(self, tail: Floats) -> Floats:
        raise NotImplementedError

    def mean_size(self) -> float:
        raise NotImplementedError


class Planted(AdditiveMechanism):
    """Noise from a ladder read by ``rungs``."""

    def __init__(self, epsilon: str, delta: float = 0, rungs: Rungs = rungs_of) -> None:
        super().__init__(epsilon)
        object.__setattr__(self, "delta", delta)
        object.__setattr__(self, "rungs", rungs)

    delta: float
    rungs: Rungs

    def privacy(self, frame: NumericFrame) -> PrivacyLoss:
        return PrivacyLoss(self.epsilon, self.delta, adjacency=frame.adjacency)


class PolynomialTails(Planted):
    """PolyPlace with p = 6, by its recursion."""

    p = 6

    def noise(self, problem: NumericProblem) -> Noise:
        e, p = float(self.epsilon) * (1 - 1e-9), self.p
        scale = problem.frame.reach / expm1(e / p)
        for rung in reversed(self.rungs(problem)):
            slid = scale * exp(p * log1p(rung / scale) - e)
            scale = min(scale, max(rung / expm1(e / p), scale * exp(-e / (p - 1)), slid))
        return Polynomial(Fraction(scale), p - 1)


class PairedLaplace(Planted):
    """Laplace noise by the simple sufficient condition between two rates."""

    def noise(self, problem: NumericProblem) -> Noise:
        e, depth = float(self.epsilon) * (1 - 1e-9), log(1 / self.delta)
        rate = e / problem.frame.reach
        for rung in reversed(self.rungs(problem)):
            rate = min(e / max(rung, 1e-9), rate * (depth + e) / (depth + rate * rung))
        return RoundedLaplace(1 / Fraction(rate))


HONEST: dict[str, Callable[..., Planted]] = {
    "polynomial": lambda epsilon, rungs: PolynomialTails(epsilon, 0, rungs),
    "Laplace": lambda epsilon, rungs: PairedLaplace(epsilon, 1e-6, rungs),
}


def audited(mechanism: AdditiveMechanism, count: str = "2-triangles") -> AuditReport:
    return subgraphs(count, largest=5, smallest=5).audit(mechanism)


@pytest.mark.parametrize("make", HONEST.values(), ids=HONEST)
@pytest.mark.parametrize("epsilon", ["0.1", "1", "3"])
@pytest.mark.parametrize("count", ["triangles", "2-triangles"])
def test_without_a_fault_it_passes(make: Callable[..., Planted], epsilon: str, count: str) -> None:
    report = audited(make(epsilon, rungs_of), count)
    assert report.passed, str(report)
    assert report.worst_log_ratio > 0.99 * float(epsilon)


# Ladders


def one_rung_missing(problem: NumericProblem) -> list[int]:
    """The first rung twice: every later one comes a step too late."""
    return [rungs_of(problem)[0], *rungs_of(problem)[:-1]]


def local_sensitivity_for_ever(problem: NumericProblem) -> list[int]:
    return [rungs_of(problem)[0]] * READ


LADDERS = {"one missing": one_rung_missing, "the first for ever": local_sensitivity_for_ever}


@pytest.mark.parametrize("make", HONEST.values(), ids=HONEST)
@pytest.mark.parametrize("rungs", LADDERS.values(), ids=LADDERS)
@pytest.mark.parametrize("epsilon", ["0.1", "1", "3"])
def test_too_low_a_ladder(make: Callable[..., Planted], rungs: Rungs, epsilon: str) -> None:
    mechanism = make(epsilon, rungs)
    report = audited(mechanism)
    assert report.breaches == (("delta",) if mechanism.delta else ("epsilon",)), str(report)
    found = report.worst_delta / 1e-6 if mechanism.delta else report.worst_log_ratio / float(epsilon)
    assert found > 1.01


class AtExactly(SensitivityFunction):
    """The largest local sensitivity of the graphs *exactly* t edges away, which may fall again."""

    def __init__(self, graph: Graph) -> None:
        super().__init__(size=1, bound=3)
        distances = {y: len(graph[1] ^ y[1]) for y in LABELLED}
        self._rungs = [max(LOCAL[y] for y in LABELLED if distances[y] == t) for t in range(11)]

    def at(self, t: int) -> Floats:
        return np.array([float(self._rungs[t] if t < len(self._rungs) else 3)])


PAIRS_OF_NODES = list(combinations(range(5), 2))
LABELLED = [(5, frozenset(pair for bit, pair in enumerate(PAIRS_OF_NODES) if code >> bit & 1)) for code in range(2**10)]
LOCAL = {x: max(abs(triangles(x) - triangles(y)) for y in edge_neighbours(x)) for x in LABELLED}


def test_a_ladder_without_the_running_maximum() -> None:
    """A problem takes the running maximum by itself; a mechanism that reads around it is caught."""

    def as_given(problem: NumericProblem) -> list[int]:
        return [int(rung) for rung in problem.sensitivity.ladder(READ)[:, 0]]

    frame = NumericFrame(3, Adjacency.EDGE)
    problems = {x: NumericProblem(frame, triangles(x), AtExactly(x)) for x in shapes_around(5)}
    assert any(np.diff(as_given(problem)).min() < 0 for problem in problems.values())
    reports = [
        audit_numeric(PolynomialTails("3", 0, rungs), problems.__getitem__, problems, shapes_around(5).__getitem__)
        for rungs in (rungs_of, as_given)
    ]
    assert [report.passed for report in reports] == [True, False]


# Scales


class Scaled(Laplace):
    """Laplace noise with a share of its scale."""

    share: Fraction

    def _public_noise(self, frame: NumericFrame) -> Geometric:
        return Geometric(self.epsilon / frame.reach / self.share)


@pytest.mark.parametrize("epsilon", ["0.1", "1", "3"])
@pytest.mark.parametrize("share", ["1/2", "99/100", "99999999/100000000"])
def test_too_small_a_scale(epsilon: str, share: str) -> None:
    """Half the scale, and one rounded down in its eighth digit."""

    class Shrunk(Scaled):
        pass

    Shrunk.share = Fraction(share)
    report = audited(Shrunk(epsilon))
    assert report.breaches == ("epsilon",)
    assert report.worst_log_ratio == pytest.approx(float(epsilon) / float(Fraction(share)), rel=1e-9)


@pytest.mark.parametrize("delta", [0, 1e-6])
def test_a_scale_from_the_local_sensitivity_alone(delta: float) -> None:
    class Unsmoothed(Planted):
        def noise(self, problem: NumericProblem) -> Noise:
            return RoundedLaplace(max(Fraction(problem.rungs(1)[0]), Fraction(1, 100)) / self.epsilon)

    report = audited(Unsmoothed("1", delta))
    assert report.breaches == (("delta",) if delta else ("epsilon",))
    assert report.worst_delta > 1e-2
    assert report.worst_log_ratio > 10


@pytest.mark.parametrize(("part", "passed"), [("1", False), ("1/2", True)])
def test_piecewise_laplace_noise_as_published(part: str, passed: bool) -> None:
    """Rungs 1, 1, 100 beside 1, 100: a rate of epsilon loses 1.955 epsilon, half of it is right."""

    class AsPublished(Planted):
        def noise(self, problem: NumericProblem) -> Noise:
            return PiecewiseNoise(problem.rungs(3), problem.frame.reach, self.epsilon * Fraction(part))

    def problem_of(x: int) -> NumericProblem:
        rows = [[1000.0], [1000.0 if x == 0 else 1e5], [1e5]]
        return NumericProblem(NumericFrame(10**5, Adjacency.REPLACE), 1000 * x, RungTable(rows, bound=10**5))

    report = audit_numeric(AsPublished("1"), problem_of, [0], lambda x: [1 - x])
    assert report.passed == passed
    assert report.worst_log_ratio == pytest.approx(1.955 if part == "1" else 0.989, abs=1e-3)


@pytest.mark.parametrize(("less", "passed"), [(0, False), (1, True)])
def test_the_power_of_polynomial_noise_for_a_smooth_sensitivity(less: int, passed: bool) -> None:
    """On a chain whose steps grow by exp(gamma), p = epsilon / gamma loses 1.2 epsilon; one less is right."""
    epsilon, gamma = 0.3, 0.1
    steps = [round(1000 * exp(gamma * place)) for place in range(30)]
    values = [sum(steps[:place]) for place in range(31)]

    class BySmoothSensitivity(Planted):
        def noise(self, problem: NumericProblem) -> Noise:
            smooth = max(rung * exp(-gamma * t) for t, rung in enumerate(problem.rungs(31)))
            return Polynomial(Fraction(smooth / gamma), epsilon / gamma - less - 1)

    def problem_of(place: int) -> NumericProblem:
        rows = [[max(steps[max(place - t - 1, 0) : place + t + 1])] for t in range(31)]
        return NumericProblem(
            NumericFrame(max(steps), Adjacency.REPLACE), values[place], RungTable(rows, bound=max(steps))
        )

    places = range(10, 21)
    report = audit_numeric(
        BySmoothSensitivity("0.3"), problem_of, places, lambda place: {place - 1, place + 1} & set(places)
    )
    assert report.passed == passed
    if not passed:
        expected = gamma + epsilon / gamma * log1p(gamma * exp(-gamma))
        assert report.worst_log_ratio == pytest.approx(expected, rel=1e-3)
        assert report.worst_log_ratio > 1.19 * epsilon


# What hides beyond the window


ASTRAY = 10**9
"""A distance that no far step meets."""


def astray_at(k: Any, log_law: Floats, chance: float) -> Floats:
    """A law of which a chance is taken, and put on ASTRAY steps to either side."""
    spike = np.where(np.abs(k) == ASTRAY, log(chance / 2), -np.inf)
    return np.asarray(np.logaddexp(log_law + log1p(-chance), spike))


def astray_beyond(k: Any, log_tail: Floats, chance: float) -> Floats:
    """The tail of that law."""
    spikes = np.where(np.asarray(k) <= ASTRAY, log(chance), -np.inf)
    return np.asarray(np.logaddexp(log_tail + log1p(-chance), spikes))


@dataclass(frozen=True)
class Hidden(Geometric):
    """Geometric noise that goes astray with a small chance."""

    chance: float

    def log_probabilities(self, k: Any) -> Floats:
        return astray_at(k, super().log_probabilities(k), self.chance)

    def log_tail(self, k: Any) -> Floats:
        return astray_beyond(k, super().log_tail(k), self.chance)


def test_mass_beyond_the_window_counts_in_full() -> None:
    class Astray(Planted):
        def noise(self, problem: NumericProblem) -> Noise:
            return Hidden(self.epsilon / problem.frame.reach, self.delta * 1.001)

    report = subgraphs("edges", largest=2).audit(Astray("1", 1e-3))
    assert report.breaches == ("delta",)
    assert report.worst_delta == pytest.approx(1.001e-3, rel=1e-9)


@dataclass(frozen=True)
class Swollen(Polynomial):
    """Polynomial tails with a factor more mass from a distance on, taken from all that is nearer: the loss jumps there.

    Nearer it is the same everywhere, and tiny.
    """

    factor: float
    start: int

    @property
    def mass_beyond(self) -> float:
        return float(np.exp(super().log_tail(self.start)))

    @property
    def nearer(self) -> float:
        return (1 - self.factor * self.mass_beyond) / (1 - self.mass_beyond)

    def log_probabilities(self, k: Any) -> Floats:
        return super().log_probabilities(k) + np.where(np.abs(k) >= self.start, log(self.factor), log(self.nearer))

    def log_tail(self, k: Any) -> Floats:
        tail = super().log_tail(k)
        inside = self.nearer * np.maximum(np.exp(tail) - self.mass_beyond, 0) + self.factor * self.mass_beyond
        return np.where(np.asarray(k) >= self.start, tail + log(self.factor), np.log(inside))


def heavy_tailed(delta: float, rho: Fraction | None = None) -> AuditReport:
    """Two laws alike, except that one has e times the mass beyond 10^7 steps: far beyond any window."""

    class Heavier(Planted):
        def noise(self, problem: NumericProblem) -> Noise:
            return Swollen(Fraction(100), 1.5, exp(float(problem.value)), 10**7)

        def privacy(self, frame: NumericFrame) -> PrivacyLoss:
            return PrivacyLoss(self.epsilon, self.delta, adjacency=frame.adjacency, rho=rho)

    frame = NumericFrame(1, Adjacency.REPLACE)
    problems = {x: NumericProblem(frame, x) for x in (0, 1)}
    return audit_numeric(Heavier("1/2", delta), problems.__getitem__, problems, lambda x: (1 - x,))


def test_heavy_tails_count_from_where_the_far_loss_exceeds_epsilon() -> None:
    """The mass outside the widest window is 6e-5. What must count is 3.2e-8 e, and a little more from one far step."""
    truth = exp(1) * (1 + 10**7 / 100) ** -1.5
    report = heavy_tailed(1e-6)
    assert report.passed
    assert truth < report.worst_delta < 1.1 * truth
    assert heavy_tailed(truth / 1.001).breaches == ("delta",)


def test_heavy_tails_count_in_renyi_divergences() -> None:
    """The largest D_a / a is at the order 32: ln(mass exp(32)) / 31 / 32, from far outside alone."""
    truth = (log((1 + 10**7 / 100) ** -1.5) + 32) / 31 / 32
    report = heavy_tailed(1e-6, Fraction(truth * 1.01))
    assert report.passed
    assert report.worst_rho is not None
    assert truth < report.worst_rho < 1.01 * truth
    assert heavy_tailed(1e-6, Fraction(truth * 0.99)).breaches == ("rho",)


@dataclass(frozen=True)
class Spiked(Polynomial):
    """Polynomial tails, and a chance to go astray."""

    chance: float

    def log_probabilities(self, k: Any) -> Floats:
        return astray_at(k, super().log_probabilities(k), self.chance)

    def log_tail(self, k: Any) -> Floats:
        return astray_beyond(k, super().log_tail(k), self.chance)


@pytest.mark.parametrize(("share", "passed"), [(0.99, True), (1.01, False)])
def test_mass_between_far_steps_counts(share: float, passed: bool) -> None:
    class Hiding(Planted):
        def noise(self, problem: NumericProblem) -> Noise:
            return Spiked(Fraction(100), 1.5, self.delta * share)

    report = subgraphs("edges", largest=2).audit(Hiding("1", 1e-6))
    assert report.breaches == (() if passed else ("delta",))
    assert report.worst_delta == pytest.approx(share * 1e-6, rel=1e-3)


def test_a_loss_that_grows_slowly_is_followed_into_the_distance() -> None:
    """Tails of different powers: the loss is (q' - q) ln k, below epsilon in any window, without end beyond."""

    class OwnPower(Planted):
        def noise(self, problem: NumericProblem) -> Noise:
            return Polynomial(Fraction(100), 5 + float(problem.value) / 250)

    frame = NumericFrame(1, Adjacency.REPLACE)
    problems = {x: NumericProblem(frame, Fraction(x, 4)) for x in (0, 1)}
    report = audit_numeric(OwnPower("0.01"), problems.__getitem__, problems, lambda x: (1 - x,))
    assert report.breaches == ("epsilon",)
    assert abs(report.worst_output) > 2**20


def test_concentrated_claims_are_judged_by_renyi_divergences() -> None:
    """Laplace noise at epsilon has D_a <= a epsilon^2 / 2, and not a third of it."""

    class Concentrated(Laplace):
        share = Fraction(1)

        def privacy(self, frame: NumericFrame) -> PrivacyLoss:
            return PrivacyLoss(self.epsilon, adjacency=frame.adjacency, rho=self.share * self.epsilon**2 / 2)

    class TooProud(Concentrated):
        share = Fraction(1, 3)

    honest, proud, other = (subgraphs("edges", largest=3).audit(kind(1)) for kind in (Concentrated, TooProud, Laplace))
    assert honest.passed
    assert proud.breaches == ("rho",)
    square = (1 - exp(-1)) / (1 + exp(-1)) * (exp(1) + exp(-2)) / (1 - exp(-1))
    assert honest.worst_rho is not None
    assert log(square) / 2 <= honest.worst_rho < 0.5
    assert "worst rho" in str(proud)
    assert other.worst_rho is None


@dataclass(frozen=True)
class Walk(Noise):
    """A discrete normal law: D_a of two, d apart, is a d^2 / (2 variance)."""

    variance: float

    def log_probabilities(self, k: Any) -> Floats:
        everywhere = np.arange(-5000.0, 5001)
        normaliser = np.logaddexp.reduce(-(everywhere**2) / (2 * self.variance))
        return np.asarray(-(np.asarray(k, dtype=np.float64) ** 2) / (2 * self.variance) - normaliser)

    def log_tail(self, k: Any) -> Floats:
        beyond = np.logaddexp.accumulate(self.log_probabilities(np.arange(5001))[::-1])[::-1]
        return np.asarray(np.log(2) + beyond[np.minimum(k, 5000)])

    def draw(self, entropy: Any) -> int:
        raise NotImplementedError

    def mean_size(self) -> float:
        raise NotImplementedError

    def simulate(self, rng: Any, size: int) -> Any:
        raise NotImplementedError


@pytest.mark.parametrize(("variance", "epsilon"), [(10_000, "1/4"), (22_500, "12/25")], ids=["near", "outside"])
@pytest.mark.parametrize(("share", "passed"), [("1.02", True), ("0.999", False)])
def test_a_tight_concentrated_claim_with_a_tight_delta(variance: int, epsilon: str, share: str, passed: bool) -> None:
    """rho = 50 / variance, and the delta of the two laws at epsilon, each claimed with little to spare.

    The loss exceeds epsilon in the small window, or only outside it: then the wide one must decide.
    """
    noise, steps, rho = Walk(float(variance)), np.arange(-2500, 2501), Fraction(50, variance)
    law, other = noise.log_probabilities(steps), noise.log_probabilities(steps - 10)
    delta = float(np.maximum(np.exp(law) - np.exp(float(Fraction(epsilon)) + other), 0).sum())

    class Normal(Planted):
        def noise(self, problem: NumericProblem) -> Noise:
            return noise

        def privacy(self, frame: NumericFrame) -> PrivacyLoss:
            return PrivacyLoss(
                self.epsilon, Fraction(delta * 1.0001), adjacency=frame.adjacency, rho=Fraction(share) * rho
            )

    frame = NumericFrame(10, Adjacency.REPLACE)
    problems = {x: NumericProblem(frame, x) for x in (0, 10)}
    report = audit_numeric(Normal(epsilon), problems.__getitem__, problems, lambda x: (10 - x,))
    assert report.breaches == (() if passed else ("rho",))
    assert report.worst_rho is not None
    assert 1 - 1e-9 <= report.worst_rho / rho <= 1.02
    assert report.worst_delta == pytest.approx(delta, rel=1e-9)


# What must be public

FACTS: dict[str, Callable[[int], NumericFrame]] = {
    "bound": lambda x: NumericFrame(1 + x, Adjacency.EDGE),
    "adjacency": lambda x: NumericFrame(1, Adjacency.EDGE if x else Adjacency.REPLACE, unit="edge"),
    "resolution": lambda x: NumericFrame(1, Adjacency.EDGE, resolution=1 + x),
    "range": lambda x: NumericFrame(1, Adjacency.EDGE, range=(0, 10 + x)),
    "unit": lambda x: NumericFrame(1, Adjacency.EDGE, unit="edge" if x else "friendship"),
    "growth": lambda x: NumericFrame(1, Adjacency.EDGE, growth=GrowthLaw(2, 1 + x)),
}


@pytest.mark.parametrize("fact", FACTS)
def test_a_frame_that_depends_on_the_data(fact: str) -> None:
    with pytest.raises(FrameLeak, match=f"^{fact} must be public"):
        audit_numeric(Laplace(1), lambda x: NumericProblem(FACTS[fact](x), x), (0, 1), lambda x: (1 - x,))


@pytest.mark.parametrize(("fact", "rows", "floor"), [("horizon", 1, "1/8"), ("floor", 0, "1/4")])
def test_a_sensitivity_whose_public_part_depends_on_the_data(fact: str, rows: int, floor: str) -> None:
    def problem_of(x: int) -> NumericProblem:
        table = RungTable([[1]] * (1 + rows * x), bound=1, floor=floor if x else "1/8")
        return NumericProblem(NumericFrame(1, Adjacency.EDGE), x, table)

    with pytest.raises(FrameLeak, match=f"sensitivity.{fact} must be public"):
        audit_numeric(Laplace(1), problem_of, (0, 1), lambda x: (1 - x,))


@pytest.mark.parametrize("fact", ["most_rungs", "largest_rise"])
def test_what_a_walk_may_read_depends_on_the_data(fact: str) -> None:
    def problem_of(x: int) -> NumericProblem:
        table = RungTable([[1]], bound=1)
        setattr(table, fact, 5 + x)
        return NumericProblem(NumericFrame(1, Adjacency.EDGE), x, table)

    with pytest.raises(FrameLeak, match=f"sensitivity.{fact} must be public"):
        audit_numeric(Laplace(1), problem_of, (0, 1), lambda x: (1 - x,))


def test_a_price_that_depends_on_the_data() -> None:
    class Fickle(Laplace):
        calls = 0

        def privacy(self, frame: NumericFrame) -> PrivacyLoss:
            type(self).calls += 1
            return PrivacyLoss(1 + type(self).calls, adjacency=frame.adjacency)

    with pytest.raises(FrameLeak, match="claimed loss must be public"):
        audited(Fickle(1))


# What cannot be judged


def test_a_law_that_is_not_a_number_is_refused() -> None:
    class Broken(Laplace):
        def log_probabilities(self, problem: NumericProblem, steps: Any) -> Floats:
            return np.full(np.shape(steps), np.nan)

    with pytest.raises(ParameterError, match="NaN"):
        audited(Broken(1))


def test_values_too_far_apart_are_refused() -> None:
    frame = NumericFrame(10**6, Adjacency.REPLACE)
    with pytest.raises(ParameterError, match="65536 grid steps"):
        audit_numeric(Laplace(1), lambda x: NumericProblem(frame, 10**6 * x), (0, 1), lambda x: (1 - x,))


def test_an_empty_universe_is_refused() -> None:
    with pytest.raises(ParameterError, match="at least one data set"):
        audit_numeric(Laplace(1), lambda x: NumericProblem(NumericFrame(1, Adjacency.EDGE), 0), (), lambda x: ())
