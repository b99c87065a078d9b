"""Audit anything that can be drawn from: no law, no source code, only outputs on two neighbouring data sets."""

import time
from typing import Any

from dampen._validate import Number, whole
from dampen.audit.black_box_report import BlackBoxReport
from dampen.audit.claims import parts_of
from dampen.audit.drawing import Batch, Draw, draw_both, progress, require_draw
from dampen.audit.measuring import measure
from dampen.audit.searching import find_events
from dampen.privacy import PrivacyLoss, miss_chance

SAMPLES = 200_000


def black_box(
    draw: Draw,
    x: Any,
    y: Any,
    *,
    claim: PrivacyLoss,
    samples: int = SAMPLES,
    confidence: Number = 0.99,
    seed: int = 0,
    batch: Batch | None = None,
) -> BlackBoxReport:
    """Try to refute a claim of privacy by ``samples`` draws on each of two neighbouring data sets.

    ``draw(data)`` returns an output: a number, a text, a vector, an array, a mapping, anything that can be hashed. If
    it raises an exception, that is the output. Draws must be independent. ``batch(data, n)``, where it is given,
    returns n outputs at once and is called instead; what it raises is raised.

    The first half of the draws is searched for an event that one data set shows more often: single values, thresholds,
    likelihood ratios, low bits of floats, types, lengths, exceptions, repeated streams. The second half measures the
    few events that promise most. With probability ``confidence`` or more all lower bounds of the report hold, whatever
    was searched; so a true claim is refuted with probability 1 - ``confidence`` at most. Claims may be in epsilon, in
    epsilon and delta, in rho, or in epsilon and rho; a bounded range is not judged. ``seed`` is that of the search
    alone, and chooses no randomness of the draws.

    A claim that is not refuted is not proved: another pair, or more draws, may refute it. The report says what would
    have been found. Nothing is paid, so ``x`` and ``y`` must be made up. docs/proofs/black_box.md has the proofs.

    >>> import numpy as np
    >>> from dampen import Adjacency, PrivacyLoss
    >>> rng = np.random.default_rng(1)
    >>> def count_with_noise(people):
    ...     return len(people) + rng.laplace(scale=1 / 2)
    >>> claim = PrivacyLoss(1, adjacency=Adjacency.ADD_REMOVE)
    >>> report = black_box(count_with_noise, ["ann", "bob"], ["ann"], claim=claim, samples=10_000)
    >>> report.refuted, report.epsilon > 1.5
    (True, True)
    """
    require_draw(draw, batch)
    parts_of(claim)
    error, half = float(miss_chance(confidence)), whole(samples=samples, least=100) // 2
    whole(seed=seed, least=0)
    start = time.perf_counter()
    with progress("drawing", 4 * half) as advance:
        suspicions = find_events(*draw_both(draw, x, y, half, batch=batch, advance=advance), claim=claim, seed=seed)
        findings = measure(
            suspicions, *draw_both(draw, x, y, half, batch=batch, advance=advance), claim=claim, error=error
        )
    return BlackBoxReport(
        claim=claim,
        findings=findings,
        pair=(x, y),
        samples=2 * half,
        confidence=1 - miss_chance(confidence),
        seed=seed,
        seconds=time.perf_counter() - start,
    )
