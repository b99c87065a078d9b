"""What cap races have in common: a share of epsilon chooses caps by permute-and-flip, the rest pays for the noise."""

from dataclasses import dataclass
from fractions import Fraction

from dampen._validate import Number, positive, probability, whole
from dampen.mechanisms.caps.base import CapMechanism
from dampen.mechanisms.caps.limit_race import KAPPA, LimitRace
from dampen.problem import CapFrame

SHARE = Fraction(1, 4)


@dataclass(frozen=True, init=False, repr=False)
class RaceMechanism(CapMechanism):
    """Holds the share of epsilon for the caps, the price of a cap more, and how many people cost nothing."""

    share: Fraction
    kappa: Fraction
    threshold: int

    def __init__(self, epsilon: Number, share: Number = SHARE, kappa: Number = KAPPA, threshold: int = 0) -> None:
        super().__init__(epsilon)
        object.__setattr__(self, "share", min(positive(share=share), probability(share=share)))
        object.__setattr__(self, "kappa", positive(kappa=kappa))
        object.__setattr__(self, "threshold", whole(threshold=threshold, least=0))

    def race(self, frame: CapFrame) -> LimitRace:
        """What chooses the cap."""
        return LimitRace(self.epsilon * self.share, self.kappa, self.threshold)
