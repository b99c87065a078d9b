"""What mechanisms have in common that choose a cap and tell it with the total under it."""

from abc import abstractmethod
from collections.abc import Sequence
from fractions import Fraction
from typing import Any, ClassVar

import numpy as np

from dampen._validate import whole
from dampen.certified import arithmetic
from dampen.entropy import Entropy
from dampen.errors import ParameterError
from dampen.mechanisms.base import Mechanism
from dampen.mechanisms.caps.errors import CapAccuracy
from dampen.mechanisms.caps.laws import Balls, needed_bits
from dampen.mechanisms.numeric.staircase import StaircaseNoise
from dampen.privacy import Accuracy, NumericRelease, PrivacyLoss, PrivateAccuracy
from dampen.problem import CapFrame, CapProblem
from dampen.vectors import Floats, Integers

Cap = Any
"""A whole number; for signed totals the two ends (low, high)."""


class CapMechanism(Mechanism[CapFrame, Any, NumericRelease]):
    """Chooses one of the public caps, then adds noise fitted to it to the total under it."""

    takes: ClassVar[type[Any]] = CapProblem

    def privacy(self, frame: CapFrame) -> PrivacyLoss:
        """Epsilon, for a person with all rows."""
        return PrivacyLoss(self.epsilon, adjacency=frame.adjacency, unit=frame.unit)

    def outcomes(self, frame: CapFrame) -> Sequence[Cap]:
        """The caps that may be chosen, in the order of their laws."""
        return frame.caps

    @abstractmethod
    def cap_law(self, problem: Any, flint: Any) -> Balls:
        """Not private. The certified probability of every cap, at a working precision that fits."""

    @abstractmethod
    def draw_cap(self, problem: Any, source: Entropy) -> Cap:
        """An exact draw of the cap. Nobody has paid for it here."""

    @abstractmethod
    def noise(self, frame: CapFrame, cap: Cap) -> StaircaseNoise:
        """The noise under a cap. Public."""

    @abstractmethod
    def capped_accuracy(self, frame: CapFrame, cap: Cap) -> CapAccuracy:
        """What may be told of an answer once its cap is released."""

    def total(self, problem: Any, cap: Cap) -> int:
        """Not private. The total under a cap."""
        return int(problem.sums[problem.frame.caps.index(cap)])

    def require(self, problem: Any) -> None:
        """Refuse, before anything is spent, a problem that it cannot take."""
        super().require(problem)
        if isinstance(problem, CapProblem) and problem.sums is None:
            raise ParameterError("problem must have sums, one for each cap: a cap alone is chosen by LimitRace")

    def log_cap_probabilities(self, problem: Any) -> Floats:
        """Not private. Ln P of every cap, in the order of ``outcomes``."""
        with arithmetic(needed_bits(len(problem.frame.caps))) as flint:
            return np.array([float(p.log()) for p in self.cap_law(problem, flint)])

    def log_probabilities(self, problem: Any, cap: Cap, steps: Any) -> Floats:
        """Not private. Ln P that this cap is released with an answer of so many units: the law of what is drawn."""
        chance = self.log_cap_probabilities(problem)[list(self.outcomes(problem.frame)).index(cap)]
        off = np.asarray(steps) - self.total(problem, cap)
        return np.asarray(chance + self.noise(problem.frame, cap).log_probabilities(off))

    def draw(self, problem: Any, source: Entropy) -> tuple[Cap, int]:
        """An exact draw of the cap and of the total under it with its noise. Nobody has paid for it here."""
        cap = self.draw_cap(problem, source)
        return cap, self.total(problem, cap) + self.noise(problem.frame, cap).draw(source)

    def simulate(self, problem: Any, rng: np.random.Generator, size: int) -> tuple[Integers, Floats]:
        """Places of caps and answers drawn by a seeded generator: free, fast, for public problems only."""
        problem.require_public("simulate")
        frame, shares = problem.frame, np.exp(self.log_cap_probabilities(problem))
        places = rng.choice(len(shares), size=whole(size=size, least=0), p=shares / shares.sum())
        answers = np.empty(len(places))
        for place in np.unique(places):
            cap, chosen = self.outcomes(frame)[place], places == place
            noise = self.noise(frame, cap).simulate(rng, int(chosen.sum()))
            answers[chosen] = (self.total(problem, cap) + noise) * float(frame.resolution)
        return places.astype(np.int64), answers

    def answer(self, frame: CapFrame, drawn: tuple[Cap, int]) -> tuple[Cap, int]:
        """Cap and total in whole units, from which a release is built."""
        return drawn

    def accuracy(self, frame: CapFrame) -> Accuracy:
        """None before the cap is known: the noise follows it."""
        return PrivateAccuracy("how far this is off follows the cap, and is told with it")

    def build(
        self,
        frame: CapFrame,
        answer: tuple[Cap, int],
        loss: PrivacyLoss,
        note: str,
        accuracy: Accuracy | None = None,
    ) -> NumericRelease:
        """The total in the units of the frame, the cap, and what both tell of the error."""
        cap, steps = answer
        known = self.capped_accuracy(frame, cap)
        told = in_units(frame, cap) if isinstance(cap, int) else tuple(in_units(frame, end) for end in cap)
        value, stake = in_units(frame, steps), known.at_stake()
        return NumericRelease(value, loss, repr(self), note, known if accuracy is None else accuracy, told, stake)


def require_spread(frame: CapFrame, name: str) -> None:
    """Refuse counts of anything but the people above a cap."""
    if frame.spread != 1:
        raise ParameterError(f"{name} needs a frame of spread 1, for counts of the people above each cap")


def in_units(frame: CapFrame, steps: int) -> int | float:
    """So many units of a total as a number: a whole one where the resolution is whole."""
    value: Fraction = steps * frame.resolution
    return int(value) if frame.resolution.denominator == 1 else float(value)
