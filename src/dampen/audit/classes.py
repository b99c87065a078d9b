"""Which class does a sensitivity function belong to, and which of two serves shifted dampening better?

Along one public data set, for t from 0 to a horizon. The classes are those of the local dampening paper; the order in
the dominance test is the corrected one.
"""

from dataclasses import dataclass
from typing import Literal

import numpy as np

from dampen._validate import one_of, whole
from dampen.audit.arguments import require_kind
from dampen.problem import SelectionProblem
from dampen.sensitivity import SensitivityFunction
from dampen.vectors import Floats


@dataclass(frozen=True)
class Classification:
    """What is true of a sensitivity function on one data set.

    ``monotone``: "non-decreasing" when candidates of at least the same utility never have a smaller rung (so equals
    have equal rungs), "non-increasing" when they never have a larger one, "flat" when all rungs of one t are equal,
    else ``None``. ``bounded``: every rung at the horizon is the bound. ``stable``: bounded and monotone (admissibility
    is for ``audit_admissibility`` to tell).
    """

    monotone: Literal["flat", "non-decreasing", "non-increasing"] | None
    bounded: bool

    @property
    def flat(self) -> bool:
        """Whether all candidates have the same rungs."""
        return self.monotone == "flat"

    @property
    def stable(self) -> bool:
        """Whether shifted dampening, rightly directed, is sure not to be worse than the exponential mechanism."""
        return self.bounded and self.monotone is not None


def classify(problem: SelectionProblem, *, horizon: int | None = None) -> Classification:
    """Classify the sensitivity function of a public problem by its rungs at t = 0 .. ``horizon``.

    Left out, the horizon is where the function is saturated, or 100 where it never says so.
    """
    require_kind(SelectionProblem, problem=problem)
    problem.require_public("classify")
    saturation = problem.sensitivity.saturation
    rungs = _rungs(problem.sensitivity, horizon if horizon is not None else 100 if saturation is None else saturation)
    gains = _steps_up(np.asarray(problem.groups, dtype=np.float64), rungs)
    bounded = problem.sensitivity.bound is not None and bool((rungs[-1] >= float(problem.sensitivity.bound)).all())
    if (rungs == rungs[:, :1]).all():
        return Classification("flat", bounded)
    if gains.min() >= 0:
        return Classification("non-decreasing", bounded)
    return Classification("non-increasing" if gains.max() <= 0 else None, bounded)


def dominates(
    problem: SelectionProblem,
    other: SensitivityFunction,
    *,
    direction: Literal["up", "down"],
    horizon: int,
) -> bool:
    """Whether shifted dampening is sure to be at least as good with the problem's own function as with ``other``.

    With a(t, r) = other(t, r) - s(t, r) >= 0, the score of r under s lies below that under ``other`` by the sum of
    a(t, r) for "up", above it for "down". So every gap between a better and a worse candidate widens when a(t, .) never
    grows with the utility for "up", and never falls with it for "down". (The published lemma has the second order for
    both directions.)
    """
    require_kind(SelectionProblem, problem=problem)
    require_kind(SensitivityFunction, other=other)
    problem.require_public("dominates")
    one_of(("up", "down"), direction=direction)
    excess = _rungs(other, horizon) - _rungs(problem.sensitivity, horizon)
    gains = _steps_up(np.asarray(problem.groups, dtype=np.float64), excess)
    ordered = gains.max() <= 0 if direction == "up" else gains.min() >= 0
    return bool(excess.min() >= 0 and ordered)


def _rungs(sensitivity: SensitivityFunction, horizon: int) -> Floats:
    return np.array([sensitivity.at(t) for t in range(whole(horizon=horizon, least=0) + 1)])


def _steps_up(utilities: Floats, rungs: Floats) -> Floats:
    """For each t, how far rungs rise from each utility level to the next higher one; both ends among equals."""
    levels = [np.flatnonzero(utilities == level) for level in np.unique(utilities)]
    highest = np.array([rungs[:, group].max(axis=1) for group in levels])
    lowest = np.array([rungs[:, group].min(axis=1) for group in levels])
    within = np.concatenate([highest - lowest, lowest - highest])
    running_high, running_low = np.maximum.accumulate(highest), np.minimum.accumulate(lowest)
    between = np.concatenate([lowest[1:] - running_high[:-1], highest[1:] - running_low[:-1]])
    return np.concatenate([within, between])
