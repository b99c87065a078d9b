"""What an audit would have found: the least loss that a number of draws shows with a probability of 95 %."""

from dataclasses import dataclass

from dampen.audit.claims import Part, parts_of
from dampen.audit.intervals import lower_bound, upper_bound
from dampen.privacy import PrivacyLoss

FOUND = 0.95
"""How often that loss is found, at least."""
STEPS = 60
"""Halvings of the range in which the least probability lies."""


@dataclass(frozen=True)
class Power:
    """What would have been found with a probability of 95 %.

    ``loss``: the least epsilon (rho, where no epsilon is claimed) at an event as likely as the one that was found, on
    the data set that shows it more rarely; None where no loss would do. ``rare``: how likely an event must be that the
    other data set never shows; None where none would do.
    """

    loss: float | None
    rare: float | None
    draws: int


def power_of(claim: PrivacyLoss, *, draws: int, error: float, rate: float) -> Power:
    """The power of so many draws on each data set, with an error rate of one bound each."""
    [part, *_] = [part for part in parts_of(claim) if part.name != "delta"]
    likely = _least_probability(part, draws, error, rate)
    loss = None if likely is None or rate == 0 else float(part.bound(likely, rate))
    return Power(loss, _least_probability(part, draws, error, 0.0), draws)


def _least_probability(part: Part, draws: int, error: float, rate: float) -> float | None:
    """How likely an event must be on one data set to refute a part, if its probability on the other one is ``rate``."""
    from scipy.stats import binom

    missed = (1 - FOUND) / 2
    high = float(upper_bound(binom.isf(missed, draws, rate), draws, error))

    def is_found(likely: float) -> bool:
        low = float(lower_bound(binom.ppf(missed, draws, likely), draws, error))
        return part.refuted_by(float(part.bound(low, high)))

    below, above = rate, 1.0
    if not is_found(above):
        return None
    for _ in range(STEPS):
        middle = (below + above) / 2
        below, above = (below, middle) if is_found(middle) else (middle, above)
    return above
