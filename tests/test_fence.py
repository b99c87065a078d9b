"""The three locks of the fence: place (see test_wheel.py), type, evidence."""

import inspect
from dataclasses import replace

import numpy as np
import pytest

from dampen.errors import NotPublic
from dampen.mechanisms import LocalDampening, SelectionMechanism
from experiments.refuted import (
    INHABITANTS,
    DampeningAsPrinted,
    ExponentialWithSmoothSensitivity,
    GroupByWithEveryStageAtEpsilon,
    Kind,
    RefutedMechanism,
    SmoothNoisyMaxLaplace,
    SmoothNoisyMaxLaplaceLogNormal,
    SmoothNoisyMaxStudent,
    TriodeByItsPrintedSensitivity,
    TriodeHAsPrinted,
)
from experiments.refuted.base import is_refuted, measured_admissibility, measured_delta, measured_loss
from experiments.refuted.exponential_smooth_sensitivity import winner_problem
from tests.audit.universes.winners import winner_problem as winner_of_records


def test_every_refuted_mechanism_is_listed() -> None:
    def below(kind: type[object]) -> set[type[object]]:
        return {deeper for child in kind.__subclasses__() for deeper in (child, *below(child))}

    assert {kind for kind in below(RefutedMechanism) if not inspect.isabstract(kind)} == set(INHABITANTS)


@pytest.mark.parametrize("inhabitant", INHABITANTS)
def test_type_no_release_and_no_privacy(inhabitant: type[RefutedMechanism]) -> None:
    assert not issubclass(inhabitant, SelectionMechanism)
    assert not hasattr(inhabitant, "release")
    assert not hasattr(inhabitant, "privacy")


@pytest.mark.parametrize("inhabitant", INHABITANTS)
def test_evidence_is_recomputed(inhabitant: type[RefutedMechanism]) -> None:
    evidence = inhabitant.evidence
    assert isinstance(evidence.kind, Kind)
    assert evidence.claim
    assert evidence.source
    assert is_refuted(inhabitant.as_claimed(), evidence)


@pytest.mark.parametrize("inhabitant", INHABITANTS)
def test_a_refuted_law_is_a_law(inhabitant: type[RefutedMechanism]) -> None:
    """Otherwise the evidence would tell of bad quadrature."""
    for x in inhabitant.evidence.pair:
        law = np.exp(inhabitant.as_claimed().log_probabilities(inhabitant.evidence.problem_of(x).as_public()))
        assert law.sum() == pytest.approx(1, abs=1e-11)


def test_smooth_noisy_max_with_students_noise_by_number() -> None:
    """From 30-digit arithmetic: 3.0850114187 at epsilon 1, 0.397334045673 at epsilon 0.1."""
    mechanism, evidence = SmoothNoisyMaxStudent.as_claimed(), SmoothNoisyMaxStudent.evidence
    losers = [np.exp(mechanism.log_probabilities(winner_problem(x).as_public()))[1] for x in evidence.pair]
    assert losers == pytest.approx([0.00373731311825, 0.000170905504063], rel=1e-9)
    assert measured_loss(mechanism, evidence) == pytest.approx(3.0850114187, abs=1e-9)
    swap = replace(evidence, pair=((0, 0), (0, 1)))
    assert measured_loss(SmoothNoisyMaxStudent(0.1), swap) == pytest.approx(0.397334045673, abs=1e-9)


