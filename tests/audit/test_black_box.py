"""An audit by draws alone finds what is wrong, leaves alone what is right, and tells no bound above the truth."""

from collections.abc import Callable

import numpy as np
import pytest

from dampen.audit import BlackBoxReport, black_box
from tests.audit.planted import FAULTS, Planted
from tests.audit.sound import Sound, discrete_laplace, every_sound, randomised_response

SEED = 20_240
CHEAP = {
    "half the noise": 4_000,
    "float Laplace": 4_000,
    "fixed seed": 1_000,
    "permute-and-flip in rho": 8_000,
    "one noise for two answers": 2_000,
    "error of an empty group": 4_000,
}
"""Faults that few draws show, and how many."""
MISSED: set[str] = set()
"""Faults that 60 seconds do not show. At most two may be here."""
RUNS = 1_000
MOST = 28
"""More than this of 1,000 happen with a probability of 1e-6 where each has one of 1 %."""


def audit(fault: Planted, samples: int) -> BlackBoxReport:
    draw = fault.draw_with(np.random.default_rng(SEED))
    return black_box(draw, fault.x, fault.y, claim=fault.claim, samples=samples)


def audit_sound(sound: Sound, samples: int, confidence: float = 0.99) -> BlackBoxReport:
    return black_box(
        lambda data: sound.batch(data, 1)[0],
        sound.x,
        sound.y,
        claim=sound.claim,
        samples=samples,
        confidence=confidence,
        batch=sound.batch,
    )


@pytest.mark.parametrize("fault", [each for each in FAULTS if each.name in CHEAP], ids=lambda each: each.name)
def test_six_planted_faults_are_found_by_few_draws(fault: Planted) -> None:
    assert audit(fault, CHEAP[fault.name]).refuted


def test_there_are_twenty_faults() -> None:
    assert len({fault.name for fault in FAULTS}) == len(FAULTS) == 20
    assert {*CHEAP} <= {fault.name for fault in FAULTS}
    assert len(MISSED) <= 2


@pytest.mark.long
@pytest.mark.parametrize("fault", FAULTS, ids=lambda each: each.name)
def test_planted_faults_are_found(fault: Planted) -> None:
    assert audit(fault, fault.samples).refuted == (fault.name not in MISSED)


def test_what_is_sound_is_not_accused() -> None:
    subjects = every_sound(np.random.default_rng(SEED))
    assert [each.name for each in subjects if not audit_sound(each, 400, confidence=1 - 1e-8)] == []


@pytest.mark.long
def test_a_thousand_audits_of_sound_mechanisms_accuse_rarely() -> None:
    subjects = every_sound(np.random.default_rng(SEED))
    accused = [
        subject.name
        for subject in (subjects[run % len(subjects)] for run in range(RUNS))
        if not audit_sound(subject, 600)
    ]
    assert len(accused) <= MOST, accused


@pytest.mark.long
@pytest.mark.parametrize("make", [randomised_response, discrete_laplace])
def test_lower_bounds_lie_below_the_truth_and_near_it(make: Callable[[np.random.Generator, float], Sound]) -> None:
    rng = np.random.default_rng(SEED)
    found = np.array([audit_sound(make(rng, 1.0), 10_000).epsilon for _ in range(RUNS)])
    assert (found > 1).sum() <= MOST
    assert np.median(found) >= 0.8
