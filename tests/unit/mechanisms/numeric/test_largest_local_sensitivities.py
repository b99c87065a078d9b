"""The repaired LLS mechanism: its scale, and the exact delta of all graphs on five nodes."""

from fractions import Fraction
from functools import partial
from math import log

import numpy as np
import pytest

from dampen import Adjacency, NumericFrame, NumericProblem
from dampen.certified import ball
from dampen.errors import ParameterError
from dampen.mechanisms import LargestLocalSensitivities
from dampen.mechanisms.numeric.rungs import MOST_RUNGS, ratio_below, rungs_until_negligible, smooth_ladder
from dampen.sensitivity import RungTable
from tests.unit.mechanisms.selection.five_nodes import distinct_pairs, problem

FRAME = NumericFrame(30, Adjacency.EDGE)
LADDER = RungTable([[7], [15], [27], [30]], bound=30)


def rate_by_definition(rungs: list[int], epsilon: float, delta: float) -> float:
    ratio = 1 + epsilon / (2 * log(1 / delta))
    return min(epsilon / (2 * rung) * ratio**k for k, rung in enumerate(rungs))


@pytest.mark.parametrize(("epsilon", "delta"), [("5", "1/2000"), ("1/10", "1e-6"), ("1", "1/3")])
def test_the_rate_is_the_smallest_over_all_levels(epsilon: str, delta: str) -> None:
    mechanism = LargestLocalSensitivities(epsilon, delta)
    by_definition = rate_by_definition([7, 15, 27, 30], float(Fraction(epsilon)), float(Fraction(delta)))
    scale = mechanism.noise(NumericProblem(FRAME, 3, LADDER)).scale
    assert float(scale) == pytest.approx(1 / by_definition, rel=1e-9)
    assert scale >= 2 * 7 / mechanism.epsilon


@pytest.mark.parametrize("k", [1, 2], ids=["triangles", "2-triangles"])
@pytest.mark.parametrize(("epsilon", "delta"), [("1/2", "1e-2"), ("1", "1e-6"), ("5", "1e-3"), ("10", "1/3")])
def test_exact_delta_of_all_graphs_on_five_nodes(k: int, epsilon: str, delta: str) -> None:
    mechanism, steps = LargestLocalSensitivities(epsilon, delta), np.arange(-6000, 6001)
    graphs = {x for pair in distinct_pairs(k) for x in pair}
    laws = {x: mechanism.log_probabilities(problem(x, k), steps) for x in graphs}
    worst = max(
        np.maximum(np.exp(laws[x]) - np.exp(float(mechanism.epsilon) + laws[y]), 0).sum() for x, y in distinct_pairs(k)
    )
    assert 0 <= worst <= float(mechanism.delta)


def test_neighbouring_scales_differ_by_the_ratio_at_most_without_any_rounding() -> None:
    mechanism = LargestLocalSensitivities("1/2", "1e-6")
    for k in (1, 2):
        graphs = {x for pair in distinct_pairs(k) for x in pair}
        scales = {x: mechanism.noise(problem(x, k)).scale for x in graphs}
        worst = max(scales[x] / scales[y] for x, y in distinct_pairs(k))
        assert 1 < worst <= mechanism.ratio()


def test_smoothing_is_the_largest_shrunk_rung() -> None:
    ratio = Fraction(3, 2)
    rng = np.random.default_rng(0)
    for _ in range(50):
        rungs = sorted(rng.integers(0, 40, 6).tolist())
        by_definition = max(rung / ratio**t for t, rung in enumerate([*rungs, 40]))
        assert by_definition <= smooth_ladder(rungs, 40, ratio) <= by_definition + Fraction(1, 2**60)
    assert smooth_ladder([0] * 500, 1, ratio) > 0


def test_ratios_are_rounded_down_a_little_and_stay_above_one() -> None:
    for excess in (Fraction(1, 3), Fraction(1, 10**30), Fraction(10**9, 7)):
        ratio = ratio_below(partial(lambda excess, flint: ball(flint, excess), excess))
        assert 1 < ratio <= 1 + excess
        assert ratio >= 1 + excess * (1 - Fraction(1, 2**39))


def test_the_number_of_rungs_is_public_and_enough() -> None:
    ratio = Fraction(101, 100)
    count = rungs_until_negligible(1000, ratio)
    assert 2**-22 < 1000 / float(ratio) ** count < 2**-20
    assert rungs_until_negligible(1000, 1 + Fraction(1, 10**9)) == MOST_RUNGS
    assert rungs_until_negligible(1000, 1 + Fraction(1, 10**200)) == MOST_RUNGS


@pytest.mark.parametrize("delta", [0, 1, "0.36788", -1, None])
def test_what_is_not_proved_is_refused(delta: object) -> None:
    with pytest.raises(ParameterError, match=r"^delta must [^\n]{,200}$"):
        LargestLocalSensitivities(1, delta)  # type: ignore[arg-type]
    assert LargestLocalSensitivities(1, "0.36787").privacy(FRAME).delta == Fraction("0.36787")
