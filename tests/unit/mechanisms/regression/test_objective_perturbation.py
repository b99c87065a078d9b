"""The parts of objective perturbation: sums over records, the certificate, the two searches, and what is refused."""

from fractions import Fraction

import numpy as np
import pytest

from dampen import Adjacency, Budget
from dampen.certified import arithmetic
from dampen.entropy import system_entropy
from dampen.errors import DampenError, ParameterError
from dampen.mechanisms import ObjectivePerturbation
from dampen.mechanisms.regression import certificate, last_resort, minimum, objective_perturbation
from dampen.mechanisms.regression.calibration import calibrate, power_of_two_below
from dampen.mechanisms.regression.objective import Objective
from dampen.mechanisms.regression.objective_perturbation import draw_noise, on_grid
from dampen.problem import LogisticFrame, LogisticProblem
from dampen.sampling import norm_noise
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
        lambda: LogisticProblem(LogisticFrame([2], 1, 2, Adjacency.ADD_REMOVE), [[1]], [1], [1], vote=10**400),
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


def test_ridges_that_no_float_holds_are_refused_before_anything_is_paid() -> None:
    frame = LogisticFrame([2, 2], 1, 2, Adjacency.ADD_REMOVE, weights=[Fraction(1, 2**500), 2**500])
    with pytest.raises(ParameterError, match="below 2\\*\\*900 together"):
        ObjectivePerturbation(1).privacy(frame)


def test_ridges_that_are_far_apart_still_end_in_an_answer() -> None:
    """Floats cannot hold both at once; a slow search with one step for all would not end."""
    frame = LogisticFrame([3, 2], 2, 3, Adjacency.ADD_REMOVE, weights=[Fraction(1, 10**30), 10**30])
    problem = LogisticProblem(frame, [[0, 1, 1], [2, 0, 0]] * 20, [0, 2] * 20)
    assert len(ObjectivePerturbation(1).draw(problem, system_entropy())) == frame.size


