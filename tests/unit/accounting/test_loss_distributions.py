"""Loss distributions against explicit laws, known numbers and a peer: never below the truth, and hardly above it."""

from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from itertools import product
from math import exp
from typing import Any

import numpy as np
import pytest

from dampen import Adjacency, CountsFrame, Frame, NumericFrame
from dampen.accounting import LossDistribution, loss_distribution
from dampen.accounting import loss_distributions as module
from dampen.accounting.loss_distributions import spread_losses
from dampen.accounting.plans import fixed_range_delta
from dampen.concentrated import largest_rho, least_epsilon
from dampen.errors import ParameterError
from dampen.mechanisms import Exponential, Gaussian, GaussianCounts, Laplace, LaplaceCounts, PermuteAndFlip
from dampen.mechanisms.grouping.randomised_response import RandomisedResponse
from dampen.mechanisms.numeric.gaussian_noise import GaussianNoise
from dampen.mechanisms.numeric.noises import Geometric, Noise
from dampen.problem import GroupFrame
from dampen.vectors import Floats
from tests.conftest import Refused

ADD_REMOVE = Adjacency.ADD_REMOVE
ONE = NumericFrame(1, ADD_REMOVE)
CANDIDATES = Frame(("a", "b"), 1, ADD_REMOVE)
FLOATS = 1e-14
"""What sums in floats, written out, may be off."""
EPSILONS = ("0", "1/10", "1/2", "1", "5/2")


def excess(p: Floats, q: Floats, epsilon: float) -> float:
    """What P exceeds exp(epsilon) Q by, from its definition."""
    return float(np.maximum(p - np.exp(epsilon) * q, 0).sum())


def moved(noise: Noise, by: int, last: int = 400) -> tuple[Floats, Floats]:
    """The laws of noise around 0 and around another value."""
    k = np.arange(-last, last + 1)
    return np.exp(noise.log_probabilities(k)), np.exp(noise.log_probabilities(k - by))


def response(epsilon: float, kinds: int) -> tuple[Floats, Floats]:
    own = np.full(kinds, 1.0)
    own[0] = exp(epsilon)
    return own / own.sum(), np.roll(own, 1) / own.sum()


