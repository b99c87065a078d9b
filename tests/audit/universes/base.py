"""What a universe is."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from dampen.audit import AuditReport, audit_selection
from dampen.mechanisms import SelectionMechanism
from dampen.problem import SelectionProblem


@dataclass(frozen=True)
class Universe:
    """All small data sets of one query, and the neighbours of each."""

    name: str
    problem_of: Callable[[Any], SelectionProblem]
    data_sets: Sequence[Any]
    neighbours: Callable[[Any], Iterable[Any]]

    def audit(self, mechanism: SelectionMechanism) -> AuditReport:
        return audit_selection(mechanism, self.problem_of, self.data_sets, self.neighbours)
