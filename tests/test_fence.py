"""The three locks of the fence: place (see test_wheel.py), type, evidence."""

import numpy as np
import pytest

from dampen.mechanisms import SelectionMechanism
from experiments.refuted import INHABITANTS, Kind, RefutedMechanism
from experiments.refuted.base import measured_loss
from experiments.refuted.exponential_smooth_sensitivity import ExponentialWithSmoothSensitivity


def test_every_refuted_mechanism_is_listed() -> None:
    def below(kind: type[object]) -> set[type[object]]:
        return {deeper for child in kind.__subclasses__() for deeper in (child, *below(child))}

    assert below(RefutedMechanism) == set(INHABITANTS)


@pytest.mark.parametrize("inhabitant", INHABITANTS)
def test_type_no_release_and_no_privacy(inhabitant: type[RefutedMechanism]) -> None:
    assert not issubclass(inhabitant, SelectionMechanism)
    assert not hasattr(inhabitant, "release")
    assert not hasattr(inhabitant, "privacy")


@pytest.mark.parametrize("inhabitant", INHABITANTS)
def test_evidence_is_recomputed(inhabitant: type[RefutedMechanism]) -> None:
    evidence = inhabitant.evidence
    assert evidence.kind is Kind.LOSS
    assert evidence.source
    assert measured_loss(inhabitant.as_claimed(), evidence) > evidence.claimed_epsilon * (1 + 1e-9)


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
    from dampen.errors import NotPublic

    evidence = ExponentialWithSmoothSensitivity.evidence
    mechanism, private = ExponentialWithSmoothSensitivity.as_claimed(), evidence.problem_of(evidence.pair[0])
    with pytest.raises(NotPublic):
        mechanism.log_probabilities(private)
    picks = mechanism.simulate(private.as_public(), np.random.default_rng(0), 100)
    assert np.bincount(picks).argmax() == 0
