"""Errors of numbers, means and variances: their exact confidence, from all noises there are."""

from collections.abc import Sequence
from fractions import Fraction
from itertools import product
from math import exp
from typing import Any

import numpy as np
import pytest

from dampen import Adjacency, GrowthLaw, NumericFrame, NumericProblem
from dampen.mechanisms import Gaussian, Laplace, LaplaceCounts, NumericMechanism, PolyPlace, Staircase, noise_errors
from dampen.mechanisms.noise_errors import (
    NoiseAccuracy,
    Noisy,
    RatioAccuracy,
    VarianceAccuracy,
    difference_tail,
    noise_exceeded_with,
    quotient_interval,
)
from dampen.mechanisms.numeric.gaussian_noise import GaussianNoise
from dampen.mechanisms.numeric.ladder_walk import RoundedWalk
from dampen.mechanisms.numeric.noises import Geometric
from dampen.privacy import PrivateAccuracy
from dampen.problem import CountsFrame
from dampen.sensitivity import RungTable
from dampen.vectors import Floats, Integers
from tests.every_numeric import EVERY

CONFIDENCES = (Fraction(1, 2), Fraction(19, 20))
LOW, HIGH = Fraction(0), Fraction(10)
HALF, EIGHTH = Fraction(5), Fraction(100, 8)


def law_of(rate: Fraction, depth: float = 25.0) -> tuple[Integers, Floats]:
    """All noises but a share of exp(-depth)."""
    wide = int(depth / rate) + 1
    steps = np.arange(-wide, wide + 1)
    return steps, np.exp(Geometric(rate).log_probabilities(steps))


# Noise of a public law


@pytest.mark.parametrize("confidence", CONFIDENCES)
@pytest.mark.parametrize("rate", [Fraction(1, 10), Fraction(1), Fraction(5)])
def test_the_noise_exceeds_its_bound_with_the_chance_left_and_no_smaller_one(rate: Fraction, confidence: Any) -> None:
    steps, law = law_of(rate)
    bound = NoiseAccuracy(Geometric(rate), Fraction(1, 4)).bound(confidence) * 4
    assert law[np.abs(steps) > bound].sum() <= 1 - confidence
    assert bound == 0 or law[np.abs(steps) > bound - 1].sum() > 1 - confidence


def test_rounding_adds_and_a_range_ends_what_the_noise_says() -> None:
    noise = Geometric(Fraction(1, 10))
    plain = NoiseAccuracy(noise, Fraction(1, 4)).bound()
    assert NoiseAccuracy(noise, Fraction(1, 4), rounding=Fraction(1, 8)).bound() == plain + 0.125
    assert NoiseAccuracy(noise, Fraction(1, 4), largest=Fraction(2)).bound() == 2
    frame = NumericFrame(1, Adjacency.REPLACE, "1/4", range=(0, 2))
    assert Laplace(Fraction(1, 10)).accuracy(frame).bound() == 2


def test_every_count_has_the_error_of_its_own_noise() -> None:
    frame = CountsFrame(3, l1=2, adjacency=Adjacency.REPLACE)
    assert LaplaceCounts(1).accuracy(frame) == NoiseAccuracy(Geometric(Fraction(1, 2)))


@pytest.mark.parametrize("name", EVERY)
def test_only_noise_of_a_public_law_tells_its_error(name: str) -> None:
    mechanism = EVERY[name](1, "1e-6")
    told = mechanism.accuracy(NumericFrame(10, Adjacency.EDGE))
    assert isinstance(told, NoiseAccuracy if isinstance(mechanism, Gaussian | Laplace | Staircase) else PrivateAccuracy)


