"""The exact audit of a mechanism that tells a cap and a total: every joint law, every pair of neighbours.

Given the cap, the total has noise of a public law, so that the loss of (cap, answer) is the loss of the cap plus that
of two such noises whose centres are the totals. On either side of both plateaus this is periodic, by the step: a window
of both plateaus and a step on either side holds all of it.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from dampen.audit.arguments import Neighbours, require_kind
from dampen.audit.law_checks import log_chances, require_total
from dampen.audit.neighbours import DataSet
from dampen.audit.pair_audit import Found, PairAudit, hockey_stick, losses
from dampen.audit.report import AuditReport
from dampen.errors import ParameterError
from dampen.mechanisms.caps.base import CapMechanism
from dampen.mechanisms.numeric.staircase import StaircaseNoise
from dampen.privacy import PrivacyLoss
from dampen.problem import CapProblem, SignedCapProblem


def audit_caps(
    mechanism: CapMechanism,
    problem_of: Callable[[Any], CapProblem | SignedCapProblem],
    universe: Iterable[DataSet],
    neighbours: Neighbours,
) -> AuditReport:
    """Compare the joint laws of cap and answer of every data set and of each of its neighbours with a pure claim.

    As ``audit_numeric``; ``worst_output`` is the cap and the answer. The law of the cap is checked to sum to 1, and the
    noise over the window and its tail too.

    >>> from dampen import Adjacency
    >>> from dampen.audit import add_remove_neighbours, multisets
    >>> from dampen.mechanisms import CapRace
    >>> from dampen.problem import CapFrame, CapProblem
    >>> frame = CapFrame(Adjacency.ADD_REMOVE, caps=4)
    >>> def totals(x):
    ...     above = [sum(total > cap for total in x) for cap in frame.caps]
    ...     return CapProblem(frame, above, [sum(min(total, cap) for total in x) for cap in frame.caps])
    >>> report = audit_caps(CapRace(1), totals, multisets((1, 2, 3), largest=2), add_remove_neighbours((1, 2, 3)))
    >>> report.passed, report.pairs, round(report.worst_log_ratio, 6)
    (True, 30, 1.0)
    """
    require_kind(CapMechanism, "CapRace(epsilon=1)", mechanism=mechanism)
    audit = _SignedCapAudit if mechanism.takes is SignedCapProblem else _CapAudit
    return audit(mechanism, problem_of).run(universe, neighbours)


@dataclass(frozen=True)
class _UnderCap:
    """One cap of a law: how likely it is, the total under it and its noise."""

    cap: Any
    log_chance: float
    total: int
    noise: StaircaseNoise


class _CapAudit(PairAudit[Any, tuple[_UnderCap, ...]]):
    kind: ClassVar[type[Any]] = CapProblem

    def law(self, problem: Any, x: DataSet) -> tuple[_UnderCap, ...]:
        mechanism, frame = self.mechanism, problem.frame
        law = log_chances(mechanism.log_cap_probabilities(problem), x)
        require_total(float(np.exp(law).sum()), x)
        caps = zip(mechanism.outcomes(frame), law.tolist(), strict=True)
        found = (_UnderCap(cap, p, mechanism.total(problem, cap), mechanism.noise(frame, cap)) for cap, p in caps)
        return tuple(map(_require_noise, found))

    def judge(self, one: tuple[_UnderCap, ...], other: tuple[_UnderCap, ...], claim: PrivacyLoss) -> Found:
        if claim.delta > 0 or claim.rho is not None:
            raise ParameterError(f"audit_caps judges pure claims; this one is {claim}")
        parts = []
        for mine, theirs in zip(one, other, strict=True):
            wide = mine.noise.plateau + 2 * mine.noise.step
            steps = np.arange(min(mine.total, theirs.total) - wide, max(mine.total, theirs.total) + wide + 1)
            here, there = (
                each.log_chance + each.noise.log_probabilities(steps - each.total) for each in (mine, theirs)
            )
            parts.append((mine.cap, steps, here, there))
        here, there = (np.concatenate([part[place] for part in parts]) for place in (2, 3))
        loss = losses(here, there)
        places = [(cap, int(step)) for cap, steps, *_ in parts for step in steps]
        worst = int(np.abs(loss).argmax())
        delta = max(hockey_stick(here, there, claim), hockey_stick(there, here, claim))
        return Found(float(np.abs(loss[worst])), delta, float(loss.max() - loss.min()), places[worst])

    def output(self, problem: Any, place: Any) -> Any:
        return place


class _SignedCapAudit(_CapAudit):
    kind = SignedCapProblem


def _require_noise(law: _UnderCap) -> _UnderCap:
    wide = law.noise.plateau + 2 * law.noise.step
    near = float(np.exp(law.noise.log_probabilities(np.arange(-wide, wide + 1))).sum())
    require_total(near + float(np.exp(law.noise.log_tail(wide + 1))), law.cap, "noise near and log_tail beyond")
    return law
