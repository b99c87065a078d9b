"""Where to look: of thousands of events, the few that promise the largest lower bounds."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import numpy as np

from dampen.audit.claims import Part, parts_of
from dampen.audit.events import Counts, Event, Tried, events_of_labels, events_of_numbers
from dampen.audit.features import (
    column_feature,
    label_features,
    names_worth_a_look,
    numeric_features,
    random_directions,
)
from dampen.audit.learners import learned_ratios
from dampen.audit.outputs import Layout, Outputs
from dampen.audit.streams import stream_events
from dampen.privacy import PrivacyLoss
from dampen.vectors import Floats, Integers

KEPT = 3
"""So many events are carried over for each part of a claim. More of them widen the bounds of each."""
CAUTION = 3.0
"""Rough bounds, by which events are ranked, lie so many standard deviations away."""


@dataclass(frozen=True)
class Suspicion:
    """An event that is to be measured, and on which data set it is thought to be likelier."""

    event: Event
    likelier_on_x: bool


@dataclass(frozen=True)
class _Candidate:
    suspicion: Suspicion
    counts: Counts
    promise: float
    turn: int


def find_events(x: Outputs, y: Outputs, *, claim: PrivacyLoss, seed: int = 0) -> list[Suspicion]:
    """The events that promise most against a claim, the simplest first; they must be measured on other outputs.

    Simple events are looked for among all outputs. Likelihood ratios are learned from one half of them, and cut where
    the other half promises most. ``seed`` chooses directions, and the draws to learn from.
    """
    layout = Layout.of_both(x, y)
    x, y = x.on(layout), y.on(layout)
    parts = [part for part in parts_of(claim) if part.name != "delta" or part.claimed > 0]
    best: dict[str, list[_Candidate]] = {part.name: [] for part in parts}
    with np.errstate(all="ignore"):  # outputs may be any floats
        for turn, tried in enumerate(_all_events(x, y, np.random.default_rng(seed))):
            for part in parts:
                best[part.name] = _best([*best[part.name], *_promising(tried, part, turn)])
    found = {candidate.counts: candidate for kept in best.values() for candidate in kept}
    return [each.suspicion for each in sorted(found.values(), key=lambda each: each.turn)]


def _all_events(x: Outputs, y: Outputs, rng: np.random.Generator) -> Iterator[Tried]:
    of_type, *others = label_features(x, y)
    yield from events_of_labels(of_type, x, y)
    for feature in (*numeric_features(x, y), *random_directions(x, y, rng)):
        yield from events_of_numbers(feature, x, y)
    for label in others:
        yield from events_of_labels(label, x, y)
    yield from stream_events(x, y)
    half_x, half_y = len(x) // 2, len(y) // 2
    columns = [column_feature(name) for name in names_worth_a_look(x, y)]
    later_x, later_y = x.part(half_x, len(x)), y.part(half_y, len(y))
    for ratio in learned_ratios(columns, others, x.part(0, half_x), y.part(0, half_y), rng):
        yield from events_of_numbers(ratio, later_x, later_y, single=False)


def _promising(tried: Tried, part: Part, turn: int) -> Iterator[_Candidate]:
    """The best event of one kind, for either direction."""
    on_x, on_y = (tried.on_x, tried.of_x), (tried.on_y, tried.of_y)
    for likelier_on_x in (True, False):
        often, rarely = (on_x, on_y) if likelier_on_x else (on_y, on_x)
        promises = part.bound(_roughly(*often, -CAUTION), _roughly(*rarely, CAUTION))
        place = int(np.argmax(promises))
        if promises[place] > 0:
            counts = Counts(int(tried.on_x[place]), tried.of_x, int(tried.on_y[place]), tried.of_y)
            yield _Candidate(Suspicion(tried.event(place), likelier_on_x), counts, float(promises[place]), turn)


def _best(candidates: Iterable[_Candidate]) -> list[_Candidate]:
    """The best ones. Two events that were seen equally often are nearly always the same one in other words."""
    kept: dict[Counts, _Candidate] = {}
    for each in sorted(candidates, key=lambda each: -each.promise):
        kept.setdefault(each.counts, each)
    return list(kept.values())[:KEPT]


def _roughly(count: Integers, trials: int, deviations: float) -> Floats:
    """Wilson's bound of a probability, below or above by so many standard deviations."""
    share, square = np.asarray(count) / trials, deviations**2 / trials
    middle = (share + square / 2) / (1 + square)
    width = np.sqrt(share * (1 - share) / trials + square / (4 * trials)) / (1 + square)
    bound: Floats = np.clip(middle + deviations * width, 0.0, 1.0)
    return bound
