"""Discrete Gaussian noise: its law against certified sums, its price, its error."""

from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from dampen import Adjacency, Budget, CountsFrame, CountsProblem, NumericFrame, NumericProblem
from dampen.audit import audit_numeric, law_by_enumeration
from dampen.certified import arithmetic, ball
from dampen.concentrated import largest_rho
from dampen.entropy import system_entropy
from dampen.errors import BudgetError, ParameterError
from dampen.mechanisms import Gaussian, GaussianCounts, Laplace, LaplaceCounts
from dampen.mechanisms.counts import gaussian_counts
from dampen.mechanisms.numeric import gaussian_noise
from dampen.mechanisms.numeric.gaussian_noise import GaussianNoise
from dampen.sampling import exact
from tests.conftest import Refused

ADD_REMOVE = Adjacency.ADD_REMOVE
FRAME = NumericFrame(3, ADD_REMOVE)
VARIANCES = [Fraction(each) for each in ("1/20", "1/2", "1", "7/3", "63", "64", "300", "5000")]


def certified(variance: Fraction, first: int) -> tuple[Any, Any, Any]:
    """The sum of all f, of those from ``first`` on to both sides, and of all k f(k), to 60 digits."""
    last = int(30 * float(variance) ** 0.5) + 40
    with arithmetic(200) as flint:
        s = ball(flint, variance)
        f = [(-(flint.arb(k) ** 2) / (2 * s)).exp() for k in range(first + last)]
        zero = flint.arb(0)
        return 1 + 2 * sum(f[1:], zero), 2 * sum(f[first:], zero), 2 * sum((k * x for k, x in enumerate(f)), zero)


@pytest.mark.parametrize("variance", VARIANCES, ids=str)
def test_the_law_is_that_of_certified_sums(variance: Fraction) -> None:
    noise, sigma = GaussianNoise(variance), float(variance) ** 0.5
    for first in {1, 2, int(sigma) + 1, int(5 * sigma) + 1, int(variance) + 1, min(int(3 * variance), 400) + 1}:
        whole, tail, size = certified(variance, first)
        with arithmetic(200) as flint:
            p = (-(flint.arb(first) ** 2) / (2 * ball(flint, variance))).exp() / whole
            assert float(noise.log_tail(first)) == pytest.approx(float((tail / whole).log()), rel=1e-12, abs=1e-12)
            assert float(noise.log_probabilities(-first)) == pytest.approx(float(p.log()), rel=1e-12, abs=1e-12)
            assert noise.mean_size() == pytest.approx(float(size / whole), rel=1e-12)


@pytest.mark.parametrize("variance", VARIANCES, ids=str)
@pytest.mark.parametrize("chance", [Fraction(1, 2), Fraction(1, 20), Fraction(1, 10**6)], ids=str)
def test_errors_are_those_of_the_law_rounded_up(variance: Fraction, chance: Fraction) -> None:
    size = GaussianNoise(variance).size_exceeded_with(chance)
    with arithmetic(200) as flint:
        whole, beyond, _ = certified(variance, size + 1)
        assert beyond / whole <= ball(flint, chance)
        if size:
            whole, beyond, _ = certified(variance, size)
            assert beyond / whole > ball(flint, chance)


def test_laws_of_any_width_are_told() -> None:
    for exponent in (-900, -20, 20, 100, 900):
        noise = GaussianNoise(Fraction(2) ** exponent)
        sigma = 2.0 ** (exponent / 2)
        assert noise.size_exceeded_with(Fraction(1, 20)) == pytest.approx(int(1.959964 * sigma), abs=3, rel=1e-6)
        assert noise.mean_size() == pytest.approx(0.7978845608 * sigma if exponent > 0 else 0.0, rel=1e-6, abs=1e-12)
        assert np.isfinite(noise.log_probabilities([0, 1, 10**6]).max())


def test_the_price_is_rho_and_no_epsilon() -> None:
    loss = Gaussian(rho="1/50").privacy(FRAME)
    assert loss.epsilon is loss.bounded_range is None
    assert loss.rho == Fraction(1, 50)
    assert loss.delta == 0
    assert Gaussian(rho="1/50")._public_noise(FRAME).variance == Fraction(9 * 50, 2)
    assert repr(Gaussian(0.02)) == "Gaussian(rho=0.02)"


