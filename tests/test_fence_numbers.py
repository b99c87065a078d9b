"""The same three locks for refuted numeric mechanisms: place (see test_wheel.py), type, evidence."""

import inspect
from dataclasses import replace
from math import exp, log

import numpy as np
import pytest

from dampen.audit import edge_neighbours, graphs, laplace_pair
from dampen.errors import NotPublic
from dampen.mechanisms import NumericMechanism
from experiments.refuted import (
    OF_NUMBERS,
    LargestLocalSensitivitiesAsPrinted,
    NoiseByTheorem8,
    RefutedNoise,
    SmoothLaplaceBeyondItsRange,
    TwoTrianglesByTheSmallBound,
)
from experiments.refuted.largest_local_sensitivities import LevelSpace
from experiments.refuted.numbers import is_refuted_by_delta, measured_pair
from experiments.refuted.two_triangle_bound import (
    OF_SECTION_5_3,
    largest_support,
    problem_of,
    supports,
    two_triangles,
)
from tests.audit.universes.subgraphs import copies

each = pytest.mark.parametrize("inhabitant", OF_NUMBERS, ids=lambda kind: kind.__name__)


def delta_of(mechanism: RefutedNoise, **changed: object) -> float:
    return measured_pair(mechanism, replace(mechanism.evidence, **changed)).delta  # type: ignore[arg-type]


def test_every_refuted_noise_is_listed() -> None:
    assert {kind for kind in RefutedNoise.__subclasses__() if not inspect.isabstract(kind)} == set(OF_NUMBERS)


@each
def test_type_no_release_and_no_privacy(inhabitant: type[RefutedNoise]) -> None:
    assert not issubclass(inhabitant, NumericMechanism)
    assert not hasattr(inhabitant, "release")
    assert not hasattr(inhabitant, "privacy")


@each
def test_evidence_is_recomputed(inhabitant: type[RefutedNoise]) -> None:
    evidence = inhabitant.evidence
    assert evidence.claim
    assert evidence.source
    assert is_refuted_by_delta(inhabitant.as_claimed(), evidence)
    assert not is_refuted_by_delta(inhabitant.as_claimed(), replace(evidence, claimed_delta=0.999))


@each
def test_scales_are_shown_for_public_problems_only(inhabitant: type[RefutedNoise]) -> None:
    mechanism, private = inhabitant.as_claimed(), inhabitant.evidence.problem_of(inhabitant.evidence.pair[0])
    with pytest.raises(NotPublic):
        mechanism.scale(private)
    with pytest.raises(NotPublic):
        mechanism.simulate(private, np.random.default_rng(0), 1)
    drawn = mechanism.simulate(private.as_public(), np.random.default_rng(0), 20_000) - float(private.value)
    assert np.abs(drawn).mean() == pytest.approx(mechanism.scale(private.as_public()), rel=0.05)


def test_largest_local_sensitivities_by_number() -> None:
    """2.7e-3 at ten levels and 0.18 at thirty, where 1e-6 was claimed."""
    mechanism = LargestLocalSensitivitiesAsPrinted.as_claimed()
    assert delta_of(mechanism) == pytest.approx(2.652e-3, rel=1e-3)
    deep = LevelSpace(30, 1 + 1 / (2 * log(1e6)))
    mechanism = LargestLocalSensitivitiesAsPrinted(1, 1e-6, deep)
    assert delta_of(mechanism, problem_of=deep.problem_of) == pytest.approx(0.18286, rel=1e-4)


def test_largest_local_sensitivities_hold_between_all_other_levels() -> None:
    """It is the link across that breaks them."""
    mechanism = LargestLocalSensitivitiesAsPrinted.as_claimed()
    for level in range(2, 10):
        assert delta_of(mechanism, pair=(level, level + 1)) <= 1e-6
    assert delta_of(mechanism, pair=(1, 10)) <= 1e-6


def test_theorem_8_by_number() -> None:
    """Both conditions hold, and the exact delta is 4.04 times the claim."""
    mechanism = NoiseByTheorem8.as_claimed()
    assert mechanism.slack() > -1e-12
    assert 0 < mechanism.alpha < 1
    assert delta_of(mechanism) == pytest.approx(4.0435e-5, rel=1e-4)


@pytest.mark.parametrize("epsilon", [1, 3, 5])
def test_the_family_against_theorem_8_needs_a_large_epsilon(epsilon: int) -> None:
    assert delta_of(NoiseByTheorem8(epsilon, 1e-5), claimed_epsilon=epsilon) <= 1e-5


def test_section_5_3_by_number() -> None:
    """The paper's noise of 3, where its mechanism has a delta of 0.71 and not 1/2000."""
    mechanism, graph = TwoTrianglesByTheSmallBound.as_claimed(), OF_SECTION_5_3
    around = list(edge_neighbours(graph))
    assert (len(graph[1]), two_triangles(graph), largest_support(graph)) == (9, 3, 3)
    assert max(abs(two_triangles(other) - two_triangles(graph)) for other in around) == 7
    assert mechanism.scale(problem_of(graph).as_public()) == pytest.approx(3.01, abs=0.005)
    assert delta_of(mechanism) == pytest.approx(1 - exp(-1.25), rel=1e-12)
    assert max(delta_of(mechanism, pair=(graph, other)) for other in around) == pytest.approx(1.5338e-5, rel=1e-4)


def test_the_bound_without_its_square_is_exceeded_and_with_it_holds() -> None:
    """5592 of the 32768 graphs on six nodes."""
    exceeded = 0
    for graph in graphs(largest=6, smallest=6):
        local = max(abs(two_triangles(other) - two_triangles(graph)) for other in edge_neighbours(graph))
        exceeded += copies(graph) * (local > 2.5 * largest_support(graph))
        common = max([*supports(graph).values(), largest_support(graph)])
        assert local <= (5 * common**2 - common) / 2
    assert exceeded == 5592


def test_smooth_laplace_by_number() -> None:
    """Valid up to epsilon = 11.2 at delta = 1e-6, and three times too much at 15."""
    assert delta_of(SmoothLaplaceBeyondItsRange.as_claimed()) == pytest.approx(2.9926e-6, rel=1e-4)
    for epsilon, valid in ((5, True), (11.1, True), (11.3, False)):
        growth = exp(epsilon / (2 * log(1e6)))
        pair = laplace_pair(epsilon=epsilon, distance=1, scale=2 * growth / epsilon, other_scale=2 / epsilon)
        assert (pair.delta <= 1e-6) == valid
