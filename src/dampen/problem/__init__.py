"""The last objects that see data: a public frame and, inside it, the private numbers of one data set."""

from dampen.problem.counts import CountsFrame, CountsProblem
from dampen.problem.groups import GroupFrame, GroupProblem
from dampen.problem.numeric import NumericFrame, NumericProblem
from dampen.problem.rules import matching_sensitivity
from dampen.problem.selection import Frame, SelectionProblem, count_candidates

__all__ = [
    "CountsFrame",
    "CountsProblem",
    "Frame",
    "GroupFrame",
    "GroupProblem",
    "NumericFrame",
    "NumericProblem",
    "SelectionProblem",
    "count_candidates",
    "matching_sensitivity",
]
