"""Mechanisms that keep their claims, on pairs of neighbours that reach them or come near."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from math import exp, log
from typing import Any

import numpy as np

from dampen import (
    Adjacency,
    CountsFrame,
    CountsProblem,
    Frame,
    NumericFrame,
    NumericProblem,
    PrivacyLoss,
    SelectionProblem,
)
from dampen.audit.drawing import Batch
from dampen.entropy import system_entropy
from dampen.mechanisms import (
    Exponential,
    Gaussian,
    GaussianCounts,
    Laplace,
    LaplaceCounts,
    PermuteAndFlip,
    ReportNoisyMax,
    Staircase,
)
from tests.audit.planted import ABOVE, BELOW, whole_noise

NUMBER = NumericFrame(bound=1, adjacency=Adjacency.ADD_REMOVE)
COUNTS = CountsFrame(2, l1=1, largest=1, adjacency=Adjacency.ADD_REMOVE)
CHOICE = Frame(("a", "b", "c"), bound=1, adjacency=Adjacency.ADD_REMOVE)


@dataclass(frozen=True)
class Sound:
    """A mechanism, a pair of neighbours, and what is claimed and true."""

    name: str
    batch: Batch
    x: Any
    y: Any
    claim: PrivacyLoss


def one_by_one(draw: Callable[[Any], Any]) -> Batch:
    return lambda data, count: [draw(data) for _ in range(count)]


def ours(mechanism: Any, frame: Any, problem: Callable[[Any, Any], Any], x: Any, y: Any) -> Sound:
    """A mechanism of the wheel, by what its release draws."""
    source = system_entropy()
    draw = partial(mechanism.draw, source=source)
    one, other = (problem(frame, data).as_public() for data in (x, y))
    return Sound(repr(mechanism), one_by_one(draw), one, other, mechanism.privacy(frame))


def of_opendp() -> list[Sound]:
    import opendp.prelude as dp

    dp.enable_features("contrib")
    laplace: Any = dp.m.make_laplace(dp.atom_domain(T=int), dp.absolute_distance(T=int), scale=1.0)
    coin: Any = dp.m.make_randomized_response_bool(prob=0.75)
    return [
        Sound("OpenDP's discrete Laplace", one_by_one(laplace), 3, 4, claim(laplace.map(1))),
        Sound("OpenDP's randomised response", one_by_one(coin), True, False, claim(coin.map(1))),
    ]


def claim(epsilon: float) -> PrivacyLoss:
    return PrivacyLoss(epsilon, adjacency=Adjacency.ADD_REMOVE)


def randomised_response(rng: np.random.Generator, epsilon: float) -> Sound:
    keep = 1 / (1 + exp(-epsilon))
    return Sound(
        "randomised response",
        lambda answer, count: np.where(rng.random(count) < keep, answer, 1 - answer),
        0,
        1,
        claim(epsilon),
    )


def discrete_laplace(rng: np.random.Generator, epsilon: float) -> Sound:
    chance = 1 - exp(-epsilon)
    return Sound(
        "discrete Laplace",
        lambda value, count: value + rng.geometric(chance, count) - rng.geometric(chance, count),
        3,
        4,
        claim(epsilon),
    )


def rare_leak(rng: np.random.Generator, delta: float) -> Sound:
    """With probability delta it tells everything, else nothing: (0, delta) is all that is true."""
    return Sound(
        "all or nothing",
        lambda value, count: np.where(rng.random(count) < delta, value, -1),
        3,
        4,
        PrivacyLoss(0, delta, adjacency=Adjacency.ADD_REMOVE),
    )


def sparse_vector(rng: np.random.Generator) -> Sound:
    """Algorithm 1 of Lyu, Su and Li 2017: the first query above a noisy bar, on a pair like those of its faulty kin."""
    of_bar, noise = whole_noise(rng, 2), whole_noise(rng, 4)

    def draw(queries: tuple[int, ...]) -> tuple[str, ...]:
        bar, told = of_bar(), []
        for query in queries:
            told.append(ABOVE if query + noise() >= bar else BELOW)
            if told[-1] == ABOVE:
                break
        return tuple(told)

    return Sound("sparse vector", one_by_one(draw), (0,) * 5, (1,) * 3 + (-1,) * 2, claim(1))


def two_points_of_rho(rng: np.random.Generator) -> Sound:
    """Randomised response of epsilon 1 by its rho, which is nearly reached: epsilon tanh(epsilon / 2)."""
    sound = randomised_response(rng, 1)
    rho = PrivacyLoss(None, rho=repr(float(np.tanh(0.5))), adjacency=Adjacency.ADD_REMOVE)
    return Sound("randomised response in rho", sound.batch, 0, 1, rho)


def every_sound(rng: np.random.Generator) -> list[Sound]:
    return [
        randomised_response(rng, 1),
        randomised_response(rng, log(3)),
        discrete_laplace(rng, 1),
        discrete_laplace(rng, 0.2),
        rare_leak(rng, 0.05),
        sparse_vector(rng),
        two_points_of_rho(rng),
        ours(Exponential(1), CHOICE, SelectionProblem, [1, 0, 0], [0, 1, 1]),
        ours(PermuteAndFlip(1), CHOICE, SelectionProblem, [1, 0, 0], [0, 1, 1]),
        ours(ReportNoisyMax(1), CHOICE, SelectionProblem, [1, 0, 0], [0, 1, 1]),
        ours(Laplace(1), NUMBER, NumericProblem, 3, 4),
        ours(Staircase(1), NUMBER, NumericProblem, 3, 4),
        ours(Gaussian(rho="1/2"), NUMBER, NumericProblem, 3, 4),
        ours(LaplaceCounts(1), COUNTS, CountsProblem, [1, 2], [1, 3]),
        ours(GaussianCounts(rho="1/2"), COUNTS, CountsProblem, [1, 2], [1, 3]),
        *of_opendp(),
    ]