@pytest.mark.parametrize(
    ("mechanism", "candidates", "expected"),
    [
        (SmoothNoisyMaxLaplace(1), 2, 1.2e-1),
        (SmoothNoisyMaxLaplace(1), 3, 1.8e-1),
        (SmoothNoisyMaxLaplace(1), 10, 3.6e-1),
        (SmoothNoisyMaxLaplace(0.1), 2, 9.3e-3),
        (SmoothNoisyMaxLaplaceLogNormal(1), 2, 2.7e-2),
        (SmoothNoisyMaxLaplaceLogNormal(1), 3, 3.9e-2),
    ],
)
def test_smooth_noisy_max_needs_a_large_delta(
    mechanism: SmoothNoisyMaxLaplace | SmoothNoisyMaxLaplaceLogNormal, candidates: int, expected: float
) -> None:
    """Claimed is 1e-6. The exact delta, worst over how far the winner leads, to the two digits of the theory."""
    evidence = replace(
        mechanism.evidence,
        claimed_epsilon=mechanism.epsilon,
        problem_of=lambda lead: winner_of_records((0,) * lead, candidates, own_steps=False),
    )
    leads = range(8) if mechanism.epsilon == 1 else range(30, 60)
    worst = max(measured_delta(mechanism, replace(evidence, pair=(lead, lead + 1))) for lead in leads)
    assert worst == pytest.approx(expected, rel=0.03)


def test_the_printed_admissibility_by_number() -> None:
    """Neighbours whose dampened scores differ by 297, where 1 was claimed."""
    evidence = DampeningAsPrinted.evidence
    report = measured_admissibility(evidence)
    assert (report.worst_condition, report.worst_shortfall) == ("next rung", 99)
    scores = [np.asarray(LocalDampening(1).scores(evidence.problem_of(x)))[0] for x in evidence.pair]
    assert scores == pytest.approx([300, 3.01])
    assert measured_loss(DampeningAsPrinted.as_claimed(), evidence) > 100


def test_smooth_sensitivity_in_the_exponential_mechanism_by_number() -> None:
    """0.039963 against 0.096689, a ratio of 2.419 where exp(1/2) = 1.649 was claimed."""
    mechanism, evidence = ExponentialWithSmoothSensitivity.as_claimed(), ExponentialWithSmoothSensitivity.evidence
    one, other = (evidence.problem_of(x).as_public() for x in evidence.pair)
    assert mechanism.smooth_sensitivity(one) == pytest.approx(0.08208, abs=5e-6)
    assert mechanism.smooth_sensitivity(other) == pytest.approx(0.13534, abs=5e-6)
    before, after = (np.exp(mechanism.log_probabilities(problem))[2] for problem in (one, other))
    assert before == pytest.approx(0.039963, abs=5e-7)
    assert after == pytest.approx(0.096689, abs=5e-7)
    assert after / before == pytest.approx(2.41946, abs=5e-6)


def test_a_refuted_law_is_shown_for_public_problems_only() -> None:
    evidence = ExponentialWithSmoothSensitivity.evidence
    mechanism, private = ExponentialWithSmoothSensitivity.as_claimed(), evidence.problem_of(evidence.pair[0])
    with pytest.raises(NotPublic):
        mechanism.log_probabilities(private)
    picks = mechanism.simulate(private.as_public(), np.random.default_rng(0), 100)
    assert np.bincount(picks).argmax() == 0


@pytest.mark.parametrize(("epsilon", "loss"), [(0.01, 0.106), (0.1, 1.067), (1, 11.048), (10, 97.5)])
def test_triode_by_its_printed_sensitivity_by_number(epsilon: float, loss: float) -> None:
    """About ten times the claim, for 20 people."""
    evidence = TriodeByItsPrintedSensitivity.evidence
    assert measured_loss(TriodeByItsPrintedSensitivity(epsilon), evidence) == pytest.approx(loss, abs=6e-4)


def test_triode_h_as_printed_by_number() -> None:
    """2.045 epsilon over both groups, where 2 epsilon was claimed; for one group the claim holds on this pair."""
    mechanism, evidence = TriodeHAsPrinted.as_claimed(), TriodeHAsPrinted.evidence
    assert measured_loss(mechanism, evidence) == pytest.approx(0.2045, abs=5e-5)
    full, all_but_one = (mechanism.of_one_group(np.array(x) == 0) for x in evidence.pair)
    assert np.abs(full - all_but_one).max() == pytest.approx(0.1257, abs=5e-5)


def test_every_stage_at_epsilon_by_number() -> None:
    evidence = GroupByWithEveryStageAtEpsilon.evidence
    assert measured_loss(GroupByWithEveryStageAtEpsilon.as_claimed(), evidence) == pytest.approx(1.368, abs=5e-4)