def test_a_private_error_says_what_a_bound_on_it_would_cost() -> None:
    """Of p = 6 the logarithm of the scale moves by a fifth of epsilon in one step, and ln(10) / ln(2) is 3.3219."""
    frame = NumericFrame(10, Adjacency.EDGE)
    told = PolyPlace(3).accuracy(frame)
    assert isinstance(told, PrivateAccuracy)
    assert "is private; 0.6644 of epsilon more would buy a bound" in told.reason
    rough = EVERY["Ladder"](1, 0).accuracy(frame)
    assert isinstance(rough, PrivateAccuracy)
    assert "epsilon" not in rough.reason


GROWING = NumericFrame(30, Adjacency.EDGE, growth=GrowthLaw(2, 4))
STEPPED = [name for name, make in EVERY.items() if make(1, "1e-6").scale_step(GROWING) is not None]


@pytest.mark.parametrize("name", STEPPED)
def test_the_logarithm_of_the_scale_moves_by_no_more_than_said(name: str) -> None:
    """On pairs of ladders that neighbours may have: each lies below the other one rung up."""
    mechanism: Any = EVERY[name](1, "1e-6")
    rng, step, largest = np.random.default_rng(0), mechanism.scale_step(GROWING), 0.0
    for _ in range(30):
        first = np.sort(rng.integers(0, 31, 7)).tolist()
        scales = [scale_of(mechanism, GROWING, rungs) for rungs in (first[:-1], first[1:])]
        largest = max(largest, abs(float(np.log(scales[0] / scales[1]))))
    assert 0.5 * step < largest <= step * (1 + 1e-9)


def scale_of(mechanism: NumericMechanism, frame: NumericFrame, rungs: Sequence[float]) -> float:
    ladder = RungTable([[max(rung, 2.0**-10)] for rung in rungs], bound=30)
    noise: Any = mechanism.noise(NumericProblem(frame, 0, ladder))  # type: ignore[attr-defined]
    return float(noise.mean_length() if isinstance(noise, RoundedWalk) else noise.scale)


# Two noises


@pytest.mark.parametrize(
    ("rate", "other", "resolution", "size"),
    [
        (Fraction(1, 2), Fraction(1, 2), Fraction(1), Fraction(1)),
        (Fraction(1, 8), Fraction(1, 2), Fraction(1, 4), Fraction(1)),
        (Fraction(1, 2), Fraction(1, 3), Fraction(1), Fraction(1, 3)),
        (Fraction(1, 10), Fraction(2), Fraction(1), Fraction(30)),
        (Fraction(2), Fraction(1, 5), Fraction(1), Fraction(3)),
        (Fraction(1, 64), Fraction(1), Fraction(1, 64), Fraction(1)),
    ],
)
def test_the_tail_of_a_difference_is_never_less_than_the_exact_one(
    rate: Fraction, other: Fraction, resolution: Fraction, size: Fraction
) -> None:
    (k, law), (j, chances) = law_of(rate), law_of(other)
    off = np.abs(k[:, None] * float(resolution) - j * float(size)) / float(size)
    joint = law[:, None] * chances
    share, slope = 1 / (1 + exp(-float(rate))), float(rate / resolution * size)
    for t in np.linspace(0.01, 20, 40).tolist():
        exact = float(joint[off > t + 1e-9].sum())
        assert exact <= difference_tail(t, slope, share, float(other)) * (1 + 1e-9)
    for chance in (Fraction(1, 2), Fraction(1, 20), Fraction(1, 1000)):
        top, number = Noisy(Fraction(0), Geometric(rate), resolution), Noisy(Fraction(0), Geometric(other))
        bound = noise_exceeded_with(top, number, size, chance)
        assert joint[off * float(size) > float(bound) + 1e-9].sum() <= chance


def test_a_fine_grid_loses_little() -> None:
    """Two Laplace laws of scale 1: P(|X - Y| > t) = (1 + t / 2) exp(-t), which is 1/20 at 4.1130."""
    top, number = Noisy(Fraction(0), Geometric(Fraction(1, 10**6)), Fraction(1, 10**6)), Geometric(Fraction(1, 10**6))
    found = noise_exceeded_with(top, Noisy(Fraction(0), number), Fraction(1, 10**6), Fraction(1, 20))
    assert float(found) == pytest.approx(4.1130, rel=0.03)


