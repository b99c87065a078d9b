"""The parts of a claim, each with the lower bound that an event puts on it."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

from dampen.audit.arguments import require_kind
from dampen.audit.intervals import delta_at, epsilon_at, rho_at
from dampen.errors import ParameterError
from dampen.privacy import PrivacyLoss
from dampen.vectors import Floats

ROUNDING = 1e-9
"""A relative excess up to this is the rounding of floats, not a breach."""
SMALLEST = 1e-300
"""A claim of 0 counts as this where bounds are compared with it."""


@dataclass(frozen=True)
class Part:
    """One number of a claim. ``bound`` tells how large it is at least, from a low and a high probability."""

    name: str
    claimed: float
    bound: Callable[[Any, Any], Floats]

    def refuted_by(self, bound: float) -> bool:
        """Whether it is certainly larger than claimed."""
        return bound > self.claimed * (1 + ROUNDING)


def parts_of(claim: PrivacyLoss) -> tuple[Part, ...]:
    """Epsilon at the claimed delta and delta at the claimed epsilon, which fall together; and rho, where it is claimed.

    What concentrated privacy means beside a delta is not settled: rho is judged where delta is 0.
    """
    require_kind(PrivacyLoss, "PrivacyLoss(1, adjacency=Adjacency.ADD_REMOVE)", claim=claim)
    delta = float(claim.delta)
    if claim.epsilon is None and delta > 0:
        raise ParameterError("claim must have no delta where it has a rho and no epsilon; judge its epsilon and delta")
    parts = []
    if claim.epsilon is not None:
        epsilon = float(claim.epsilon)
        parts.append(Part("epsilon", epsilon, partial(epsilon_at, delta=delta)))
        parts.append(Part("delta", delta, partial(delta_at, epsilon=epsilon)))
    if claim.rho is not None and delta == 0:
        parts.append(Part("rho", float(claim.rho), rho_at))
    return tuple(parts)


def excess_over(claim: PrivacyLoss, bounds: Mapping[str, float]) -> float:
    """How many times what is claimed the bounds are, in epsilon or rho, whichever is worse."""
    judged = [part for part in parts_of(claim) if part.name != "delta"]
    return max(bounds[part.name] / max(part.claimed, SMALLEST) for part in judged)
