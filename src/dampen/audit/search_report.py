"""What a search for the worst pair found."""

import json
import reprlib
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from dampen._validate import plain
from dampen.audit.black_box_report import BlackBoxReport
from dampen.audit.proposed_pairs import Pair
from dampen.privacy import PrivacyLoss
from dampen.writing import as_json, html_table, percent


@dataclass(frozen=True)
class Look:
    """What a short look at a pair said. It accuses nobody: it chooses which pairs are measured.

    ``suspicion``: how many times what is claimed a rough bound is. ``refusal``: why the pair was set aside, if it was.
    """

    pair: Pair
    draws: int
    suspicion: float
    seconds: float
    refusal: str = ""


@dataclass(frozen=True)
class SearchReport:
    """What was measured on the most suspicious pairs, next to what is claimed. It is true unless the claim is refuted.

    ``reports``: one of each pair that was measured, the most suspicious one first; with probability ``confidence`` or
    more the bounds of all of them hold. ``looks``: all pairs that were looked at.
    """

    claim: PrivacyLoss
    looks: tuple[Look, ...]
    reports: tuple[tuple[Pair, BlackBoxReport], ...]
    confidence: Fraction
    seed: int
    seconds: float

    @property
    def refuted(self) -> bool:
        """Whether the claim is certainly too small on a pair, with the stated confidence."""
        return any(report.refuted for _, report in self.reports)

    @property
    def passed(self) -> bool:
        """Whether the claim is refuted on no pair. That proves nothing: see ``worst.power``."""
        return not self.refuted

    def __bool__(self) -> bool:
        return self.passed

    @property
    def pair(self) -> Pair:
        """The pair on which the claim fails, or is nearest to failing."""
        return self._worst[0]

    @property
    def worst(self) -> BlackBoxReport:
        """What was measured on that pair."""
        return self._worst[1]

    @property
    def _worst(self) -> tuple[Pair, BlackBoxReport]:
        return max(self.reports, key=lambda each: each[1].excess)

    @property
    def set_aside(self) -> tuple[Look, ...]:
        """Pairs that the subject does not take."""
        return tuple(look for look in self.looks if look.refusal)

    def _rows(self) -> list[tuple[str, str]]:
        rows = [("pair", self.pair.name), *self.worst.rows()]
        rows = [row for row in rows if row[0] not in ("confidence", "search")]
        measured = ", ".join(f"{pair.name} ({report.samples:,} draws)" for pair, report in self.reports)
        rows.append(("measured", measured))
        rows.append(("confidence", f"{percent(self.confidence)}, of all that was measured together"))
        rows.append(("looked at", f"{len(self.looks) - len(self.set_aside)} pairs"))
        rows += [("set aside", f"{look.pair.name}: {look.refusal}") for look in self.set_aside]
        rows.append(("search", f"seed {self.seed}, {self.seconds:.1f} s"))
        return rows

    def __str__(self) -> str:
        return "\n".join(f"{name:<20} {value}" for name, value in self._rows())

    def _repr_html_(self) -> str:
        return html_table(self._rows())

    def as_dict(self) -> dict[str, Any]:
        """All of it, ready for JSON; pairs as they print, cut short."""
        told: dict[str, Any] = {"refuted": self.refuted, "pair": self.pair.name}
        told["reports"] = [{"name": pair.name} | report.as_dict() for pair, report in self.reports]
        told["looks"] = [_look_as_json(look) for look in self.looks]
        return told | {"confidence": plain(self.confidence), "seed": self.seed, "seconds": round(self.seconds, 3)}

    def to_json(self) -> str:
        """``as_dict`` as text."""
        return json.dumps(self.as_dict())


def _look_as_json(look: Look) -> dict[str, Any]:
    told = {"name": look.pair.name, "x": reprlib.repr(look.pair.x), "y": reprlib.repr(look.pair.y)}
    return told | {"draws": look.draws, "suspicion": as_json(look.suspicion), "refusal": look.refusal}
