"""Laplace noise of a log-normal scale: its law, its concentrated loss, and its conversion."""

from fractions import Fraction
from math import exp, log, sqrt

import numpy as np
import pytest
from scipy.stats import chisquare

from dampen import Adjacency, Budget, NumericFrame, NumericProblem
from dampen.certified import arithmetic, ball
from dampen.concentrated import largest_rho
from dampen.entropy import system_entropy
from dampen.errors import ParameterError
from dampen.mechanisms import LaplaceLogNormal
from dampen.mechanisms.numeric import laplace_log_normal as module
from dampen.mechanisms.numeric.laplace_log_normal import SIGMA, LogNormalNoise, calibrate, log_mean
from dampen.vectors import Floats
from tests.unit.mechanisms.selection.five_nodes import distinct_pairs, problem

NOISES = {
    "wide": LogNormalNoise(Fraction(40)),
    "middle": LogNormalNoise(Fraction(5, 2)),
    "narrow": LogNormalNoise(Fraction(1, 9)),
}
FRAME = NumericFrame(30, Adjacency.EDGE)


@pytest.mark.parametrize("noise", NOISES.values(), ids=NOISES)
def test_probabilities_add_up_to_one_to_tails_and_to_the_mean(noise: LogNormalNoise) -> None:
    window = np.arange(-20_000, 20_001)
    law = np.exp(noise.log_probabilities(window))
    assert law.sum() == pytest.approx(1, abs=1e-11)
    assert law @ np.abs(window) == pytest.approx(noise.mean_size(), rel=1e-9)
    for k in (1, 3, 20):
        assert np.exp(noise.log_tail(k)) == pytest.approx(law[np.abs(window) >= k].sum(), rel=1e-9, abs=1e-15)


def certified_log_mean(z: float) -> float:
    with arithmetic(200) as flint:
        sigma = flint.acb(ball(flint, SIGMA))

        def integrand(y: object, _: object) -> object:
            return (-y * y / 2 - flint.acb(z) * (-sigma * y).exp()).exp()  # type: ignore[operator]

        integral = flint.acb.integral(integrand, -40, 100).real / (2 * flint.arb.pi()).sqrt()
        return float(integral.log())


@pytest.mark.parametrize("z", [0.0, 0.01, 1.0, 30.0, 3000.0])
def test_sums_agree_with_certified_integrals(z: float) -> None:
    assert float(log_mean(z, np.ones_like)) == pytest.approx(certified_log_mean(z), rel=1e-11, abs=1e-11)


def test_interpolated_laws_agree_with_certified_integrals() -> None:
    """Alone among thousands every value is interpolated; the ends of pieces are whole powers of e."""
    asked = np.array([1e-3, 0.9999, 1.0, 1.0001, 2.5, exp(2.5), exp(7) * (1 + 1e-15), 3000.0])
    many = log_mean(np.concatenate([asked, np.linspace(0, 4000, 20_001)]), np.ones_like)[: len(asked)]
    assert many == pytest.approx([certified_log_mean(float(z)) for z in asked], rel=1e-12, abs=1e-12)


@pytest.mark.parametrize("noise", [*NOISES.values(), LogNormalNoise(Fraction(10**5))], ids=[*NOISES, "very wide"])
def test_long_laws_are_interpolated_and_equal_short_ones(
    noise: LogNormalNoise, monkeypatch: pytest.MonkeyPatch
) -> None:
    steps = np.unique(np.concatenate([np.arange(3000), np.geomspace(3000, 1e12, 3000).astype(np.int64)]))
    long = noise.log_probabilities(steps)[::7], noise.log_tail(steps[1:])[::7]
    monkeypatch.setattr(module, "_interpolate", None)
    monkeypatch.setattr(module, "DEGREE", 10**6)
    short = noise.log_probabilities(steps[::7]), noise.log_tail(steps[1:][::7])
    for one, other in zip(long, short, strict=True):
        assert (np.abs(one - other) <= 2e-14 * np.maximum(1, np.abs(other))).all()


def log_density(z: Floats) -> Floats:
    return log_mean(np.abs(z), lambda w: w / 2)


def renyi(orders: tuple[float, ...], ratio: float, shift: float) -> list[float]:
    """D_a / a of Z from ratio * Z + shift and back, by quadrature on logarithmic grids about both centres."""
    x = np.linspace(-14, 46, 601)
    far, middle = np.exp(x) * (x[1] - x[0]), (np.arange(200) + 0.5) / 200 * shift
    points = np.concatenate([-np.exp(x), middle, shift + np.exp(x)])
    weights = np.log(np.concatenate([far, np.full(200, max(shift, 1e-300) / 200), far]))
    one, other = log_density(points), log_density((points - shift) / ratio) - log(ratio)
    assert np.logaddexp.reduce(weights + one) == pytest.approx(0, abs=1e-4)
    return [
        float(np.logaddexp.reduce(weights + order * p + (1 - order) * q) / (order - 1) / order)
        for order in orders
        for p, q in ((one, other), (other, one))
    ]


@pytest.mark.parametrize("root", [0.1, 1.0, 3.0])
def test_divergences_stay_below_the_largest_rho(root: float) -> None:
    """sqrt(2 rho) = root; scales apart by exp(beta) or equal, shifts of alpha or none, orders up to 50.

    The largest share of rho, on the last scale and order, is nearly the quarter that the scale alone accounts for.
    """
    rho = root**2 / 2
    alpha, ratio = (float(number) for number in calibrate(Fraction(rho)))
    orders, cases = (1.5, 2, 10, 50), ((1, alpha), (ratio, 0), (ratio, alpha / 2), (ratio, alpha), (1 / ratio, alpha))
    worst = max(share for scale, shift in cases for share in renyi(orders, scale, shift))
    assert 0.15 * rho < worst < rho


