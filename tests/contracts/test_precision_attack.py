"""The precision attack: low bits of an answer tell where it comes from, unless answers live on a public grid.

A float sum of a value and a noise can only be one of the floats that the sampler reaches from that value, and from its
neighbour's value it reaches others. So an attacker asks of an answer: could it come from 0, could it come from 1? On a
public grid every answer is the float of its grid step, whatever the value and the scale: the question has no answer.
"""

from fractions import Fraction

import numpy as np
import pytest

from dampen import Adjacency, Budget, GrowthLaw, NumericFrame, NumericProblem
from dampen.vectors import Floats
from tests.every_numeric import EVERY, Make, ladder

DRAWS = 30
RESOLUTIONS = ("1", "1/4", "0.1", "1/3", "2.5")


def off_the_grid(answers: list[float], resolution: Fraction) -> list[float]:
    """The answers that are not the float of any grid step: each excludes some data."""
    steps = (round(Fraction(answer) / resolution) for answer in answers)
    return [answer for answer, step in zip(answers, steps, strict=True) if float(step * resolution) != answer]


def excluded(answers: Floats, value: float) -> float:
    """The share of answers that a float Laplace release at epsilon 1 could never give of this value.

    Its noise is -ln(u) for a multiple u of 2^-53. All such u near the one that fits are tried.
    """
    noise = answers - value
    middle = np.rint(np.exp(-np.abs(noise)) * 2.0**53)
    reached = np.zeros(len(answers), dtype=bool)
    for offset in range(-64, 65):
        u = np.clip(middle + offset, 1, 2.0**53) / 2.0**53
        reached |= value - np.sign(noise) * np.log(u) == answers
    return float(1 - reached.mean())


def float_laplace(value: float, draws: int) -> Floats:
    rng = np.random.default_rng(5)
    u = rng.integers(1, 2**53, draws) / 2.0**53
    return np.asarray(value - rng.choice([-1.0, 1.0], draws) * np.log(u))


@pytest.mark.parametrize("make", EVERY.values(), ids=EVERY)
@pytest.mark.parametrize("resolution", RESOLUTIONS)
def test_it_finds_nothing_on_any_release(make: Make, resolution: str) -> None:
    """Of neighbours with different values and different ladders, hence different scales."""
    frame = NumericFrame(4, Adjacency.EDGE, resolution=resolution, growth=GrowthLaw(3, 1))
    mechanism, budget = make(1, "1e-6"), Budget(epsilon=10**6, delta="1/2")
    for value, rungs in ((0, (1, 2, 4)), ("1.7", (2, 4, 4))):
        problem = NumericProblem(frame, value, ladder(rungs, 4))
        answers = [float(mechanism.release(problem, budget=budget)) for _ in range(DRAWS)]
        assert off_the_grid(answers, frame.resolution) == []
        simulated = mechanism.simulate(problem.as_public(), np.random.default_rng(0), DRAWS)
        assert off_the_grid(simulated.tolist(), frame.resolution) == [] or resolution not in ("1", "1/4", "2.5")


def test_it_tells_0_from_1_in_two_thirds_of_float_laplace_answers() -> None:
    """At epsilon 1, of noise -ln(u); and never excludes the true value."""
    answers = float_laplace(0.0, 20_000)
    assert excluded(answers, 0.0) == 0
    assert excluded(answers, 1.0) == pytest.approx(0.67, abs=0.03)


@pytest.mark.parametrize("resolution", ["1/4", "0.1"])
def test_it_catches_float_laplace_and_a_grid_that_is_added_in_floats(resolution: str) -> None:
    """Whole steps times a float resolution, added to a float value, are not the floats of grid steps."""
    grid = Fraction(resolution)
    assert len(off_the_grid(float_laplace(0.0, 100).tolist(), grid)) > 90
    steps = np.rint(float_laplace(0.0, 1000) * 10)
    added = (1.7 + float(grid) * steps).tolist()
    assert len(off_the_grid(added, grid)) > 50