def test_the_tail_falls_with_the_rate_and_with_the_distance() -> None:
    """So the widest noise of all quotients left covers every one of them."""
    for other, t in product((0.1, 1.0, 3.0), (0.5, 1.0, 1.5, 3.0, 7.2, 20.0)):
        by_rate = [difference_tail(t, rate, 0.6, other) for rate in np.linspace(1e-3, 5, 500).tolist()]
        assert (np.diff(by_rate) <= 1e-15).all()
        by_distance = [difference_tail(far, t / 10, 0.6, other) for far in np.linspace(0.01, 30, 500).tolist()]
        assert (np.diff(by_distance) <= 1e-15).all()


# Means


def mean_of(values: Sequence[int], steps: int, off: int, price: Fraction, cuts: int) -> RatioAccuracy:
    """What a release of values between 0 and 10 tells when its noises are these."""
    resolution = HALF / cuts
    exact = round(sum(value - HALF for value in values) / resolution)
    centred = Noisy((exact + steps) * resolution, Geometric(price / 2 / cuts), resolution)
    return RatioAccuracy(LOW, HIGH, centred, Noisy(Fraction(len(values) + off), Geometric(price / 2)))


SMALL_TABLES = ([0], [5], [10] * 3, [3] * 12, [0, 10] * 6, [7, 8, 9] * 8)


@pytest.mark.parametrize("values", SMALL_TABLES, ids=lambda values: f"{len(values)} x {values[0]}")
def test_the_error_of_a_mean_holds_with_its_confidence(values: list[int]) -> None:
    """The exact chance of a miss, over all noises of the sum and of the number but a share that counts as missed."""
    price, truth = Fraction(2), sum(values) / len(values)
    (k, law), (j, chances) = law_of(price / 4, 8), law_of(price / 2, 8)
    missed = dict.fromkeys(CONFIDENCES, float(1 - law.sum() * chances.sum()))
    sums = list(zip(k.tolist(), law.tolist(), strict=True))
    numbers = list(zip(j.tolist(), chances.tolist(), strict=True))
    for (steps, chance), (off, other) in product(sums, numbers):
        told = mean_of(values, steps, off, price, 2)
        for confidence in CONFIDENCES:
            bound = told.bound(confidence)
            assert 0 <= bound <= 10
            missed[confidence] += chance * other * (abs(told.value - truth) > bound + 1e-12)
    for confidence in CONFIDENCES:
        assert missed[confidence] <= 1 - confidence


def test_the_error_of_a_mean_is_that_of_its_noise_where_records_are_many() -> None:
    """In the middle the sum's noise alone, ln(20) times its scale; at an end both noises: see the fine grid above."""
    n, scale = Fraction(10**6), 5 / 0.5 / 10**6
    noise, number = Geometric(Fraction(1, 2048)), Noisy(n, Geometric(Fraction(1, 2)))
    found = [RatioAccuracy(LOW, HIGH, Noisy(m * n, noise, HALF / 1024), number).bound() for m in (Fraction(0), HALF)]
    assert found[0] == pytest.approx(np.log(20) * scale, rel=1e-3)
    assert found[1] == pytest.approx(4.1130 * scale, rel=0.03)


def test_of_few_records_a_mean_says_nothing() -> None:
    for off in (-30, -1, 0, 2):
        told = mean_of([], 0, off, Fraction(1), 4)
        assert (told.value, told.bound()) == (5.0, 5.0)
        far = mean_of([], 10**4, off, Fraction(1), 4)
        assert far.value == 10.0
        assert 0 < far.bound() <= 10


