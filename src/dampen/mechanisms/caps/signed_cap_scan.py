"""The cap scan for totals of both signs: two scans side by side, and one noise."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any

from dampen.entropy import Entropy
from dampen.mechanisms.caps.cap_scan import START, STOP, CapScan
from dampen.mechanisms.caps.errors import CapAccuracy
from dampen.mechanisms.caps.laws import Balls
from dampen.mechanisms.caps.signed_cap_race import Ends, ends_between, signed_total, width_between
from dampen.mechanisms.numeric.staircase import StaircaseNoise
from dampen.privacy import Adjacency
from dampen.problem import CapFrame, SignedCapProblem


@dataclass(frozen=True, init=False, repr=False)
class SignedCapScan(CapScan):
    """As :class:`SignedCapRace`, with scans: for few people or rows and an enormous range.

    Definition
    ----------
    One scan, as of :class:`CapScan`, for the totals above 0 gives the high end h, another for the sizes of those below
    0 the low end -l. The sum of the totals, moved between both ends, has staircase noise at 13 epsilon / 20. Added or
    removed people: each scan has 7 epsilon / 20, and steps are max(h, l) wide. Replaced people: each has half of that,
    and steps are h + l wide. Without a ``threshold`` it is 12 / epsilon, rounded up.

    Guarantee
    ---------
    epsilon-differential privacy for a person with all rows (docs/proofs/signed_cap_scan.md). A total has one sign, so
    one person more or less moves one scan alone.

    Differs from the paper
    ----------------------
    As of :class:`CapScan`.

    Numerics
    --------
    As of :class:`CapScan`: exact.

    Cost
    ----
    Two coins for each cap, all of which are flipped, and one noise.

    Example
    -------
    >>> import numpy as np, dampen
    >>> frame = dampen.CapFrame(dampen.Adjacency.ADD_REMOVE, caps=4)
    >>> gains = dampen.CapProblem(frame, above=[90, 80, 0], sums=[90, 180, 250])
    >>> debts = dampen.CapProblem(frame, above=[0, 0, 0], sums=[5, 5, 5])
    >>> problem = dampen.SignedCapProblem(gains, debts).as_public()
    >>> scan = SignedCapScan(epsilon=1)
    >>> scan.outcomes(frame)[int(np.argmax(scan.log_cap_probabilities(problem)))]
    (-1, 4)

    References
    ----------
    Lyu, Su and Li, Understanding the sparse vector technique for differential privacy, VLDB 2017.
    """

    takes = SignedCapProblem

    def outcomes(self, frame: CapFrame) -> Sequence[Ends]:
        """All pairs of ends."""
        return ends_between(frame)

    def side(self, frame: CapFrame) -> CapScan:
        """Each of the two: replacing a person may move both."""
        moved = 1 if frame.adjacency is Adjacency.ADD_REMOVE else 2
        return CapScan(self.epsilon / moved, self.threshold)

    def cap_law(self, problem: SignedCapProblem, flint: Any) -> Balls:  # type: ignore[override]
        """Not private. The product of two scans."""
        scan = self.side(problem.frame)
        highs, lows = scan.cap_law(problem.positive, flint), scan.cap_law(problem.negative, flint)
        return [high * low for high, low in product(highs, lows)]

    def draw_cap(self, problem: SignedCapProblem, source: Entropy) -> Ends:  # type: ignore[override]
        """Two scans. Nobody has paid for them here."""
        scan = self.side(problem.frame)
        high = scan.draw_cap(problem.positive, source)
        return -scan.draw_cap(problem.negative, source), high

    def total(self, problem: SignedCapProblem, cap: Ends) -> int:
        """Not private. The sum of the totals between both ends."""
        return signed_total(problem, cap)

    def noise(self, frame: CapFrame, cap: Ends) -> StaircaseNoise:  # type: ignore[override]
        """Steps as wide as one person can move the sum."""
        return StaircaseNoise.of(self.epsilon * (1 - START - STOP), width_between(frame, cap))

    def capped_accuracy(self, frame: CapFrame, cap: Ends) -> CapAccuracy:  # type: ignore[override]
        """The noise between these ends, and the people who may have more on either side."""
        scan, (low, high) = self.side(frame), cap
        sides = scan.beyond(frame, high), scan.beyond(frame, -low)
        return CapAccuracy(self.noise(frame, cap), frame.resolution, sides, *frame.words)
