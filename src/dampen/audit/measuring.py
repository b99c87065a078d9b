"""What a few events say about a claim, measured on outputs that were not used to find them."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from dampen.audit.claims import parts_of
from dampen.audit.events import Counts
from dampen.audit.intervals import lower_bound, upper_bound
from dampen.audit.outputs import Outputs
from dampen.audit.searching import Suspicion
from dampen.privacy import PrivacyLoss


@dataclass(frozen=True)
class Finding:
    """One event as it was measured.

    ``low``: how likely it is at least on the data set that was thought to show it more often; ``high``: how likely at
    most on the other one. ``bounds``: what each part of the claim is at least, if both hold.
    """

    event: str
    likelier_on: str
    """``"x"`` or ``"y"``."""
    counts: Counts
    low: float
    high: float
    bounds: dict[str, float]

    @property
    def share_on_x(self) -> float:
        """How often it was seen on x."""
        return self.counts.on_x / self.counts.of_x

    @property
    def share_on_y(self) -> float:
        """How often it was seen on y."""
        return self.counts.on_y / self.counts.of_y


def measure(
    suspicions: Sequence[Suspicion], x: Outputs, y: Outputs, *, claim: PrivacyLoss, error: float
) -> tuple[Finding, ...]:
    """All findings. With probability 1 - ``error`` or more every bound of every finding holds.

    Whoever looks at several pairs divides the error rate among them. The outputs must not be those that the events were
    found on.
    """
    each = error / (2 * max(len(suspicions), 1))
    return tuple(_measure_one(suspicion, x, y, claim, each) for suspicion in suspicions)


def _measure_one(suspicion: Suspicion, x: Outputs, y: Outputs, claim: PrivacyLoss, error: float) -> Finding:
    with np.errstate(all="ignore"):  # outputs may be any floats
        counts = suspicion.event.counts(x, y)
    on_x, on_y = (counts.on_x, counts.of_x), (counts.on_y, counts.of_y)
    often, rarely = (on_x, on_y) if suspicion.likelier_on_x else (on_y, on_x)
    low, high = float(lower_bound(*often, error)), float(upper_bound(*rarely, error))
    bounds = {part.name: float(part.bound(low, high)) for part in parts_of(claim)}
    return Finding(suspicion.event.words, "x" if suspicion.likelier_on_x else "y", counts, low, high, bounds)
