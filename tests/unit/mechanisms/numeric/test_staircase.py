"""Staircase noise: its law, its step, its error."""

from fractions import Fraction
from math import exp

import numpy as np
import pytest

from dampen import Adjacency, Budget, NumericFrame, NumericProblem
from dampen.mechanisms import Laplace, Staircase
from dampen.mechanisms.noise_errors import NoiseAccuracy
from dampen.mechanisms.numeric.noises import Geometric
from dampen.mechanisms.numeric.staircase import StaircaseNoise
from dampen.privacy import NumericRelease

FRAME = NumericFrame(bound=100, adjacency=Adjacency.ADD_REMOVE)
RATES = (Fraction(1, 10), Fraction(1), Fraction(5))
ALL = [StaircaseNoise(rate, step, plateau) for rate in RATES for step in range(1, 13) for plateau in range(1, 16)]


def levels(noise: StaircaseNoise, reach: int) -> list[int]:
    """l(z) for |z| <= reach, as it is defined."""
    g, t = noise.plateau, noise.step
    return [0 if abs(z) < g else 1 + (abs(z) - g) // t for z in range(-reach, reach + 1)]


def test_the_law_is_the_defined_one_and_sums_to_1() -> None:
    for noise in ALL:
        g, t, r = noise.plateau, noise.step, exp(-float(noise.rate))
        total = 2 * g - 1 + 2 * t * r / (1 - r)
        reach = g + 3 * t
        law = np.exp(noise.log_probabilities(np.arange(-reach, reach + 1)))
        assert law == pytest.approx([r**level / total for level in levels(noise, reach)], rel=1e-12)
        for k in (1, g, g + 1, g + t, reach + 1):
            inside = law[reach - k + 1 : reach + k].sum()
            assert float(np.exp(noise.log_tail(k))) == pytest.approx(1 - inside, abs=1e-12)
        assert float(noise.mean_size()) == pytest.approx(
            np.exp(noise.log_tail(np.arange(1, int(40 * t / noise.rate) + g))).sum(), rel=1e-9
        )


def test_one_step_of_the_data_is_one_step_of_the_stairs_for_every_plateau() -> None:
    """|l(z + d) - l(z)| <= 1 for |d| <= t: what privacy rests on; and a shift by t + 1 is too much for some."""
    for noise in ALL:
        reach, wide = noise.plateau + 3 * noise.step, noise.step + 1
        known = np.array(levels(noise, reach + wide))
        moved = {d: np.abs(known[wide + d : len(known) - wide + d] - known[wide:-wide]).max() for d in range(wide + 1)}
        assert all(moved[d] <= 1 for d in range(noise.step + 1))
        assert moved[wide] == (2 if noise.plateau > 0 else 1)


def test_the_size_told_is_the_smallest_that_holds() -> None:
    for noise in ALL:
        for chance in (Fraction(1, 2), Fraction(1, 20), Fraction(1, 10**6)):
            k = noise.size_exceeded_with(chance)
            assert float(np.exp(noise.log_tail(k + 1))) <= chance
            assert k == 0 or float(np.exp(noise.log_tail(k))) > float(chance) * (1 - 1e-11)


def test_sizes_are_told_of_wide_steps_and_of_large_rates() -> None:
    wide = StaircaseNoise.of(Fraction(3, 4), 2**60)
    assert wide.size_exceeded_with(Fraction(1, 20)) == pytest.approx(3.99 * 2**60, rel=0.01)
    assert StaircaseNoise.of(Fraction(1000), 50).size_exceeded_with(Fraction(1, 20)) == 0
    assert float(wide.log_tail(2**62)) == pytest.approx(np.log(0.05), abs=0.05)
    assert float(np.exp(StaircaseNoise.of(Fraction(1), 2**70).log_tail(1))) == pytest.approx(1)


def test_with_steps_of_one_it_is_discrete_laplace_noise() -> None:
    k = np.arange(-9, 10)
    for rate in RATES:
        noise, other = StaircaseNoise.of(rate, 1), Geometric(rate)
        assert noise.plateau == 1
        assert noise.log_probabilities(k) == pytest.approx(other.log_probabilities(k))
        assert noise.size_exceeded_with(Fraction(1, 20)) == other.size_exceeded_with(Fraction(1, 20))


def test_the_plateau_is_the_best_one_up_to_rounding() -> None:
    for rate in RATES:
        for step in (1, 2, 5, 12, 64):
            chosen = StaircaseNoise.of(rate, step)
            assert chosen.plateau == max(1, round(step / (1 + exp(float(rate) / 2))))
            best = min(StaircaseNoise(rate, step, plateau).mean_size() for plateau in range(1, step + 1))
            assert chosen.mean_size() <= best * 1.03
            assert chosen.mean_size() <= Geometric(rate / step).mean_size() * 1.001


def test_a_release_tells_its_error() -> None:
    release = Staircase(3).release(NumericProblem(FRAME, 10), budget=Budget(epsilon=3))
    assert isinstance(release, NumericRelease)
    noise = StaircaseNoise.of(Fraction(3), 100)
    assert release.accuracy == NoiseAccuracy(noise)
    assert float(release.error(0.95)) == noise.size_exceeded_with(Fraction(1, 20))
    assert float(release.error(0.95)) < float(Laplace(3).accuracy(FRAME).bound(0.95)) * 1.05


def test_answers_live_on_the_grid_and_in_the_range() -> None:
    frame = NumericFrame(1, Adjacency.ADD_REMOVE, resolution="1/4", range=(0, 2))
    budget = Budget(epsilon=1000)
    answers = [Staircase(1).release(NumericProblem(frame, 1), budget=budget).value for _ in range(50)]
    assert all(0 <= answer <= 2 and (answer * 4).is_integer() for answer in answers)
    assert Staircase("1/10").accuracy(frame).bound() == 2
