"""What an audit found."""

from dataclasses import dataclass
from fractions import Fraction
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
    one pair. Each pair is judged by its own claim; ``claim``, ``worst_pair`` and ``worst_output`` are where a claim is
    nearest to failing, or fails most.
    """

    mechanism: str
    claim: PrivacyLoss
    pairs: int
    worst_log_ratio: float
    worst_delta: float
    worst_range: float
    worst_pair: tuple[Any, Any] | None
    worst_output: Any
    breaches: tuple[str, ...]
    """Which parts of a claim are broken on some pair: ``"epsilon"``, ``"delta"``, ``"bounded_range"``, ``"rho"``."""
    worst_rho: float | None = None
    """The largest Renyi divergence over its order, where a concentrated loss is claimed."""

    @property
    def passed(self) -> bool:
        """Whether every part of the claim holds on every pair, and there was at least one."""
        return self.pairs > 0 and not self.breaches

    def __bool__(self) -> bool:
        return self.passed

    def __str__(self) -> str:
        verdict = "holds" if self.passed else f"BROKEN: {', '.join(self.breaches) or 'no pair was tried'}"
        rows = [
            ("mechanism", self.mechanism),
            ("claim", f"{self.claim}: {verdict}"),
            ("pairs of neighbours", f"{self.pairs:,}"),
            ("worst log-ratio", f"{self.worst_log_ratio:.10g}  (epsilon {_told(self.claim.epsilon)})"),
            ("worst delta", f"{self.worst_delta:.6g}  (delta {plain(self.claim.delta)})"),
            (
                "worst range",
                f"{self.worst_range:.10g}  (claimed {_told(self.claim.bounded_range)})",
            ),
            ("worst pair", f"{self.worst_pair}"),
            ("worst output", f"{self.worst_output}"),
        ]
        if self.worst_rho is not None:
            rows.append(("worst rho", f"{self.worst_rho:.10g}  (claimed {_told(self.claim.rho)})"))
        return "\n".join(f"{name:<20} {value}" for name, value in rows)


def _told(claimed: Fraction | None) -> str:
    return "none" if claimed is None else plain(claimed)


def broken_parts(
    claim: PrivacyLoss, log_ratio: float, delta: float, spread: float, rho: float | None = None
) -> set[str]:
    """Which parts of its claim one pair of neighbours breaks."""
    parts: dict[str, tuple[Fraction | None, float]] = {
        "epsilon": (claim.epsilon if claim.delta == 0 else None, log_ratio),
        "delta": (claim.delta if claim.delta > 0 else None, delta),
        "bounded_range": (claim.bounded_range, spread),
        "rho": (None, 0.0) if rho is None else (claim.rho, rho),
    }
    return {
        name for name, (limit, found) in parts.items() if limit is not None and found > float(limit) * (1 + TOLERANCE)
    }
