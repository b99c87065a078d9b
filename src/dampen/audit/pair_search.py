"""Where is it worst? A cheap look at many pairs of neighbours, a longer one at the most suspicious, then a verdict."""

import time
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from dampen._validate import Number, positive, render, whole
from dampen.audit.black_box import black_box
from dampen.audit.black_box_report import BlackBoxReport
from dampen.audit.claims import excess_over, parts_of
from dampen.audit.drawing import Batch, Draw, draw_both, require_draw
from dampen.audit.leaves import Raised
from dampen.audit.measuring import measure
from dampen.audit.outputs import Outputs
from dampen.audit.proposed_pairs import Pair, pairs
from dampen.audit.search_report import Look, SearchReport
from dampen.audit.searching import find_events
from dampen.errors import ParameterError
from dampen.privacy import PrivacyLoss, miss_chance

MEASURED = 3
"""So many pairs are measured in the end; the error rate is divided by their number."""
SHARES = (0.5, 0.25, 0.25)
"""How the time of the verdict is divided among them."""
FOR_LOOKS = 0.3
"""This share of the time is spent on looks: one half on all pairs, one half on the better third of them."""
FEWEST, MOST = 100, 4_000
"""Draws of a look on each data set."""
FEWEST_MEASURED, MOST_MEASURED = 400, 1_000_000
"""Draws of a verdict on each data set."""
ROUGH = 0.5
"""The error rate of a look. It accuses nobody, so it may well be wrong."""
FIRST = 10
"""Draws by which the pace of a subject is told."""


def search(
    draw: Draw,
    kind: str | Sequence[Pair | tuple[Any, Any]],
    *,
    claim: PrivacyLoss,
    seconds: Number = 60,
    confidence: Number = 0.99,
    seed: int = 0,
    batch: Batch | None = None,
) -> SearchReport:
    """Try to refute a claim of privacy on the most suspicious of many pairs of neighbours, in about so many seconds.

    ``kind`` names the data that the subject takes (see :func:`dampen.audit.pairs`), or is a list of pairs of your own.
    All pairs get a few draws, the better third of them more. The three most suspicious pairs are then measured by
    :func:`dampen.audit.black_box` with draws that were not used before, each with a third of the error rate. So a true
    claim is refuted with probability 1 - ``confidence`` at most, whatever was looked at. ``draw``, ``batch`` and
    ``seed`` are as there.

    >>> import numpy as np
    >>> from dampen import Adjacency, PrivacyLoss
    >>> rng = np.random.default_rng(1)
    >>> def count_with_noise(people):
    ...     return len(people) + int(rng.geometric(0.8) - rng.geometric(0.8))
    >>> claim = PrivacyLoss(1, adjacency=Adjacency.ADD_REMOVE)
    >>> search(count_with_noise, "categories", claim=claim, seconds=0.1).refuted
    True
    """
    require_draw(draw, batch)
    parts_of(claim)
    allowed, error = float(positive(seconds=seconds)), miss_chance(confidence)
    whole(seed=seed, least=0)
    subject, start = _Subject(draw, batch, claim, seed), time.perf_counter()
    looks = _look_at_all(subject, _proposed(kind, claim), allowed * FOR_LOOKS)
    chosen = _most_suspicious(looks)[:MEASURED]
    if not chosen:
        raise ParameterError(f"draw must return an output on one of the pairs; {looks[0].refusal}")
    left = max(allowed - (time.perf_counter() - start), allowed * (1 - FOR_LOOKS))
    reports = []
    for look, share in zip(chosen, SHARES, strict=False):
        samples = _affordable([look], left * share, FEWEST_MEASURED, MOST_MEASURED)
        reports.append((look.pair, subject.measure(look.pair, samples, 1 - error / len(chosen))))
    return SearchReport(claim, tuple(looks), tuple(reports), 1 - error, seed, time.perf_counter() - start)


