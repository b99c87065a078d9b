"""The exact audit of groups that nobody listed: the joint law of all that is shown, every pair of neighbours.

Groups are independent of one another, and those that have as many people in both data sets have the same law: they
cancel. What is left are as many groups as one step moves, and everything that may be told of them together is tried.
"""

from collections.abc import Callable, Iterable
from itertools import product
from typing import Any

import numpy as np

from dampen.audit.arguments import Neighbours, require_kind
from dampen.audit.law_checks import require_total
from dampen.audit.neighbours import DataSet
from dampen.audit.pair_audit import Found, PairAudit, hockey_stick, losses
from dampen.audit.report import AuditReport
from dampen.mechanisms.counts.truncated_geometric_counts import TruncatedGeometricCounts
from dampen.privacy import PrivacyLoss
from dampen.problem import UnknownGroupsProblem

GroupLaw = dict[int | None, float]
"""The chance of every count that may be told of a group; ``None``: that it is not shown."""
NOBODY: GroupLaw = {None: 1.0}
"""The law of a group nobody is in."""


def audit_unknown_groups(
    mechanism: TruncatedGeometricCounts,
    problem_of: Callable[[Any], UnknownGroupsProblem],
    universe: Iterable[DataSet],
    neighbours: Neighbours,
) -> AuditReport:
    """Compare the joint laws of what is shown of every data set and of each of its neighbours with the claim.

    As ``audit_selection``; ``worst_delta`` is that of the whole answer, and ``worst_output`` what is told there.

    >>> from dampen import Adjacency, UnknownGroupsFrame, UnknownGroupsProblem
    >>> from dampen.audit import add_remove_neighbours, multisets
    >>> frame = UnknownGroupsFrame(Adjacency.ADD_REMOVE)
    >>> def terms(x):
    ...     return UnknownGroupsProblem(frame, sorted({*x}), [x.count(name) for name in sorted({*x})])
    >>> mechanism = TruncatedGeometricCounts(epsilon=1, delta="1/10")
    >>> report = audit_unknown_groups(mechanism, terms, multisets("ab", largest=3), add_remove_neighbours("ab"))
    >>> report.passed, report.pairs, round(report.worst_delta, 6) == round(mechanism.exact_delta(frame), 6)
    (True, 20, True)
    """
    require_kind(TruncatedGeometricCounts, "TruncatedGeometricCounts(1, '1e-6')", mechanism=mechanism)
    return _ShownAudit(mechanism, problem_of).run(universe, neighbours)


class _ShownAudit(PairAudit[UnknownGroupsProblem, dict[str, GroupLaw]]):
    kind = UnknownGroupsProblem

    def law(self, problem: UnknownGroupsProblem, x: DataSet) -> dict[str, GroupLaw]:
        laws: dict[str, GroupLaw] = self.mechanism.law(problem)
        for law in laws.values():
            require_total(sum(law.values()), x)
        return laws

    def judge(self, one: dict[str, GroupLaw], other: dict[str, GroupLaw], claim: PrivacyLoss) -> Found:
        moved = sorted(name for name in {*one, *other} if one.get(name, NOBODY) != other.get(name, NOBODY))
        told = [sorted({*one.get(name, NOBODY), *other.get(name, NOBODY)}, key=str) for name in moved]
        answers = [dict(zip(moved, each, strict=True)) for each in product(*told)]
        with np.errstate(divide="ignore"):
            here, there = (
                np.array(
                    [sum(np.log(laws.get(name, NOBODY).get(answer[name], 0.0)) for name in moved) for answer in answers]
                )
                for laws in (one, other)
            )
        loss = losses(here, there)
        delta = max(hockey_stick(here, there, claim), hockey_stick(there, here, claim))
        worst = int(np.abs(loss).argmax())
        shown = {name: count for name, count in answers[worst].items() if count is not None}
        return Found(float(np.abs(loss[worst])), delta, float(loss.max() - loss.min()), shown)

    def output(self, problem: UnknownGroupsProblem, place: Any) -> Any:
        return place
