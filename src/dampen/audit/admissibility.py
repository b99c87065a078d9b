"""The other half of a guarantee: is the sensitivity function that a query supplies admissible?

Admissible means, for all neighbours x and y and every candidate r: s(x, 0, r) >= |u(x, r) - u(y, r)|, and
s(x, t+1, r) >= s(y, t, r) as well as s(x, t+1, r) >= s(x, t, r). The comparison *between* data sets is what counts: a
function that merely does not decrease along one data set can let dampened scores differ by hundreds.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from dampen._validate import whole
from dampen.audit.arguments import Neighbours, pairs_of, pose, require_function
from dampen.audit.exact import ProblemOf
from dampen.audit.neighbours import DataSet
from dampen.audit.pair_audit import require_same_public_facts
from dampen.errors import ParameterError
from dampen.problem import SelectionProblem
from dampen.vectors import Floats, Vector

TOLERANCE = 1e-9
"""A shortfall up to this share of the bound (or of the largest rung) is the rounding of floats."""


@dataclass(frozen=True)
class AdmissibilityReport:
    """The worst shortfall over all pairs of neighbours, candidates and distances; at most 0 where all is well.

    ``worst_condition`` names what falls short most: ``"first rung"`` (s(x, 0) against the change of u),
    ``"next rung"`` (s(x, t+1) against s(y, t)) or ``"bound"``.
    """

    pairs: int
    horizon: int
    worst_shortfall: float
    worst_condition: str
    worst_pair: tuple[Any, Any] | None
    worst_candidate: Any
    pairs_with_different_rungs: int
    passed: bool

    def __bool__(self) -> bool:
        return self.passed

    def __str__(self) -> str:
        rows = [
            ("admissible", "holds" if self.passed else f"BROKEN: {self.worst_condition}"),
            ("pairs of neighbours", f"{self.pairs:,} ({self.pairs_with_different_rungs:,} with different rungs)"),
            ("distances", f"0 to {self.horizon}"),
            ("worst shortfall", f"{self.worst_shortfall:.6g}"),
            ("worst pair", f"{self.worst_pair}"),
            ("worst candidate", f"{self.worst_candidate}"),
        ]
        return "\n".join(f"{name:<20} {value}" for name, value in rows)


def audit_admissibility(
    problem_of: ProblemOf, universe: Iterable[DataSet], neighbours: Neighbours, horizon: int
) -> AdmissibilityReport:
    """Check the neighbour form of admissibility at distances 0 to ``horizon``."""
    require_function("a data set to its problem", problem_of=problem_of)
    audit = _Audit(problem_of, whole(horizon=horizon, least=0))
    for x, y in pairs_of(universe, neighbours):
        audit.compare(x, y)
        audit.compare(y, x)
    return audit.report()


class _Audit:
    def __init__(self, problem_of: ProblemOf, horizon: int) -> None:
        self._problem_of, self._horizon = problem_of, horizon
        self._known: dict[DataSet, tuple[SelectionProblem, Vector, Floats]] = {}
        self._tried: set[tuple[DataSet, DataSet]] = set()
        self._worst: tuple[float, str, tuple[Any, Any] | None, Any] = (-np.inf, "", None, None)
        self._scale, self._different = 0.0, 0

    def compare(self, x: DataSet, y: DataSet) -> None:
        if (x, y) in self._tried:
            return
        self._tried.add((x, y))
        problem, u_x, rungs_x = self._numbers(x)
        other, u_y, rungs_y = self._numbers(y)
        require_same_public_facts(problem, other, (x, y))
        self._different += bool((rungs_x != rungs_y).any())
        shortfalls = {
            "first rung": np.asarray(np.abs(u_x - u_y), dtype=np.float64) - rungs_x[0],
            "next rung": np.maximum(rungs_y[:-1], rungs_x[:-1]) - rungs_x[1:],
        }
        if problem.frame.bound is not None:
            shortfalls["bound"] = rungs_x - float(problem.frame.bound)
        for condition, shortfall in shortfalls.items():
            if shortfall.size and shortfall.max() > self._worst[0]:
                place = int(np.unravel_index(int(shortfall.argmax()), shortfall.shape)[-1])
                candidate = problem.frame.candidates[place]
                self._worst = (float(shortfall.max()), condition, (x, y), candidate)
        self._scale = max(self._scale, float(rungs_x.max()))

    def report(self) -> AdmissibilityReport:
        if not self._tried:
            raise ParameterError("universe must hold at least one data set that has a neighbour")
        shortfall, condition, pair, candidate = self._worst
        return AdmissibilityReport(
            pairs=len(self._tried) // 2,
            horizon=self._horizon,
            worst_shortfall=shortfall,
            worst_condition=condition,
            worst_pair=pair,
            worst_candidate=candidate,
            pairs_with_different_rungs=self._different // 2,
            passed=shortfall <= TOLERANCE * self._scale,
        )

    def _numbers(self, x: DataSet) -> tuple[SelectionProblem, Vector, Floats]:
        if x not in self._known:
            problem = pose(self._problem_of, x, SelectionProblem)
            steps = range(self._horizon + 2)
            rungs = np.array([np.asarray(problem.per_candidate(problem.sensitivity.at(t))) for t in steps])
            self._known[x] = problem, np.asarray(problem.utilities), rungs
        return self._known[x]
