"""Searching and measuring apart: what is found in one half is measured in another, with the error rate divided."""

import numpy as np
import pytest

from dampen import Adjacency, PrivacyLoss
from dampen.audit.events import OutputEvent
from dampen.audit.intervals import lower_bound, upper_bound
from dampen.audit.measuring import measure
from dampen.audit.outputs import Outputs
from dampen.audit.searching import KEPT, Suspicion, find_events
from dampen.errors import ParameterError

CLAIM = PrivacyLoss(1, adjacency=Adjacency.ADD_REMOVE)


def outputs_of(ones: int, zeros: int) -> Outputs:
    return Outputs([1] * ones + [0] * zeros)


def is_one(outputs: Outputs) -> OutputEvent:
    return OutputEvent("it is 1", outputs.layout, lambda some: some.column("the output") == 1)


def test_every_bound_has_its_share_of_the_error_rate() -> None:
    x, y = outputs_of(60, 40), outputs_of(10, 90)
    suspicion = Suspicion(is_one(x), likelier_on_x=True)
    for times in (1, 4):
        findings = measure([suspicion] * times, x, y, claim=CLAIM, error=0.01)
        assert len(findings) == times
        assert findings[0].low == lower_bound(60, 100, 0.01 / (2 * times))
        assert findings[0].high == upper_bound(10, 100, 0.01 / (2 * times))
        assert findings[0].bounds["epsilon"] == pytest.approx(np.log(findings[0].low / findings[0].high))


def test_the_direction_is_that_of_the_search() -> None:
    x, y = outputs_of(60, 40), outputs_of(10, 90)
    [finding] = measure([Suspicion(is_one(x), likelier_on_x=False)], x, y, claim=CLAIM, error=0.01)
    assert finding.likelier_on == "y"
    assert finding.bounds["epsilon"] == 0


def test_the_search_finds_the_event_and_its_direction() -> None:
    suspicions = find_events(outputs_of(600, 400), outputs_of(100, 900), claim=CLAIM)
    assert 1 <= len(suspicions) <= KEPT
    assert {(each.event.words, each.likelier_on_x) for each in suspicions} >= {("the output is exactly 1", True)}


def test_equal_outputs_raise_no_suspicion() -> None:
    assert find_events(outputs_of(50, 50), outputs_of(50, 50), claim=CLAIM) == []
    assert measure([], outputs_of(5, 5), outputs_of(5, 5), claim=CLAIM, error=0.01) == ()


def test_the_search_is_the_same_with_the_same_seed() -> None:
    rng = np.random.default_rng(0)
    x, y = Outputs(rng.normal(size=(500, 3))), Outputs(rng.normal(1, 1, size=(500, 3)))
    words = [[each.event.words for each in find_events(x, y, claim=CLAIM, seed=seed)] for seed in (1, 1, 2)]
    assert words[0] == words[1]


def test_one_stream_for_both_is_found_in_labels_and_in_numbers() -> None:
    rng = np.random.default_rng(0)
    numbers, labels = rng.normal(size=2_000).round(3), [f"n{each}" for each in rng.integers(0, 1_000, 2_000)]
    for x, y in ((Outputs(numbers), Outputs(numbers + 5e-3)), (Outputs(labels), Outputs(labels))):
        assert any("stream" in each.event.words for each in find_events(x, y, claim=CLAIM))


def test_a_delta_without_epsilon_is_refused() -> None:
    claim = PrivacyLoss(None, "1e-6", rho=1, adjacency=Adjacency.ADD_REMOVE)
    with pytest.raises(ParameterError, match="claim must have no delta"):
        find_events(outputs_of(1, 1), outputs_of(1, 1), claim=claim)