def test_a_public_number_has_no_noise() -> None:
    centred = Noisy(Fraction(12), Geometric(Fraction(1)), Fraction(1))
    told = RatioAccuracy(LOW, HIGH, centred, Noisy(Fraction(100), None))
    steps = NoiseAccuracy(Geometric(Fraction(1))).bound()
    assert told.value == 5.12
    assert told.bound() == pytest.approx((steps + 0.5) / 100)


def test_a_sum_that_fits_no_mean_leaves_the_interval_before() -> None:
    impossible = Noisy(Fraction(10**6), Geometric(Fraction(1)))
    assert quotient_interval(impossible, Noisy(Fraction(5), None), HALF, Fraction(1, 20)) == (-HALF, HALF)


# Variances


def variance_of(values: Sequence[int], noises: tuple[int, int, int], price: Fraction, cuts: int) -> VarianceAccuracy:
    first, second, off = noises
    resolutions = HALF / cuts, EIGHTH / cuts
    sums = sum(value - HALF for value in values), sum((value - HALF) ** 2 - EIGHTH for value in values)
    rate = Geometric(price / 3 / cuts)
    centred, squares = (
        Noisy((round(total / resolution) + steps) * resolution, rate, resolution)
        for total, resolution, steps in zip(sums, resolutions, (first, second), strict=True)
    )
    number = Noisy(Fraction(len(values) + off), Geometric(price / 3))
    return VarianceAccuracy(LOW, HIGH, centred, squares, number)


@pytest.mark.parametrize(
    "values", [[0], [10] * 3, [5] * 30, [0, 10] * 20], ids=lambda values: f"{len(values)} x {values[0]}"
)
def test_the_error_of_a_variance_holds_with_its_confidence(values: list[int]) -> None:
    """The exact chance of a miss over all three noises, but for a share that counts as missed."""
    price, truth = Fraction(12), float(np.var(values))
    k, law = law_of(price / 3, 10)
    missed = dict.fromkeys(CONFIDENCES, float(1 - law.sum() ** 3))
    noises = list(zip(k.tolist(), law.tolist(), strict=True))
    for (a, p), (b, q), (c, r) in product(noises, repeat=3):
        told = variance_of(values, (a, b, c), price, 1)
        for confidence in CONFIDENCES:
            bound = told.bound(confidence)
            assert 0 <= bound <= 25
            missed[confidence] += p * q * r * (abs(told.value - truth) > bound + 1e-12)
    for confidence in CONFIDENCES:
        assert missed[confidence] <= 1 - confidence


def test_without_noise_the_variance_is_exact_and_many_records_make_its_error_small() -> None:
    values = [2, 3, 9, 10] * 5000
    told = variance_of(values, (0, 0, 0), Fraction(3), 100)
    assert told.value == pytest.approx(np.var(values), abs=1e-4)
    assert 0 < told.bound() < 0.03


def test_a_variance_lies_between_0_and_a_quarter_of_the_squared_width() -> None:
    for noises in product((-(10**6), 0, 10**6), (-(10**6), 0, 10**6), (-100, 0, 100)):
        told = variance_of([5] * 10, noises, Fraction(3), 1)
        assert 0 <= told.value <= 25
        assert 0 <= told.bound() <= 25


# Two Gaussian noises


def gaussian_law(variance: Fraction) -> tuple[Integers, Floats]:
    """All noises but a share of about 1e-15."""
    wide = int(8 * float(variance) ** 0.5) + 2
    steps = np.arange(-wide, wide + 1)
    return steps, np.exp(GaussianNoise(variance).log_probabilities(steps))


