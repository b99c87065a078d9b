"""The shipped draw of objective perturbation: its exact law on tiny problems, and samples against the law of the noise.

On a tiny problem with a coarse lattice all noises that can be drawn are enumerated; each leads to one minimum, as the
solver finds it, and the last noise on top has a closed law. So the law of the answer is known without a sample.
"""

from collections import defaultdict
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from scipy.stats import gamma, kstest, laplace

from dampen import Adjacency
from dampen.entropy import system_entropy
from dampen.mechanisms import ObjectivePerturbation
from dampen.mechanisms.regression.calibration import Calibration, calibrate
from dampen.mechanisms.regression.minimum import find_minimum
from dampen.mechanisms.regression.objective import Objective
from dampen.mechanisms.regression.objective_perturbation import on_grid
from dampen.problem import LogisticFrame, LogisticProblem
from dampen.sampling.norm_noise import box_point, laplace_steps
from tests.audit import objective_densities as judge

EPSILON = Fraction(1)
Pair = tuple[tuple[int, int], tuple[int, int]]
"""How many records of either class two neighbours have."""
FORGOTTEN, LIKELY = 1e-10, 1e-5
"""Noises beyond a size that is less likely than the first are left out; answers less likely than the second too."""


class Coarse(ObjectivePerturbation):
    """The same mechanism on lattices so coarse that everything can be enumerated; nearly a third hides the error."""

    last_noise = Fraction(2)

    def calibration(self, frame: LogisticFrame) -> Calibration:
        share = Fraction(3, 10)
        return calibrate(frame, self.epsilon, Fraction(3), inexact_share=share, last_noise=self.last_noise)


class Fine(Coarse):
    last_noise = Fraction(1, 2)


class Coarser(Coarse):
    last_noise = Fraction(8)


def law_of_steps(rate: float) -> dict[int, float]:
    """The law of one entry of ``laplace_steps``."""
    last = int(-np.log(FORGOTTEN) / rate) + 1
    sizes = np.exp(-rate * np.arange(last)) * -np.expm1(-rate) / 2
    return {sign * (2 * k + 1): float(p) for k, p in enumerate(sizes) for sign in (-1, 1)}


def law_of_box(scale: float, distance: Fraction, step: Fraction) -> dict[int, float]:
    """The law of ``box_point`` for one column and one score: two sizes, then a uniform point."""
    free = distance - step / 2
    radius_step = free / 2
    rate, middle = float(radius_step) / scale, 2 * int(-1.2 * np.log(FORGOTTEN) * scale / float(step))
    found = np.zeros(2 * middle + 1)
    for total in range(int(-1.2 * np.log(FORGOTTEN) / rate) + 1):
        chance = (total + 1) * np.exp(-rate * total) * np.expm1(-rate) ** 2
        radius = (total + 1) * radius_step
        bits = int(2 * radius / free).bit_length()
        ends = (2 * np.arange(2**bits) + 1) * float(radius / step) / 2 ** (bits + 1)
        for sign in (-1, 1):
            places = np.floor(sign * ends + 0.5).astype(int) + middle
            found += np.bincount(places, minlength=len(found)) * chance / 2 / 2**bits
    return {place - middle: float(found[place]) for place in np.flatnonzero(found).tolist()}


def noise_laws(frame: LogisticFrame, numbers: Calibration) -> list[dict[int, float]]:
    scale = float(frame.reach * frame.total_weight / numbers.rate)
    groups = [law_of_steps(2 * float(numbers.step * weight) / scale) for weight in frame.weights]
    radius = scale / (2 * float(frame.column_weight))
    return [*groups, law_of_box(radius, numbers.noise_distance / 2, numbers.step)]


def law_of_minima(mechanism: Coarse, problem: LogisticProblem) -> dict[tuple[int, ...], float]:
    """How likely each lattice point is to be the minimum found."""
    numbers, found = mechanism.calibration(problem.frame), defaultdict[tuple[int, ...], float](float)
    laws = noise_laws(problem.frame, numbers)
    noises: list[tuple[tuple[int, ...], float]] = [((), 1.0)]
    for law in laws:
        noises = [((*noise, step), p * q) for noise, p in noises for step, q in law.items() if p * q > FORGOTTEN**1.2]
    for noise, chance in noises:
        point = find_minimum(Objective(problem, numbers, list(noise)))
        found[tuple(on_grid(point, numbers.grid).tolist())] += chance
    return found


def log_law(mechanism: Coarse, problem: LogisticProblem, reach: int) -> np.ndarray:
    """Ln of the law of the answer for one or two coefficients, on a window of the lattice."""
    minima, rate = law_of_minima(mechanism, problem), float(mechanism.calibration(problem.frame).last_rate)
    window = np.arange(-reach, reach + 1)
    spread = np.exp(-rate * np.abs(window[:, None] - window[None, :]))
    if problem.frame.size == 1:
        start = np.zeros(len(window))
        for (place,), chance in minima.items():
            start[place + reach] += chance
        return np.asarray(np.log(spread @ start))
    grid = np.zeros((len(window), len(window)))
    for (one, two), chance in minima.items():
        grid[one + reach, two + reach] += chance
    return np.asarray(np.log(spread @ grid @ spread))


def problem_of(frame: LogisticFrame, zeros: int, ones: int) -> LogisticProblem:
    codes = np.zeros((zeros + ones, len(frame.groups) + frame.columns - 1), dtype=np.int64)
    return LogisticProblem(frame, codes, [0] * zeros + [1] * ones)


CONSTANT = LogisticFrame([], 1, 2, Adjacency.ADD_REMOVE)
NEIGHBOURS = [((0, 0), (0, 1)), ((2, 0), (2, 1)), ((1, 3), (1, 4))]


