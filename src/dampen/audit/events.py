"""Events: sets of outputs, told in words, that one data set may show more often than the other."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Hashable, Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from dampen.audit.features import AT_LEAST, AT_MOST, EXACTLY, Feature, LabelFeature
from dampen.audit.outputs import Layout, Outputs
from dampen.vectors import Floats, Integers

Booleans = NDArray[np.bool_]
MOST_CUTS = 2048
"""So many thresholds of a feature are tried at most, and so many single values."""


class Counts(NamedTuple):
    """How often an event was seen on each data set, and of how many draws."""

    on_x: int
    of_x: int
    on_y: int
    of_y: int


@dataclass(frozen=True)
class Event(ABC):
    """Something that may be seen when a mechanism is run, in words. Outputs are read in the columns of ``layout``."""

    words: str
    layout: Layout

    @abstractmethod
    def counts(self, x: Outputs, y: Outputs) -> Counts:
        """How often it is seen among outputs of both data sets."""


@dataclass(frozen=True)
class OutputEvent(Event):
    """A set of outputs. ``holds`` looks at each output by itself."""

    holds: Callable[[Outputs], Booleans]

    def counts(self, x: Outputs, y: Outputs) -> Counts:
        """How many outputs are in the set."""
        on_x, on_y = (int(self.holds(outputs.on(self.layout)).sum()) for outputs in (x, y))
        return Counts(on_x, len(x), on_y, len(y))


class Tried(NamedTuple):
    """Many events of one kind: how often each was seen, of how many draws, and how to make one of them."""

    on_x: Integers
    of_x: int
    on_y: Integers
    of_y: int
    event: Callable[[int], Event]


def events_of_numbers(feature: Feature, x: Outputs, y: Outputs, *, single: bool = True) -> Iterator[Tried]:
    """Thresholds in both directions, and single values where they are asked for."""
    in_x, in_y = (np.sort(values[~np.isnan(values)]) for values in map(feature.values, (x, y)))
    values, times = np.unique(np.concatenate([in_x, in_y]), return_counts=True)
    if len(values) < 2 and len(in_x) == len(in_y):
        return
    often = np.sort(values[np.argsort(-times, kind="stable")[:MOST_CUTS]])
    tried = {EXACTLY: often} if single else {}
    for relation, cuts in (tried | {AT_MOST: _thin(values), AT_LEAST: _thin(values)}).items():
        on_x, on_y = (_count(relation, ordered, cuts) for ordered in (in_x, in_y))
        yield Tried(on_x, len(x), on_y, len(y), partial(_numeric_event, feature, relation, cuts, x.layout))


def _thin(values: Floats) -> Floats:
    """Few thresholds of many: all at the two ends, where events are rare, fewer and fewer towards the middle."""
    if len(values) <= MOST_CUTS:
        return values
    steps = np.geomspace(1, len(values) // 2, MOST_CUTS // 2).astype(np.int64)
    kept: Floats = values[np.unique(np.concatenate([steps - 1, len(values) - steps]))]
    return kept


def _count(relation: str, ordered: Floats, cuts: Floats) -> Integers:
    below, up_to = np.searchsorted(ordered, cuts, side="left"), np.searchsorted(ordered, cuts, side="right")
    counts: Integers = {AT_MOST: up_to, AT_LEAST: len(ordered) - below, EXACTLY: up_to - below}[relation]
    return counts


def _numeric_event(feature: Feature, relation: str, cuts: Floats, layout: Layout, place: int) -> Event:
    cut = float(cuts[place])
    compare = {AT_MOST: np.less_equal, AT_LEAST: np.greater_equal, EXACTLY: np.equal}[relation]
    return OutputEvent(feature.tell(relation, cut), layout, lambda outputs: compare(feature.values(outputs), cut))


def events_of_labels(feature: LabelFeature, x: Outputs, y: Outputs) -> Iterator[Tried]:
    """Single labels."""
    codes, (in_x, in_y) = encode([feature.labels(x), feature.labels(y)])
    if not codes:
        return
    known = list(codes)
    on_x, on_y = (np.bincount(some[some >= 0], minlength=len(known)) for some in (in_x, in_y))
    yield Tried(on_x, len(x), on_y, len(y), partial(_label_event, feature, known, x.layout))


def _label_event(feature: LabelFeature, known: list[Hashable], layout: Layout, place: int) -> Event:
    label = known[place]
    words = f"{feature.name} is exactly {feature.text(label)}"
    return OutputEvent(words, layout, lambda outputs: is_among(feature.labels(outputs), {label}))


def encode(lists: Iterable[list[Hashable]]) -> tuple[dict[Hashable, int], list[Integers]]:
    """Labels as numbers, from 0 on; -1 where there is none."""
    codes: dict[Hashable, int] = {None: -1}
    coded: list[Any] = [
        np.fromiter((codes.setdefault(label, len(codes) - 1) for label in labels), np.int64, len(labels))
        for labels in lists
    ]
    del codes[None]
    return codes, coded


def is_among(labels: list[Hashable], some: set[Hashable]) -> Booleans:
    """Which labels are some of these."""
    return np.fromiter((label in some for label in labels), np.bool_, len(labels))
