"""What every refuted numeric mechanism has: Laplace noise of a private scale, and nothing that releases it."""

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from dampen.audit import LaplacePair, laplace_pair
from dampen.problem import NumericProblem
from dampen.vectors import Floats


@dataclass(frozen=True)
class NumericEvidence:
    """A claim, where it stands, and a pair of neighbours whose exact delta exceeds it."""

    claim: str
    source: str
    claimed_epsilon: float
    claimed_delta: float
    problem_of: Callable[[Any], NumericProblem]
    pair: tuple[Any, Any]


class RefutedNoise(ABC):
    """The scale of Laplace noise, and a simulation, for public problems only. No ``release`` and no ``privacy``."""

    evidence: ClassVar[NumericEvidence]

    @classmethod
    @abstractmethod
    def as_claimed(cls) -> "RefutedNoise":
        """The mechanism with the parameters of its evidence."""

    @abstractmethod
    def scale_of(self, problem: NumericProblem) -> float:
        """The scale as published."""

    def scale(self, problem: NumericProblem) -> float:
        """The mean size of the noise."""
        problem.require_public("scale")
        return self.scale_of(problem)

    def simulate(self, problem: NumericProblem, rng: np.random.Generator, size: int) -> Floats:
        """Answers drawn by a seeded generator."""
        problem.require_public("simulate")
        return np.asarray(rng.laplace(float(problem.value), self.scale_of(problem), size))


def measured_pair(mechanism: RefutedNoise, evidence: NumericEvidence) -> LaplacePair:
    """The exact deltas of the stored pair at the claimed epsilon."""
    one, other = (evidence.problem_of(x).as_public() for x in evidence.pair)
    return laplace_pair(
        epsilon=evidence.claimed_epsilon,
        distance=abs(one.value - other.value),
        scale=mechanism.scale(one),
        other_scale=mechanism.scale(other),
    )


def is_refuted_by_delta(mechanism: RefutedNoise, evidence: NumericEvidence) -> bool:
    """Whether the evidence, computed anew, still refutes the claim."""
    return measured_pair(mechanism, evidence).delta > evidence.claimed_delta * (1 + 1e-9)
