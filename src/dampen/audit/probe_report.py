"""What probes saw, in words."""

from dataclasses import dataclass
from typing import Any

from dampen.writing import html_table

FOUND, HINT, NOTHING, NOT_TRIED = "FOUND", "hint", "nothing found", "not tried"


@dataclass(frozen=True)
class ProbeFinding:
    """One experiment: what was looked at, how it ended, and what was seen."""

    probe: str
    verdict: str
    """``"FOUND"``, ``"hint"``, ``"nothing found"`` or ``"not tried"``."""
    words: str


def found(probe: str, words: str) -> ProbeFinding:
    """Something that should not be."""
    return ProbeFinding(probe, FOUND, words)


def hint(probe: str, words: str) -> ProbeFinding:
    """Something that may have other reasons."""
    return ProbeFinding(probe, HINT, words)


def nothing(probe: str, words: str) -> ProbeFinding:
    """Nothing that should not be."""
    return ProbeFinding(probe, NOTHING, words)


def not_tried(probe: str, words: str) -> ProbeFinding:
    """An experiment that could not be made, and why."""
    return ProbeFinding(probe, NOT_TRIED, words)


@dataclass(frozen=True)
class ProbeReport:
    """All experiments. It is true unless one of them found something; hints do not count."""

    findings: tuple[ProbeFinding, ...]

    @property
    def found(self) -> tuple[ProbeFinding, ...]:
        """What should not be."""
        return tuple(each for each in self.findings if each.verdict == FOUND)

    @property
    def hints(self) -> tuple[ProbeFinding, ...]:
        """What may have other reasons."""
        return tuple(each for each in self.findings if each.verdict == HINT)

    @property
    def passed(self) -> bool:
        """Whether nothing was found."""
        return not self.found

    def __bool__(self) -> bool:
        return self.passed

    def __str__(self) -> str:
        return "\n".join(f"{each.probe:<12} {each.verdict:<14} {each.words}" for each in self.findings)

    def _repr_html_(self) -> str:
        return html_table((each.probe, each.verdict, each.words) for each in self.findings)

    def as_dict(self) -> dict[str, Any]:
        """All of it, ready for JSON."""
        return {"passed": self.passed, "findings": [vars(each) for each in self.findings]}
