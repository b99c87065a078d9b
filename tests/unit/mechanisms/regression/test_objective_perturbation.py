"""The parts of objective perturbation: sums over records, the certificate, the two searches, and what is refused."""

from fractions import Fraction

import numpy as np
import pytest

from dampen import Adjacency, Budget
from dampen.certified import arithmetic
from dampen.entropy import system_entropy
from dampen.errors import DampenError, ParameterError
from dampen.mechanisms import ObjectivePerturbation
from dampen.mechanisms.regression import certificate, last_resort, minimum
from dampen.mechanisms.regression.calibration import calibrate, power_of_two_below
from dampen.mechanisms.regression.objective import Objective
from dampen.mechanisms.regression.objective_perturbation import draw_noise, on_grid
from dampen.problem import LogisticFrame, LogisticProblem
from tests.audit import objective_densities as judge


def random_problem(seed: int, classes: int, rows: int = 20) -> tuple[LogisticProblem, judge.Records]:
    rng = np.random.default_rng(seed)
    frame = LogisticFrame([3, 2], 3, classes, Adjacency.ADD_REMOVE, weights=[1, Fraction(1, 2)], spread=True)
    weights = rng.integers(1, 9, size=rows)
    found = [judge.random_record(rng, frame) for _ in range(rows)]
    problem = LogisticProblem(frame, [codes for codes, _ in found], [kind for _, kind in found], weights, vote=8)
    return problem, [(*record, weight / 8) for record, weight in zip(found, weights.tolist(), strict=True)]


def objective_of(problem: LogisticProblem, epsilon: int = 1) -> Objective:
    numbers = ObjectivePerturbation(epsilon).calibration(problem.frame)
    return Objective(problem, numbers, draw_noise(problem.frame, numbers, system_entropy()))


@pytest.mark.parametrize("classes", [2, 3, 5])
def test_sums_are_those_of_dense_matrices(classes: int) -> None:
    problem, records = random_problem(classes, classes)
    objective, rng = objective_of(problem), np.random.default_rng(1)
    theta = rng.normal(size=objective.shape) * 2
    value, gradient = objective.value(theta)
    slopes, hessian = judge.sums(problem.frame, records, theta.ravel())
    ridge = judge.ridge_vector(problem.frame, objective.numbers)
    noise = np.array(objective.noise) * float(objective.numbers.step)
    np.testing.assert_allclose(gradient.ravel(), slopes + ridge * theta.ravel() + noise, atol=1e-9)
    way = rng.normal(size=objective.shape)
    np.testing.assert_allclose(
        objective.curve_along(theta, way).ravel(), (hessian + np.diag(ridge)) @ way.ravel(), atol=1e-9
    )
    if classes == 2:
        np.testing.assert_allclose(objective.curvatures(theta), hessian + np.diag(ridge), atol=1e-9)
    step = 1e-6 * way
    rise = objective.value(theta + step)[0] - objective.value(theta - step)[0]
    assert rise == pytest.approx(2 * float((gradient * step).sum()), rel=1e-4)
    assert value == pytest.approx(
        sum(weight * loss_of(problem.frame, theta, codes, kind) for codes, kind, weight in records)
        + float((theta.ravel() * (ridge * theta.ravel() / 2 + noise)).sum())
    )


def loss_of(frame: LogisticFrame, theta: np.ndarray, codes: tuple[int, ...], kind: int) -> float:
    scores = judge.features(frame, codes) @ theta
    return judge.loss(np.array([0.0, scores[0]]) if frame.classes == 2 else scores, kind)


@pytest.mark.parametrize("classes", [2, 4])
@pytest.mark.parametrize("size", [1e-3, 1.0, 20.0, 300.0])
def test_slopes_are_within_the_bound_that_the_certificate_takes_off(classes: int, size: float) -> None:
    problem, _ = random_problem(7 + classes, classes, rows=200)
    objective = objective_of(problem)
    point = certificate.point_of(np.random.default_rng(2).normal(size=objective.shape) * size, 4)
    assert point is not None
    entries, unit = certificate._gradient(objective, point)
    with arithmetic(300) as flint:
        exact = last_resort._gradient(flint, objective, last_resort._merge_records(objective), point)
        off = [float(abs(entry * unit.numerator / flint.arb(unit.denominator) - true)) for entry, true in
               zip(entries, [each for row in exact for each in row], strict=True)]  # fmt: skip
    weight = problem.weights.sum() / problem.vote
    assert max(off) <= weight * (classes + 6) * 2.0**-53
    assert max(off) > 0


@pytest.mark.parametrize("classes", [2, 3])
def test_both_searches_find_the_same_minimum(classes: int) -> None:
    problem, _ = random_problem(11 + classes, classes)
    objective = objective_of(problem)
    fast, slow = minimum.find_minimum(objective), last_resort.approach(objective, np.zeros(objective.shape))
    one, two = (np.array(each.entries, dtype=object) / Fraction(1 << each.bits) for each in (fast, slow))
    apart = sum(entry * entry for entry in (one - two).ravel())
    least = min(*objective.numbers.ridges, objective.numbers.column_ridge)
    assert apart <= (2 * objective.numbers.solver_distance / least) ** 2
    assert certificate.is_close(objective, fast)


def test_what_floats_do_not_reach_the_last_resort_does(monkeypatch: pytest.MonkeyPatch) -> None:
    problem, _ = random_problem(21, 2)
    objective = objective_of(problem)
    monkeypatch.setattr(minimum, "is_close", lambda *_: False)
    point = minimum.find_minimum(objective)
    assert point.bits >= last_resort.FIRST_BITS
    monkeypatch.setattr(minimum, "descend", lambda _: iter([(np.full(objective.shape, np.nan), np.nan)]))
    again = minimum.find_minimum(objective)
    grids = [on_grid(each, objective.numbers.distance / 8) for each in (point, again)]
    assert np.abs(grids[0] - grids[1]).max() <= 8