def test_a_rounded_bound_is_the_one_that_counts() -> None:
    frame = NumericFrame("5/2", ADD_REMOVE)
    assert Gaussian(rho=1)._public_noise(frame).variance == Fraction(9, 2)
    assert Gaussian(rho=1)._public_noise(NumericFrame(5, ADD_REMOVE, resolution=2)).variance == Fraction(9, 2)


@pytest.mark.parametrize(("rho", "bound"), [("1/50", 3), ("1/8", 1), ("7/3", "5/2"), (Fraction(1, 10**20), 10**6)])
def test_the_noise_that_is_drawn_has_the_variance_that_rho_pays_for(
    rho: Any, bound: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Reach^2 / (2 rho), in fractions, as the sampler is told."""
    told: list[Fraction] = []

    def draw(variance: Fraction, source: object) -> int:
        told.append(variance)
        return 4

    monkeypatch.setattr(gaussian_noise, "discrete_gaussian", draw)
    frame = NumericFrame(bound, ADD_REMOVE)
    assert Gaussian(rho).draw(NumericProblem(frame, 7), system_entropy()) == 11
    release = Gaussian(rho).release(NumericProblem(frame, 7), budget=Budget(rho=3))
    assert release.value == 11
    assert release.loss.rho == Fraction(rho)
    assert told == [Fraction(frame.reach) ** 2 / (2 * Fraction(rho))] * 2


@pytest.mark.parametrize(("rho", "l1", "largest"), [("1/50", 9, 1), ("1/8", 2, 1), ("7/3", 10, 4), (1, 1, 1)])
def test_the_noise_of_counts_has_the_variance_that_rho_pays_for(
    rho: Any, l1: int, largest: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """L1 largest / (2 rho)."""
    told: list[tuple[Fraction, int]] = []

    def draw(variance: Fraction, count: int, source: object) -> Any:
        told.append((variance, count))
        return np.arange(count)

    monkeypatch.setattr(gaussian_counts, "discrete_gaussian_batch", draw)
    problem = CountsProblem(CountsFrame(9, l1=l1, largest=largest, adjacency=ADD_REMOVE), [5] * 9)
    release = GaussianCounts(rho).release(problem, budget=Budget(rho=3))
    assert list(release.value) == list(range(5, 14))
    assert release.loss.rho == Fraction(rho)
    assert told == [(Fraction(l1 * largest) / (2 * Fraction(rho)), 9)]


@pytest.mark.parametrize("budget", [Budget(epsilon=100), Budget(epsilon=100, delta="1/2", composition="basic")])
def test_budgets_that_count_no_rho_refuse_it(budget: Budget, refused: Refused) -> None:
    with refused(BudgetError, "rho but no epsilon", "Budget(rho=...)"):
        Gaussian(rho="1/1000").release(NumericProblem(FRAME, 7), budget=budget)
    assert budget.spent.epsilon == 0


@pytest.mark.parametrize("budget", [Budget(rho=1), Budget(epsilon=3, delta="1e-3")], ids=["zcdp", "approx"])
def test_budgets_that_count_rho_pay_for_it(budget: Budget) -> None:
    release = Gaussian(rho="1/100").release(NumericProblem(FRAME, 7), budget=budget)
    assert isinstance(release.value, int)
    assert budget.spent.rho == Fraction(1, 100)
    assert budget.spent.epsilon is None
    assert release.error("0.95") == Gaussian(rho="1/100").accuracy(FRAME).bound("0.95") == 42


def test_answers_stay_in_their_range() -> None:
    frame = NumericFrame(100, ADD_REMOVE, range=(0, 10))
    release = Gaussian(rho="1/100").release(NumericProblem(frame, 7), budget=Budget(rho=1))
    assert 0 <= release.value <= 10
    assert release.accuracy is not None
    assert release.accuracy.bound() == 10


def test_steps_that_no_variance_hides_are_refused(refused: Refused) -> None:
    frame = NumericFrame(2**500, ADD_REMOVE)
    with refused(ParameterError, "rho must fit how far one step moves the answer", "2**1000"):
        Gaussian(rho=Fraction(1, 2**500)).privacy(frame)


def test_a_walk_through_short_words_stays_within_the_law(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(exact, "MORE_BITS", 1)
    mechanism, problem = Gaussian(rho=1), NumericProblem(NumericFrame(1, ADD_REMOVE), 3)
    drawn, undecided = law_by_enumeration(lambda source: mechanism.draw(problem, source), depth=9)
    assert 0 < undecided < 1
    for told, share in drawn.items():
        p = float(np.exp(mechanism.log_probabilities(problem, [told]))[0])
        assert float(share) - 1e-12 <= p <= float(share + undecided) + 1e-12


class Narrow(Gaussian):
    """The variance is 1 % too small."""

    def _public_noise(self, frame: NumericFrame) -> GaussianNoise:
        return GaussianNoise.of(self.rho * Fraction(100, 99), Fraction(frame.reach**2))


@pytest.mark.parametrize("rho", ["1/1000", "1/2", "4"])
def test_the_claim_is_reached_and_a_slightly_smaller_noise_is_found(rho: str) -> None:
    def problem_of(x: int) -> NumericProblem:
        return NumericProblem(FRAME, x)

    report = audit_numeric(Gaussian(rho), problem_of, range(4), lambda x: [x + 1, x + 2, x + 3])
    assert report.passed
    assert report.worst_rho == pytest.approx(float(Fraction(rho)), rel=1e-9)
    found = audit_numeric(Narrow(rho), problem_of, [0], lambda x: [x + 3])
    assert found.breaches == ("rho",)
    assert found.worst_rho == pytest.approx(float(Fraction(rho)) * 100 / 99, rel=1e-9)


def test_divergences_of_orders_between_whole_numbers_are_smaller() -> None:
    """Where a step times the order is no whole number the sum of shifted terms is below that of the law itself."""
    noise, order = GaussianNoise(Fraction(1, 10)), 1.5
    k = np.arange(-50, 51)
    p, q = noise.log_probabilities(k), noise.log_probabilities(k - 1)
    divergence = np.log(np.exp(order * p + (1 - order) * q).sum()) / (order - 1)
    assert divergence < order * 5 - 0.1


def test_a_thousand_counts_have_a_tenth_of_the_noise_of_adding_up() -> None:
    """At (1, 1e-6), as standard deviations: 143 by Gaussian noise, 203 by Laplace noise and rho, 1,414 by adding."""
    rho, count = largest_rho(Fraction(1), Fraction(1, 10**6)), 1000
    gaussian_noise = Gaussian(rho / count)._public_noise(NumericFrame(1, ADD_REMOVE))
    assert float(gaussian_noise.variance) ** 0.5 == pytest.approx(143.3, abs=0.05)
    epsilon = float(2 * rho / count) ** 0.5  # epsilon^2 / 2 each
    assert 2**0.5 / epsilon == pytest.approx(202.6, abs=0.05)
    assert 2**0.5 * count == pytest.approx(1414.2, abs=0.05)
    together = CountsFrame(count, l1=count, largest=1, adjacency=ADD_REMOVE)
    assert GaussianCounts(rho).noise(together).variance == gaussian_noise.variance
    assert LaplaceCounts(1).noise(together).rate == Fraction(1, count)
    problem = CountsProblem(together, [0] * count)
    released = GaussianCounts(rho).release(problem, budget=Budget(rho=rho))
    assert 110 < np.std(released.value) < 180


def test_it_is_better_than_laplace_noise_of_the_same_rho() -> None:
    problem = NumericProblem(NumericFrame(1, ADD_REMOVE), 0).as_public()
    for rho in (Fraction(1, 10_000), Fraction(1, 50)):
        epsilon = Fraction(float(2 * rho) ** 0.5)
        usual, normal = Laplace(epsilon), Gaussian(rho)
        assert normal.accuracy(problem.frame).bound("0.999") < usual.accuracy(problem.frame).bound("0.999") / 1.4
        spread = float(normal.noise(problem).variance) ** 0.5
        assert spread < 0.75 * 2**0.5 / float(epsilon)
