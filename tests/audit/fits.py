"""Whole fits, audited exactly: `fit` runs as it is, and every random draw in it is decided and priced from outside.

A fit draws in three ways: numbers with a two-sided geometric law, candidates of a selection problem, for some
mechanisms all nodes of a level at once, and minima of random objectives. :class:`Script` stands in for all of them. It
decides each draw in turn, from a list of decisions, and multiplies the exact probabilities of what it decided, given
this table. What is decided is the *released* number, not the noise, so one list of decisions leads two neighbouring
tables to the same released model, and the two products are its two probabilities. (That the draws have these laws is
for the tests of each draw alone.)
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from fractions import Fraction
from functools import partial
from math import exp, log1p
from typing import Any

import numpy as np
import pytest

from dampen.learn import noise
from dampen.mechanisms import ObjectivePerturbation, SelectionMechanism
from dampen.mechanisms.laws import permute_and_flip
from dampen.mechanisms.selection.base import SingleMechanism
from dampen.problem import LogisticProblem, SelectionProblem
from dampen.vectors import Integers
from tests.audit.objective_densities import Densities, Records

Decision = tuple[int, ...]
Points = Callable[[LogisticProblem], list[list[float]]]
"""Coefficients to look at, of the minimum of a problem."""
FAR_OUT, FARTHEST = 6, 0.25
"""Of a minimum so many points are looked at, with coefficients so far from 0 in all directions."""


def far_points(problem: LogisticProblem) -> list[list[float]]:
    """Coefficients of either sign."""
    signs = np.random.default_rng(problem.frame.size).choice([-1, 1], size=(FAR_OUT, problem.frame.size))
    found: list[list[float]] = (FARTHEST * signs).tolist()
    return found


@dataclass
class Script:
    """Decisions for the draws of one fit; where they end, the first of ``options`` is taken and noted."""

    decisions: list[Decision]
    options: Callable[[Decision], list[Decision]]
    log_probability: float = 0.0
    taken: list[Decision] = field(default_factory=list)
    open: list[list[Decision]] = field(default_factory=list)
    """What else could have been decided at each draw beyond the given decisions."""
    points: Points = far_points
    prices: list[Fraction] = field(default_factory=list)
    """The rate of every draw, in order."""

    def decide(self, options: list[Decision]) -> Decision:
        place = len(self.taken)
        if place < len(self.decisions):
            chosen = self.decisions[place]
        else:
            chosen, *others = options
            self.open.append(others)
        self.taken.append(chosen)
        return chosen

    def noisy_counts(self, counts: Integers, rate: Fraction, source: object) -> Integers:
        """The decided counts in place of these, priced by the two-sided geometric law."""
        released = np.array(self.decide(self.options(tuple(counts.ravel().tolist()))), dtype=np.int64)
        self.prices.append(rate)
        normal = log1p(-exp(-float(rate))) - log1p(exp(-float(rate)))
        self.log_probability += normal * counts.size - float(rate) * float(np.abs(released - counts.ravel()).sum())
        return released.reshape(counts.shape)

    def noisy_votes(self, units: Integers, vote: int, rate: Fraction, source: object) -> Integers:
        """The same for counts in units, of which so many make a vote: what is decided is not rounded yet."""
        drawn = self.noisy_counts(units, rate / vote, source)
        return np.asarray((drawn + vote // 2) // vote)

    def flips(self, behind: Integers, ends: Integers, rate: Fraction, source: object) -> Integers:
        """One candidate of each group, priced by the law of permute-and-flip."""
        chosen = []
        for group in np.split(behind, ends[:-1]):
            law = permute_and_flip(float(rate) * group.astype(np.float64), np.ones(len(group)))
            [place] = self.decide([(int(place),) for place in np.argsort(-law, kind="stable")])
            self.log_probability += float(law[place])
            chosen.append(place)
        return np.array(chosen, dtype=np.int64)

    def draw(self, mechanism: SelectionMechanism, problem: SelectionProblem, source: object) -> int:
        self.prices.append(mechanism.privacy(problem.frame).epsilon or Fraction(0))
        law = np.asarray(mechanism.log_probabilities(problem), dtype=np.float64)
        [place] = self.decide([(int(place),) for place in np.argsort(-law, kind="stable")])
        self.log_probability += float(law[place])
        return place

    def minimum(self, mechanism: ObjectivePerturbation, problem: LogisticProblem, source: object) -> Integers:
        """Some coefficients, priced by the exact density of the minimum."""
        frame, numbers = problem.frame, mechanism.calibration(problem.frame)
        options = [tuple(round(Fraction(each) / numbers.grid) for each in point) for point in self.points(problem)]
        drawn = np.array(self.decide(options), dtype=np.int64)
        self.prices.append(mechanism.epsilon)
        records: Records = [
            (tuple(codes), kind, weight / problem.vote)
            for codes, kind, weight in zip(
                problem.codes.tolist(), problem.targets.tolist(), problem.weights.tolist(), strict=True
            )
        ]
        law = Densities(frame, numbers, rate=float(numbers.rate))
        self.log_probability += law.log_density(records, drawn * float(numbers.grid))
        return drawn


def run(fit: Callable[[], Any], script: Script) -> Any:
    """What a fit releases when its draws are decided by a script."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(noise, "noisy_counts", script.noisy_counts)
        patch.setattr(noise, "noisy_votes", script.noisy_votes)
        patch.setattr("dampen.mechanisms.selection.permute_and_flip.flip_groups", script.flips)
        patch.setattr(SingleMechanism, "draw", lambda self, problem, source: script.draw(self, problem, source))
        patch.setattr(
            ObjectivePerturbation, "draw", lambda self, problem, source: script.minimum(self, problem, source)
        )
        return fit()


def scripts(
    fit: Callable[[], Any], options: Callable[[Decision], list[Decision]], points: Points = far_points
) -> Iterator[tuple[Any, Script]]:
    """Every combination of the options of every draw, each with what it releases."""
    waiting: list[list[Decision]] = [[]]
    while waiting:
        given = waiting.pop()
        script = Script(given, options, points=points)
        yield run(fit, script), script
        for place, others in enumerate(script.open, start=len(given)):
            waiting += [[*script.taken[:place], other] for other in others]


def worst_loss(
    x: Any, y: Any, fit: Callable[[Any], Any], options: Callable[[Decision], list[Decision]],
    points: Points = far_points,
) -> tuple[float, int]:  # fmt: skip
    """The largest |ln P_x / P_y| over what both walks release, and how many outcomes were compared."""
    worst, compared = 0.0, 0
    for near, far in ((x, y), (y, x)):
        for released, script in scripts(partial(fit, near), options, points):
            other = Script(script.taken, options)
            assert run(partial(fit, far), other) == released
            assert len(other.taken) == len(script.taken)
            worst = max(worst, abs(script.log_probability - other.log_probability))
            compared += 1
    return worst, compared