def test_a_point_a_little_too_far_is_not_close() -> None:
    problem, _ = random_problem(31, 2)
    objective = objective_of(problem)
    point = minimum.find_minimum(objective)
    moved = [[entry + (1 << point.bits) // 10**6 for entry in row] for row in point.entries]
    assert not certificate.is_close(objective, certificate.Point(moved, point.bits))


def test_noise_of_any_size_ends_in_an_answer() -> None:
    """Noise has no largest size: what floats cannot hold is left to ball arithmetic, and answers end at the grid's."""
    problem, _ = random_problem(41, 2, rows=3)
    numbers = ObjectivePerturbation(1).calibration(problem.frame)
    for size in (2**80, 2**400, 2**1100):
        noise = [size] * problem.frame.size
        found = on_grid(minimum.find_minimum(Objective(problem, numbers, noise)), numbers.grid)
        assert (found < 0).all()
        assert np.abs(found).max() <= 2**61


def test_the_parts_of_epsilon_add_up_and_lengths_fit() -> None:
    frame = LogisticFrame([16, 7], 3, 2, Adjacency.ADD_REMOVE)
    for epsilon in (Fraction(1, 10**9), Fraction(1, 10), Fraction(1), Fraction(50)):
        numbers = calibrate(frame, epsilon, Fraction(3))
        assert numbers.rate + numbers.for_curvature + numbers.for_inexact == epsilon
        least, root = min(*numbers.ridges, numbers.column_ridge), Fraction(6)
        moved = (numbers.noise_distance + numbers.solver_distance) / least + numbers.grid * root / 2
        assert root**2 >= frame.size
        assert moved <= numbers.distance
        assert numbers.last_rate == numbers.for_inexact * numbers.grid / (2 * numbers.distance * root)
        assert numbers.rate > Fraction(4, 5) * epsilon
    halved = calibrate(LogisticFrame([16, 7], 3, 2, Adjacency.REPLACE), Fraction(1), Fraction(3))
    assert halved.epsilon == Fraction(1, 2)


def test_powers_of_two() -> None:
    assert [power_of_two_below(Fraction(*pair)) for pair in ((1, 1), (3, 1), (1, 3), (7, 8))] == [
        1, 2, Fraction(1, 4), Fraction(1, 2),
    ]  # fmt: skip


def test_a_release_pays_and_tells_floats() -> None:
    problem, _ = random_problem(51, 3)
    budget = Budget(epsilon=1, unit="row")
    release = ObjectivePerturbation(1).release(problem, budget=budget)
    assert len(release) == problem.frame.size
    assert budget.remaining.epsilon == 0
    assert "private" in str(release)


def test_an_empty_table_and_a_coin_for_every_class_are_answered() -> None:
    frame = LogisticFrame([], 1, 2, Adjacency.ADD_REMOVE)
    empty = LogisticProblem(frame, np.zeros((0, 0), dtype=np.int64), [])
    assert len(ObjectivePerturbation(1).draw(empty, system_entropy())) == 1


@pytest.mark.parametrize(
    "wrong",
    [
        lambda: LogisticFrame([0], 1, 2, Adjacency.ADD_REMOVE),
        lambda: LogisticFrame([2], 0, 2, Adjacency.ADD_REMOVE),
        lambda: LogisticFrame([2], 1, 1, Adjacency.ADD_REMOVE),
        lambda: LogisticFrame([2], 1, 2, Adjacency.EDGE),
        lambda: LogisticFrame([2], 1, 2, Adjacency.ADD_REMOVE, weights=[1, 1]),
        lambda: LogisticFrame("ab", 1, 2, Adjacency.ADD_REMOVE),
        lambda: LogisticFrame([2**20], 1, 2, Adjacency.ADD_REMOVE),
        lambda: LogisticProblem(LogisticFrame([2], 1, 2, Adjacency.ADD_REMOVE), [[2]], [0]),
        lambda: LogisticProblem(LogisticFrame([2], 1, 2, Adjacency.ADD_REMOVE), [[1]], [2]),
        lambda: LogisticProblem(LogisticFrame([2], 1, 2, Adjacency.ADD_REMOVE), [[1, 1]], [1]),
        lambda: LogisticProblem(LogisticFrame([2], 1, 2, Adjacency.ADD_REMOVE), [[0.5]], [1]),
        lambda: LogisticProblem(LogisticFrame([2], 1, 2, Adjacency.ADD_REMOVE), [[1]], [1], [-1]),
        lambda: LogisticProblem(LogisticFrame([], 2, 2, Adjacency.ADD_REMOVE), [[-1]], [1]),
        lambda: LogisticProblem("frame", [[1]], [1]),
    ],
)  # fmt: skip
def test_what_makes_no_sense_is_refused_in_one_sentence(wrong: object) -> None:
    with pytest.raises(DampenError) as refused:
        wrong()  # type: ignore[operator]
    assert "\n" not in str(refused.value)


def test_ridges_that_leave_nothing_for_noise_are_refused_before_anything_is_paid() -> None:
    problem, _ = random_problem(61, 3)
    budget = Budget(epsilon=1, unit="row")
    with pytest.raises(ParameterError, match="ridge must be larger"):
        ObjectivePerturbation(1, ridge="1/10").release(problem, budget=budget)
    assert budget.remaining.epsilon == 1
