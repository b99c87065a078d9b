"""What an audit found."""

from dataclasses import dataclass
from typing import Any

from dampen._validate import plain
from dampen.privacy import PrivacyLoss

TOLERANCE = 1e-9
"""A relative excess up to this is the rounding of floats, not a breach."""


@dataclass(frozen=True)
class AuditReport:
    """The worst that was found over all pairs of neighbours, next to what is claimed.

    ``worst_log_ratio``: the largest absolute ln P(y)/P(x) over pairs and outputs. ``worst_delta``: the largest
    hockey-stick divergence at the claimed epsilon. ``worst_range``: the largest spread of the loss over the outputs of
    one pair. ``worst_pair`` and ``worst_output`` are where the claim is nearest to failing, or fails most.
    """

    mechanism: str
    claim: PrivacyLoss
    pairs: int
    worst_log_ratio: float
    worst_delta: float
    worst_range: float
    worst_pair: tuple[Any, Any] | None
    worst_output: Any

    @property
    def breaches(self) -> tuple[str, ...]:
        """Which parts of the claim are broken: ``"epsilon"``, ``"delta"``, ``"bounded_range"``."""
        broken = []
        if self.claim.delta == 0 and self.worst_log_ratio > float(self.claim.epsilon) * (1 + TOLERANCE):
            broken.append("epsilon")
        if self.claim.delta > 0 and self.worst_delta > float(self.claim.delta) * (1 + TOLERANCE):
            broken.append("delta")
        bounded_range = self.claim.bounded_range
        if bounded_range is not None and self.worst_range > float(bounded_range) * (1 + TOLERANCE):
            broken.append("bounded_range")
        return tuple(broken)

    @property
    def passed(self) -> bool:
        """Whether every part of the claim holds on every pair, and there was at least one."""
        return self.pairs > 0 and not self.breaches

    def __bool__(self) -> bool:
        return self.passed

    def __str__(self) -> str:
        verdict = "holds" if self.passed else f"BROKEN: {', '.join(self.breaches) or 'no pair was tried'}"
        claimed_range = self.claim.bounded_range
        rows = [
            ("mechanism", self.mechanism),
            ("claim", f"{self.claim}: {verdict}"),
            ("pairs of neighbours", f"{self.pairs:,}"),
            ("worst log-ratio", f"{self.worst_log_ratio:.10g}  (epsilon {plain(self.claim.epsilon)})"),
            ("worst delta", f"{self.worst_delta:.6g}  (delta {plain(self.claim.delta)})"),
            (
                "worst range",
                f"{self.worst_range:.10g}  (claimed {plain(claimed_range) if claimed_range else 'none'})",
            ),
            ("worst pair", f"{self.worst_pair}"),
            ("worst output", f"{self.worst_output}"),
        ]
        return "\n".join(f"{name:<20} {value}" for name, value in rows)
