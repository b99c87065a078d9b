"""Faults of private minima that must not go unnoticed: noise, certificates and bits, each by itself."""

from fractions import Fraction

import numpy as np
import pytest

from dampen import Adjacency
from dampen.entropy import system_entropy
from dampen.errors import ParameterError
from dampen.mechanisms import ObjectivePerturbation
from dampen.mechanisms.regression import certificate, objective_perturbation
from dampen.mechanisms.regression.objective import Objective
from dampen.mechanisms.regression.objective_perturbation import on_grid
from dampen.problem import LogisticFrame, LogisticProblem
from dampen.sampling import norm_noise
from tests.audit import objective_densities as judge
from tests.unit.mechanisms.regression.test_objective_perturbation import objective_of, random_problem


def test_a_vote_of_more_units_than_all_weights_is_refused() -> None:
    with pytest.raises(ParameterError, match="vote must be at most"):
        LogisticProblem(LogisticFrame([2], 1, 2, Adjacency.ADD_REMOVE), [[1]], [1], [1], vote=10**400)


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
    monkeypatch.setattr(objective_perturbation, "_minimum", lambda *_: certificate.Point([[0]], 8))
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
