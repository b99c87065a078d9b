"""Loss distributions against explicit laws, known numbers and a peer: never below the truth, and hardly above it."""

from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from functools import reduce
from itertools import product
from math import comb
from typing import Any

import numpy as np
import pytest

from dampen import Adjacency, CountsFrame, Frame, NumericFrame
from dampen.accounting import LossDistribution, loss_distribution, worst_pairs
from dampen.accounting import loss_distributions as module
from dampen.accounting.loss_distributions import losses_at, spread_losses
from dampen.accounting.plans import fixed_range_delta
from dampen.certified import arithmetic, ball
from dampen.concentrated import largest_rho, least_epsilon
from dampen.errors import ParameterError
from dampen.mechanisms import Exponential, Gaussian, GaussianCounts, Laplace, LaplaceCounts, PermuteAndFlip
from dampen.mechanisms.grouping.randomised_response import RandomisedResponse
from dampen.problem import GroupFrame
from dampen.vectors import Floats
from tests.conftest import Refused

ADD_REMOVE = Adjacency.ADD_REMOVE
ONE = NumericFrame(1, ADD_REMOVE)
CANDIDATES = Frame(("a", "b"), 1, ADD_REMOVE)
EPSILONS = tuple(map(Fraction, ("0", "1/10", "1/2", "1", "5/2")))
SLACK = 1e-14
"""What rounding makes of a delta of nothing, at most."""

# What is true, in balls. A law is a list of them, and what is left out of it makes what is true smaller.

Law = list[Any]


def laplace(flint: Any, rate: Fraction, by: int, last: int = 40) -> tuple[Law, Law]:
    """The laws of discrete Laplace noise around 0 and around another value; the two ends are all beyond them."""
    q = ball(flint, -rate).exp()

    def around(centre: int) -> Law:
        ends = [q ** (last + centre) / (1 + q), q ** (last - centre) / (1 + q)]
        return [ends[0], *((1 - q) / (1 + q) * q ** abs(k - centre) for k in range(1 - last, last)), ends[1]]

    return around(0), around(by)


def normal(flint: Any, variance: Fraction, by: int, last: int) -> tuple[Law, Law]:
    """The same of discrete Gaussian noise; ``last`` is so far out that the rest weighs less than 1e-40."""
    f = [ball(flint, -Fraction(size**2) / (2 * variance)).exp() for size in range(last + by + 1)]
    whole = f[0] + 2 * sum(f[1:], flint.arb(0)) + flint.arb(0, 1e-40)
    p, moved = ([f[abs(k - centre)] / whole for k in range(-last, last + 1)] for centre in (0, by))
    return p, moved


def response(flint: Any, epsilon: Fraction, kinds: int) -> tuple[Law, Law]:
    weights = [ball(flint, epsilon).exp()] + [flint.arb(1)] * (kinds - 1)
    law = [each / sum(weights, flint.arb(0)) for each in weights]
    return law, law[1:] + law[:1]


def product_of(one: tuple[Law, Law], two: tuple[Law, Law]) -> tuple[Law, Law]:
    p, q = ([first * second for first in left for second in right] for left, right in zip(one, two, strict=True))
    return p, q


def excess(flint: Any, laws: tuple[Law, Law], epsilon: Fraction) -> Any:
    """What P exceeds exp(epsilon) Q by, from its definition."""
    grown, total = ball(flint, epsilon).exp(), flint.arb(0)
    for p, q in zip(*laws, strict=True):
        more = p - grown * q
        total += more if more > 0 else 0
    return total


def is_below(flint: Any, found: float | Fraction, true: Any) -> bool:
    """Whether a delta is certainly too small, by however little."""
    return bool(ball(flint, Fraction(found)) < true)


