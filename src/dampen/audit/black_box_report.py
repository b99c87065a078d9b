"""What an audit of a black box found."""

import json
import reprlib
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any

from dampen._validate import plain
from dampen.audit.black_box_picture import draw_findings
from dampen.audit.claims import Part, excess_over, parts_of
from dampen.audit.measuring import Finding
from dampen.audit.power import Power, power_of
from dampen.privacy import PrivacyLoss, amount_as_json
from dampen.writing import as_json, html_table, percent

NEARLY = 0.9
"""A simpler event is told instead of one that speaks against a claim a little more."""


@dataclass(frozen=True)
class BlackBoxReport:
    """Lower bounds of a privacy loss, next to what is claimed. It is true unless the claim is refuted.

    ``findings``: the events that were measured, each with its bounds. ``samples``: draws on each data set, of which one
    half looked for events and the other half measured them. With probability ``confidence`` or more all bounds hold.
    """

    claim: PrivacyLoss
    findings: tuple[Finding, ...]
    pair: tuple[Any, Any]
    samples: int
    confidence: Fraction
    seed: int
    seconds: float

    @property
    def refuted(self) -> bool:
        """Whether a part of the claim is certainly too small, with the stated confidence."""
        return any(part.refuted_by(self._bound(part.name) or 0.0) for part in parts_of(self.claim))

    @property
    def passed(self) -> bool:
        """Whether the claim is not refuted. That proves nothing: see ``power``."""
        return not self.refuted

    def __bool__(self) -> bool:
        return self.passed

    @property
    def epsilon(self) -> float | None:
        """Epsilon is at least this, at the claimed delta; None where no epsilon is claimed."""
        return self._bound("epsilon")

    @property
    def delta(self) -> float | None:
        """Delta is at least this, at the claimed epsilon; None where no epsilon is claimed."""
        return self._bound("delta")

    @property
    def rho(self) -> float | None:
        """Rho is at least this; None where no rho is claimed."""
        return self._bound("rho")

    def _bound(self, name: str) -> float | None:
        if name not in {part.name for part in parts_of(self.claim)}:
            return None
        return max((finding.bounds[name] for finding in self.findings), default=0.0)

    @property
    def finding(self) -> Finding | None:
        """The simplest event that speaks nearly as much against the claim as any; None where none promised anything."""
        excesses = [excess_over(self.claim, each.bounds) for each in self.findings]
        enough = NEARLY * max(excesses, default=0.0)
        return next((each for each, excess in zip(self.findings, excesses, strict=True) if excess >= enough), None)

    @property
    def excess(self) -> float:
        """How many times what is claimed the lower bound is; above 1 the claim is refuted."""
        return max((excess_over(self.claim, each.bounds) for each in self.findings), default=0.0)

    @property
    def event(self) -> str:
        """That event in words."""
        return "none that promised anything" if self.finding is None else self.finding.event

    @cached_property
    def power(self) -> Power:
        """What would have been found with a probability of 95 %."""
        found = self.finding
        rate = 0.0 if found is None else (found.share_on_y if found.likelier_on == "x" else found.share_on_x)
        draws = self.samples // 2 if found is None else min(found.counts.of_x, found.counts.of_y)
        error = float(1 - self.confidence) / (2 * max(len(self.findings), 1))
        return power_of(self.claim, draws=draws, error=error, rate=rate)

    # How it is shown

    def rows(self) -> list[tuple[str, str]]:
        """What it says, line by line: a name and a text."""
        x, y = map(reprlib.repr, self.pair)
        rows = [("claim", f"{_claim_text(self.claim)}: {'REFUTED' if self.refuted else 'not refuted'}")]
        rows += [(f"{part.name} at least", self._bound_text(part)) for part in parts_of(self.claim)]
        rows.append(("event", self.event))
        if self.finding is not None:
            counts = self.finding.counts
            rows.append(("seen on x", f"{counts.on_x:,} times in {counts.of_x:,}"))
            rows.append(("seen on y", f"{counts.on_y:,} times in {counts.of_y:,}"))
        rows += [("x", x), ("y", y)]
        rows.append(("draws", f"{self.samples:,} on each: one half to find events, the other to measure them"))
        rows.append(("confidence", percent(self.confidence)))
        rows.append(("found with 95 %", self._power_text()))
        rows.append(("search", f"seed {self.seed}, {self.seconds:.1f} s"))
        return rows

    def _bound_text(self, part: Part) -> str:
        return f"{self._bound(part.name):.6g}  (claimed {part.claimed:g})"

    def _power_text(self) -> str:
        loss, rare = self.power.loss, self.power.rare
        name = "rho" if self.claim.epsilon is None else "epsilon"
        told = [f"{name} {loss:.4g} at such an event"] if loss is not None else []
        told += [f"an event of probability {rare:.2g} that the other never shows"] if rare is not None else []
        return "; ".join(told) or "nothing: so large a claim needs more draws"

    def __str__(self) -> str:
        return "\n".join(f"{name:<20} {value}" for name, value in self.rows())

    def _repr_html_(self) -> str:
        return html_table(self.rows())

    def as_dict(self) -> dict[str, Any]:
        """All of it, ready for JSON; the pair as it prints, cut short."""
        claim = amount_as_json(self.claim.amount)
        claim |= {} if self.claim.rho is None else {"rho": plain(self.claim.rho)}
        claim |= {"adjacency": self.claim.adjacency.value, "unit": self.claim.unit}
        told: dict[str, Any] = {"claim": claim, "refuted": self.refuted}
        told["at_least"] = {part.name: as_json(self._bound(part.name)) for part in parts_of(self.claim)}
        told["event"] = self.event
        told["findings"] = [_finding_as_json(finding) for finding in self.findings]
        told["pair"] = dict(zip("xy", map(reprlib.repr, self.pair), strict=True))
        told["power"] = {"loss": self.power.loss, "rare": self.power.rare, "probability": 0.95}
        told["samples"], told["confidence"] = self.samples, plain(self.confidence)
        return told | {"seed": self.seed, "seconds": round(self.seconds, 3)}

    def to_json(self) -> str:
        """``as_dict`` as text."""
        return json.dumps(self.as_dict())

    def plot(self, axes: Any = None) -> Any:
        """Draw how likely each event is on both data sets, and what the claim allows. Needs matplotlib."""
        return draw_findings(self, axes)


def _claim_text(claim: PrivacyLoss) -> str:
    more = "" if claim.rho is None or claim.epsilon is None else f", rho {plain(claim.rho)}"
    return f"{claim}{more}"


def _finding_as_json(finding: Finding) -> dict[str, Any]:
    return {
        "event": finding.event,
        "likelier_on": finding.likelier_on,
        **finding.counts._asdict(),
        "low": finding.low,
        "high": finding.high,
        "at_least": as_json(finding.bounds),
    }
