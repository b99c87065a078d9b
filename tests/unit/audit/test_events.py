"""Events: what is counted while many are tried is what an event holds of."""

import numpy as np
import pytest

from dampen.audit.events import MOST_CUTS, Tried, encode, events_of_labels, events_of_numbers
from dampen.audit.features import label_features, numeric_features
from dampen.audit.learners import learned_ratios
from dampen.audit.outputs import Layout, Outputs
from dampen.audit.streams import stream_events

RNG = np.random.default_rng(5)
DRAWN = {
    "floats": (RNG.normal(size=300).tolist(), RNG.normal(1, 1, size=300).tolist()),
    "whole": (RNG.integers(0, 5, 300).tolist(), RNG.integers(1, 6, 300).tolist()),
    "vectors": (RNG.normal(size=(300, 3)), RNG.normal(1, 1, size=(300, 3))),
    "labels": ([("a", int(n)) for n in RNG.integers(0, 4, 300)], [("b", "x")] * 150 + [None] * 150),
    "mappings": ([{"a": n} for n in range(300)], [{"b": n % 3} for n in range(300)]),
}


def all_tried(x: Outputs, y: Outputs) -> list[Tried]:
    labels = list(label_features(x, y))
    features = list(numeric_features(x, y))
    found = [tried for each in features for tried in events_of_numbers(each, x, y)]
    found += [tried for each in labels for tried in events_of_labels(each, x, y)]
    ratios = learned_ratios(features[: len(x.layout.paths)], labels[1:], x, y, np.random.default_rng(0))
    found += [tried for each in ratios for tried in events_of_numbers(each, x, y, single=False)]
    return [*found, *stream_events(x, y)]


@pytest.mark.parametrize("kind", DRAWN)
def test_events_are_counted_as_they_hold(kind: str) -> None:
    x, y = map(Outputs, DRAWN[kind])
    layout = Layout.of_both(x, y)
    tried = all_tried(x.on(layout), y.on(layout))
    assert len(tried) > 5
    for each in tried:
        for place in {0, len(each.on_x) // 2, len(each.on_x) - 1}:
            event = each.event(place)
            assert event.counts(x, y) == (each.on_x[place], each.of_x, each.on_y[place], each.of_y), event.words
            assert "\n" not in event.words


def test_both_ends_and_frequent_values_are_tried_of_many() -> None:
    values = np.append(np.arange(10_000.0), [77.0] * 5)
    outputs = Outputs(values)
    [feature, *_] = numeric_features(outputs, outputs)
    exactly, at_most, at_least = events_of_numbers(feature, outputs, outputs)
    assert len(exactly.on_x) == MOST_CUTS
    assert 6 in exactly.on_x
    assert {1, 2, 3} <= set(at_most.on_x.tolist())
    assert {1, 2, 3} <= set(at_least.on_x.tolist())


def test_labels_are_coded_in_the_order_of_their_appearance() -> None:
    codes, (one, other) = encode([["a", None, "b"], ["b", "c"]])
    assert codes == {"a": 0, "b": 1, "c": 2}
    assert one.tolist() == [0, -1, 1]
    assert other.tolist() == [1, 2]
