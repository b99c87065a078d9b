"""Exact errors of mechanisms on public problems: how far an answer is off, and where two of them cross."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import inf, log
from typing import Any, NamedTuple, Protocol

import numpy as np

from dampen.accuracy.selection import law_and_errors, least_error
from dampen.errors import ParameterError
from dampen.mechanisms import CountsMechanism, NumericMechanism, ParetoNoisyMax, SelectionMechanism
from dampen.mechanisms.selection.base import UtilityMechanism
from dampen.problem import CountsProblem, NumericProblem, SelectionProblem
from dampen.tables.grid import Grid
from dampen.vectors import Floats, Runs, Vector

RARELY = 0.05
"""The chance with which an error may be exceeded."""
DEEPEST = 200.0
"""Values whose exponents are larger have no chance that a float could hold beside others."""
SLOW_LAWS = (ParetoNoisyMax,)
MOST_GROUPS = 500
"""Laws that are integrals over all groups of values are left out where there are more."""
MOST_STEPS = 2**20
"""Up to so many steps of a range the mean of what is clamped to it is added up; beyond, what is not clamped stands."""


class Errors(NamedTuple):
    """The mean error, and the one that is exceeded with a chance of 5 % at most."""

    mean: float
    rare: float


class Contest(Protocol):
    """Public problems, and how far an answer that is made of theirs is off."""

    @property
    def problems(self) -> Sequence[Any]:
        """The problems, all of which one mechanism answers for equal parts of the price."""

    def measure(self, mechanism: Any) -> Errors:
        """The exact errors of a mechanism."""


@dataclass(frozen=True)
class ChoiceContest:
    """A choice: the error is how far its score is below the best. ``scores``: where the problem has others."""

    problem: SelectionProblem
    scores: Vector | None = None

    @property
    def problems(self) -> tuple[SelectionProblem]:
        """The choice."""
        return (self.problem,)

    def measure(self, mechanism: SelectionMechanism) -> Errors:
        """From the law."""
        probabilities, errors = law_and_errors(mechanism, self.problem)
        if self.scores is not None:
            errors = np.asarray(self.scores.max() - self.scores, dtype=np.float64)
        return Errors(float(probabilities @ errors), least_error(probabilities, errors, RARELY + 2.0**-40))


@dataclass(frozen=True)
class GridContest:
    """A value of an even grid: the error is its distance from the one at ``place``."""

    problem: SelectionProblem
    grid: Grid
    place: int

    @property
    def problems(self) -> tuple[SelectionProblem]:
        """The choice of a value."""
        return (self.problem,)

    def measure(self, mechanism: SelectionMechanism) -> Errors:
        """From the law of the groups, whose points are neighbours and equally likely."""
        if isinstance(mechanism, SLOW_LAWS) and len(self.problem.groups) > MOST_GROUPS:
            raise ParameterError(f"its law takes long on more than {MOST_GROUPS} groups of values: give a larger step")
        problem = self._shallow(mechanism)
        probabilities, _ = law_and_errors(mechanism, problem)
        near, far, counts = self._steps(problem)
        step = float(self.grid[min(1, len(self.grid) - 1)] - self.grid[0])
        mean = float(probabilities @ (near + far)) / 2 * step
        each = probabilities / counts

        def beyond(steps: int) -> float:
            return float(each @ np.clip(far - np.maximum(near, steps + 1) + 1, 0, None))

        return Errors(mean, _least(beyond, len(self.grid) - 1) * step)

    def _shallow(self, mechanism: SelectionMechanism) -> SelectionProblem:
        """The same problem, where all groups on either side that are never drawn are one.

        Their chance is below exp(-DEEPEST) each. For mechanisms that score by the utility, which falls on both sides.
        """
        if not isinstance(mechanism, UtilityMechanism) or self.problem.sizes is None:
            return self.problem
        likely = np.flatnonzero(mechanism.exponents(self.problem).approximate() <= DEEPEST)
        first, last = max(int(likely[0]) - 1, 0), min(int(likely[-1]) + 2, len(self.problem.groups))
        cuts = [*([0] if first else []), *range(first, last), *([last] if last < len(self.problem.groups) else [])]
        best = np.maximum.reduceat(self.problem.groups, cuts)
        sizes = np.add.reduceat(self.problem.sizes, cuts)
        return SelectionProblem(self.problem.frame, Runs(best, sizes)).as_public()

    def _steps(self, problem: SelectionProblem) -> tuple[Floats, Floats, Floats]:
        """The distances of the nearest and the furthest point of each group, in steps, and how many points it has."""
        sizes = np.ones(len(problem.groups), dtype=np.int64) if problem.sizes is None else problem.sizes
        counts = np.asarray(sizes, dtype=np.float64)
        last = np.cumsum(counts) - 1
        first = last - counts + 1
        ends = np.abs(np.stack([first, last]) - self.place)
        inside = (first <= self.place) & (self.place <= last)
        return np.where(inside, 0, ends.min(axis=0)), ends.max(axis=0), counts


@dataclass(frozen=True)
class NumberContest:
    """A number plus noise: the error is its distance from the value, both clamped to the range of the frame."""

    problem: NumericProblem

    @property
    def problems(self) -> tuple[NumericProblem]:
        """The number."""
        return (self.problem,)

    def measure(self, mechanism: NumericMechanism) -> Errors:
        """From the tail of the noise, which is symmetric; each side ends at its end of the range."""
        resolution, rooms = float(self.problem.frame.resolution), self._rooms()

        def beyond(steps: int) -> float:
            tail = float(np.exp(mechanism.log_tail(self.problem, np.array([steps + 1.0]))[0]))
            return tail / 2 * sum(steps < room for room in rooms)

        most = max(rooms)
        if most == inf:
            most = 1
            while beyond(int(most)) > RARELY:
                most *= 2
        rare = _least(beyond, int(most)) * resolution
        if max(rooms) > MOST_STEPS:
            return Errors(mechanism.expected_absolute_noise(self.problem), rare)
        tails = np.exp(mechanism.log_tail(self.problem, np.arange(1, int(max(rooms)) + 1, dtype=np.float64)))
        return Errors(float(sum(tails[: int(room)].sum() for room in rooms)) / 2 * resolution, rare)

    def _rooms(self) -> tuple[float, float]:
        """How many steps there are below and above the value."""
        if (ends := self.problem.frame.range) is None:
            return inf, inf
        steps = [abs(Fraction(end) - self.problem.value) / self.problem.frame.resolution for end in ends]
        return float(steps[0]), float(steps[1])


@dataclass(frozen=True)
class CountsContest:
    """Many counts, each with noise of one public law: the error is that of one of them, whichever."""

    problem: CountsProblem

    @property
    def problems(self) -> tuple[CountsProblem]:
        """The counts."""
        return (self.problem,)

    def measure(self, mechanism: CountsMechanism) -> Errors:
        """From the law of the noise, which is that of all data."""
        noise = mechanism.noise(self.problem.frame)
        return Errors(noise.mean_size(), float(noise.size_exceeded_with(Fraction(RARELY))))


def _least(beyond: Callable[[int], float], most: int) -> int:
    """The least number of steps that is exceeded with a chance of 5 % at most."""
    low, high = -1, most
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if beyond(middle) <= RARELY + 2.0**-40 else (middle, high)
    return high


def crossing(
    one: Callable[[Fraction], float], other: Callable[[Fraction], float], ends: tuple[Fraction, Fraction]
) -> float:
    """Where two errors cross between two prices, to within 2 %: the first is the smaller at the lower one."""
    low, high = (log(end) for end in ends)
    while high - low > 0.02:
        middle = (low + high) / 2
        price = Fraction(float(np.exp(middle))).limit_denominator(10**6)
        low, high = (middle, high) if one(price) <= other(price) else (low, middle)
    return float(np.exp((low + high) / 2))


Contests = Mapping[str, Contest]
"""The problems that answer one question, each by the name of its way; one alone has none."""
