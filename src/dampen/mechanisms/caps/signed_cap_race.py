"""The cap race for totals of both signs: two races side by side, and one noise."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any

from dampen.entropy import Entropy
from dampen.mechanisms.caps.base import require_spread
from dampen.mechanisms.caps.errors import CapAccuracy
from dampen.mechanisms.caps.laws import Balls
from dampen.mechanisms.caps.limit_race import LimitRace
from dampen.mechanisms.caps.race import RaceMechanism
from dampen.mechanisms.numeric.staircase import StaircaseNoise
from dampen.privacy import Adjacency, PrivacyLoss
from dampen.problem import CapFrame, SignedCapProblem

Ends = tuple[int, int]
"""Between which all totals are moved: minus the cap of those below 0, and the cap of those above."""


@dataclass(frozen=True, init=False, repr=False)
class SignedCapRace(RaceMechanism):
    """The sum of totals of both signs, each moved between two ends that are chosen privately and told.

    Definition
    ----------
    One race, as of :class:`CapRace`, for the totals above 0 gives the high end h, another for the sizes of those below
    0 the low end -l. The sum of the totals, moved between both ends, has staircase noise. Added or removed people:
    each race has the whole ``share`` of epsilon, and steps are max(h, l) wide. Replaced people: each has half of it,
    and steps are h + l wide.

    Guarantee
    ---------
    epsilon-differential privacy for a person with all rows (docs/proofs/signed_cap_race.md). A total has one sign, so
    one person more or less moves one race alone.

    Differs from the paper
    ----------------------
    No paper is followed.

    Numerics
    --------
    As of :class:`CapRace`: exact.

    Cost
    ----
    Two coins for each cap and one noise.

    Example
    -------
    >>> import numpy as np, dampen
    >>> frame = dampen.CapFrame(dampen.Adjacency.ADD_REMOVE, caps=4)
    >>> gains = dampen.CapProblem(frame, above=[90, 80, 0], sums=[90, 180, 250])
    >>> debts = dampen.CapProblem(frame, above=[0, 0, 0], sums=[5, 5, 5])
    >>> problem = dampen.SignedCapProblem(gains, debts).as_public()
    >>> race = SignedCapRace(epsilon=1)
    >>> race.outcomes(frame)[int(np.argmax(race.log_cap_probabilities(problem)))]
    (-1, 4)

    References
    ----------
    McKenna and Sheldon, Permute-and-flip: a new mechanism for differentially private selection, NeurIPS 2020.
    """

    takes = SignedCapProblem

    def privacy(self, frame: CapFrame) -> PrivacyLoss:
        """Epsilon, for a person with all rows."""
        require_spread(frame, "SignedCapRace")
        return super().privacy(frame)

    def outcomes(self, frame: CapFrame) -> Sequence[Ends]:
        """All pairs of ends."""
        return ends_between(frame)

    def race(self, frame: CapFrame) -> LimitRace:
        """Each of the two: replacing a person may move both."""
        moved = 1 if frame.adjacency is Adjacency.ADD_REMOVE else 2
        return LimitRace(self.epsilon * self.share / moved, self.kappa, self.threshold)

    def cap_law(self, problem: SignedCapProblem, flint: Any) -> Balls:
        """Not private. The product of two races."""
        race = self.race(problem.frame)
        highs, lows = race.law(problem.positive, flint), race.law(problem.negative, flint)
        return [high * low for high, low in product(highs, lows)]

    def draw_cap(self, problem: SignedCapProblem, source: Entropy) -> Ends:
        """Two races. Nobody has paid for them here."""
        race = self.race(problem.frame)
        high = race.draw(problem.positive, source)
        return -race.draw(problem.negative, source), high

    def total(self, problem: SignedCapProblem, cap: Ends) -> int:
        """Not private. The sum of the totals between both ends."""
        return signed_total(problem, cap)

    def noise(self, frame: CapFrame, cap: Ends) -> StaircaseNoise:
        """Steps as wide as one person can move the sum."""
        return StaircaseNoise.of(self.epsilon * (1 - self.share), width_between(frame, cap))

    def capped_accuracy(self, frame: CapFrame, cap: Ends) -> CapAccuracy:
        """The noise between these ends, and the people who may have more on either side."""
        race, (low, high) = self.race(frame), cap
        sides = race.beyond(frame, high), race.beyond(frame, -low)
        return CapAccuracy(self.noise(frame, cap), frame.resolution, sides, *frame.words)


def ends_between(frame: CapFrame) -> list[Ends]:
    """All pairs of ends, in the order of the products of two laws."""
    return [(-low, high) for high, low in product(frame.caps, repeat=2)]


def signed_total(problem: SignedCapProblem, ends: Ends) -> int:
    """Not private. The sum of the totals, each moved between both ends."""
    (low, high), caps = ends, problem.frame.caps
    up, down = problem.positive.sums, problem.negative.sums
    assert up is not None
    assert down is not None
    return up[caps.index(high)] - down[caps.index(-low)]


def width_between(frame: CapFrame, ends: Ends) -> int:
    """How far one person moves a sum between two ends."""
    low, high = ends
    return max(high, -low) if frame.adjacency is Adjacency.ADD_REMOVE else high - low