def test_nothing_but_the_frame_decides_how_many_bits_are_read() -> None:
    """The same bits lead to the same noise whatever the data, and so to as many bits for the last noise."""

    class Counted:
        def __init__(self) -> None:
            self._rng, self.asked = np.random.default_rng(5), list[tuple[int, int]]()

        def bits(self, count: int) -> int:
            self.asked.append((1, count))
            return int.from_bytes(self._rng.bytes(count // 8 + 1)) >> (8 - count % 8)

        def words(self, count: int, width: int) -> np.ndarray:
            self.asked.append((count, width))
            return self._rng.integers(0, 1 << width, count).astype(np.uint16)

    asked = []
    for seed, rows in ((1, 0), (2, 1), (3, 300)):
        problem, _ = random_problem(seed, 3, rows=max(rows, 1))
        if not rows:
            problem = LogisticProblem(problem.frame, np.zeros((0, 4), dtype=np.int64), [], vote=8)
        source = Counted()
        ObjectivePerturbation(1).draw(problem, source)
        asked.append(source.asked)
    assert asked[0] == asked[1] == asked[2]


@pytest.mark.parametrize("classes", [2, 3])
def test_what_one_unit_adds_is_within_the_norm_of_the_noise(classes: int) -> None:
    """The slopes of the certificate itself, anywhere: N is at most 1 for a record, or one vote of a person."""
    rng = np.random.default_rng(81)
    frame = LogisticFrame([3, 2], 3, classes, Adjacency.ADD_REMOVE, weights=[1, Fraction(1, 2)], spread=True)
    numbers, worst = ObjectivePerturbation(1).calibration(frame), 0.0
    for trial in range(200):
        shares = rng.multinomial(8, np.ones(3) / 3) if trial % 2 else np.array([8])
        found = [judge.random_record(rng, frame) for _ in shares]
        problem = LogisticProblem(frame, [codes for codes, _ in found], [kind for _, kind in found], shares, vote=8)
        objective = Objective(problem, numbers, [0] * frame.size)
        point = certificate.point_of(rng.normal(size=objective.shape) * rng.choice([0.01, 1.0, 30.0]), 4)
        assert point is not None
        slopes = np.array(certificate._slope_sums(objective, np.array(point.entries), point.bits)) / 2.0**53 / 8
        worst = max(worst, -judge.Densities(frame, numbers, rate=1.0).log_noise(slopes))
    assert 0.9 < worst <= 1 + 1e-12


def test_the_error_of_slopes_is_taken_off_before_anything_is_certified(monkeypatch: pytest.MonkeyPatch) -> None:
    """With 2^43 records rounding alone may hide more than is allowed, however short the sums look."""
    frame = LogisticFrame([2], 1, 2, Adjacency.ADD_REMOVE)
    point = certificate.Point([[0], [0], [0]], 20)
    monkeypatch.setattr(certificate, "_gradient", lambda *_: ([0, 0, 0], Fraction(1)))
    close = [
        certificate.is_close(objective_of(LogisticProblem(frame, [[0]], [1], [weight])), point) for weight in (1, 2**43)
    ]
    assert close == [True, False]


def test_answers_have_the_last_noise_on_top(monkeypatch: pytest.MonkeyPatch) -> None:
    """With the same minimum each time, answers are discrete Laplace noise of the last rate, and of no other."""
    frame = LogisticFrame([], 1, 2, Adjacency.ADD_REMOVE)
    problem = LogisticProblem(frame, np.zeros((0, 0), dtype=np.int64), [])
    monkeypatch.setattr(objective_perturbation, "find_minimum", lambda _: certificate.Point([[0]], 8))
    mechanism, source = ObjectivePerturbation(1), system_entropy()
    rate = float(mechanism.calibration(frame).last_rate)
    sizes = np.sort([rate * abs(int(mechanism.draw(problem, source)[0])) for _ in range(2000)])
    # The scaled size is exponential to within one step; P(a larger distance) < 1e-6 (Massart).
    reached = np.arange(1, len(sizes) + 1) / len(sizes)
    off = [np.abs(reached + np.expm1(-wrong * sizes)).max() - rate for wrong in (1.0, 1.5)]
    assert off[0] < 2.7 / np.sqrt(len(sizes)) < off[1]


def test_coefficients_go_to_the_nearest_step_of_the_grid() -> None:
    point, grid = certificate.Point([[-7], [-5], [-1], [0], [3], [5], [1000]], 3), Fraction(1, 2)
    exact = [Fraction(entry, 8) / grid for [entry] in point.entries]
    assert all(
        abs(found - true) <= Fraction(1, 2) for found, true in zip(on_grid(point, grid).tolist(), exact, strict=True)
    )


@pytest.mark.parametrize("size", [3, 10**6, 10**40])
def test_a_point_of_any_radius_is_within_the_distance_of_the_real_one(
    monkeypatch: pytest.MonkeyPatch, size: int
) -> None:
    """The first bits of given uniform numbers are read: as many as the radius needs."""
    uniforms = [Fraction(37, 101), Fraction(5, 103), Fraction(93, 107), Fraction(88, 109)]

    class First:
        """Bits of the next uniform number in turn; signs are all +."""

        def __init__(self) -> None:
            self._left = iter(uniforms)

        def bits(self, count: int) -> int:
            return 0 if count == 1 else int(next(self._left) * 2**count)

    monkeypatch.setattr(norm_noise, "geometric_sizes", lambda rate, count, _: [size] * count)
    distance, step = Fraction(1, 10), Fraction(1, 64)
    found = norm_noise.box_point(Fraction(1), 2, 2, distance, step, First())  # type: ignore[arg-type]
    radius_step = (distance - 2 * step / 2) / (5 * 2)
    radius = 5 * (size + Fraction(1, 3)) * radius_step
    ends = [*sorted(uniforms[:2]), *sorted(uniforms[2:])]
    true = [ends[0] * radius, (ends[1] - ends[0]) * radius, ends[2] * radius, (ends[3] - ends[2]) * radius]
    assert sum((entry * step - each) ** 2 for entry, each in zip(found, true, strict=True)) <= distance**2
