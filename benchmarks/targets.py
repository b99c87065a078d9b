"""Promises about speed, accuracy and memory, and whether one run of a benchmark kept them."""

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True)
class Target:
    """No ratio may exceed ``limit`` or, with ``at_least``, fall below it. ``ratios`` are named by where they arose."""

    promise: str
    limit: float
    ratios: Mapping[str, float]
    at_least: bool = False

    @property
    def worst(self) -> str:
        """Where the ratio was that came closest to the limit or missed it by most."""
        return (min if self.at_least else max)(self.ratios, key=lambda where: self.ratios[where])

    @property
    def met(self) -> bool | None:
        """Whether every ratio kept the promise; ``None`` when this run measured none of them."""
        if not self.ratios:
            return None
        ratio = self.ratios[self.worst]
        return ratio >= self.limit if self.at_least else ratio <= self.limit

    def line(self) -> str:
        """The verdict in one line, with the worst ratio and where it was seen."""
        if self.met is None:
            return f"not measured: {self.promise}"
        seen = f"worst {self.ratios[self.worst]:.3g} at {self.worst}"
        return f"{'met' if self.met else 'NOT MET'}: {self.promise} ({seen})"
