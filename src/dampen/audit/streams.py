"""One stream of randomness for both data sets, or for two draws: does an output tell another one?

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

LEAST = 4
"""Fewer draws have no two that follow one another from each start."""
CLOSE = 1e-9
"""Two numbers that differ by less, relative to their size, are the same but for the rounding of floats."""


@dataclass(frozen=True)
class StreamEvent(Event):
    """Two outputs fit together; ``fit`` tells which do.

    ``first``: the first draw that is taken, 0 or 1. ``of_x``: whether draws on x stand beside others, or those on y.
    """

    fit: Callable[[Outputs, Outputs], Booleans]
    first: int = 0
    of_x: bool = True

    def counts(self, x: Outputs, y: Outputs) -> Counts:
        """Every second output stands beside the next one on its data set, and beside the other one's of its place."""
        x, y = x.on(self.layout), y.on(self.layout)
        own, other = (x, y) if self.of_x else (y, x)
        start, pairs = self.first, (min(len(x), len(y)) - self.first) // 2
        end = start + 2 * pairs
        known, next_one, same_place = own.part(start, end, 2), own.part(start + 1, end, 2), other.part(start, end, 2)
        on_own, on_other = (int(self.fit(known, each).sum()) for each in (next_one, same_place))
        on_x, on_y = (on_own, on_other) if self.of_x else (on_other, on_own)
        return Counts(on_x, pairs, on_y, pairs)


def stream_events(x: Outputs, y: Outputs) -> Iterator[Tried]:
    """Whether outputs at the same places are the same or equally far apart, and so those of one draw and the next.

    Noise that is used for two draws cancels in their difference, or in their sum.
    """
    if min(len(x), len(y)) < LEAST:
        return
    if x.layout.entries:
        words = "the k-th output on y is the k-th output on x: one stream of randomness for both"
        yield _alone(StreamEvent(words, x.layout, _same), x, y)
    if x.layout.paths:
        for event in (*_at_one_place(x, y), *_one_after_the_other(x, True), *_one_after_the_other(y, False)):
            yield _alone(event, x, y)


def _at_one_place(x: Outputs, y: Outputs) -> Iterator[StreamEvent]:
    count = min(len(x), len(y))
    shift = _middle(_total(y)[:count] - _total(x)[:count])
    if shift is not None:
        words = f"the k-th output on y is {short(shift)} more than the k-th output on x: one stream for both"
        yield StreamEvent(words, x.layout, partial(_shifted, shift))


def _one_after_the_other(own: Outputs, of_x: bool) -> Iterator[StreamEvent]:
    totals, name = _total(own), "x" if of_x else "y"
    for first in (0, 1):
        known, following = totals[first:-1:2], totals[first + 1 :: 2]
        for words, sign, shift in (
            ("a draw on {} gives {} more than the draw before", 1.0, _middle(following - known)),
            ("two draws on {}, one after the other, add up to {}", -1.0, _middle(-following - known)),
        ):
            if shift is not None:
                told = f"{words.format(name, short(sign * shift))}: noise is used twice"
                yield StreamEvent(told, own.layout, partial(_shifted, shift, sign=sign), first, of_x)


def _middle(values: Floats) -> float | None:
    known = values[np.isfinite(values)]
    return float(np.median(known)) if len(known) else None


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


def _shifted(shift: float, known: Outputs, other: Outputs, *, sign: float = 1.0) -> Booleans:
    with np.errstate(invalid="ignore"):
        first, second = _total(known), sign * _total(other)
        close: Booleans = np.abs(second - first - shift) <= CLOSE * (1 + np.abs(first) + abs(shift))
    return close