@dataclass(frozen=True)
class _Subject:
    """What is audited."""

    draw: Draw
    batch: Batch | None
    claim: PrivacyLoss
    seed: int

    def measure(self, pair: Pair, samples: int, confidence: Fraction) -> BlackBoxReport:
        return black_box(
            self.draw,
            pair.x,
            pair.y,
            claim=self.claim,
            samples=samples,
            confidence=confidence,
            seed=self.seed,
            batch=self.batch,
        )

    def look(self, pair: Pair, count: int) -> Look:
        """A rough measure by so many draws on each data set; one half finds events, the other half rates them."""
        start, half = time.perf_counter(), max(count // 2, 1)
        refusal, suspicion = "", 0.0
        try:
            x, y = draw_both(self.draw, pair.x, pair.y, 2 * half, batch=self.batch, advance=lambda steps: None)
        except Exception as error:  # a batch may raise anything; and a draw that does nothing else is refused
            refusal = str(error) if isinstance(error, ParameterError) else f"it raised a {type(error).__name__}"
        else:
            refusal = _refusal(pair, x) or _refusal(pair, y)
            suspicion = 0.0 if refusal else self._suspicion(x, y, half)
        return Look(pair, 2 * half, suspicion, time.perf_counter() - start, refusal)

    def _suspicion(self, x: Outputs, y: Outputs, half: int) -> float:
        events = find_events(x.part(0, half), y.part(0, half), claim=self.claim, seed=self.seed)
        later_x, later_y = x.part(half, len(x)), y.part(half, len(y))
        found = measure(events, later_x, later_y, claim=self.claim, error=ROUGH)
        return max((excess_over(self.claim, each.bounds) for each in found), default=0.0)


def _refusal(pair: Pair, outputs: Outputs) -> str:
    """Whether a data set with an odd record is one that the subject never takes."""
    drawn = outputs.drawn
    always = pair.mixed and all(isinstance(each, Raised) for each in drawn)
    return f"it always raised a {drawn[0].kind}" if always else ""


def _proposed(kind: str | Sequence[Pair | tuple[Any, Any]], claim: PrivacyLoss) -> list[Pair]:
    if isinstance(kind, str):
        return pairs(kind, adjacency=claim.adjacency, unit=claim.unit)
    if not isinstance(kind, list | tuple) or not kind:
        raise ParameterError(f"kind must be a name such as 'numbers', or a list of pairs; got {render(kind)}")
    return [_as_pair(each, place) for place, each in enumerate(kind, start=1)]


def _as_pair(each: object, place: int) -> Pair:
    if isinstance(each, Pair):
        return each
    if not isinstance(each, list | tuple) or len(each) != 2:
        raise ParameterError(f"kind must be a list of pairs (x, y); entry {place} is {render(each)}")
    return Pair(f"pair {place}", *each)


def _look_at_all(subject: _Subject, proposed: list[Pair], seconds: float) -> list[Look]:
    """First a few draws on all pairs, to see how long they take, then more, then still more on the better third."""
    looks = [subject.look(pair, FIRST) for pair in proposed]
    for number in (len(looks), max(len(looks) // 3, MEASURED)):
        best = _most_suspicious(looks)[:number]
        count = _affordable(best, seconds / 2, FEWEST, MOST)
        looks = [subject.look(look.pair, count) if look in best else look for look in looks]
    return looks


def _most_suspicious(looks: list[Look]) -> list[Look]:
    """Those first that promise most; of equal ones, those first that were proposed first."""
    return sorted((look for look in looks if not look.refusal), key=lambda look: -look.suspicion)


def _affordable(looks: list[Look], seconds: float, fewest: int, most: int) -> int:
    """How many draws can be made on each data set of each of these pairs in so many seconds, at the pace of before."""
    pace = sum(look.seconds / look.draws for look in looks)
    return int(min(max(seconds / pace, fewest), most)) if looks else fewest
