"""Errors of means and variances from tails: against all noises written out, and against seeded draws."""

from typing import Any

import numpy as np
import pytest

from dampen import Adjacency, NumericFrame, NumericProblem
from dampen.accuracy.quotients import MeanContest, NoiseTail, VarianceContest, shares
from dampen.mechanisms import Gaussian, Laplace, NumericMechanism, PolyPlace, Staircase
from dampen.queries import mean_part_problems
from dampen.queries.sums import variance_part_problems

ADD_REMOVE, REPLACE = Adjacency.ADD_REMOVE, Adjacency.REPLACE
PAY = [1000 + 37 * place % 3000 for place in range(400)]
BOUNDS = (0, 10_000)
MECHANISMS = [lambda: Laplace("0.5"), lambda: Laplace("0.02"), lambda: Staircase(2), lambda: Gaussian("0.01")]
DRAWS = 400_000


def public(problems: Any) -> Any:
    return tuple(problem.as_public() for problem in problems)


@pytest.mark.parametrize("centred", [-40, 0, 13])
@pytest.mark.parametrize("number", [2, 30])
@pytest.mark.parametrize("make", [lambda: Laplace("0.6"), lambda: Gaussian("0.1"), lambda: Staircase(1)])
def test_errors_of_a_mean_are_those_of_all_noises(make: Any, number: int, centred: int) -> None:
    """Sums in 1/32 of what one value moves: coarser than in a real mean, where it is 1/1024."""
    mechanism: NumericMechanism = make()
    bound, resolution = 4, "1/8"
    top = NumericProblem(NumericFrame(bound, ADD_REMOVE, resolution), min(max(centred, -4 * number), 4 * number))
    many = NumericProblem(NumericFrame(1, ADD_REMOVE), number)
    found = MeanContest(public((top, many)), bound).measure(mechanism)
    steps, others = np.arange(-2_000, 2_001), np.arange(-80, 81)
    p_top = np.exp(mechanism.log_probabilities(top, steps + top.steps))
    p_other = np.exp(mechanism.log_probabilities(many, others + number))
    answers = np.clip((float(top.value) + steps[:, None] / 8) / np.maximum(number + others, 1), -bound, bound)
    errors = np.abs(answers - float(top.value) / number).ravel()
    chances = np.outer(p_top, p_other).ravel()
    order = np.argsort(errors)
    rare = errors[order][int(np.argmax(1 - np.cumsum(chances[order]) <= 0.05))]
    assert found.mean == pytest.approx(float(errors @ chances), rel=0.005)
    assert found.rare == pytest.approx(float(rare), rel=0.01)


@pytest.mark.parametrize("make", MECHANISMS)
def test_errors_of_a_mean_are_those_of_draws(make: Any) -> None:
    mechanism, rng = make(), np.random.default_rng(1)
    parts = public(mean_part_problems(PAY, bounds=BOUNDS))
    top, number = (mechanism.simulate(part, rng, DRAWS) for part in parts)
    answers = np.clip(top / np.maximum(number, 1), -5000, 5000)
    errors = np.abs(answers - float(parts[0].value) / len(PAY))
    found = MeanContest(parts, 5000).measure(mechanism)
    assert found == pytest.approx((errors.mean(), np.quantile(errors, 0.95)), rel=0.01)


@pytest.mark.parametrize("adjacency", [ADD_REMOVE, REPLACE])
@pytest.mark.parametrize("make", MECHANISMS)
def test_errors_of_a_variance_are_those_of_draws(make: Any, adjacency: Adjacency) -> None:
    mechanism, rng, offset = make(), np.random.default_rng(1), 10_000**2 / 8
    problems, records = variance_part_problems(PAY, bounds=BOUNDS, adjacency=adjacency)
    parts = public(problems)
    first, squares, *rest = (mechanism.simulate(part, rng, DRAWS) for part in parts)
    number = np.maximum(rest[0], 1) if rest else np.float64(len(PAY))
    mean, square = np.clip(first / number, -5000, 5000), np.clip(squares / number, -offset, offset) + offset
    errors = np.abs(np.maximum(square - mean**2, 0) - np.var(PAY))
    found = VarianceContest(parts, 10_000, records).measure(mechanism)
    assert found == pytest.approx((errors.mean(), np.quantile(errors, 0.95)), rel=0.01)


@pytest.mark.parametrize("make", [*MECHANISMS, lambda: PolyPlace("0.3")])
def test_a_table_of_a_tail_has_the_tail(make: Any) -> None:
    mechanism = make()
    problem = NumericProblem(NumericFrame(3, ADD_REMOVE, "1/100"), 5).as_public()
    tail = NoiseTail(mechanism, problem)
    steps = np.array([1.0, 2, 17, 100, 313, 1000, 2345])
    exact = np.exp(mechanism.log_tail(problem, steps))
    known = exact > 1e-8
    assert tail.at(steps)[known] == pytest.approx(exact[known], rel=0.003)
    noise = tail.quantiles(shares(4096))
    assert (noise == -noise[::-1]).all()
    assert np.abs(noise).mean() / 100 == pytest.approx(mechanism.expected_absolute_noise(problem), rel=0.01)
    assert tail.chance_above(np.array([5.0]))[0] == pytest.approx(exact[0] / 2, rel=1e-6)
    assert tail.chance_below(np.array([5.01]))[0] == pytest.approx(1 - exact[0] / 2, rel=1e-6)
