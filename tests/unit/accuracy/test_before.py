"""Errors of means and variances before anything is drawn: exact chances of a miss, on the worst data."""

from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from dampen import Adjacency
from dampen.accuracy.before import MeanBefore, SizedAccuracy, at_size, needs_size
from dampen.errors import ParameterError
from dampen.mechanisms.noise_errors import NoiseAccuracy, Noisy
from dampen.mechanisms.numeric.noises import Geometric
from dampen.privacy import Accuracy, GroupAccuracy
from dampen.questions.record import RECORD
from dampen.vectors import Floats

ADD_REMOVE, REPLACE = Adjacency.ADD_REMOVE, Adjacency.REPLACE
BOUNDS = (0, 120)
FAR = 2_000
"""Noises beyond so many steps have no chance that counts."""


def before(question: str, epsilon: Any = 1, adjacency: Adjacency = ADD_REMOVE, **more: Any) -> Accuracy:
    known = RECORD[question].pose([7], bounds=BOUNDS, epsilon=epsilon, adjacency=adjacency, **more).accuracy_before
    assert known is not None
    return known


def laplace(rate: float, far: int) -> tuple[Floats, Floats]:
    steps = np.arange(-far, far + 1, dtype=np.float64)
    return steps, np.tanh(rate / 2) * np.exp(-rate * np.abs(steps))


def miss_of_mean(known: MeanBefore, size: int, centred: float, bound: float) -> float:
    """The exact chance that a mean of so many values, all ``centred`` from the middle, is off by more than a bound."""
    assert isinstance(known.top.noise, Geometric)
    assert isinstance(known.number.noise, Geometric)
    coarse = float(known.top.noise.rate / known.top.resolution)
    top, p_top = laplace(coarse, FAR)  # the noise of the sum in steps of 1: the resolution is far finer than a bound
    number, p_number = laplace(float(known.number.noise.rate), 400)
    counted = np.maximum(size + number, 1)
    answers = np.clip((centred * size + top[:, None]) / counted, -float(known.half), float(known.half))
    return float(p_top @ (np.abs(answers - centred) > bound) @ p_number)


@pytest.mark.parametrize("centred", [-60.0, 0.0, 25.0, 60.0])
@pytest.mark.parametrize("size", [3, 40, 1000])
def test_a_mean_of_any_values_misses_no_more_often_than_it_says(size: int, centred: float) -> None:
    known = before("mean")
    assert isinstance(known, MeanBefore)
    for confidence in (Fraction(1, 2), Fraction(19, 20)):
        bound = known.of_size(size).bound(confidence)
        assert miss_of_mean(known, size, centred, bound) <= float(1 - confidence) * 1.001


def test_the_bound_of_a_mean_is_not_loose_near_the_ends_of_the_bounds() -> None:
    known = before("mean")
    assert isinstance(known, MeanBefore)
    bound = known.of_size(1000).bound()
    assert miss_of_mean(known, 1000, 55.0, 0.9 * bound) > 0.05


@pytest.mark.parametrize(("size", "price"), [(1, "0.5"), (3, 1), (40, 1)])
@pytest.mark.parametrize("centred", [0.0, 4.0])
def test_a_mean_of_votes_misses_no_more_often_than_it_says(size: int, price: Any, centred: float) -> None:
    """Votes in four parts: fewer than one count as one."""
    parts, half, rounding = 4, 4, Fraction(1, 8)
    rate = Fraction(price) / 2 / parts
    top, number = (Noisy(Fraction(0), Geometric(each)) for each in (rate / half, rate))
    known = MeanBefore(Fraction(half), top, number, vote=parts, rounding=rounding)
    noise, chances = laplace(float(rate / half), 1_500)
    other, p_other = laplace(float(rate), 400)
    assert p_other[size * parts + other < parts].sum() <= float(known._chance_of_nobody(size)) * (1 + 1e-9)
    counted = np.maximum(size * parts + other, parts)
    answers = np.clip((centred * size * parts + noise[:, None]) / counted, -half, half)
    for confidence in (Fraction(1, 2), Fraction(19, 20)):
        bound = known.of_size(size).bound(confidence)
        most = bound if bound == 2 * half else bound - float(rounding)  # values are not rounded here
        assert chances @ (np.abs(answers - centred) > most) @ p_other <= float(1 - confidence) * 1.001


def test_nobody_is_an_answer_between_the_bounds() -> None:
    assert before("mean", "0.01").of_size(1).bound() == 120  # type: ignore[attr-defined]


@pytest.mark.parametrize("question", ["mean", "variance"])
@pytest.mark.parametrize("adjacency", [ADD_REMOVE, REPLACE])
def test_more_people_and_a_higher_price_make_it_smaller(question: str, adjacency: Adjacency) -> None:
    by_size = [at_size(before(question, 1, adjacency), size).bound() for size in (10, 100, 1000, 10**6)]
    by_price = [at_size(before(question, price, adjacency), 1000).bound() for price in ("0.01", "0.1", 1, 10)]
    assert by_size == sorted(by_size, reverse=True)
    assert by_price == sorted(by_price, reverse=True)


@pytest.mark.parametrize("size", [1, 7, 1000])
def test_of_publicly_many_it_is_the_very_statement_of_the_release(size: int) -> None:
    asked: dict[str, Any] = {"bounds": BOUNDS, "epsilon": "0.3", "adjacency": REPLACE}
    posed: Any = RECORD["mean"].pose([7] * size, **asked)
    assert isinstance(posed.accuracy, NoiseAccuracy)
    assert at_size(before("mean", "0.3", REPLACE), size) == posed.accuracy
    assert at_size(posed.accuracy_before, size) == posed.accuracy


def test_without_a_size_nothing_is_said() -> None:
    known = before("mean")
    assert needs_size(known)
    assert needs_size(GroupAccuracy({"a": known}))
    assert isinstance(known, SizedAccuracy)
    for asked in (known.bound, before("variance").bound, lambda: at_size(known, None)):
        with pytest.raises(ParameterError, match="size must be given"):
            asked()


def test_counts_need_no_size() -> None:
    known = RECORD["count"].pose([7], epsilon=1).accuracy_before
    assert known is not None
    assert not needs_size(known)
    assert at_size(known, None) is known
