"""The exact audit of a selection mechanism: every law, every pair of neighbours, every output."""

from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from dampen.audit.neighbours import DataSet
from dampen.audit.report import AuditReport, broken_parts
from dampen.errors import FrameLeak, ParameterError
from dampen.mechanisms import SelectionMechanism
from dampen.privacy import PrivacyLoss
from dampen.problem import SelectionProblem
from dampen.vectors import Floats

ProblemOf = Callable[[Any], SelectionProblem]
Neighbours = Callable[[Any], Iterable[Any]]


def audit_selection(
    mechanism: SelectionMechanism, problem_of: ProblemOf, universe: Iterable[DataSet], neighbours: Neighbours
) -> AuditReport:
    """Compare the exact laws of every data set of the universe and of each of its neighbours with the claim.

    ``problem_of`` builds the problem of a data set, just as an application would. Raises ``FrameLeak`` when two
    neighbours disagree on anything public. Each unordered pair is tried once.

    >>> from dampen import Adjacency, Frame, SelectionProblem
    >>> from dampen.audit import add_remove_neighbours, multisets
    >>> from dampen.mechanisms import PermuteAndFlip
    >>> def votes(x):
    ...     frame = Frame(("a", "b"), bound=1, adjacency=Adjacency.ADD_REMOVE, monotone=True)
    ...     return SelectionProblem(frame, [x.count("a"), x.count("b")])
    >>> report = audit_selection(PermuteAndFlip(1), votes, multisets("ab", largest=6), add_remove_neighbours("ab"))
    >>> report.passed, report.pairs, round(report.worst_log_ratio, 6)
    (True, 56, 1.0)
    """
    audit = _Audit(mechanism, problem_of)
    for x in universe:
        for y in neighbours(x):
            audit.compare(x, y)
    return audit.report()


def public_facts(problem: SelectionProblem) -> dict[str, Any]:
    """Everything about a problem that must not depend on the data."""
    frame, sensitivity = problem.frame, problem.sensitivity
    return {
        "candidates": frame.candidates,
        "bound": frame.bound,
        "adjacency": frame.adjacency,
        "monotone": frame.monotone,
        "unit": frame.unit,
        "type of the utilities": problem.groups.dtype.kind,
        "sensitivity.bound": sensitivity.bound,
        "sensitivity.floor": sensitivity.floor,
        "sensitivity.horizon": sensitivity.horizon,
        "sensitivity.pairs": None if sensitivity.pairs is None else sensitivity.pairs.triangle,
    }


class _Audit:
    """The worst seen so far, and the laws already computed."""

    def __init__(self, mechanism: SelectionMechanism, problem_of: ProblemOf) -> None:
        self._mechanism, self._problem_of = mechanism, problem_of
        self._known: dict[DataSet, tuple[dict[str, Any], Floats, PrivacyLoss]] = {}
        self._tried: set[frozenset[DataSet]] = set()
        self._claim: PrivacyLoss | None = None
        self._breaches: set[str] = set()
        self._log_ratio = self._delta = self._range = 0.0
        self._excess = -np.inf
        self._pair: tuple[Any, Any] | None = None
        self._output: Any = None

    def compare(self, x: DataSet, y: DataSet) -> None:
        key = frozenset((x, y))
        if x == y or key in self._tried:
            return
        self._tried.add(key)
        facts, law_x, claim = self._facts_and_law(x)
        other_facts, law_y, other_claim = self._facts_and_law(y)
        _require_same({**facts, "claimed loss": claim}, {**other_facts, "claimed loss": other_claim}, (x, y))
        loss = np.where(law_x == law_y, 0.0, law_y - law_x)
        if np.isnan(loss).any():
            raise ParameterError(f"log_probabilities must be numbers; NaN at {str(x)[:80]} or {str(y)[:80]}")
        delta = max(_hockey_stick(law_x, law_y, claim), _hockey_stick(law_y, law_x, claim))
        log_ratio, spread = float(np.abs(loss).max()), float(loss.max() - loss.min())
        self._breaches |= broken_parts(claim, log_ratio, delta, spread)
        excess = delta / float(claim.delta) if claim.delta > 0 else log_ratio / max(float(claim.epsilon), 1e-300)
        if excess > self._excess:
            self._excess, self._claim, self._pair = excess, claim, (x, y)
            frame = self._problem_of(x).frame
            self._output = self._mechanism.outcomes(frame)[int(np.abs(loss).argmax())]
        self._log_ratio = max(self._log_ratio, log_ratio)
        self._delta = max(self._delta, delta)
        self._range = max(self._range, spread)

    def report(self) -> AuditReport:
        if self._claim is None:
            raise ParameterError("universe must hold at least one data set that has a neighbour")
        return AuditReport(
            mechanism=repr(self._mechanism),
            claim=self._claim,
            pairs=len(self._tried),
            worst_log_ratio=self._log_ratio,
            worst_delta=self._delta,
            worst_range=self._range,
            worst_pair=self._pair,
            worst_output=self._output,
            breaches=tuple(part for part in ("epsilon", "delta", "bounded_range") if part in self._breaches),
        )

    def _facts_and_law(self, x: DataSet) -> tuple[dict[str, Any], Floats, PrivacyLoss]:
        if x not in self._known:
            problem = self._problem_of(x)
            law = np.asarray(self._mechanism.log_probabilities(problem), dtype=np.float64)
            self._known[x] = public_facts(problem), law, self._mechanism.privacy(problem.frame)
        return self._known[x]


def require_same_public_facts(one: SelectionProblem, other: SelectionProblem, pair: tuple[DataSet, DataSet]) -> None:
    """Raise ``FrameLeak`` when two neighbours' problems disagree on anything public."""
    _require_same(public_facts(one), public_facts(other), pair)


def _require_same(facts: dict[str, Any], others: dict[str, Any], pair: tuple[DataSet, DataSet]) -> None:
    for name, value in facts.items():
        if not _same(value, others[name]):
            x, y = (str(data)[:80] for data in pair)
            raise FrameLeak(f"{name} must be public, but differs between {x} and {y}")


def _same(one: Any, other: Any) -> bool:
    if isinstance(one, np.ndarray) or isinstance(other, np.ndarray):
        return len(one) == len(other) and all(a == b for a, b in zip(one, other, strict=True))
    return bool(one == other)


def _hockey_stick(law_x: Floats, law_y: Floats, claim: PrivacyLoss) -> float:
    """The part of P(y) that exceeds exp(epsilon) P(x)."""
    return float(np.maximum(np.exp(law_y) - np.exp(float(claim.epsilon) + law_x), 0).sum())
