"""The last objects that see data: a public frame and, inside it, the private numbers of one data set."""

from dampen.problem.caps import CapFrame, CapProblem, SignedCapProblem
from dampen.problem.counts import CountsFrame, CountsProblem
from dampen.problem.groups import GroupFrame, GroupProblem
from dampen.problem.logistic import LogisticFrame, LogisticProblem
from dampen.problem.numeric import GrowthLaw, NumericFrame, NumericProblem
from dampen.problem.rules import matching_sensitivity
from dampen.problem.selection import Frame, SelectionProblem, count_candidates
from dampen.problem.unknown_groups import UnknownGroupsFrame, UnknownGroupsProblem

__all__ = [
    "CapFrame",
    "CapProblem",
    "CountsFrame",
    "CountsProblem",
    "Frame",
    "GroupFrame",
    "GroupProblem",
    "GrowthLaw",
    "LogisticFrame",
    "LogisticProblem",
    "NumericFrame",
    "NumericProblem",
    "SelectionProblem",
    "SignedCapProblem",
    "UnknownGroupsFrame",
    "UnknownGroupsProblem",
    "count_candidates",
    "matching_sensitivity",
]