@pytest.mark.parametrize(
    ("variance", "other", "resolution", "size"),
    [
        (Fraction(1, 3), Fraction(1, 3), Fraction(1), Fraction(1)),
        (Fraction(40), Fraction(2), Fraction(1, 4), Fraction(1)),
        (Fraction(2), Fraction(30), Fraction(1), Fraction(1, 3)),
        (Fraction(90), Fraction(1, 2), Fraction(1), Fraction(30)),
        (Fraction(10**5), Fraction(100), Fraction(1, 64), Fraction(1, 2)),
    ],
)
def test_the_tail_of_a_difference_of_gaussians_is_never_less_than_the_exact_one(
    variance: Fraction, other: Fraction, resolution: Fraction, size: Fraction
) -> None:
    """For the largest quotient and for all smaller ones; and, of a fine grid, hardly more."""
    (k, law), (j, chances) = gaussian_law(variance), gaussian_law(other)
    top, number = Noisy(Fraction(0), GaussianNoise(variance), resolution), Noisy(Fraction(0), GaussianNoise(other))
    for chance, part in product((Fraction(1, 2), Fraction(1, 20), Fraction(1, 1000)), (1.0, 0.9, 0.37, 0.0)):
        bound = float(noise_exceeded_with(top, number, size, chance))
        off = np.abs(k[:, None] * float(resolution) - j * float(size) * part)
        missed = float(np.where(off > bound + 1e-9, law[:, None] * chances, 0).sum())
        assert missed <= chance
        if part == 1 and variance > 1000 and chance < Fraction(1, 2):
            assert missed > 0.9 * float(chance)


def test_a_tail_of_gaussians_that_forgets_the_number_is_too_small(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(noise_errors, "blockwise_tail", lambda t, size, own, other: float(np.exp(own.log_tail(t))))
    forgetful = noise_errors._blockwise_solution.__wrapped__
    monkeypatch.setattr(noise_errors, "_blockwise_solution", forgetful)
    with pytest.raises(AssertionError):
        test_the_tail_of_a_difference_of_gaussians_is_never_less_than_the_exact_one(
            Fraction(40), Fraction(2), Fraction(1, 4), Fraction(1)
        )


@pytest.mark.parametrize("confidence", CONFIDENCES)
@pytest.mark.parametrize("rho", [Fraction(1, 50), Fraction(1), Fraction(20)])
def test_gaussian_noise_exceeds_its_bound_with_the_chance_left_and_no_smaller_one(
    rho: Fraction, confidence: Any
) -> None:
    noise = GaussianNoise.of(rho, Fraction(9))
    steps, law = gaussian_law(noise.variance)
    bound = NoiseAccuracy(noise, Fraction(1, 4)).bound(confidence) * 4
    assert law[np.abs(steps) > bound].sum() <= 1 - confidence
    assert bound == 0 or law[np.abs(steps) > bound - 1].sum() > 1 - confidence


@pytest.mark.parametrize("variance", [Fraction(1, 2**900), Fraction(2**900)])
@pytest.mark.parametrize("size", [Fraction(1, 2**400), Fraction(2**400)])
def test_extreme_gaussian_quotients_end(variance: Fraction, size: Fraction) -> None:
    top, number = Noisy(Fraction(0), GaussianNoise(variance)), Noisy(Fraction(0), GaussianNoise(Fraction(1)))
    for chance in (Fraction(1, 20), Fraction(1, 2**500)):
        assert noise_exceeded_with(top, number, size, chance) >= 0


@pytest.mark.long
def test_means_with_gaussian_noise_miss_no_more_often_than_they_say() -> None:
    """All noises of a sum and of a number, three records at the bounds: the exact chance of a miss."""
    noise, other = GaussianNoise(Fraction(20)), GaussianNoise(Fraction(1))
    (k, law), (j, chances) = gaussian_law(noise.variance), gaussian_law(other.variance)
    missed = 0.0
    for (off, p), (more, q) in product(zip(k.tolist(), law, strict=True), zip(j.tolist(), chances, strict=True)):
        if p * q < 1e-7:
            continue
        told = RatioAccuracy(LOW, HIGH, Noisy(Fraction(5 + off), noise, Fraction(1)), Noisy(Fraction(3 + more), other))
        missed += p * q * (abs(told.value - (5 + 5 / 3)) > told.bound())
    assert missed <= 0.05