Make = Callable[[], LossDistribution]
PAIRS: dict[str, tuple[Make, Callable[[Any], tuple[Law, Law]]]] = {
    "Laplace": (lambda: loss_distribution(Laplace("1/2"), ONE), lambda f: laplace(f, Fraction(1, 2), 1)),
    "Laplace, 3 steps": (
        lambda: loss_distribution(Laplace(2), NumericFrame(3, ADD_REMOVE)), lambda f: laplace(f, Fraction(2, 3), 3),
    ),
    "Gaussian": (lambda: loss_distribution(Gaussian("1/8"), ONE), lambda f: normal(f, Fraction(4), 1, 40)),
    "Gaussian, 5 steps": (
        lambda: loss_distribution(Gaussian("1/2"), NumericFrame(5, ADD_REMOVE)),
        lambda f: normal(f, Fraction(25), 5, 99),
    ),
    "response of 2": (
        lambda: loss_distribution(RandomisedResponse(1), GroupFrame(9, 2)), lambda f: response(f, Fraction(1), 2)
    ),
    "response of 5": (
        lambda: loss_distribution(RandomisedResponse("3/2"), GroupFrame(9, 5)), lambda f: response(f, Fraction(3, 2), 5)
    ),
    "histogram, replaced": (
        lambda: loss_distribution(GaussianCounts("1/4"), CountsFrame(9, 2, Adjacency.REPLACE, largest=1)),
        lambda f: product_of(*[normal(f, Fraction(4), 1, 40)] * 2),
    ),
    "one count": (
        lambda: loss_distribution(LaplaceCounts(2), CountsFrame(1, 3, ADD_REMOVE)),
        lambda f: laplace(f, Fraction(2, 3), 3),
    ),
    "histogram": (
        lambda: loss_distribution(LaplaceCounts("1/2"), CountsFrame(9, 1, ADD_REMOVE)),
        lambda f: laplace(f, Fraction(1, 2), 1),
    ),
    "Laplace, 3,000 steps": (
        lambda: loss_distribution(Laplace(3), NumericFrame(3000, ADD_REMOVE)),
        lambda f: laplace(f, Fraction(1, 1000), 3000, 3000),
    ),
    "Gaussian, 300 steps": (
        lambda: loss_distribution(Gaussian("1/2"), NumericFrame(300, ADD_REMOVE)),
        lambda f: normal(f, Fraction(90_000), 300, 4500),
    ),
}  # fmt: skip
SPLIT = {"Laplace, 3,000 steps": 1.0002, "Gaussian, 300 steps": 1.0002}
"""What more deltas may be where losses are split; else they are those of the pair but for floats."""


@pytest.mark.parametrize("name", PAIRS)
def test_one_release_has_the_excess_of_its_worst_pair(name: str) -> None:
    make, law = PAIRS[name]
    own = make()
    with arithmetic(200) as flint:
        laws = law(flint)
        for epsilon in EPSILONS:
            found, true = own.delta(epsilon), excess(flint, laws, epsilon)
            assert not is_below(flint, found, true)
            assert found <= float(true) * SPLIT.get(name, 1 + 1e-8) + SLACK


@pytest.mark.parametrize("names", [("Laplace", "Laplace"), ("Gaussian", "response of 5"), ("response of 2",) * 5])
def test_several_releases_have_the_excess_of_all_outputs(names: tuple[str, ...]) -> None:
    """Every combination of outputs, written out."""
    first, *rest = (replace(PAIRS[name][0](), adjacency=None) for name in names)  # their numbers alone are looked at
    for other in rest:
        first = first.compose(other)
    with arithmetic(200) as flint:
        laws = reduce(product_of, (PAIRS[name][1](flint) for name in names))
        for epsilon in EPSILONS:
            found, true = first.delta(epsilon), excess(flint, laws, epsilon)
            assert not is_below(flint, found, true)
            assert found <= float(true) * 1.002 + SLACK


@pytest.mark.parametrize("mechanism", [Laplace("1/2"), Gaussian("1/8")])
def test_smaller_steps_tell_less(mechanism: Any) -> None:
    """Of all neighbours, nearer ones included: what is called the worst pair is."""
    found = loss_distribution(mechanism, NumericFrame(6, ADD_REMOVE))
    with arithmetic(200) as flint:
        for by, epsilon in product(range(7), EPSILONS):
            if isinstance(mechanism, Laplace):
                laws = laplace(flint, Fraction(1, 12), by)
            else:
                laws = normal(flint, Fraction(144), by, 200)
            assert not is_below(flint, found.delta(epsilon), excess(flint, laws, epsilon))
            assert not is_below(flint, found.delta(epsilon), excess(flint, (laws[1], laws[0]), epsilon))


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
    with arithmetic(200) as flint:
        for place in range(128):
            epsilon = Fraction(place, 128)
            worst = (ball(flint, Fraction(1, 2)).exp() - ball(flint, epsilon / 2).exp()) ** 2 / flint.arb(1).expm1()
            assert not is_below(flint, found.delta(epsilon), worst)
            assert place % 2 or found.delta(epsilon) <= float(worst) * 1.001 + 1e-12, "a point of the lattice"
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
        target = Fraction(float(rng.random())) * sum(prices)
        found = loss_distribution(Laplace(prices[0]), ONE)
        for price in prices[1:]:
            found = found.compose(loss_distribution(Laplace(price), ONE))
        with arithmetic(200) as flint:
            laws = reduce(product_of, (response(flint, price, 2) for price in prices))
            assert not is_below(flint, found.delta(target), excess(flint, laws, target))


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


