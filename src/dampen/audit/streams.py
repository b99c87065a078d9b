"""One stream of randomness for both data sets: does the k-th output on x tell the k-th output on y?

Draws are claimed to be independent. So a draw on x is nobody's secret beside a draw on y, or beside another draw on x,
and whether the two fit together is an event like every other (docs/proofs/black_box.md).
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial

import numpy as np

from dampen.audit.events import Booleans, Counts, Event, Tried
from dampen.audit.features import short
from dampen.audit.outputs import Outputs
from dampen.vectors import Floats

CLOSE = 1e-9
"""Two numbers that differ by less, relative to their size, are the same but for the rounding of floats."""


@dataclass(frozen=True)
class StreamEvent(Event):
    """Two outputs fit together; ``fit`` tells which do."""

    fit: Callable[[Outputs, Outputs], Booleans]

    def counts(self, x: Outputs, y: Outputs) -> Counts:
        """Every second output on x stands beside the next one on x, and beside the one on y of its own place."""
        x, y = x.on(self.layout), y.on(self.layout)
        pairs = min(len(x), len(y)) // 2
        known, next_one, same_place = x.part(0, 2 * pairs, 2), x.part(1, 2 * pairs, 2), y.part(0, 2 * pairs, 2)
        on_x, on_y = (int(self.fit(known, other).sum()) for other in (next_one, same_place))
        return Counts(on_x, pairs, on_y, pairs)


def stream_events(x: Outputs, y: Outputs) -> Iterator[Tried]:
    """Whether outputs are the same at the same places, and whether they always lie equally far apart."""
    count = min(len(x), len(y))
    if count < 2:
        return
    if x.layout.entries:
        words = "the k-th output on y is the k-th output on x: one stream of randomness for both"
        yield _alone(StreamEvent(words, x.layout, _same), x, y)
    if x.layout.paths:
        apart = _total(y)[:count] - _total(x)[:count]
        known = apart[np.isfinite(apart)]
        if len(known):
            shift = float(np.median(known))
            words = f"the k-th output on y is {short(shift)} more than the k-th output on x: one stream for both"
            yield _alone(StreamEvent(words, x.layout, partial(_shifted, shift)), x, y)


def _alone(event: StreamEvent, x: Outputs, y: Outputs) -> Tried:
    counts = event.counts(x, y)
    return Tried(np.array([counts.on_x]), counts.of_x, np.array([counts.on_y]), counts.of_y, lambda place: event)


def _total(outputs: Outputs) -> Floats:
    """The sum of all numbers of each output."""
    with np.errstate(invalid="ignore"):
        total: Floats = np.nansum(outputs.matrix, axis=1)
    return total


def _same(known: Outputs, other: Outputs) -> Booleans:
    return np.array([a == b for a, b in zip(known.rows, other.rows, strict=True)], dtype=np.bool_)


def _shifted(shift: float, known: Outputs, other: Outputs) -> Booleans:
    with np.errstate(invalid="ignore"):
        first, second = _total(known), _total(other)
        close: Booleans = np.abs(second - first - shift) <= CLOSE * (1 + np.abs(first) + abs(shift))
    return close
