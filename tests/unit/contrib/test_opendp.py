"""Measurements of OpenDP as draws, and selections as measurements, in chains of the real package."""

import sys
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from dampen import Adjacency, Frame, PrivacyLoss, SelectionProblem
from dampen.audit import black_box
from dampen.contrib.opendp import as_claim, as_draw, as_measurement
from dampen.errors import MissingExtra, ParameterError
from dampen.mechanisms import Exponential, Laplace, PermuteAndFlip

dp = pytest.importorskip("opendp.prelude", reason="opendp is not installed")
dp.enable_features("contrib", "honest-but-curious")
FRAME = Frame(("a", "b", "c"), bound=1, adjacency=Adjacency.ADD_REMOVE)


def laplace(scale: float) -> Any:
    return dp.m.make_laplace(dp.atom_domain(T=int), dp.absolute_distance(T=int), scale=scale)


def test_a_measurement_is_drawn_from_and_its_claim_is_its_map() -> None:
    measurement = laplace(0.5)
    assert as_claim(measurement) == PrivacyLoss(2, adjacency=Adjacency.ADD_REMOVE)
    assert as_claim(measurement, 4, adjacency=Adjacency.REPLACE) == PrivacyLoss(8, adjacency=Adjacency.REPLACE)
    report = black_box(as_draw(measurement), 5, 4, claim=as_claim(measurement), samples=2_000, confidence=1 - 1e-6)
    assert report.passed
    wrong = PrivacyLoss("1/10", adjacency=Adjacency.ADD_REMOVE)
    assert black_box(as_draw(measurement), 5, 4, claim=wrong, samples=2_000, confidence=1 - 1e-6).refuted


def test_claims_of_rho_and_of_a_delta_are_read() -> None:
    gaussian = dp.m.make_gaussian(dp.atom_domain(T=int), dp.absolute_distance(T=int), scale=1.0)
    assert as_claim(gaussian).rho == Fraction(1, 2)
    assert as_claim(gaussian).epsilon is None
    counts = dp.t.make_count_by(dp.vector_domain(dp.atom_domain(T=str)), dp.symmetric_distance())
    threshold = counts >> dp.m.then_laplace_threshold(scale=1.0, threshold=5)
    assert as_claim(threshold).epsilon == 1
    assert 0 < as_claim(threshold).delta < Fraction(1, 100)
    profile = dp.c.make_zCDP_to_approxDP(gaussian)
    with pytest.raises(ParameterError, match="it claims by SmoothedMaxDivergence"):
        as_claim(profile)


@pytest.mark.parametrize("function", [as_draw, as_claim])
def test_what_is_no_measurement_is_refused(function: Any) -> None:
    with pytest.raises(ParameterError, match="must be a Measurement of OpenDP"):
        function(len)


# Selections as measurements


def test_a_median_of_opendp_is_chosen_by_permute_and_flip() -> None:
    """Scores of candidate medians by OpenDP, the choice by dampen, the price by the map of the chain."""
    scores = dp.t.make_quantile_score_candidates(
        dp.vector_domain(dp.atom_domain(T=float, nan=False)),
        dp.symmetric_distance(),
        candidates=[0.0, 10.0, 20.0],
        alpha=0.5,
    )
    frame = Frame((0.0, 10.0, 20.0), bound=scores.map(1), adjacency=Adjacency.ADD_REMOVE)
    choice = as_measurement(
        PermuteAndFlip(1), frame, input_domain=scores.output_domain, input_metric=scores.output_metric, negate=True
    )
    median = scores >> choice
    assert median.map(1) == 1.0
    assert median.map(3) == 3.0
    assert median([10.0 + place / 100 for place in range(-200, 200)]) == 10.0
    composed = dp.c.make_composition([median, median])
    assert composed.map(1) >= 2.0


