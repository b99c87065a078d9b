"""Heavy noises: the law in floats against certified arithmetic, the draw against the law."""

from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from scipy.special import zeta
from scipy.stats import chisquare
from scipy.stats import t as student

from dampen.audit import law_by_enumeration
from dampen.certified import arithmetic, ball
from dampen.mechanisms.numeric.heavy_noises import RoundedBell, RoundedPolyPlace
from dampen.mechanisms.numeric.noises import RoundedNoise
from dampen.sampling import exact

HALF = Fraction(1, 2)
SHAPES: dict[str, tuple[type[RoundedNoise], tuple[Any, ...]]] = {
    "PolyPlace 3": (RoundedPolyPlace, (2,)),
    "PolyPlace 6": (RoundedPolyPlace, (5,)),
    "PolyPlace 64": (RoundedPolyPlace, (63,)),
    "Cauchy": (RoundedBell, (Fraction(2), Fraction(1), Fraction(1))),
    "Cauchy 5/2": (RoundedBell, (Fraction(5, 2), Fraction(1), Fraction(1))),
    "Cauchy 4": (RoundedBell, (Fraction(4), Fraction(1), Fraction(1))),
    "Cauchy 15.7": (RoundedBell, (Fraction(157, 10), Fraction(1), Fraction(1))),
    "Student 3": (RoundedBell, (Fraction(2), Fraction(3), Fraction(2))),
    "Student 64": (RoundedBell, (Fraction(2), Fraction(64), Fraction(65, 2))),
}
SCALES = [Fraction(1, 5), Fraction(2, 3), Fraction(5, 2), Fraction(1000, 7), Fraction(10**6), Fraction(10**12)]


def noise_of(shape: str, scale: Fraction) -> RoundedNoise:
    kind, parameters = SHAPES[shape]
    return kind(scale, *parameters)


@pytest.mark.parametrize("scale", SCALES, ids=str)
@pytest.mark.parametrize("shape", SHAPES)
def test_the_law_in_floats_is_the_certified_one(shape: str, scale: Fraction) -> None:
    noise = noise_of(shape, scale)
    places = [
        Fraction(part) * scale for part in ("1/1000", "1/10", "1/2", "9/10", "1", "11/10", "2", "7", "30", "10000")
    ]
    sizes = sorted({0, 1, 2, 3, 8, 40, *(int(place) for place in places)})
    got, tails = noise.log_probabilities(-np.array(sizes)), noise.log_tail(np.maximum(sizes, 1))
    with arithmetic(900) as flint:

        def above(x: Fraction) -> Any:
            return noise.survival(flint, ball(flint, x / scale))

        for size, law, tail in zip(sizes, got, tails, strict=True):
            cell = (above(size - HALF) - above(size + HALF)) / 2 if size else 1 - above(HALF)
            assert abs(float(cell.log() - flint.arb(float(law)))) < 1e-12
            assert abs(float(above(max(size, 1) - HALF).log() - flint.arb(float(tail)))) < 1e-12


@pytest.mark.parametrize("shape", SHAPES)
def test_far_tails_are_finite_numbers(shape: str) -> None:
    noise = noise_of(shape, Fraction(1, 3))
    tails = noise.log_tail(10.0 ** np.array([20, 60, 100]))
    assert np.isfinite(tails).all()
    assert np.diff(tails)[0] == pytest.approx(np.diff(tails)[1], rel=1e-9), "a power of the distance"
    assert np.isfinite(noise.log_probabilities(10.0 ** np.array([20, 60, 100]))).all()


def test_student_noise_is_that_of_scipy() -> None:
    noise = noise_of("Student 3", Fraction(2))
    edges = (np.arange(8) - 0.5) / 2
    assert np.exp(noise.log_probabilities(np.arange(7))) == pytest.approx(np.diff(student.cdf(edges, 3)), rel=1e-10)


@pytest.mark.parametrize("scale", ["1/5", "5/2", "100", "3000"])
@pytest.mark.parametrize("power", [2, 5, 20])
def test_the_mean_of_polyplace_is_hurwitz_zeta(power: int, scale: str) -> None:
    s = float(Fraction(scale))
    mean = RoundedPolyPlace(Fraction(scale), power).mean_size()
    assert mean == pytest.approx(s**power * zeta(power, s + 0.5), rel=1e-12)


@pytest.mark.parametrize("scale", ["1/5", "5/2", "30", "3000"])
@pytest.mark.parametrize("shape", ["Cauchy 15.7", "Student 64"])
def test_the_mean_of_bells_is_the_sum_of_tails(shape: str, scale: str) -> None:
    noise = noise_of(shape, Fraction(scale))
    assert noise.mean_size() == pytest.approx(np.exp(noise.log_tail(np.arange(1, 10**5))).sum(), rel=1e-11)


@pytest.mark.parametrize("scale", ["1/5", "30", "1000"])
@pytest.mark.parametrize("shape", ["Cauchy 4", "Student 3"])
def test_the_mean_of_bells_is_the_sum_of_long_tails(shape: str, scale: str) -> None:
    noise, end = noise_of(shape, Fraction(scale)), 10**5
    tails = np.exp(noise.log_tail(np.arange(1, end + 1)))
    decay = float(np.log(tails[-1]) - noise.log_tail(2 * end)) / np.log(2)
    assert noise.mean_size() == pytest.approx(tails.sum() + end * tails[-1] / (decay - 1), rel=1e-6)


@pytest.mark.parametrize("shape", ["Cauchy 4", "Student 3"])
def test_the_mean_of_wide_bells_is_that_of_the_real_noise(shape: str) -> None:
    real = {"Cauchy 4": np.sqrt(0.5), "Student 3": 2 * np.sqrt(3) / np.pi}[shape]
    assert noise_of(shape, Fraction(10**9)).mean_size() == pytest.approx(real * 1e9, rel=1e-9)


def test_a_mean_may_be_infinite() -> None:
    assert noise_of("Cauchy", Fraction(3)).mean_size() == np.inf


@pytest.mark.parametrize("shape", ["PolyPlace 3", "Cauchy", "Cauchy 5/2", "Cauchy 15.7", "Student 3"])
def test_what_bits_draw_is_the_law(shape: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(exact, "MORE_BITS", 1)
    noise = noise_of(shape, Fraction(3, 2))
    law, undecided = law_by_enumeration(noise.draw, depth=10)
    assert undecided < Fraction(1, 8)
    for k, probability in zip(range(-3, 4), np.exp(noise.log_probabilities(range(-3, 4))), strict=True):
        assert law.get(k, 0) <= probability <= law.get(k, 0) + undecided


@pytest.mark.parametrize("shape", ["PolyPlace 6", "Cauchy 5/2", "Cauchy 15.7", "Student 3", "Student 64"])
def test_simulations_follow_the_law_and_not_a_wider_one(shape: str) -> None:
    drawn = noise_of(shape, Fraction(4)).simulate(np.random.default_rng(1), 40_000)
    bins = np.arange(-8, 9)
    counts = np.array([(drawn == k).sum() for k in bins] + [(np.abs(drawn) > 8).sum()])

    def p_value(scale: int) -> float:
        shares = np.exp(noise_of(shape, Fraction(scale)).log_probabilities(bins))
        return float(chisquare(counts, np.append(shares, 1 - shares.sum()) * len(drawn)).pvalue)

    assert p_value(4) > 1e-6
    assert p_value(5) < 1e-6