# Rounding: what floats keep of exact numbers is never less, mass by mass


def delta_of(flint: Any, found: LossDistribution, epsilon: Fraction) -> Any:
    """The delta of just these numbers, nothing rounded."""
    total = ball(flint, Fraction(found.infinite))
    for place, mass in enumerate(found.masses.tolist()):
        above = (found.first + place) * found.step - epsilon
        total += -ball(flint, -above).expm1() * ball(flint, Fraction(mass)) if above > 0 else 0
    return total


def test_the_masses_of_a_worst_pair_are_rounded_up() -> None:
    for name in PAIRS.keys() - SPLIT.keys():
        found = PAIRS[name][0]()
        masses: dict[int, Any] = {}
        with arithmetic(200) as flint:
            for p, q in zip(*PAIRS[name][1](flint), strict=True):
                place = round(float((p / q).log()) / float(found.step)) - found.first
                masses[place] = masses.get(place, 0) + p
            for place, true in masses.items():
                if 0 <= place < len(found.masses):
                    assert not is_below(flint, Fraction(found.masses[place]) + Fraction(found.infinite), true)


def test_masses_at_one_point_are_added_and_rounded_up() -> None:
    found = losses_at(Fraction(1, 3), [2, -1, 2, 0], [0.1, 0.2, 0.3, 0.4], infinite=0.5)
    assert (found.first, found.infinite) == (-1, 0.5)
    for mass, parts in zip(found.masses.tolist(), [[0.2], [0.4], [0.0], [0.1, 0.3]], strict=True):
        true = sum(map(Fraction, parts))
        assert true <= Fraction(mass) <= true * (1 + Fraction(1, 2**39))


def test_sums_of_products_are_rounded_up() -> None:
    rng = np.random.default_rng(7)
    for sizes in ((1, 1), (2, 3), (5, 40), (60, 60)):
        one, two = (LossDistribution(Fraction(1, 7), -3, rng.random(size) / size) for size in sizes)
        found = one.compose(two)
        assert found.first == -6
        left, right = (list(map(Fraction, each.masses.tolist())) for each in (one, two))
        for place, mass in enumerate(found.masses.tolist()):
            pairs = range(max(0, place + 1 - len(right)), min(place + 1, len(left)))
            assert sum(left[i] * right[place - i] for i in pairs) <= Fraction(mass)


def test_ends_that_are_cut_off_are_counted() -> None:
    masses = [3e-25, 4e-25, 2e-24, 0.5, 0.25, 3e-24, 6e-25, 2e-25]
    found = LossDistribution(Fraction(1, 7), -3, np.array(masses), infinite=1e-24)._cut()
    assert (found.first, len(found.masses)) == (-1, 4)
    assert sum(map(Fraction, masses[:3])) <= Fraction(found.masses[0])
    assert found.masses[1:].tolist() == masses[3:6]
    assert Fraction(1e-24) + sum(map(Fraction, masses[6:])) <= Fraction(found.infinite) <= Fraction(2e-24)
    first = LossDistribution(Fraction(1, 7), -3, np.array([3e-25, 0.5]))._cut()
    assert Fraction(3e-25) + Fraction(0.5) <= Fraction(first.masses[0])


def test_infinite_losses_stay_so() -> None:
    half, third = (LossDistribution(Fraction(1, parts), 0, np.array([0.5]), infinite=0.25) for parts in (2, 3))
    assert half._on(Fraction(1, 64)).infinite == 0.25
    for one, two in ((half, half), (half, third), (third, half)):
        assert one.compose(two).infinite >= 0.5
        assert one.compose(two).delta(10**6) >= 0.5
    assert third.compose_self(4).delta(10**6) == 1


