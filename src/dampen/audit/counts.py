"""The exact audit of a mechanism that tells many counts: every law, every pair of neighbours.

Counts have noise of their own, independent of one another. So the largest loss of a whole answer is the sum of the
largest losses of its counts, and each of these is read as for a number (:mod:`dampen.audit.numeric`).
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from dampen.audit.arguments import Neighbours, require_kind
from dampen.audit.neighbours import DataSet
from dampen.audit.numeric import NumericLaw, divergences, read_pair
from dampen.audit.pair_audit import ORDERS, Found, PairAudit, hockey_stick, losses
from dampen.audit.report import AuditReport
from dampen.errors import ParameterError
from dampen.mechanisms.counts.base import CountsMechanism
from dampen.privacy import PrivacyLoss
from dampen.problem import CountsProblem
from dampen.vectors import Floats


def audit_counts(
    mechanism: CountsMechanism,
    problem_of: Callable[[Any], CountsProblem],
    universe: Iterable[DataSet],
    neighbours: Neighbours,
) -> AuditReport:
    """Compare the exact laws of every data set of the universe and of each of its neighbours with the claim.

    A claim is pure, or of rho alone. As ``audit_numeric``, count by count: losses and divergences are added up.
    ``worst_delta`` is that of the single count that tells most.

    >>> from dampen import Adjacency, CountsFrame, CountsProblem
    >>> from dampen.audit import add_remove_neighbours, multisets
    >>> from dampen.mechanisms import LaplaceCounts
    >>> def histogram(x):
    ...     return CountsProblem(CountsFrame(2, 1, Adjacency.ADD_REMOVE), [x.count("a"), x.count("b")])
    >>> report = audit_counts(LaplaceCounts(1), histogram, multisets("ab", largest=3), add_remove_neighbours("ab"))
    >>> report.passed, report.pairs, round(report.worst_log_ratio, 6)
    (True, 20, 1.0)
    """
    require_kind(CountsMechanism, "LaplaceCounts(epsilon=1)", mechanism=mechanism)
    return _CountsAudit(mechanism, problem_of).run(universe, neighbours)


@dataclass(frozen=True)
class _Entry:
    """One count of a problem, in the words of a number: all others are left out of its law."""

    mechanism: CountsMechanism
    problem: CountsProblem
    place: int

    @property
    def steps(self) -> int:
        return int(self.problem.counts[self.place])

    def log_probabilities(self, _: Any, steps: Any) -> Floats:
        answers = np.repeat(self.problem.counts[None], len(steps), axis=0)
        answers[:, self.place] = steps
        return self.mechanism.entry_log_probabilities(self.problem, answers)[:, self.place]

    def log_tail(self, _: Any, distance: Any) -> Floats:
        return self.mechanism.noise(self.problem.frame).log_tail(distance)


class _CountsAudit(PairAudit[CountsProblem, tuple[NumericLaw, ...]]):
    kind = CountsProblem
    _anchors: tuple[int, ...] = ()

    def law(self, problem: CountsProblem, x: DataSet) -> tuple[NumericLaw, ...]:
        self._anchors = self._anchors or tuple(problem.counts.tolist())
        entries = [_Entry(self.mechanism, problem, place) for place in range(problem.frame.size)]
        return tuple(NumericLaw(each, each, at, x) for each, at in zip(entries, self._anchors, strict=True))

    def judge(self, one: tuple[NumericLaw, ...], other: tuple[NumericLaw, ...], claim: PrivacyLoss) -> Found:
        if claim.delta > 0 or (claim.rho is not None and claim.epsilon is not None):
            raise ParameterError(f"audit_counts judges pure claims, or rho alone; this one is {claim}")
        highest = lowest = delta = 0.0
        answer, concentrated = [], np.zeros((2, len(ORDERS)))
        for law, against in zip(one, other, strict=True):
            steps, here, there = read_pair(law, against, claim)
            loss = losses(here, there)
            highest, lowest = highest + float(loss.max()), lowest + float(loss.min())
            answer.append(int(steps[np.abs(loss).argmax()]))
            delta = max(delta, hockey_stick(here, there, claim), hockey_stick(there, here, claim))
            if claim.rho is not None and loss.any():
                concentrated += divergences(law, against, claim)
        rho = None if claim.rho is None else float(concentrated.max())
        return Found(max(highest, -lowest), delta, highest - lowest, tuple(answer), rho)

    def output(self, problem: CountsProblem, place: Any) -> tuple[int, ...]:
        counts: tuple[int, ...] = place
        return counts
