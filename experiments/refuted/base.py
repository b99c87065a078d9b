"""What every inhabitant of the fence has, and what none has."""

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum
from typing import Any, ClassVar

import numpy as np

from dampen.problem import SelectionProblem
from dampen.vectors import Floats, Integers


class Kind(Enum):
    """How a claim fails."""

    LOSS = "loss"
    """The exact loss on the pair exceeds the claim."""
    FRAME = "frame"
    """The pair disagrees on something that must be public."""
    ADMISSIBILITY = "admissibility"
    """The sensitivity function is not admissible on the pair."""


@dataclass(frozen=True)
class Evidence:
    """A claim, where it stands, and a pair of neighbours that refutes it."""

    kind: Kind
    claim: str
    source: str
    claimed_epsilon: float
    problem_of: Callable[[Any], SelectionProblem]
    pair: tuple[Any, Any]


class RefutedMechanism(ABC):
    """A law and a simulation, for public problems only. There is no ``release`` and no ``privacy``."""

    evidence: ClassVar[Evidence]

    @classmethod
    @abstractmethod
    def as_claimed(cls) -> "RefutedMechanism":
        """The mechanism with the parameters of its evidence."""

    @abstractmethod
    def log_probabilities(self, problem: SelectionProblem) -> Floats:
        """The law as published."""

    def simulate(self, problem: SelectionProblem, rng: np.random.Generator, size: int) -> Integers:
        """Indices of candidates drawn from that law by a seeded generator."""
        problem.require_public("simulate")
        law = np.exp(self.log_probabilities(problem))
        return rng.choice(len(law), size=size, p=law / law.sum()).astype(np.int64)


def measured_loss(mechanism: RefutedMechanism, evidence: Evidence) -> float:
    """The exact loss on the stored pair."""
    one, other = (mechanism.log_probabilities(evidence.problem_of(x).as_public()) for x in evidence.pair)
    return float(np.abs(one - other).max())
