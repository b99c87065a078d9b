"""The exact audit of a numeric mechanism: every law, every pair of neighbours, every answer.

What is judged is the law on whole grid steps that a release draws from, at the very scale it draws with. It has no end,
so three regions are read.

*Near*: every step of a window around both values. *Far*: single steps, 32 to every doubling of the distance, until both
probabilities fall below exp(-``DEEPEST``), beyond which floats could not tell two of them apart. *Outside*: how much
mass lies outside the window.

A log-ratio is the largest one read near or far; where it lies far out, the steps beside it are read closely. So it is
exact where the loss beyond the window runs from one end of the far steps to the other or has one peak: the loss between
two laws of exponential or polynomial tails does, once a window holds their centres and kinks. A delta is the exact sum
over the window, plus *all* the mass outside it; where that is not negligible, plus all the mass from where the far loss
begins to exceed epsilon. A Renyi divergence is the exact sum over the window, plus far blocks at their largest loss.
"""

from collections.abc import Callable, Iterable
from functools import cached_property, partial
from math import log
from typing import Any

import numpy as np

from dampen._validate import render
from dampen.audit.arguments import Neighbours, require_kind
from dampen.audit.law_checks import TOLERANCE, log_chances, require_total
from dampen.audit.neighbours import DataSet
from dampen.audit.pair_audit import ORDERS, Found, PairAudit, hockey_stick, log_moment, losses
from dampen.audit.report import AuditReport, broken_parts
from dampen.errors import ParameterError
from dampen.mechanisms import NumericMechanism
from dampen.mechanisms.numeric.base import answer_at
from dampen.privacy import PrivacyLoss
from dampen.problem import NumericProblem
from dampen.vectors import Floats, Integers

