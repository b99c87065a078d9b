"""Groups drawn for real against their exact laws: at 1e-6, and a law that is 30 % wrong must be rejected."""

from collections import Counter
from math import exp
from typing import Any

import numpy as np
import pytest
from scipy.stats import chisquare

from dampen import entropy
from dampen.mechanisms.grouping.base import SetMechanism
from dampen.mechanisms.grouping.dampened_triode import DampenedTriode
from dampen.mechanisms.grouping.randomised_response import RandomisedResponse
from dampen.mechanisms.grouping.triode import Triode
from dampen.mechanisms.grouping.triode_h import TriodeH

ALPHA = 1e-6


def number_of(chosen: np.ndarray[Any, Any]) -> int:
    return sum(1 << int(person) for person in np.flatnonzero(chosen))


SETS: dict[str, tuple[SetMechanism, int]] = {
    "triode": (Triode(6), 6_000),
    "triode by cells": (Triode(30), 2_000),
    "triode_h": (TriodeH(12, 2), 2_000),
    "dampened_triode": (DampenedTriode(6), 2_000),
}


@pytest.mark.parametrize(("mechanism", "runs"), SETS.values(), ids=SETS.keys())
def test_sets_are_drawn_from_their_law(mechanism: SetMechanism, runs: int) -> None:
    """Chi-square at 1e-6, which also rejects a law that is 30 % wrong."""
    members, source = np.array([True, False, True, True, False]), entropy.system_entropy()
    fragments = np.array([0, 1, 0, 2, 1])
    law = np.exp(mechanism.set_law(members, fragments))
    drawn = Counter(number_of(mechanism.draw_set(members, fragments, source)) for _ in range(runs))
    counts = np.array([drawn[number] for number in range(32)])
    rare = law * runs < 5
    merged = [*counts[~rare], *([counts[rare].sum()] if rare.any() else [])]
    expected = np.array([*law[~rare], *([law[rare].sum()] if rare.any() else [])])
    assert chisquare(merged, expected / expected.sum() * runs).pvalue > ALPHA
    wrong = expected * np.where(np.arange(len(expected)) % 2, 1.3, 0.7)
    assert chisquare(merged, wrong / wrong.sum() * runs).pvalue < ALPHA


@pytest.mark.parametrize("kinds", [2, 3, 100])
def test_randomised_response_keeps_and_moves_as_often_as_it_says(kinds: int) -> None:
    mechanism, people = RandomisedResponse(2), np.arange(60_000) % kinds
    told = mechanism.draw_places(people, kinds, entropy.system_entropy())
    moved = np.bincount((told - people) % kinds, minlength=kinds)
    expected = np.full(kinds, (1 - mechanism.keep_probability(kinds)) / (kinds - 1))
    expected[0] = mechanism.keep_probability(kinds)
    assert chisquare(moved, expected * len(people)).pvalue > ALPHA
    wrong = expected * np.where(np.arange(kinds) == 0, 0.7, 1.3)
    assert chisquare(moved, wrong / wrong.sum() * len(people)).pvalue < ALPHA
    assert mechanism.keep_probability(kinds) == pytest.approx(exp(2) / (exp(2) + kinds - 1))
