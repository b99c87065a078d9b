"""What a universe is."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

import numpy as np

from dampen.audit import AdmissibilityReport, AuditReport, audit_admissibility, audit_selection
from dampen.mechanisms import SelectionMechanism
from dampen.problem import SelectionProblem
from dampen.vectors import Floats


@dataclass(frozen=True)
class Movements:
    """How many pairs of neighbours differ in what dampening must survive, over the pairs of an audit."""

    pairs: int = 0
    different_rows: int = 0
    sign_crossings: int = 0
    another_argmax: int = 0

    def __add__(self, other: "Movements") -> "Movements":
        return Movements(
            self.pairs + other.pairs,
            self.different_rows + other.different_rows,
            self.sign_crossings + other.sign_crossings,
            self.another_argmax + other.another_argmax,
        )


@dataclass(frozen=True, eq=False)
class Universe:
    """All small data sets of one query, and the neighbours of each.

    ``indicator``: utilities are 0 and 1, at most one candidate has 1, and they change only where the sensitivity is 1;
    mechanisms that demand this promise run on no other universe. ``horizon``: the last distance at which admissibility
    is checked and rows are compared.
    """

    name: str
    problem_of: Callable[[Any], SelectionProblem]
    data_sets: Sequence[Any]
    neighbours: Callable[[Any], Iterable[Any]]
    indicator: bool = False
    horizon: int = 4

    def __post_init__(self) -> None:
        """Build each problem once: every mechanism of the gate reads the same one."""
        object.__setattr__(self, "problem_of", cache(self.problem_of))

    def first(self, few: int | None) -> "Universe":
        """The same with so many data sets, the first of them, and their neighbours; all of them for ``None``."""
        return replace(self, data_sets=list(self.data_sets)[:few])

    def audit(self, mechanism: SelectionMechanism) -> AuditReport:
        return audit_selection(mechanism, self.problem_of, self.data_sets, self.neighbours)

    def audit_admissibility(self) -> AdmissibilityReport:
        return audit_admissibility(self.problem_of, self.data_sets, self.neighbours, self.horizon)

    def movements(self, level: float | None) -> Movements:
        """Count pairs with other rows, another argmax, a sign crossing of u - level (for ``None``, of a difference).

        A crossing is from below 0 to above it: the case that the published proof of Lemma 4 leaves out.
        """
        facts = cache(lambda x: self._facts(x, level))
        tried: set[frozenset[Any]] = set()
        rows = signs = argmax = 0
        for x in self.data_sets:
            for y in self.neighbours(x):
                if x == y or frozenset((x, y)) in tried:
                    continue
                tried.add(frozenset((x, y)))
                (rows_x, signs_x, best_x), (rows_y, signs_y, best_y) = facts(x), facts(y)
                rows += bool((rows_x != rows_y).any())
                signs += bool((signs_x * signs_y < 0).any())
                argmax += bool((best_x != best_y).any())
        return Movements(len(tried), rows, signs, argmax)

    def _facts(self, x: Any, level: float | None) -> tuple[Floats, Floats, Floats]:
        """Rows, signs and the set of best candidates of one data set; runs are written out."""
        problem = self.problem_of(x)
        u = np.asarray(problem.utilities, dtype=np.float64)
        rows = [np.asarray(problem.per_candidate(problem.sensitivity.at(t))) for t in range(self.horizon + 1)]
        differences = np.subtract.outer(u, u) if level is None else u - level
        return np.array(rows), np.sign(differences), (u == u.max()).astype(np.float64)