RADII = tuple(1 << power for power in range(6, 18))
"""How far a window may extend to either side of a value, in grid steps."""
HALVES = tuple(radius // 2 for radius in RADII)
"""Where the mass outside a window begins to count: a neighbour's value may be so far away."""
NEGLIGIBLE = 1e-13
"""A window is wide enough when the mass outside it is this share of the claimed delta."""
LITTLE = 1e-2
"""And for a pure claim, where only ratios count, when it is this small."""
SMALL = 1e-3
"""A concentrated claim is first tried on a window with this mass outside, and only where that fails on a wide one."""
DEEPEST = 4096.0
FAR = np.unique(np.rint(2.0 ** (np.arange(32 * 50) / 32)).astype(np.int64))
"""Distances from an anchor, 32 to a doubling, up to 2^50 steps."""
SPARSE = 16
"""One far step of so many is compared with the tail that holds it."""
CLOSE = 257
"""How many steps are read around the largest loss far out."""


def audit_numeric(
    mechanism: NumericMechanism,
    problem_of: Callable[[Any], NumericProblem],
    universe: Iterable[DataSet],
    neighbours: Neighbours,
) -> AuditReport:
    """Compare the exact laws of every data set of the universe and of each of its neighbours with the claim.

    ``problem_of`` builds the problem of a data set, just as a question would. Raises ``FrameLeak`` when two
    neighbours disagree on anything public. Each unordered pair is tried once. Answers are judged before they are
    clamped to the frame's range, which is public and can only help. A coarser resolution makes an audit cheaper.

    Every law is checked as far as it is read. Nothing is NaN and no probability is above 1. In every window, and in
    every half of one, the probabilities and ``log_tail`` sum to 1 within 1e-9. Further out, at two steps to a doubling,
    tails do not grow with the distance and hold the answer there. Anything else raises ``ParameterError``. Not checked:
    that far answers, most of which are not read, sum to their tail. That ``release`` follows the law is for
    ``audit_draw`` to tell.

    >>> from dampen import Adjacency, NumericFrame, NumericProblem
    >>> from dampen.audit import edge_neighbours, graphs
    >>> from dampen.mechanisms import Laplace
    >>> def edges(graph):
    ...     return NumericProblem(NumericFrame(bound=1, adjacency=Adjacency.EDGE), len(graph[1]))
    >>> report = audit_numeric(Laplace(1), edges, graphs(largest=4), edge_neighbours)
    >>> report.passed, report.pairs, round(report.worst_log_ratio, 6)
    (True, 67, 1.0)
    """
    require_kind(NumericMechanism, "Laplace(epsilon=1)", mechanism=mechanism)
    return _NumericAudit(mechanism, problem_of).run(universe, neighbours)


class NumericLaw:
    """The law of one data set ``x``, on the windows that are asked for; refused where it is none."""

    def __init__(self, mechanism: Any, problem: Any, anchor: int, x: Any) -> None:
        self._log_probabilities = partial(mechanism.log_probabilities, problem)
        self._log_tail = partial(mechanism.log_tail, problem)
        self._windows: dict[int, Floats] = {}
        self._x = x
        self.value = problem.steps
        # Both laws of a pair are read at the same steps, so these are counted from a common anchor.
        self.far_steps = np.concatenate([anchor - FAR[::-1], anchor + FAR])
        self.far = self.at(self.far_steps)
        self._half_outside = self.tail(np.array(HALVES))
        self._require_tails_to_hold_far_steps()

    def at(self, steps: Integers) -> Floats:
        """Ln P of these answers."""
        return log_chances(self._log_probabilities(steps), self._x)

    def tail(self, distances: Integers) -> Floats:
        """Ln P of answers at least so far from the value."""
        return log_chances(self._log_tail(distances), self._x, "log_tail")

    def _require_tails_to_hold_far_steps(self) -> None:
        distances = np.abs(self.far_steps - self.value)
        some = np.flatnonzero((distances > 0) & (self.far > -DEEPEST))[::SPARSE]
        outwards = some[np.argsort(distances[some])]
        tails = self.tail(distances[outwards])
        if (losses(tails[:-1], tails[1:]) > TOLERANCE).any():
            raise ParameterError(f"log_tail must not grow with the distance; at {render(self._x)} it does")
        if (losses(tails, self.far[outwards]) > TOLERANCE).any():
            raise ParameterError(f"log_tail must hold every answer so far out; at {render(self._x)} one is likelier")

    def radius(self, log_mass: float) -> int:
        """The first radius with no more than this mass beyond its half, or the largest."""
        return RADII[min(int((self._half_outside > log_mass).sum()), len(RADII) - 1)]

    def mass_outside(self, radius: int) -> float:
        """The mass further than half a radius from the value: so much at least is in every window of a pair."""
        return float(np.exp(self._half_outside[RADII.index(radius)]))

    def mass_beyond(self, distance: int) -> float:
        """The mass at least so far from the value."""
        return float(np.exp(self.tail(np.array([max(distance, 1)]))[0]))

    @cached_property
    def _hidden_masses(self) -> Floats:
        """By how much the mass between two far distances exceeds what the answers at both would make of it."""
        at_ends = self.at(self.value + FAR), self.at(self.value - FAR)
        most = sum(np.exp(np.maximum(law[:-1], law[1:])) for law in at_ends)
        tails = np.exp(self.tail(FAR + 1))
        return np.maximum(-np.diff(tails) - np.diff(FAR) * most, 0)

    def hidden_mass(self, radius: int) -> float:
        """The mass further than half a radius that hides between far steps."""
        return float(self._hidden_masses[FAR[1:] >= radius // 2].sum())

    def window(self, radius: int, low: int, high: int) -> Floats:
        """Ln P of every answer from low to high, which lie within a radius of the value."""
        if radius not in self._windows:
            self._windows[radius] = self.at(self.value + np.arange(-radius, radius + 1))
            self._require_sums_of_1(radius)
        return self._windows[radius][low - self.value + radius : high + 1 - self.value + radius]

    def _require_sums_of_1(self, radius: int) -> None:
        """What is nearer than a distance, and what is not: at every half of a radius, and at the end of the window."""
        sums = np.concatenate([[0.0], np.cumsum(np.exp(self._windows[radius]))])
        inside = RADII.index(radius) + 1
        distances = np.array([*HALVES[:inside], radius + 1])
        nearer = sums[radius + distances] - sums[radius + 1 - distances]
        totals = nearer + np.exp(np.append(self._half_outside[:inside], self.tail(distances[-1:])))
        worst = float(totals[np.abs(totals - 1).argmax()])
        require_total(worst, self._x, "log_probabilities near and log_tail beyond")


class _NumericAudit(PairAudit[NumericProblem, NumericLaw]):
    """A law is a function of the steps. Far steps are counted from the first value that is seen."""

    kind = NumericProblem
    _anchor: int | None = None

    def law(self, problem: NumericProblem, x: DataSet) -> NumericLaw:
        self._anchor = problem.steps if self._anchor is None else self._anchor
        return NumericLaw(self.mechanism, problem, self._anchor, x)

    def judge(self, one: NumericLaw, other: NumericLaw, claim: PrivacyLoss) -> Found:
        for radius in _radii(one, other, claim):
            found = _judge(one, other, claim, radius)
            if not broken_parts(claim, found.log_ratio, found.delta, found.spread, found.rho):
                break
        return found

    def output(self, problem: NumericProblem, place: int) -> Any:
        return answer_at(problem.frame, place)


def _radii(one: NumericLaw, other: NumericLaw, claim: PrivacyLoss) -> list[int]:
    """Wide enough for both laws, and at least twice as wide as their values are apart; which to try after another."""
    apart = abs(one.value - other.value)
    if 2 * apart > RADII[-1]:
        raise ParameterError(f"values of neighbours must be within {RADII[-1] // 2} grid steps to be audited")
    # Without an epsilon tails are so light that an order of a weighs answers most that lie a times as far away.
    needed = 2 * apart if claim.epsilon is not None else 2 * apart * int(ORDERS[-1])
    wide_enough = next((radius for radius in RADII if radius >= needed), RADII[-1])
    masses = [SMALL] if claim.rho is not None and claim.epsilon is not None else []
    masses.append(_little_mass(claim))
    return [max(one.radius(log(mass)), other.radius(log(mass)), wide_enough) for mass in masses]


def _little_mass(claim: PrivacyLoss) -> float:
    if claim.epsilon is None:
        return NEGLIGIBLE
    return float(claim.delta) * NEGLIGIBLE if claim.delta > 0 else LITTLE


def _judge(one: NumericLaw, other: NumericLaw, claim: PrivacyLoss, radius: int) -> Found:
    # What both windows share holds everything within half a radius of either value: they are no further apart.
    low, high = max(one.value, other.value) - radius, min(one.value, other.value) + radius
    near = one.window(radius, low, high), other.window(radius, low, high)
    read, law, other_law = _read_everywhere(one, other, low, high, near)
    steps, loss = read, losses(law, other_law)
    if claim.delta == 0:
        steps, loss = _read_closely(one, other, steps, loss, low, high)
    worst = int(np.abs(loss).argmax())
    return Found(
        log_ratio=float(np.abs(loss[worst])),
        delta=max(
            hockey_stick(near[1], near[0], claim) + _excess_outside(one, other, radius, low, high, claim),
            hockey_stick(near[0], near[1], claim) + _excess_outside(other, one, radius, low, high, claim),
        ),
        spread=float(loss.max() - loss.min()),
        place=int(steps[worst]),
        rho=None if claim.rho is None else float(_divergences(read, law, other_law, low, high).max()),
    )


def read_pair(one: NumericLaw, other: NumericLaw, claim: PrivacyLoss) -> tuple[Integers, Floats, Floats]:
    """Every step that is read of a pair, near and far, and both laws there."""
    radius = max(_radii(one, other, claim))
    low, high = max(one.value, other.value) - radius, min(one.value, other.value) + radius
    return _read_everywhere(one, other, low, high, (one.window(radius, low, high), other.window(radius, low, high)))


def _excess_outside(law: NumericLaw, other: NumericLaw, radius: int, low: int, high: int, claim: PrivacyLoss) -> float:
    """So much can the law exceed exp(epsilon) times the other outside a window.

    All its mass there, or from the last far step before its loss exceeds epsilon, and what hides between far steps.
    """
    everything = law.mass_outside(radius) if claim.delta > 0 else 0.0
    if claim.epsilon is None:
        return 0.0
    if everything <= 2 * NEGLIGIBLE * float(claim.delta):
        return everything
    steps, exceeds = law.far_steps, losses(other.far, law.far) > float(claim.epsilon)
    left, right = np.flatnonzero(exceeds & (steps < low)), np.flatnonzero(exceeds & (steps > high))
    # Between two far steps the loss is not read, so the excess is taken to begin one far step nearer to the window.
    begins_left = min(low, steps[left[-1] + 1]) if len(left) else steps[0]
    begins_right = max(high, steps[right[0] - 1]) if len(right) else steps[-1]
    exceeding = law.mass_beyond(int(min(law.value - begins_left, begins_right - law.value)))
    return min(everything, exceeding + law.hidden_mass(radius))


def _read_everywhere(
    one: NumericLaw, other: NumericLaw, low: int, high: int, near: tuple[Floats, Floats]
) -> tuple[Integers, Floats, Floats]:
    """Far steps on the left, the window, far steps on the right, and both laws there."""
    seen = np.maximum(one.far, other.far) > -DEEPEST
    left, right = seen & (one.far_steps < low), seen & (one.far_steps > high)
    steps = np.concatenate([one.far_steps[left], np.arange(low, high + 1), one.far_steps[right]])
    law = np.concatenate([one.far[left], near[0], one.far[right]])
    return steps, law, np.concatenate([other.far[left], near[1], other.far[right]])


def _read_closely(
    one: NumericLaw, other: NumericLaw, steps: Integers, loss: Floats, low: int, high: int
) -> tuple[Integers, Floats]:
    """With more steps around the largest loss, where it lies far out but not at an end."""
    worst = int(np.abs(loss).argmax())
    if low <= steps[worst] <= high or worst in (0, len(steps) - 1):
        return steps, loss
    close = np.unique(np.linspace(steps[worst - 1], steps[worst + 1], CLOSE).astype(np.int64))
    return np.append(steps, close), np.append(loss, losses(one.at(close), other.at(close)))


def divergences(one: NumericLaw, other: NumericLaw, claim: PrivacyLoss) -> Floats:
    """D_a / a of one law from the other, and the other way round, for every order a: see ``_divergences``."""
    radius = max(_radii(one, other, claim))
    low, high = max(one.value, other.value) - radius, min(one.value, other.value) + radius
    return _divergences(*read_pair(one, other, claim), low, high)


def _divergences(steps: Integers, one: Floats, other: Floats, low: int, high: int) -> Floats:
    """D_a / a for every order a, D_a the Renyi divergence of a law from the other: a row for each way.

    Where P is one and Q the other, exp((a - 1) D_a) is 1 plus the sum of P ((P / Q)^(a - 1) - 1). Outside the window
    every answer counts with the larger ratio of the two far steps around it, and with the P that makes more of it.
    """
    far = (steps[:-1] < low) | (steps[1:] > high)
    inside, counts, found = (steps >= low) & (steps <= high), np.log(np.diff(steps)[far]), []
    for law, against in ((one, other), (other, one)):
        loss = losses(against, law)
        worst = np.maximum(loss[:-1], loss[1:])[far]
        most = np.maximum(law[:-1], law[1:])[far] + counts
        least = np.minimum(law[:-1], law[1:])[far] + counts
        masses = np.concatenate([law[inside], np.where(worst > 0, most, least)])
        ratios = np.concatenate([loss[inside], worst])
        found.append([log_moment(masses, (order - 1) * ratios) / (order - 1) / order for order in ORDERS])
    return np.array(found)