def test_a_wrong_calibration_would_be_seen() -> None:
    alpha, ratio = (float(number) for number in calibrate(Fraction(1, 2)))
    assert max(renyi((10,), ratio**3, 3 * alpha)) > 1 / 2


def test_the_density_falls_at_the_steepest_at_0() -> None:
    slopes = np.diff(log_density(np.linspace(0, 5, 5001))) * 1000
    assert -slopes[0] == pytest.approx(exp(1.5 * float(SIGMA) ** 2), rel=1e-3)
    assert (np.diff(slopes) > 0).all()


def test_exact_divergences_and_delta_of_all_graphs_on_five_nodes() -> None:
    mechanism, steps = LaplaceLogNormal(4, "1e-3"), np.arange(-4000, 4001)
    rho = float(mechanism.privacy(FRAME).rho or 0)
    graphs = {x for pair in distinct_pairs(2) for x in pair}
    laws = {x: mechanism.log_probabilities(problem(x, 2), steps) for x in graphs}
    for x, y in distinct_pairs(2):
        for order in (1.5, 4):
            divergence = np.logaddexp.reduce(order * laws[x] + (1 - order) * laws[y]) / (order - 1)
            assert divergence <= order * rho
        assert np.maximum(np.exp(laws[x]) - np.exp(4 + laws[y]), 0).sum() <= 1e-3


@pytest.mark.parametrize(
    ("epsilon", "delta", "rho"),
    [
        ("1", "1e-6", 0.02435597035953837),
        ("1", "1e-9", 0.01497305767358852),
        ("4", "1e-6", 0.3110649549408351),
        ("1/10", "1e-6", 0.0003210476903457),
    ],
)
def test_the_conversion_is_the_tight_one_and_never_above(epsilon: str, delta: str, rho: float) -> None:
    found = float(largest_rho(Fraction(epsilon), Fraction(delta)))
    assert rho * (1 - 1e-10) < found <= rho * (1 + 1e-12)
    textbook = found + 2 * sqrt(found * log(1 / float(Fraction(delta))))
    assert textbook > float(Fraction(epsilon))


@pytest.mark.parametrize("rho", ["1/1000", "1/2", "100"])
def test_the_two_terms_share_the_loss_and_sigma_is_the_best_one(rho: str) -> None:
    root, sigma = sqrt(2 * float(Fraction(rho))), float(SIGMA)
    alpha, ratio = calibrate(Fraction(rho))
    beta = log(float(ratio))
    assert beta / sigma + exp(1.5 * sigma**2) * float(alpha) == pytest.approx(root, rel=1e-9)
    assert beta / sigma + exp(1.5 * sigma**2) * float(alpha) <= root * (1 + 1e-14)
    assert 5 * (root / beta) * sigma**3 - 5 * sigma**2 - 1 == pytest.approx(0, abs=1e-3)


def test_the_scale_is_the_smooth_sensitivity_over_alpha() -> None:
    mechanism, given = LaplaceLogNormal(5, "1/2000"), problem(1000, 2)
    alpha, ratio = (float(number) for number in calibrate(largest_rho(Fraction(5), Fraction(1, 2000))))
    smooth = max(rung / ratio**t for t, rung in enumerate(given.rungs(20)))
    assert float(mechanism.noise(given).scale) == pytest.approx(smooth / alpha, rel=1e-9)


def test_draws_and_simulations_follow_the_law_and_not_that_of_a_third_more() -> None:
    noise, wrong, source = NOISES["middle"], LogNormalNoise(Fraction(10, 3)), system_entropy()
    bins = np.arange(-9, 10)
    for drawn in (np.array([noise.draw(source) for _ in range(3000)]), noise.simulate(np.random.default_rng(3), 3000)):
        counts = np.append([(drawn == k).sum() for k in bins], (np.abs(drawn) > 9).sum())
        for law, fits in ((noise, True), (wrong, False)):
            shares = np.exp(law.log_probabilities(bins))
            pvalue = chisquare(counts, np.append(shares, 1 - shares.sum()) * len(drawn)).pvalue
            assert bool(pvalue > 1e-6) is fits


def test_the_price_names_rho_and_extremes_still_release() -> None:
    loss = LaplaceLogNormal(1, "1e-6").privacy(FRAME)
    assert float(loss.rho or 0) == pytest.approx(0.02435597035953837, rel=1e-10)
    assert (loss.epsilon, loss.delta) == (Fraction(1), Fraction("1e-6"))
    for epsilon, delta in (("1e-100", "1e-150"), (10**6, "1e-150"), (1, "0.999999")):
        budget = Budget(epsilon=10**6, delta="0.9999995", composition="basic")
        assert isinstance(LaplaceLogNormal(epsilon, delta).release(NumericProblem(FRAME, 3), budget=budget).value, int)


def test_refusals() -> None:
    for delta in (0, 1, -1, None):
        with pytest.raises(ParameterError, match=r"^delta must [^\n]{,200}$"):
            LaplaceLogNormal(1, delta)  # type: ignore[arg-type]
    with pytest.raises(ParameterError, match=r"^epsilon must be at most 1000000 for LaplaceLogNormal; got 1000001$"):
        LaplaceLogNormal(1000001, "1e-6")
    assert repr(NOISES["wide"]) == "LogNormalNoise(...)"