def test_counts_of_opendp_are_chosen_from_under_rho() -> None:
    counts = dp.t.make_count_by_categories(
        dp.vector_domain(dp.atom_domain(T=str)), dp.symmetric_distance(), categories=["a", "b"], null_category=False
    )
    frame = Frame(("a", "b"), bound=1, adjacency=Adjacency.ADD_REMOVE)
    choice = as_measurement(
        Exponential(1),
        frame,
        input_domain=counts.output_domain,
        input_metric=counts.output_metric,
        concentrated=True,
    )
    chain = counts >> choice
    assert chain.map(1) == 1 / 8
    assert chain.map(2) == 4 / 8
    assert as_claim(chain).rho == Fraction(1, 8)
    assert {chain(["a"] * 30 + ["b"]) for _ in range(20)} <= {"a", "b"}


def test_the_law_is_that_of_the_mechanism() -> None:
    measurement = as_measurement(Exponential(2), FRAME)
    scores, draws = [0.0, 1.0, 2.0], 1_000
    law = np.exp(np.asarray(Exponential(2).log_probabilities(SelectionProblem(FRAME, scores))))
    drawn = [measurement(scores) for _ in range(draws)]
    for place, name in enumerate("abc"):
        deviation = (law[place] * (1 - law[place]) / draws) ** 0.5
        assert abs(drawn.count(name) / draws - law[place]) < 5.5 * deviation


def test_maps_count_steps_and_are_never_rounded_down() -> None:
    floats = as_measurement(PermuteAndFlip("1/3"), FRAME)
    assert Fraction(floats.map(1.0)) >= Fraction(1, 3)
    assert floats.map(0.0) == 0.0
    assert floats.map(0.5) == floats.map(1.0)
    assert Fraction(floats.map(1.5)) >= 1  # two steps, and one for the floats between
    assert floats.map(1.5) == pytest.approx(1.0)
    domain = dp.vector_domain(dp.atom_domain(T="i64"), size=3)
    half = Frame(("a", "b", "c"), bound="3/2", adjacency=Adjacency.ADD_REMOVE)
    whole = as_measurement(PermuteAndFlip(1), half, input_domain=domain)
    assert [whole.map(distance) for distance in (0, 1, 2, 3)] == [0.0, 1.0, 2.0, 3.0]


def test_monotone_frames_need_monotone_distances() -> None:
    frame = Frame(("a", "b", "c"), bound=1, adjacency=Adjacency.ADD_REMOVE, monotone=True)
    assert "monotonic" in str(as_measurement(PermuteAndFlip(1), frame).input_metric)
    with pytest.raises(ParameterError, match="input_metric must be monotonic"):
        as_measurement(PermuteAndFlip(1), frame, input_metric=dp.linf_distance(T="f64"))


def test_scores_beyond_all_reach_are_cut_and_never_raise() -> None:
    measurement = as_measurement(PermuteAndFlip(1), FRAME)
    assert measurement([1e308, 0.0, -1e308]) == "a"
    domain = dp.vector_domain(dp.atom_domain(T="u64"), size=3)
    whole = as_measurement(PermuteAndFlip(1), FRAME, input_domain=domain, input_metric=dp.linf_distance(T="u64"))
    assert whole([2**64 - 1, 0, 5]) == "a"


@pytest.mark.parametrize(
    ("named", "told"),
    [
        ({"mechanism": Laplace(1)}, "mechanism must select a candidate"),
        ({"input_domain": dp.atom_domain(T=float)}, "input_domain must be one of vectors"),
        ({"input_metric": dp.symmetric_distance()}, "input_metric must be one of LInfDistance"),
        ({"concentrated": 1}, "concentrated must be True or False"),
        (
            {
                "frame": Frame(("a", "b", "c"), bound="1/2", adjacency=Adjacency.ADD_REMOVE),
                "input_domain": dp.vector_domain(dp.atom_domain(T="i64"), size=3),
            },
            "at least 1 where scores are whole",
        ),
    ],
)
def test_what_cannot_be_a_measurement_is_refused(named: dict[str, Any], told: str) -> None:
    given: dict[str, Any] = {"mechanism": PermuteAndFlip(1), "frame": FRAME} | named
    with pytest.raises(ParameterError, match=told):
        as_measurement(given.pop("mechanism"), given.pop("frame"), **given)


def test_a_missing_package_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "opendp.prelude", None)
    with pytest.raises(MissingExtra, match=r"pip install 'dampen\[opendp\]'"):
        as_measurement(PermuteAndFlip(1), FRAME)
