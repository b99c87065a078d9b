"""The exact audit of a selection mechanism: every law, every pair of neighbours, every output."""

from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from dampen.audit.arguments import Neighbours, require_kind
from dampen.audit.law_checks import selection_law
from dampen.audit.neighbours import DataSet
from dampen.audit.pair_audit import Found, PairAudit, concentrated_loss, hockey_stick, losses
from dampen.audit.report import AuditReport
from dampen.mechanisms import SelectionMechanism
from dampen.privacy import PrivacyLoss
from dampen.problem import SelectionProblem
from dampen.vectors import Floats

ProblemOf = Callable[[Any], SelectionProblem]


def audit_selection(
    mechanism: SelectionMechanism, problem_of: ProblemOf, universe: Iterable[DataSet], neighbours: Neighbours
) -> AuditReport:
    """Compare the exact laws of every data set of the universe and of each of its neighbours with the claim.

    ``problem_of`` builds the problem of a data set, just as a question would. Raises ``FrameLeak`` when two
    neighbours disagree on anything public. Each unordered pair is tried once.

    Every law is checked first: one number for each outcome, none of them NaN, no probability above 1 and a sum of 1
    within 1e-9, groups counted with their sizes. Anything else raises ``ParameterError``. That ``draw`` follows the law
    is for ``audit_draw`` to tell.

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
    require_kind(SelectionMechanism, "PermuteAndFlip(epsilon=1)", mechanism=mechanism)
    return _SelectionAudit(mechanism, problem_of).run(universe, neighbours)


class _SelectionAudit(PairAudit[SelectionProblem, Floats]):
    """A law is one number per outcome."""

    kind = SelectionProblem

    def law(self, problem: SelectionProblem, x: DataSet) -> Floats:
        return selection_law(self.mechanism, problem, x)

    def judge(self, one: Floats, other: Floats, claim: PrivacyLoss) -> Found:
        loss = losses(one, other)
        return Found(
            log_ratio=float(np.abs(loss).max()),
            delta=max(hockey_stick(one, other, claim), hockey_stick(other, one, claim)),
            spread=float(loss.max() - loss.min()),
            place=int(np.abs(loss).argmax()),
            rho=None if claim.rho is None else concentrated_loss(one, other),
        )

    def output(self, problem: SelectionProblem, place: int) -> Any:
        return self.mechanism.outcomes(problem.frame)[place]
