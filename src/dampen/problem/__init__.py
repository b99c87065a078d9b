"""The last objects that see data: a public frame and, inside it, the private numbers of one data set."""

from dampen.problem.numeric import NumericFrame, NumericProblem
from dampen.problem.rules import matching_sensitivity
from dampen.problem.selection import Frame, SelectionProblem, count_candidates

__all__ = [
    "Frame",
    "NumericFrame",
    "NumericProblem",
    "SelectionProblem",
    "count_candidates",
    "matching_sensitivity",
]
