"""What every inhabitant of the fence has, and what none has."""

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum
from typing import Any, ClassVar

import numpy as np

from dampen.audit import AdmissibilityReport, audit_admissibility
from dampen.audit.pair_audit import require_same_public_facts
from dampen.errors import FrameLeak
from dampen.problem import SelectionProblem
from dampen.vectors import Floats, Integers


class Kind(Enum):
    """How a claim fails."""

    LOSS = "loss"
    """The exact loss on the pair exceeds the claim: the log-ratio, or where a delta is claimed the exact delta."""
    FRAME = "frame"
    """The pair disagrees on something that must be public."""
    ADMISSIBILITY = "admissibility"
    """The sensitivity function is not admissible on the pair."""


@dataclass(frozen=True)
class Evidence:
    """A claim, where it stands, and a pair of neighbours that refutes it.

    ``horizon``: up to which distance the pair's sensitivity functions are compared, for the kind ``ADMISSIBILITY``.
    """

    kind: Kind
    claim: str
    source: str
    claimed_epsilon: float
    problem_of: Callable[[Any], SelectionProblem]
    pair: tuple[Any, Any]
    claimed_delta: float = 0.0
    horizon: int = 0


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
    """The largest log-ratio on the stored pair."""
    one, other = _laws(mechanism, evidence)
    return float(np.abs(one - other).max())


def measured_delta(mechanism: RefutedMechanism, evidence: Evidence) -> float:
    """The exact delta of the stored pair: what of one law exceeds exp(claimed epsilon) times the other."""
    one, other = (np.exp(law) for law in _laws(mechanism, evidence))
    factor = np.exp(evidence.claimed_epsilon)
    return float(max(np.maximum(p - factor * q, 0).sum() for p, q in ((one, other), (other, one))))


def measured_admissibility(evidence: Evidence) -> AdmissibilityReport:
    """The audit of the sensitivity functions of the stored pair."""
    x, y = evidence.pair
    return audit_admissibility(evidence.problem_of, (x,), lambda _: (y,), evidence.horizon)


def measured_leak(evidence: Evidence) -> str:
    """On what of the frame the stored pair disagrees, in a sentence; empty where it does not."""
    one, other = (evidence.problem_of(x) for x in evidence.pair)
    try:
        require_same_public_facts(one, other, evidence.pair)
    except FrameLeak as leak:
        return str(leak)
    return ""


def is_refuted(mechanism: RefutedMechanism, evidence: Evidence) -> bool:
    """Whether the evidence, computed anew, still refutes the claim."""
    if evidence.kind is Kind.ADMISSIBILITY:
        return not measured_admissibility(evidence).passed
    if evidence.kind is Kind.FRAME:
        return measured_leak(evidence) != ""
    if evidence.claimed_delta:
        return measured_delta(mechanism, evidence) > evidence.claimed_delta * (1 + 1e-9)
    return measured_loss(mechanism, evidence) > evidence.claimed_epsilon * (1 + 1e-9)


def _laws(mechanism: RefutedMechanism, evidence: Evidence) -> tuple[Floats, Floats]:
    one, other = (mechanism.log_probabilities(evidence.problem_of(x).as_public()) for x in evidence.pair)
    return one, other