def worst_of(mechanism: Coarse, frame: LogisticFrame, pair: Pair, reach: int) -> float:
    """The largest |log ratio| of the laws of two data sets, over answers that are likely in either."""
    one, two = (log_law(mechanism, problem_of(frame, *counts), reach) for counts in pair)
    likely = np.maximum(one, two) > np.log(LIKELY)
    return float(np.abs(one - two)[likely].max())


def test_the_law_of_one_coefficient_moves_by_epsilon_at_most() -> None:
    worst = worst_of(Coarse(EPSILON), CONSTANT, NEIGHBOURS[0], reach=200)
    assert 0.35 * float(EPSILON) < worst <= float(EPSILON)


@pytest.mark.long
@pytest.mark.parametrize("pair", NEIGHBOURS)
def test_the_law_of_one_coefficient_on_a_finer_lattice_moves_by_epsilon_at_most(pair: Pair) -> None:
    worst = worst_of(Fine(EPSILON), CONSTANT, pair, reach=800)
    assert 0.52 * float(EPSILON) < worst <= float(EPSILON)


@pytest.mark.long
def test_the_law_of_two_coefficients_moves_by_epsilon_at_most() -> None:
    """On so coarse a lattice hardly anything is told: two coefficients on a finer one are too many to enumerate."""
    frame = LogisticFrame([1], 1, 2, Adjacency.ADD_REMOVE)
    worst = worst_of(Coarser(EPSILON), frame, ((1, 1), (1, 2)), reach=400)
    assert 0.035 * float(EPSILON) < worst <= float(EPSILON)


class Careless(Coarse):
    """All of epsilon goes to the noise in the gradient, and nothing hides the error of the minimum."""

    def calibration(self, frame: LogisticFrame) -> Calibration:
        numbers = super().calibration(frame)
        return replace(numbers, rate=numbers.rate + numbers.for_inexact)


def test_a_minimum_without_the_last_noise_is_caught() -> None:
    """What is found is a lattice point near the true minimum: which one may tell the data sets apart."""
    one, two = (law_of_minima(Careless(EPSILON), problem_of(CONSTANT, *counts)) for counts in NEIGHBOURS[0])
    likely = [place for place in {*one, *two} if max(one[place], two[place]) > LIKELY]
    worst = max(abs(np.log((one[place] + 1e-300) / (two[place] + 1e-300))) for place in likely)
    assert worst > 1.05 * float(EPSILON)


def seen_against(drawn: list[int], law: dict[int, float]) -> float:
    """The largest difference of the two distribution functions, in standard deviations of a sample."""
    places = sorted(law)
    reached = np.cumsum([law[place] for place in places])
    seen = np.searchsorted(np.sort(drawn), places, side="right") / len(drawn)
    return float(np.abs(seen - reached).max() * np.sqrt(len(drawn)))


BOUND = 2.7
"""A sample of the law exceeds it with probability 2 exp(-2 2.7^2) < 1e-6 (Dvoretzky, Kiefer, Wolfowitz; Massart)."""


def test_the_noises_drawn_have_the_laws_that_were_enumerated() -> None:
    numbers, source, count = Coarse(EPSILON).calibration(CONSTANT), system_entropy(), 20_000
    rate, scale = Fraction(1, 20), CONSTANT.reach * CONSTANT.total_weight / numbers.rate / (2 * CONSTANT.column_weight)
    steps = laplace_steps(rate, count, source)
    assert seen_against(steps, law_of_steps(1 / 20)) < BOUND < seen_against(steps, law_of_steps(1.3 / 20))
    half = numbers.noise_distance / 2
    box = [entry for _ in range(count) for entry in box_point(scale, 1, 1, half, numbers.step, source)]
    law: Callable[[float], dict[int, float]] = lambda wrong: law_of_box(float(scale) * wrong, half, numbers.step)  # noqa: E731
    assert seen_against(box, law(1.0)) < BOUND < seen_against(box, law(1.3))


@pytest.mark.parametrize("classes", [2, 3])
def test_a_sample_of_answers_leads_back_to_the_law_of_the_noise_and_to_no_other(classes: int) -> None:
    """Of every answer the noise that makes it the minimum: exponential in groups, with a Gamma radius in columns."""
    frame = LogisticFrame([2], 2, classes, Adjacency.ADD_REMOVE, weights=[2])
    records: judge.Records = [((0, 1), 0, 1.0), ((1, 0), 1, 1.0), ((0, 0), 1, 1.0), ((1, 1), classes - 1, 1.0)]
    problem = LogisticProblem(frame, [each[0] for each in records], [each[1] for each in records])
    mechanism, source = ObjectivePerturbation(2), system_entropy()
    numbers = mechanism.calibration(frame)
    made = judge.Densities(frame, numbers)
    answers = [np.array(mechanism.answer(frame, mechanism.draw(problem, source))) for _ in range(1500)]
    noises = np.array([made.noise_at(records, answer) for answer in answers])
    share = float(numbers.rate / (frame.reach * frame.total_weight))
    groups, columns = noises[:, : 2 * frame.scores], noises[:, 2 * frame.scores :]
    radius = np.abs(columns.reshape(len(noises), 2, -1)).sum(axis=2).max(axis=1)
    for wrong in (1.0, 1.6):
        of_groups = kstest(groups[:, :2].ravel(), laplace(scale=wrong / (2 * share)).cdf).pvalue
        of_radius = kstest(radius, gamma(2 * frame.scores, scale=wrong / (2 * share * 0.44)).cdf).pvalue
        assert (of_groups > 1e-6) == (of_radius > 1e-6) == (wrong == 1.0)