PAIRS: dict[str, tuple[Callable[[], LossDistribution], tuple[Floats, Floats]]] = {
    "Laplace": (lambda: loss_distribution(Laplace("1/2"), ONE), moved(Geometric(Fraction(1, 2)), 1)),
    "Laplace, 3 steps": (
        lambda: loss_distribution(Laplace(2), NumericFrame(3, ADD_REMOVE)), moved(Geometric(Fraction(2, 3)), 3),
    ),
    "Gaussian": (lambda: loss_distribution(Gaussian("1/8"), ONE), moved(GaussianNoise(Fraction(4)), 1, 60)),
    "Gaussian, 5 steps": (
        lambda: loss_distribution(Gaussian("1/2"), NumericFrame(5, ADD_REMOVE)), moved(GaussianNoise(Fraction(25)), 5),
    ),
    "response of 2": (lambda: loss_distribution(RandomisedResponse(1), GroupFrame(9, 2)), response(1.0, 2)),
    "response of 5": (lambda: loss_distribution(RandomisedResponse("3/2"), GroupFrame(9, 5)), response(1.5, 5)),
    "histogram, replaced": (
        lambda: loss_distribution(GaussianCounts("1/4"), CountsFrame(9, 2, Adjacency.REPLACE, largest=1)),
        tuple(np.outer(each, each).ravel() for each in moved(GaussianNoise(Fraction(4)), 1, 60)),  # type: ignore[dict-item]
    ),
    "one count": (
        lambda: loss_distribution(LaplaceCounts(2), CountsFrame(1, 3, ADD_REMOVE)), moved(Geometric(Fraction(2, 3)), 3),
    ),
    "histogram": (
        lambda: loss_distribution(LaplaceCounts("1/2"), CountsFrame(9, 1, ADD_REMOVE)),
        moved(Geometric(Fraction(1, 2)), 1),
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", PAIRS)
@pytest.mark.parametrize("epsilon", EPSILONS)
def test_one_release_has_the_excess_of_its_worst_pair(name: str, epsilon: str) -> None:
    make, (p, q) = PAIRS[name]
    found, true = make().delta(epsilon), excess(p, q, float(Fraction(epsilon)))
    assert true * (1 - 1e-12) - FLOATS <= found <= true * (1 + 1e-8) + FLOATS


@pytest.mark.parametrize("names", [("Laplace", "Laplace"), ("Gaussian", "response of 5"), ("response of 2",) * 5])
@pytest.mark.parametrize("epsilon", EPSILONS)
def test_several_releases_have_the_excess_of_all_outputs(names: tuple[str, ...], epsilon: str) -> None:
    """Every combination of outputs, written out."""
    first, *rest = (replace(PAIRS[name][0](), adjacency=None) for name in names)  # their numbers alone are looked at
    for other in rest:
        first = first.compose(other)
    laws = [PAIRS[name][1] for name in names]
    p, q = (np.array([1.0]), np.array([1.0]))
    for one, two in laws:
        p, q = np.outer(p, one).ravel(), np.outer(q, two).ravel()
    true = excess(p, q, float(Fraction(epsilon)))
    found = first.delta(epsilon)
    assert true * (1 - 1e-10) - FLOATS <= found <= true * 1.002 + FLOATS


@pytest.mark.parametrize("mechanism", [Laplace("1/2"), Gaussian("1/8")])
def test_smaller_steps_tell_less(mechanism: Any) -> None:
    """Of all neighbours, nearer ones included: what is called the worst pair is."""
    frame = NumericFrame(6, ADD_REMOVE)
    found = loss_distribution(mechanism, frame)
    noise = mechanism._public_noise(frame)
    for by, epsilon in product(range(-6, 7), EPSILONS):
        p, q = moved(noise, by)
        assert excess(p, q, float(Fraction(epsilon))) <= found.delta(epsilon) * (1 + 1e-10) + FLOATS


def test_it_is_the_optimal_composition_of_pure_losses() -> None:
    once, whole = (loss_distribution(Laplace(epsilon), ONE) for epsilon in ("1/10", 1))
    assert once.compose_self(10).delta("1/2") == pytest.approx(0.00992962691738885253, rel=1e-9)
    assert once.compose_self(100).delta(2) == pytest.approx(0.0201401784281915318, rel=1e-9)
    assert whole.compose_self(5).delta(3) == pytest.approx(0.180554628602783467, rel=1e-9)
    assert whole.compose_self(2).delta(0) == pytest.approx(0.462117157260009759, rel=1e-9)
    assert float(once.compose_self(100).epsilon("1e-6")) == pytest.approx(4.7746, abs=5e-5)
    uneven = loss_distribution(Laplace("1/2"), ONE).compose(loss_distribution(Laplace("3/2"), ONE))
    assert uneven.delta("3/2") == pytest.approx(0.200239247124760338, rel=1e-8)


def test_any_bounded_range_tells_no_more_at_any_epsilon() -> None:
    """Losses of t with probability p and of t - eta else: the worst t depends on epsilon, and each is reached."""
    found = loss_distribution(Exponential(1), CANDIDATES)
    for epsilon in EPSILONS:
        e = float(Fraction(epsilon))
        worst = 0.0
        for t in np.linspace(0, 1, 400):
            up = (exp(1) - exp(t)) / (exp(1) - 1)
            worst = max(worst, up * max(1 - exp(e - t), 0) + (1 - up) * max(1 - exp(e - t + 1), 0))
        assert worst <= found.delta(epsilon) <= worst * 1.001 + 1e-12
    assert found.compose_self(3).delta(1) >= 0.0997886310, "what adaptive choices reach"
    assert found.compose_self(3).delta(1) >= fixed_range_delta(Fraction(1), 3, Fraction(1)) * (1 - 1e-9)


@pytest.mark.parametrize("count", [1, 10, 100])
def test_gaussian_noise_promises_more_than_its_rho(count: int) -> None:
    found = loss_distribution(Gaussian("1/50"), ONE).compose_self(count).epsilon("1e-6")
    usual = least_epsilon(count * Fraction(1, 50), Fraction(1, 10**6))
    assert 0.9 * usual < found < 0.95 * usual


def test_a_thousand_counts_at_once() -> None:
    """At the rho of (1, 1e-6) they have a standard deviation of 143, and promise a smaller epsilon than 1."""
    rho = largest_rho(Fraction(1), Fraction(1, 10**6))
    frame = CountsFrame(1000, l1=1000, largest=1, adjacency=ADD_REMOVE)
    found = loss_distribution(GaussianCounts(rho), frame)
    assert float(found.epsilon("1e-6")) == pytest.approx(0.9275, abs=1e-3)
    assert float(found.epsilon("1e-6")) > 0.9274, "never below that of a normal loss"
    assert len(found.masses) <= module.MOST_POINTS


def test_a_fine_resolution_tells_no_more_than_a_coarse_one() -> None:
    fine, coarse = (loss_distribution(Gaussian("1/100"), NumericFrame(b, ADD_REMOVE)) for b in (3000, 1))
    for delta in ("1e-3", "1e-6", "1e-10"):
        assert fine.epsilon(delta) == pytest.approx(float(coarse.epsilon(delta)), rel=1e-3)


def test_random_lists_are_never_below_exact_enumeration() -> None:
    rng = np.random.default_rng(20240229)
    for _ in range(100):
        prices = [Fraction(int(rng.integers(1, 40)), int(rng.integers(7, 30))) for _ in range(rng.integers(1, 6))]
        target = float(rng.random()) * float(sum(prices))
        found = loss_distribution(Laplace(prices[0]), ONE)
        for price in prices[1:]:
            found = found.compose(loss_distribution(Laplace(price), ONE))
        signs = np.array(list(product((1, -1), repeat=len(prices))))
        each = np.array([float(price) for price in prices])
        p = np.prod(1 / (1 + np.exp(-signs * each)), axis=1)
        true = float((p * np.maximum(1 - np.exp(target - signs @ each), 0)).sum())
        told = found.delta(str(target))
        assert told >= true * (1 - 1e-12)


def test_deltas_and_epsilons_are_inverse() -> None:
    found = loss_distribution(Gaussian("1/50"), ONE).compose_self(7)
    for delta in ("1/10", "1e-3", "1e-9"):
        epsilon = found.epsilon(delta)
        assert found.delta(epsilon) <= float(Fraction(delta))
        assert found.delta(epsilon * Fraction(9999, 10000)) > float(Fraction(delta))
    assert loss_distribution(Laplace(1), ONE).epsilon("0.9") == 0
    assert float(loss_distribution(Laplace(1), ONE).epsilon("1e-100")) == pytest.approx(1, rel=1e-6)
    assert loss_distribution(Laplace(1), ONE).delta(1) == 0


def test_coarser_lattices_are_never_below(monkeypatch: pytest.MonkeyPatch) -> None:
    fine = loss_distribution(Gaussian("1/50"), ONE)
    exact = fine.compose_self(6)
    monkeypatch.setattr(module, "MOST_POINTS", 256)
    coarse = fine.compose_self(6)
    assert len(coarse.masses) <= 256 < len(exact.masses)
    for epsilon in EPSILONS:
        assert exact.delta(epsilon) * (1 - 1e-9) <= coarse.delta(epsilon) <= exact.delta(epsilon) * 1.05


def test_splitting_keeps_both_masses() -> None:
    losses, masses = np.array([-0.31, 0.0, 0.17, 0.99]), np.array([0.1, 0.2, 0.3, 0.4])
    found = spread_losses(losses, masses, Fraction(1, 4))
    assert found.masses.sum() == pytest.approx(1, rel=1e-8)
    assert (found.masses * np.exp(-found.losses)).sum() == pytest.approx((masses * np.exp(-losses)).sum(), rel=1e-8)
    assert found.losses.tolist() == [-0.5, -0.25, 0, 0.25, 0.5, 0.75, 1.0, 1.25]
    assert found.masses[-1] < 1e-8, "only what floats may be off"


def test_losses_put_at_the_lower_point_would_be_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """The negative control: a lattice that rounds down promises too much."""
    fine, (p, q) = loss_distribution(Gaussian("1/8"), ONE), PAIRS["Gaussian"][1]
    wrong = LossDistribution(fine.step, fine.first - 1, fine.masses)
    assert wrong.delta("1/2") < excess(p, q, 0.5) * (1 - 1e-3)


def test_what_has_no_proved_worst_pair_is_refused(refused: Refused) -> None:
    with refused(ParameterError, "worst pair of neighbours is proved", "PermuteAndFlip"):
        loss_distribution(PermuteAndFlip(1), CANDIDATES)
    with refused(ParameterError, "worst pair of neighbours is proved"):
        loss_distribution(Laplace(1), CANDIDATES)
    with refused(ParameterError, "largest=1, or a single count"):
        loss_distribution(GaussianCounts(1), CountsFrame(9, 4, ADD_REMOVE, largest=2))
    with refused(ParameterError, "coarser resolution"):
        loss_distribution(Gaussian("1/100"), NumericFrame(10**9, ADD_REMOVE))
    with refused(ParameterError, "not told apart from an infinite loss"):
        loss_distribution(Gaussian("1/100"), ONE).epsilon("1e-30")
    with refused(ParameterError, "LossDistribution"):
        loss_distribution(Laplace(1), ONE).compose(1)  # type: ignore[arg-type]


@pytest.mark.parametrize("count", [1, 8])
def test_it_agrees_with_dp_accounting(count: int) -> None:
    """Its lower estimates are never above ours, and ours are hardly above its upper ones."""
    peer = pytest.importorskip("dp_accounting.pld.privacy_loss_distribution", reason="dp-accounting is not installed")
    cases = {
        "discrete_laplace": (loss_distribution(Laplace("1/5"), ONE), {"parameter": 0.2}),
        "discrete_gaussian": (loss_distribution(Gaussian("1/50"), ONE), {"sigma": 5.0}),
    }
    for name, (own, parameters) in cases.items():
        made = getattr(peer, f"from_{name}_mechanism")
        options = {**parameters, "value_discretization_interval": 1e-3}
        low, high = (made(**options, pessimistic_estimate=upper).self_compose(count) for upper in (False, True))
        found = own.compose_self(count)
        for epsilon in (0.1, 0.5, 1.0):
            least, most = (each.get_delta_for_epsilon(epsilon) for each in (low, high))
            assert least * (1 - 1e-9) - 1e-13 <= found.delta(epsilon) <= most * 1.0005 + 1e-13, (name, epsilon)


@pytest.mark.parametrize("epsilon", [800, 3_000, 10**5])
def test_wide_ranges_overflow_nowhere(epsilon: int) -> None:
    found = loss_distribution(Exponential(epsilon), CANDIDATES)
    assert np.isfinite(found.masses).all()
    assert found.masses.sum() == pytest.approx(1)
    assert epsilon / 2 < found.epsilon("1e-6") <= epsilon * 1.01


@pytest.mark.parametrize("tiny", ["1e-7", "1e-9", "1e-17", "1e-19"])
def test_a_tiny_loss_beside_a_large_one_takes_nothing_away(tiny: str) -> None:
    """Its lattice would have more points than whole numbers reach, and 1 became 1e-23."""
    large = loss_distribution(Gaussian(100), ONE).compose_self(10)
    assert large.delta(10) == 1
    assert large.compose(loss_distribution(Laplace(tiny), ONE)).delta(10) == 1
    both = loss_distribution(Laplace(1), ONE).compose(loss_distribution(Laplace(tiny), ONE))
    assert both.delta("1/2") >= loss_distribution(Laplace(1), ONE).delta("1/2")


def test_losses_of_different_neighbours_do_not_add_up(refused: Refused) -> None:
    """A histogram of which a row may leave, and answers of which one may be another."""
    rows = loss_distribution(LaplaceCounts(1), CountsFrame(9, 1, ADD_REMOVE))
    replaced = loss_distribution(RandomisedResponse(1), GroupFrame(9, 2))
    assert (rows.adjacency, rows.unit) == (ADD_REMOVE, "row")
    assert (rows.compose_self(5).adjacency, rows.compose_self(5).unit) == (ADD_REMOVE, "row")
    with refused(ParameterError, "other must have the same neighbours, ADD_REMOVE per row", "REPLACE per row"):
        rows.compose(replaced)


def test_the_largest_loss_is_no_smaller_than_floats_put_it() -> None:
    """Epsilons a hair above a point of the lattice, where nothing was left above it."""
    for bound in range(1100, 1300):
        found = loss_distribution(Laplace(1 + Fraction(1, 2**58)), NumericFrame(bound, ADD_REMOVE))
        assert found.delta(1) > 0, bound
