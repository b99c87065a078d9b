"""What every exact audit does: compare the laws of neighbours pair by pair, each once, and keep the worst."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, ClassVar, Generic, TypeVar

import numpy as np

from dampen.audit.arguments import Neighbours, pairs_of, pose, require_function
from dampen.audit.neighbours import DataSet
from dampen.audit.report import AuditReport, broken_parts
from dampen.errors import FrameLeak, ParameterError
from dampen.privacy import PrivacyLoss
from dampen.problem import (
    CapProblem,
    CountsProblem,
    NumericProblem,
    SelectionProblem,
    SignedCapProblem,
    UnknownGroupsProblem,
)
from dampen.vectors import Floats

HUGE = 600.0
"""Exponentials beyond this are left in logarithms."""
ORDERS = (1 + 2**-10, 1.0625, 1.25, 1.5, 2.0, 4.0, 5.0, 8.0, 16.0, 32.0, 64.0)
"""The orders at which Renyi divergences are compared with a concentrated claim."""
OfFrameAlone = CountsProblem | CapProblem | SignedCapProblem | UnknownGroupsProblem
"""Problems of which nothing is public but the frame."""
Problem = SelectionProblem | NumericProblem | OfFrameAlone
Law = TypeVar("Law")
P = TypeVar("P", bound=Problem)


@dataclass(frozen=True)
class Found:
    """What the laws of one pair of neighbours say. ``place``: at which output the loss is largest."""

    log_ratio: float
    delta: float
    spread: float
    place: Any
    rho: float | None = None

    def excess_over(self, claim: PrivacyLoss) -> float:
        """How near the claim is to failing: at 1 it is just kept."""
        if claim.epsilon is None:
            return (self.rho or 0.0) / max(float(claim.rho or 0), 1e-300)
        if claim.delta > 0:
            return self.delta / float(claim.delta)
        return self.log_ratio / max(float(claim.epsilon), 1e-300)


@dataclass(frozen=True)
class Known(Generic[P, Law]):
    """What is computed of a data set once. ``facts``: all that must not depend on the data, the claim among them."""

    problem: P
    law: Law
    claim: PrivacyLoss
    facts: dict[str, Any]


class PairAudit(ABC, Generic[P, Law]):
    """The worst seen so far, and the laws already computed."""

    kind: ClassVar[type[Any]]
    """What ``problem_of`` must return."""

    def __init__(self, mechanism: Any, problem_of: Callable[[Any], P]) -> None:
        require_function("a data set to its problem", problem_of=problem_of)
        self.mechanism = mechanism
        self._problem_of: Callable[[Any], P] = problem_of
        self._known: dict[DataSet, Known[P, Law]] = {}
        self._tried: set[frozenset[DataSet]] = set()
        self._breaches: set[str] = set()
        self._log_ratio = self._delta = self._range = 0.0
        self._rho: float | None = None
        self._excess = -np.inf
        self._worst: tuple[PrivacyLoss, tuple[Any, Any], P, Any] | None = None

    @abstractmethod
    def law(self, problem: P, x: DataSet) -> Law:
        """The law of the data set ``x``, computed once; what is no law is refused."""

    @abstractmethod
    def judge(self, one: Law, other: Law, claim: PrivacyLoss) -> Found:
        """Compare the laws of two neighbours, both ways."""

    @abstractmethod
    def output(self, problem: P, place: Any) -> Any:
        """The output at a place of the law."""

    def run(self, universe: Iterable[DataSet], neighbours: Neighbours) -> AuditReport:
        """Every data set of the universe against each of its neighbours; each unordered pair is tried once."""
        for x, y in pairs_of(universe, neighbours):
            key = frozenset((x, y))
            if key not in self._tried:
                self._tried.add(key)
                self._compare(x, y)
        return self._report()

    def _compare(self, x: DataSet, y: DataSet) -> None:
        one, other = self._facts_and_law(x), self._facts_and_law(y)
        _require_same(one.facts, other.facts, (x, y))
        problem, claim = one.problem, one.claim
        found = self.judge(one.law, other.law, claim)
        self._breaches |= broken_parts(claim, found.log_ratio, found.delta, found.spread, found.rho)
        excess = found.excess_over(claim)
        if excess > self._excess:
            self._excess, self._worst = excess, (claim, (x, y), problem, found.place)
        self._log_ratio = max(self._log_ratio, found.log_ratio)
        self._delta = max(self._delta, found.delta)
        self._range = max(self._range, found.spread)
        if found.rho is not None:
            self._rho = max(self._rho or 0.0, found.rho)

    def _report(self) -> AuditReport:
        if self._worst is None:
            raise ParameterError("universe must hold at least one data set that has a neighbour")
        claim, pair, problem, place = self._worst
        return AuditReport(
            mechanism=repr(self.mechanism),
            claim=claim,
            pairs=len(self._tried),
            worst_log_ratio=self._log_ratio,
            worst_delta=self._delta,
            worst_range=self._range,
            worst_pair=pair,
            worst_output=self.output(problem, place),
            breaches=tuple(part for part in ("epsilon", "delta", "bounded_range", "rho") if part in self._breaches),
            worst_rho=self._rho,
        )

    def _facts_and_law(self, x: DataSet) -> "Known[P, Law]":
        if x not in self._known:
            problem: P = pose(self._problem_of, x, self.kind)
            claim = self.mechanism.privacy(problem.frame)
            facts = {**public_facts(problem), "claimed loss": claim}
            self._known[x] = Known(problem, self.law(problem, x), claim, facts)
        return self._known[x]


def losses(law_x: Floats, law_y: Floats) -> Floats:
    """ln P(y) - ln P(x) for every output; 0 where neither can happen."""
    with np.errstate(invalid="ignore"):
        return np.where(law_x == law_y, 0.0, law_y - law_x)


def hockey_stick(law_x: Floats, law_y: Floats, claim: PrivacyLoss) -> float:
    """The part of P(y) that exceeds exp(epsilon) P(x); none where no epsilon is claimed."""
    if claim.epsilon is None:
        return 0.0
    return float(np.maximum(np.exp(law_y) - np.exp(float(claim.epsilon) + law_x), 0).sum())


def concentrated_loss(law_x: Floats, law_y: Floats) -> float:
    """The largest D_a / a over the orders a, D_a the Renyi divergence of a law from the other, both ways."""
    found = 0.0
    for law, loss in ((law_y, losses(law_x, law_y)), (law_x, losses(law_y, law_x))):
        for order in ORDERS:
            divergence = log_moment(law, (order - 1) * loss) / (order - 1)
            assert not np.isnan(divergence), "a law that is no number would pass every comparison"
            found = max(found, divergence / order)
    return found


def log_moment(masses: Floats, powers: Floats) -> float:
    """Ln of 1 plus the sum of exp(mass) (exp(power) - 1)."""
    with np.errstate(over="ignore", invalid="ignore"):
        terms = masses + powers
        top = float(terms.max())
        if top > HUGE:  # what is subtracted does not count
            return top + float(np.log(np.exp(terms - top).sum())) if np.isfinite(top) else top
        small = np.exp(masses) * np.expm1(np.minimum(powers, 1.0))
        return float(np.log1p(np.where(powers < 1, small, np.exp(terms) - np.exp(masses)).sum()))


def public_facts(problem: Problem) -> dict[str, Any]:
    """Everything about a problem that must not depend on the data."""
    if isinstance(problem, OfFrameAlone):
        return {"frame": problem.frame}
    frame, sensitivity = problem.frame, problem.sensitivity
    shared = {
        "bound": frame.bound,
        "adjacency": frame.adjacency,
        "unit": frame.unit,
        "sensitivity.bound": sensitivity.bound,
        "sensitivity.floor": sensitivity.floor,
        "sensitivity.horizon": sensitivity.horizon,
        "sensitivity.most_rungs": sensitivity.most_rungs,
        "sensitivity.largest_rise": sensitivity.largest_rise,
        "sensitivity.common_bound": getattr(sensitivity, "common_bound", None),
        "type of the sensitivity": type(sensitivity),
        "sensitivity.pairs": None if sensitivity.pairs is None else sensitivity.pairs.triangle,
    }
    if isinstance(problem, NumericProblem):
        own = {name: getattr(problem.frame, name) for name in ("resolution", "range", "growth")}
        return {**own, **shared}
    own = {
        "candidates": problem.frame.candidates,
        "monotone": problem.frame.monotone,
        "type of the utilities": problem.groups.dtype.kind,
    }
    return {**own, **shared}


def require_same_public_facts(one: Problem, other: Problem, pair: tuple[DataSet, DataSet]) -> None:
    """Raise ``FrameLeak`` when two neighbours' problems disagree on anything public."""
    _require_same(public_facts(one), public_facts(other), pair)


def _require_same(facts: dict[str, Any], others: dict[str, Any], pair: tuple[DataSet, DataSet]) -> None:
    for name, value in facts.items():
        if not _are_equal(value, others[name]):
            x, y = (str(data)[:80] for data in pair)
            raise FrameLeak(f"{name} must be public, but differs between {x} and {y}")


def _are_equal(one: Any, other: Any) -> bool:
    if one is other:
        return True
    if isinstance(one, np.ndarray) or isinstance(other, np.ndarray):
        return len(one) == len(other) and all(a == b for a, b in zip(one, other, strict=True))
    return bool(one == other)
