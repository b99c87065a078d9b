"""A claim of privacy as an assertion of a test."""

from fractions import Fraction
from typing import Any

from dampen._validate import Number, exact
from dampen.audit.black_box import black_box
from dampen.audit.black_box_report import BlackBoxReport
from dampen.audit.drawing import Batch, Draw
from dampen.privacy import PrivacyLoss

ERROR_RATE = Fraction(1, 10**6)
"""How often the assertion fails at most where the claim is true, in each run."""
SAMPLES = 20_000


def assert_private(
    draw: Draw,
    x: Any,
    y: Any,
    claim: PrivacyLoss,
    *,
    samples: int = SAMPLES,
    error_rate: Number = ERROR_RATE,
    batch: Batch | None = None,
) -> BlackBoxReport:
    """Fail if :func:`dampen.audit.black_box` refutes the claim; the message is its report.

    Where the claim is true this fails with probability ``error_rate`` at most. Where ``draw`` takes its randomness from
    a generator with a fixed seed, it does the same in every run.

    >>> import numpy as np
    >>> from dampen import Adjacency, PrivacyLoss
    >>> rng = np.random.default_rng(1)
    >>> claim = PrivacyLoss(1, adjacency=Adjacency.ADD_REMOVE)
    >>> report = assert_private(lambda people: round(len(people) + rng.laplace()), "ab", "a", claim, samples=1_000)
    >>> report.passed
    True
    """
    confidence = 1 - exact(error_rate=error_rate)
    report = black_box(draw, x, y, claim=claim, samples=samples, confidence=confidence, batch=batch)
    if report.refuted:
        raise AssertionError(f"the claim is refuted\n{report}")
    return report