@pytest.mark.parametrize("first", [-5, -4, 0, 1])
@pytest.mark.parametrize("step", [Fraction(1, 1000), Fraction(1, 3), Fraction(4)], ids=str)
def test_every_second_point_keeps_all_that_is_promised(first: int, step: Fraction) -> None:
    """As much of P and of Q, and nowhere a smaller delta; between points of a lattice delta is straight in exp(e)."""
    whole = LossDistribution(step, first, np.random.default_rng(5).random(9) / 9)
    found = whole._halve()
    assert found.step == 2 * step
    for sign in (0, -1):
        of_whole, of_found = ((each.masses * np.exp(sign * each.losses)).sum() for each in (whole, found))
        assert of_found == pytest.approx(of_whole, rel=1e-12)
    with arithmetic(200) as flint:
        for place in range(first - 1, first + 10):
            true = delta_of(flint, whole, place * step)
            assert not delta_of(flint, found, place * step) < true


def deltas_of_a_hundred(flint: Any) -> list[tuple[float, Any]]:
    """A hundred pure losses of a tenth: what is found at some epsilons, and what is true."""
    found, price = loss_distribution(Laplace("1/10"), ONE).compose_self(100), Fraction(1, 10)
    up, deltas = 1 / (1 + ball(flint, -price).exp()), []
    for epsilon in map(Fraction, ("0", "1", "2.05", "3", "4")):
        true = flint.arb(0)
        for lows in range(101):
            above = (100 - 2 * lows) * price - epsilon
            chance = comb(100, lows) * up ** (100 - lows) * (1 - up) ** lows
            true += chance * -ball(flint, -above).expm1() if above > 0 else 0
        deltas.append((found.delta(epsilon), true))
    return deltas


def test_many_halvings_never_promise_too_much(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MOST_POINTS", 64)
    with arithmetic(200) as flint:
        for found, true in deltas_of_a_hundred(flint):
            assert not is_below(flint, found, true)
            assert found <= float(true) * 2


def spread_downwards(losses: Floats, masses: Floats, step: Fraction) -> LossDistribution:
    """A wrong lattice: each loss counts as the point below it."""
    return losses_at(step, np.floor(losses / float(step)), masses)


def halve_downwards(whole: LossDistribution) -> LossDistribution:
    places = np.arange(whole.first, whole.first + len(whole.masses)) // 2
    return replace(losses_at(2 * whole.step, places, whole.masses), adjacency=whole.adjacency, unit=whole.unit)


@pytest.mark.parametrize("name", SPLIT)
def test_losses_put_at_the_lower_point_would_be_found(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The negative control: with a lattice that rounds down, releases promise too much."""
    monkeypatch.setattr(worst_pairs, "spread_losses", spread_downwards)
    make, law = PAIRS[name]
    with arithmetic(200) as flint:
        laws = law(flint)
        assert all(is_below(flint, make().delta(epsilon), excess(flint, laws, epsilon)) for epsilon in EPSILONS)


def test_halvings_downwards_would_be_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MOST_POINTS", 64)
    monkeypatch.setattr(LossDistribution, "_halve", halve_downwards)
    with arithmetic(200) as flint:
        assert all(is_below(flint, *each) for each in deltas_of_a_hundred(flint))


@pytest.mark.parametrize(
    ("kind", "frame"),
    [
        (Laplace, ONE),
        (Gaussian, ONE),
        (LaplaceCounts, CountsFrame(9, 1, ADD_REMOVE)),
        (GaussianCounts, CountsFrame(9, 1, ADD_REMOVE)),
        (Exponential, CANDIDATES),
        (RandomisedResponse, GroupFrame(9, 2)),
    ],
)
def test_a_mechanism_made_from_another_is_refused(kind: type, frame: Any, refused: Refused) -> None:
    """It may draw from another law."""
    assert loss_distribution(kind(1), frame).masses.size
    with refused(ParameterError, "worst pair of neighbours is proved"):
        loss_distribution(type("Other", (kind,), {})(1), frame)


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
