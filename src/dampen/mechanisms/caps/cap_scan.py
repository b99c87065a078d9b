"""The cap scan: the first cap that few people exceed, and the total under it with staircase noise."""

from dataclasses import dataclass
from fractions import Fraction
from math import ceil
from typing import Any

from dampen._validate import Number, whole
from dampen.entropy import Entropy
from dampen.mechanisms.caps.base import CapMechanism, require_spread
from dampen.mechanisms.caps.errors import Beyond, CapAccuracy
from dampen.mechanisms.caps.laws import Balls, scan_law
from dampen.mechanisms.numeric.staircase import StaircaseNoise
from dampen.privacy import PrivacyLoss
from dampen.problem import CapFrame, CapProblem
from dampen.sampling.coins import first_head
from dampen.sampling.discrete_laplace import geometric

START, STOP = Fraction(1, 5), Fraction(3, 20)
"""The shares of epsilon that pay for the start and for the coins; the rest pays for the noise."""


@dataclass(frozen=True, init=False, repr=False)
class CapScan(CapMechanism):
    """As :class:`CapRace`, with the first cap that few people exceed: for few people and an enormous range.

    Definition
    ----------
    A start G >= 0 is drawn with P(G = g) proportional to exp(-epsilon g / 5). Cap by cap, from the smallest, a coin of
    probability exp(-(3 epsilon / 20) max(0, a_j - threshold + G)) is flipped, with a_j the people above the cap; the
    first head chooses, and without one the last cap is taken. The total under it has staircase noise of step t at
    13 epsilon / 20. Without a ``threshold`` it is 12 / epsilon, rounded up.

    Guarantee
    ---------
    epsilon-differential privacy for a person with all rows (docs/proofs/cap_scan.md), whether one is added, removed or
    replaced. It finds a large cap that 35 / epsilon people need, where :class:`CapRace` needs 6 log2(cap) / epsilon.
    In return it passes by all caps now and then, and its noise is enormous then: the released cap shows it.

    Differs from the paper
    ----------------------
    The noises of the sparse vector technique are whole, and of one side.

    Numerics
    --------
    One geometric number and exact coins of probability exp(-x): nothing is rounded. The law of the cap is certified to
    more than 30 digits.

    Cost
    ----
    One coin for each cap, all of which are flipped. The law takes O(threshold) for each cap.

    Example
    -------
    >>> import numpy as np, dampen
    >>> frame = dampen.CapFrame(dampen.Adjacency.ADD_REMOVE, caps=16)
    >>> problem = dampen.CapProblem(frame, above=[400, 300, 50, 0, 0], sums=[500, 900, 1200, 1300, 1300]).as_public()
    >>> np.exp(CapScan(epsilon=1).log_cap_probabilities(problem)).round(3).tolist()
    [0.0, 0.0, 0.002, 0.963, 0.035]

    References
    ----------
    Lyu, Su and Li, Understanding the sparse vector technique for differential privacy, VLDB 2017.
    """

    threshold: int

    def __init__(self, epsilon: Number, threshold: int | None = None) -> None:
        super().__init__(epsilon)
        few = ceil(12 / self.epsilon) if threshold is None else whole(threshold=threshold, least=0)
        object.__setattr__(self, "threshold", few)

    def privacy(self, frame: CapFrame) -> PrivacyLoss:
        """Epsilon, for a person with all rows."""
        require_spread(frame, type(self).__name__)
        return super().privacy(frame)

    def cap_law(self, problem: CapProblem, flint: Any) -> Balls:
        """Not private. A sum over all starts."""
        distances = [a - self.threshold for a in problem.above[:-1]]
        return scan_law(flint, distances, self.epsilon * START, self.epsilon * STOP)

    def draw_cap(self, problem: CapProblem, source: Entropy) -> int:
        """A start, then a coin for each cap. Nobody has paid for it here."""
        start = geometric(self.epsilon * START, source) - self.threshold
        rate = self.epsilon * STOP
        exponents = [rate * max(Fraction(0), a + start) for a in problem.above[:-1]]
        return problem.frame.caps[first_head(exponents, source)]

    def noise(self, frame: CapFrame, cap: int) -> StaircaseNoise:
        """Steps as wide as the cap, at 13/20 of epsilon."""
        return StaircaseNoise.of(self.epsilon * (1 - START - STOP), cap)

    def capped_accuracy(self, frame: CapFrame, cap: int) -> CapAccuracy:
        """The noise under this cap, and the people who may have more."""
        return CapAccuracy(self.noise(frame, cap), frame.resolution, (self.beyond(frame, cap),), *frame.words)

    def beyond(self, frame: CapFrame, cap: int) -> Beyond:
        """What a chosen cap tells of the people who have more: coins are rare where many have."""
        ends = cap * frame.resolution, frame.caps[-1] * frame.resolution
        return Beyond(*ends, frame.last, Fraction(0), self.epsilon * STOP, self.threshold)
