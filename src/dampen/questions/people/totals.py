"""How many persons are there, and what have they in all? Totals per person, cut at a cap that is told."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

from dampen._validate import Number
from dampen.mechanisms import CapRace, Laplace, SignedCapRace, SignedCapScan, Staircase
from dampen.mechanisms.caps.base import in_units
from dampen.mechanisms.caps.errors import in_words
from dampen.mechanisms.noise_errors import NoiseAccuracy
from dampen.privacy import CONFIDENCE, Accuracy, Adjacency, NumericRelease, PrivacyLoss, Release
from dampen.problem import CapFrame, CapProblem, NumericFrame, NumericProblem, SignedCapProblem
from dampen.questions.record import Posed, Single
from dampen.tables.engines.base import PersonShares
from dampen.writing import percent

DOUBLINGS, BELOW = 22, 10
"""Caps for a sum: so many doublings, the first cap so many of them below the largest that one row can bring."""
LARGEST_POWER = 40
"""Caps end here, as powers of two."""


def caps_of_amounts(largest: int) -> tuple[int, ...]:
    """The caps of a sum whose rows bring at most so many units: public, whatever the data.

    >>> caps_of_amounts(1)[:3], caps_of_amounts(10_000)[:3]
    ((1, 2, 4), (16, 32, 64))
    """
    first = max(0, largest.bit_length() - BELOW)
    return tuple(1 << power for power in range(first, min(first + DOUBLINGS, LARGEST_POWER) + 1))


def pose_people(shares: PersonShares, *, epsilon: Number, adjacency: Adjacency, unit: str) -> Posed[NumericRelease]:
    """How many persons have a row."""
    return Single(Laplace(epsilon), NumericProblem(NumericFrame(1, adjacency, unit=unit), shares.people))


def pose_total(
    shares: PersonShares,
    caps: Sequence[int],
    *,
    resolution: Fraction = Fraction(1),
    few: bool = False,
    epsilon: Number,
    adjacency: Adjacency,
    unit: str,
) -> Posed[NumericRelease]:
    """The sum of all persons' totals, cut at one of the caps, which is chosen privately.

    ``few``: of totals of both signs by a scan, in place of a race.
    """
    frame = CapFrame(adjacency, caps, resolution=resolution, unit=unit)
    high = CapProblem(frame, shares.above, shares.totals)
    if shares.negative is None:
        return Single(CapRace(epsilon), high)
    low = CapProblem(frame, shares.negative.above, shares.negative.totals)
    return Single((SignedCapScan if few else SignedCapRace)(epsilon), SignedCapProblem(high, low))


def pose_capped_total(
    shares: PersonShares,
    cap: int,
    *,
    resolution: Fraction = Fraction(1),
    epsilon: Number,
    adjacency: Adjacency,
    unit: str,
) -> Posed[NumericRelease]:
    """The same with a cap that somebody says: a public number of units, the only one for which ``shares`` are counted.

    A person more or less, or with other rows, moves totals of one sign by at most the cap; where signs differ, one with
    other rows moves them by twice that.
    """
    public: dict[str, Any] = {"resolution": resolution, "epsilon": epsilon, "adjacency": adjacency, "unit": unit}
    return pose_total_between(shares, (cap,), (None if shares.negative is None else cap, cap), **public)


def pose_total_between(
    shares: PersonShares,
    caps: Sequence[int],
    ends: tuple[int | None, int],
    *,
    resolution: Fraction,
    epsilon: Number,
    adjacency: Adjacency,
    unit: str,
) -> Posed[NumericRelease]:
    """The sum of all persons' totals, cut at two public ends: sizes below and above 0, both among the caps.

    Totals of one sign have no end below.
    """
    low, high = ends
    total = shares.totals[caps.index(high)]
    if shares.negative is not None and low is not None:
        total -= shares.negative.totals[caps.index(low)]
    both = adjacency is Adjacency.REPLACE and low is not None
    reach = high + (low or 0) if both else max(high, low or 0)
    frame = NumericFrame(reach * resolution, adjacency, resolution, unit=unit)
    return Capped(Staircase(epsilon), NumericProblem(frame, total * resolution), ends)


class Capped(Single[NumericRelease]):
    """Noise on totals that were cut at public ends; ``of_two``: on rows of two persons that were kept under a cap."""

    def __init__(
        self, mechanism: Staircase, problem: NumericProblem, ends: tuple[int | None, int], *, of_two: bool = False
    ) -> None:
        frame, (low, high) = problem.frame, ends
        below = None if low is None else low * frame.resolution
        known = CutAccuracy(mechanism.accuracy(frame), high * frame.resolution, below, of_two)
        super().__init__(mechanism, problem, known)
        units = CapFrame(frame.adjacency, (high,), resolution=frame.resolution)
        self._told = in_units(units, high) if low is None else (in_units(units, -low), in_units(units, high))

    def build(self, drawn: Any, loss: PrivacyLoss, note: str) -> Release:
        """The number, and where totals were cut."""
        release: Release = super().build(drawn, loss, note)
        return replace(release, cap=self._told)


@dataclass(frozen=True)
class CutAccuracy(Accuracy):
    """A sum of totals that were cut where somebody said: the error is that of the noise."""

    noise: NoiseAccuracy
    cap: Fraction
    low: Fraction | None = None
    of_two: bool = False

    def bound(self, confidence: Number = CONFIDENCE) -> float:
        """How far the answer is from the sum of the totals that were cut."""
        return self.noise.bound(confidence)

    def statement(self, confidence: Number = CONFIDENCE) -> str:
        """What was cut, and the noise."""
        below = "" if self.low is None else f" and below -{in_words(self.low)}"
        cut = f"totals above {in_words(self.cap)}{below} were cut"
        if self.of_two:
            cut = f"at most {in_words(self.cap)} rows of a person were kept"
        noise = f"the noise is at most {self.amount(confidence)} with probability {percent(confidence)}"
        return f"{cut}; {noise}; what was cut off is not known"
