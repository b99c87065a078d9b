"""A limit that few people exceed, chosen privately."""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from dampen._validate import Number, positive, whole
from dampen.certified import arithmetic
from dampen.entropy import Entropy
from dampen.mechanisms.base import Mechanism
from dampen.mechanisms.caps.base import in_units
from dampen.mechanisms.caps.errors import Beyond, LimitAccuracy
from dampen.mechanisms.caps.laws import Balls, flip_law, needed_bits
from dampen.privacy import Accuracy, NumericRelease, PrivacyLoss, PrivateAccuracy
from dampen.problem import CapFrame, CapProblem
from dampen.sampling.coins import draw_by_coins
from dampen.vectors import Floats, Integers

KAPPA = Fraction(3, 2)


@dataclass(frozen=True, init=False, repr=False)
class LimitRace(Mechanism[CapFrame, CapProblem, NumericRelease]):
    """One of the public caps, so large that few people have more, and no larger than that.

    Definition
    ----------
    With a_j the number of people above the cap t_j, permute-and-flip on the exponents

        x_j = (epsilon / spread) max(0, a_j - threshold) + kappa j,    j = 0, 1, ..., J:

    a person above the cap costs epsilon, each cap more costs kappa. ``threshold``: so many people above a cap cost
    nothing. Other mechanisms go on with the cap: it is what they multiply their noise with.

    Guarantee
    ---------
    epsilon-differential privacy (docs/proofs/limit_race.md), whether a person is added, removed or replaced: there is
    no factor 2, because all counts move in one direction.

    Differs from the paper
    ----------------------
    No paper is followed.

    Numerics
    --------
    Exponents are fractions, and coins of probability exp(-x) are exact: nothing is rounded. The law is certified to
    more than 30 digits.

    Cost
    ----
    One coin for each cap, all of which are flipped.

    Example
    -------
    >>> import numpy as np, dampen
    >>> frame = dampen.CapFrame(dampen.Adjacency.ADD_REMOVE, caps=16)
    >>> problem = dampen.CapProblem(frame, above=[400, 300, 50, 0, 0]).as_public()
    >>> np.exp(LimitRace(epsilon=1).log_probabilities(problem)).round(3).tolist()
    [0.0, 0.0, 0.0, 0.888, 0.112]

    References
    ----------
    McKenna and Sheldon, Permute-and-flip: a new mechanism for differentially private selection, NeurIPS 2020.
    """

    kappa: Fraction
    threshold: int

    takes = CapProblem

    def __init__(self, epsilon: Number, kappa: Number = KAPPA, threshold: int = 0) -> None:
        super().__init__(epsilon)
        object.__setattr__(self, "kappa", positive(kappa=kappa))
        object.__setattr__(self, "threshold", whole(threshold=threshold, least=0))

    def privacy(self, frame: CapFrame) -> PrivacyLoss:
        """Epsilon, for a person with all rows."""
        return PrivacyLoss(self.epsilon, adjacency=frame.adjacency, unit=frame.unit)

    def outcomes(self, frame: CapFrame) -> Sequence[int]:
        """The caps."""
        return frame.caps

    def exponents(self, problem: CapProblem) -> list[Fraction]:
        """Not private. x_j, exactly."""
        rate = self.epsilon / problem.frame.spread
        return [rate * max(Fraction(0), a - self.threshold) + self.kappa * j for j, a in enumerate(problem.above)]

    def law(self, problem: CapProblem, flint: Any) -> Balls:
        """Not private. The certified probability of every cap, at a working precision that fits."""
        return flip_law(flint, self.exponents(problem))

    def log_probabilities(self, problem: CapProblem) -> Floats:
        """Not private. Ln P of every cap."""
        with arithmetic(needed_bits(len(problem.above))) as flint:
            return np.array([float(p.log()) for p in self.law(problem, flint)])

    def draw(self, problem: CapProblem, source: Entropy) -> int:
        """An exact draw of the cap. Nobody has paid for it here."""
        return problem.frame.caps[draw_by_coins(self.exponents(problem), source)]

    def simulate(self, problem: CapProblem, rng: np.random.Generator, size: int) -> Integers:
        """Places of caps drawn by a seeded generator: free, fast, for public problems only."""
        problem.require_public("simulate")
        shares = np.exp(self.log_probabilities(problem))
        return rng.choice(len(shares), size=whole(size=size, least=0), p=shares / shares.sum()).astype(np.int64)

    def answer(self, frame: CapFrame, drawn: int) -> int | float:
        """The cap in the units of the frame."""
        return in_units(frame, drawn)

    def accuracy(self, frame: CapFrame) -> Accuracy:
        """None before the limit is known."""
        return PrivateAccuracy("how many people have more follows the limit, and is told with it")

    def build(
        self, frame: CapFrame, answer: Any, loss: PrivacyLoss, note: str, accuracy: Accuracy | None = None
    ) -> NumericRelease:
        """The limit, and how many people may have more."""
        cap = next(cap for cap in frame.caps if in_units(frame, cap) == answer)
        known = LimitAccuracy(self.beyond(frame, cap)) if accuracy is None else accuracy
        return NumericRelease(answer, loss, repr(self), note, known)

    def beyond(self, frame: CapFrame, cap: int) -> Beyond:
        """What a chosen cap tells of the people who have more."""
        lead = self.kappa * (frame.last - frame.caps.index(cap))
        ends = cap * frame.resolution, frame.caps[-1] * frame.resolution
        return Beyond(*ends, len(frame.caps), lead, self.epsilon / frame.spread, self.threshold, self.kappa)
